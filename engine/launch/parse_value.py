"""Turns what is typed on the command line into the value that a fact declares.

A text is read by `engine.runtime.spelling`, as recorded evidence is. What is no value of the type at all is
refused with a sentence; what is merely no member stays visible, for the clauses to refuse.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction

from engine.runtime import host_lists, spelling
from engine.runtime.ruleset import FactSpec
from engine.runtime.values import Facts, Kind, Listing, Other, Unknown, Value

LARGEST = 10**15
"""No count or size of a run is near this; larger ones are slips of the keyboard."""

LONGEST = 40
"""More digits than any number of a run has, and more of a text than a message needs."""

SAID = {"yes": True, "on": True, "1": True, "no": False, "off": False, "0": False}
"""What people type for true and false, beside these words themselves."""


class BadValue(ValueError):
    """A text that is no value of its fact's type; the message completes `--option: `."""


def value_of(spec: FactSpec, texts: Sequence[str], processes: int | None = None) -> Value:
    """The value of a fact from the texts typed for it, in order.

    `processes` is what a host list's slots must add up to. Raises BadValue.
    """
    reader = spec.launch.reader if spec.launch is not None else None
    if reader == "hosts":
        return _counted(texts)
    if reader == "slots":
        return _slots(spec, texts, processes)
    if reader == "entries":
        return Listing(tuple(_entry(text) for text in _entries(texts)))
    if spec.type == "list":
        return Listing(tuple({spec.fields[0].name: text} for text in texts) if spec.fields else ())
    return scalar(spec, texts[-1])


def scalar(spec: FactSpec, text: str) -> Value:
    """One text as the fact's type. Evidence has its own reading: a file holds other spellings."""
    if spec.type == "bool":
        truth = SAID.get(text.strip().lower(), spelling.truth(text))
        if truth is None:
            raise BadValue(f"{clipped(text)} is neither yes nor no")
        return truth
    if spec.type == "enum":
        return fold(spec, text)
    if spec.type in ("integer", "number"):
        return number(text, whole=spec.type == "integer")
    if spec.type == "time":
        return _time(text)
    if spec.type == "any":
        return spelling.anything(text)
    if not text.strip():  # a blank path is an unset one
        return Unknown.of(spec.name, Kind.ABSENT)
    return spelling.path(text) if spec.type == "path" else text


def fold(spec: FactSpec, text: str) -> str | Other:
    """The member that a text names, in any letter case or as an alias; else the text as it is."""
    member = spelling.member(text, spec.members)
    return Other(text, spec.name) if member is None else member


def number(text: str, *, whole: bool) -> int | Fraction:
    """A count or a size: exact, not negative, of a size that a run can have."""
    word = text.strip()
    if len(word) > LONGEST:
        raise BadValue(f"{clipped(word)} is too long for a number")
    exact = spelling.number(word)
    if exact is None:
        raise BadValue(f"{clipped(text)} is not a number")
    if whole and exact.denominator != 1:
        raise BadValue(f"{clipped(text)} is not a whole number")
    if exact < 0:
        raise BadValue(f"{word} is negative")
    if exact > LARGEST:
        raise BadValue(f"{word} is too large")
    return exact


def _time(text: str) -> datetime:
    """A time, with its zone where that is typed."""
    found = spelling.instant(text)
    if found is None:
        raise BadValue(f"{clipped(text)} is not a time, such as 2026-07-08 06:46:13")
    return found


def clipped(text: str) -> str:
    """A text quoted for a message, cut when it is long."""
    return repr(text if len(text) <= LONGEST else text[:LONGEST] + "...")


def _counted(texts: Sequence[str]) -> int:
    own = host_lists.own_names()
    names = host_lists.names(texts, own)
    if not names:
        raise BadValue("no host is named")
    reason = host_lists.doubt(texts, own)
    if reason is not None:
        raise BadValue(f"how many hosts these are is not known: {reason}; name each by one name of its own")
    return len(names)


def _slots(spec: FactSpec, texts: Sequence[str], processes: int | None) -> Value:
    placed = host_lists.placement(texts, processes, host_lists.own_names())
    if placed is None:
        return Unknown.of(spec.name, Kind.ABSENT)
    field = spec.fields[0].name if spec.fields else "count"
    return Listing(tuple({field: count} for count in placed))


def _entries(texts: Sequence[str]) -> list[str]:
    """`k=v` texts; a comma separates entries only where another `k=` follows it."""
    return [part for text in texts for part in re.split(r"[,\s]+(?=[\w.]+=)", text.strip()) if part]


def _entry(text: str) -> Facts:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise BadValue(f"{clipped(text)} is not of the form key=value")
    return {"key": key.strip(), "value": spelling.anything(value.strip())}
