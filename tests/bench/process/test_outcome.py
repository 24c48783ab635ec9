"""How a run ended, from what ranks and launchers of each MPI say."""

from __future__ import annotations

import re

import pytest

from bench.process.follow import LauncherExit
from bench.process.outcome import FAILED, INTERRUPTED, OUT_OF_TIME, RankProcess, outcome

RANKS = {0: RankProcess("node-a", 4711), 1: RankProcess("node-b", 4712), 2: RankProcess("node-b", 4713)}

HYDRA = """\
===================================================================================
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 4712 RUNNING AT node-b.example
=   EXIT CODE: 9
=   CLEANING UP REMAINING PROCESSES
=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES
===================================================================================
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)
This typically refers to a problem with your application."""
INTEL = """\
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   RANK 1 PID 4712 RUNNING AT node-b
=   KILLED BY SIGNAL: 9 (Killed)"""
OPEN = """\
--------------------------------------------------------------------------
mpirun noticed that process rank 1 with PID 0 on node node-b exited on signal 9 (Killed).
--------------------------------------------------------------------------"""
SLURM = """\
srun: error: node-b: task 1: Killed
srun: launch/slurm: _step_signal: Terminating StepId=12.0"""


SLOTS = """\
--------------------------------------------------------------------------
There are not enough slots available in the system to satisfy the 8
slots that were requested by the application:

  /usr/bin/python3

Alternatively, you can use the --oversubscribe option to ignore the
number of available slots when deciding the number of processes to
launch.
--------------------------------------------------------------------------"""
ROOT = """\
--------------------------------------------------------------------------
mpirun has detected an attempt to run as root.

Running as root is *strongly* discouraged as any mistake.
--------------------------------------------------------------------------"""
OTHER = """\
check_MPIR_CVAR_PMI_VERSION(167):  Runtime environment uses unsupported PMI version PMIx. Aborting.
--------------------------------------------------------------------------
mpirun detected that one or more processes exited with non-zero status
--------------------------------------------------------------------------"""
NONE = """\
RuntimeError: cannot load MPI library
libmpi.so: cannot open shared object file: No such file or directory"""


@pytest.mark.parametrize(
    ("text", "said", "advice"),
    [
        (SLOTS, "There are not enough slots .* requested by the application:", "--oversubscribe starts .*"),
        (ROOT, "mpirun has detected an attempt to run as root.", "--allow-run-as-root lets it"),
        (OTHER, "mpirun detected that .* status", "is this the launcher .*--mpi-bin.*"),
        (NONE, "libmpi.so: .*", r".*pip install 'clausegate\[mpich\]'"),
    ],
    ids=["slots", "root", "another MPI", "no MPI"],
)
def test_a_launcher_that_cannot_start_is_told_with_what_helps(text: str, said: str, advice: str) -> None:
    _, sentence = outcome(LauncherExit(1), {}, text.splitlines(), written=False)
    assert sentence is not None
    assert re.fullmatch(f"the launcher ended with 1; it said last: {said}; {advice}", sentence)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (HYDRA, "rank 1 on node-b.example died: Killed (signal 9)"),
        (INTEL, "rank 1 on node-b died: 9 (Killed)"),
        (OPEN, "rank 1 on node-b died: signal 9 (Killed)"),
        (SLURM, "rank 1 on node-b died: Killed"),
    ],
    ids=["hydra", "intel", "openmpi", "slurm"],
)
def test_a_rank_that_was_killed_is_named_in_the_words_of_each_mpi(text: str, sentence: str) -> None:
    assert outcome(LauncherExit(9), RANKS, text.splitlines(), written=False) == (FAILED, sentence)


def test_a_process_that_no_rank_has_reported_is_told_by_its_host() -> None:
    code, sentence = outcome(LauncherExit(9), {}, HYDRA.splitlines(), written=False)
    assert (code, sentence) == (FAILED, "a rank on node-b.example died: Killed (signal 9)")


def test_two_ranks_with_one_process_number_are_not_guessed_apart() -> None:
    ranks = {0: RankProcess("node-a", 4712), 1: RankProcess("node-b", 4712)}
    _, sentence = outcome(LauncherExit(9), ranks, HYDRA.splitlines(), written=False)
    assert sentence == "a rank on node-b.example died: Killed (signal 9)"


def test_what_a_rank_says_itself_comes_first() -> None:
    failure = {"event": "failed", "rank": 2, "host": "node-b", "reason": "/ckpt/x: No space left on device"}
    end = LauncherExit(6, failures=[failure])
    assert outcome(end, RANKS, HYDRA.splitlines(), written=False) == (
        FAILED,
        "rank 2 on node-b: /ckpt/x: No space left on device",
    )


@pytest.mark.parametrize(
    ("more", "told"), [(1, " (1 more rank failed too)"), (2, " (2 more ranks failed too)")]
)
def test_further_failures_are_counted(more: int, told: str) -> None:
    failure = {"event": "failed", "rank": 2, "host": "node-b", "reason": "full"}
    _, sentence = outcome(LauncherExit(6, failures=[failure] * (more + 1)), RANKS, [], written=False)
    assert sentence == f"rank 2 on node-b: full{told}"


def test_a_launcher_that_fails_without_a_death_is_told_with_its_last_words() -> None:
    assert outcome(LauncherExit(255), {}, ["starting", "no such host: h9", "-----"], written=False) == (
        FAILED,
        "the launcher ended with 255; it said last: no such host: h9",
    )
    assert outcome(LauncherExit(255), {}, [], written=False) == (FAILED, "the launcher ended with 255")


@pytest.mark.parametrize(("done", "written"), [(False, False), (True, False), (False, True)])
def test_a_launcher_that_ends_well_without_a_result_has_failed(done: bool, written: bool) -> None:
    code, sentence = outcome(LauncherExit(0, done=done), {}, [], written=written)
    assert code == FAILED
    assert sentence == "all ranks ended, but the first has left no summary"


def test_a_run_that_ended_well() -> None:
    assert outcome(LauncherExit(0, done=True), RANKS, [], written=True) == (0, None)


def test_a_signal_and_the_time_limit_explain_every_death() -> None:
    failure = {"event": "failed", "rank": 2, "host": "node-b", "reason": "full"}
    end = LauncherExit(-15, signal="SIGTERM", failures=[failure])
    assert outcome(end, RANKS, HYDRA.splitlines(), written=False)[0] == INTERRUPTED
    end = LauncherExit(-15, out_of_time=True, failures=[failure])
    assert outcome(end, RANKS, HYDRA.splitlines(), written=False)[0] == OUT_OF_TIME
    end = LauncherExit(0, signal="SIGINT", done=True)
    assert outcome(end, RANKS, [], written=True) == (INTERRUPTED, "interrupted by SIGINT")
