"""Pass 4: a tree of one expression -> typed nodes of the IR, or a message at the word that is wrong.

Enumerations are closed here: a literal that is no member does not compile. Units are types:
two numbers of different units do not meet without `as`. Order exists for numbers and instants.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from rules_dsl import ir
from rules_dsl.diagnostics import Span, suggest
from rules_dsl.ir import Type
from rules_dsl.semantics.resolve import TEXT, Names, described
from rules_dsl.syntax import ast
from rules_dsl.units import factor
from rules_dsl.vocabulary.patterns import refused

BOOL = Type("bool")
NUMBER = Type("number")
ORDER = {"<", "<=", ">", ">="}
OF_ROW = {"layout_size", "layout_files", "member"}
"""Functions that `rules_dsl.verify.substitute` has replaced before a check is typed."""


@dataclass(slots=True)
class Checker(Names):
    """Types expressions."""

    def condition(self, expr: ast.Expr) -> ir.Node:
        """An expression that must be yes or no. Raises Stop."""
        node = self.node(expr)
        if node.type != BOOL:
            self.stop("Y001", f"this is {described(node.type)}, not yes or no", expr.span)
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
                return self.path(expr)
            case ast.State():
                return self._state(expr)
            case ast.Match():
                return self._match(expr)
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
            message = f'"{expr.value}" is no member of {expected.of}'
            self.stop("Y003", message, expr.span, help_text, self.declared(expected.of or ""))
        return ir.Const(expr.span, expected, expr.value)

    # --- operators ---------------------------------------------------------------------

    def _state(self, expr: ast.State) -> ir.Node:
        operand = self.node(expr.operand)
        if expr.state == "listed" and operand.type.kind != "enum":
            self.stop(
                "Y005",
                f"`is listed` is for enumerations, this is {described(operand.type)}",
                expr.operand.span,
            )
        if expr.state == "valid" and not isinstance(operand, ir.Cellref):
            self.stop("Y005", "`is valid` is for a table's cell", expr.operand.span)
        return ir.Is(expr.span, BOOL, expr.state, operand, expr.negated)

    def _match(self, expr: ast.Match) -> ir.Node:
        operand = self.node(expr.operand)
        if operand.type.kind not in {"text", "any", "enum"}:
            message = f"`{expr.op}` is for texts, this is {described(operand.type)}"
            self.stop("Y002", message, expr.operand.span)
        if expr.op == "matches" and (why := refused(expr.pattern)) is not None:
            self.stop("Y013", why, Span(expr.span.end - 1 - len(expr.pattern), expr.span.end - 1))
        return ir.Like(expr.span, BOOL, expr.op, operand, expr.pattern)

    def _convert(self, expr: ast.Convert) -> ir.Node:
        operand = self.node(expr.operand)
        if operand.type.kind != "number" or operand.type.unit is None:
            self.stop(
                "Y006",
                f"`as {expr.unit}` needs a number with a unit, this is {described(operand.type)}",
                expr.operand.span,
            )
        scale = factor(operand.type.unit, expr.unit)
        if scale is None:
            self.stop("Y006", f"{operand.type.unit} is no {expr.unit}", expr.mark)
        exact: int | Fraction = int(scale) if scale.denominator == 1 else scale
        return ir.Op(expr.span, Type("number", expr.unit), "*", (operand, ir.Const(expr.mark, NUMBER, exact)))

    def _fold(self, expr: ast.Fold) -> ir.Node:
        listing = self.listing(expr.listing, expr.mark)
        self.free(expr.name, expr.named)
        inner = Checker(self.vocabulary, self.defines, self.collect, {**self.bound, expr.name: expr.listing})
        where = inner.condition(expr.where) if expr.where is not None else None
        if expr.term is None:
            term: ir.Node = ir.Const(expr.mark, BOOL, value=True)
        elif expr.kind in {"any", "all"}:
            term = inner.condition(expr.term)
        else:
            term = inner.node(expr.term)
            if expr.kind != "distinct" and term.type.kind != "number":
                self.stop(
                    "Y007", f"`{expr.kind}` is of numbers, this is {described(term.type)}", expr.term.span
                )
        kind = (
            BOOL
            if expr.kind in {"any", "all"}
            else NUMBER
            if expr.kind in {"count", "distinct"}
            else term.type
        )
        return ir.Folded(expr.span, kind, expr.kind, expr.name, listing, term, where)

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
            return self.stop("Y008", "a set stands only after `in`", expr.span)
        if op == "size":
            name = operands[0]
            if len(operands) != 1 or not isinstance(name, ast.Path):
                self.stop("Y007", "`size` is of one list", expr.span)
            return ir.Op(expr.span, NUMBER, "size", (self.listing(name.name, name.span),))
        if op in OF_ROW:
            return self.stop(
                "Y015", f"`{op}` is of a table's row: it stands in a `check` fence only", expr.mark
            )
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
            self.stop(
                "Y009",
                f"`{expr.op}` orders numbers and instants, not {described(a)} and {described(b)}",
                expr.mark,
            )
        if a.kind == b.kind == "number" and a.unit != b.unit:
            self.stop("Y010", f"{described(a)} does not meet {described(b)}", expr.mark, _as(a, b))
        if "any" not in {a.kind, b.kind} and a != b:
            self.stop("Y011", f"{described(a)} does not meet {described(b)}", expr.mark)
        if {a.kind, b.kind} & {"list", "set"}:
            self.stop("Y011", "lists and sets are not compared", expr.mark)
        return ir.Op(expr.span, BOOL, expr.op, (left, right))

    def _among(self, expr: ast.Apply) -> ir.Node:
        first, second = expr.operands
        left = self.node(first)
        right: ir.Node
        if isinstance(second, ast.Apply) and second.op == "set":
            values = [self.node(o, left.type) for o in second.operands]
            for value, written in zip(values, second.operands, strict=True):
                if not isinstance(value, ir.Const):
                    self.stop("Y008", "a set holds literals", written.span)
                if value.type != left.type and left.type.kind != "any":
                    self.stop(
                        "Y011", f"{described(left.type)} does not meet {described(value.type)}", written.span
                    )
            literals = tuple(v.value for v in values if isinstance(v, ir.Const))
            right = ir.SetOf(second.span, Type("set", of=left.type.of or left.type.kind), literals)
        else:
            right = self.node(second)
            if right.type.kind != "set":
                self.stop("Y008", f"`in` needs a set, this is {described(right.type)}", second.span)
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
                self.stop(
                    "Y003",
                    f"table {right.table} says {strange[0]}, which is no {left.type.of}",
                    expr.operands[1].span,
                )
        elif of not in {left.type.of or left.type.kind, "any"} and left.type.kind != "any":
            self.stop("Y011", f"{described(left.type)} is in no set of {of}", expr.mark)

    def _otherwise(self, expr: ast.Apply) -> ir.Node:
        first = self.node(expr.operands[0])
        rest = [self.node(o, first.type) for o in expr.operands[1:]]
        for node, written in zip(rest, expr.operands[1:], strict=True):
            if node.type != first.type:
                self.stop(
                    "Y011",
                    f"{described(first.type)} otherwise {described(node.type)}",
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
                self.stop("Y012", f"arithmetic is of numbers, this is {described(kind)}", written.span)
        if op == "neg":
            return ir.Op(expr.span, kinds[0], "-", (ir.Const(expr.mark, kinds[0], 0), nodes[0]))
        if op in {"abs", "ceil", "floor"}:
            if len(nodes) != 1:
                self.stop("Y007", f"`{op}` takes one number", expr.span)
            return ir.Op(expr.span, kinds[0], op, nodes)
        units = [k.unit for k in kinds]
        if op in {"+", "-", "min", "max"}:
            if len(set(units)) > 1:
                self.stop(
                    "Y010",
                    f"{described(kinds[0])} does not meet {described(kinds[-1])}",
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
        return self.stop("Y010", f"`{op}` of {a or 'a number'} and {b or 'a number'} has no unit", expr.mark)


def _as(a: Type, b: Type) -> str:
    if a.kind == b.kind == "number" and a.unit and b.unit and factor(a.unit, b.unit) is not None:
        return f"write `as {b.unit}` behind the one or `as {a.unit}` behind the other"
    if a.kind == b.kind == "number" and bool(a.unit) != bool(b.unit):
        return f"write the unit: {a.unit or b.unit}"
    return ""
