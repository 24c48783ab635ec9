"""Runs that do not end well: what is said, how fast, what is left, and that it earns nothing."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest

from tests.bench.runs import (
    ENDS_WITHIN,
    Bed,
    as_closed,
    assert_nothing_left,
    await_path,
    fake_launcher,
    ranks,
    strict,
)
from tests.command import run

LONG = 5000
"""Checkpoints of a run that nobody waits for; each has a few kilobytes."""

SMALL = "0.0000001"


def assert_not_finished(bed: Bed, code: int, reason: str, *, logged: bool = True) -> None:
    """The leaf says how the run ended, and can be taken for a finished one by nobody."""
    leaf = bed.leaf()
    assert leaf.name.endswith(".unfinished")
    held = bed.metadata()
    assert held["exit_status"] == code
    assert reason in held["failure"]
    assert held["verification"] is None
    assert held["invocation_end_time"] is not None
    assert not (leaf / "summary.json").exists()
    assert (reason in (leaf / "dlio.log").read_text("utf-8")) is logged
    assert_nothing_left(bed.root)
    assert_no_run(bed, reason)


def assert_no_run(bed: Bed, reason: str) -> None:
    """Even relabelled as closed it is nothing to validate, and why is said in one sentence."""
    done = run(["validate", str(as_closed(bed))])
    said = " ".join(done.stderr.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(r"is a run that did not finish and counts for nothing: [^\n]*" + re.escape(reason), said)


@pytest.mark.parametrize("name", ["SIGINT", pytest.param("SIGTERM", marks=pytest.mark.slow)])
def test_a_signal_ends_all_ranks_and_the_run_can_be_made_again(tmp_path: Path, name: str) -> None:
    bed = Bed(tmp_path)
    with bed.started(scale=SMALL, writes=LONG, reads=0) as process:
        await_path(bed.checkpoints / "llama3-8b" / "global_epoch1_step3", process)
        assert len(ranks(tmp_path)) == 2
        before = time.monotonic()
        process.send_signal(getattr(signal, name))
        _, said = process.communicate(timeout=ENDS_WITHIN)
    assert process.returncode == 8
    assert time.monotonic() - before < ENDS_WITHIN
    assert f"interrupted by {name}" in said
    assert "Traceback" not in said
    again = bed.run(writes=1, reads=0)
    assert again.returncode == 2
    assert "is not empty" in again.stderr
    assert_not_finished(bed, 8, f"interrupted by {name}")


def test_a_rank_that_is_killed_is_named(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    with bed.started(scale=SMALL, writes=LONG, reads=0) as process:
        await_path(bed.checkpoints / "llama3-8b" / "global_epoch1_step3", process)
        os.kill(ranks(tmp_path)[0], signal.SIGKILL)
        _, said = process.communicate(timeout=ENDS_WITHIN)
    assert process.returncode == 6
    assert "died: " in said
    assert "Killed" in said
    assert "Traceback" not in said
    assert_not_finished(bed, 6, "died: ")


def test_a_leaf_that_cannot_get_its_name_is_no_run(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    with bed.started(scale=SMALL, writes=1000, reads=0) as process:
        await_path(bed.checkpoints / "llama3-8b" / "global_epoch1_step3", process)
        taken = bed.leaf().with_suffix("")
        (taken / "of somebody else").mkdir(parents=True)
        _, said = process.communicate(timeout=ENDS_WITHIN)
    assert process.returncode == 6
    assert "the record is not whole" in " ".join(said.split())
    (taken / "of somebody else").rmdir()
    taken.rmdir()
    assert_not_finished(bed, 6, "the record is not whole", logged=False)  # the log had been closed


def test_a_time_limit(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    done = bed.run("--time-limit", "1.5", scale=SMALL, writes=LONG, reads=0)
    assert done.returncode == 7
    assert "the time limit was reached" in done.stderr
    assert_not_finished(bed, 7, "the time limit was reached")


def test_a_launcher_that_does_nothing_and_says_that_all_went_well(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    done = bed.run("--mpi-bin", str(fake_launcher(tmp_path, "exit 0")))
    assert done.returncode == 6
    assert "the first has left no summary" in done.stderr
    assert_not_finished(bed, 6, "left no summary")


def test_a_launcher_whose_ranks_leave_no_summary(tmp_path: Path) -> None:
    script = 'echo \'@clausegate {"event": "done", "rank": 0}\''
    bed = Bed(tmp_path)
    done = bed.run("--mpi-bin", str(fake_launcher(tmp_path, script)))
    assert done.returncode == 6
    assert_not_finished(bed, 6, "left no summary")


def test_what_a_launcher_says_before_ranks_start_is_shown(tmp_path: Path) -> None:
    """Of one that waits for resources nobody would know otherwise."""
    bed = Bed(tmp_path)
    fake = fake_launcher(tmp_path, "echo 'job 4 queued and waiting for resources' >&2; exec sleep 60")
    done = bed.run("--mpi-bin", str(fake), "--time-limit", "1")
    assert done.returncode == 7
    assert "\njob 4 queued and waiting for resources\n" in done.stderr


def test_a_launcher_that_fails_is_told_with_its_last_words(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    done = bed.run("--mpi-bin", str(fake_launcher(tmp_path, "echo 'no route to host h9' >&2; exit 3")))
    assert done.returncode == 6
    assert "the launcher ended with 3; it said last: no route to host h9" in " ".join(done.stderr.split())
    assert "no route to host h9" in (bed.leaf() / "checkpointing_run.stderr.log").read_text("utf-8")
    assert_not_finished(bed, 6, "no route to host h9")


@pytest.mark.slow
def test_a_launcher_that_hangs_and_does_not_listen(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    fake = fake_launcher(tmp_path, "trap '' TERM INT; while :; do sleep 0.2; done")
    done = bed.run("--mpi-bin", str(fake), "--time-limit", "0.2")
    assert done.returncode == 7
    assert_not_finished(bed, 7, "the time limit was reached")


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["write", "read"])
def test_what_a_rank_says_of_its_failure_is_told_and_recorded(tmp_path: Path, stage: str) -> None:
    bed = Bed(tmp_path)
    if stage == "read":
        assert bed.run(writes=1, reads=0).returncode == 0
        name, path = min(bed.files().items())
        os.truncate(path, 100)
        done = bed.run(writes=0, reads=1)
        # Told by the launcher where it sees the folder, else by the rank that reads the file.
        assert done.returncode in (2, 6)
        assert Path(name).name in done.stderr
        assert "100 bytes" in done.stderr
    else:
        with bed.started(scale=SMALL, writes=LONG, reads=0) as process:
            folder = bed.checkpoints / "llama3-8b"
            await_path(folder / "global_epoch1_step2", process)
            blocked = folder / "global_epoch1_step150"
            blocked.write_text("of somebody else")
            _, said = process.communicate(timeout=60)
        assert process.returncode == 6
        assert f"{blocked}: File exists" in " ".join(said.split())
        assert blocked.read_text() == "of somebody else"
        assert_not_finished(bed, 6, "File exists")
    assert_nothing_left(tmp_path)


def test_a_leaf_cut_off_by_a_kill_of_everything_is_no_run(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    with bed.started(scale=SMALL, writes=LONG, reads=0) as process:
        await_path(bed.checkpoints / "llama3-8b" / "global_epoch1_step3", process)
        process.kill()
        process.wait(timeout=ENDS_WITHIN)
    leaf = bed.leaf()
    assert leaf.name.endswith(".unfinished")
    (file,) = leaf.glob("*_metadata.json")
    held = strict(file)
    assert (held["exit_status"], held["verification"], held["invocation_end_time"]) == (None, None, None)
    assert_no_run(bed, "it is still under way, or was ended before it could say why")
