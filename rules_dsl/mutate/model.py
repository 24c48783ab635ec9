"""What a mutant is: one edit of the document's text, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass

from rules_dsl.compile import Compiled
from rules_dsl.diagnostics import Collector, Span
from rules_dsl.semantics.defines import written_defines
from rules_dsl.semantics.lowering_state import Lowering
from rules_dsl.syntax import ast
from rules_dsl.syntax.parse import parse


@dataclass(frozen=True, slots=True)
class Mutant:
    """One edit. `span` is empty where words are only inserted."""

    span: Span
    old: str
    new: str
    kind: str
    part: str  # rule, define, table
    owner: str  # the clause, the derived fact or the table
    number: int = 0  # of the statement, from 1

    def applied(self, text: str) -> str:
        """The document with this edit."""
        return text[: self.span.start] + self.new + text[self.span.end :]

    @property
    def grows(self) -> int:
        """By how many characters the document grows."""
        return len(self.new) - (self.span.end - self.span.start)


@dataclass(frozen=True, slots=True)
class Written:
    """A compiled document with the trees that its authors wrote."""

    compiled: Compiled
    statements: dict[str, tuple[ast.Statement, ...]]
    defines: dict[str, ast.Define]

    @property
    def text(self) -> str:
        """The document's text."""
        return self.compiled.page.text


def read_written(compiled: Compiled) -> Written:
    """The trees of a document that compiles."""
    page, collect = compiled.page, Collector()
    statements = {}
    for clause in compiled.program.clauses:
        if clause.kind == "decidable":
            body = page.of(clause.rule, "rule")[0].body
            trees = parse(page.text, body, "rule", collect, compiled.vocabulary.prefixes)
            statements[clause.rule] = tuple(trees)
    work = Lowering(page, compiled.vocabulary, collect, {}, {})
    return Written(compiled, statements, written_defines(work))
