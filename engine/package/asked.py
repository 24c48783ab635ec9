"""Why a selected clause was asked of nothing: no run of its family, no whole workload, another edition."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from engine.runtime.ruleset import Clause
from engine.verdict.earned import Judge

Asked = Collection[tuple[str, str, str]]
"""Family, scope and edition of every subject that was judged."""


def unasked(judges: Mapping[str, Judge], asked: Asked) -> Iterator[tuple[str, str]]:
    """The clauses that were selected and judged nothing, each with the reason."""
    clauses = {clause.rule: clause for judge in judges.values() for clause in judge.ruleset.clauses}
    for rule, clause in clauses.items():
        governed = {family for family, judge in judges.items() if judge.selection.keeps(rule)}
        if governed:
            why = _why(clause, governed, judges, asked)
            if why is not None:
                yield rule, why


def _why(clause: Clause, families: set[str], judges: Mapping[str, Judge], asked: Asked) -> str | None:
    mine = [(family, scope, edition) for family, scope, edition in asked if family in families]
    if not mine:
        return f"nothing of family {', '.join(sorted(families))} was judged"
    fitting = [(family, edition) for family, scope, edition in mine if scope in clause.scopes]
    if not fitting:
        return f"it is asked of a {' or '.join(clause.scopes)}, and none was judged whole"
    held = any(
        judges[family].index.holds(statement, edition)
        for family, edition in fitting
        for statement in clause.statements
    )
    return None if held else "it holds in no edition that was judged"
