"""What a judgement reports: findings, the verdict of each subject, and their published JSON.

These are plain data, shared by the launch gate and the validator, so that both print the same
schema and a report can be rendered, compared or counted without judging again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from engine import __version__
from engine.runtime.values import Listing, Other, Unknown, show

if TYPE_CHECKING:
    from engine.verdict.judged import Judged

SCHEMA = "clausegate/findings/1"
EVIDENCE_RULE = "evidence"
"""The `rule` of a finding about evidence that disagrees or cannot be read."""

LEVELS = ("note", "warning", "error")
"""Levels of a finding, weakest first."""

DIGITS = 300
LARGEST = 10**DIGITS
"""Beyond it a number is named, not printed: neither float nor JSON readers hold it."""


class Place(NamedTuple):
    """Where a fact was read, or was looked for: a file relative to TREE and a field in it."""

    fact: str
    file: str
    field: str

    def as_json(self) -> dict[str, Any]:
        """The entry of a finding's `evidence`."""
        return {"fact": self.fact, "file": self.file, "field": self.field}


class Finding(NamedTuple):
    """One thing to report of one subject. `clauses` is filled for evidence findings only."""

    rule: str
    name: str
    outcome: str  # violation, undetermined
    level: str  # error, warning, note
    category: str  # all, package, or the division that it costs
    path: str
    message: str
    facts: Mapping[str, Any]  # already plain, see `plain`
    clauses: tuple[str, ...] = ()
    evidence: tuple[Place, ...] = ()
    fix: str | None = None
    clause_line: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The finding as the published schema has it, keys in its order."""
        return {
            "rule": self.rule,
            "name": self.name,
            "outcome": self.outcome,
            "level": self.level,
            "category": self.category,
            "clauses": list(self.clauses),
            "path": self.path,
            "message": self.message,
            "facts": dict(self.facts),
            "evidence": [place.as_json() for place in self.evidence],
            "fix": self.fix,
            "clause_line": self.clause_line,
        }

    def order(self) -> tuple[object, ...]:
        """Sorting key: by place, then by clause as people count them, evidence last."""
        last = self.rule == EVIDENCE_RULE
        return (self.path, last, natural(self.rule), self.clause_line or 0, self.name, self.message)


class SubjectVerdict(NamedTuple):
    """What one subject asked for and earned. `earned` is None where no category is given.

    `accepted` says whether the worst that it can have earned is at least what it asked for;
    None where there is only advice and for subjects that are not judged. `basis` qualifies what is
    earned, or says why nothing is.
    """

    path: str
    scope: str  # launch, leaf, workload, ...
    requested: str | None
    earned: str | None
    accepted: bool | None = None
    basis: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The subject as the published schema has it."""
        return {
            "path": self.path,
            "scope": self.scope,
            "requested": self.requested,
            "earned": self.earned,
            **({} if self.basis is None else {"basis": self.basis}),
        }


class Skipped(NamedTuple):
    """What stands where a subject could stand and is none. It stands for all that is below it."""

    path: str
    why: str

    def as_json(self) -> dict[str, Any]:
        """The entry of a report's `skipped`."""
        return {"path": self.path, "why": self.why}


class Report(NamedTuple):
    """The result of judging: subjects, findings in order, and what the reader should be told.

    `categories` are those that a run can earn, best first.
    `further` holds the keys that only one kind of report has (the gate's `deferred` and
    `nearest`); `remarks` are sentences for people, which no machine format carries.
    """

    edition: str
    digest: str
    subjects: tuple[SubjectVerdict, ...]
    findings: tuple[Finding, ...]
    categories: tuple[str, ...]
    further: Mapping[str, Any] | None = None
    remarks: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] | None = None  # None: there is no tree in which something could be
    judged: Judged | None = None  # None: nothing was to be judged

    def count(self, level: str) -> int:
        """How many findings have this level."""
        return sum(finding.level == level for finding in self.findings)

    @property
    def clean(self) -> bool:
        """Whether no finding is an error."""
        return self.count("error") == 0

    def earned(self, *scopes: str) -> dict[str, int]:
        """How many runs (leaves, or the one of a launch), or subjects of other scopes, earned what."""
        counts = dict.fromkeys(self.categories, 0)
        for subject in self.subjects:
            if subject.scope in (scopes or ("leaf", "launch")) and subject.earned is not None:
                counts[subject.earned] += 1
        return counts

    def as_json(self) -> dict[str, Any]:
        """The report as the published schema has it, keys in its order."""
        return {
            "schema": SCHEMA,
            "tool": {"name": "clausegate", "version": __version__},
            "ruleset": {"edition": self.edition, "digest": self.digest},
            "subjects": [subject.as_json() for subject in self.subjects],
            "findings": [finding.as_json() for finding in self.findings],
            "summary": {
                "subjects": len(self.subjects),
                "errors": self.count("error"),
                "warnings": self.count("warning"),
                "undetermined": sum(finding.outcome == "undetermined" for finding in self.findings),
                "earned": self.earned(),
            },
            **({} if self.judged is None else {"judged": self.judged.as_json()}),
            **({} if self.skipped is None else {"skipped": [one.as_json() for one in self.skipped]}),
            **(self.further or {}),
        }


def arrange(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings in the order in which every report lists them."""
    return tuple(sorted(findings, key=Finding.order))


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Sorting key that counts: 4.3.10 after 4.3.9, 2.1.18a after 2.1.18."""
    parts = re.findall(r"[0-9]+|[^0-9.]+", text)
    return tuple((0, int(part), "") if part[0] in "0123456789" else (1, 0, part) for part in parts)


def plain(value: object, fields: Iterable[str] = ()) -> Any:
    """A fact's value as JSON has it: exact whole numbers, other numbers as float, texts as recorded.

    A list gives its elements' `fields`, or how many elements it has when it declares none.
    """
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, Fraction)):
        return _number(value)
    if isinstance(value, Other):
        return value.text
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Listing):
        names = tuple(fields)
        if not names:
            return len(value.items)
        return [{name: plain(item.get(name)) for name in names} for item in value.items]
    if isinstance(value, frozenset):
        return sorted((plain(member) for member in value), key=str)
    return None if isinstance(value, Unknown) else printed(value)


def printed(value: object) -> str:
    """`show`, for any size of number: recorded values are not ours to trust."""
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool) and abs(value) > LARGEST:
        return f"{'-' if value < 0 else ''}more than 1e{DIGITS}"
    return show(value)


def _number(value: int | Fraction) -> Any:
    if abs(value) > LARGEST:
        return printed(value)
    return value.numerator if value.denominator == 1 else float(value)
