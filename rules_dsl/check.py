"""Pass 4: a tree of one expression -> typed nodes of the IR, or a message at the word that is wrong.

Enumerations are closed here: a literal that is no member does not compile. Units are types:
two numbers of different units do not meet without `as`. Order exists for numbers and instants.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NoReturn

from rules_dsl import ast, ir
from rules_dsl.diagnostics import Collector, Span, suggest
from rules_dsl.ir import Type
from rules_dsl.units import factor
from rules_dsl.vocabulary import Vocabulary

BOOL = Type("bool")
NUMBER = Type("number")
TEXT = Type("text")
ANY = Type("any")
ORDER = {"<", "<=", ">", ">="}


class Stop(Exception):  # noqa: N818  # it ends the check of one expression; the message is with the collector
    """The expression has an error that was told already."""


@dataclass(slots=True)
class Checker:
    """Types expressions. `bound` maps a loop's name to its list fact."""

    vocabulary: Vocabulary
    defines: Mapping[str, tuple[str, Type]]  # name -> scope, type
    collect: Collector
    bound: dict[str, str] = field(default_factory=dict)

    def condition(self, expr: ast.Expr) -> ir.Node:
        """An expression that must be yes or no. Raises Stop."""
        node = self.node(expr)
        if node.type != BOOL:
            self._stop("Y001", f"this is {_a(node.type)}, not yes or no", expr.span)
        return node

    def node(self, expr: ast.Expr, expected: Type | None = None) -> ir.Node:
        """The typed node; `expected` lets a text literal be a member. Raises Stop."""
        match expr:
            case ast.Number():
                return self._number(expr)
            case ast.Truth():
                return ir.Const(expr.span, BOOL, expr.value)
            case ast.Text():
                return self._text(expr, expected)
            case ast.Path():
                return self._path(expr)
            case ast.State():
                return self._state(expr)
            case ast.Match():
                operand = self.node(expr.operand)
                if operand.type.kind not in {"text", "any", "enum"}:
                    self._stop(
                        "Y002", f"`{expr.op}` is for texts, this is {_a(operand.type)}", expr.operand.span
                    )
                return ir.Like(expr.span, BOOL, expr.op, operand, expr.pattern)
            case ast.Convert():
                return self._convert(expr)
            case ast.Fold():
                return self._fold(expr)
            case ast.Apply():
                return self._apply(expr)

    # --- leaves ------------------------------------------------------------------------

    def _number(self, expr: ast.Number) -> ir.Node:
        value = Fraction(expr.text)
        return ir.Const(expr.span, Type("number", expr.unit), int(value) if value.denominator == 1 else value)

    def _text(self, expr: ast.Text, expected: Type | None) -> ir.Node:
        if expected is None or expected.kind != "enum":
            return ir.Const(expr.span, TEXT, expr.value)
        members = self.members(expected)
        if expr.value not in members:
            alias = next(
                (
                    m
                    for m, names in members.items()
                    if expr.value.lower() in {m.lower(), *(n.lower() for n in names)}
                ),
                None,
            )
            help_text = f'the member is spelled "{alias}"' if alias else suggest(expr.value, members)
            self._stop("Y003", f'"{expr.value}" is no member of {expected.of}', expr.span, help_text)
        return ir.Const(expr.span, expected, expr.value)

    def members(self, kind: Type) -> Mapping[str, tuple[str, ...]]:
        """The members of an enumeration and their aliases."""
        return self.vocabulary.facts[kind.of or ""].members or {}

    def fact_type(self, name: str) -> Type | None:
        """The type of a fact or of a derived fact; None for a name that is not declared."""
        if name in self.defines:
            return self.defines[name][1]
        spec = self.vocabulary.facts.get(name)
        return None if spec is None else declared_type(spec.type, spec.unit, name)

    def _path(self, expr: ast.Path) -> ir.Node:
        if expr.name in self.bound:
            return self._element(expr)
        if expr.name in self.vocabulary.tables:
            return self._table(expr)
        kind = self.fact_type(expr.name)
        start = Span(expr.span.start, expr.span.start + len(expr.name))
        if kind is None:
            names = [*self.vocabulary.facts, *self.defines, *self.vocabulary.tables, *self.bound]
            self._stop("N001", f"nothing is called `{expr.name}`", start, suggest(expr.name, names))
        if expr.steps:
            self._stop("N002", f"`{expr.name}` is {_a(kind)}; it has no parts", expr.steps[0].span)
        return ir.Ref(expr.span, kind, expr.name)

    def _element(self, expr: ast.Path) -> ir.Node:
        listing = self.bound[expr.name]
        if len(expr.steps) != 1 or not isinstance(expr.steps[0], ast.Field):
            self._stop(
                "N002",
                f"`{expr.name}` is an element of {listing}: name one of its facts, as `{expr.name}.fact`",
                expr.span,
            )
        part = expr.steps[0].name
        known = self.element_types(listing)
        if part not in known:
            self._stop(
                "N001", f"an element of {listing} has no `{part}`", expr.steps[0].span, suggest(part, known)
            )
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
            self._stop("N002", f"a cell is `{expr.name}[KEY].COLUMN`", expr.span)
        first, second = expr.steps
        if isinstance(first, ast.Field):
            key: ir.Node = ir.Const(first.span, TEXT, _row(first.name, table.cells))
            if first.name not in {_slug(k) for k in table.cells}:
                self._stop(
                    "N001",
                    f"table {expr.name} has no row `{first.name}`",
                    first.span,
                    suggest(first.name, map(_slug, table.cells)),
                )
        else:
            wanted = TEXT if table.key == "text" else self._enum(table.key, expr.span)
            key = self.node(first.expr, wanted)
            if key.type != wanted and not (wanted == TEXT and key.type.kind in {"text", "any"}):
                self._stop(
                    "Y004", f"table {expr.name} is keyed by {table.key}, this is {_a(key.type)}", first.span
                )
            if isinstance(key, ir.Const) and key.value not in table.cells:
                self._stop(
                    "N001",
                    f"table {expr.name} has no key {key.value}",
                    first.span,
                    suggest(str(key.value), table.cells),
                )
        if isinstance(second, ast.Key):
            column = self.node(second.expr)
            if column.type.kind != "text":
                self._stop("Y004", "a column that is looked up is a text", second.span)
            return ir.Cellref(expr.span, ANY, expr.name, key, column)
        if second.name not in table.columns:
            self._stop(
                "N001",
                f"table {expr.name} has no `{second.name}`",
                second.span,
                suggest(second.name, table.columns),
            )
        shape = table.columns[second.name]
        kind = Type("set", of="text") if shape.kind == "set" else Type(shape.kind, shape.unit)
        return ir.Cellref(expr.span, kind, expr.name, key, ir.Const(second.span, TEXT, second.name))

    def _enum(self, name: str, span: Span) -> Type:
        kind = self.fact_type(name)
        if kind is None or kind.kind != "enum":
            self._stop(
                "T006",
                f"a table is keyed by `{name}`, which is no enumeration",
                span,
                suggest(name, self.vocabulary.facts),
            )
        return kind

    # --- operators ---------------------------------------------------------------------

    def _state(self, expr: ast.State) -> ir.Node:
        operand = self.node(expr.operand)
        if expr.state == "listed" and operand.type.kind != "enum":
            self._stop(
                "Y005", f"`is listed` is for enumerations, this is {_a(operand.type)}", expr.operand.span
            )
        if expr.state == "valid" and not isinstance(operand, ir.Cellref):
            self._stop("Y005", "`is valid` is for a table's cell", expr.operand.span)
        return ir.Is(expr.span, BOOL, expr.state, operand, expr.negated)

    def _convert(self, expr: ast.Convert) -> ir.Node:
        operand = self.node(expr.operand)
        if operand.type.kind != "number" or operand.type.unit is None:
            self._stop(
                "Y006",
                f"`as {expr.unit}` needs a number with a unit, this is {_a(operand.type)}",
                expr.operand.span,
            )
        scale = factor(operand.type.unit, expr.unit)
        if scale is None:
            self._stop("Y006", f"{operand.type.unit} is no {expr.unit}", expr.mark)
        exact: int | Fraction = int(scale) if scale.denominator == 1 else scale
        return ir.Op(expr.span, Type("number", expr.unit), "*", (operand, ir.Const(expr.mark, NUMBER, exact)))

    def _fold(self, expr: ast.Fold) -> ir.Node:
        listing = self.listing(expr.listing, expr.mark)
        inner = Checker(self.vocabulary, self.defines, self.collect, {**self.bound, expr.name: expr.listing})
        where = inner.condition(expr.where) if expr.where is not None else None
        if expr.term is None:
            term: ir.Node = ir.Const(expr.mark, BOOL, value=True)
        elif expr.kind in {"any", "all"}:
            term = inner.condition(expr.term)
        else:
            term = inner.node(expr.term)
            if expr.kind != "distinct" and term.type.kind != "number":
                self._stop("Y007", f"`{expr.kind}` is of numbers, this is {_a(term.type)}", expr.term.span)
        kind = (
            BOOL
            if expr.kind in {"any", "all"}
            else NUMBER
            if expr.kind in {"count", "distinct"}
            else term.type
        )
        return ir.Folded(expr.span, kind, expr.kind, expr.name, listing, term, where)

    def listing(self, name: str, span: Span) -> ir.Ref:
        """A list fact by its name. Raises Stop."""
        kind = self.fact_type(name)
        if kind is None or kind.kind != "list":
            lists = [n for n, s in self.vocabulary.facts.items() if s.type == "list"]
            self._stop("N003", f"`{name}` is no list", span, suggest(name, lists))
        return ir.Ref(span, kind, name)

    def _apply(self, expr: ast.Apply) -> ir.Node:
        op, operands = expr.op, expr.operands
        if op in {"and", "or", "not"}:
            return ir.Op(expr.span, BOOL, op, tuple(self.condition(o) for o in operands))
        if op in {"==", "!=", *ORDER}:
            return self._compare(expr)
        if op in {"in", "not-in"}:
            return self._among(expr)
        if op == "otherwise":
            return self._otherwise(expr)
        if op == "set":
            return self._stop("Y008", "a set stands only after `in`", expr.span)
        if op == "size":
            name = operands[0]
            if len(operands) != 1 or not isinstance(name, ast.Path):
                self._stop("Y007", "`size` is of one list", expr.span)
            return ir.Op(expr.span, NUMBER, "size", (self.listing(name.name, name.span),))
        return self._arithmetic(expr)

    def _pair(self, left: ast.Expr, right: ast.Expr) -> tuple[ir.Node, ir.Node]:
        """Both operands; a text literal takes the other side's enumeration."""
        if isinstance(left, ast.Text):
            second = self.node(right)
            return self.node(left, second.type), second
        first = self.node(left)
        return first, self.node(right, first.type)

    def _compare(self, expr: ast.Apply) -> ir.Node:
        left, right = self._pair(*expr.operands)
        a, b = left.type, right.type
        if expr.op in ORDER and not (a.kind == b.kind and a.kind in {"number", "time"}):
            self._stop("Y009", f"`{expr.op}` orders numbers and instants, not {_a(a)} and {_a(b)}", expr.mark)
        if a.kind == b.kind == "number" and a.unit != b.unit:
            self._stop("Y010", f"{_a(a)} does not meet {_a(b)}", expr.mark, _as(a, b))
        if "any" not in {a.kind, b.kind} and a != b:
            self._stop("Y011", f"{_a(a)} does not meet {_a(b)}", expr.mark)
        if {a.kind, b.kind} & {"list", "set"}:
            self._stop("Y011", "lists and sets are not compared", expr.mark)
        return ir.Op(expr.span, BOOL, expr.op, (left, right))

    def _among(self, expr: ast.Apply) -> ir.Node:
        first, second = expr.operands
        left = self.node(first)
        right: ir.Node
        if isinstance(second, ast.Apply) and second.op == "set":
            values = [self.node(o, left.type) for o in second.operands]
            for value, written in zip(values, second.operands, strict=True):
                if not isinstance(value, ir.Const):
                    self._stop("Y008", "a set holds literals", written.span)
                if value.type != left.type and left.type.kind != "any":
                    self._stop("Y011", f"{_a(left.type)} does not meet {_a(value.type)}", written.span)
            literals = tuple(v.value for v in values if isinstance(v, ir.Const))
            right = ir.SetOf(second.span, Type("set", of=left.type.of or left.type.kind), literals)
        else:
            right = self.node(second)
            if right.type.kind != "set":
                self._stop("Y008", f"`in` needs a set, this is {_a(right.type)}", second.span)
            self._same_set(left, right, expr)
        return ir.Op(expr.span, BOOL, expr.op, (left, right))

    def _same_set(self, left: ir.Node, right: ir.Node, expr: ast.Apply) -> None:
        of = right.type.of
        if left.type.kind == "enum" and isinstance(right, ir.Cellref) and isinstance(right.column, ir.Const):
            names: set[object] = set()
            for row in self.vocabulary.tables[right.table].cells.values():
                cell = row.get(str(right.column.value))
                names |= cell if isinstance(cell, frozenset) else set()
            strange = sorted(str(n) for n in names if n not in self.members(left.type))
            if strange:
                self._stop(
                    "Y003",
                    f"table {right.table} says {strange[0]}, which is no {left.type.of}",
                    expr.operands[1].span,
                )
        elif of not in {left.type.of or left.type.kind, "any"} and left.type.kind != "any":
            self._stop("Y011", f"{_a(left.type)} is in no set of {of}", expr.mark)

    def _otherwise(self, expr: ast.Apply) -> ir.Node:
        first = self.node(expr.operands[0])
        rest = [self.node(o, first.type) for o in expr.operands[1:]]
        for node, written in zip(rest, expr.operands[1:], strict=True):
            if node.type != first.type:
                self._stop(
                    "Y011",
                    f"{_a(first.type)} otherwise {_a(node.type)}",
                    written.span,
                    _as(first.type, node.type),
                )
        return ir.Op(expr.span, first.type, "otherwise", (first, *rest))

    def _arithmetic(self, expr: ast.Apply) -> ir.Node:
        op = expr.op
        nodes = tuple(self.node(o) for o in expr.operands)
        kinds = [n.type for n in nodes]
        if op == "-" and [k.kind for k in kinds] == ["time", "time"]:
            return ir.Op(expr.span, Type("number", "s"), "-", nodes)
        for kind, written in zip(kinds, expr.operands, strict=True):
            if kind.kind != "number":
                self._stop("Y012", f"arithmetic is of numbers, this is {_a(kind)}", written.span)
        if op == "neg":
            return ir.Op(expr.span, kinds[0], "-", (ir.Const(expr.mark, kinds[0], 0), nodes[0]))
        if op in {"abs", "ceil", "floor"}:
            if len(nodes) != 1:
                self._stop("Y007", f"`{op}` takes one number", expr.span)
            return ir.Op(expr.span, kinds[0], op, nodes)
        units = [k.unit for k in kinds]
        if op in {"+", "-", "min", "max"}:
            if len(set(units)) > 1:
                self._stop(
                    "Y010",
                    f"{_a(kinds[0])} does not meet {_a(kinds[-1])}",
                    expr.mark,
                    _as(kinds[0], kinds[-1]),
                )
            return ir.Op(expr.span, kinds[0], op, nodes)
        return ir.Op(expr.span, Type("number", self._unit(op, units[0], units[1], expr)), op, nodes)

    def _unit(self, op: str, a: str | None, b: str | None, expr: ast.Apply) -> str | None:
        if op == "mod" and (a, b) == (None, None):
            return None
        if op == "*" and None in {a, b}:
            return a or b
        if op == "/" and (b is None or a == b):
            return None if a == b else a
        return self._stop("Y010", f"`{op}` of {a or 'a number'} and {b or 'a number'} has no unit", expr.mark)

    def _stop(self, code: str, message: str, span: Span, help_text: str = "") -> NoReturn:
        self.collect.error(code, message, span, help=help_text)
        raise Stop


def declared_type(kind: str, unit: str | None, name: str) -> Type:
    """The type that a declaration gives a fact."""
    if kind in {"integer", "number"}:
        return Type("number", unit)
    if kind in {"enum", "list"}:
        return Type(kind, of=name)
    return TEXT if kind == "path" else Type(kind)


def _a(kind: Type) -> str:
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


def _as(a: Type, b: Type) -> str:
    if a.kind == b.kind == "number" and a.unit and b.unit and factor(a.unit, b.unit) is not None:
        return f"write `as {b.unit}` behind the one or `as {a.unit}` behind the other"
    if a.kind == b.kind == "number" and (a.unit or b.unit):
        return f"write the unit: {a.unit or b.unit}"
    return ""


def _slug(key: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in key.lower())


def _row(name: str, keys: Iterable[str]) -> str:
    return next((k for k in keys if _slug(k) == name), name)
