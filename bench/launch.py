"""Runs an accepted launch: checks the machine, starts the ranks, follows them, and keeps the record.

This is what `clausegate ... checkpointing run` does after the gate. The leaf gets its name only
when all that belongs in it is there; whatever ends a run early is said there and on the terminal.
"""

from __future__ import annotations

import json
import re
import shlex
import socket
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from bench import launcher as launchers
from bench.configuration import Configuration, configure
from bench.environment import OPTION as ENV
from bench.environment import handed
from bench.follow import follow
from bench.launcher import Launcher, Placed
from bench.leaf import Leaf
from bench.outcome import outcome
from bench.plan import FILE, Plan
from bench.preflight import prepare
from bench.progress import display
from bench.record import Ended, Started, configuration_files, metadata, metadata_name
from bench.results import PENDING, SUMMARY
from bench.separation import FILE as SEPARATION
from bench.tally import Tally
from bench.told import result_text
from engine.category import ADVICE
from engine.launch import hosts as host_lists
from engine.launch.accepted import Accepted, CannotStart
from engine.launch.facts import planned
from engine.launch.request import declared
from engine.launch.sizes import HOSTS, placement

RESULTS = "--results-dir"

PPN, PARAMS = "--ppn", "--mpi-params"

NAME = re.compile(r"[A-Za-z0-9._-]+")
"""What a folder of a submission may be called."""

DEFAULT, DIRECT, NULL = "rolling", "direct", "null"
"""Engines: the one when none is named, the one of --o-direct, and the one that writes nothing."""


def run(accepted: Accepted) -> int:
    """Run as often as asked for; the exit code. Raises CannotStart while nothing has been written."""
    for _ in range(int(accepted.options.get("--loops") or 1)):
        code = _once(accepted)
        if code:
            return code
    return 0


def _once(accepted: Accepted) -> int:
    if accepted.request.access != "file":
        raise CannotStart("This workload reaches storage as files only: name 'file' as the access.")
    launcher = launchers.find(str(accepted.options.get("--mpi-bin")))
    configuration = _configuration(accepted)
    workload = _workload_folder(accepted, configuration)
    plan = _plan(accepted, configuration)
    _command(accepted, launcher, plan)  # what is wrong with it is said before any folder is made
    separation = prepare(plan, Path(str(accepted.value(RESULTS))).absolute())
    at = datetime.now()
    try:
        leaf = Leaf(workload, at)
        plan = replace(plan, leaf=str(leaf.folder))
        command = _command(accepted, launcher, plan)
        started = Started(
            accepted=accepted,
            configuration=configuration,
            stamp=leaf.stamp,
            leaf=leaf.finished,
            command=shlex.join(command),
            launcher=launcher.version,
            at=at,
        )
        leaf.write(FILE, plan.as_json())
        for name, content in configuration_files(started).items():
            leaf.write(name, content)
        if separation is not None:
            leaf.write_json(SEPARATION, separation)
        _write_metadata(leaf, started, None)
        return _run(started, plan, leaf, command)
    except OSError as error:
        raise CannotStart(f"{RESULTS}: {error.filename}: {error.strerror}.") from error


def _run(started: Started, plan: Plan, leaf: Leaf, command: Sequence[str]) -> int:
    """Start the ranks, follow them to their end, and write down how it went."""
    options = started.accepted.options
    limit = options.get("--time-limit")
    shown = display()
    tally = Tally(plan, shown, leaf.folder, started.accepted.request.family)
    tally.log(f"starts: {started.command}")
    try:
        end = follow(command, tally.event, tally.keep, None if limit is None else float(limit))
        code, failure = outcome(end, tally.ranks, tally.last, written=(leaf.folder / PENDING).is_file())
        if failure is not None:
            tally.log(f"failed: {failure}")
    finally:
        tally.close()
        shown.close()
    summary = json.loads((leaf.folder / PENDING).read_text("utf-8")) if not code else None
    at = datetime.now()
    _write_metadata(leaf, started, Ended(at=at, code=code, failure=failure, summary=summary))
    if summary is None:
        shown.say(f"what is left of the run: {leaf.folder}")
        return code
    (leaf.folder / PENDING).rename(leaf.folder / SUMMARY)
    place = leaf.finish()
    if str(options.get("--format")).lower() != "json":
        sys.stdout.write(result_text(plan, summary, place) + "\n")
    return 0


def _write_metadata(leaf: Leaf, started: Started, ended: Ended | None) -> None:
    name = metadata_name(started.accepted.request.family, leaf.stamp)
    leaf.write_json(name, metadata(started, ended))


def _configuration(accepted: Accepted) -> Configuration:
    plan = planned(accepted.ruleset, accepted.gated.known.leaf)
    if plan is None or plan[1] < 1:
        raise CannotStart("There is nothing to run: the model has no layout, or there are no ranks.")
    return configure(accepted, *plan)


def _plan(accepted: Accepted, held: Configuration) -> Plan:
    return Plan(
        model=held.recorded,
        layout=held.layout,
        ranks=held.ranks,
        folder=str(Path(held.folder).absolute()),
        leaf="",
        writes=held.writes,
        reads=held.reads,
        interval=held.interval,
        engine=_engine(accepted),
        scale=str(accepted.options.get("--scale") or 1),
    )


def _engine(accepted: Accepted) -> str:
    named, direct = accepted.options.get("--io-engine"), bool(accepted.options.get("--o-direct"))
    if direct and named not in (None, DIRECT):
        raise CannotStart(f"--o-direct and --io-engine {named} contradict each other: leave one out.")
    if named == NULL and accepted.request.division != ADVICE:
        raise CannotStart(f"--io-engine {NULL} writes nothing: it is for {ADVICE} only.")
    return DIRECT if direct else str(named or DEFAULT)


def _workload_folder(accepted: Accepted, held: Configuration) -> Path:
    """The folder of the submission's tree that the run's leaf goes to."""
    names = {}
    for flag, advised in (("--orgname", "local"), ("--systemname", socket.gethostname().partition(".")[0])):
        name = accepted.options.get(flag)
        if not name and accepted.request.division != ADVICE:
            raise CannotStart(f"{flag} is missing: it names a folder of the submission.")
        names[flag] = str(name or advised)
        if not NAME.fullmatch(names[flag]) or set(names[flag]) == {"."}:
            raise CannotStart(
                f"{flag} {names[flag]!r} names a folder: letters, digits, dots, dashes and underscores only."
            )
    request = accepted.request
    root = Path(str(accepted.value(RESULTS))).absolute() / request.division / names["--orgname"] / "results"
    return root / names["--systemname"] / request.family / held.recorded


def _command(accepted: Accepted, launcher: Launcher, plan: Plan) -> list[str]:
    options = accepted.options
    rank = [sys.executable, "-m", "mpi4py", "-m", "bench", f"{plan.leaf}/{FILE}"]
    return launcher.command(
        rank,
        plan.ranks,
        _placed(accepted, plan.ranks),
        oversubscribe=bool(options.get("--oversubscribe")),
        as_root=bool(options.get("--allow-run-as-root")),
        ppn=_ppn(accepted),
        env=handed(options.get(ENV) or ()),
        more=_site_words(str(options.get(PARAMS) or "")),
    )


def _ppn(accepted: Accepted) -> int | None:
    ppn = accepted.options.get(PPN)
    return None if ppn is None else int(ppn)


def _site_words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise CannotStart(f"{PARAMS} {text!r}: a quote is not closed.") from error


def _placed(accepted: Accepted, ranks: int) -> list[Placed]:
    """The hosts that were named, each with its ranks; none is this machine."""
    option = declared(accepted.ruleset).get(HOSTS)
    texts: tuple[Any, ...] = accepted.request.texts.get(HOSTS, ()) if option is not None else ()
    if not texts:
        return []
    counts, ppn = placement(accepted.ruleset, accepted.request, ranks), _ppn(accepted)
    if ppn is not None and max(counts) > ppn:
        raise CannotStart(
            f"{PPN} {ppn}: {ranks} ranks on {len(counts)} host{'' if len(counts) == 1 else 's'} are up to "
            f"{max(counts)} on one; name more {HOSTS}, or give {PPN} {max(counts)}."
        )
    return [Placed(host, count) for host, count in zip(host_lists.names(texts), counts, strict=True)]
