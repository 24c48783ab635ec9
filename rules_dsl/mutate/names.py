"""What a name could be mistaken for: a fact, element, column, table or list of the same type."""

from __future__ import annotations

from collections.abc import Iterator

from rules_dsl.diagnostics import Span
from rules_dsl.mutate.tokens import Edit
from rules_dsl.semantics.typecheck import Checker
from rules_dsl.syntax import ast
from rules_dsl.vocabulary.tables import Table


def path_edits(path: ast.Path, checker: Checker) -> Iterator[Edit]:
    """Every other name that fits where a path stands."""
    start = Span(path.span.start, path.span.start + len(path.name))
    if path.name in checker.bound:
        yield from _element(path, start, checker)
    elif path.name in checker.vocabulary.tables:
        yield from _table(path, start, checker)
    elif not path.steps:
        for name in like(path.name, checker):
            yield Edit(start, name, "fact")


def like(name: str, checker: Checker) -> list[str]:
    """The facts, derived ones included, of a fact's type and scope."""
    kind = checker.fact_type(name)
    if kind is None or kind.kind == "list":
        return []
    known = dict.fromkeys([*checker.vocabulary.facts, *checker.defines])
    return [
        n
        for n in known
        if n != name and checker.fact_type(n) == kind and _scope(n, checker) == _scope(name, checker)
    ]


def lists(name: str, checker: Checker) -> list[str]:
    """The other list facts; one that holds other things does not compile in its place."""
    return [n for n, spec in checker.vocabulary.facts.items() if spec.type == "list" and n != name]


def _scope(name: str, checker: Checker) -> str:
    if name in checker.defines:
        return checker.defines[name][0]
    return checker.vocabulary.facts[name].scope


def _element(path: ast.Path, start: Span, checker: Checker) -> Iterator[Edit]:
    listing = checker.bound[path.name]
    for name, other in checker.bound.items():
        if name != path.name and other == listing:
            yield Edit(start, name, "element")
    step = path.steps[0]
    if isinstance(step, ast.Field):
        known = checker.element_types(listing)
        for name, kind in known.items():
            if name != step.name and kind == known.get(step.name):
                yield Edit(_name(step), name, "fact")


def _table(path: ast.Path, start: Span, checker: Checker) -> Iterator[Edit]:
    table = checker.vocabulary.tables[path.name]
    for name, other in checker.vocabulary.tables.items():
        if name != path.name and other.key == table.key:
            yield Edit(start, name, "table")
    if len(path.steps) != 2:
        return
    row, column = path.steps
    if isinstance(row, ast.Field):
        yield from (Edit(_name(row), name, "row") for name in _rows(table) if name != row.name)
    if isinstance(column, ast.Field):
        shape = table.columns[column.name]
        for name, other_shape in table.columns.items():
            if name != column.name and other_shape == shape:
                yield Edit(_name(column), name, "column")


def _rows(table: Table) -> list[str]:
    """The rows of a table that can be named after a dot."""
    return ["".join(c if c.isalnum() else "_" for c in key.lower()) for key in table.cells]


def _name(step: ast.Field) -> Span:
    return Span(step.span.end - len(step.name), step.span.end)
