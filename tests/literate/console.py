"""Markdown files with console blocks: their commands, and the text with other output in its place.

Kept apart from the tests so that the form of the files can be tested by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

OPEN = "```console"
CLOSE = "```"
EXIT = re.compile(r"\[exit (\d+)\]")


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a block, with what it is expected to print."""

    line: int  # of the command, counted from 1
    command: str
    shown: tuple[str, ...]  # the command's lines as written
    output: tuple[str, ...]
    code: int

    def text(self) -> str:
        """The step as a block shows it."""
        ending = (f"[exit {self.code}]",) if self.code else ()
        return "".join(f"{line}\n" for line in (*self.shown, *self.output, *ending))


def steps(text: str) -> list[Step]:
    """The commands of a file, in order.

    Raises:
        ValueError: a block is not closed, or does not begin with a command.
    """
    return [part for part in _parts(text) if isinstance(part, Step)]


def replace(text: str, run: Callable[[Step], Step]) -> str:
    """The file's text with what `run` makes of each step in its place."""
    return "".join(part if isinstance(part, str) else run(part).text() for part in _parts(text))


def _parts(text: str) -> Iterator[str | Step]:
    """The file in pieces: prose as it stands, and each command with its output."""
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        yield lines[number] + "\n"
        number += 1
        if lines[number - 1].rstrip() != OPEN:
            continue
        end = next((n for n in range(number, len(lines)) if lines[n].rstrip() == CLOSE), None)
        if end is None:
            raise ValueError(f"line {number}: the console block is not closed")
        yield from _block(lines[number:end], number + 1)
        number = end


def _block(lines: list[str], first: int) -> Iterator[Step]:
    starts = [n for n, line in enumerate(lines) if line.startswith("$ ")]
    if not starts or starts[0] != 0:
        raise ValueError(f"line {first}: a console block begins with a command, `$ ...`")
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        body = start + 1
        while body < end and lines[body].startswith("> "):
            body += 1
        output = lines[body:end]
        ending = EXIT.fullmatch(output[-1]) if output else None
        yield Step(
            line=first + start,
            command="\n".join(line[2:] for line in lines[start:body]),
            shown=tuple(lines[start:body]),
            output=tuple(output[:-1] if ending else output),
            code=int(ending[1]) if ending else 0,
        )
