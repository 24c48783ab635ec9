"""A run as a person follows it: a moving line on a terminal, a quiet line a checkpoint in a log."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Protocol, TextIO, cast

from bench.progress.estimate import format_clock
from bench.progress.terminal import TolerantStream, note
from engine.sizing import GIB, human

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Remaining = tuple[float, float] | None
"""Seconds that are left of the phase and of the run; None when nobody can tell yet."""

VERBS = {"write": "writing", "read": "reading"}
DONE = {"write": "wrote", "read": "read"}


class Display(Protocol):
    """Shows a run."""

    def begin(self, operation: str, number: int, of: int, size: int) -> None:
        """A checkpoint of `size` bytes begins, `number` of `of`."""

    def update(self, count: int, left: Remaining = None, ranks: int = 0) -> None:
        """So many bytes of it are done, by `ranks` ranks that were heard; seconds left of phase and run."""

    def end(self, line: str) -> None:
        """It has ended; the line says how."""

    def say(self, line: str) -> None:
        """Something else to know."""

    def close(self) -> None:
        """The run is over."""


class LineDisplay:
    """Lines only."""

    def begin(self, operation: str, number: int, of: int, size: int) -> None:
        """Nothing to say yet."""

    def update(self, count: int, left: Remaining = None, ranks: int = 0) -> None:
        """Nothing to say yet."""
        del count, left, ranks

    def end(self, line: str) -> None:
        """The line."""
        self.say(line)

    def say(self, line: str) -> None:
        """The line."""
        note(line)

    def close(self) -> None:
        """Nothing is open."""


class LiveDisplay:
    """A moving line on the terminal: part, rate, the time left of phase and run, ranks heard."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
        )

        self._progress: Progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=6),
            TaskProgressColumn(),
            TextColumn("{task.fields[text]}"),
            console=Console(file=cast("TextIO", TolerantStream(sys.stderr)), highlight=False, soft_wrap=True),
            transient=True,
        )
        self._task: TaskID | None = None
        self._began = 0.0
        self._progress.start()

    def begin(self, operation: str, number: int, of: int, size: int) -> None:
        """A new line."""
        self._drop()
        self._began = time.monotonic()
        self._task = self._progress.add_task(f"{VERBS[operation]} {number}/{of}", total=size, text="")

    def update(self, count: int, left: Remaining = None, ranks: int = 0) -> None:
        """Move it."""
        if self._task is None:
            return
        rate = count / GIB / max(time.monotonic() - self._began, 1e-6)
        times = "" if left is None else f"phase {format_clock(left[0])} run {format_clock(left[1])}"
        self._progress.update(
            self._task,
            completed=count,
            text=f"{rate:.3g} GiB/s {times} {ranks} rank{'' if ranks == 1 else 's'}",
        )

    def end(self, line: str) -> None:
        """Replace it by what came of it."""
        self._drop()
        self.say(line)

    def say(self, line: str) -> None:
        """A line above the moving one."""
        self._progress.console.print(line, markup=False)

    def close(self) -> None:
        """Leave the terminal as it was."""
        self._drop()
        self._progress.stop()

    def _drop(self) -> None:
        if self._task is not None:
            self._progress.remove_task(self._task)
            self._task = None


def make_display() -> Display:
    """What fits where standard error goes."""
    return LiveDisplay() if sys.stderr.isatty() else LineDisplay()


def checkpoint_line(operation: str, number: int, of: int, size: int, seconds: float) -> str:
    """` wrote  3/10  104.7 MiB in 0.41 s, 0.25 GiB/s`."""
    rate = size / GIB / seconds if seconds > 0 else 0.0
    return f"{DONE[operation]:>5} {number:>2}/{of}  {human(size)} in {seconds:.2f} s, {rate:.3g} GiB/s"
