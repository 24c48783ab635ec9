"""Finds the leaves below a folder, however the tree is shaped, linked or nested.

A leaf is a folder named by a timestamp, or one that holds a run's own documents. None is lost: what
looks like a leaf and is none, a run that did not end, and what cannot be listed, comes back as a
sentence about a path.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from engine.evidence.layout import IS_UNFINISHED, TIMESTAMP, is_walked

DEPTH_LIMIT = 64
"""Levels below the folder handed over. Real trees have been seen with 50."""

SOURCE_TREE = frozenset({".code-hash.json", ".git", "pyproject.toml", "setup.py"})
"""What a copy of a program's code holds. Its tests hold leaves that are no runs."""


@dataclass(slots=True)
class Walk:
    """One search. `leaves` in the order of their paths; `oddities` are (path, what is wrong)."""

    tree: Path
    patterns: tuple[str, ...]  # names of the documents that make a folder a leaf
    leaves: list[Path] = field(default_factory=list)
    oddities: list[tuple[Path, str]] = field(default_factory=list)
    unfinished: list[Path] = field(default_factory=list)  # runs that did not end; their documents are no leaf

    def run(self) -> None:
        """Searches the tree. The folder handed over is a leaf too when it looks like one."""
        if TIMESTAMP.fullmatch(self.tree.name):
            self.leaves.append(self.tree)
        elif IS_UNFINISHED.fullmatch(self.tree.name):
            self.unfinished.append(self.tree)
        else:
            self._search(self.tree, 0, linked=False)
        self.leaves.sort()

    def _search(self, place: Path, depth: int, linked: bool) -> bool:
        """Whether a leaf was found at or below the place."""
        try:
            entries = sorted(place.iterdir())
        except OSError as error:
            self._odd(place, f"cannot be listed ({(error.strerror or 'error').lower()})")
            return False
        if depth and any(entry.name in SOURCE_TREE for entry in entries):
            return False
        if depth > DEPTH_LIMIT:
            self._odd(place, f"is nested more than {DEPTH_LIMIT} folders deep and was not searched")
            return False
        found = False
        for entry in entries:
            if not is_walked(entry.name):
                continue
            if TIMESTAMP.fullmatch(entry.name):
                found |= self._leaf(entry)
            elif IS_UNFINISHED.fullmatch(entry.name) and _is_folder(entry):
                self.unfinished.append(entry)
            elif _is_folder(entry) and not (entry.is_symlink() and (linked or _returns(entry, place))):
                found |= self._search(entry, depth + 1, linked or entry.is_symlink())
        if not found and not linked and self._holds_run(entries):
            self.leaves.append(place)
            found = True
        return found

    def _leaf(self, entry: Path) -> bool:
        if _is_folder(entry):
            self.leaves.append(entry)
            return True
        self._odd(entry, "is named like a run's folder and is none")
        return False

    def _holds_run(self, entries: Iterable[Path]) -> bool:
        names = [entry.name for entry in entries if not entry.name.startswith(".")]
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self.patterns for name in names)

    def _odd(self, path: Path, reason: str) -> None:
        self.oddities.append((path, reason))


def search(tree: Path, patterns: Iterable[str]) -> Walk:
    """The finished search of a tree."""
    walk = Walk(tree, tuple(patterns))
    walk.run()
    return walk


def _is_folder(entry: Path) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _returns(link: Path, place: Path) -> bool:
    """Whether a link leads back to a folder that it stands in."""
    try:
        target = link.resolve()
        return any(target == above for above in _above(place.resolve()))
    except (OSError, RuntimeError):  # a loop of links
        return True


def _above(place: Path) -> Iterator[Path]:
    yield place
    yield from place.parents
