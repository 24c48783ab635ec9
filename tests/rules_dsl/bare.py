"""A compiled document without where it was read: what must be equal before and after `fmt`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from rules_dsl.compile import Compiled, compile_text
from rules_dsl.diagnostics import Collector, Span
from rules_dsl.verify.cases import read_cases

PLACES = {"span", "line", "digest", "verdict_span", "spans", "mark", "named"}


def bare(value: object) -> object:
    """A value of nested dataclasses without spans, lines and digests."""
    if isinstance(value, Span):
        return None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [f.name for f in dataclasses.fields(value) if f.name not in PLACES]
        return (type(value).__name__, *((name, bare(getattr(value, name))) for name in fields))
    if isinstance(value, Mapping):
        return {key: bare(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [bare(item) for item in value]
    return value


def meaning(text: str) -> object:
    """Everything that a document means: its program and its cases, or its errors in words."""
    found = compile_text(text, "Doc.md")
    if found.errors:
        return [(d.code, d.message) for d in found.errors]
    return bare(dataclasses.replace(found.program, text="")), _cases(found)


def _cases(found: Compiled) -> list[object]:
    told = Collector()
    parts = (found.page, found.vocabulary, found.program)
    cases = [bare(case) for clause in found.program.clauses for case in read_cases(*parts, clause, told)]
    return [cases, [(d.code, d.message) for d in told.found]]
