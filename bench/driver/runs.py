"""Runs a launch that was checked: in one invocation of the ranks, or in two and what lies between.

`bench.driver.invocation` makes each invocation.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from bench.driver import mpi_command as launchers
from bench.driver.clean import clean_plan
from bench.driver.hand_over import OPTION as HAND_OVER
from bench.driver.hand_over import call, words
from bench.driver.invocation import RESULTS, Invocation, invoke, time_limit
from bench.driver.launch import (
    KEEP,
    by_objects,
    engine_of,
    hosts_of,
    keep,
    layout_of,
    local_ranks,
    ppn_of,
    site_words,
    strictest,
    submission_names,
    variables,
)
from bench.driver.mpi_command import Launcher
from bench.driver.preflight import newest_kept
from bench.process.import_path import SAFE
from bench.process.outcome import FAILED
from bench.progress.terminal import note
from bench.storage.null import Null
from bench.workload.configuration import Configuration, configure
from bench.workload.plan import CLOCK_SKEW, FILE, Plan
from engine.launch.accepted import Accepted, CannotStart


def run_all(accepted: Accepted) -> int:
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
    whole = configure(accepted, *layout_of(accepted))
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
        local=local_ranks(accepted, launcher, plan),
        launcher=launcher.version,
        command=partial(_command, accepted, launcher),
    )


def _plan(accepted: Accepted, configuration: Configuration) -> Plan:
    plan = Plan(
        model=configuration.model_name,
        layout=configuration.layout,
        ranks=configuration.ranks,
        folder=configuration.folder if by_objects(accepted) else str(Path(configuration.folder).absolute()),
        writes=configuration.writes,
        reads=configuration.reads,
        interval=configuration.interval,
        engine=engine_of(accepted),
        scale=str(accepted.options.get("--scale") or 1),
        keep=keep(accepted),
        clock_skew=float(accepted.options.get("--clock-skew") or CLOCK_SKEW),
    )
    if configuration.writes:
        return replace(plan, sources=tuple(plan.kept_numbers))
    if not plan.keep or plan.engine == Null.name:
        return plan
    sources = newest_kept(plan)
    if strictest(accepted) and len(sources) < configuration.reads:
        raise CannotStart(
            f"{KEEP} {plan.keep}: {plan.folder} holds {len(sources)} of the {configuration.reads} different "
            f"checkpoints that a {accepted.request.division} run reads."
        )
    return replace(plan, sources=sources)


def _workload_folder(accepted: Accepted, configuration: Configuration) -> Path:
    """The folder of the submission's tree that the run's leaf goes to."""
    (organisation, system), request = submission_names(accepted), accepted.request
    root = Path(str(accepted.value(RESULTS))).absolute() / request.division / organisation / "results"
    return root / system / request.family / configuration.model_name


def _command(accepted: Accepted, launcher: Launcher, plan: Plan) -> list[str]:
    options = accepted.options
    rank = [sys.executable, SAFE, "-m", "mpi4py", "-m", "bench", f"{plan.leaf}/{FILE}"]
    return launcher.command(
        rank,
        plan.ranks,
        hosts_of(accepted, plan.ranks),
        oversubscribe=bool(options.get("--oversubscribe")),
        as_root=bool(options.get("--allow-run-as-root")),
        ppn=ppn_of(accepted),
        env=variables(accepted),
        more=site_words(accepted),
    )
