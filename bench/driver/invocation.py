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

from bench.driver.hand_over import LOG, HandedOver
from bench.driver.in_use import InUse, held
from bench.driver.preflight import prepare
from bench.driver.write_read_gap import judge
from bench.process.ending import leftovers, tell_figures
from bench.process.follow import follow
from bench.process.outcome import FAILED, INTERRUPTED, OUT_OF_TIME, REFUSED, outcome
from bench.progress.aggregate import Tally
from bench.progress.progress import Display, display
from bench.progress.terminal import note, tell
from bench.rank import clock
from bench.record.leaf import Leaf
from bench.record.record import Ended, Started, configuration_files, metadata, metadata_name
from bench.record.results import PENDING, SUMMARY
from bench.report.summary_text import result_text, wrapped
from bench.storage.separation import FILE as SEPARATION
from bench.workload.configuration import Configuration
from bench.workload.existing_checkpoints import newest
from bench.workload.plan import FILE, Plan
from engine.launch.accepted import Accepted, CannotStart

RESULTS = "--results-dir"

Ending = tuple[int, datetime | None]
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
    written: datetime | None = None
    handed: HandedOver | None = None


def invoke(one: Invocation) -> Ending:
    """Make the invocation. Raises CannotStart while nothing has been written."""
    plan, at = one.plan, clock.now()
    failed = one.handed is not None and one.handed.failure is not None
    separation = None if failed else prepare(plan, one.results, one.local, written=one.written is not None)
    leaf = None
    try:
        leaf = Leaf(one.workload, at)
        # The name that stays, so that what is recorded can be started again; ranks find the folder before it
        # has that name.
        plan = replace(plan, leaf=str(leaf.finished))
        command = one.command(plan)
        started = Started(
            accepted=one.accepted,
            configuration=one.configuration,
            stamp=leaf.stamp,
            leaf=leaf.finished,
            command=shlex.join(command),
            launcher=one.launcher,
            at=at,
            hand_over=_handed_over(one, at),
        )
        leaf.write(FILE, plan.as_json())
        for name, content in configuration_files(started).items():
            leaf.write(name, content)
        if separation is not None:
            leaf.write_json(SEPARATION, separation)
        if one.handed is not None:
            leaf.write(LOG, one.handed.output)
        _write_metadata(leaf, started, None)
    except OSError as error:
        if leaf is not None:
            shutil.rmtree(leaf.folder, ignore_errors=True)
        raise CannotStart(f"{RESULTS}: {error.filename or one.results}: {error.strerror}.") from error
    if one.handed is not None and one.handed.failure is not None:
        return _not_handed_over(one.handed, leaf, started)
    try:
        with ExitStack() as locks:
            locks.enter_context(held(leaf.folder / FILE))
            if plan.in_files:
                locks.enter_context(held(Path(plan.folder), shared=not plan.writes))
            return _run(started, plan, leaf, command)
    except InUse as error:
        shutil.rmtree(leaf.folder, ignore_errors=True)
        raise CannotStart(f"{plan.folder}: {error}; name another folder, or wait for it.") from error


def time_limit(accepted: Accepted) -> float | None:
    """Seconds that an invocation, and a command between two, may take."""
    text = accepted.options.get("--time-limit")
    return None if text is None else float(text)


def _handed_over(one: Invocation, at: datetime) -> dict[str, Any] | None:
    """What lay between writing and a read invocation that begins now; warned about right away."""
    plan = one.plan
    if plan.writes or not plan.in_files:
        return None
    ended, measured = one.written, "end of the write invocation"
    if ended is None:
        time = newest(plan, sorted({plan.reads_from(number) for number in range(1, plan.reads + 1)}))
        if time is None:
            return None
        ended, measured = clock.at(time), "newest file of the write phase"
    gap = judge(one.accepted, (plan.reads, plan.reads), ended, at)
    if one.handed is None or one.handed.failure is None:
        note(f"reading begins {gap.seconds:.1f} s after the {measured}")
        for _, message in gap.findings:
            note("\n".join(wrapped(f"warning: {message}")))
    found: dict[str, Any] = {
        "measured_from": measured,
        "interval_seconds": gap.seconds,
        "findings": [message for _, message in gap.findings],
    }
    if one.handed is not None:
        done = one.handed
        found |= {"command": done.command, "seconds": done.seconds, "exit_status": done.code, "log": LOG}
    return found


def _not_handed_over(handed: HandedOver, leaf: Leaf, started: Started) -> Ending:
    """The read invocation that does not take place leaves why."""
    code = INTERRUPTED if handed.signal is not None else OUT_OF_TIME if handed.out_of_time else FAILED
    _write_metadata(leaf, started, Ended(at=clock.now(), code=code, failure=handed.failure))
    note(f"failed: {handed.failure}; nothing was read\nwhat is left of the run: {leaf.folder}")
    return code, None


def _run(started: Started, plan: Plan, leaf: Leaf, command: Sequence[str]) -> Ending:
    """Start the ranks, follow them to their end, and write down how it went."""
    accepted = started.accepted
    shown = display()
    try:
        tally = Tally(plan, shown, leaf.folder, accepted.request.family)
        tally.log(f"starts: {started.command}")
        try:
            end = follow(command, tally.event, tally.keep, time_limit(accepted))
            code, failure = outcome(end, tally.ranks, tally.last, written=(leaf.folder / PENDING).is_file())
            if failure is not None and code != REFUSED:
                tally.log(f"failed: {failure}")
        finally:
            tally.close()
    except OSError as error:
        raise CannotStart(
            f"{error.filename or command[0]}: {error.strerror}; no rank was started."
        ) from error
    finally:
        shown.close()
    if code == REFUSED:
        shutil.rmtree(leaf.folder, ignore_errors=True)
        raise CannotStart(f"{failure}. Nothing was written.")
    return _ended(started, plan, leaf, shown, tally, code, failure)


def _ended(
    started: Started, plan: Plan, leaf: Leaf, shown: Display, tally: Tally, code: int, failure: str | None
) -> Ending:
    """Complete the record of a run that has ended; only of one that ended well it is a leaf."""
    at, summary = clock.now(), None
    if not code and tally.trouble is not None:
        code, failure = FAILED, f"the run's log could not be written: {tally.trouble.strerror}"
        shown.say(f"failed: {failure}")
    try:
        if not code:
            summary = json.loads((leaf.folder / PENDING).read_text("utf-8"))
        _write_metadata(leaf, started, Ended(at=at, code=code, failure=failure, summary=summary))
        if summary is not None:
            (leaf.folder / PENDING).rename(leaf.folder / SUMMARY)
            place = leaf.finish()
    except OSError as error:
        code, summary = code or FAILED, None
        why = f"{error.filename or leaf.folder}: {error.strerror}: the record is not whole"
        shown.say(f"failed: {why}")
        failure = failure or why
        with suppress(OSError):  # the summary may have its name, and the metadata say that all went well
            (leaf.folder / SUMMARY).rename(leaf.folder / PENDING)
        with suppress(OSError):
            _write_metadata(leaf, started, Ended(at=at, code=code, failure=failure))
    if summary is None:
        _leave(plan, leaf, shown, tally)
        return code, None
    if str(started.accepted.options.get("--format")).lower() != "json":
        tell(result_text(plan, summary, place))
    return 0, at


def _leave(plan: Plan, leaf: Leaf, shown: Display, tally: Tally) -> None:
    """Say what a run leaves that did not end well; figures that found no place are printed."""
    if tally.figures is not None:
        shown.say("the run had these figures before it failed:")
        tell_figures(tally.figures)
    left = leftovers(plan, leaf.folder)
    if left is not None:
        shown.say(left)
    shown.say(f"what is left of the run: {leaf.folder}")


def _write_metadata(leaf: Leaf, started: Started, ended: Ended | None) -> None:
    name = metadata_name(started.accepted.request.family, leaf.stamp)
    leaf.write_json(name, metadata(started, ended))
