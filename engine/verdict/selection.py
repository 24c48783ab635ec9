"""Which clauses a reader asked for: `--select` and `--ignore` as prefixes of clause ids.

A prefix ends at a dot, so that 4.3.5 selects itself and 4.3.5.1 but never 4.3.51. What matches
no clause is an error: a misspelt selection must not look like a clean package.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engine.runtime.ruleset import RuleSet
from engine.verdict.findings import EVIDENCE_RULE, natural


class SelectionError(ValueError):
    """A prefix that matches no clause of the rule set; the message suggests what was meant."""


class Selection(NamedTuple):
    """The clauses that are judged, and the evidence findings that are kept. None is every clause.

    An evidence finding names those of its clauses that are `listed`, and is left out when it has
    some and none of them is. `evidence` is False when such findings are ignored altogether;
    `whole` keeps those that no clause depends on.
    """

    clauses: frozenset[str] | None = None
    listed: frozenset[str] | None = None
    evidence: bool = True
    whole: bool = True

    def keeps(self, rule: str) -> bool:
        """Whether the clause is judged."""
        return self.clauses is None or rule in self.clauses

    def cut(self, rules: Iterable[str]) -> tuple[str, ...] | None:
        """Of the clauses that depend on an evidence finding, those to list; None to leave it out."""
        depending = tuple(rules)
        kept = tuple(rule for rule in depending if self.listed is None or rule in self.listed)
        return kept if self.evidence and (kept or (self.whole and not depending)) else None

    def within(self, rules: frozenset[str]) -> Selection:
        """The same selection among these clauses."""
        return self._replace(
            clauses=rules if self.clauses is None else rules & self.clauses,
            listed=rules if self.listed is None else rules & self.listed,
        )


EVERYTHING = Selection()


def choose(ruleset: RuleSet, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> Selection:
    """The selection of these prefixes; `SelectionError` when one matches nothing."""
    if not select and not ignore:
        return EVERYTHING
    names = {clause.rule: clause.name for clause in ruleset.clauses}
    ignored = _matched(ignore, names)
    asked = _matched(select, names)
    wanted = (asked or {EVIDENCE_RULE, *names}) - ignored
    clauses = frozenset(wanted - {EVIDENCE_RULE})
    return Selection(
        clauses=clauses,
        listed=frozenset(names.keys() - ignored) if EVIDENCE_RULE in asked else clauses,
        evidence=EVIDENCE_RULE not in ignored,
        whole=EVIDENCE_RULE in wanted,
    )


def selects(prefix: str, rule: str) -> bool:
    """Whether the prefix, with or without its closing dot, selects the clause."""
    stem = prefix.rstrip(".")
    return bool(stem) and (rule == stem or rule.startswith(f"{stem}."))


def _matched(prefixes: Sequence[str], names: dict[str, str]) -> set[str]:
    known = [EVIDENCE_RULE, *names]
    found: set[str] = set()
    for prefix in prefixes:
        rules = {rule for rule in known if selects(prefix, rule)}
        if not rules:
            raise SelectionError(_unmatched(prefix, names))
        found |= rules
    return found


def _unmatched(prefix: str, names: dict[str, str]) -> str:
    """The sentence for a prefix that matches nothing, with the nearest ids."""
    from difflib import get_close_matches  # the gate selects too, and must start fast

    by_name = [rule for rule, name in names.items() if name.casefold() == prefix.casefold()]
    sections = {rule[: end + 1] for rule in names for end, mark in enumerate(rule) if mark == "."}
    near = by_name or get_close_matches(prefix, [EVIDENCE_RULE, *names, *sections], n=3)
    if not near:
        listed = sorted({rule.partition(".")[0] for rule in names}, key=natural)
        return f"no decidable clause matches {prefix!r}; the rule set has sections {', '.join(listed)}"
    return f"no decidable clause matches {prefix!r}; did you mean {' or '.join(sorted(near, key=natural))}?"
