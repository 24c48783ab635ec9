"""The sentences of a rule's text over a vocabulary that was compiled once.

Compiling a whole document for each of some thousand changed statements would take minutes; this
types and renders one rule through the compiler's public parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from rules_dsl import ir
from rules_dsl.compile import Compiled, compile_text, read_text
from rules_dsl.diagnostics import Collector, Span
from rules_dsl.english.sentence import English, head
from rules_dsl.semantics.resolve import Stop
from rules_dsl.semantics.typecheck import Checker
from rules_dsl.syntax import ast
from rules_dsl.syntax.parse import parse
from tests.command import ROOT
from tests.rules_dsl.documents import clause, sound
from tests.rules_dsl.normal import Key, normal

RULES = ROOT / "Rules.md"

LEVELS = {"error": "error", "warn": "warning", "note": "note"}


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement twice: as what it says, and as the quoted sentence."""

    said: Key
    sentence: str


def readings(found: Compiled, rule: str) -> list[Reading] | None:
    """The statements of a rule's text; None when it does not compile."""
    collect = Collector()
    statements = parse(rule, Span(0, len(rule)), "rule", collect, found.vocabulary.prefixes)
    if statements is None:
        return None
    try:
        return [_reading(found, s, collect) for s in statements if isinstance(s, ast.Statement)]
    except Stop:
        return None


def _reading(found: Compiled, written: ast.Statement, collect: Collector) -> Reading:
    types = {d.name: (d.scope, d.expr.type) for d in found.program.defines}
    each = None
    bound: dict[str, str] = {}
    where = None
    if written.each is not None:
        bound = dict.fromkeys(written.each.names, written.each.listing)
        first = Checker(found.vocabulary, types, collect, {written.each.names[0]: written.each.listing})
        where = first.condition(written.each.where) if written.each.where is not None else None
        each = ir.ForEach(written.each.names, first.listing(written.each.listing, written.each.mark), where)
    checker = Checker(found.vocabulary, types, collect, bound)
    guards = [checker.condition(g) for g in written.guards]
    guard = None
    if guards:
        guard = guards[0] if len(guards) == 1 else ir.Op(guards[0].span, guards[0].type, "and", tuple(guards))
    condition = checker.condition(written.condition)
    breach = English(found.vocabulary.words).breach(condition, guard, each, written.since, written.until)
    begun = head(found.program.divisions, written.category, LEVELS[written.level])
    told = (
        written.level,
        written.category,
        written.since,
        written.until,
        normal(guard),
        () if each is None else (each.names, each.listing.name, normal(each.where)),
        normal(condition),
    )
    return Reading(told, f"{begun}: {breach}.")


@cache
def small() -> Compiled:
    """A compiled document with the small vocabulary."""
    return sound(clause("error if flag"))


@cache
def whole() -> Compiled:
    """The compiled rules."""
    return compile_text(read_text(RULES), "Rules.md")


def sentence(rule: str) -> str:
    """The sentence of a rule's first statement over the small vocabulary."""
    found = readings(small(), rule)
    assert found is not None, rule
    return found[0].sentence
