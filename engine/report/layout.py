"""Lines of at most 80 columns: sentences wrapped, paths broken after a slash."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from engine.report import printable

WIDTH = 80


def wrapped(text: str, indent: str = "", hanging: str | None = None) -> list[str]:
    """A sentence in lines. `hanging` indents those after the first."""
    return textwrap.wrap(
        printable(text),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent if hanging is None else hanging,
        break_on_hyphens=False,
    )


def broken(head: str, text: str) -> Iterator[str]:
    """Head and text, broken after a slash, else a blank, where they are longer than a line."""
    indent, rest = head, printable(text)
    while len(indent) + len(rest) > WIDTH:
        room = WIDTH - len(indent)
        cut = rest.rfind("/", 0, room) + 1 or rest.rfind(" ", 0, room) + 1 or room
        yield (indent + rest[:cut]).rstrip()
        rest, indent = rest[cut:], " " * len(head)
    yield indent + rest


def counted(number: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
