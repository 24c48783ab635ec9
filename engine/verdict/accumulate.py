"""The judging of one subject: what its clauses and its evidence say becomes findings and an interval.

What is known of a subject comes in as `Evidence`; nothing here reads a file or an argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.runtime.origins import Origin
from engine.runtime.ruleset import Clause, Outcome, Statement
from engine.runtime.values import Cause, Facts, Kind, Unknown, read
from engine.verdict.category import ALL, PACKAGE
from engine.verdict.evidence import Evidence, division
from engine.verdict.findings import EVIDENCE_RULE, LEVELS, Finding, Place, plain
from engine.verdict.index import Index
from engine.verdict.messages import bare, cannot_judge, contradiction, fill, unknown_word
from engine.verdict.selection import Selection
from engine.verdict.words import unlisted


class FindingCollector:
    """The judging of one subject: collects findings and lowers the interval."""

    __slots__ = (
        "covered",
        "edition",
        "evidence",
        "findings",
        "index",
        "interval",
        "requested",
        "scale",
        "selection",
        "spoken",
        "words",
    )

    def __init__(self, index: Index, selection: Selection, evidence: Evidence, edition: str) -> None:
        self.index = index
        self.selection = selection
        self.evidence = evidence
        self.edition = edition
        self.requested = division(evidence.requested)
        self.findings: list[Finding] = []
        self.scale = index.scale
        self.interval = self.scale.whole
        named = {fact for problem in evidence.problems for fact in problem.facts}
        named |= {found.conflict.fact for found in evidence.contradictions}
        self.words = {
            cause: word
            for facts in evidence.facts.values()
            for cause, word in unlisted(index.ruleset.facts, facts).items()
            if word.of != index.division
        }
        self.spoken: set[str] = set()  # facts whose unknown word a clause has told
        named |= self.words.keys()
        if self.undivided:
            # Nobody can say what would be accepted, whatever the clauses find.
            self.interval = self.interval.doubted(0)
            named |= {index.division} if index.division else set()
        # With evidence findings ignored, each clause has to say itself what it lacks.
        self.covered = (evidence.covered | named) if selection.evidence else frozenset()

    @property
    def undivided(self) -> bool:
        """Whether the division asked for is not known, or is none that exists."""
        return bool(self.scale.divisions) and self.requested not in self.scale.divisions

    def hear(self, clause: Clause, outcomes: Iterable[Outcome]) -> None:
        """Takes what one clause says: a finding a violation, at most one of what cannot be judged."""
        open_questions: list[tuple[Outcome, str]] = []
        outcomes = list(outcomes)
        for outcome in outcomes:
            statement = outcome.statement
            if outcome.result == "violation":
                if statement.level == "error":
                    self.interval = self.interval.breached(self.scale.left(statement.category))
                self.spoken.update(statement.listed)
                self._violation(clause, outcome)
            elif outcome.result == "undetermined":
                level = self.index.level(statement, outcome.unknown, self.covered, self.edition)
                if level == "error":
                    self.interval = self.interval.doubted(self.scale.left(statement.category))
                if not self._explained(outcome):
                    open_questions.append((outcome, level))
        worst = {said.statement.category for said in outcomes if _is_breach(said)}
        open_questions = [
            (said, level)
            for said, level in open_questions
            if not self._outweighs(worst, said.statement.category)
        ]
        if open_questions:
            self._undetermined(clause, open_questions)

    def _outweighs(self, breached: set[str], category: str) -> bool:
        """Whether a breach of the same clause costs at least what a problem of this category could."""
        return bool(breached) and self.scale.strongest([*sorted(breached), category]) in breached

    def _explained(self, outcome: Outcome) -> bool:
        """Whether an evidence finding already says why this cannot be judged."""
        causes = outcome.unknown.causes if outcome.unknown is not None else ()
        settled = [cause.fact for cause in causes if cause.kind != Kind.DEFERRED.value]
        return bool(settled) and all(fact in self.covered for fact in settled)

    def _violation(self, clause: Clause, outcome: Outcome) -> None:
        statement, facts = outcome.statement, outcome.facts or {}
        self.findings.append(
            Finding(
                rule=clause.rule,
                name=clause.name,
                outcome="violation",
                level=self.scale.shown_level(statement.level, statement.category, self.requested),
                category=statement.category,
                path=self.evidence.path,
                message=fill(statement.because or statement.breach, facts, self.index.units),
                facts=self._recorded([outcome]),
                evidence=self._places(statement.facts),
                fix=None if statement.fix is None else fill(statement.fix, facts, self.index.units),
                clause_line=clause.line,
            )
        )

    def _undetermined(self, clause: Clause, doubtful: Sequence[tuple[Outcome, str]]) -> None:
        outcomes = [outcome for outcome, _ in doubtful]
        levels = [
            self.scale.shown_level(level, outcome.statement.category, self.requested)
            for outcome, level in doubtful
        ]
        causes = frozenset[Cause]().union(*(said.unknown.causes for said in outcomes if said.unknown))
        self.findings.append(
            Finding(
                rule=clause.rule,
                name=clause.name,
                outcome="undetermined",
                level=max(levels, key=LEVELS.index),
                category=self.scale.strongest(
                    {
                        outcome.statement.category
                        for outcome, level in zip(outcomes, levels, strict=True)
                        if level == max(levels, key=LEVELS.index)
                    }
                ),
                path=self.evidence.path,
                message=cannot_judge(causes, self.evidence.origins, self._instead(causes, outcomes)),
                facts=self._recorded(outcomes),
                evidence=self._places(fact for outcome in outcomes for fact in outcome.statement.facts),
                clause_line=clause.line,
            )
        )

    def contradictions(self) -> None:
        """Evidence findings of recorded facts that contradict each other, or are what none can be.

        Nobody knows what a figure that cannot be should be: whatever the clauses find, nothing is earned.
        """
        for found in self.evidence.contradictions:
            conflict = found.conflict
            told = self._evidence(
                conflict.fact,
                self.index.dependents([conflict.fact], self.edition),
                outcome="undetermined" if conflict.bound else "violation",
                category=ALL if conflict.bound else PACKAGE,
                message=contradiction(conflict, found.facts, self.index.units),
                facts=self._values(conflict.facts, found.facts),
                places=self._places(conflict.facts),
                line=conflict.line,
                level=conflict.level,
                whole=True,
            )
            if told and conflict.bound:
                self.interval = self.interval.doubted(self.scale.left(ALL))

    def unknown_words(self) -> None:
        """Evidence findings of words that no member knows, but for those that a clause has told."""
        for cause, word in self.words.items():
            if cause in self.spoken:
                continue
            dependents = self.index.dependents([word.of], self.edition)
            contradicts = self.index.contradicts(word.of)
            if not dependents and not contradicts:
                continue
            self._evidence(
                word.name,
                dependents,
                message=unknown_word(word, self.evidence.origins),
                facts={word.name: word.text},
                places=self._places([word.of]),
                whole=contradicts,
            )
            # Clauses of another subject are not heard here, and may have to be judged of this one.
            elsewhere = [s for c, s in dependents if self.selection.keeps(c.rule) and s.level == "error"]
            for statement in elsewhere:
                if statement.scope not in self.evidence.facts:
                    self.interval = self.interval.doubted(self.scale.left(statement.category))

    def problems(self) -> None:
        """Evidence findings of what disagrees or cannot be read, and of a division that is not known."""
        fact = self.index.division
        named = set(self.evidence.covered)
        for problem in self.evidence.problems:
            named |= {problem.name, *problem.facts}
            # What a breach that costs one division amounts to depends on the division asked for too.
            told = self._evidence(
                problem.name,
                self.index.dependents(problem.facts, self.edition, divided=fact in problem.facts),
                category=None if problem.facts else ALL,
                message=problem.message,
                places=_where(problem.places),
            )
            if told and not problem.facts:
                self.interval = self.interval.doubted(self.scale.left(ALL))
        if self.undivided and fact is not None and fact not in named:
            requested = self.evidence.requested
            causes = requested.causes if isinstance(requested, Unknown) else frozenset[Cause]()
            self._evidence(
                fact,
                self.index.dependents([fact], self.edition, divided=True),
                message=f"{fact} is {self.requested!r}, which is no division"
                if self.requested is not None
                else cannot_judge(causes or {Cause(fact, Kind.ABSENT.value)}, self.evidence.origins),
                places=self._places([fact]),
            )

    def _evidence(
        self,
        name: str,
        dependents: Sequence[tuple[Clause, Statement]],
        *,
        message: str,
        outcome: str = "undetermined",
        category: str | None = None,
        facts: Mapping[str, Any] | None = None,
        places: tuple[Place, ...] = (),
        line: int | None = None,
        level: str = "error",
        whole: bool = False,
    ) -> bool:
        """Take an evidence finding; whether it, or one of the clauses that depend on it, was asked for.

        `whole`: it is of the subject itself, so that it stays though no clause depends on it.
        """
        clauses = self.selection.cut(dict.fromkeys(clause.rule for clause, _ in dependents))
        if clauses is None and whole and not dependents and self.selection.evidence:
            clauses = ()
        if clauses is None:
            return False
        costs = category or self.scale.strongest({said.category for _, said in dependents})
        self.findings.append(
            Finding(
                rule=EVIDENCE_RULE,
                name=name,
                outcome=outcome,
                level=self.scale.shown_level(level, "all", self.requested),
                category=costs,
                path=self.evidence.path,
                message=message,
                clauses=clauses,
                facts=facts or {},
                evidence=places,
                clause_line=line,
            )
        )
        return True

    def _instead(self, causes: Iterable[Cause], outcomes: Iterable[Outcome]) -> list[str]:
        """The times that are recorded where one is missing: they bound it, and a reader asks which."""
        times = [
            fact
            for fact in sorted({fact for outcome in outcomes for fact in outcome.statement.facts})
            if (spec := self.index.spec(fact)) is not None and spec.type == "time"
        ]
        missing = {bare(cause.fact) for cause in causes}
        return [fact for fact in times if fact not in missing] if missing & set(times) else []

    def _recorded(self, outcomes: Iterable[Outcome]) -> dict[str, Any]:
        """The recorded facts that the statements read, plain, in the order in which they name them."""
        found: dict[str, Any] = {}
        for outcome in outcomes:
            found.update(self._values(outcome.statement.facts, outcome.facts or {}))
        return found

    def _values(self, names: Sequence[str], facts: Facts) -> dict[str, Any]:
        """The values of the named facts, those of elements bound to a name included."""
        bound: dict[str, list[str]] = {}
        for name in facts:
            if "." in name:
                bound.setdefault(bare(name), []).append(name)
        wanted = [key for name in names for key in (name, *bound.get(bare(name), ()))]
        known = {name: facts[name] for name in wanted if not isinstance(read(facts, name), Unknown)}
        return {name: plain(value, self.index.fields(name)) for name, value in known.items()}

    def _places(self, facts: Iterable[str]) -> tuple[Place, ...]:
        """Where the facts were read."""
        origins = self.evidence.origins
        return _where(
            origin for fact in facts for origin in origins.get(fact, ()) if origin.value is not None
        )


def _where(origins: Iterable[Origin]) -> tuple[Place, ...]:
    return tuple(dict.fromkeys(Place(origin.fact, origin.file, origin.field) for origin in origins))


def _is_breach(outcome: Outcome) -> bool:
    return outcome.result == "violation" and outcome.statement.level == "error"
