"""What a report was judged by, and what it was not: a verdict is no more than the clauses behind it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from engine.runtime.ruleset import RuleSet
from engine.verdict.findings import natural

INFORMATIVE, UNDECIDABLE, UNSTATED = "informative", "undecidable", "unstated"
"""Kinds of clauses without a statement, as the rule set has them."""

ASKED, DECLARED, OWN = "asked", "declared", "ruleset"
"""Where an edition comes from: `--edition`, the package, the rule set itself."""

_ORIGINS = {
    ASKED: "as asked",
    DECLARED: "as the package declares",
    OWN: "the rule set's own",
}


class EditionUsed(NamedTuple):
    """An edition that runs were judged by, and who named it."""

    edition: str
    origin: str  # ASKED, DECLARED, OWN

    def told(self) -> str:
        """`edition 3.0 (as asked)`."""
        return f"edition {self.edition} ({_ORIGINS[self.origin]})"


class Judged(NamedTuple):
    """The clauses of a rule set by what became of them. `reasons` tells of all that were not judged."""

    stated: tuple[str, ...]
    selected: tuple[str, ...]
    ignored: tuple[str, ...]  # stated and not selected
    deferred: tuple[str, ...]  # stated, and decided only from the package
    informative: tuple[str, ...]
    undecidable: tuple[str, ...]  # left to people
    unstated: tuple[str, ...]
    reasons: Mapping[str, str]  # clause -> why it was not judged
    editions: tuple[EditionUsed, ...]
    complete: bool
    absent: tuple[str, ...]  # sections that the document does not have
    narrowed: bool = False  # by a selection that was asked for
    suggested: str | None = None  # an older edition that would decide what this one leaves open

    @property
    def total(self) -> int:
        """How many clauses the document has."""
        return len(self.stated) + len(self.informative) + len(self.undecidable) + len(self.unstated)

    @property
    def whole(self) -> bool:
        """Whether nothing that is stated was left out, and nothing waits to be stated."""
        return self.complete and not self.narrowed

    @property
    def share(self) -> str:
        """`1 of 102 clauses`."""
        return f"{len(self.stated)} of {self.total} clause{'' if self.total == 1 else 's'}"

    def basis(self) -> str | None:
        """What qualifies every category that is earned, or why none is; None where nothing does."""
        if not self.complete:
            return f"nothing is earned: the rule set states {self.share}"
        return "by the selected clauses alone" if self.narrowed else None

    def sentence(self) -> str:
        """All of it in one sentence for people."""
        said = [" and ".join(used.told() for used in self.editions)] if self.editions else []
        if self.narrowed:
            said.append(f"{len(self.selected)} of {len(self.stated)} stated clauses selected")
        elif self.complete:
            said.append(f"{len(self.stated)} clauses")
        if not self.complete:
            said.append(f"{self.share} stated")
        if self.undecidable:
            said.append(f"left to people: {', '.join(self.undecidable)}")
        tops = [section for section in self.absent if "." not in section]
        if tops:
            said.append(f"no section {', '.join(tops)}")
        return f"judged: {'; '.join(said)}"

    def as_json(self) -> dict[str, Any]:
        """The object of every report."""
        return {
            "complete": self.complete,
            "editions": [{"edition": one.edition, "origin": one.origin} for one in self.editions],
            "edition_suggested": self.suggested,
            "clauses": self.total,
            "stated": list(self.stated),
            "selected": list(self.selected),
            "ignored": list(self.ignored),
            "deferred": list(self.deferred),
            "informative": list(self.informative),
            "undecidable": list(self.undecidable),
            "unstated": list(self.unstated),
            "not_judged": [{"rule": rule, "reason": why} for rule, why in self.reasons.items()],
            "sections_absent": list(self.absent),
        }


def judged(
    ruleset: RuleSet,
    selected: Collection[str],
    editions: Iterable[EditionUsed],
    *,
    narrowed: bool = False,
    deferred: Iterable[str] = (),
    left: Mapping[str, str] | None = None,
) -> Judged:
    """What a rule set was used for.

    `deferred`: clauses that wait for the package; `left`: why others that are selected, or none that
    could be, were not judged.
    """
    deferred = tuple(sorted({*ruleset.deferred, *deferred}, key=natural))
    stated = tuple(sorted({*(clause.rule for clause in ruleset.clauses), *deferred}, key=natural))
    kinds = {
        kind: tuple(one.rule for one in ruleset.silent if one.kind == kind)
        for kind in (INFORMATIVE, UNDECIDABLE, UNSTATED)
    }
    ignored = tuple(rule for rule in stated if rule not in selected and rule not in deferred)
    reasons = dict(_reasons(ruleset, ignored)) | dict.fromkeys(deferred, "decided only from the package")
    reasons |= left or {}
    return Judged(
        stated=stated,
        selected=tuple(rule for rule in stated if rule in selected and rule not in deferred),
        ignored=ignored,
        deferred=deferred,
        informative=kinds[INFORMATIVE],
        undecidable=kinds[UNDECIDABLE],
        unstated=kinds[UNSTATED],
        reasons=dict(sorted(reasons.items(), key=lambda entry: natural(entry[0]))),
        editions=tuple(editions),
        complete=ruleset.complete,
        absent=ruleset.absent,
        narrowed=narrowed,
    )


def _reasons(ruleset: RuleSet, ignored: Iterable[str]) -> Iterator[tuple[str, str]]:
    words = {
        INFORMATIVE: "informative",
        UNDECIDABLE: "left to people",
        UNSTATED: "the document does not state it yet",
    }
    for one in ruleset.silent:
        yield one.rule, f"{words.get(one.kind, one.kind)}: {one.why}" if one.why else words[one.kind]
    for rule in ignored:
        yield rule, "not selected"
