"""One place that builds every message of the compiler: code, sentence, caret, help.

A `Span` is a half-open range of characters of the document; everything the compiler makes
keeps one, so that a message can always show the words it speaks of.
"""

from __future__ import annotations

import difflib
import re
import textwrap
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` of the document's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something to tell the author. `level` is error, warning or note."""

    code: str
    message: str
    span: Span
    level: str = "error"
    label: str = ""
    help: str = ""
    second: tuple[Span, str] | None = None


class RulesError(Exception):
    """The document cannot be compiled; `diagnostics` say why, all that were found."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("; ".join(d.message for d in self.diagnostics))


@dataclass(slots=True)
class Collector:
    """Gathers diagnostics, so that one run tells all it can."""

    found: list[Diagnostic] = field(default_factory=list)

    def error(self, code: str, message: str, span: Span, **more: object) -> None:
        """Add an error."""
        self.found.append(Diagnostic(code, message, span, "error", **more))  # type: ignore[arg-type]  # label, help, second

    def note(self, code: str, message: str, span: Span, **more: object) -> None:
        """Add a note."""
        self.found.append(Diagnostic(code, message, span, "note", **more))  # type: ignore[arg-type]  # label, help, second

    @property
    def errors(self) -> list[Diagnostic]:
        """Only what stops a build."""
        return [d for d in self.found if d.level == "error"]


def suggest(word: str, known: Iterable[str]) -> str:
    """`did you mean ...?` or, when nothing is near, what there is (at most twelve)."""
    names = sorted(set(known))
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if not near:
        folded = {name.lower(): name for name in names}
        near = [folded[word.lower()]] if word.lower() in folded else []
    if near:
        return f"did you mean `{near[0]}`?"
    return "known: " + ", ".join(names[:12]) + (", ..." if len(names) > 12 else "") if names else ""


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column of a character, both from 1."""
    line = text.count("\n", 0, offset) + 1
    return line, offset - (text.rfind("\n", 0, offset) + 1) + 1


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: wide characters two, marks on others none."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def visible(text: str) -> str:
    """The text without what would move the cursor or turn the line around; as long as before."""
    return UNSEEN.sub(lambda m: " " if m[0] == "\t" else "\N{REPLACEMENT CHARACTER}", text)


UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Controls and changes of direction: shown as they are they would hide what a line says."""


def render(diagnostic: Diagnostic, text: str, path: str) -> str:
    """The diagnostic with the document's line and carets under the words it speaks of."""
    line, column = position(text, diagnostic.span.start)
    out = [
        f"{diagnostic.level}[{diagnostic.code}]: {visible(diagnostic.message)}",
        f"  --> {path}:{line}:{column}",
        *_excerpt(text, diagnostic.span, diagnostic.label, "^"),
    ]
    if diagnostic.second is not None:
        span, label = diagnostic.second
        out.extend(_excerpt(text, span, label, "-"))
    if diagnostic.help:
        lines = [part for line in diagnostic.help.split("\n") for part in _helped(visible(line))]
        out += [(HELP if n == 0 else " " * len(HELP)) + said for n, said in enumerate(lines)]
    return "\n".join(out)


def _helped(line: str) -> list[str]:
    """A line of help within the page; one that is set in is to be pasted, and stays whole."""
    if line.startswith(" "):
        return [line.strip()]
    return textwrap.wrap(line, WIDTH - len(HELP), break_long_words=False, break_on_hyphens=False)


WIDTH = 80
HELP = "  = help: "
WIDE = 66
"""Characters of a line that are shown; 80 columns hold them with the gutter and a mark at each end."""
LEAD = 24
"""Characters before the marked words that are kept of a longer line."""


def _excerpt(text: str, span: Span, label: str, mark: str) -> list[str]:
    line, column = position(text, span.start)
    begin = text.rfind("\n", 0, span.start) + 1
    finish = text.find("\n", span.start)
    shown = visible(text[begin : finish if finish >= 0 else len(text)])
    width = max(1, min(span.end, begin + len(shown)) - span.start)
    shown, before, width = _window(shown, column - 1, width)
    gutter = f"{line:>5} | "
    blank = " " * (len(gutter) - 2) + "| "
    marks = mark * max(1, columns(shown[before : before + width]))
    return [f"{gutter}{shown}".rstrip(), f"{blank}{' ' * columns(shown[:before])}{marks} {label}".rstrip()]


def _window(line: str, at: int, width: int) -> tuple[str, int, int]:
    """The part of a long line that holds the marked words, where they then stand, and how many show."""
    if columns(line) <= WIDE:
        return line, at, width
    start = min(max(0, at - LEAD), max(0, len(line) - WIDE)) if at + width > WIDE else 0
    cut = line[start : start + WIDE]
    while columns(cut) > WIDE and len(cut) > at - start + 1:
        cut = cut[:-1]  # wide characters take two columns each
    left, right = ("..." if start else ""), ("..." if start + len(cut) < len(line) else "")
    return f"{left}{cut}{right}", at - start + len(left), max(1, min(width, start + len(cut) - at))


def count(number: int, word: str) -> str:
    """`1 clause`, `2 clauses`."""
    return f"{number} {word}{'' if number == 1 else 's'}"
