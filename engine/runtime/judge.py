"""What generated code calls: the operators, folds over lists, and judging.

An element of a list is a mapping of facts; in a statement that runs over a list its facts are
bound to the loop's name (`run.writes`). Total, as the operators are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from fractions import Fraction
from itertools import pairwise
from typing import Any

from engine.runtime.operators import (
    UNDEFINED,
    VAGUE,
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
    seconds,
    starts_with,
    times,
    valid,
)
from engine.runtime.ruleset import Each, Outcome, Statement
from engine.runtime.values import Facts, Kind, Listing, Unknown, Value, read

__all__ = [
    "absolute",
    "among",
    "both",
    "ceiling",
    "differs",
    "divide",
    "either",
    "elapsed",
    "equals",
    "every",
    "exceeds",
    "exists",
    "floor",
    "fold",
    "greatest_of",
    "judge_statement",
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
    "same",
    "size",
    "starts_with",
    "tally",
    "times",
    "valid",
    "when",
]

# --- folds -----------------------------------------------------------------------------

Element = Callable[[Any], Value]


def _always(_: Facts) -> Value:
    return True


def exists(listing: Value, condition: Element, where: Element = _always) -> Value:
    """`any(condition for x in listing where ...)`."""
    if not isinstance(listing, Listing):
        return merged(listing)
    undecided: list[Value] = []
    for item in listing.items:
        value = both(where(item), condition(item))
        if value is True:
            return True
        undecided.append(value)
    return either(*undecided, listing.more if listing.more is not None else False)


def every(listing: Value, condition: Element, where: Element = _always) -> Value:
    """`all(condition for x in listing where ...)`, the dual of `exists`."""
    return negate(exists(listing, lambda item: negate(condition(item)), where))


def _chosen(listing: Value, where: Element) -> list[Facts] | Unknown:
    """The elements that `where` holds for; unknown when that is not settled."""
    if not isinstance(listing, Listing):
        return merged(listing)
    chosen: list[Facts] = []
    undecided: list[object] = [] if listing.more is None else [listing.more]
    for item in listing.items:
        taken = where(item)
        if isinstance(taken, Unknown):
            undecided.append(taken)
        elif taken is True:
            chosen.append(item)
    return merged(*undecided) if undecided else chosen


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
    if any(isinstance(value, VAGUE) for value in values):
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


# --- where everything is known -----------------------------------------------------------


def same(left: object, right: object) -> bool:
    """`==` of values of any type: yes is not 1, and no is not 0."""
    return isinstance(left, bool) == isinstance(right, bool) and left == right


def elapsed(later: datetime, earlier: datetime) -> Fraction:
    """The seconds between two instants, exactly."""
    return seconds(later - earlier)


# --- judging ---------------------------------------------------------------------------


def when(guard: Value, condition: Value) -> Value | None:
    """What breaks a statement under its `when`: None, not applicable, where the guard says no."""
    if guard is False:
        return None
    return guard if isinstance(guard, Unknown) else condition


def judge_statement(statement: Statement, facts: Facts) -> list[Outcome]:
    """What one statement says of a subject: one outcome, or one for each element that it runs over."""
    each = statement.each
    if each is None:
        return [_outcome(statement, statement.test(facts), facts)]
    listing = read(facts, each.listing)
    found = (_neighbours if len(each.names) == 2 else _elements)(statement, each, listing, facts)
    return found or [Outcome(statement, "not applicable")]


def _outcome(
    statement: Statement, broken: Value | None, facts: Facts, bound: Iterable[tuple[str, Facts]] = ()
) -> Outcome:
    """The outcome of what a test said. `bound` are the elements, by name, that a message may speak of."""
    if broken is None:
        return Outcome(statement, "not applicable")
    if broken is False:
        return Outcome(statement, "pass")
    named = {f"{name}.{fact}": value for name, item in bound for fact, value in item.items()}
    known = {**facts, **named} if named else facts
    if isinstance(broken, Unknown):
        deferred = bool(broken.causes) and broken.only(Kind.DEFERRED)
        return Outcome(statement, "deferred" if deferred else "undetermined", broken, known)
    return Outcome(statement, "violation", None, known)


def _elements(statement: Statement, each: Each, listing: Value, facts: Facts) -> list[Outcome]:
    """`for each NAME in LISTING`: an outcome an element, and one for those that may be missing."""
    if not isinstance(listing, Listing):
        return [_outcome(statement, merged(listing), facts)]
    (name,) = each.names
    found = [
        _outcome(statement, statement.test(facts, item), facts, [(name, item)]) for item in listing.items
    ]
    if listing.more is not None:
        found.append(_outcome(statement, listing.more, facts))
    return found


def _neighbours(statement: Statement, each: Each, listing: Value, facts: Facts) -> list[Outcome]:
    """`for each A then B in LISTING where ...`: neighbours among the elements chosen."""
    where = each.where
    chosen = _chosen(listing, _always if where is None else lambda item: where(facts, item))
    if isinstance(chosen, Unknown):
        return [_outcome(statement, chosen, facts)]
    return [
        _outcome(statement, statement.test(facts, *pair), facts, zip(each.names, pair, strict=True))
        for pair in pairwise(chosen)
    ]
