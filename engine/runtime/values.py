"""The values a fact can have, shared by evidence, interpreter and generated code.

A fact is a value, `Other` (recorded, but no member of its enumeration) or `Unknown`.
Numbers are exact: `int` or `Fraction`, never `float`. A quantity is held in the unit its
fact declares; durations are seconds, times `datetime`s: an instant where a zone is recorded
with it, else naive, which is what a clock of an unknown zone showed.

Named tuples and no dataclasses, here and in `ruleset`: importing those costs the gate a third of its start.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction
from typing import NamedTuple, TypeAlias


class Kind(enum.Enum):
    """Why a fact is not known."""

    ABSENT = "absent"  # the source was read and holds nothing there; null counts
    UNREADABLE = "unreadable"  # the source is missing or malformed, or sources disagree
    DEFERRED = "deferred"  # known only after the run


class Cause(NamedTuple):
    """One fact that is not known, and why (`kind` is a value of `Kind`)."""

    fact: str
    kind: str


class Unknown(NamedTuple):
    """A value that is not known. `causes` names every fact that it depends on and lacks."""

    causes: frozenset[Cause]

    @classmethod
    def of(cls, fact: str, kind: Kind) -> Unknown:
        """The unknown value of one fact."""
        return cls(frozenset({Cause(fact, kind.value)}))

    def only(self, kind: Kind) -> bool:
        """Whether every cause is of this kind."""
        return all(cause.kind == kind.value for cause in self.causes)


ZONELESS = "zoneless"
"""The kind of the cause of `MIXED`: no fact is missing, and yet nothing follows."""

MIXED = Unknown(frozenset({Cause("a time", ZONELESS)}))
"""What follows from a time with its zone and one without: nobody knows how far they lie apart."""


class Other(NamedTuple):
    """A recorded word that is no member of the enumeration of `fact`; `text` is as recorded.

    Nobody can say what it means: an operator that needs its value makes it `Unknown`. A cell of a
    table that says Invalid is of no fact.
    """

    text: str
    fact: str = ""


class Listing(NamedTuple):
    """A list fact: records in order. `more` is set when further elements may exist."""

    items: tuple[Facts, ...]
    more: Unknown | None = None


Value: TypeAlias = bool | int | Fraction | str | datetime | frozenset[object] | Other | Listing | Unknown
"""What a fact or an expression can be. A member is its name, a `str`; a set is a table's cell."""

Facts: TypeAlias = Mapping[str, Value]
"""Facts of one subject by name. A name that is missing from the mapping is Absent."""


def read(facts: Facts, name: str) -> Value:
    """The fact's value; a name that the mapping lacks is Absent."""
    value = facts.get(name)
    return Unknown.of(name, Kind.ABSENT) if value is None else value


def show(value: object) -> str:
    """A value as people read it, without its unit: `yes`, `5.33`, `llama3-13b`, `not recorded`."""
    if value is True:
        return "yes"
    if value is False:
        return "no"
    if isinstance(value, Fraction):
        return str(value.numerator) if value.denominator == 1 else f"{float(value):.2f}"
    if isinstance(value, Other):
        return value.text
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Listing):
        return f"{len(value.items)} entries"
    if isinstance(value, Unknown):
        return " and ".join(sorted({WORDS[c.kind] for c in value.causes}))
    if isinstance(value, frozenset):
        return ", ".join(sorted(show(v) for v in value))
    return str(value)


WORDS = {
    Kind.ABSENT.value: "not recorded",
    Kind.UNREADABLE.value: "not readable",
    Kind.DEFERRED.value: "known after the run",
    ZONELESS: "recorded without its zone beside one with a zone",
}
