"""Compares a report with a saved output of another validator in the `lines` form.

A maintainer who tries this tool beside the field's own wants to see only where the two disagree:
a finding that one of them has alone, or that both have at different levels. What both say is listed too,
and every line that could not be read. The other one names a workload's folder where this one names a run
of it, or a file of the run: what lies within each other is one place.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from engine.report import identity, printable
from engine.runtime.ruleset import RuleSet
from engine.verdict.findings import EVIDENCE_RULE, LEVELS, Report, natural
from engine.verdict.selection import Selection

SCHEMA = "clausegate/against/1"

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_WHEN = r"(?:[0-9][0-9:.,TZ+-]*[\s|]+)*"
"""A time that a logger puts before its line."""

LINE = re.compile(rf"\s*{_WHEN}\[(ERROR|WARNING|WARN|NOTE|INFO)\] \[([^\s\]]+)([^\]]*)\] (.*)")
_LEVEL = {"ERROR": "error", "WARNING": "warning", "WARN": "warning", "NOTE": "note", "INFO": "note"}

COUNTED = ("error", "warning")
"""Levels on which two validators can disagree; notes are remarks."""


class NotComparable(ValueError):
    """A saved output with lines, none of which has the form that is compared."""


@dataclass(frozen=True, slots=True)
class Said:
    """One finding as a line has it."""

    level: str
    rule: str
    title: str  # id and name
    path: str
    message: str

    @property
    def key(self) -> tuple[str, str]:
        """What makes two findings the same: the clause and the place."""
        return (self.rule, self.path)

    def as_json(self) -> dict[str, Any]:
        """The finding with the fields of the form."""
        return {"rule": self.rule, "level": self.level, "path": self.path, "message": self.message}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Where two outputs agree and disagree. `both` and `levels` pair ours with theirs."""

    both: tuple[tuple[Said, Said], ...]
    ours: tuple[Said, ...]
    theirs: tuple[Said, ...]
    levels: tuple[tuple[Said, Said], ...]
    unread: tuple[str, ...]  # lines of another form
    undecided: tuple[Said, ...]  # of clauses that this rule set does not decide or that were not selected

    @property
    def agreed(self) -> int:
        """How many findings both have at one level."""
        return len(self.both)

    @property
    def other_lines(self) -> int:
        """How many lines could not be read."""
        return len(self.unread)

    @property
    def not_compared(self) -> int:
        """How many findings of the other side are of no clause that was judged here."""
        return len(self.undecided)

    @property
    def agree(self) -> bool:
        """Whether nothing is left to explain."""
        return not (self.ours or self.theirs or self.levels)


def parse(text: str) -> tuple[tuple[Said, ...], tuple[str, ...]]:
    """The findings of a saved output, and its other lines (blank ones left out)."""
    found: list[Said] = []
    others: list[str] = []
    for raw in text.splitlines():
        match = LINE.fullmatch(_COLOUR.sub("", raw).rstrip())
        if match is None:
            others += [printable(raw)] if raw.strip() else []
            continue
        level, rule, name, rest = match.groups()
        path, _, message = rest.partition(": ")
        if not message and path.endswith(":"):
            path = path[:-1]
        found.append(Said(_LEVEL[level], rule, f"{rule}{name}", _tidy(path), message))
    if others and not found:  # a blank file is the output of a validator that found nothing
        raise NotComparable("it has no line of the form [LEVEL] [id name] path: message")
    return tuple(found), tuple(others)


def compare(report: Report, saved: str, ruleset: RuleSet, selection: Selection) -> Comparison:
    """Where our report and a saved output disagree; `NotComparable` when nothing can be compared."""
    read, others = parse(saved)
    decided = {clause.rule for clause in ruleset.clauses if selection.keeps(clause.rule)} | {EVIDENCE_RULE}
    theirs = [said for said in read if said.rule in decided]
    ours = [
        Said(f.level, f.rule, identity(f), _tidy(printable(f.path)), printable(f.message))
        for f in report.findings
    ]
    places = {_tidy(printable(subject.path)) for subject in report.subjects}
    theirs, ours, places = _aligned(theirs, ours, places | {said.path for said in ours})
    # Against a note the other side is alone: a note is no claim that something is wrong.
    left = [said for said in _strongest(ours) if said.level in COUNTED]
    right = [said for said in _strongest(theirs) if said.level in COUNTED]
    there, here = _Places(right, places), _Places(left, places)
    pairs = [(one, there.meet(one)) for one in left]
    met = [(one, found) for one, found in pairs if found is not None]
    return Comparison(
        both=_paired((one, found) for one, found in met if one.level == found.level),
        ours=_ordered(one for one, found in pairs if found is None),
        theirs=_ordered(said for said in right if here.meet(said) is None),
        levels=_paired((one, found) for one, found in met if one.level != found.level),
        unread=others,
        undecided=tuple(said for said in read if said.rule not in decided),
    )


class _Places:
    """The findings of one side by clause and place, and by every subject of ours that a place lies in."""

    def __init__(self, findings: Iterable[Said], places: set[str]) -> None:
        self.places = places
        self.exact: dict[tuple[str, str], Said] = {}
        self.within: dict[tuple[str, str], list[Said]] = defaultdict(list)
        for said in findings:
            self.exact[said.key] = said
            for above in _upward(said.path):
                if above in places and above != said.path:
                    self.within[said.rule, above].append(said)

    def meet(self, said: Said) -> Said | None:
        """What this side says of the same clause and place: itself, else the strongest within or around."""
        if said.key in self.exact:
            return self.exact[said.key]
        above = [place for place in _upward(said.path) if place in self.places]
        around = [self.exact[said.rule, place] for place in above if (said.rule, place) in self.exact]
        near = [*around, *self.within.get(said.key, ())]
        return max(near, key=lambda one: LEVELS.index(one.level), default=None)


def _tidy(path: str) -> str:
    """The path without `./`, doubled and trailing slashes."""
    return str(PurePosixPath(path.strip() or "."))


def _aligned(
    theirs: list[Said], ours: list[Said], places: set[str]
) -> tuple[list[Said], list[Said], set[str]]:
    """Both sides, and our places, without the leading folders that only one of them prints."""
    said = {one.path for one in theirs}
    outer = _root(said, places)
    if outer is not None:
        return [_without(outer, one) for one in theirs], ours, places
    inner = _root(places, {above for path in said for above in _upward(path)})
    if inner is None:
        return theirs, ours, places
    return theirs, [_without(inner, one) for one in ours], {_cut(inner, place) for place in places}


def _upward(path: str) -> Iterator[str]:
    """A path and what it lies in."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def _root(longer: Iterable[str], shorter: set[str]) -> str | None:
    """The leading folders that most often stand before a path of the other side, or before what holds it."""
    roots: Counter[str] = Counter()
    matching = 0
    for path in longer:
        matching += any(above in shorter for above in _upward(path))
        parts = path.split("/")
        for start in range(1, len(parts)):
            if any(above in shorter for above in _upward("/".join(parts[start:]))):
                roots["/".join(parts[:start])] += 1
    best = max(roots, key=lambda root: (roots[root], -len(root), root), default=None)
    return best if best is not None and roots[best] > matching else None


def _without(root: str, said: Said) -> Said:
    return Said(said.level, said.rule, said.title, _cut(root, said.path), said.message)


def _cut(root: str, path: str) -> str:
    return "." if path == root else path.removeprefix(f"{root}/")


def _strongest(findings: Iterable[Said]) -> list[Said]:
    """The strongest finding of each clause and place."""
    best: dict[tuple[str, str], Said] = {}
    for said in findings:
        held = best.get(said.key)
        if held is None or LEVELS.index(said.level) > LEVELS.index(held.level):
            best[said.key] = said
    return list(best.values())


def _paired(pairs: Iterable[tuple[Said, Said]]) -> tuple[tuple[Said, Said], ...]:
    return tuple(sorted(pairs, key=lambda pair: (pair[0].path, natural(pair[0].rule))))


def _ordered(findings: Iterable[Said]) -> tuple[Said, ...]:
    return tuple(sorted(findings, key=lambda said: (said.path, natural(said.rule))))
