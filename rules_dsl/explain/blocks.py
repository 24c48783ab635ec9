"""A page as blocks, and the two ways in which it is printed: for a terminal and as Markdown.

What is told of a clause or a code is decided elsewhere; here are only widths, rules and bullets. In a
terminal nothing is wider than 80 columns: words, cells and lines of code wrap.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rules_dsl.diagnostics import columns as width_of

WIDTH = 80
NARROW = 6
"""Columns that a cell keeps, however many there are."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A title; `level` 1 is the page's."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Words."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """Lines as they are; `kind` is the fence's word."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Rows:
    """A table."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Terms, each with what there is to say of it."""

    items: tuple[tuple[str, str], ...]


Block: TypeAlias = Heading | Paragraph | Code | Rows | Pairs


# --- a terminal ------------------------------------------------------------------------


def as_text(blocks: Iterable[Block]) -> str:
    """The blocks for a terminal, at most 80 columns wide."""
    out: list[str] = []
    for block in blocks:
        if out and not (isinstance(block, Heading) and block.level > 2):
            out.append("")
        out.extend(_text_lines(block))
    return "\n".join(line.rstrip() for line in out)


def _text_lines(block: Block) -> list[str]:
    match block:
        case Heading():
            return wrapped(block.text, WIDTH)
        case Paragraph():
            return [f"  {line}" for line in wrapped(block.text, WIDTH - 2)]
        case Code():
            return [
                f"    {part}" for line in block.text.rstrip().split("\n") for part in _folded(line, WIDTH - 4)
            ]
        case Rows():
            return [f"  {line}" for line in _grid_lines(block, WIDTH - 2)]
        case Pairs():
            lead = min(26, max((width_of(term) for term, _ in block.items), default=0))
            return [line for term, said in block.items for line in _pair_lines(term, said, lead)]


def _pair_lines(term: str, said: str, lead: int) -> list[str]:
    lines = wrapped(said, WIDTH - 4 - lead) or [""]
    blank = " " * (lead + 4)
    if width_of(term) > lead:
        return [f"  {term}", *(blank + line for line in lines)]
    return [f"  {_padded(term, lead)}  {lines[0]}", *(blank + line for line in lines[1:])]


def _folded(line: str, width: int) -> list[str]:
    """A line of code, folded at blanks; what follows is set in by two more."""
    if width_of(line) <= width:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=indent,
        break_long_words=True,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )


def wrapped(text: str, width: int) -> list[str]:
    """Words in lines of a width; a word that is wider is broken."""
    out: list[str] = []
    line = ""
    for word in text.split():
        while width_of(word) > width:
            if line:
                out.append(line)
                line = ""
            cut = max(1, next((n for n in range(len(word), 0, -1) if width_of(word[:n]) <= width), 1))
            out.append(word[:cut])
            word = word[cut:]  # noqa: PLW2901  # what is left of it is the next word
        if line and width_of(line) + 1 + width_of(word) > width:
            out.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*out, line] if line else out


def _grid_lines(grid: Rows, room: int) -> list[str]:
    widths = _widths(grid, room)
    rule = "  ".join("-" * w for w in widths)
    lines = [*_row_lines(grid.header, widths), rule]
    several = any(len(_row_lines(row, widths)) > 1 for row in grid.rows)
    for number, row in enumerate(grid.rows):
        if number and several:
            lines.append("")
        lines += _row_lines(row, widths)
    return lines


def _widths(grid: Rows, room: int) -> list[int]:
    """A width for each column; the widest give way until all fit."""
    every = [grid.header, *grid.rows]
    count = len(grid.header)
    widths = [max(NARROW, *(width_of(row[n]) for row in every)) for n in range(count)]
    least = [
        max(NARROW, min(14, max(width_of(w) for row in every for w in row[n].split() or [""])))
        for n in range(count)
    ]
    while sum(widths) + 2 * (count - 1) > room:
        able = [n for n in range(count) if widths[n] > least[n]] or [
            n for n in range(count) if widths[n] > NARROW
        ]
        if not able:
            break
        widths[max(able, key=lambda n: widths[n])] -= 1
    return widths


def _row_lines(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    cells = [wrapped(cell, width) or [""] for cell, width in zip(row, widths, strict=True)]
    height = max(map(len, cells))
    return [
        "  ".join(_padded(c[n] if n < len(c) else "", w) for c, w in zip(cells, widths, strict=True)).rstrip()
        for n in range(height)
    ]


def _padded(text: str, width: int) -> str:
    return text + " " * (width - width_of(text))


# --- Markdown --------------------------------------------------------------------------


def as_markdown(blocks: Iterable[Block]) -> str:
    """The blocks as Markdown."""
    return "\n\n".join(_markdown(block) for block in blocks) + "\n"


def _markdown(block: Block) -> str:
    match block:
        case Heading():
            return f"{'#' * block.level} {block.text}"
        case Paragraph():
            return "\n".join(textwrap.wrap(block.text, 110, break_long_words=False, break_on_hyphens=False))
        case Code():
            longest = max((len(run) for run in re.findall(r"`+", block.text)), default=0)
            marks = "`" * max(3, longest + 1)
            return f"{marks}{block.kind}\n{block.text.rstrip()}\n{marks}"
        case Rows():
            rows = [block.header, tuple("---" for _ in block.header), *block.rows]
            return "\n".join("| " + " | ".join(map(_cell, row)) + " |" for row in rows)
        case Pairs():
            return "\n".join(
                f"* {_cell(term)}: {said}" if said else f"* {_cell(term)}" for term, said in block.items
            )


def _cell(text: str) -> str:
    return re.sub(r"([|*_<>])", r"\\\1", text)
