"""Pass 2: the text of a fence -> its tree.

lark parses a slice of the whole document, so that positions stay absolute. An error names
what would have been possible there in the author's words.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Tree, UnexpectedInput
from lark.utils import TextSlice

from rules_dsl.diagnostics import Collector, Span
from rules_dsl.syntax import ast
from rules_dsl.syntax.expected import place, told
from rules_dsl.syntax.transform import build

DEPTH = 120
"""How deep the parser's tree may be: some forty parentheses, a hundred terms of one sum."""
DEEP = "give parts of it names with a `define` fence"


@cache
def grammar(*, strict: bool = False) -> Lark:
    """The parser. `strict` demands regexps without overlap too and is for tests."""
    text = (files("rules_dsl.syntax") / "grammar.lark").read_text(encoding="utf-8")
    return Lark(
        text,
        parser="lalr",
        start=["rule", "defines", "checks", "expression"],
        propagate_positions=True,
        maybe_placeholders=True,
        strict=strict,
    )


def parse(text: str, span: Span, start: str, collect: Collector) -> Any:
    """The tree of one block: a tuple (`rule`, `defines`, `checks`) or an Expr.

    What does not parse is told. Of a block of several statements those that do parse are given all
    the same, so that one run tells all it can; otherwise None.
    """
    if not text[span.start : span.end].strip():
        collect.error("P001", "this block is empty", _opening(text, span))
        return None
    try:
        return _built(text, span, start, collect)
    except UnexpectedInput as error:
        failed = error
    if start not in BEGINNINGS:
        told(failed, text, span, _possible(text, span, start), collect)
        return None
    return _resumed(failed, text, span, start, collect)


def _built(text: str, span: Span, start: str, collect: Collector) -> Any:
    tree = grammar().parse(TextSlice(text, span.start, span.end), start=start)
    if (deep := _too_deep(tree)) is not None:
        collect.error("P003", "this is nested too deeply", deep, help=DEEP)
        return None
    known = len(collect.found)
    built = build(tree, text, collect)
    return built if len(collect.found) == known else None


BEGINNINGS = {
    "rule": r"(?:error|warn|note|in\s+closed\s*:|in\s+package\s*:|since|until|when|for\s+each|informative"
    r"|undecidable)\b|in\s+(?:closed|package)\s*:",
    "defines": r"[A-Za-z_]\w*\s+on\b",
    "checks": r"check\b",
}
"""What a line begins with that begins a statement of a block."""


def _resumed(error: UnexpectedInput, text: str, span: Span, start: str, collect: Collector) -> Any:
    """The statements of a broken block that parse, each error told and left behind at the next beginning."""
    begun = [m.span(1) for m in _beginnings(start).finditer(text, span.start, span.end)]
    found: list[Any] = []
    at = span.start
    failed: UnexpectedInput | None = error
    while failed is not None:
        where = place(failed, Span(at, span.end))
        early = next((a for a, b in begun if at < a <= where <= b + 1), None)
        rest = Span(at, span.end if early is None else early)
        if early is not None and (cut := _failure(text, rest, start)) is not None:
            failed, where = cut, early - 1  # what is wrong is what stands before
        else:
            rest = Span(at, span.end)
        what = "block" if rest.end == span.end else "statement"
        told(failed, text, rest, _possible(text, rest, start), collect, what)
        found += _before(text, [a for a, _ in begun if at <= a <= where], at, start)
        following = next((a for a, _ in begun if a > where), None)
        if following is None:
            break
        at = following
        try:
            found += _built(text, Span(at, span.end), start, collect) or ()
            failed = None
        except UnexpectedInput as more:
            failed = more
    return tuple(found) or None


def _failure(text: str, span: Span, start: str) -> UnexpectedInput | None:
    """Why a part of a block does not parse; None when it does."""
    try:
        grammar().parse(TextSlice(text, span.start, span.end), start=start)
    except UnexpectedInput as error:
        return error
    return None


def _beginnings(start: str) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*({BEGINNINGS[start]})", re.MULTILINE)


def _before(text: str, lines: list[int], at: int, start: str) -> Any:
    """The whole statements between a place and an error: up to the last beginning behind which all parse."""
    for line in reversed(lines):
        try:
            if text[at:line].strip():
                return _built(text, Span(at, line), start, Collector()) or ()
        except UnexpectedInput:
            continue
    return ()


def tokens(text: str, span: Span, start: str) -> list[Token]:
    """The words of a block that parses, each with its place."""
    steps: Any = grammar().parse_interactive(TextSlice(text, span.start, span.end), start=start)
    found: list[Token] = []
    for token in steps.lexer_thread.lex(steps.parser_state):
        found.append(token)
        steps.feed_token(token)
    return found


def is_name(word: str) -> bool:
    """Whether a word can be said where a value stands, and is no keyword there."""
    return isinstance(parse(word, Span(0, len(word)), "expression", Collector()), ast.Path)


def _opening(text: str, span: Span) -> Span:
    """What a block without a word is told at: the line that opens it, or the blank itself."""
    above = text[: max(0, span.start - 1)]
    if text[span.start - 1 : span.start] != "\n" or not above:
        return Span(max(0, span.start - 1), max(1, span.end))
    return Span(above.rfind("\n") + 1, len(above.rstrip()))


def _too_deep(tree: Tree[Any]) -> Span | None:
    """The first part of a tree that lies too deep for the passes that walk it."""
    rest: list[tuple[Tree[Any], int]] = [(tree, 0)]
    while rest:
        node, depth = rest.pop()
        if depth > DEPTH:
            return Span(node.meta.start_pos, node.meta.end_pos)
        rest += [(child, depth + 1) for child in node.children if isinstance(child, Tree)]
    return None


def _possible(text: str, span: Span, start: str) -> set[str]:
    """The terminals that could have stood where the parse of a broken block failed.

    They are asked for before the failing token is shown to the parser: it reduces on it first.
    """

    def feed(limit: int | None) -> tuple[Any, int]:
        steps: Any = grammar().parse_interactive(TextSlice(text, span.start, span.end), start=start)
        fed = 0
        try:
            for token in steps.lexer_thread.lex(steps.parser_state):
                if fed == limit:
                    break
                steps.feed_token(token)
                fed += 1
        except UnexpectedInput:
            pass
        return steps, fed

    _, good = feed(None)
    return set(feed(good)[0].accepts())
