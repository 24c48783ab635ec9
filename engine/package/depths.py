"""How deep a folder of a tree stands: what could stand there, an organisation, a system, a family, a leaf.

Levels count from the folder of results. None is a folder of which the tree does not say what it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from engine.evidence.layout import RESULTS, TIMESTAMP, Anchor, folded
from engine.package.entries import is_folder

DIVISION, ORGANISATION, HOLDER, SYSTEM, FAMILY = -2, -1, 0, 1, 2
"""Levels; HOLDER is that of `results` and of what stands beside it. Workloads and leaves are below FAMILY."""


@dataclass(frozen=True, slots=True)
class Depths:
    """The levels of the folders below a TREE that was anchored."""

    anchor: Anchor

    @property
    def root(self) -> Path:
        """The package, as far as the path to TREE says where it begins."""
        at, tree = self.anchor.results, self.anchor.tree
        return tree if at is None else Path(*tree.parts[: max(1, at + DIVISION)])

    def of_tree(self) -> int | None:
        """The level of TREE itself."""
        at = self.anchor.results
        return None if at is None else len(self.anchor.tree.parts) - 1 - at

    def settled(self, place: Path, level: int | None, entries: Iterable[Path]) -> int | None:
        """The level of a folder, once its name and what it holds are known as well."""
        if level == DIVISION and self._division(place.name) is None and place != self.anchor.tree:
            beside = (self._division(name.name) for name in place.parent.iterdir())
            level = None if any(beside) else level
        if level == HOLDER and place.name.casefold() != RESULTS and place != self.anchor.tree:
            level = None
        if level is not None:
            return level
        entries = tuple(entries)
        if self._division(place.name) is not None and any(_holds_results(entry) for entry in entries):
            return DIVISION
        families = self.anchor.names.families
        return SYSTEM if any(folded(entry.name) in families for entry in entries) else None

    def expects(self, place: Path, level: int | None, entries: Iterable[Path]) -> bool:
        """Whether a folder is a part of a package, whatever files it holds beside."""
        name = place.name
        if level is None:
            return any(self._division(e.name) or e.name.casefold() == RESULTS for e in entries)
        if level == DIVISION:
            return self._division(name) is not None
        if level == HOLDER:
            return name.casefold() == RESULTS
        if level == FAMILY:
            return folded(name) in self.anchor.names.families
        return level in (ORGANISATION, SYSTEM) or any(TIMESTAMP.fullmatch(e.name) for e in entries)

    def _division(self, name: str) -> str | None:
        return self.anchor.names.division(name)


def could_be_subject(level: int | None) -> bool:
    """Whether an organisation, a system, a family, a workload or a leaf could stand at this level."""
    return level is not None and (level == ORGANISATION or level >= SYSTEM)


def could_hold_subjects(level: int | None) -> bool:
    """Whether what is unpacked at this level could be or hold one of these."""
    return level is not None and level >= DIVISION


def _holds_results(place: Path) -> bool:
    try:
        return is_folder(place) and any(entry.name.casefold() == RESULTS for entry in place.iterdir())
    except OSError:
        return False
