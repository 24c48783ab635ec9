"""One invocation: checks the machine, starts the ranks, follows them to their end, and keeps the record.

The leaf gets its name only when all that belongs in it is there; whatever ends a run early is said
there and on the terminal.
"""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.driver.environment import OPTION as ENV
from bench.driver.environment import recorded_variables
from bench.driver.existing_checkpoints import newest_time
from bench.driver.hand_over import LOG, HandOver
from bench.driver.in_use import InUse, lock
from bench.driver.leftovers import leftovers_text, print_figures
from bench.driver.preflight import prepare
from bench.driver.write_read_gap import judge
from bench.process.follow import follow
from bench.process.outcome import FAILED, INTERRUPTED, OUT_OF_TIME, REFUSED, outcome
from bench.progress.aggregate import RunMonitor
from bench.progress.progress import Display, make_display
from bench.progress.terminal import note, tell
from bench.rank import clock
from bench.record.leaf import LeafFolder
from bench.record.record import RunEnd, RunStart, configuration_files, metadata, metadata_name
from bench.record.results import PENDING, SUMMARY
from bench.report.summary_text import result_text, wrap_line
from bench.storage.separation import FILE as SEPARATION
from bench.workload.configuration import Configuration
from bench.workload.plan import FILE, Plan
from engine.launch.accepted import Accepted, CannotStart

RESULTS = "--results-dir"

InvocationEnd = tuple[int, datetime | None]
"""The exit code of an invocation, and when it ended if it ended well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One start of the ranks. A read invocation of two has the end of the first, and what lay between."""

    accepted: Accepted
    configuration: Configuration
    plan: Plan
    workload: Path  # the folder that the leaf goes to
    results: Path
    local: int  # ranks that are started on this host
    launcher: str  # as it calls itself
    command: Callable[[Plan], list[str]]
    write_end: datetime | None = None
    hand_over: HandOver | None = None


def invoke(one: Invocation) -> InvocationEnd:
    """Make the invocation. Raises CannotStart while nothing has been written."""
    plan, at = one.plan, clock.now()
    failed = one.hand_over is not None and one.hand_over.failure is not None
    separation = None if failed else prepare(plan, one.results, one.local, written=one.write_end is not None)
    leaf = None
    try:
        leaf = LeafFolder(one.workload, at)
        # The name that stays, so that what is recorded can be started again; ranks find the folder before it
        # has that name.
        plan = replace(plan, leaf=str(leaf.final_folder))
        command = one.command(plan)
        started = RunStart(
            accepted=one.accepted,
            configuration=one.configuration,
            stamp=leaf.stamp,
            leaf=leaf.final_folder,
            command=shlex.join(command),
            launcher=one.launcher,
            environment=recorded_variables(one.accepted.options.get(ENV) or ()),
            at=at,
            hand_over=_record_hand_over(one, at),
        )
        leaf.write(FILE, plan.as_json())
        for name, content in configuration_files(started).items():
            leaf.write(name, content)
        if separation is not None:
            leaf.write_json(SEPARATION, separation)
        if one.hand_over is not None:
            leaf.write(LOG, one.hand_over.output)
        _write_metadata(leaf, started, None)
    except OSError as error:
        if leaf is not None:
            shutil.rmtree(leaf.folder, ignore_errors=True)
        raise CannotStart(f"{RESULTS}: {error.filename or one.results}: {error.strerror}.") from error
    if one.hand_over is not None and one.hand_over.failure is not None:
        return _fail_hand_over(one.hand_over, leaf, started)
    try:
        with ExitStack() as locks:
            locks.enter_context(lock(leaf.folder / FILE))
            if plan.in_files:
                locks.enter_context(lock(Path(plan.folder), shared=not plan.writes))
            return _run(started, plan, leaf, command)
    except InUse as error:
        shutil.rmtree(leaf.folder, ignore_errors=True)
        raise CannotStart(f"{plan.folder}: {error}; name another folder, or wait for it.") from error


def time_limit(accepted: Accepted) -> float | None:
    """Seconds that an invocation, and a command between two, may take."""
    text = accepted.options.get("--time-limit")
    return None if text is None else float(text)


def _record_hand_over(one: Invocation, at: datetime) -> dict[str, Any] | None:
    """What lay between writing and a read invocation that begins now; warned about right away."""
    plan = one.plan
    if plan.writes or not plan.in_files:
        return None
    ended, measured = one.write_end, "end of the write invocation"
    if ended is None:
        time = newest_time(plan, sorted({plan.reads_from(number) for number in range(1, plan.reads + 1)}))
        if time is None:
            return None
        ended, measured = clock.at(time), "newest file of the write phase"
    gap = judge(one.accepted, (plan.reads, plan.reads), ended, at)
    if one.hand_over is None or one.hand_over.failure is None:
        note(f"reading begins {gap.seconds:.1f} s after the {measured}")
        for _, message in gap.findings:
            note("\n".join(wrap_line(f"warning: {message}")))
    found: dict[str, Any] = {
        "measured_from": measured,
        "interval_seconds": gap.seconds,
        "findings": [message for _, message in gap.findings],
    }
    if one.hand_over is not None:
        done = one.hand_over
        found |= {"command": done.command, "seconds": done.seconds, "exit_status": done.code, "log": LOG}
    return found


def _fail_hand_over(hand_over: HandOver, leaf: LeafFolder, started: RunStart) -> InvocationEnd:
    """The read invocation that does not take place leaves why."""
    code = INTERRUPTED if hand_over.signal is not None else OUT_OF_TIME if hand_over.out_of_time else FAILED
    _write_metadata(leaf, started, RunEnd(at=clock.now(), code=code, failure=hand_over.failure))
    note(f"failed: {hand_over.failure}; nothing was read\nwhat is left of the run: {leaf.folder}")
    return code, None


def _run(started: RunStart, plan: Plan, leaf: LeafFolder, command: Sequence[str]) -> InvocationEnd:
    """Start the ranks, follow them to their end, and write down how it went."""
    accepted = started.accepted
    display = make_display()
    try:
        monitor = RunMonitor(plan, display, leaf.folder, accepted.request.family)
        monitor.log(f"starts: {started.command}")
        try:
            end = follow(command, monitor.event, monitor.keep, time_limit(accepted))
            code, failure = outcome(
                end, monitor.ranks, monitor.last, written=(leaf.folder / PENDING).is_file()
            )
            if failure is not None and code != REFUSED:
                monitor.log(f"failed: {failure}")
        finally:
            monitor.close()
    except OSError as error:
        raise CannotStart(
            f"{error.filename or command[0]}: {error.strerror}; no rank was started."
        ) from error
    finally:
        display.close()
    if code == REFUSED:
        shutil.rmtree(leaf.folder, ignore_errors=True)
        raise CannotStart(f"{failure}. Nothing was written.")
    return _complete_record(started, plan, leaf, display, monitor, code, failure)


def _complete_record(
    started: RunStart,
    plan: Plan,
    leaf: LeafFolder,
    display: Display,
    monitor: RunMonitor,
    code: int,
    failure: str | None,
) -> InvocationEnd:
    """Complete the record of a run that has ended; only of one that ended well it is a leaf."""
    at, summary = clock.now(), None
    if not code and monitor.log_error is not None:
        code, failure = FAILED, f"the run's log could not be written: {monitor.log_error.strerror}"
        display.say(f"failed: {failure}")
    try:
        if not code:
            summary = json.loads((leaf.folder / PENDING).read_text("utf-8"))
        _write_metadata(leaf, started, RunEnd(at=at, code=code, failure=failure, summary=summary))
        if summary is not None:
            (leaf.folder / PENDING).rename(leaf.folder / SUMMARY)
            place = leaf.finish()
    except OSError as error:
        code, summary = code or FAILED, None
        why = f"{error.filename or leaf.folder}: {error.strerror}: the record is not whole"
        display.say(f"failed: {why}")
        failure = failure or why
        with suppress(OSError):  # the summary may have its name, and the metadata say that all went well
            (leaf.folder / SUMMARY).rename(leaf.folder / PENDING)
        with suppress(OSError):
            _write_metadata(leaf, started, RunEnd(at=at, code=code, failure=failure))
    if summary is None:
        _report_leftovers(plan, leaf, display, monitor)
        return code, None
    if str(started.accepted.options.get("--format")).lower() != "json":
        tell(result_text(plan, summary, place))
    return 0, at


def _report_leftovers(plan: Plan, leaf: LeafFolder, display: Display, monitor: RunMonitor) -> None:
    """Say what a run leaves that did not end well; figures that found no place are printed."""
    if monitor.figures is not None:
        display.say("the run had these figures before it failed:")
        print_figures(monitor.figures)
    left = leftovers_text(plan, leaf.folder)
    if left is not None:
        display.say(left)
    display.say(f"what is left of the run: {leaf.folder}")


def _write_metadata(leaf: LeafFolder, started: RunStart, ended: RunEnd | None) -> None:
    name = metadata_name(started.accepted.request.family, leaf.stamp)
    leaf.write_json(name, metadata(started, ended))
