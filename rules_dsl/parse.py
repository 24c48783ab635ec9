"""Pass 2: the text of a fence -> its tree.

lark parses a slice of the whole document, so that positions stay absolute. An error names
what would have been possible there in the author's words.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Transformer, Tree, UnexpectedInput
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.utils import TextSlice

from rules_dsl import ast
from rules_dsl.diagnostics import Collector, Span, suggest

LABELS = {
    "IN_CLOSED": "in closed:",
    "IN_PACKAGE": "in package:",
    "STARTS": "starts with",
    "LEVEL": "error, warn or note",
    "SILENT": "informative or undecidable",
    "STATE": "recorded, listed or valid",
    "FOLD": "a fold such as any(...)",
    "COUNT": "count(...)",
    "FUNCTION": "a function such as min(...)",
    "COMPARE": "a comparison",
    "NUMBER": "a number",
    "NAME": "a name",
    "UNIT": "a unit",
    "STRING": 'a "text"',
    "COLON": ":",
    "LPAR": "(",
    "RPAR": ")",
    "LSQB": "[",
    "RSQB": "]",
    "LBRACE": "{",
    "RBRACE": "}",
    "COMMA": ",",
    "DOT": ".",
    "PLUS": "+",
    "MINUS": "-",
    "STAR": "*",
    "SLASH": "/",
    "EQUAL": "=",
    "$END": "the end of the block",
}
PREFIXES = {"category": "in closed:", "since": "since", "until": "until", "each": "for each"}


@cache
def grammar(*, strict: bool = False) -> Lark:
    """The parser. `strict` demands regexps without overlap too and is for tests."""
    text = (files("rules_dsl") / "grammar.lark").read_text(encoding="utf-8")
    return Lark(
        text,
        parser="lalr",
        start=["rule", "defines", "expression"],
        propagate_positions=True,
        maybe_placeholders=True,
        strict=strict,
    )


def parse(text: str, span: Span, start: str, collect: Collector) -> Any:
    """The tree of one block: a tuple of Statement and Silence (`rule`), of Define (`defines`), or an Expr.

    None when the block does not parse; the reason is then with `collect`.
    """
    if not text[span.start : span.end].strip():
        collect.error("P001", "this block is empty", Span(max(0, span.start - 4), span.start))
        return None
    try:
        tree = grammar().parse(TextSlice(text, span.start, span.end), start=start)
    except UnexpectedInput as error:
        _explain(error, text, span, _possible(text, span, start), collect)
        return None
    told = len(collect.found)
    built = _Builder(text, collect).transform(tree)
    return built if len(collect.found) == told else None


def _possible(text: str, span: Span, start: str) -> set[str]:
    """The terminals that could have stood where the parse of a broken block failed.

    They are asked for before the failing token is shown to the parser: it reduces on it first.
    """
    steps = grammar().parse_interactive(TextSlice(text, span.start, span.end), start=start)
    before = steps.copy()
    try:
        for token in steps.lexer_thread.lex(steps.parser_state):
            before = steps.copy()
            steps.feed_token(token)
    except UnexpectedCharacters:
        before = steps
    except UnexpectedToken:
        pass
    else:
        before = steps
    return set(before.accepts())


def _explain(error: UnexpectedInput, text: str, span: Span, possible: set[str], collect: Collector) -> None:
    end = len(text[: span.end].rstrip())
    if (
        isinstance(error, UnexpectedToken)
        and error.token.type != "$END"
        and error.token.start_pos is not None
    ):
        start, stop = error.token.start_pos, error.token.end_pos or error.token.start_pos + 1
        what = f"`{error.token}` cannot stand here"
    elif isinstance(error, UnexpectedCharacters):
        start = getattr(error, "pos_in_stream", None) or span.start
        stop = start + 1
        what = f"`{text[start]}` cannot stand here"
    else:
        start, stop = max(span.start, end - 1), end
        what = "the block ends too early"
    words = sorted({LABELS.get(name, name.lower()) for name in possible})
    near = suggest(text[start:stop], [w for w in words if w.replace(" ", "").replace(":", "").isalpha()])
    help_text = near if near.startswith("did you") else ("expected " + ", ".join(words) if words else "")
    collect.error("P001", what, Span(start, stop), help=help_text)


class _Builder(Transformer):  # type: ignore[type-arg]  # lark's generic parameters do not help here
    """Turns lark's tree into ours; one method a grammar alias."""

    def __init__(self, text: str, collect: Collector) -> None:
        super().__init__(visit_tokens=False)
        # blanked comments keep every place and hold no operator
        self._text = re.sub(r'("[^"\n]*")|#[^\n]*', lambda m: m[1] or " " * len(m[0]), text)
        self._collect = collect

    def _call_userfunc(self, tree: Tree[Any], new_children: list[Any] | None = None) -> Any:
        children = new_children if new_children is not None else tree.children
        meta = tree.meta
        span = Span(meta.start_pos, meta.end_pos) if not meta.empty else Span(0, 0)
        return getattr(self, f"on_{tree.data}")(span, children)

    def _between(self, left: Any, right: Any, word: str) -> Span:
        at = self._text.find(word, left.span.end, right.span.start)
        return Span(at, at + len(word)) if at >= 0 else Span(left.span.end, right.span.start)

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

    # statements
    def on_statement(self, span: Span, c: list[Any]) -> Any:
        prefixes = [p for p in c if isinstance(p, tuple)]
        level, condition, because, fix = [p for p in c if not isinstance(p, tuple)]
        kinds = [p[0] for p in prefixes if p[0] != "when"]
        for kind in sorted({k for k in kinds if kinds.count(k) > 1}):
            self._collect.error("P002", f"a statement has one prefix of the kind `{PREFIXES[kind]}`", span)
        given: dict[str, Any] = dict(reversed([p for p in prefixes if p[0] != "when"]))
        return ast.Statement(
            span,
            str(level),
            condition,
            given.get("category", "all"),
            tuple(p[1] for p in prefixes if p[0] == "when"),
            given.get("each"),
            given.get("since"),
            given.get("until"),
            because,
            fix,
        )

    def on_in_closed(self, _: Span, __: list[Any]) -> Any:
        return ("category", "closed")

    def on_in_package(self, _: Span, __: list[Any]) -> Any:
        return ("category", "package")

    def on_since(self, _: Span, c: list[Any]) -> Any:
        return ("since", _unquote(c[0]))

    def on_until(self, _: Span, c: list[Any]) -> Any:
        return ("until", _unquote(c[0]))

    def on_when(self, _: Span, c: list[Any]) -> Any:
        return ("when", c[0])

    def on_for_each(self, span: Span, c: list[Any]) -> Any:
        first, then, listing, where = c
        names = (str(first),) if then is None else (str(first), str(then))
        return ("each", ast.Each(span, names, str(listing), where, _of(listing)))

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
        return ast.Fold(span, str(c[0]), c[1], str(c[2]), str(c[3]), c[4], _of(c[3]))

    def on_tally(self, span: Span, c: list[Any]) -> Any:
        return ast.Fold(span, "count", None, str(c[1]), str(c[2]), c[3], _of(c[2]))

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
