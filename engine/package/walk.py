"""Finds the leaves below a folder, however the tree is shaped, linked or nested.

A leaf is a folder named by a timestamp, or one that holds a run's own documents. None is lost: what
stands where a subject could stand and is none comes back as an entry of `left`, with a sentence.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from engine.evidence.documents import names
from engine.evidence.layout import IS_UNFINISHED, TIMESTAMP, is_walked
from engine.package.depths import HOLDER, ORGANISATION, Depths, could_be_subject, could_hold_subjects
from engine.package.entries import (
    NOWHERE,
    OUT,
    astray,
    describe,
    is_archive,
    is_folder,
    source_marker,
    target,
)

DEPTH_LIMIT = 64
"""Levels below the folder handed over. Real trees have been seen with 50."""

EMPTY = "holds no run"


class Left(NamedTuple):
    """What stands where a subject could stand and is none: an entry stands for all that is below it.

    `level` is that of the finding that it makes; None where being named among the skipped is enough.
    `strays` is set for what tells of a run even where a folder above turns out to hold none.
    """

    path: Path
    why: str
    level: str | None = None
    strays: bool = False


@dataclass(slots=True)
class Walk:
    """One search. `leaves` and `left` in the order of their paths."""

    tree: Path
    patterns: tuple[str, ...]  # names of the documents that make a folder a leaf
    depths: Depths
    expected: tuple[str, ...] = ()  # names of files that are read, and are thus not left out
    leaves: list[Path] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    unfinished: list[Path] = field(default_factory=list)  # runs that did not end; their documents are no leaf

    def run(self) -> None:
        """Searches the tree. The folder handed over is a leaf too when it looks like one."""
        if TIMESTAMP.fullmatch(self.tree.name):
            self.leaves.append(self.tree)
        elif IS_UNFINISHED.fullmatch(self.tree.name):
            self.unfinished.append(self.tree)
        else:
            self._search(self.tree, 0, self.depths.of_tree(), linked=False)
        self.leaves.sort()
        self.left.sort()

    def _search(self, place: Path, depth: int, level: int | None, linked: bool) -> bool:
        """Whether a leaf was found at or below the place."""
        try:
            entries = sorted(place.iterdir())
        except OSError as error:
            return self._odd(place, f"cannot be listed ({(error.strerror or 'error').lower()})")
        if depth > DEPTH_LIMIT:
            return self._odd(place, f"is nested more than {DEPTH_LIMIT} folders deep and was not searched")
        marker = source_marker(entries) if depth else None
        if marker is not None and not self.depths.expects(place, level, entries):
            self._leave(place, f"holds the code of a program ({marker}) and was not searched")
            return False
        level = self.depths.settled(place, level, entries)
        below = None if level is None else level + 1
        before = len(self.left)
        found = False
        for entry in entries:
            found |= self._entry(entry, depth, below, linked)
        if not found and not linked and self._holds_run(entries):
            # What lies inside a leaf is a part of it.
            self.left[before:] = [one for one in self.left[before:] if one.strays]
            self.leaves.append(place)
            return True
        if not found and depth and could_be_subject(level):
            self.left[before:] = [one for one in self.left[before:] if one.strays or one.level]
            self._leave(place, EMPTY)
        return found

    def _entry(self, entry: Path, depth: int, level: int | None, linked: bool) -> bool:
        """Whether an entry of this level is a leaf or holds one."""
        if entry.is_symlink() and not self._follows(entry, level, linked):
            return False
        if TIMESTAMP.fullmatch(entry.name):
            return self._leaf(entry)
        if not is_folder(entry):
            self._file(entry, level)
            return False
        if IS_UNFINISHED.fullmatch(entry.name):
            self.unfinished.append(entry)
            return False
        return self._walked(entry, level) and self._search(
            entry, depth + 1, level, linked or entry.is_symlink()
        )

    def _follows(self, link: Path, level: int | None, linked: bool) -> bool:
        """Whether a link is followed: to what the package holds, and not from behind another link."""
        where = astray(link, self.depths.root)
        if where == NOWHERE and TIMESTAMP.fullmatch(link.name):
            return self._odd(link, "is named like a run's folder and is none")
        subject = could_be_subject(level) or TIMESTAMP.fullmatch(link.name) is not None
        hides = where in (OUT, NOWHERE) and (subject or (where == OUT and is_folder(link)))
        if where is not None or subject:
            behind = " and was not followed from behind another link" if linked else ""
            how = f"{where} and was not followed" if where else f"within the package{behind}"
            mild = "warning" if subject else None
            self.left.append(Left(link, f"is a link ({target(link)}) {how}", "error" if hides else mild))
        return where is None and not linked

    def _walked(self, entry: Path, level: int | None) -> bool:
        """Whether a folder is searched. No organisation is left out for its name."""
        if level == ORGANISATION:
            return True
        if level is not None and entry.name.startswith("."):
            self._leave(entry, "is hidden and was not searched")
            return False
        return is_walked(entry.name) if level is None or level <= HOLDER else True

    def _leaf(self, entry: Path) -> bool:
        if is_folder(entry):
            self.leaves.append(entry)
            return True
        return self._odd(entry, "is named like a run's folder and is none")

    def _file(self, entry: Path, level: int | None) -> None:
        if is_archive(entry.name) and could_hold_subjects(level):
            self.left.append(Left(entry, "is an archive that was not unpacked", strays=True))
        elif could_be_subject(level) and not entry.is_symlink() and not self._is_expected(entry.name):
            self._leave(entry, describe(entry))

    def _is_expected(self, name: str) -> bool:
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self.expected)

    def _holds_run(self, entries: Iterable[Path]) -> bool:
        held = [entry.name for entry in entries]
        return any(names(pattern, held) for pattern in self.patterns)

    def _odd(self, path: Path, reason: str) -> bool:
        self.left.append(Left(path, reason, "error", strays=True))
        return False

    def _leave(self, path: Path, reason: str) -> None:
        self.left.append(Left(path, reason))


def search(tree: Path, patterns: Iterable[str], depths: Depths, expected: Iterable[str] = ()) -> Walk:
    """The finished search of a tree."""
    walk = Walk(tree, tuple(patterns), depths, tuple(expected))
    walk.run()
    return walk
