"""Pass 2: the text of a fence -> its tree.

lark parses a slice of the whole document, so that positions stay absolute. An error names
what would have been possible there in the author's words.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Tree, UnexpectedInput
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.utils import TextSlice

from rules_dsl import ast
from rules_dsl.diagnostics import Collector, Span, suggest
from rules_dsl.tree import build
from rules_dsl.units import UNITS

LABELS = {
    "IN_CLOSED": "in closed:",
    "IN_PACKAGE": "in package:",
    "STARTS": "starts with",
    "A_RUN": "a run",
    "EXACTLY": "exactly when",
    "CAN": "can, cannot or always",
    "DOES": "pass or break",
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
DEPTH = 120
"""How deep the parser's tree may be: some thirty parentheses, a hundred terms of one sum."""
DEEP = "give parts of it names with a `define` fence"


@cache
def grammar(*, strict: bool = False) -> Lark:
    """The parser. `strict` demands regexps without overlap too and is for tests."""
    text = (files("rules_dsl") / "grammar.lark").read_text(encoding="utf-8")
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

    None when the block does not parse; the reason is then with `collect`.
    """
    if not text[span.start : span.end].strip():
        collect.error("P001", "this block is empty", _opening(text, span))
        return None
    try:
        tree = grammar().parse(TextSlice(text, span.start, span.end), start=start)
    except UnexpectedInput as error:
        _explain(error, text, span, _possible(text, span, start), collect)
        return None
    if (deep := _too_deep(tree)) is not None:
        collect.error("P003", "this is nested too deeply", deep, help=DEEP)
        return None
    told = len(collect.found)
    built = build(tree, text, collect)
    return built if len(collect.found) == told else None


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
    spellings = [w for w in words if w.replace(" ", "").replace(":", "").isalpha()]
    near = suggest(text[start:stop], [*spellings, *(UNITS if "UNIT" in possible else ())])
    help_text = near if near.startswith("did you") else ("expected " + ", ".join(words) if words else "")
    collect.error("P001", what, Span(start, stop), help=help_text)
