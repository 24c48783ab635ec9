"""Pass 6: every statement and every conflict of a program gets its sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rules_dsl import ir
from rules_dsl.english.sentence import English
from rules_dsl.vocabulary.fact_names import Words


def describe(program: ir.Program, words: Mapping[str, Words]) -> ir.Program:
    """The program with the breach sentences of a document's own words."""
    english = English(words)
    return replace(
        program,
        conflicts=tuple(
            replace(c, breach=english.breach(_told(c), None, None, None, None)) for c in program.conflicts
        ),
        clauses=tuple(
            replace(clause, statements=tuple(_described(s, english) for s in clause.statements))
            for clause in program.clauses
        ),
    )


def _told(conflict: ir.Conflict) -> ir.Node:
    """What is said of a conflict: how it shows; of a bound what should hold."""
    expr = conflict.expr
    return expr.operands[0] if conflict.bound and isinstance(expr, ir.Op) else expr


def _described(stated: ir.Statement, english: English) -> ir.Statement:
    breach = english.breach(stated.condition, stated.guard, stated.each, stated.since, stated.until)
    return replace(stated, breach=breach)
