"""A rule set looked up by fact, clause and edition: what judging asks of it again and again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.runtime.roles import argument_name
from engine.runtime.ruleset import Clause, FactSpec, RuleSet, Statement
from engine.runtime.values import Cause, Kind, Unknown
from engine.verdict.category import Scale
from engine.verdict.findings import LEVELS, natural
from engine.verdict.messages import bare


class Index:
    """Look-ups over one rule set, made once and read many times."""

    __slots__ = ("division", "editions", "ruleset", "scale", "specs", "units")

    def __init__(self, ruleset: RuleSet) -> None:
        self.ruleset = ruleset
        self.scale = Scale(ruleset.divisions)
        self.editions = {edition: rank for rank, edition in enumerate(ruleset.editions)}
        self.specs: dict[str, FactSpec] = {}
        for spec in ruleset.facts:
            for element in spec.fields:
                self.specs.setdefault(element.name, element)
        self.specs.update({spec.name: spec for spec in ruleset.facts})
        self.units: Mapping[str, str] = ruleset.units
        self.division = argument_name(ruleset, "division") or None

    def spec(self, fact: str) -> FactSpec | None:
        """The declaration of a fact, also when it is bound to a list's element (`a.start`)."""
        return self.specs.get(fact) or self.specs.get(bare(fact))

    def contradicts(self, fact: str) -> bool:
        """Whether a contradiction between recorded facts rests on this one."""
        return any(fact in conflict.facts for conflict in self.ruleset.conflicts)

    def fields(self, fact: str) -> tuple[str, ...]:
        """The names of what each element of a list fact holds."""
        spec = self.spec(fact)
        return tuple(element.name for element in spec.fields) if spec else ()

    def holds(self, statement: Statement, edition: str) -> bool:
        """Whether the statement holds in the edition."""
        rank = self.editions.get(edition, len(self.editions))
        since = self.editions.get(statement.since or "", -1)
        until = self.editions.get(statement.until or "", len(self.editions))
        return since <= rank <= until

    def dependents(
        self, facts: Iterable[str], edition: str, *, divided: bool = False
    ) -> list[tuple[Clause, Statement]]:
        """The statements of the edition that read one of the facts, by clause id.

        `divided`: and those whose breach costs one division, which is not known.
        """
        wanted = set(facts)
        return [
            (clause, statement)
            for clause in sorted(self.ruleset.clauses, key=lambda clause: natural(clause.rule))
            for statement in clause.statements
            if self.holds(statement, edition)
            and (reads(statement, wanted) or (divided and statement.category in self.scale.divisions))
        ]

    def level(
        self, statement: Statement, unknown: Unknown | None, covered: frozenset[str], edition: str
    ) -> str:
        """The level of an undetermined statement: its own, or less where what is missing may be missing."""
        causes = unknown.causes if unknown is not None else frozenset[Cause]()
        levels = [
            "error" if cause.fact in covered else self._missing(cause, edition)
            for cause in causes
            if cause.kind != Kind.DEFERRED.value
        ]
        ceiling = max(levels, key=LEVELS.index, default="error")
        return min(statement.level, ceiling, key=LEVELS.index)

    def _missing(self, cause: Cause, edition: str) -> str:
        """The level at which one fact may be missing under this edition."""
        spec = self.spec(cause.fact)
        if spec is None:
            return "error"
        if cause.kind == Kind.UNREADABLE.value:
            return spec.no_source or "error"
        rank = self.editions.get(edition, len(self.editions))
        for until, level in spec.missing:
            if until is None or rank <= self.editions.get(until, -1):
                return level
        return "error"


def reads(statement: Statement, facts: set[str]) -> bool:
    """Whether the statement reads one of the facts, itself or of a list's elements."""
    return any(fact in facts or bare(fact) in facts for fact in statement.facts)
