"""Facts that the tool works out of others, before a run and of a package alike: what the layout plans."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from engine.runtime.operators import merged
from engine.runtime.roles import MODEL, PROCESSES, name_of
from engine.runtime.ruleset import RuleSet
from engine.runtime.values import Facts, Value, read
from engine.sizing import Layout, checkpoint, find_layout, gib

Plan = tuple[Layout, int]
"""A layout, and the number of ranks that run it."""


def planned(ruleset: RuleSet, facts: Facts) -> Plan | None:
    """The layout and the number of ranks of a run; None when its model has no layout."""
    layout = find_layout(ruleset.tables, facts.get(name_of(ruleset, MODEL)))
    count = facts.get(name_of(ruleset, PROCESSES))
    if layout is None or isinstance(count, bool) or not isinstance(count, int):
        return None
    return layout, count


def _layout(plan: Plan) -> Fraction:
    """The planned size of one checkpoint in GiB."""
    return gib(checkpoint(*plan).total)


DERIVED: Mapping[str, Callable[[Plan], Value]] = {"layout": _layout}
"""Functions that a fact may name as the way it is derived."""


def worked_out(ruleset: RuleSet, facts: Facts) -> dict[str, Value]:
    """The facts that follow from what a package records by the tool alone; unknown by what they rest on."""
    plan = planned(ruleset, facts)
    basis = [read(facts, name) for role in (MODEL, PROCESSES) if (name := name_of(ruleset, role))]
    return {
        spec.name: function(plan) if plan is not None else merged(*basis)
        for spec in ruleset.facts
        if spec.launch is not None and not spec.package
        if (function := DERIVED.get(spec.launch.derived or "")) is not None
    }
