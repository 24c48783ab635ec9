"""What a cell of a cases table stands for: a member, a number with its unit, an instant, nothing."""

from __future__ import annotations

import re
from datetime import datetime
from fractions import Fraction

from engine.runtime.values import Kind, Other, Unknown, Value
from rules_dsl.diagnostics import Collector, Span, suggest
from rules_dsl.ir import Type
from rules_dsl.semantics.typecheck import Checker
from rules_dsl.units import DIGITS, UNITS, factor

NUMBER = re.compile(rf"(-?\d{{1,{DIGITS}}}(?:\.\d{{1,{DIGITS}}})?)(?: ([A-Za-z]+))?")
CLOCK = re.compile(r"([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,6}))?")
NOTHING = Other("-")
"""What `-` stands for in a list's column: this row is no element."""


def read_cell(
    raw: str, kind: Type, name: str, checker: Checker, span: Span, collect: Collector
) -> Value | None:
    """The value that a cell stands for; None when it cannot be read, which is told."""
    if raw in {"?", ""}:
        return Unknown.of(name, Kind.ABSENT)
    if raw == "-" and "." in name:
        return NOTHING
    if kind.kind == "enum":
        return _member(raw, kind, checker, span, collect)
    if kind.kind == "text" and raw != "-":
        return _unquoted(raw)
    whole = kind.kind == "number" and _declared(name, checker) == "integer"
    value = None if raw == "-" else _literal(raw, kind)
    if value is None or (whole and isinstance(value, Fraction)):
        what = kind.unit or (kind.kind if value is None else "integer")
        help_text = (
            "`-` stands in the columns of a list only; what is not recorded is `?`" if raw == "-" else ""
        )
        shown = raw if len(raw) <= 40 else raw[:40] + "..."
        collect.error("K008", f"`{shown}` is no {what}", span, help=help_text)
        return None
    return value


def _declared(name: str, checker: Checker) -> str:
    """The type that the vocabulary gives a column; nothing for a derived fact."""
    facts = checker.vocabulary.facts
    owner, _, part = name.rpartition(".")
    spec = next((f for f in facts[owner].fields if f.name == part), None) if owner else facts.get(name)
    return spec.type if spec is not None else ""


def _member(raw: str, kind: Type, checker: Checker, span: Span, collect: Collector) -> Value | None:
    members = checker.members(kind)
    if raw in members:
        return raw
    if len(raw) > 1 and raw[0] == raw[-1] == '"':
        given = raw[1:-1]
        spelled = (m for m, names in members.items() if given.lower() in {n.lower() for n in (m, *names)})
        member = next(spelled, None)
        if member is None:
            return Other(given, kind.of or "")
        message = f"`{raw}` is no other value: evidence that says so is read as {member}"
        collect.error("Y003", message, span, help=f"write {member} without quotes")
        return None
    help_text = suggest(raw, members) + '; a value that is none is quoted: "..."'
    collect.error("Y003", f"`{raw}` is no member of {kind.of}", span, help=help_text)
    return None


def _unquoted(raw: str) -> str:
    return raw[1:-1] if len(raw) > 1 and raw[0] == raw[-1] == '"' else raw


def _literal(raw: str, kind: Type) -> Value | None:
    """A yes or no, an instant, a number with or without its unit; for `any` whatever it looks like."""
    if kind.kind in {"bool", "any"} and raw in {"yes", "no"}:
        return raw == "yes"
    clock = CLOCK.fullmatch(raw) if kind.kind == "time" else None
    if clock is not None:
        hours, minutes, seconds = (int(clock[i]) for i in (1, 2, 3))
        return datetime(2000, 1, 1, hours, minutes, seconds, int((clock[4] or "0").ljust(6, "0")))
    number = NUMBER.fullmatch(raw) if kind.kind in {"number", "any"} else None
    if number is not None:
        return _number(Fraction(number[1]), number[2], kind)
    return _unquoted(raw) if kind.kind == "any" else None


def _number(value: Fraction, unit: str | None, kind: Type) -> Value | None:
    if unit is not None and unit != kind.unit:
        scale = factor(unit, kind.unit) if unit in UNITS and kind.unit in UNITS else None
        if scale is None:
            return None
        value *= scale
    return int(value) if value.denominator == 1 else value
