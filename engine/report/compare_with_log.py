"""Compares a report with a saved output of another validator in the `lines` form.

A maintainer who tries this tool beside the field's own wants to see only where the two disagree:
a finding that one of them has alone, or that both have at different levels.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from engine.report import identity, printable
from engine.runtime.ruleset import RuleSet
from engine.verdict.findings import EVIDENCE_RULE, LEVELS, Report, natural
from engine.verdict.selection import Selection

SCHEMA = "clausegate/against/1"

LINE = re.compile(r"\s*\[(ERROR|WARNING|WARN|NOTE|INFO)\] \[([^\s\]]+)([^\]]*)\] (.*)")
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
    """Where two outputs disagree. `levels` pairs ours with theirs; the counts say what was passed over."""

    ours: tuple[Said, ...]
    theirs: tuple[Said, ...]
    levels: tuple[tuple[Said, Said], ...]
    agreed: int
    other_lines: int
    not_compared: int  # findings of clauses that this rule set does not decide or that were not selected

    @property
    def agree(self) -> bool:
        """Whether nothing is left to explain."""
        return not (self.ours or self.theirs or self.levels)


def parse(text: str) -> tuple[tuple[Said, ...], int]:
    """The findings of a saved output, and how many other lines it has (blank ones not counted)."""
    found: list[Said] = []
    others = 0
    for raw in text.splitlines():
        match = LINE.fullmatch(raw.rstrip())
        if match is None:
            others += bool(raw.strip())
            continue
        level, rule, name, rest = match.groups()
        path, _, message = rest.partition(": ")
        if not message and path.endswith(":"):
            path = path[:-1]
        found.append(Said(_LEVEL[level], rule, f"{rule}{name}", _tidy(path), message))
    if others and not found:  # a blank file is the output of a validator that found nothing
        raise NotComparable("it has no line of the form [LEVEL] [id name] path: message")
    return tuple(found), others


def compare(report: Report, saved: str, ruleset: RuleSet, selection: Selection) -> Comparison:
    """Where our report and a saved output disagree; `NotComparable` when nothing can be compared."""
    read, others = parse(saved)
    decided = {clause.rule for clause in ruleset.clauses if selection.keeps(clause.rule)} | {EVIDENCE_RULE}
    theirs = [said for said in read if said.rule in decided]
    ours = [
        Said(f.level, f.rule, identity(f), _tidy(printable(f.path)), printable(f.message))
        for f in report.findings
    ]
    known = {said.path for said in ours} | {_tidy(printable(subject.path)) for subject in report.subjects}
    theirs, ours = _aligned(theirs, ours, known)
    left, right = _strongest(ours), _strongest(theirs)
    # Against a note the other side is alone: a note is no claim that something is wrong.
    here = {key for key, said in left.items() if said.level in COUNTED}
    there = {key for key, said in right.items() if said.level in COUNTED}
    both = here & there
    differing = [key for key in both if left[key].level != right[key].level]
    return Comparison(
        ours=_ordered(left[key] for key in here - there),
        theirs=_ordered(right[key] for key in there - here),
        levels=tuple((said, right[said.key]) for said in _ordered(left[key] for key in differing)),
        agreed=len(both) - len(differing),
        other_lines=others,
        not_compared=len(read) - len(theirs),
    )


def _tidy(path: str) -> str:
    """The path without `./`, doubled and trailing slashes."""
    return str(PurePosixPath(path.strip() or "."))


def _aligned(theirs: list[Said], ours: list[Said], known: set[str]) -> tuple[list[Said], list[Said]]:
    """Both sides without the leading folders that only one of them prints."""
    outer = _root({said.path for said in theirs}, known)
    if outer is not None:
        return [_without(outer, said) for said in theirs], ours
    inner = _root(known, {said.path for said in theirs})
    return theirs, ours if inner is None else [_without(inner, said) for said in ours]


def _root(longer: Iterable[str], shorter: set[str]) -> str | None:
    """The leading folders that most often stand before a path of the other side."""
    longer = set(longer)
    roots: Counter[str] = Counter()
    for path in longer:
        parts = path.split("/")
        for start in range(1, len(parts)):
            if "/".join(parts[start:]) in shorter:
                roots["/".join(parts[:start])] += 1
    matching = len(longer & shorter)
    best = max(roots, key=lambda root: (roots[root], -len(root), root), default=None)
    return best if best is not None and roots[best] > matching else None


def _without(root: str, said: Said) -> Said:
    if said.path == root:
        return Said(said.level, said.rule, said.title, ".", said.message)
    path = said.path.removeprefix(f"{root}/")
    return Said(said.level, said.rule, said.title, path, said.message)


def _strongest(findings: Iterable[Said]) -> dict[tuple[str, str], Said]:
    """The strongest finding of each clause and place."""
    best: dict[tuple[str, str], Said] = {}
    for said in findings:
        held = best.get(said.key)
        if held is None or LEVELS.index(said.level) > LEVELS.index(held.level):
            best[said.key] = said
    return best


def _ordered(findings: Iterable[Said]) -> tuple[Said, ...]:
    return tuple(sorted(findings, key=lambda said: (said.path, natural(said.rule))))
