"""Where in a package a folder stands: division, organisation, system, family, workload.

A submission is `<package>/<division>/<organisation>/results/<system>/<family>/<workload>/...`.
A reviewer may hand over the package or any folder below it, so a position is worked out from the
absolute path: what stands above the folder that was handed over counts as much as what is below.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from engine.runtime.roles import argument_of
from engine.runtime.ruleset import RuleSet

RESULTS = "results"
SYSTEMS = "systems"
DEEPEST = 4
"""Steps between a system and its leaves at most: family, engine, workload, phase."""

TIMESTAMP = re.compile(r"\d{8}_\d{6}", re.ASCII)

UNFINISHED = ".unfinished"
"""What follows the timestamp of a run that has not ended, or not ended well."""

IS_UNFINISHED = re.compile(rf"{TIMESTAMP.pattern}{re.escape(UNFINISHED)}", re.ASCII)

_NOT_WALKED = re.compile(r"\..*|code-images|code-[0-9a-f]+|systems", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Position:
    """What the tree says of one leaf. Names are as found, except the family's."""

    folder: Path
    root: Path  # what paths in findings are relative to
    division: str | None = None
    organisation: str | None = None
    system: str | None = None
    family: str | None = None  # in the rule set's spelling where it has it
    workload: str | None = None
    phase: str | None = None  # a command of a family, where the tree has a folder of that name
    organisation_folder: Path | None = None
    workload_folder: Path | None = None

    @property
    def timestamp(self) -> str | None:
        """The leaf's folder name when it is a timestamp."""
        return self.folder.name if TIMESTAMP.fullmatch(self.folder.name) else None


def folded(name: str) -> str:
    """A folder name without what spellings differ in: `kvcache` is `kv_cache`."""
    return re.sub(r"[-_ ]", "", name).casefold()


def is_walked(name: str) -> bool:
    """Whether a folder of this name can hold leaves."""
    return not _NOT_WALKED.fullmatch(name)


@dataclass(frozen=True, slots=True)
class FolderNames:
    """The folders of a package that a rule set gives a meaning, their names folded."""

    divisions: Mapping[str, str]  # any spelling -> the division
    families: Mapping[str, str]  # any spelling -> the family
    phases: Mapping[str, str]  # any spelling -> the command

    def division(self, name: str) -> str | None:
        """The division that a folder is of, in any spelling."""
        return self.divisions.get(folded(name))


def folder_names(ruleset: RuleSet) -> FolderNames:
    """The names of a rule set: its divisions, their aliases as the fact that holds them says, and so on."""
    spec = argument_of(ruleset, "division")
    aliases = spec.members if spec is not None and spec.members else {}
    return FolderNames(
        {folded(n): d.name for d in ruleset.divisions for n in (d.name, *aliases.get(d.name, ()))},
        {folded(family): family for family in ruleset.families.values()},
        {folded(command): command for known in ruleset.commands.values() for command in known},
    )


@dataclass(frozen=True, slots=True)
class Anchor:
    """How a leaf's absolute path is to be read below the folder that was handed over.

    `results` is the index of the `results` step in the path, when TREE's shape gives it away.
    """

    tree: Path
    names: FolderNames
    results: int | None

    def locate(self, leaf: Path) -> Position:
        """The position of a leaf."""
        parts = leaf.parts
        at = self.results
        if at is None or at >= len(parts) - 1 or parts[at].casefold() != RESULTS:
            at = _results_step(parts[:-1], self.names)
        if at is not None:
            return self._in_results(leaf, at)
        step = _family_step(parts[:-1], self.names)
        if step is not None:
            return self._below_family(leaf, step, self._strayed(leaf, _upto(parts, max(1, step - 1))))
        return self._strayed(
            leaf, self.tree.parent if leaf.parent != self.tree.parent else leaf.parent.parent
        )

    def _strayed(self, leaf: Path, root: Path) -> Position:
        """A leaf that no `results` folder holds: only its division may still be plain to see."""
        first = leaf.parts[len(self.tree.parts)] if leaf != self.tree else ""
        if self.names.division(first) is not None:
            return Position(leaf, root=self.tree, division=first, workload_folder=leaf.parent)
        return Position(leaf, root=root, workload_folder=leaf.parent)

    def _in_results(self, leaf: Path, at: int) -> Position:
        parts = leaf.parts
        inner = parts[at + 1 : -1]
        place = Position(
            leaf,
            root=_upto(parts, max(1, at - 2)),
            division=parts[at - 2] if at > 2 else None,
            organisation=parts[at - 1] if at > 1 else None,
            organisation_folder=_upto(parts, at),
            system=inner[0] if inner else None,
            workload_folder=leaf.parent,
        )
        return self._below_family(leaf, at + 2, place) if len(inner) > 1 else place

    def _below_family(self, leaf: Path, step: int, place: Position) -> Position:
        parts = leaf.parts
        inside = list(parts[step + 1 : -1])
        phase = self.names.phases.get(folded(inside[-1])) if inside else None
        inside = inside if phase is None else inside[:-1]
        return replace(
            place,
            system=place.system or (parts[step - 1] if step > 1 else None),
            family=self.names.families.get(folded(parts[step]), parts[step]),
            workload=inside[-1] if inside else None,
            phase=phase,
            workload_folder=_upto(parts, step + 1 + len(inside)),
        )


def anchor(tree: Path, names: FolderNames) -> Anchor:
    """Works out what kind of folder was handed over, from its own and its subfolders' names."""
    depth = len(tree.parts)
    if any(names.division(child.name) for child in folders(tree)):
        return Anchor(tree, names, depth + 2)  # a package
    if _child(tree, RESULTS):
        return Anchor(tree, names, depth)  # one organisation
    above = _results_step(tree.parts, names)
    if above is not None:
        return Anchor(tree, names, above)
    if any(_child(child, RESULTS) for child in folders(tree, every=names.division(tree.name) is not None)):
        return Anchor(tree, names, depth + 1)  # one division
    if any(_child(inner, RESULTS) for child in folders(tree) for inner in folders(child)):
        return Anchor(tree, names, depth + 2)  # a package whose divisions have other names
    return Anchor(tree, names, None)


def folders(place: Path, *, every: bool = False) -> list[Path]:
    """The subfolders that can hold leaves, by name, or all; none where the folder cannot be listed."""
    try:
        return sorted(
            child for child in place.iterdir() if (every or is_walked(child.name)) and child.is_dir()
        )
    except OSError:
        return []


def _child(place: Path, name: str) -> bool:
    return any(child.name.casefold() == name for child in folders(place))


def _results_step(parts: tuple[str, ...], names: FolderNames) -> int | None:
    """The last `results` step that stands where a submission has it.

    Many a home folder holds a `results`; one counts when a division stands two steps above it, or
    when a known family stands two steps below.
    """
    for at in range(len(parts) - 1, 1, -1):
        if parts[at].casefold() == RESULTS:
            below = parts[at + 2] if at + 2 < len(parts) else ""
            if names.division(parts[at - 2]) or folded(below) in names.families:
                return at
    return None


def _family_step(parts: tuple[str, ...], names: FolderNames) -> int | None:
    """The step above a leaf that names a family; farther up it would name something else."""
    lowest = max(1, len(parts) - DEEPEST)
    return next(
        (at for at in range(len(parts) - 1, lowest - 1, -1) if folded(parts[at]) in names.families), None
    )


def _upto(parts: tuple[str, ...], count: int) -> Path:
    return Path(*parts[:count])
