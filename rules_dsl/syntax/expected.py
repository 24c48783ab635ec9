"""Why a block does not parse, in the words of the language: what cannot stand here, and what could.

The parser speaks of terminals. An author is told signs and words as they are typed, and values and
operators as one each; slips that come from other languages are told outright.
"""

from __future__ import annotations

import re

from lark import UnexpectedInput
from lark.exceptions import UnexpectedToken

from rules_dsl.diagnostics import Collector, Span, suggest
from rules_dsl.units import UNITS

LABELS = {
    "STARTS": "starts with",
    "A_RUN": "a run",
    "EXACTLY": "exactly when",
    "FOLD": "a fold such as any(...)",
    "COUNT": "count(...)",
    "FUNCTION": "a function such as min(...)",
    "OF_ROW": "layout_size(...), layout_files(...) or member(...)",
    "COMPARE": "a comparison",
    "NUMBER": "a number",
    "NAME": "a name",
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
SPELLED = {
    "CAN": ("can", "cannot", "always"),
    "DOES": ("pass", "break"),
    "LEVEL": ("error", "warn", "note"),
    "SILENT": ("informative", "undecidable"),
    "STATE": ("recorded", "listed", "valid"),
    "UNIT": UNITS,
    "IN_CATEGORY": ("in package:",),
}
"""Terminals of several spellings; one that is nearly typed is meant. Divisions are named beside `package`."""
GROUPS = (
    (
        {
            "NAME",
            "NUMBER",
            "STRING",
            "YES",
            "NO",
            "LPAR",
            "LBRACE",
            "FOLD",
            "COUNT",
            "FUNCTION",
            "OF_ROW",
            "MINUS",
        },
        'a value such as a name, a number, a "text" or (...)',
    ),
    ({"PLUS", "MINUS", "STAR", "SLASH", "MOD"}, "+ - * / or mod"),
    ({"COMPARE", "IN", "IS", "MATCHES", "STARTS", "NOT"}, "a comparison"),
    ({"LEVEL", "IN_CATEGORY", "SINCE", "UNTIL", "WHEN", "FOR"}, "a statement"),
)
"""Terminals that are told as one when all of them could stand."""
LATER = ("SILENT", "DOT", "LSQB", "AS")
"""Terminals that are told only when little else could stand."""
SLIPS = {
    "=>": "at least is `>=`",
    "=<": "at most is `<=`",
    "===": "equal is `==`",
    "=": "equal is `==`",
    "<>": "not equal is `!=`",
    "&&": "write `and`",
    "&": "write `and`",
    "||": "write `or`",
    "|": "write `or`",
    "!": "write `not`",
    "'": 'a text stands in double quotes: "..."',
    "\N{LEFT DOUBLE QUOTATION MARK}": 'a text stands in straight quotes: "..."',
    "\N{RIGHT DOUBLE QUOTATION MARK}": 'a text stands in straight quotes: "..."',
    "\N{LESS-THAN OR EQUAL TO}": "at most is `<=`",
    "\N{GREATER-THAN OR EQUAL TO}": "at least is `>=`",
    "\N{NOT EQUAL TO}": "not equal is `!=`",
    "\N{NO-BREAK SPACE}": "this blank is a no-break space; type a plain one",
    '"': "a text ends on the line on which it begins",
    "%": "the unit is spelled `percent`",
    ";": "a statement ends where the next one begins",
}

PREFIX = re.compile(r"(?:^|:)[ \t]*(?P<prefix>in\s+(?P<name>[A-Za-z_]\w*)\s*:)", re.MULTILINE)
"""What is meant as a prefix that names a division: it begins a line, or follows another prefix."""
UNDECLARED = "declare the divisions in a `divisions` fence"


def place(error: UnexpectedInput, span: Span) -> int:
    """Where a parse failed."""
    if isinstance(error, UnexpectedToken):
        at = error.token.start_pos if error.token.type != "$END" else None
    else:
        at = getattr(error, "pos_in_stream", None)
    return span.end if at is None else at


def told(
    error: UnexpectedInput,
    text: str,
    span: Span,
    possible: set[str],
    collect: Collector,
    what: str = "block",
    divisions: tuple[str, ...] | None = None,
) -> None:
    """Tell why a block, or a statement of it, does not parse.

    `divisions` are those that a prefix may name; None where no prefix can stand.
    """
    end = len(text[: span.end].rstrip())
    at = place(error, span)
    if divisions is not None and (name := _strange_prefix(text, span, at, divisions)) is not None:
        word = text[name.start : name.end]
        help_text = suggest(word, (*divisions, "package")) if divisions else UNDECLARED
        collect.error("P001", f"no division is called `{word}`", name, help=help_text)
        return
    divisions = divisions or ()
    if at >= end:
        start, stop = _last_word(text, span, end)
        collect.error(
            "P001",
            f"the {what} ends too early",
            Span(start, stop),
            help="expected " + _listed(expected(possible, divisions)),
        )
        return
    sign = next((s for s in (_sign(text, at - back) for back in (2, 1, 0)) if s and s[1] > at), None)
    if sign is not None:
        start, stop = sign
    elif isinstance(error, UnexpectedToken):
        start, stop = at, error.token.end_pos or at + 1
    else:
        start, stop = _strange(text, at)
    words = text[start:stop]
    collect.error(
        "P001", f"`{words}` cannot stand here", Span(start, stop), help=_help(words, possible, divisions)
    )


def _last_word(text: str, span: Span, end: int) -> tuple[int, int]:
    """The last word before a place, or the last sign."""
    word = re.search(r"(?:\w+|[<>=!]=|\S)\Z", text[span.start : end])
    return (span.start + word.start(), end) if word else (max(span.start, end - 1), end)


def _sign(text: str, at: int) -> tuple[int, int] | None:
    """A sign of another language that begins at a place, the longest."""
    found = (sign for sign in sorted(SLIPS, key=len, reverse=True) if text.startswith(sign, at))
    return next(((at, at + len(sign)) for sign in found), None)


def _strange(text: str, at: int) -> tuple[int, int]:
    """The whole of what cannot be read at a place: a sign, a run of signs, a word with a strange letter."""
    if text[at].isalnum() or text[at] == "_":
        start = at - len(re.search(r"\w*\Z", text[:at])[0])  # type: ignore[index]  # it matches nothing too
        return start, at + len(re.match(r"[\w\u0300-\u036f]+", text[at:])[0])  # type: ignore[index]  # as above
    stop = at + 1
    while stop < len(text) and re.match(r"[\u0300-\u036f\ufe0e\ufe0f\u200d]", text[stop]):
        stop += 1
    return at, stop


def _help(words: str, possible: set[str], divisions: tuple[str, ...]) -> str:
    if words in SLIPS:
        return SLIPS[words]
    if not words.isascii() and re.search(r"\w", words):
        return "a name is made of letters without marks, digits and `_`"
    spelled = (w for name in possible for w in _spellings(name, divisions))
    spellings = [w for w in spelled if w.replace(" ", "").replace(":", "").isalpha()]
    near = suggest(words, spellings)
    return near if near.startswith("did you") else "expected " + _listed(expected(possible, divisions))


def _strange_prefix(text: str, span: Span, at: int, divisions: tuple[str, ...]) -> Span | None:
    """The name in a prefix `in NAME:` that is no prefix, where it is what does not parse."""
    for found in PREFIX.finditer(text, span.start, span.end):
        if found.start("prefix") <= at < found.end() and found["name"] not in {*divisions, "package"}:
            return Span(*found.span("name"))
    return None


def _spellings(name: str, divisions: tuple[str, ...] = ()) -> tuple[str, ...]:
    if name == "IN_CATEGORY":
        return (*(f"in {division}:" for division in divisions), *SPELLED[name])
    return tuple(SPELLED.get(name, ())) or (LABELS.get(name, name.lower()),)


def expected(possible: set[str], divisions: tuple[str, ...] = ()) -> list[str]:
    """What could stand in a place, each kind once, what is likeliest first."""
    left = set(possible)
    found = []
    for group, words in GROUPS:
        if group <= possible and group & left:
            found.append(words)
            left -= group
    if found:
        left -= set(LATER)
    if "UNIT" in left:
        left.remove("UNIT")
        found.append("a unit")
    return [*found, *sorted(w for name in left for w in _spellings(name, divisions))]


def _listed(words: list[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
