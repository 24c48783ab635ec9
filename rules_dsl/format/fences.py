"""The canonical layout of a fence in the rule language: blanks and line breaks, and nothing else.

It is made from the parser's own tokens, so that what is written is what was read; comments are
kept where they stand. A line that would be too wide goes on behind a prefix or before a connective.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lark import Token

from rules_dsl.diagnostics import Collector, Span
from rules_dsl.source.document import Fence
from rules_dsl.syntax import ast
from rules_dsl.syntax.parse import parse, tokens

STARTS = {"rule": "rule", "define": "defines", "check": "checks"}
"""The fences that have a layout, and what the grammar calls their content."""
WIDTH = 110
HANGING = " " * 4
LINES = {"BECAUSE": "  ", "FIX": "  "}
"""The words that begin a line of their own in a statement, and how far that is indented."""
JOINTS = ("EXCEPT", "EXACTLY", "OTHERWISE", "OR", "AND")
"""Before which words a line may be broken, from loose to tight."""
PREFIX_ENDS = {"COLON", "IN_CATEGORY"}
OPENING = {"LPAR", "LSQB", "LBRACE"}
CLOSING = {"RPAR", "RSQB", "RBRACE"}
CALLS = {"FOLD", "COUNT", "FUNCTION"}
TIGHT_BEFORE = {*CLOSING, "COMMA", "COLON", "DOT", "LSQB"}
TIGHT_AFTER = {*OPENING, "DOT"}
OPERANDS = {"NAME", "NUMBER", "STRING", "UNIT", "YES", "NO", *CLOSING, "STATE"}


@dataclass(frozen=True, slots=True)
class Word:
    """A token, the comments that stand before it, and whether a blank goes before it."""

    kind: str
    text: str
    start: int
    comments: tuple[str, ...]
    spaced: bool


def laid_out(text: str, fence: Fence, divisions: tuple[str, ...] = ()) -> str:
    """The body of a fence in canonical layout; one that does not parse stays as it is.

    `divisions` are the names that a prefix `in NAME:` may have.
    """
    start = STARTS[fence.kind]
    told = Collector()
    items: Sequence[ast.Statement] = parse(text, fence.body, start, told, divisions) or ()
    if told.errors or not items:  # a check does not stop a document from compiling
        return text[fence.body.start : fence.body.end]
    words = list(_words(text, fence.body, start, divisions))
    places = [w.start for w in words]
    out: list[str] = []
    for index, item in enumerate(items):
        above, beside = _between(
            text[(items[index - 1].span.end if index else fence.body.start) : item.span.start]
        )
        if index and beside:
            out[-1] += f"  {beside}"
        elif beside:
            above = [beside, *above]
        out += above[1:] if above and not out and not above[0] else above
        begin, end = (bisect_left(places, at) for at in (item.span.start, item.span.end))
        out += _lines(words[begin:end])
    above, beside = _between(text[items[-1].span.end : fence.body.end])
    if beside:
        out[-1] += f"  {beside}"
    while above and not above[-1]:
        above.pop()
    return "\n".join([*out, *above]) + "\n"


def _words(text: str, span: Span, start: str, divisions: tuple[str, ...]) -> Iterator[Word]:
    """The tokens of a block that parses, as the parser itself takes them."""
    end, before = span.start, ""
    for token in tokens(text, span, start, divisions):
        at = token.start_pos or 0
        comments = tuple(c.rstrip() for c in re.findall(r"#[^\n]*", text[end:at]))
        yield Word(token.type, _plain(token), at, comments, _spaced(before, token.type))
        end = token.end_pos or at
        before = "SIGN" if token.type == "MINUS" and before not in OPERANDS else token.type


def _plain(token: Token) -> str:
    """A token's text; `in  closed :` is several words of one token."""
    return str(token) if token.type == "STRING" else re.sub(r"\s+(?=:)", "", re.sub(r"\s+", " ", token))


def _spaced(before: str, kind: str) -> bool:
    """Whether a blank parts two tokens."""
    if kind in TIGHT_BEFORE or before in TIGHT_AFTER or before == "SIGN":
        return False
    return not (kind == "LPAR" and before in CALLS)


def _between(text: str) -> tuple[list[str], str]:
    """What stands between two items: lines (comments, one blank at most), and what ends the line before."""
    first, *rest = text.split("\n")
    lines: list[str] = []
    for line in (part.strip() for part in rest[:-1]):
        if line or (lines[-1:] != [""]):
            lines.append(line)
    tail = rest[-1].strip() if rest else ""
    return [*lines, *([tail] if tail else [])], first.strip()


def _lines(words: Sequence[Word]) -> list[str]:
    """One item as lines: a statement's head, its `because`, its `fix`."""
    lines: list[str] = []
    rest = list(words)
    while rest:
        stop = next((i for i, w in enumerate(rest[1:], 1) if w.kind in LINES), len(rest))
        if any(w.kind == "EXCEPT" for w in rest[:stop]):  # its `because` belongs to it
            stop = len(rest)
        if lines:  # what stands above the whole item was told already
            lines += [HANGING + comment for comment in rest[0].comments]
        lines += _filled(rest[:stop], LINES.get(rest[0].kind, ""))
        rest = rest[stop:]
    return lines


def _filled(words: Sequence[Word], indent: str) -> list[str]:
    """Words as one line, or as several where it would be too wide or a comment ends it."""
    ends = [i for i, w in enumerate(words) if i and w.comments]
    lines: list[str] = []
    for begin, end in zip([0, *ends], [*ends, len(words)], strict=True):
        if begin:
            lines += [HANGING + comment for comment in words[begin].comments]
        lines += _wrapped(words[begin:end], HANGING if begin else indent, HANGING)
    return lines


def _wrapped(words: Sequence[Word], lead: str, hanging: str) -> list[str]:
    """Words as lines: broken behind prefixes and before the loosest connective, as deep as it must be."""
    if len(lead + _said(words)) <= WIDTH:
        return [lead + _said(words)]
    ends = [i + 1 for i, (w, groups) in enumerate(_nested(words)) if not groups and w.kind in PREFIX_ENDS]
    stops = [end for end in ends if end < len(words)]
    parts = _split(words, _joints(words, stops[-1] if stops else 0))
    loose = len(parts) > 1 and parts[1][0].kind in {"EXCEPT", "EXACTLY"}
    deeper = hanging if loose else hanging + HANGING
    if stops and not loose and (len(parts) == 1 or len(lead + _said(parts[0])) > WIDTH):
        fits = len(lead + _said(words[: stops[-1]])) <= WIDTH
        parts = _split(words, stops[-1:] if fits else stops)
        deeper = hanging
    if len(parts) == 1:
        return [lead + _said(words)]
    return [line for i, part in enumerate(parts) for line in _wrapped(part, hanging if i else lead, deeper)]


def _joints(words: Sequence[Word], begin: int) -> list[int]:
    """Where the loosest connective stands, in no bracket or all in one."""
    places = [
        (groups, w.kind, i) for i, (w, groups) in enumerate(_nested(words)) if i > begin and w.kind in JOINTS
    ]
    for deep in range(max((len(g) for g, _, _ in places), default=0) + 1):
        here = [place for place in places if len(place[0]) == deep]
        for tier in JOINTS:
            found = [place for place in here if place[1] == tier]
            if len({groups for groups, _, _ in found}) == 1:
                return [i for _, _, i in found]
        if here:
            return []
    return []


def _nested(words: Sequence[Word]) -> Iterator[tuple[Word, tuple[int, ...]]]:
    """Each word with the brackets around it, by where they open."""
    groups: tuple[int, ...] = ()
    for index, word in enumerate(words):
        groups = groups[:-1] if word.kind in CLOSING else groups
        yield word, groups
        groups = (*groups, index) if word.kind in OPENING else groups


def _split(words: Sequence[Word], places: Sequence[int]) -> list[Sequence[Word]]:
    return [words[a:b] for a, b in zip([0, *places], [*places, len(words)], strict=True) if a < b]


def _said(words: Sequence[Word]) -> str:
    return "".join(" " * (w.spaced and i > 0) + w.text for i, w in enumerate(words))
