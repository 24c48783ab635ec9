"""What generated code calls: three-valued logic over facts, exact arithmetic, folds, judging.

Every function is total: an operand that is `Unknown` (or is no value the operation is
defined on) gives `Unknown`, never an exception. `both`, `either` and `negate` are Kleene's
strong connectives. The interpreter of the rule language does not import this module; the two
are compared with each other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from datetime import datetime
from fractions import Fraction
from itertools import pairwise

from engine.ruleset import Outcome, Statement, Tables
from engine.values import Cause, Facts, Kind, Listing, Other, Unknown, Value, read

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

UNDEFINED = Unknown(frozenset())
"""Unknown although every operand is known: a division by zero, the mean of nothing."""


def _merge(*values: object) -> Unknown:
    causes: frozenset[Cause] = frozenset()
    for value in values:
        if isinstance(value, Unknown):
            causes |= value.causes
    return Unknown(causes) if causes else UNDEFINED


# --- logic -----------------------------------------------------------------------------


def both(*operands: Value) -> Value:
    """Kleene's `and`."""
    if any(operand is False for operand in operands):
        return False
    if all(operand is True for operand in operands):
        return True
    return _merge(*operands)


def either(*operands: Value) -> Value:
    """Kleene's `or`."""
    if any(operand is True for operand in operands):
        return True
    if all(operand is False for operand in operands):
        return False
    return _merge(*operands)


def negate(operand: Value) -> Value:
    """Kleene's `not`."""
    return (not operand) if isinstance(operand, bool) else _merge(operand)


# --- comparison ------------------------------------------------------------------------


def equals(left: Value, right: Value) -> Value:
    """`==`. `Other` equals no member; two `Other` are compared as recorded."""
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return _merge(left, right)
    if isinstance(left, bool) != isinstance(right, bool):
        return False
    return left == right


def differs(left: Value, right: Value) -> Value:
    """`!=`."""
    return negate(equals(left, right))


def _order(left: Value, right: Value, test: Callable[[int], bool]) -> Value:
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return _merge(left, right)
    if isinstance(left, datetime) and isinstance(right, datetime):
        return test((left > right) - (left < right))
    pair = _numbers((left, right))
    return test((pair[0] > pair[1]) - (pair[0] < pair[1])) if pair else UNDEFINED


def exceeds(left: Value, right: Value) -> Value:
    """`>`; `a < b` is `exceeds(b, a)`."""
    return _order(left, right, lambda sign: sign > 0)


def reaches(left: Value, right: Value) -> Value:
    """`>=`; `a <= b` is `reaches(b, a)`."""
    return _order(left, right, lambda sign: sign >= 0)


def among(value: Value, members: Value) -> Value:
    """`in` over a set literal, a table's keys or a set cell."""
    if isinstance(value, Unknown) or isinstance(members, Unknown):
        return _merge(value, members)
    return isinstance(members, frozenset) and any(equals(value, member) is True for member in members)  # type: ignore[arg-type]  # members are values


def matches(value: Value, pattern: str) -> Value:
    """Whether the whole text matches the regular expression."""
    if isinstance(value, Unknown):
        return value
    return re.fullmatch(pattern, _text(value)) is not None


def starts_with(value: Value, prefix: str) -> Value:
    """Whether the text starts with `prefix`."""
    return value if isinstance(value, Unknown) else _text(value).startswith(prefix)


def _text(value: object) -> str:
    return value.text if isinstance(value, Other) else str(value)


# --- what is known ---------------------------------------------------------------------


def recorded(value: Value) -> Value:
    """`is recorded`: yes for a value and Other, no for Absent, unknown for the rest.

    A value that rests on several facts is not recorded only when every cause is Absent.
    """
    if not isinstance(value, Unknown):
        return True
    if value.causes and value.only(Kind.ABSENT):
        return False
    return value


def listed(value: Value) -> Value:
    """`is listed`: no for Other, unknown when unknown."""
    return value if isinstance(value, Unknown) else not isinstance(value, Other)


def valid(value: Value) -> Value:
    """`is valid` of a table's cell: no when the table says Invalid (held as Other)."""
    return listed(value)


def otherwise(value: Value, *alternatives: Value) -> Value:
    """`a otherwise b`: b only when a is Absent."""
    for alternative in alternatives:
        if not (isinstance(value, Unknown) and value.causes and value.only(Kind.ABSENT)):
            return value
        value = alternative
    return value


# --- arithmetic ------------------------------------------------------------------------


def _numbers(values: Iterable[object]) -> list[int | Fraction] | None:
    found: list[int | Fraction] = []
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
            return None
        found.append(value)
    return found


def plus(left: Value, right: Value) -> Value:
    """`+` of numbers; an instant and a duration in seconds give no value here."""
    pair = _numbers((left, right))
    return pair[0] + pair[1] if pair else _merge(left, right)


def minus(left: Value, right: Value) -> Value:
    """`-`; two instants give the seconds between them."""
    if isinstance(left, datetime) and isinstance(right, datetime):
        gap = left - right
        return Fraction(gap.days * 86_400_000_000 + gap.seconds * 1_000_000 + gap.microseconds, 1_000_000)
    pair = _numbers((left, right))
    return pair[0] - pair[1] if pair else _merge(left, right)


def times(left: Value, right: Value) -> Value:
    """`*`."""
    pair = _numbers((left, right))
    return pair[0] * pair[1] if pair else _merge(left, right)


def divide(left: Value, right: Value) -> Value:
    """`/`, exact; unknown when the divisor is zero."""
    pair = _numbers((left, right))
    if not pair:
        return _merge(left, right)
    return Fraction(pair[0]) / pair[1] if pair[1] else UNDEFINED


def modulo(left: Value, right: Value) -> Value:
    """`mod`, of the sign of the divisor; unknown when the divisor is zero."""
    pair = _numbers((left, right))
    if not pair:
        return _merge(left, right)
    if not pair[1]:
        return UNDEFINED
    remainder: int | Fraction = pair[0] % pair[1]
    return remainder


def absolute(value: Value) -> Value:
    """`abs`."""
    pair = _numbers((value,))
    return max(pair[0], -pair[0]) if pair else _merge(value)


def ceiling(value: Value) -> Value:
    """`ceil`, exact."""
    pair = _numbers((value,))
    return math.ceil(pair[0]) if pair else _merge(value)


def floor(value: Value) -> Value:
    """`floor`, exact."""
    pair = _numbers((value,))
    return math.floor(pair[0]) if pair else _merge(value)


def least_of(*values: Value) -> Value:
    """`min` of its arguments."""
    numbers = _numbers(values)
    return min(numbers) if numbers else _merge(*values)


def greatest_of(*values: Value) -> Value:
    """`max` of its arguments."""
    numbers = _numbers(values)
    return max(numbers) if numbers else _merge(*values)


# --- tables ----------------------------------------------------------------------------


def look_up(tables: Tables, table: str, key: Value, column: Value) -> Value:
    """`table[key].column`; unknown when key or column is unknown or not in the table.

    A cell that says Invalid is `Other("Invalid")`.
    """
    if isinstance(key, Unknown) or isinstance(column, Unknown):
        return _merge(key, column)
    row = tables[table].get(key) if isinstance(key, str) else None
    cell = row.get(column) if row is not None and isinstance(column, str) else None
    if cell is None:
        return UNDEFINED if row is None else Other("Invalid")
    return cell


# --- folds -----------------------------------------------------------------------------

Element = Callable[[Facts], Value]


def _always(_: Facts) -> Value:
    return True


def exists(listing: Value, condition: Element, where: Element = _always) -> Value:
    """`any(condition for x in listing where ...)`."""
    if not isinstance(listing, Listing):
        return _merge(listing)
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
        return _merge(listing)
    chosen: list[Facts] = []
    doubts: list[object] = [] if listing.more is None else [listing.more]
    for item in listing.items:
        taken = where(item)
        if isinstance(taken, Unknown):
            doubts.append(taken)
        elif taken is True:
            chosen.append(item)
    return _merge(*doubts) if doubts else chosen


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
        return _merge(*values)
    if kind == "distinct":
        return len({(isinstance(value, bool), value) for value in values})
    numbers = _numbers(values)
    if numbers is None:
        return UNDEFINED
    if kind == "sum":
        return sum(numbers, 0)
    if not numbers:
        return UNDEFINED
    if kind == "mean":
        return Fraction(sum(numbers, 0)) / len(numbers)
    return min(numbers) if kind == "least" else max(numbers)


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
        return [judge(statement, facts, _merge(listing))]
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
