"""Markdown tables with columns of one width: a blank is all that changes, and the rule line."""

from __future__ import annotations

import re

from rules_dsl.source.table_rows import is_rule_line, split_row

NARROW = 3
"""The least width of a column, for the dashes of its rule line."""


def aligned(text: str) -> str:
    """A table's lines with columns of one width and a rule line below the header."""
    lines = [line for line in text.split("\n") if line.strip()]
    rows = [[line[c.start : c.end] for c in split_row(line, 0, len(line))] for line in lines]
    ruled = len(lines) > 1 and is_rule_line(lines[1])
    sides = [_sides(cell) for cell in rows[1]] if ruled else []
    cells = [rows[0], *rows[2 if ruled else 1 :]]
    widths = [
        max(NARROW, *(len(row[i]) for row in cells if i < len(row))) for i in range(max(map(len, cells)))
    ]
    out = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=False)) + " |" for row in cells]
    sides += [("", "")] * (len(widths) - len(sides))
    dashes = (a + "-" * (w + 2 - len(a + b)) + b for w, (a, b) in zip(widths, sides, strict=False))
    return "\n".join([out[0], "|" + "|".join(dashes) + "|", *out[1:]]) + "\n"


def _sides(dashes: str) -> tuple[str, str]:
    """The colons at the two ends of a rule line's cell: to which side its column is set."""
    found = re.fullmatch(r"(:?)-*(:?)", dashes)
    return (found[1], found[2]) if found else ("", "")
