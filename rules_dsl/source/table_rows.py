"""One line of a Markdown table: its cells, and whether it is the line of dashes below the header."""

from __future__ import annotations

import re

from rules_dsl.diagnostics import Span


def split_row(text: str, start: int, end: int) -> list[Span]:
    """The cells of one table line, stripped; an escaped bar does not part cells."""
    while start < end and text[start] in " \t":
        start += 1
    while end > start and text[end - 1] in " \t\n":
        end -= 1
    if start < end and text[start] == "|":
        start += 1
    if end > start and text[end - 1] == "|" and text[end - 2] != "\\":
        end -= 1
    cells: list[Span] = []
    begin = start
    for at in range(start, end + 1):
        if at == end or (text[at] == "|" and text[at - 1] != "\\"):
            left, right = begin, at
            while left < right and text[left] in " \t":
                left += 1
            while right > left and text[right - 1] in " \t":
                right -= 1
            cells.append(Span(left, right))
            begin = at + 1
    return cells


def is_rule_line(line: str) -> bool:
    """Whether a line of a table is the one of dashes below its header."""
    return "-" in line and re.fullmatch(r"[ \t|:\-]+", line) is not None
