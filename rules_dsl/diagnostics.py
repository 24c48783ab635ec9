"""One place that builds every message of the compiler: code, sentence, caret, help.

A `Span` is a half-open range of characters of the document; everything the compiler makes
keeps one, so that a message can always show the words it speaks of.
"""

from __future__ import annotations

import difflib
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


def render(diagnostic: Diagnostic, text: str, path: str) -> str:
    """The diagnostic with the document's line and carets under the words it speaks of."""
    line, column = position(text, diagnostic.span.start)
    out = [
        f"{diagnostic.level}[{diagnostic.code}]: {diagnostic.message}",
        f"  --> {path}:{line}:{column}",
        *_excerpt(text, diagnostic.span, diagnostic.label, "^"),
    ]
    if diagnostic.second is not None:
        span, label = diagnostic.second
        out.extend(_excerpt(text, span, label, "-"))
    if diagnostic.help:
        out.append(f"  = help: {diagnostic.help}")
    return "\n".join(out)


WIDE = 88
"""Columns of a line that are shown; a terminal of 100 holds them with the gutter."""
LEAD = 24
"""Columns before the marked words that are kept of a longer line."""


def _excerpt(text: str, span: Span, label: str, mark: str) -> list[str]:
    line, column = position(text, span.start)
    begin = text.rfind("\n", 0, span.start) + 1
    finish = text.find("\n", span.start)
    shown = text[begin : finish if finish >= 0 else len(text)].replace("\t", " ")
    width = max(1, min(span.end, begin + len(shown)) - span.start)
    shown, before, width = _window(shown, column - 1, width)
    gutter = f"{line:>5} | "
    blank = " " * (len(gutter) - 2) + "| "
    return [f"{gutter}{shown}".rstrip(), f"{blank}{' ' * before}{mark * width} {label}".rstrip()]


def _window(line: str, at: int, width: int) -> tuple[str, int, int]:
    """The part of a long line that holds the marked words, where they then stand, and how many show."""
    if len(line) <= WIDE:
        return line, at, width
    start = min(max(0, at - LEAD), max(0, len(line) - WIDE)) if at + width > WIDE else 0
    cut = line[start : start + WIDE]
    left, right = ("..." if start else ""), ("..." if start + WIDE < len(line) else "")
    return f"{left}{cut}{right}", at - start + len(left), max(1, min(width, start + WIDE - at))
