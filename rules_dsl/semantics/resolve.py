"""Pass 3c: a name in an expression -> the fact, element or table cell that it means.

A misspelled name is an error at that name, with the nearest one that exists.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from rules_dsl import ir
from rules_dsl.diagnostics import Collector, Span, suggest
from rules_dsl.ir import Type
from rules_dsl.syntax import ast
from rules_dsl.vocabulary.facts import Vocabulary

TEXT = Type("text")
ANY = Type("any")
BROKEN = Type("broken")
"""Of a define that did not compile: what reads it is not checked, for the reason is told already."""
TRUTHS = {"true": "write `yes`", "false": "write `no`", "none": "write `is not recorded`"}
"""What other languages call so."""


class Stop(Exception):  # it ends the check of one expression; the message is with the collector
    """The expression has an error that was told already."""


@dataclass(slots=True)
class Names:
    """What names mean in one place. `bound` maps a loop's name to its list fact."""

    vocabulary: Vocabulary
    defines: Mapping[str, tuple[str, Type]]  # name -> scope, type
    collect: Collector
    bound: dict[str, str] = field(default_factory=dict)

    @abstractmethod
    def node(self, expr: ast.Expr, expected: Type | None = None) -> ir.Node:
        """The typed node of a key or column inside a path."""

    def members(self, kind: Type) -> Mapping[str, tuple[str, ...]]:
        """The members of an enumeration and their aliases."""
        return self.vocabulary.facts[kind.of or ""].members or {}

    def fact_type(self, name: str) -> Type | None:
        """The type of a fact or of a derived fact; None for a name that is not declared."""
        if name in self.defines:
            return self.defines[name][1]
        spec = self.vocabulary.facts.get(name)
        return None if spec is None else declared_type(spec.type, spec.unit, name)

    def path(self, expr: ast.Path) -> ir.Node:
        """The fact, element or cell that a path means. Raises Stop."""
        if expr.name in self.bound:
            return self._element(expr)
        if expr.name in self.vocabulary.tables:
            return self._table(expr)
        kind = self.fact_type(expr.name)
        start = Span(expr.span.start, expr.span.start + len(expr.name))
        if kind is None:
            names = [*self.vocabulary.facts, *self.defines, *self.vocabulary.tables, *self.bound]
            if self.vocabulary.partial:
                raise Stop
            help_text = TRUTHS.get(expr.name.lower()) or suggest(expr.name, names)
            self.stop("N001", f"nothing is called `{expr.name}`", start, help_text)
        if kind == BROKEN:
            raise Stop
        if expr.steps:
            self.stop("N002", f"`{expr.name}` is {described(kind)}; it has no parts", expr.steps[0].span)
        return ir.Ref(expr.span, kind, expr.name)

    def _element(self, expr: ast.Path) -> ir.Node:
        listing = self.bound[expr.name]
        if len(expr.steps) != 1 or not isinstance(expr.steps[0], ast.Field):
            self.stop(
                "N002",
                f"`{expr.name}` is an element of {listing}: name one of its facts, as `{expr.name}.fact`",
                expr.span,
            )
        part = expr.steps[0].name
        known = self.element_types(listing)
        if part not in known:
            self.stop(
                "N001", f"an element of {listing} has no `{part}`", expr.steps[0].span, suggest(part, known)
            )
        if known[part] == BROKEN:
            raise Stop
        return ir.Ref(expr.span, known[part], f"{expr.name}.{part}", bound=listing)

    def element_types(self, listing: str) -> dict[str, Type]:
        """What an element of a list fact holds: its fields, or for runs the facts of a leaf."""
        spec = self.vocabulary.facts[listing]
        if spec.fields:
            return {f.name: declared_type(f.type, f.unit, f"{listing}.{f.name}") for f in spec.fields}
        known = {
            n: declared_type(s.type, s.unit, n) for n, s in self.vocabulary.facts.items() if s.scope == "leaf"
        }
        known.update({n: kind for n, (scope, kind) in self.defines.items() if scope == "leaf"})
        return known

    def _table(self, expr: ast.Path) -> ir.Node:
        table = self.vocabulary.tables[expr.name]
        if not expr.steps:
            kind = TEXT if table.key == "text" else self._enum(table.key, expr.span)
            return ir.SetOf(expr.span, Type("set", of=kind.of or kind.kind), tuple(table.cells), expr.name)
        if len(expr.steps) != 2:
            self.stop("N002", f"a cell is `{expr.name}[KEY].COLUMN`", expr.span)
        first, second = expr.steps
        if isinstance(first, ast.Field):
            key: ir.Node = ir.Const(first.span, TEXT, row_key(first.name, table.cells))
            if first.name not in {_slug(k) for k in table.cells}:
                self.stop(
                    "N001",
                    f"table {expr.name} has no row `{first.name}`",
                    first.span,
                    suggest(first.name, map(_slug, table.cells)),
                )
        else:
            wanted = TEXT if table.key == "text" else self._enum(table.key, expr.span)
            key = self.node(first.expr, wanted)
            if key.type != wanted and not (wanted == TEXT and key.type.kind in {"text", "any"}):
                self.stop(
                    "Y004",
                    f"table {expr.name} is keyed by {table.key}, this is {described(key.type)}",
                    first.span,
                    second=(table.span, "the table"),
                )
            if isinstance(key, ir.Const) and key.value not in table.cells:
                self.stop(
                    "N001",
                    f"table {expr.name} has no key {key.value}",
                    first.span,
                    suggest(str(key.value), table.cells),
                )
        if isinstance(second, ast.Key):
            column = self.node(second.expr)
            if column.type.kind != "text":
                self.stop("Y004", "a column that is looked up is a text", second.span)
            self._names_columns(column, expr.name)
            return ir.Cellref(expr.span, ANY, expr.name, key, column)
        if second.name not in table.columns:
            self.stop(
                "N001",
                f"table {expr.name} has no `{second.name}`",
                second.span,
                suggest(second.name, table.columns),
            )
        shape = table.columns[second.name]
        kind = Type("set", of="text") if shape.kind == "set" else Type(shape.kind, shape.unit)
        return ir.Cellref(expr.span, kind, expr.name, key, ir.Const(second.span, TEXT, second.name))

    def _names_columns(self, column: ir.Node, target: str) -> None:
        """Every text of a table's column that names columns of another table is one of them. Raises Stop."""
        if not isinstance(column, ir.Cellref) or not isinstance(column.column, ir.Const):
            return
        source, name = self.vocabulary.tables[column.table], str(column.column.value)
        known = self.vocabulary.tables[target].columns
        for key, row in source.cells.items():
            if row.get(name) not in known:
                said = row.get(name, "nothing")
                where = source.spans[key, name]
                self.stop("Y014", f"table {target} has no `{said}`", where, suggest(str(said), known))

    def _enum(self, name: str, span: Span) -> Type:
        kind = self.fact_type(name)
        if kind is None or kind.kind != "enum":
            self.stop(
                "T006",
                f"a table is keyed by `{name}`, which is no enumeration",
                span,
                suggest(name, self.vocabulary.facts),
                self.declared(name),
            )
        return kind

    def free(self, name: str, span: Span) -> None:
        """Raise Stop when a loop's name would hide a fact or a table; it may hide an outer loop's."""
        known = name in self.vocabulary.facts or name in self.defines
        what = "a table" if name in self.vocabulary.tables else "a fact" if known else None
        if what is not None:
            self.stop(
                "N008",
                f"`{name}` is {what} already; the loop needs another name",
                span,
                "",
                self.declared(name),
            )

    def listing(self, name: str, span: Span) -> ir.Ref:
        """A list fact by its name. Raises Stop."""
        kind = self.fact_type(name)
        if kind == BROKEN:
            raise Stop
        if kind is None and self.vocabulary.partial:
            raise Stop
        if kind is None or kind.kind != "list":
            lists = [n for n, s in self.vocabulary.facts.items() if s.type == "list"]
            self.stop("N003", f"`{name}` is no list", span, suggest(name, lists))
        return ir.Ref(span, kind, name)

    def stop(
        self, code: str, message: str, span: Span, help_text: str = "", second: tuple[Span, str] | None = None
    ) -> NoReturn:
        """Tell an error and end the check of this expression."""
        self.collect.error(code, message, span, help=help_text, second=second)
        raise Stop

    def declared(self, name: str) -> tuple[Span, str] | None:
        """Where a fact or a table is declared, for a message that speaks of it."""
        if name in self.vocabulary.tables:
            return self.vocabulary.tables[name].span, "the table"
        span = self.vocabulary.spans.get(name)
        return None if span is None else (span, "declared here")


def declared_type(kind: str, unit: str | None, name: str) -> Type:
    """The type that a declaration gives a fact."""
    if kind in {"integer", "number"}:
        return Type("number", unit)
    if kind in {"enum", "list"}:
        return Type(kind, of=name)
    return TEXT if kind == "path" else Type(kind)


def described(kind: Type) -> str:
    """A type in words."""
    if kind.kind == "number":
        return f"a number of {kind.unit}" if kind.unit else "a plain number"
    words = {
        "bool": "yes or no",
        "enum": f"a {kind.of}",
        "text": "a text",
        "time": "an instant",
        "list": "a list",
        "set": "a set",
    }
    return words.get(kind.kind, "a recorded value")


def _slug(key: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in key.lower())


def row_key(name: str, keys: Iterable[str]) -> str:
    """The key that a row's name in a path stands for."""
    return next((k for k in keys if _slug(k) == name), name)
