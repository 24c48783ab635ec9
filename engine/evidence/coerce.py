"""Turns a recorded value into the typed value that its fact declares.

A text is read by `engine.runtime.spelling`; here stands what JSON and YAML may hold beside texts, and what
is malformed for a type: what no tool means by a number ("sixty-four", NaN) is never a guess.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from datetime import datetime
from fractions import Fraction

from engine.evidence import MISSING, Malformed, Missing
from engine.evidence.documents import describe
from engine.runtime import spelling
from engine.runtime.ruleset import FactSpec
from engine.runtime.values import Facts, Listing, Other, Value, show

Typed = Value | Missing | Malformed


def coerce(raw: object, spec: FactSpec) -> Typed:
    """The value of the fact when `raw` is what stands there.

    `MISSING` for null, and for a blank text where that means unset (text and path).
    """
    if raw is None or raw is MISSING or isinstance(raw, Malformed):
        return MISSING if raw is None or raw is MISSING else raw
    return _TYPES[spec.type](raw, spec)


def number(raw: object) -> int | Fraction | None:
    """A recorded number, exactly; None when it is none."""
    if isinstance(raw, bool):
        return None
    if isinstance(raw, (int, Fraction)):
        return raw
    if isinstance(raw, float):
        return Fraction(repr(raw)) if math.isfinite(raw) else None
    return spelling.number(raw) if isinstance(raw, str) else None


def truth(raw: object) -> bool | None:
    """A recorded truth value; None when it is none."""
    if isinstance(raw, bool):
        return raw
    return spelling.truth(raw) if isinstance(raw, str) else None


def instant(raw: object) -> datetime | None:
    """A recorded time: an instant where its zone is written with it; None when it is none."""
    if isinstance(raw, datetime):
        return spelling.reachable(raw)
    return spelling.instant(raw) if isinstance(raw, str) else None


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
    return spelling.path(raw) if raw.strip() else MISSING


def _time(raw: object, _: FactSpec) -> Typed:
    value = instant(raw)
    return Malformed(f"is {describe(raw)}, not a time") if value is None else value


def _enum(raw: object, spec: FactSpec) -> Typed:
    if isinstance(raw, (str, bool, int, Fraction)):
        text = raw if isinstance(raw, str) else describe(raw)
        member = spelling.member(text, spec.members)
        return Other(text, spec.name) if member is None else member
    return Malformed(f"is {describe(raw)}, not a name")


def _any(raw: object, _: FactSpec) -> Typed:
    if isinstance(raw, str):
        return spelling.anything(raw)
    if isinstance(raw, (bool, datetime)):
        return raw
    value = number(raw)
    if value is not None:
        return value
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
