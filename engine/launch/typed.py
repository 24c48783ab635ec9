"""Turns what is typed on the command line into the value that a fact declares.

Spelling is forgiven here and nowhere else: letter case and aliases fold to the member, a number
may have leading zeros, a path a trailing slash. What is no value of the type at all is refused
with a sentence; what is merely no member stays visible, for the clauses to refuse.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from engine.evidence import Malformed, Missing
from engine.evidence.coerce import coerce
from engine.launch import hosts
from engine.ruleset import FactSpec
from engine.values import Facts, Kind, Listing, Unknown, Value

LARGEST = 10**15
"""No count or size of a run is near this; larger ones are slips of the keyboard."""

LONGEST = 40
"""More digits than any number of a run has, and more of a text than a message needs."""

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,2})?", re.ASCII)

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
    """One text as the fact's type: as evidence reads it, less what no command line means."""
    if spec.type == "bool":
        truth = TRUTH.get(text.strip().lower())
        if truth is None:
            raise BadValue(f"{clipped(text)} is neither yes nor no")
        return truth
    if spec.type in ("integer", "number") and len(text) > LONGEST:
        raise BadValue(f"{clipped(text)} is too long for a number")
    if spec.type == "any":
        return anything(text)
    value = coerce(text, spec)
    if isinstance(value, Missing):  # a blank path is an unset one
        return Unknown.of(spec.name, Kind.ABSENT)
    if isinstance(value, Malformed):
        raise BadValue(value.reason)
    if spec.type in ("integer", "number") and isinstance(value, (int, Fraction)):
        if value < 0:
            raise BadValue(f"{text.strip()} is negative")
        if value > LARGEST:
            raise BadValue(f"{text.strip()} is too large")
    return value


def clipped(text: str) -> str:
    """A text quoted for a message, cut when it is long."""
    return repr(text if len(text) <= LONGEST else text[:LONGEST] + "...")


def anything(text: str) -> Value:
    """A text of undeclared type: yes or no, a number, or itself."""
    word = text.strip().lower()
    if word in ("true", "false"):
        return word == "true"
    if len(word) <= LONGEST and NUMBER.fullmatch(word):
        exact = Fraction(word)
        return exact.numerator if exact.denominator == 1 else exact
    return text


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
