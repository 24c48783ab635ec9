"""Pass 2, the other half: the parser's tree -> ours, one method a grammar alias."""

from __future__ import annotations

import re
from typing import Any

from lark import Token, Transformer, Tree

from rules_dsl.diagnostics import Collector, Span
from rules_dsl.syntax import ast
from rules_dsl.units import DIGITS

PREFIXES = {"since": "since", "until": "until", "each": "for each"}
PACKAGE = "package"
"""The category that every document has."""
COMMENT = re.compile(r"#[^\n]*")


def build(tree: Tree[Any], text: str, collect: Collector, divisions: tuple[str, ...] = ()) -> Any:
    """Our tree of a whole block; what is wrong although it parses is told."""
    return _Builder(text, collect, divisions).transform(tree)


class _Builder(Transformer):  # type: ignore[type-arg]  # lark's generic parameters do not help here
    """Turns lark's tree into ours; one method a grammar alias."""

    def __init__(self, text: str, collect: Collector, divisions: tuple[str, ...]) -> None:
        super().__init__(visit_tokens=False)
        self._text = text
        self._collect = collect
        self._prefixes = {**PREFIXES, "category": f"in {(*divisions, PACKAGE)[0]}:"}

    def _call_userfunc(self, tree: Tree[Any], new_children: list[Any] | None = None) -> Any:
        children = new_children if new_children is not None else tree.children
        meta = tree.meta
        span = Span(meta.start_pos, meta.end_pos) if not meta.empty else Span(0, 0)
        return getattr(self, f"on_{tree.data}")(span, children)

    def _between(self, left: Any, right: Any, word: str) -> Span:
        """Where an operator stands between its operands: blanked comments keep every place and hold none."""
        start, end = left.span.end, right.span.start
        at = COMMENT.sub(lambda m: " " * len(m[0]), self._text[start:end]).find(word)
        return Span(start + at, start + at + len(word)) if at >= 0 else Span(start, end)

    def _chain(self, op: str, span: Span, children: list[Any]) -> Any:
        """A run of one operator is one node; a single operand stays what it is."""
        kids = [c for c in children if c is not None]
        if len(kids) == 1:
            return kids[0]
        return ast.Apply(span, op, tuple(kids), self._between(kids[0], kids[1], op))

    def _binary(self, op: str, span: Span, children: list[Any]) -> ast.Apply:
        return ast.Apply(span, op, (children[0], children[1]), self._between(children[0], children[1], op))

    # blocks
    def on_rule(self, _: Span, c: list[Any]) -> Any:
        return tuple(c)

    def on_defines(self, _: Span, c: list[Any]) -> Any:
        return tuple(c)

    def on_expression(self, _: Span, c: list[Any]) -> Any:
        return c[0]

    def on_silence(self, span: Span, c: list[Any]) -> Any:
        return ast.Silence(span, str(c[0]), _unquote(c[1]))

    def on_define(self, span: Span, c: list[Any]) -> Any:
        return ast.Define(span, str(c[0]), str(c[1]), c[2], _of(c[0]))

    # checks
    def on_checks(self, _: Span, c: list[Any]) -> Any:
        return tuple(c)

    def on_check(self, span: Span, c: list[Any]) -> Any:
        over, (condition, promise), exception = c
        excepted, because = exception if exception is not None else ((), None)
        return ast.Check(span, over, condition, promise, excepted, because)

    def on_over(self, span: Span, c: list[Any]) -> Any:
        name, table, where = c
        return ast.Over(span, str(name), str(table), where, _of(table))

    def on_holds(self, _: Span, c: list[Any]) -> Any:
        return (c[0], None)

    def on_promised(self, _: Span, c: list[Any]) -> Any:
        return (None, c[0])

    def on_exactly(self, _: Span, c: list[Any]) -> Any:
        return (c[0], c[2])

    def on_promise(self, span: Span, c: list[Any]) -> Any:
        _, given, mode, outcome, rule = c
        return ast.Promise(span, given, str(mode), str(outcome), ast.Text(_of(rule), _unquote(rule)))

    def on_with(self, _: Span, c: list[Any]) -> Any:
        return c[0]

    def on_exception(self, _: Span, c: list[Any]) -> Any:
        *keys, because = c
        return (tuple(ast.Text(_of(k), _unquote(k)) for k in keys), _unquote(because))

    # statements
    def on_statement(self, span: Span, c: list[Any]) -> Any:
        prefixes = [p for p in c if isinstance(p, tuple)]
        level, condition, because, fix = [p for p in c if not isinstance(p, tuple)]
        kinds = [p[0] for p in prefixes if p[0] != "when"]
        for kind in sorted({k for k in kinds if kinds.count(k) > 1}):
            self._collect.error(
                "P002", f"a statement has one prefix of the kind `{self._prefixes[kind]}`", span
            )
        given: dict[str, Any] = dict(reversed([p for p in prefixes if p[0] != "when"]))
        category, named = given.get("category", ("all", None))
        return ast.Statement(
            span,
            str(level),
            condition,
            category,
            tuple(p[1] for p in prefixes if p[0] == "when"),
            given.get("each"),
            given.get("since"),
            given.get("until"),
            because,
            fix,
            named,
        )

    def on_in_category(self, span: Span, c: list[Any]) -> Any:
        _, name = str(c[0]).rstrip(":").split()
        return ("category", (name, span))

    def on_since(self, _: Span, c: list[Any]) -> Any:
        return ("since", _unquote(c[0]))

    def on_until(self, _: Span, c: list[Any]) -> Any:
        return ("until", _unquote(c[0]))

    def on_when(self, _: Span, c: list[Any]) -> Any:
        return ("when", c[0])

    def on_for_each(self, span: Span, c: list[Any]) -> Any:
        first, then, listing, where = c
        names = (str(first),) if then is None else (str(first), str(then))
        spans = (_of(first),) if then is None else (_of(first), _of(then))
        return ("each", ast.Each(span, names, str(listing), where, _of(listing), spans))

    def on_then(self, _: Span, c: list[Any]) -> Any:
        return c[0]

    def on_where(self, _: Span, c: list[Any]) -> Any:
        return c[0]

    def on_because(self, _: Span, c: list[Any]) -> Any:
        return ast.Text(_of(c[0]), _unquote(c[0]))

    def on_fix(self, _: Span, c: list[Any]) -> Any:
        return ast.Text(_of(c[0]), _unquote(c[0]))

    # expressions
    def on_otherwise(self, span: Span, c: list[Any]) -> Any:
        return self._chain("otherwise", span, c)

    def on_either(self, span: Span, c: list[Any]) -> Any:
        return self._chain("or", span, c)

    def on_both(self, span: Span, c: list[Any]) -> Any:
        return self._chain("and", span, c)

    def on_negate(self, span: Span, c: list[Any]) -> Any:
        return ast.Apply(span, "not", (c[0],), Span(span.start, span.start + 3))

    def on_compare(self, span: Span, c: list[Any]) -> Any:
        return ast.Apply(span, str(c[1]), (c[0], c[2]), _of(c[1]))

    def on_among(self, span: Span, c: list[Any]) -> Any:
        return self._binary("in", span, c)

    def on_not_among(self, span: Span, c: list[Any]) -> Any:
        return ast.Apply(span, "not-in", (c[0], c[1]), self._between(c[0], c[1], "not"))

    def on_matches(self, span: Span, c: list[Any]) -> Any:
        return ast.Match(span, "matches", c[0], _unquote(c[1]))

    def on_starts(self, span: Span, c: list[Any]) -> Any:
        return ast.Match(span, "starts with", c[0], _unquote(c[2]))

    def on_state(self, span: Span, c: list[Any]) -> Any:
        return ast.State(span, c[0], str(c[1]), negated=False)

    def on_not_state(self, span: Span, c: list[Any]) -> Any:
        return ast.State(span, c[0], str(c[1]), negated=True)

    def on_plus(self, span: Span, c: list[Any]) -> Any:
        return self._binary("+", span, c)

    def on_minus(self, span: Span, c: list[Any]) -> Any:
        return self._binary("-", span, c)

    def on_times(self, span: Span, c: list[Any]) -> Any:
        return self._binary("*", span, c)

    def on_divide(self, span: Span, c: list[Any]) -> Any:
        return self._binary("/", span, c)

    def on_modulo(self, span: Span, c: list[Any]) -> Any:
        return self._binary("mod", span, c)

    def on_opposite(self, span: Span, c: list[Any]) -> Any:
        return ast.Apply(span, "neg", (c[0],), Span(span.start, span.start + 1))

    def on_convert(self, span: Span, c: list[Any]) -> Any:
        return ast.Convert(span, c[0], str(c[1]), _of(c[1]))

    def on_number(self, span: Span, c: list[Any]) -> Any:
        if len(str(c[0])) > DIGITS:
            self._collect.error("P004", f"a number has at most {DIGITS} digits", _of(c[0]))
        return ast.Number(span, str(c[0]), str(c[1]) if c[1] is not None else None)

    def on_string(self, span: Span, c: list[Any]) -> Any:
        return ast.Text(span, _unquote(c[0]))

    def on_yes(self, span: Span, _: list[Any]) -> Any:
        return ast.Truth(span, value=True)

    def on_no(self, span: Span, _: list[Any]) -> Any:
        return ast.Truth(span, value=False)

    def on_members(self, span: Span, c: list[Any]) -> Any:
        return ast.Apply(span, "set", tuple(c), span)

    def on_fold(self, span: Span, c: list[Any]) -> Any:
        return ast.Fold(span, str(c[0]), c[1], str(c[2]), str(c[3]), c[4], _of(c[3]), _of(c[2]))

    def on_tally(self, span: Span, c: list[Any]) -> Any:
        return ast.Fold(span, "count", None, str(c[1]), str(c[2]), c[3], _of(c[2]), _of(c[1]))

    def on_call(self, span: Span, c: list[Any]) -> Any:
        return ast.Apply(span, str(c[0]), tuple(c[1:]), _of(c[0]))

    def on_path(self, span: Span, c: list[Any]) -> Any:
        return ast.Path(span, str(c[0]), tuple(c[1:]))

    def on_field(self, span: Span, c: list[Any]) -> Any:
        return ast.Field(span, str(c[0]))

    def on_key(self, span: Span, c: list[Any]) -> Any:
        return ast.Key(span, c[0])


def _unquote(token: Token) -> str:
    return str(token)[1:-1]


def _of(token: Token) -> Span:
    start = token.start_pos or 0
    return Span(start, token.end_pos or start)
