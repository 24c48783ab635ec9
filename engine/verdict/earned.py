"""From a subject's facts to its findings and the category it earns.

The launch gate and the validator judge through this module alone, so that the same facts get the
same findings, levels and category in both. What is known of a subject comes in as `Evidence`;
nothing here reads a file or an argument.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from engine.runtime.judge import judge_statement
from engine.runtime.ruleset import Clause, Outcome, RuleSet, Statement
from engine.runtime.values import Facts, Kind, Unknown
from engine.verdict.accumulate import FindingCollector
from engine.verdict.category import Interval
from engine.verdict.evidence import Contradiction, Evidence
from engine.verdict.findings import Finding, SubjectVerdict, arrange
from engine.verdict.index import Index
from engine.verdict.selection import EVERYTHING, Selection

STRENGTH = ("not applicable", "pass", "deferred", "undetermined", "violation")
"""Outcomes, weakest first: a clause has the strongest of its statements'."""


class Verdict(NamedTuple):
    """One subject's findings in order, the interval they leave, and each clause's outcome."""

    subject: SubjectVerdict
    findings: tuple[Finding, ...]
    interval: Interval
    outcomes: Mapping[str, str]  # clause -> one of STRENGTH
    runs_as: str | None = None  # the lesser division that would take what the one asked for refuses


def derived(ruleset: RuleSet, scope: str, facts: Facts) -> Facts:
    """The facts of a subject with the derived facts of its scope."""
    return ruleset.subject(scope, facts)


def settled(ruleset: RuleSet, scope: str, facts: Facts) -> tuple[Facts, tuple[Contradiction, ...]]:
    """The facts of a subject, derived ones included, and the contradictions among them.

    A fact that other records contradict is unreadable, and so is what rests on it.
    """
    known = derived(ruleset, scope, facts)
    found = tuple(
        Contradiction(conflict, known)
        for conflict in ruleset.conflicts
        if conflict.scope == scope and conflict.test(known) is True
    )
    if not found:
        return known, ()
    names = {contradiction.conflict.fact for contradiction in found}
    doubtful = {name: Unknown.of(name, Kind.UNREADABLE) for name in names}
    return derived(ruleset, scope, {**facts, **doubtful}), found


class Judge:
    """Judges subjects under one rule set, by the clauses that were selected."""

    __slots__ = ("_applies", "index", "ruleset", "selection")

    def __init__(self, ruleset: RuleSet, selection: Selection = EVERYTHING) -> None:
        self.ruleset = ruleset
        self.selection = selection
        self.index = Index(ruleset)
        self._applies: dict[tuple[str, str], list[tuple[Clause, tuple[Statement, ...]]]] = {}

    def outcomes(self, scope: str, facts: Facts, edition: str) -> Iterator[tuple[Clause, list[Outcome]]]:
        """What each selected clause with statements of this scope says under the edition."""
        for clause, statements in self._applying(scope, edition):
            yield (
                clause,
                [outcome for statement in statements for outcome in judge_statement(statement, facts)],
            )

    def _applying(self, scope: str, edition: str) -> Sequence[tuple[Clause, tuple[Statement, ...]]]:
        """The selected clauses with the statements of a scope that hold in an edition."""
        found = self._applies.get((scope, edition))
        if found is None:
            found = self._applies[scope, edition] = [
                (
                    clause,
                    tuple(s for s in clause.statements if s.scope == scope and self.index.holds(s, edition)),
                )
                for clause in self.ruleset.clauses
                if scope in clause.scopes and self.selection.keeps(clause.rule)
            ]
        return found

    def judge(self, evidence: Evidence, edition: str) -> Verdict:
        """The verdict of one subject."""
        collector = FindingCollector(self.index, self.selection, evidence, edition)
        results: dict[str, str] = {}
        for scope, facts in evidence.facts.items():
            for clause, outcomes in self.outcomes(scope, facts, edition):
                collector.hear(clause, outcomes)
                said = [results.get(clause.rule, STRENGTH[0]), *(outcome.result for outcome in outcomes)]
                results[clause.rule] = max(said, key=STRENGTH.index)
        collector.contradictions()
        collector.unknown_words()
        collector.problems()
        asked, scale = collector.requested, self.index.scale
        idle = self.selection.clauses == frozenset()  # nothing was judged, so nothing is earned
        unearned = idle or asked in scale.advice or not self.ruleset.complete
        return Verdict(
            subject=SubjectVerdict(
                evidence.path,
                evidence.scope,
                asked,
                None if unearned else scale.earned(collector.interval),
                None if idle else scale.grants(collector.interval, asked),
            ),
            findings=arrange(collector.findings),
            interval=collector.interval,
            outcomes=results,
            runs_as=scale.takes(collector.interval, asked),
        )
