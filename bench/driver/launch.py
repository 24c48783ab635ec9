"""Runs an accepted launch: from its options to one invocation of the ranks, or to two and what lies between.

This is what `clausegate ... checkpointing run` does after the gate. `bench.driver.invocation` makes each
invocation.
"""

from __future__ import annotations

import os
import re
import shlex
import socket
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from bench.driver import mpi_command as launchers
from bench.driver.clean import clean_plan
from bench.driver.environment import OPTION as ENV
from bench.driver.environment import parse_variables, refuse_secrets
from bench.driver.hand_over import OPTION as HAND_OVER
from bench.driver.hand_over import call, words
from bench.driver.invocation import RESULTS, Invocation, invoke, time_limit
from bench.driver.mpi_command import HostRanks, Launcher
from bench.driver.preflight import newest_kept
from bench.process.outcome import FAILED
from bench.progress.terminal import note
from bench.workload.configuration import Configuration, configure
from bench.workload.plan import CLOCK_SKEW, FILE, Plan
from engine.evidence.worked_out import planned
from engine.launch.accepted import Accepted, CannotStart
from engine.launch.sizes import placement
from engine.runtime import host_lists
from engine.runtime.roles import HOSTS, flag_of

KEEP = "--keep"

PPN, PARAMS = "--ppn", "--mpi-params"

NAME = re.compile(r"[A-Za-z0-9._-]+")
"""What a folder of a submission may be called."""

ALLOCATIONS = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "PE_HOSTFILE")
"""What schedulers set in an allocation, whose hosts a launcher takes when none are named."""

DEFAULT, DIRECT, NULL, OBJECTS = "rolling", "direct", "null", "objects"
"""Engines: the one when none is named, of --o-direct, the one that writes nothing, of object access."""


def run(accepted: Accepted) -> int:
    """Run as often as asked for; the exit code. Raises CannotStart while nothing has been written."""
    loops = int(accepted.options.get("--loops") or 1)
    for loop in range(1, loops + 1):
        code = _once(accepted, last=loop == loops)
        if code:
            return code
    return 0


def _once(accepted: Accepted, *, last: bool) -> int:
    """One run, in one invocation or two. All but the last of several make room for the next."""
    launcher = launchers.find(str(accepted.options.get("--mpi-bin")))
    whole = _configuration(accepted)
    _check_keep(accepted, whole)
    text = accepted.options.get(HAND_OVER)
    command = None if text is None else words(str(text))
    # What is wrong with the command is said before any folder is made.
    _command(accepted, launcher, _plan(accepted, whole))
    if command is None:
        plan = _plan(accepted, whole)
        code, _ = invoke(_invocation(accepted, launcher, whole, plan))
    else:
        plan, code = _in_two(accepted, launcher, whole, command)
    if last or code or not plan.writes:
        return code
    try:
        clean_plan(plan)
    except OSError as error:  # a run has been made: this is no refusal
        where = error.filename or plan.folder
        note(f"failed: {where}: {error.strerror}; there is no room for the next run")
        return FAILED
    return 0


def _in_two(
    accepted: Accepted, launcher: Launcher, whole: Configuration, command: Sequence[str]
) -> tuple[Plan, int]:
    """Write, hand over, read: two invocations as they would be made one after the other."""
    if not whole.writes or not whole.reads:
        raise CannotStart(
            f"{HAND_OVER} stands between writing and reading: a run that does one of them has no use for it."
        )
    half = whole.with_counts(whole.writes, 0)
    plan = _plan(accepted, half)
    code, ended = invoke(_invocation(accepted, launcher, half, plan))
    if code or ended is None:
        return plan, code
    note(f"handing over: {shlex.join(command)}")
    done = call(command, time_limit(accepted))
    note(f"handed over in {done.seconds:.2f} s")
    half = whole.with_counts(0, whole.reads)
    reads = replace(plan, writes=0, reads=whole.reads, sources=tuple(plan.kept_numbers), placed=True)
    read = _invocation(accepted, launcher, half, reads)
    try:
        code, _ = invoke(replace(read, write_end=ended, hand_over=done))
    except CannotStart as error:  # half of the run is made: this is a failure of the other half
        note(f"failed: what was written could not be read: {error}")
        return plan, FAILED
    return plan, code


def _invocation(
    accepted: Accepted, launcher: Launcher, configuration: Configuration, plan: Plan
) -> Invocation:
    return Invocation(
        accepted=accepted,
        configuration=configuration,
        plan=plan,
        workload=_workload_folder(accepted, configuration),
        results=Path(str(accepted.value(RESULTS))).absolute(),
        local=_local(accepted, launcher, plan),
        launcher=launcher.version,
        command=partial(_command, accepted, launcher),
    )


def _keep(accepted: Accepted) -> int:
    return int(accepted.options.get(KEEP) or 0)


def _check_keep(accepted: Accepted, configuration: Configuration) -> None:
    """A run of the strictest division reads each checkpoint that it wrote: none of them may make room."""
    keep, needed = _keep(accepted), max(configuration.writes, configuration.reads)
    if keep and _strictest(accepted) and keep < needed:
        division, others = accepted.request.division, " or ".join(sorted(accepted.scale.judged_lesser))
        raise CannotStart(
            f"{KEEP} {keep} leaves {keep} of the {needed} different checkpoints that a {division} run reads: "
            f"leave it out, or run it as {others}."
        )


def _strictest(accepted: Accepted) -> bool:
    return accepted.request.division not in accepted.scale.lesser


def _configuration(accepted: Accepted) -> Configuration:
    plan = planned(accepted.ruleset, accepted.gated.known.leaf)
    if plan is None or plan[1] < 1:
        raise CannotStart("There is nothing to run: the model has no layout, or there are no ranks.")
    return configure(accepted, *plan)


def _plan(accepted: Accepted, configuration: Configuration) -> Plan:
    plan = Plan(
        model=configuration.model_name,
        layout=configuration.layout,
        ranks=configuration.ranks,
        folder=configuration.folder if _by_objects(accepted) else str(Path(configuration.folder).absolute()),
        writes=configuration.writes,
        reads=configuration.reads,
        interval=configuration.interval,
        engine=_engine(accepted),
        scale=str(accepted.options.get("--scale") or 1),
        keep=_keep(accepted),
        clock_skew=float(accepted.options.get("--clock-skew") or CLOCK_SKEW),
    )
    if configuration.writes:
        return replace(plan, sources=tuple(plan.kept_numbers))
    if not plan.keep or plan.engine == NULL:
        return plan
    sources = newest_kept(plan)
    if _strictest(accepted) and len(sources) < configuration.reads:
        raise CannotStart(
            f"{KEEP} {plan.keep}: {plan.folder} holds {len(sources)} of the {configuration.reads} different "
            f"checkpoints that a {accepted.request.division} run reads."
        )
    return replace(plan, sources=sources)


def _engine(accepted: Accepted) -> str:
    named, direct = accepted.options.get("--io-engine"), bool(accepted.options.get("--o-direct"))
    if direct and named not in (None, DIRECT):
        raise CannotStart(f"--o-direct and --io-engine {named} contradict each other: leave one out.")
    if named == NULL and not accepted.advised:
        advice = " or ".join(sorted(accepted.scale.advice)) or "no division"
        raise CannotStart(f"--io-engine {NULL} writes nothing: it is for {advice} only.")
    if _by_objects(accepted):
        if named not in (None, NULL):
            raise CannotStart(f"--io-engine {named} is for files: an object store has one way in.")
        return str(named or OBJECTS)
    return DIRECT if direct else str(named or DEFAULT)


def _by_objects(accepted: Accepted) -> bool:
    return accepted.request.access == "object"


def _workload_folder(accepted: Accepted, configuration: Configuration) -> Path:
    """The folder of the submission's tree that the run's leaf goes to."""
    names = {}
    for flag, advised in (("--orgname", "local"), ("--systemname", socket.gethostname().partition(".")[0])):
        name = accepted.options.get(flag)
        if not name and not accepted.advised:
            raise CannotStart(f"{flag} is missing: it names a folder of the submission.")
        names[flag] = str(name or advised)
        if not NAME.fullmatch(names[flag]) or set(names[flag]) == {"."}:
            raise CannotStart(
                f"{flag} {names[flag]!r} names a folder: letters, digits, dots, dashes and underscores only."
            )
    request = accepted.request
    root = Path(str(accepted.value(RESULTS))).absolute() / request.division / names["--orgname"] / "results"
    return root / names["--systemname"] / request.family / configuration.model_name


def _command(accepted: Accepted, launcher: Launcher, plan: Plan) -> list[str]:
    options = accepted.options
    rank = [sys.executable, "-m", "mpi4py", "-m", "bench", f"{plan.leaf}/{FILE}"]
    return launcher.command(
        rank,
        plan.ranks,
        _hosts(accepted, plan.ranks),
        oversubscribe=bool(options.get("--oversubscribe")),
        as_root=bool(options.get("--allow-run-as-root")),
        ppn=_ppn(accepted),
        env=parse_variables(options.get(ENV) or ()),
        more=_site_words(str(options.get(PARAMS) or "")),
    )


def _local(accepted: Accepted, launcher: Launcher, plan: Plan) -> int:
    """How many ranks are started on this host, as far as it is known here; ranks look again on every host."""
    here = {socket.gethostname(), socket.gethostname().partition(".")[0], "localhost", "127.0.0.1"}
    placed = _hosts(accepted, plan.ranks)
    if placed:
        return sum(one.ranks for one in placed if one.host in here)
    if launcher.kind == "slurm" or any(name in os.environ for name in ALLOCATIONS):
        return 0  # where ranks go is the scheduler's to say
    return min(plan.ranks, _ppn(accepted) or plan.ranks)


def _ppn(accepted: Accepted) -> int | None:
    ppn = accepted.options.get(PPN)
    return None if ppn is None else int(ppn)


def _site_words(text: str) -> list[str]:
    try:
        found = shlex.split(text)
    except ValueError as error:
        raise CannotStart(f"{PARAMS} {text!r}: a quote is not closed.") from error
    refuse_secrets(PARAMS, found)
    return found


def _hosts(accepted: Accepted, ranks: int) -> list[HostRanks]:
    """The hosts that were named, each with its ranks; none is this machine."""
    flag = flag_of(accepted.ruleset, HOSTS)
    texts: tuple[Any, ...] = accepted.request.texts.get(flag, ())
    if not texts:
        return []
    counts, ppn = placement(accepted.ruleset, accepted.request, ranks), _ppn(accepted)
    if ppn is not None and max(counts) > ppn:
        raise CannotStart(
            f"{PPN} {ppn}: {ranks} ranks on {len(counts)} host{'' if len(counts) == 1 else 's'} are up to "
            f"{max(counts)} on one; name more {flag}, or give {PPN} {max(counts)}."
        )
    return [HostRanks(host, count) for host, count in zip(host_lists.names(texts), counts, strict=True)]
