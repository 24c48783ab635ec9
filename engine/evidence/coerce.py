"""Turns a recorded value into the typed value that its fact declares.

The spellings that real tools write are folded here and nowhere else: "64" for 64, "True" for
yes, any letter case of an enumeration's members and aliases. What no tool means by a number
("sixty-four", NaN) is malformed, never a guess.
"""

from __future__ import annotations

import json
import math
import posixpath
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from fractions import Fraction

from engine.evidence import MISSING, Malformed, Missing
from engine.evidence.documents import Refused, describe, exact
from engine.ruleset import FactSpec
from engine.values import Facts, Listing, Other, Value, show

Typed = Value | Missing | Malformed

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_INSTANT = re.compile(
    r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?) ?(?:Z|UTC|[+-]\d\d:?\d\d)?", re.ASCII | re.IGNORECASE
)
_STAMP = re.compile(r"\d{8}_\d{6}", re.ASCII)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
DIGITS_LIMIT = 400


def coerce(raw: object, spec: FactSpec) -> Typed:
    """The value of the fact when `raw` is what stands there.

    `MISSING` for null, and for a blank text where that means unset (text and path).
    """
    if raw is None or raw is MISSING or isinstance(raw, Malformed):
        return MISSING if raw is None or raw is MISSING else raw
    return _TYPES[spec.type](raw, spec)


def fold(text: str, spec: FactSpec) -> str | None:
    """The member of the enumeration that a spelling stands for; None when it is none."""
    wanted = text.strip().casefold()
    for member, aliases in (spec.members or {}).items():
        if wanted == member.casefold() or any(wanted == alias.casefold() for alias in aliases):
            return member
    return None


def number(raw: object) -> int | Fraction | None:
    """A recorded number, exactly; None when it is none."""
    if isinstance(raw, bool):
        return None
    if isinstance(raw, (int, Fraction)):
        return raw
    if isinstance(raw, float):
        return Fraction(repr(raw)) if math.isfinite(raw) else None
    if not isinstance(raw, str) or len(raw) > DIGITS_LIMIT or not _NUMBER.fullmatch(raw.strip()):
        return None
    try:
        value = exact(raw.strip())
    except Refused:
        return None
    return value.numerator if value.denominator == 1 else value


def truth(raw: object) -> bool | None:
    """A recorded truth value; None when it is none."""
    if isinstance(raw, bool):
        return raw
    return {"true": True, "false": False}.get(raw.strip().lower()) if isinstance(raw, str) else None


def instant(raw: object) -> datetime | None:
    """A recorded time as its own clock showed it; a zone that is written with it is dropped."""
    if isinstance(raw, datetime):
        return raw.replace(tzinfo=None)
    if not isinstance(raw, str):
        return None
    text = raw.strip()
    try:
        if _STAMP.fullmatch(text):
            return datetime.strptime(text, "%Y%m%d_%H%M%S")
        found = _INSTANT.fullmatch(text)
        return datetime.fromisoformat(found[1]) if found else None
    except ValueError:  # the 30th of February
        return None


def normalise(text: str) -> str:
    """A path without doubled or trailing slashes and `.` steps; a `scheme://` is kept."""
    scheme = _SCHEME.match(text)
    head, rest = (scheme[0], text[scheme.end() :]) if scheme else ("", text)
    if scheme:
        return head + (posixpath.normpath(rest).lstrip("/") if rest.strip("/") else "")
    plain = posixpath.normpath(rest)
    return "/" + plain.lstrip("/") if plain.startswith("/") else plain


def _bool(raw: object, _: FactSpec) -> Typed:
    value = truth(raw)
    return Malformed(f"is {describe(raw)}, neither true nor false") if value is None else value


def _integer(raw: object, _: FactSpec) -> Typed:
    value = number(raw)
    if value is None or (isinstance(value, Fraction) and value.denominator != 1):
        return Malformed(f"is {describe(raw)}, not a whole number")
    return int(value)


def _number(raw: object, _: FactSpec) -> Typed:
    value = number(raw)
    return Malformed(f"is {describe(raw)}, not a number") if value is None else value


def _text(raw: object, _: FactSpec) -> Typed:
    if isinstance(raw, str):
        return raw if raw.strip() else MISSING
    if isinstance(raw, (int, Fraction)) and not isinstance(raw, bool):  # an unquoted version in YAML
        return describe(raw)
    return Malformed(f"is {describe(raw)}, not a text")


def _path(raw: object, _: FactSpec) -> Typed:
    if not isinstance(raw, str):
        return Malformed(f"is {describe(raw)}, not a path")
    return normalise(raw.strip()) if raw.strip() else MISSING


def _time(raw: object, _: FactSpec) -> Typed:
    value = instant(raw)
    return Malformed(f"is {describe(raw)}, not a time") if value is None else value


def _enum(raw: object, spec: FactSpec) -> Typed:
    if isinstance(raw, (str, bool, int, Fraction)):
        text = raw if isinstance(raw, str) else describe(raw)
        member = fold(text, spec)
        return Other(text) if member is None else member
    return Malformed(f"is {describe(raw)}, not a name")


def _any(raw: object, _: FactSpec) -> Typed:
    if isinstance(raw, (bool, int, Fraction, str, datetime)):
        return raw
    try:
        return json.dumps(raw, sort_keys=True, default=show)
    except (TypeError, ValueError, RecursionError):
        return Malformed(f"is {describe(raw)} that cannot be shown")


def _list(raw: object, spec: FactSpec) -> Typed:
    if not isinstance(raw, (list, tuple)):
        return Malformed(f"is {describe(raw)}, not a list")
    items: list[Facts] = []
    for place, element in enumerate(raw, start=1):
        if not isinstance(element, Mapping):
            return Malformed(f"has {describe(element)} as element {place}, not a mapping")
        facts: dict[str, Value] = {}
        for field in spec.fields:
            value = coerce(element.get(field.name), field)
            if isinstance(value, Malformed):
                return Malformed(f"has an element {place} whose {field.name} {value.reason}")
            if not isinstance(value, Missing):
                facts[field.name] = value
        items.append(facts)
    return Listing(tuple(items))


_TYPES: Mapping[str, Callable[[object, FactSpec], Typed]] = {
    "bool": _bool,
    "integer": _integer,
    "number": _number,
    "text": _text,
    "path": _path,
    "time": _time,
    "enum": _enum,
    "any": _any,
    "list": _list,
}
