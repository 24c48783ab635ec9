"""Pass 2: the text of a fence -> its tree.

lark parses a slice of the whole document, so that positions stay absolute. An error names
what would have been possible there in the author's words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from lark import Lark, Token, Tree, UnexpectedInput
from lark.utils import TextSlice

from rules_dsl.diagnostics import Collector, Span
from rules_dsl.syntax import ast
from rules_dsl.syntax.expected import place, told
from rules_dsl.syntax.transform import PACKAGE, build

DEPTH = 120
"""How deep the parser's tree may be: some forty parentheses, a hundred terms of one sum."""
DEEP = "give parts of it names with a `define` fence"


@lru_cache(maxsize=8)  # a process reads one document, or some after another
def grammar(divisions: tuple[str, ...] = (), *, strict: bool = False) -> Lark:
    """The parser of a document with these divisions. `strict` demands regexps without overlap, for tests."""
    text = (files("rules_dsl.syntax") / "grammar.lark").read_text(encoding="utf-8")
    return Lark(
        text.replace(f"(?:{PACKAGE})", _categories(divisions)),
        parser="lalr",
        start=["rule", "defines", "checks", "expression"],
        propagate_positions=True,
        maybe_placeholders=True,
        strict=strict,
    )


def _categories(divisions: tuple[str, ...]) -> str:
    """The pattern of what a prefix `in NAME:` may name, no name before a longer one that it begins."""
    names = sorted((*divisions, PACKAGE), key=len, reverse=True)
    return f"(?:{'|'.join(map(re.escape, names))})"


class BlockKind(NamedTuple):
    """What a block is read as: the grammar's start, and the divisions that a `rule` has to know."""

    start: str
    divisions: tuple[str, ...] = ()

    @property
    def prefixes(self) -> tuple[str, ...] | None:
        """The divisions that a prefix may name; None where no prefix can stand."""
        return self.divisions if self.start == "rule" else None

    def tree(self, text: str, span: Span) -> Tree[Any]:
        """The parser's tree of a block. Raises UnexpectedInput."""
        return grammar(self.divisions).parse(TextSlice(text, span.start, span.end), start=self.start)

    def steps(self, text: str, span: Span) -> Any:
        """The parser before the first word of a block."""
        parser: Any = grammar(self.divisions)
        return parser.parse_interactive(TextSlice(text, span.start, span.end), start=self.start)


def parse(text: str, span: Span, start: str, collect: Collector, divisions: tuple[str, ...] = ()) -> Any:
    """The tree of one block: a tuple (`rule`, `defines`, `checks`) or an Expr.

    Only a `rule` has to know the names of the document's divisions: `in NAME:` is a prefix for them alone.

    What does not parse is told. Of a block of several statements those that do parse are given all
    the same, so that one run tells all it can; otherwise None.
    """
    if not text[span.start : span.end].strip():
        collect.error("P001", "this block is empty", _opening(text, span))
        return None
    kind = BlockKind(start, divisions)
    try:
        return _built(text, span, kind, collect)
    except UnexpectedInput as error:
        failed = error
    if start not in BEGINNINGS:
        told(failed, text, span, _possible(text, span, kind), collect)
        return None
    return _resumed(failed, text, span, kind, collect)


def _built(text: str, span: Span, kind: BlockKind, collect: Collector) -> Any:
    tree = kind.tree(text, span)
    if (deep := _too_deep(tree)) is not None:
        collect.error("P003", "this is nested too deeply", deep, help=DEEP)
        return None
    known = len(collect.found)
    built = build(tree, text, collect, kind.divisions)
    return built if len(collect.found) == known else None


BEGINNINGS = {
    "rule": r"(?:error|warn|note|since|until|when|for\s+each|informative|undecidable)\b|in\s+CATEGORY\s*:",
    "defines": r"[A-Za-z_]\w*\s+on\b",
    "checks": r"check\b",
}
"""What a line begins with that begins a statement of a block; CATEGORY is what `in NAME:` may name."""


def _resumed(error: UnexpectedInput, text: str, span: Span, kind: BlockKind, collect: Collector) -> Any:
    """The statements of a broken block that parse, each error told and left behind at the next beginning."""
    begun = [m.span(1) for m in _beginnings(kind).finditer(text, span.start, span.end)]
    found: list[Any] = []
    at = span.start
    failed: UnexpectedInput | None = error
    while failed is not None:
        where = place(failed, Span(at, span.end))
        early = next((a for a, b in begun if at < a <= where <= b + 1), None)
        rest = Span(at, span.end if early is None else early)
        if early is not None and (cut := _failure(text, rest, kind)) is not None:
            failed, where = cut, early - 1  # what is wrong is what stands before
        else:
            rest = Span(at, span.end)
        what = "block" if rest.end == span.end else "statement"
        told(failed, text, rest, _possible(text, rest, kind), collect, what, kind.prefixes)
        found += _before(text, [a for a, _ in begun if at <= a <= where], at, kind)
        following = next((a for a, _ in begun if a > where), None)
        if following is None:
            break
        at = following
        try:
            found += _built(text, Span(at, span.end), kind, collect) or ()
            failed = None
        except UnexpectedInput as more:
            failed = more
    return tuple(found) or None


def _failure(text: str, span: Span, kind: BlockKind) -> UnexpectedInput | None:
    """Why a part of a block does not parse; None when it does."""
    try:
        kind.tree(text, span)
    except UnexpectedInput as error:
        return error
    return None


def _beginnings(kind: BlockKind) -> re.Pattern[str]:
    begun = BEGINNINGS[kind.start].replace("CATEGORY", _categories(kind.divisions))
    return re.compile(rf"^[ \t]*({begun})", re.MULTILINE)


def _before(text: str, lines: list[int], at: int, kind: BlockKind) -> Any:
    """The whole statements between a place and an error: up to the last beginning behind which all parse."""
    for line in reversed(lines):
        try:
            if text[at:line].strip():
                return _built(text, Span(at, line), kind, Collector()) or ()
        except UnexpectedInput:
            continue
    return ()


def tokens(text: str, span: Span, start: str, divisions: tuple[str, ...] = ()) -> list[Token]:
    """The words of a block that parses, each with its place."""
    steps = BlockKind(start, divisions).steps(text, span)
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


def _possible(text: str, span: Span, kind: BlockKind) -> set[str]:
    """The terminals that could have stood where the parse of a broken block failed.

    They are asked for before the failing token is shown to the parser: it reduces on it first.
    """

    def feed(limit: int | None) -> tuple[Any, int]:
        steps = kind.steps(text, span)
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
