"""What a check says of a table's row, put into words that any expression may use.

A check speaks of a row (`m.tp`), of all rows (`count(o in checkpoint_overrides where ...)`) and of what
follows from a row (`layout_size(m)`). All of it is known when the document is read, so it is replaced
by cells and literals before the expression is typed: the checker and the interpreter learn no new form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import TypeVar, cast

from engine.runtime.spelling import member
from engine.runtime.values import Value
from engine.sizing import COLUMNS, GIB, checkpoint, layout_of
from rules_dsl import ir
from rules_dsl.diagnostics import Span
from rules_dsl.evaluate.interpreter import Interpreter
from rules_dsl.semantics.resolve import row_key
from rules_dsl.semantics.typecheck import Checker
from rules_dsl.syntax import ast

Rows = Mapping[str, tuple[str, str]]
"""A loop's name -> the table and the key that it stands for."""
FITTING = dict.fromkeys(COLUMNS, 1)
"""A row that has a layout: a cell that spoils it is one at fault."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Binder:
    """Replaces what rests on rows. Raises Stop where that cannot be done."""

    program: ir.Program
    checker: Checker

    def bind(self, expr: T, rows: Rows) -> T:
        """The expression with each loop's name standing for one key of its table."""
        return cast(T, self._bound(expr, rows))

    def truth(self, expr: ast.Expr) -> Value:
        """The value of a bound condition that rests on tables alone."""
        return Interpreter(self.program, {}).value(self.checker.condition(expr), {})

    def value(self, expr: ast.Expr) -> tuple[Value, ir.Type]:
        """The value of a bound expression that rests on tables alone, and its type."""
        node = self.checker.node(expr)
        return Interpreter(self.program, {}).value(node, {}), node.type

    def _bound(self, part: object, rows: Rows) -> object:
        match part:
            case ast.Path() if part.name in rows:
                return self._cell(part, rows)
            case ast.Apply(op="layout_size" | "layout_files"):
                return self._layout(part, rows)
            case ast.Apply(op="member"):
                return self._member(part, rows)
            case ast.Fold() if part.listing in self.program.tables:
                return self._fold(part, rows)
            case tuple():
                return tuple(self._bound(item, rows) for item in part)
            case _ if is_dataclass(part) and not isinstance(part, (type, Span)):
                changed = {f.name: self._bound(getattr(part, f.name), rows) for f in fields(part)}
                return replace(part, **changed)
        return part

    def _cell(self, path: ast.Path, rows: Rows) -> ast.Expr:
        """`m.key` as the key itself and `m.column` as that key's cell."""
        table, key = rows[path.name]
        here = ast.Text(path.span, key)
        if len(path.steps) != 1:
            message = f"`{path.name}` is a row of {table}: name a cell, as `{path.name}.column`"
            self.checker.stop("N002", message, path.span)
        (step,) = path.steps
        if isinstance(step, ast.Field) and step.name == "key":
            return here
        if isinstance(step, ast.Key):
            step = replace(step, expr=self.bind(step.expr, rows))
        return ast.Path(path.span, table, (ast.Key(step.span, here), step))

    def _layout(self, call: ast.Apply, rows: Rows) -> ast.Expr:
        """What a run of the row's own process count writes for one checkpoint: GiB, or files."""
        row = call.operands[0]
        if len(call.operands) != 1 or not isinstance(row, ast.Path) or row.steps or row.name not in rows:
            self.checker.stop("X006", f"`{call.op}` is of one row: name the loop's row in it", call.span)
        table, key = rows[row.name]
        cells = self.program.tables[table][key]
        layout = layout_of(cells)
        if layout is None:
            bad = [c for c in COLUMNS if layout_of({**FITTING, c: cells.get(c, "")}) is None]
            spans = self.checker.vocabulary.tables[table].spans
            message = f"no layout for {key}: it needs whole numbers in {', '.join(bad)}"
            self.checker.stop("X006", message, spans.get((key, bad[0]), call.span))
        size = checkpoint(layout, layout.total_processes)
        if call.op == "layout_files":
            return ast.Number(call.span, str(size.files), None)
        return ast.Number(call.span, str(Fraction(size.total, GIB)), "GiB")

    def _member(self, call: ast.Apply, rows: Rows) -> ast.Expr:
        """The member of an enumeration that a text spells, itself or by an alias; else an empty text."""
        fact = call.operands[0]
        spec = self.checker.vocabulary.facts.get(fact.name) if isinstance(fact, ast.Path) else None
        if len(call.operands) != 2 or spec is None or not spec.members:
            self.checker.stop("X006", "`member` is of an enumeration and a text", call.span)
        text, _ = self.value(self.bind(call.operands[1], rows))
        found = member(text, spec.members) if isinstance(text, str) else None
        return ast.Text(call.span, found or "")

    def _fold(self, fold: ast.Fold, rows: Rows) -> ast.Expr:
        """A fold over the rows of a table, as one operator over what it is of."""
        self.checker.free(fold.name, fold.named)
        chosen: list[ast.Expr] = []
        for key in self.program.tables[fold.listing]:
            here = {**rows, fold.name: (fold.listing, key)}
            if fold.where is not None and not self.known(self.bind(fold.where, here), fold.where.span, key):
                continue
            chosen.append(
                ast.Truth(fold.span, value=True) if fold.term is None else self.bind(fold.term, here)
            )
        if fold.kind == "count":
            return ast.Number(fold.span, str(len(chosen)), None)
        if fold.kind == "distinct":
            values = {(type(v) is bool, v) for v, _ in map(self.value, chosen)}
            return ast.Number(fold.span, str(len(values)), None)
        if fold.kind in {"any", "all"}:
            start = ast.Truth(fold.span, value=fold.kind == "all")
            return ast.Apply(fold.span, "or" if fold.kind == "any" else "and", (start, *chosen), fold.mark)
        if not chosen:
            self.checker.stop("X002", f"`{fold.kind}` is of no row of {fold.listing}", fold.span)
        if fold.kind in {"least", "greatest"}:
            op = "min" if fold.kind == "least" else "max"
            return ast.Apply(fold.span, op, tuple(chosen), fold.mark)
        total = reduce(lambda a, b: ast.Apply(fold.span, "+", (a, b), fold.mark), chosen)
        if fold.kind == "sum":
            return total
        return ast.Apply(fold.span, "/", (total, ast.Number(fold.span, str(len(chosen)), None)), fold.mark)

    def known(self, expr: ast.Expr, written: Span, key: str | None) -> bool:
        """Whether a bound condition holds; one that no table decides is told. Raises Stop."""
        told = self.truth(expr)
        if not isinstance(told, bool):
            of = "" if key is None else f" for {key}"
            self.checker.stop("X002", f"this cannot be told{of}: it reads what no table says", written)
        return told


def read_cell(expr: object, checker: Checker) -> Span | None:
    """Where the first table cell stands that a bound expression reads by a literal key."""
    if isinstance(expr, ast.Path) and len(expr.steps) == 2:
        first, second = expr.steps
        table = checker.vocabulary.tables.get(expr.name)
        if table is not None and isinstance(second, ast.Field):
            if isinstance(first, ast.Key) and isinstance(first.expr, ast.Text):
                return table.spans.get((first.expr.value, second.name))
            if isinstance(first, ast.Field):
                return table.spans.get((row_key(first.name, table.cells), second.name))
    return next((s for part in _parts(expr) if (s := read_cell(part, checker)) is not None), None)


def _parts(expr: object) -> Iterator[object]:
    """The expressions right below one."""
    if is_dataclass(expr) and not isinstance(expr, type):
        for field in fields(expr):
            value = getattr(expr, field.name)
            if isinstance(value, tuple):
                yield from value
            else:
                yield value
