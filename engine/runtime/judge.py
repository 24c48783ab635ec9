"""What generated code calls: the operators, folds over lists, and judging.

An element of a list is a mapping of facts; in a statement that runs over a list its facts are
bound to the loop's name (`run.writes`). Total, as the operators are.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from engine.runtime.operators import (
    UNDEFINED,
    absolute,
    among,
    both,
    ceiling,
    differs,
    divide,
    either,
    equals,
    exceeds,
    floor,
    greatest_of,
    least_of,
    listed,
    look_up,
    matches,
    merged,
    minus,
    modulo,
    negate,
    numbers,
    otherwise,
    plus,
    reaches,
    recorded,
    starts_with,
    times,
    valid,
)
from engine.runtime.ruleset import Outcome, Statement
from engine.runtime.values import Facts, Kind, Listing, Unknown, Value, read

__all__ = [
    "Fraction",
    "absolute",
    "among",
    "both",
    "ceiling",
    "differs",
    "divide",
    "either",
    "equals",
    "every",
    "exceeds",
    "exists",
    "floor",
    "fold",
    "greatest_of",
    "judge",
    "judge_each",
    "judge_pairs",
    "least_of",
    "listed",
    "look_up",
    "matches",
    "minus",
    "modulo",
    "negate",
    "otherwise",
    "plus",
    "reaches",
    "read",
    "recorded",
    "size",
    "starts_with",
    "tally",
    "times",
    "valid",
]

# --- folds -----------------------------------------------------------------------------

Element = Callable[[Facts], Value]


def _always(_: Facts) -> Value:
    return True


def exists(listing: Value, condition: Element, where: Element = _always) -> Value:
    """`any(condition for x in listing where ...)`."""
    if not isinstance(listing, Listing):
        return merged(listing)
    doubts: list[Value] = []
    for item in listing.items:
        value = both(where(item), condition(item))
        if value is True:
            return True
        doubts.append(value)
    return either(*doubts, listing.more if listing.more is not None else False)


def every(listing: Value, condition: Element, where: Element = _always) -> Value:
    """`all(condition for x in listing where ...)`, the dual of `exists`."""
    return negate(exists(listing, lambda item: negate(condition(item)), where))


def _chosen(listing: Value, where: Element) -> list[Facts] | Unknown:
    """The elements that `where` holds for; unknown when that is not settled."""
    if not isinstance(listing, Listing):
        return merged(listing)
    chosen: list[Facts] = []
    doubts: list[object] = [] if listing.more is None else [listing.more]
    for item in listing.items:
        taken = where(item)
        if isinstance(taken, Unknown):
            doubts.append(taken)
        elif taken is True:
            chosen.append(item)
    return merged(*doubts) if doubts else chosen


def tally(listing: Value, where: Element = _always) -> Value:
    """`count(x in listing where ...)`."""
    chosen = _chosen(listing, where)
    return chosen if isinstance(chosen, Unknown) else len(chosen)


def size(listing: Value) -> Value:
    """`size(listing)`."""
    return tally(listing)


def fold(kind: str, listing: Value, term: Element, where: Element = _always) -> Value:
    """`sum`, `mean`, `least`, `greatest`, `distinct` (how many different values) of a term.

    Unknown when an element, a `where` or the listing is; mean, least and greatest of nothing too.
    """
    chosen = _chosen(listing, where)
    if isinstance(chosen, Unknown):
        return chosen
    values = [term(item) for item in chosen]
    if any(isinstance(value, Unknown) for value in values):
        return merged(*values)
    if kind == "distinct":
        return len({(isinstance(value, bool), value) for value in values})
    found = numbers(values)
    if found is None:
        return UNDEFINED
    if kind == "sum":
        return sum(found, 0)
    if not found:
        return UNDEFINED
    if kind == "mean":
        return Fraction(sum(found, 0)) / len(found)
    return min(found) if kind == "least" else max(found)


# --- judging ---------------------------------------------------------------------------


def judge(statement: Statement, facts: Facts, condition: Value, guard: Value = True) -> Outcome:
    """The outcome of one statement: `guard` is its `when`, `condition` what breaks the clause."""
    if guard is False:
        return Outcome(statement, "not applicable")
    unknown = guard if isinstance(guard, Unknown) else condition
    if isinstance(unknown, Unknown):
        deferred = bool(unknown.causes) and unknown.only(Kind.DEFERRED)
        return Outcome(statement, "deferred" if deferred else "undetermined", unknown, facts)
    return Outcome(statement, "violation" if condition is True else "pass", None, facts)


Test = Callable[[Facts], "tuple[Value, Value]"]
"""For the facts of a subject with its elements bound: (guard, condition)."""


def judge_each(
    statement: Statement, facts: Facts, listing: Value, name: str, test: Test, where: Element = _always
) -> list[Outcome]:
    """`for each NAME in LISTING where ...`: one outcome an element, none over nothing.

    An element whose `where` is no is not applicable; one whose `where` is unknown is undetermined.
    """
    if not isinstance(listing, Listing):
        return [judge(statement, facts, merged(listing))]
    found = []
    for item in listing.items:
        bound = _bind(facts, name, item)
        guard, condition = test(bound)
        found.append(judge(statement, bound, condition, both(where(bound), guard)))
    if listing.more is not None:
        found.append(judge(statement, facts, listing.more))
    return found or [Outcome(statement, "not applicable")]


def judge_pairs(
    statement: Statement,
    facts: Facts,
    listing: Value,
    names: tuple[str, str],
    test: Test,
    where: Element = _always,
) -> list[Outcome]:
    """`for each A then B in LISTING where ...`: neighbours among the elements chosen."""
    chosen = _chosen(listing, lambda item: where(_bind(facts, names[0], item)))
    if isinstance(chosen, Unknown):
        return [judge(statement, facts, chosen)]
    found = []
    for first, second in pairwise(chosen):
        bound = _bind(_bind(facts, names[0], first), names[1], second)
        guard, condition = test(bound)
        found.append(judge(statement, bound, condition, guard))
    return found or [Outcome(statement, "not applicable")]


def _bind(facts: Facts, name: str, item: Facts) -> Facts:
    """The subject's facts with the element's under `name.field`."""
    return {**facts, **{f"{name}.{field}": value for field, value in item.items()}}
