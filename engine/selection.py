"""Which clauses a reader asked for: `--select` and `--ignore` as prefixes of clause ids.

A prefix ends at a dot, so that 4.3.5 selects itself and 4.3.5.1 but never 4.3.51. What matches
no clause is an error: a misspelt selection must not look like a clean package.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from engine.findings import EVIDENCE_RULE, natural
from engine.ruleset import RuleSet


class SelectionError(ValueError):
    """A prefix that matches no clause of the rule set; the message suggests what was meant."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The clauses that are judged. `clauses` None is all of them.

    `evidence` is False when evidence findings are ignored; `whole` is set when they were asked
    for by name or nothing was selected, and are then kept whatever clauses depend on them.
    """

    clauses: frozenset[str] | None = None
    evidence: bool = True
    whole: bool = True

    def keeps(self, rule: str) -> bool:
        """Whether the clause is judged."""
        return self.clauses is None or rule in self.clauses

    def cut(self, rules: Iterable[str]) -> tuple[str, ...]:
        """Of the clauses that an evidence finding names, those to list."""
        if self.clauses is None or (self.whole and not self.clauses):
            return tuple(rules)
        return tuple(rule for rule in rules if rule in self.clauses)


EVERYTHING = Selection()


def choose(ruleset: RuleSet, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> Selection:
    """The selection of these prefixes; `SelectionError` when one matches nothing."""
    if not select and not ignore:
        return EVERYTHING
    names = {clause.rule: clause.name for clause in ruleset.clauses}
    wanted = {EVIDENCE_RULE, *names} if not select else _matched(select, names)
    wanted -= _matched(ignore, names)
    return Selection(
        clauses=frozenset(wanted - {EVIDENCE_RULE}),
        evidence=EVIDENCE_RULE in wanted or (bool(select) and EVIDENCE_RULE not in ignore),
        whole=EVIDENCE_RULE in wanted and (bool(select) or not ignore),
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
    by_name = [rule for rule, name in names.items() if name.casefold() == prefix.casefold()]
    sections = {rule[: end + 1] for rule in names for end, mark in enumerate(rule) if mark == "."}
    near = by_name or get_close_matches(prefix, [EVIDENCE_RULE, *names, *sections], n=3)
    if not near:
        listed = sorted({rule.partition(".")[0] for rule in names}, key=natural)
        return f"no decidable clause matches {prefix!r}; the rule set has sections {', '.join(listed)}"
    return f"no decidable clause matches {prefix!r}; did you mean {' or '.join(sorted(near, key=natural))}?"
