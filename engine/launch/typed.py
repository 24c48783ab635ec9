"""Turns what is typed on the command line into the value that a fact declares.

Spelling is forgiven here and nowhere else: letter case and aliases fold to the member, a number
may have leading zeros, a path a trailing slash. What is no value of the type at all is refused
with a sentence; what is merely no member stays visible, for the clauses to refuse.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction

from engine.launch import hosts
from engine.ruleset import FactSpec
from engine.values import Facts, Kind, Listing, Other, Unknown, Value

LARGEST = 10**15
"""No count or size of a run is near this; larger ones are slips of the keyboard."""

INTEGER = re.compile(r"\s*[+-]?\d{1,40}\s*", re.ASCII)
NUMBER = re.compile(r"\s*[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,2})?\s*", re.ASCII)
DIGITS_ONLY = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)

TRUTH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


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
    """One text as the fact's type."""
    kind = spec.type
    if kind == "bool":
        truth = TRUTH.get(text.strip().lower())
        if truth is None:
            raise BadValue(f"{text!r} is neither yes nor no")
        return truth
    if kind == "enum":
        return fold(spec, text)
    if kind in ("integer", "number"):
        return number(text, whole=kind == "integer")
    if kind == "time":
        return _time(text)
    if not text.strip():
        return Unknown.of(spec.name, Kind.ABSENT)  # a blank path is an unset one
    if kind == "path":
        return path(text)
    return anything(text) if kind == "any" else text


def fold(spec: FactSpec, text: str) -> str | Other:
    """The member that a text names, in any letter case or as an alias; else the text as it is."""
    wanted = text.strip().casefold()
    for member, aliases in (spec.members or {}).items():
        if wanted in {name.casefold() for name in (member, *aliases)}:
            return member
    return Other(text)


def number(text: str, *, whole: bool) -> int | Fraction:
    """A count or a size: exact, not negative, of a size that a run can have."""
    if DIGITS_ONLY.fullmatch(text) and len(text) > 40:
        raise BadValue("the number is too large")
    if not (INTEGER if whole else NUMBER).fullmatch(text):
        raise BadValue(f"{clipped(text)} is not a {'whole ' if whole else ''}number")
    exact = Fraction(text.strip())
    if exact < 0:
        raise BadValue(f"{clipped(text)} is negative")
    if exact > LARGEST:
        raise BadValue("the number is too large")
    return exact.numerator if exact.denominator == 1 else exact


def clipped(text: str, longest: int = 40) -> str:
    """A text quoted for a message, cut when it is long."""
    return repr(text if len(text) <= longest else text[:longest] + "...")


def path(text: str) -> str:
    """A path in one spelling: no trailing slash, no `.` and no `//`. URIs keep their scheme."""
    scheme, mark, rest = text.strip().partition("://")
    if mark:
        return f"{scheme}://{posixpath.normpath(rest) if rest else ''}"
    plain = posixpath.normpath(text.strip())
    return plain[1:] if plain.startswith("//") else plain


def anything(text: str) -> Value:
    """A text of undeclared type: yes or no, a number, or itself."""
    word = text.strip().lower()
    if word in ("true", "false"):
        return word == "true"
    if NUMBER.fullmatch(text):
        exact = Fraction(text.strip())
        return exact.numerator if exact.denominator == 1 else exact
    return text


def _time(text: str) -> datetime:
    try:
        instant = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise BadValue(f"{clipped(text)} is not a time, such as 2026-07-08 06:46:13") from error
    return instant.replace(tzinfo=None)


def _counted(texts: Sequence[str]) -> int:
    names = hosts.names(texts)
    if not names:
        raise BadValue("no host is named")
    return len(names)


def _slots(spec: FactSpec, texts: Sequence[str], processes: int | None) -> Value:
    placed = hosts.placement(texts, processes)
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
    return {"key": key.strip(), "value": anything(value.strip())}
