"""What the verdict column of a cases table, and all that explains a clause, calls a broken statement."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from engine.runtime.ruleset import Division
from rules_dsl import ir
from rules_dsl.vocabulary.divisions import costed, left_after

NEITHER = ("pass", "undetermined", "n/a")
"""Verdicts of a clause of which nothing is broken."""


def verdict_word(program: ir.Program, statement: ir.Statement) -> str:
    """The word of a broken statement: what the run can still be, or what it is told."""
    return words(program.divisions)[statement.level, statement.category]


@cache
def words(divisions: tuple[Division, ...]) -> Mapping[tuple[str, str], str]:
    """The words of a document by level and category, no word twice."""
    found = {("error", "all"): "INVALID"}
    found |= {("error", d.name): left_after(divisions, d.name).category for d in costed(divisions)}
    found["error", "package"] = "package"
    for level in ("warning", "note"):
        found[level, "all"] = level
    for name, said in (*((d.name, d.category) for d in costed(divisions)), ("package", "package")):
        found |= {(level, name): f"{said} {level}" for level in ("warning", "note")}
    return found
