"""Every one-token change of an expression, from its tree: operators, operands, literals, names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from rules_dsl.diagnostics import Collector, Span
from rules_dsl.ir import Type
from rules_dsl.mutate.names import lists, path_edits
from rules_dsl.mutate.tokens import Edit, Tokens, place
from rules_dsl.semantics.resolve import Stop
from rules_dsl.semantics.typecheck import BOOL, ORDER, Checker
from rules_dsl.syntax import ast
from rules_dsl.units import UNITS

COMPARED = ("==", "!=", "<", "<=", ">", ">=")
WORDS: dict[str, tuple[str, ...]] = {"and": ("or",), "or": ("and",), "+": ("-",), "-": ("+",)}
WORDS |= {"*": ("/", "mod"), "/": ("*", "mod"), "mod": ("/", "*")}
FUNCTIONS = (("min", "max"), ("ceil", "floor"))
FOLDS = (("any", "all"), ("sum", "mean", "least", "greatest"))
STATES = ("recorded", "listed", "valid")


@dataclass(frozen=True, slots=True)
class Expressions:
    """Changes the expressions of one block."""

    text: str
    tokens: Tokens
    checker: Checker

    def bound(self, names: dict[str, str]) -> Expressions:
        """The same inside a loop that binds these names to their lists."""
        inner = {**self.checker.bound, **names}
        checker = Checker(self.checker.vocabulary, self.checker.defines, Collector(), inner)
        return replace(self, checker=checker)

    def edits(self, expr: ast.Expr, limits: Span, expected: Type | None = None) -> Iterator[Edit]:
        """Every change of an expression. Its own parentheses stand within `limits`."""
        whole = self.tokens.grouped(expr.span, limits)
        yield from self._denied(expr, whole)
        match expr:
            case ast.Number():
                yield from self._number(expr)
            case ast.Text():
                yield from self._text(expr, expected)
            case ast.Truth():
                yield Edit(expr.span, "no" if expr.value else "yes", "yes or no")
            case ast.Path():
                yield from path_edits(expr, self.checker)
                for step in expr.steps:
                    if isinstance(step, ast.Key):
                        yield from self.edits(step.expr, step.span, self._key(expr))
            case ast.State():
                yield from self._state(expr)
                yield from self.edits(expr.operand, expr.span)
            case ast.Match():
                at = Span(expr.span.end - 1 - len(expr.pattern), expr.span.end - 1)
                yield from (Edit(at, new, "text") for new in _texts(expr.pattern))
                yield from self.edits(expr.operand, expr.span)
            case ast.Convert():
                yield from _units(expr.unit, expr.mark)
                yield from self.edits(expr.operand, expr.span)
            case ast.Fold():
                yield from self._fold(expr)
            case ast.Apply():
                yield from self._apply(expr)

    def kind(self, expr: ast.Expr) -> Type | None:
        """The type of an expression; None when it has none by itself."""
        try:
            quiet = replace(self.checker, collect=Collector())
            return quiet.node(expr).type
        except Stop:
            return None

    # --- yes and no ----------------------------------------------------------------------

    def _denied(self, expr: ast.Expr, whole: Span) -> Iterator[Edit]:
        """`not` before what is yes or no; comparisons and states have their own denial."""
        grouped = whole != expr.span
        if isinstance(expr, ast.Apply) and not (grouped and expr.op in {"and", "or", "otherwise"}):
            return
        if isinstance(expr, (ast.Path, ast.Fold, ast.Match, ast.Apply)) and self.kind(expr) == BOOL:
            yield Edit(Span(whole.start, whole.start), "not ", "not")

    def _state(self, expr: ast.State) -> Iterator[Edit]:
        words = list(self.tokens.within(Span(expr.operand.span.end, expr.span.end)))
        for token in words:
            if token.type == "NOT":
                yield Edit(Span(place(token).start, place(words[-1]).start), "", "not")
        if not expr.negated:
            yield Edit(Span(place(words[-1]).start, place(words[-1]).start), "not ", "not")
        yield from (Edit(place(words[-1]), s, "state") for s in STATES if s != expr.state)

    # --- literals ------------------------------------------------------------------------

    def _number(self, expr: ast.Number) -> Iterator[Edit]:
        at = Span(expr.span.start, expr.span.start + len(expr.text))
        yield from (Edit(at, new, "number") for new in neighbours(expr.text))
        if expr.unit is not None:
            yield from _units(expr.unit, Span(expr.span.end - len(expr.unit), expr.span.end))

    def _text(self, expr: ast.Text, expected: Type | None) -> Iterator[Edit]:
        at = Span(expr.span.start + 1, expr.span.end - 1)
        if expected is not None and expected.kind == "enum":
            members = self.checker.members(expected)
            yield from (Edit(at, m, "member") for m in members if m != expr.value)
        else:
            yield from (Edit(at, new, "text") for new in _texts(expr.value))

    def _set(self, expr: ast.Apply, of: Type | None) -> Iterator[Edit]:
        """The elements, one less, and one more."""
        for operand in expr.operands:
            yield from self.edits(operand, expr.span, of)
        yield from self._dropped(expr)
        end = Span(expr.operands[-1].span.end, expr.operands[-1].span.end)
        for extra in self._more(expr, of):
            yield Edit(end, f", {extra}", "set")

    def _more(self, expr: ast.Apply, of: Type | None) -> list[str]:
        last = expr.operands[-1]
        said = {o.value for o in expr.operands if isinstance(o, ast.Text)}
        if isinstance(last, ast.Number):
            numbers = {Decimal(o.text) for o in expr.operands if isinstance(o, ast.Number)}
            near = (n for o in expr.operands if isinstance(o, ast.Number) for n in neighbours(o.text))
            unit = f" {last.unit}" if last.unit else ""
            return [
                f"{n}{unit}"
                for n in dict.fromkeys(near)
                if not n.startswith("-") and Decimal(n) not in numbers
            ]
        if of is not None and of.kind == "enum":
            return [f'"{m}"' for m in self.checker.members(of) if m not in said]
        return [f'"{new}"' for o in expr.operands if isinstance(o, ast.Text) for new in _texts(o.value)[:1]]

    # --- operators -----------------------------------------------------------------------

    def _apply(self, expr: ast.Apply) -> Iterator[Edit]:
        op, operands = expr.op, expr.operands
        expected: list[Type | None] = [None] * len(operands)
        if op == "set":
            yield from self._set(expr, None)
            return
        if op in {*COMPARED, "in", "not-in"}:
            kinds = [None if isinstance(o, ast.Text) else self.kind(o) for o in operands]
            expected = [kinds[1], kinds[0]]
            yield from self._relation(expr, kinds)
        elif op == "not":
            yield Edit(
                Span(expr.span.start, self.tokens.grouped(operands[0].span, expr.span).start), "", "not"
            )
        elif op == "neg":
            yield Edit(Span(expr.span.start, expr.span.start + 1), "", "arithmetic")
        elif op == "otherwise":
            expected = [None, *[self.kind(operands[0])] * (len(operands) - 1)]
            yield from self._dropped(expr)
        elif op in WORDS:
            yield from self._words(expr)
            yield from self._dropped(expr)
        else:
            yield from self._function(expr)
        for operand, kind in zip(operands, expected, strict=True):
            if isinstance(operand, ast.Apply) and operand.op == "set":
                yield from self._set(operand, kind)
            else:
                yield from self.edits(operand, expr.span, kind)

    def _relation(self, expr: ast.Apply, kinds: list[Type | None]) -> Iterator[Edit]:
        if expr.op in {"in", "not-in"}:
            left, right = (o.span for o in expr.operands)
            gap = [t for t in self.tokens.within(Span(left.end, right.start)) if t.type in {"NOT", "IN"}]
            new = "not in" if expr.op == "in" else "in"
            yield Edit(Span(place(gap[0]).start, place(gap[-1]).end), new, "not")
            return
        ordered = any(k is not None and k.kind in {"number", "time"} for k in kinds)
        for other in COMPARED if ordered else ("==", "!="):
            if other != expr.op and (ordered or other not in ORDER):
                yield Edit(expr.mark, other, "comparison")

    def _words(self, expr: ast.Apply) -> Iterator[Edit]:
        for left, right in zip(expr.operands, expr.operands[1:], strict=False):
            for token in self.tokens.within(Span(left.span.end, right.span.start)):
                if str(token) == expr.op:
                    kind = "connective" if expr.op in {"and", "or"} else "arithmetic"
                    yield from (Edit(place(token), new, kind) for new in WORDS[expr.op])

    def _dropped(self, expr: ast.Apply) -> Iterator[Edit]:
        """The expression without one operand and the operator beside it."""
        parts = [self.tokens.grouped(o.span, expr.span) for o in expr.operands]
        if len(parts) < 2:
            return
        for index, part in enumerate(parts):
            if index + 1 < len(parts):
                yield Edit(Span(part.start, parts[index + 1].start), "", "operand")
            else:
                yield Edit(Span(parts[index - 1].end, part.end), "", "operand")

    def _function(self, expr: ast.Apply) -> Iterator[Edit]:
        name = Span(expr.span.start, expr.span.start + len(expr.op))
        for group in FUNCTIONS:
            if expr.op in group:
                yield from (Edit(name, other, "function") for other in group if other != expr.op)
        if expr.op != "size":
            for operand in expr.operands:
                words = self.text[operand.span.start : operand.span.end]
                yield Edit(expr.span, words if len(expr.operands) == 1 else f"({words})", "function")

    def _fold(self, expr: ast.Fold) -> Iterator[Edit]:
        name = Span(expr.span.start, expr.span.start + len(expr.kind))
        for group in FOLDS:
            if expr.kind in group:
                yield from (Edit(name, other, "fold") for other in group if other != expr.kind)
        yield from (Edit(expr.mark, other, "list") for other in lists(expr.listing, self.checker))
        inner = self.bound({expr.name: expr.listing})
        if expr.term is not None:
            yield from inner.edits(expr.term, Span(expr.span.start + len(expr.kind) + 1, expr.named.start))
        if expr.where is not None:
            yield from inner.where(expr.where, expr.span)

    def where(self, expr: ast.Expr, limits: Span) -> Iterator[Edit]:
        """A `where`: what stands in it, and the whole of it dropped."""
        inside = Span(limits.start, limits.end - 1)
        yield from self.edits(expr, inside)
        whole = self.tokens.grouped(expr.span, inside)
        words = [t for t in self.tokens.within(Span(limits.start, whole.start)) if t.type == "WHERE"]
        yield Edit(Span(place(words[-1]).start, whole.end), "", "where")

    def _key(self, path: ast.Path) -> Type | None:
        table = self.checker.vocabulary.tables.get(path.name)
        return None if table is None else self.checker.fact_type(table.key)


def neighbours(number: str) -> tuple[str, str]:
    """A written number one step of its last digit up and down."""
    value = Decimal(number)
    step = Decimal(1).scaleb(int(value.as_tuple().exponent))
    return f"{value + step:f}", f"{value - step:f}"


def _texts(text: str) -> list[str]:
    """A text with one letter more, and one less."""
    return [f"{text}x", text[:-1]]


def _units(unit: str, at: Span) -> Iterator[Edit]:
    base = UNITS[unit][0]
    yield from (Edit(at, other, "unit") for other, (of, _) in UNITS.items() if of == base and other != unit)
