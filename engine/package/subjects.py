"""Finds the subjects of a package and reads what is recorded of each.

TREE may be a package, one division, organisation, system, workload or leaf. Leaves are read one by
one; a workload's own facts are read once. What is found is handed on as it is: deriving, joining
and judging are the business of others.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from engine.evidence import Missing
from engine.evidence.coerce import instant, number
from engine.evidence.document_store import DocumentStore, Loaded
from engine.evidence.documents import choose, describe, fill
from engine.evidence.editions import Editions
from engine.evidence.layout import FolderNames, Position, anchor, folder_names
from engine.evidence.sources import NOTHING, Reading, read_facts
from engine.evidence.worked_out import worked_out
from engine.package.depths import Depths
from engine.package.walk import Left, Walk, search
from engine.runtime.origins import EvidenceProblem, Origin
from engine.runtime.roles import PREPARE, SHOW, SIZE, argument_name, commands_that
from engine.runtime.ruleset import Document, RuleSet
from engine.runtime.values import Value
from engine.verdict.category import Scale
from engine.verdict.findings import Skipped

FAILURE = "failure"
"""The field of a run's metadata in which it says why it did not end well."""

STATUS = "exit_status"
"""The field in which it says how its command ended; 0 when it did all that was asked."""

FAILURE_SHOWN = 300
"""Characters of a failure that are told."""


class NothingToValidate(Exception):
    """TREE holds no leaf. The message says what was looked for."""


@dataclass(frozen=True, slots=True)
class RecordedSubject:
    """A leaf or a workload, with what is recorded of it."""

    path: str  # relative to the package's root, with slashes
    scope: str  # leaf, workload
    family: str | None
    reading: Reading
    edition: str | None = None  # as the package declares it
    phase: str | None = None  # the recorded command
    judged: bool = True  # a run of a family that the rule set speaks of
    started: datetime | None = None
    children: tuple[RecordedSubject, ...] = ()  # leaves of a workload, by their start
    whole: bool = True  # TREE holds all of it; of a leaf given as TREE the workload is not in view

    @property
    def runs(self) -> tuple[RecordedSubject, ...]:
        """The run leaves of a workload, by their start."""
        return tuple(child for child in self.children if child.judged)


@dataclass(frozen=True, slots=True)
class Package:
    """Everything that was found below TREE."""

    root: Path
    leaves: tuple[RecordedSubject, ...]
    workloads: tuple[RecordedSubject, ...]
    problems: tuple[EvidenceProblem, ...]  # about the tree itself
    warnings: tuple[EvidenceProblem, ...] = ()  # the same where no run is lost
    notes: tuple[EvidenceProblem, ...] = ()  # the same of runs that are only advised on
    skipped: tuple[Skipped, ...] = ()  # what stands where a subject could stand and is none, by path

    @property
    def subjects(self) -> tuple[RecordedSubject, ...]:
        """Leaves, then workloads, each by path."""
        return self.leaves + self.workloads

    @property
    def edition(self) -> str | None:
        """The edition that all leaves declare; None when they declare none or several."""
        declared = {leaf.edition for leaf in self.leaves}
        return declared.pop() if len(declared) == 1 else None


Progress = Callable[[int], None]


def survey(tree: Path, ruleset: RuleSet, progress: Progress | None = None) -> Package:
    """Reads every leaf and workload below TREE.

    `progress` is called with the number of leaves read so far. Raises NothingToValidate.
    """
    tree = Path(os.path.abspath(tree))  # noqa: PTH100  # resolve() would follow links and lose names
    names = folder_names(ruleset)
    standing = anchor(tree, names)
    found = _leaves(tree, ruleset, Depths(standing))
    surveyor = _Surveyor(ruleset, tree)
    positions = [surveyor.settle(standing.locate(leaf)) for leaf in found.leaves]
    root = positions[0].root
    leaves: list[RecordedSubject] = []
    for count, position in enumerate(positions, start=1):
        leaves.append(surveyor.leaf(position))
        if progress is not None:
            progress(count)
    workloads = surveyor.workloads(zip(positions, leaves, strict=True))
    advice = Scale(ruleset.divisions).advice
    told: dict[str, list[EvidenceProblem]] = defaultdict(list)
    skipped = [*found.left, *map(_unfinished, found.unfinished)]
    for one in (*skipped, *(Left(path, why, "error") for path, why in surveyor.editions.wrong)):
        if one.level is not None:
            advised = _division(root, one.path, names) in advice
            told["note" if advised else one.level].append(_oddity(root, one))
    return Package(
        root,
        tuple(leaves),
        workloads,
        problems=tuple(told["error"]),
        warnings=tuple(told["warning"]),
        notes=tuple(told["note"]),
        skipped=tuple(sorted(Skipped(_shown(root, one.path), one.why) for one in skipped)),
    )


def _leaves(tree: Path, ruleset: RuleSet, depths: Depths) -> Walk:
    if not tree.exists():
        raise NothingToValidate(f"{tree} does not exist, so there is nothing to validate")
    if not tree.is_dir():
        raise NothingToValidate(
            f"{tree} is a file; a package, an organisation's folder or a leaf was expected"
        )
    documents = [document for document in ruleset.documents if _marks_leaf(document)]
    patterns = {
        fill(document.file, {"family": family})
        for document in documents
        for family in ruleset.families.values()
    }
    expected = [document.file for document in ruleset.documents if document.scope == "workload"]
    found = search(tree, sorted(patterns), depths, expected)
    if not found.leaves and found.unfinished:
        others = len(found.unfinished) - 1
        raise NothingToValidate(
            f"{tree} holds nothing to validate: {found.unfinished[0]} {_unfinished(found.unfinished[0]).why}"
            + (f" ({others} more like it)" if others else "")
        )
    if not found.leaves:
        odd = "".join(f"; {one.path.name} {one.why}" for one in found.left[:3])
        raise NothingToValidate(
            f"{tree} holds nothing to validate: no run folder (YYYYMMDD_HHMMSS) and no folder with "
            f"{' or '.join(sorted(patterns)) or 'documents of a run'} was found in it{odd}"
        )
    return found


def _marks_leaf(document: Document) -> bool:
    return document.scope == "leaf" and document.format == "json" and "/" not in document.file


def _unfinished(folder: Path) -> Left:
    """What is to be said of a run that did not end: by its own record, where it could leave one."""
    reasons = []
    for path in sorted(folder.glob("[!.]*_metadata.json")):
        try:
            held = json.loads(path.read_text("utf-8-sig"))
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(held, dict) and isinstance(held.get(FAILURE), str):
            reasons.append(" ".join(held[FAILURE].split()))
    why = reasons[0] if reasons else "it is still under way, or was ended before it could say why"
    return Left(folder, f"is a run that did not finish and counts for nothing: {why}", "error")


def _ended(held: Mapping[str, object]) -> Iterable[tuple[str, Value, str]]:
    """The field by which a run did not end well or nobody can tell: its name, its value, what it says."""
    status, failure = held.get(STATUS), held.get(FAILURE)
    code = number(status)
    if status is not None and code is None:
        yield STATUS, describe(status), f"{STATUS} is {describe(status)}, which is no exit code"
    elif code:
        yield STATUS, code, f"{STATUS} is {describe(code)}"
    elif failure is not None and failure != "":
        told = " ".join(failure.split())[:FAILURE_SHOWN] if isinstance(failure, str) else describe(failure)
        yield FAILURE, told, f"{FAILURE} says: {told}"


def _by_start(leaves: list[RecordedSubject]) -> list[RecordedSubject]:
    """Leaves by their start; where only some of them say their zone, by the names of their folders."""
    zones = {leaf.started.tzinfo is not None for leaf in leaves if leaf.started is not None}
    if len(zones) > 1:
        return sorted(leaves, key=lambda leaf: leaf.path)
    last = datetime.max.replace(tzinfo=UTC if zones == {True} else None)
    return sorted(leaves, key=lambda leaf: (leaf.started or last, leaf.path))


def _division(root: Path, path: Path, names: FolderNames) -> str | None:
    """The division in whose folder a path lies."""
    first = path.relative_to(root).parts[:1] if path.is_relative_to(root) else ()
    return next((names.division(name) for name in first), None)


def _shown(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _oddity(root: Path, one: Left) -> EvidenceProblem:
    shown = _shown(root, one.path)
    return EvidenceProblem("tree", (), f"{shown} {one.why}", (Origin("tree", shown, ""),))


class _Surveyor:
    """Reads subjects of one package under one rule set."""

    def __init__(self, ruleset: RuleSet, tree: Path) -> None:
        self.ruleset = ruleset
        self.tree = tree
        self.editions = Editions(ruleset.editions)
        self.documents = {document.name: document for document in ruleset.documents}
        self.families = frozenset(ruleset.families.values())
        self.shared: dict[Path, Loaded] = {}
        self.command = argument_name(ruleset, "command")
        self.prepares = commands_that(ruleset, SIZE, SHOW, PREPARE)
        self.starts = tuple(
            spec.name
            for spec in ruleset.facts
            if spec.type == "time" and any("start" in s.path[-1] for s in spec.package if s.path)
        )

    def settle(self, position: Position) -> Position:
        """The position with its family by the names of its documents, where the tree does not say it."""
        if position.family is not None:
            return position
        for document in self.documents.values():
            for family in sorted(self.families):
                if _marks_leaf(document) and "{family}" in document.file:
                    pattern = fill(document.file, {"family": family, "timestamp": None})
                    if not isinstance(choose(position.folder, pattern), Missing):
                        return replace(position, family=family)
        return position

    def leaf(self, position: Position) -> RecordedSubject:
        """One leaf. Of a family that the rule set does not speak of, nothing is read."""
        store = self._store("leaf", position)
        known = position.family in self.families
        reading = read_facts(self.ruleset.facts, store) if known else NOTHING
        if known:
            reading = replace(reading, facts={**reading.facts, **worked_out(self.ruleset, reading.facts)})
        reading = replace(reading, problems=(*reading.problems, *self._failed(store))) if known else reading
        command = reading.facts.get(self.command)
        phase = command if isinstance(command, str) else None
        return RecordedSubject(
            path=store.place(position.folder),
            scope="leaf",
            family=position.family,
            reading=reading,
            edition=self.editions.of(position),
            phase=phase,
            judged=known and (phase or position.phase) not in self.prepares,
            started=self._started(position, reading),
        )

    def _failed(self, store: DocumentStore) -> Iterable[EvidenceProblem]:
        """That a leaf with the name of a finished run records that it failed."""
        for document in filter(_marks_leaf, self.documents.values()):
            loaded = store.load(document)
            for field, value, told in _ended(loaded.content if isinstance(loaded.content, dict) else {}):
                place = Origin(field, loaded.file, field, value)
                message = f"{told}, and the folder is named as that of a run that did all it was asked"
                yield EvidenceProblem(field, (), message, (place,))

    def _started(self, position: Position, reading: Reading) -> datetime | None:
        recorded: Iterable[Value | None] = (reading.facts.get(name) for name in self.starts)
        known = next((value for value in recorded if isinstance(value, datetime)), None)
        return known or instant(position.timestamp)

    def workloads(self, leaves: Iterable[tuple[Position, RecordedSubject]]) -> tuple[RecordedSubject, ...]:
        """The workloads that the leaves belong to, by path, each with its own facts."""
        grouped: dict[Path, list[tuple[Position, RecordedSubject]]] = defaultdict(list)
        for position, leaf in leaves:
            if position.family in self.families:
                grouped[position.workload_folder or position.folder.parent].append((position, leaf))
        return tuple(self._workload(folder, grouped[folder]) for folder in sorted(grouped))

    def _workload(self, folder: Path, members: list[tuple[Position, RecordedSubject]]) -> RecordedSubject:
        first = members[0][0]
        store = self._store("workload", first)
        children = _by_start([leaf for _, leaf in members])
        return RecordedSubject(
            path=store.place(folder),
            scope="workload",
            family=first.family,
            reading=read_facts(self.ruleset.facts, store),
            edition=next((leaf.edition for leaf in children if leaf.edition is not None), None),
            judged=any(leaf.judged for leaf in children),
            children=tuple(children),
            whole=folder.is_relative_to(self.tree),
        )

    def _store(self, scope: str, position: Position) -> DocumentStore:
        names = {
            "division": position.division,
            "organisation": position.organisation,
            "system": position.system,
            "family": position.family,
            "workload": position.workload,
            "timestamp": position.timestamp,
        }
        bases = {
            "leaf": position.folder if scope == "leaf" else None,
            "workload": position.workload_folder,
            "system": position.organisation_folder,
            "organisation": position.organisation_folder,
            "package": position.root,
        }
        return DocumentStore(position.root, scope, self.documents, bases, names, self.shared)
