"""The workload that the gate starts: what an accepted launch asks of it, and what it refuses of that.

A start checks first, and so does a dry run: what is wrong with the words alone is refused by both in
the same words. What only the machine can tell (folders, memory, the launcher) a dry run does not ask. This
module is imported by a dry run, and so leaves what makes runs to `bench.driver.runs`.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from bench.driver.environment import OPTION as ENV
from bench.driver.environment import Variables, parse_variables, refuse_secrets
from bench.workload.parameters import count, typed_parameters
from engine.evidence.worked_out import planned
from engine.launch.accepted import Accepted, CannotStart, NotInstalled
from engine.launch.sizes import placement
from engine.runtime import host_lists
from engine.runtime.roles import HOSTS, READS, WRITES, flag_of

if TYPE_CHECKING:
    from bench.driver.mpi_command import HostRanks, Launcher
    from bench.workload.plan import Plan
    from engine.sizing import Layout

KEEP = "--keep"
HAND_OVER = "--hand-over"
FOLDER, RESULTS = "--checkpoint-folder", "--results-dir"
PPN, SITE_WORDS = "--ppn", "--mpi-params"

NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
"""Of what a folder's name in a submission may be made."""

ALLOCATIONS = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "PE_HOSTFILE")
"""What schedulers set in an allocation, whose hosts a launcher takes when none are named."""

DEFAULT, DIRECT, NULL, OBJECTS = "rolling", "direct", "null", "objects"
"""Engines: the one when none is named, of --o-direct, the one that writes nothing, of object access."""

LIBRARIES = ("mpi4py", "numpy")
"""What every rank imports."""


class Checkpointing:
    """The workload of the family that writes and reads checkpoints."""

    def check(self, accepted: Accepted) -> None:
        """Refuse what cannot be run as it was asked for. Raises CannotStart.

        Touches no path and starts nothing; says last, by NotInstalled, what is missing here.
        """
        _, ranks = layout_of(accepted)
        counts = count(accepted, WRITES), count(accepted, READS)
        typed_parameters(accepted)
        engine_of(accepted)
        _check_keep(accepted, max(counts))
        if accepted.options.get(HAND_OVER) is not None:
            _check_hand_over(str(accepted.options[HAND_OVER]), counts)
        variables(accepted)
        site_words(accepted)
        _check_ppn(accepted, ranks)
        submission_names(accepted)
        for flag in (FOLDER, RESULTS):
            if not isinstance(accepted.value(flag), str):
                raise CannotStart(f"{flag} is missing: a run for advice too needs somewhere to be.")
        for name in LIBRARIES:
            if find_spec(name) is None:
                raise NotInstalled.library(name)
        if by_objects(accepted) and find_spec("boto3") is None:
            raise NotInstalled("object access needs boto3: pip install 'clausegate[s3]'.")

    def __call__(self, accepted: Accepted) -> int:
        """Run as often as asked for; the exit code. Raises CannotStart while nothing has been written."""
        from bench.driver.runs import run_all

        return run_all(accepted)


run = Checkpointing()
"""What the entry point names."""


def layout_of(accepted: Accepted) -> tuple[Layout, int]:
    """The layout of the model, and the number of ranks. Raises CannotStart."""
    plan = planned(accepted.ruleset, accepted.gated.known.leaf)
    if plan is None or plan[1] < 1:
        raise CannotStart("There is nothing to run: the model has no layout, or there are no ranks.")
    return plan


def keep(accepted: Accepted) -> int:
    """How many checkpoints lie in the folder at once; 0 is all."""
    return int(accepted.options.get(KEEP) or 0)


def _check_keep(accepted: Accepted, needed: int) -> None:
    """A run of the strictest division reads each checkpoint that it wrote: none of them may make room."""
    kept = keep(accepted)
    if kept and strictest(accepted) and kept < needed:
        division, others = accepted.request.division, " or ".join(sorted(accepted.scale.judged_lesser))
        raise CannotStart(
            f"{KEEP} {kept} leaves {kept} of the {needed} different checkpoints that a {division} run reads: "
            f"leave it out, or run it as {others}."
        )


def strictest(accepted: Accepted) -> bool:
    """Whether the run is asked for in the division that allows least."""
    return accepted.request.division not in accepted.scale.lesser


def engine_of(accepted: Accepted) -> str:
    """How the storage is reached, a name in `bench.storage.engines`. Raises CannotStart."""
    named, direct = accepted.options.get("--io-engine"), bool(accepted.options.get("--o-direct"))
    if direct and named not in (None, DIRECT):
        raise CannotStart(f"--o-direct and --io-engine {named} contradict each other: leave one out.")
    if named == NULL and not accepted.advised:
        advice = " or ".join(sorted(accepted.scale.advice)) or "no division"
        raise CannotStart(f"--io-engine {NULL} writes nothing: it is for {advice} only.")
    if by_objects(accepted):
        if named not in (None, NULL):
            raise CannotStart(f"--io-engine {named} is for files: an object store has one way in.")
        return str(named or OBJECTS)
    return DIRECT if direct else str(named or DEFAULT)


def by_objects(accepted: Accepted) -> bool:
    """Whether the storage is an object store."""
    return accepted.request.access == "object"


def _check_hand_over(text: str, counts: tuple[int, int]) -> None:
    from bench.driver.hand_over import words

    words(text)
    if not all(counts):
        raise CannotStart(
            f"{HAND_OVER} stands between writing and reading: a run that does one of them has no use for it."
        )


def submission_names(accepted: Accepted) -> tuple[str, str]:
    """The organisation and the system, which name folders of the submission. Raises CannotStart."""
    names = []
    for flag, advised in (("--orgname", "local"), ("--systemname", os.uname().nodename.partition(".")[0])):
        name = accepted.options.get(flag)
        if not name and not accepted.advised:
            raise CannotStart(f"{flag} is missing: it names a folder of the submission.")
        name = str(name or advised)
        if not NAME.issuperset(name) or set(name) == {"."}:
            raise CannotStart(
                f"{flag} {name!r} names a folder: letters, digits, dots, dashes and underscores only."
            )
        names.append(name)
    return names[0], names[1]


def variables(accepted: Accepted) -> Variables:
    """The variables that are handed to the ranks. Raises CannotStart."""
    return parse_variables(accepted.options.get(ENV) or ())


def site_words(accepted: Accepted) -> list[str]:
    """The words that are handed to the launcher as they are. Raises CannotStart."""
    text = str(accepted.options.get(SITE_WORDS) or "")
    if not text:
        return []
    import shlex

    try:
        found = shlex.split(text)
    except ValueError as error:
        raise CannotStart(f"{SITE_WORDS} {text!r}: a quote is not closed.") from error
    refuse_secrets(SITE_WORDS, found)
    return found


def ppn_of(accepted: Accepted) -> int | None:
    """How many ranks a host gets at most; None when nobody says."""
    ppn = accepted.options.get(PPN)
    return None if ppn is None else int(ppn)


def _named(accepted: Accepted) -> tuple[Any, ...]:
    """The hosts as they were typed; none is this machine."""
    return accepted.request.texts.get(flag_of(accepted.ruleset, HOSTS), ())


def _check_ppn(accepted: Accepted, ranks: int) -> None:
    ppn, flag = ppn_of(accepted), flag_of(accepted.ruleset, HOSTS)
    if ppn is None or not _named(accepted):
        return
    counts = placement(accepted.ruleset, accepted.request, ranks)
    if max(counts) > ppn:
        raise CannotStart(
            f"{PPN} {ppn}: {ranks} ranks on {len(counts)} host{'' if len(counts) == 1 else 's'} are up to "
            f"{max(counts)} on one; name more {flag}, or give {PPN} {max(counts)}."
        )


def hosts_of(accepted: Accepted, ranks: int) -> list[HostRanks]:
    """The hosts that were named, each with its ranks; none is this machine."""
    from bench.driver.mpi_command import HostRanks

    texts = _named(accepted)
    if not texts:
        return []
    names = host_lists.names(texts, host_lists.own_names())
    counts = placement(accepted.ruleset, accepted.request, ranks)
    return [HostRanks(host, count) for host, count in zip(names, counts, strict=True)]


def local_ranks(accepted: Accepted, launcher: Launcher, plan: Plan) -> int:
    """How many ranks are started on this host, as far as it is known here; ranks look again on every host."""
    placed, own = hosts_of(accepted, plan.ranks), host_lists.own_names()
    if placed:
        return sum(one.ranks for one in placed if host_lists.is_loopback(one.host) or one.host in own)
    if launcher.kind == "slurm" or any(name in os.environ for name in ALLOCATIONS):
        return 0  # where ranks go is the scheduler's to say
    return min(plan.ranks, ppn_of(accepted) or plan.ranks)
