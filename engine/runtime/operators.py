"""Three-valued logic and exact arithmetic over facts: the operators of generated code.

Every function is total: an operand that is `Unknown` (or is no value the operation is
defined on) gives `Unknown`, never an exception; so does an `Other`, the word of which only
`recorded` and `listed` look at. `both`, `either` and `negate` are Kleene's strong
connectives. The interpreter of the rule language does not import this module; the two
are compared with each other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from fractions import Fraction

from engine.runtime.ruleset import Tables
from engine.runtime.values import MIXED, Cause, Kind, Other, Unknown, Value

UNDEFINED = Unknown(frozenset())
"""Unknown although every operand is known: a division by zero, the mean of nothing."""


def merged(*values: object) -> Unknown:
    """What is unknown of some values together; `UNDEFINED` when each of them is known."""
    causes: frozenset[Cause] = frozenset()
    for value in values:
        if isinstance(value, Unknown):
            causes |= value.causes
        elif isinstance(value, Other) and value.fact:
            causes |= {Cause(value.fact, Kind.UNREADABLE.value)}
    return Unknown(causes) if causes else UNDEFINED


VAGUE = (Unknown, Other)
"""Values that say nothing to an operator which needs to know."""


# --- logic -----------------------------------------------------------------------------


def both(*operands: Value) -> Value:
    """Kleene's `and`."""
    if any(operand is False for operand in operands):
        return False
    if all(operand is True for operand in operands):
        return True
    return merged(*operands)


def either(*operands: Value) -> Value:
    """Kleene's `or`."""
    if any(operand is True for operand in operands):
        return True
    if all(operand is False for operand in operands):
        return False
    return merged(*operands)


def negate(operand: Value) -> Value:
    """Kleene's `not`."""
    return (not operand) if isinstance(operand, bool) else merged(operand)


# --- comparison ------------------------------------------------------------------------


def equals(left: Value, right: Value) -> Value:
    """`==`. A word that is no member may mean any of them."""
    if isinstance(left, VAGUE) or isinstance(right, VAGUE):
        return merged(left, right)
    if isinstance(left, datetime) and isinstance(right, datetime) and not alike(left, right):
        return MIXED
    if isinstance(left, bool) != isinstance(right, bool):
        return False
    return left == right


def alike(left: datetime, right: datetime) -> bool:
    """Whether two times can be compared: both are instants, or both are of clocks whose zone is not known."""
    return (left.tzinfo is None) == (right.tzinfo is None)


def differs(left: Value, right: Value) -> Value:
    """`!=`."""
    return negate(equals(left, right))


def _order(left: Value, right: Value, test: Callable[[int], bool]) -> Value:
    if isinstance(left, VAGUE) or isinstance(right, VAGUE):
        return merged(left, right)
    if isinstance(left, datetime) and isinstance(right, datetime):
        if not alike(left, right):
            return MIXED
        return test((left > right) - (left < right))
    pair = numbers((left, right))
    return test((pair[0] > pair[1]) - (pair[0] < pair[1])) if pair else UNDEFINED


def exceeds(left: Value, right: Value) -> Value:
    """`>`; `a < b` is `exceeds(b, a)`."""
    return _order(left, right, lambda sign: sign > 0)


def reaches(left: Value, right: Value) -> Value:
    """`>=`; `a <= b` is `reaches(b, a)`."""
    return _order(left, right, lambda sign: sign >= 0)


def among(value: Value, members: Value) -> Value:
    """`in` over a set literal, a table's keys or a set cell."""
    if isinstance(value, VAGUE) or isinstance(members, VAGUE):
        return merged(value, members)
    if not isinstance(members, frozenset) or value not in members:
        return False
    # Python's sets take 1 for yes
    return not isinstance(value, int) or any(
        type(member) is type(value) for member in members if member == value
    )


def matches(value: Value, pattern: str) -> Value:
    """Whether the whole text matches the regular expression."""
    if isinstance(value, VAGUE):
        return merged(value)
    return re.fullmatch(pattern, str(value)) is not None


def starts_with(value: Value, prefix: str) -> Value:
    """Whether the text starts with `prefix`."""
    return merged(value) if isinstance(value, VAGUE) else str(value).startswith(prefix)


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


def numbers(values: Iterable[object]) -> list[int | Fraction] | None:
    """The values when all are numbers; None otherwise, truth values included."""
    found: list[int | Fraction] = []
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
            return None
        found.append(value)
    return found


def plus(left: Value, right: Value) -> Value:
    """`+` of numbers; an instant and a duration in seconds give no value here."""
    pair = numbers((left, right))
    return pair[0] + pair[1] if pair else merged(left, right)


def seconds(gap: timedelta) -> Fraction:
    """The length of a time, exactly."""
    return Fraction(gap.days * 86_400_000_000 + gap.seconds * 1_000_000 + gap.microseconds, 1_000_000)


def minus(left: Value, right: Value) -> Value:
    """`-`; two instants give the seconds between them."""
    if isinstance(left, datetime) and isinstance(right, datetime):
        return seconds(left - right) if alike(left, right) else MIXED
    pair = numbers((left, right))
    return pair[0] - pair[1] if pair else merged(left, right)


def times(left: Value, right: Value) -> Value:
    """`*`."""
    pair = numbers((left, right))
    return pair[0] * pair[1] if pair else merged(left, right)


def divide(left: Value, right: Value) -> Value:
    """`/`, exact; unknown when the divisor is zero."""
    pair = numbers((left, right))
    if not pair:
        return merged(left, right)
    return Fraction(pair[0]) / pair[1] if pair[1] else UNDEFINED


def modulo(left: Value, right: Value) -> Value:
    """`mod`, of the sign of the divisor; unknown when the divisor is zero."""
    pair = numbers((left, right))
    if not pair:
        return merged(left, right)
    if not pair[1]:
        return UNDEFINED
    remainder: int | Fraction = pair[0] % pair[1]
    return remainder


def absolute(value: Value) -> Value:
    """`abs`."""
    pair = numbers((value,))
    return max(pair[0], -pair[0]) if pair else merged(value)


def ceiling(value: Value) -> Value:
    """`ceil`, exact."""
    pair = numbers((value,))
    return math.ceil(pair[0]) if pair else merged(value)


def floor(value: Value) -> Value:
    """`floor`, exact."""
    pair = numbers((value,))
    return math.floor(pair[0]) if pair else merged(value)


def least_of(*values: Value) -> Value:
    """`min` of its arguments."""
    found = numbers(values)
    return min(found) if found else merged(*values)


def greatest_of(*values: Value) -> Value:
    """`max` of its arguments."""
    found = numbers(values)
    return max(found) if found else merged(*values)


# --- tables ----------------------------------------------------------------------------


def look_up(tables: Tables, table: str, key: Value, column: Value) -> Value:
    """`table[key].column`; unknown when key or column is unknown or not in the table.

    A cell that says Invalid is `Other("Invalid")`.
    """
    if isinstance(key, VAGUE) or isinstance(column, VAGUE):
        return merged(key, column)
    row = tables[table].get(key) if isinstance(key, str) else None
    cell = row.get(column) if row is not None and isinstance(column, str) else None
    if cell is None:
        return UNDEFINED if row is None else Other("Invalid")
    return cell
