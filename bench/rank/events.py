"""What ranks report while they run, an event a line, on their standard output.

Launchers of every MPI forward the output of ranks, so that no port, file or thread is needed to
follow a run on many hosts. A line that is no event is somebody else's output and is kept as it is.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, TextIO

MARK = "@clausegate "
"""What an event's line starts with."""

EVERY = 0.25
"""Seconds between two reports of progress by one rank of a small run."""

RATE = 400
"""Reports a second that a launcher should have to read at most, of all ranks together."""


class Events:
    """The events of one rank."""

    def __init__(self, rank: int, ranks: int, stream: TextIO | None = None) -> None:
        self._rank = rank
        self._every = max(EVERY, ranks / RATE)
        self._stream = sys.stdout if stream is None else stream
        self._last_report = 0.0

    def emit(self, event: str, **fields: object) -> None:
        """Write an event now. One write, so that lines of ranks do not mix."""
        line = json.dumps({"event": event, "rank": self._rank, **fields})
        self._stream.write(f"{MARK}{line}\n")
        self._stream.flush()

    def counter(self, operation: str, number: int) -> Callable[[int], None]:
        """A function that adds up bytes and reports the sum now and then."""
        done = 0

        def add(count: int) -> None:
            nonlocal done
            done += count
            now = time.monotonic()
            if now - self._last_report >= self._every:
                self._last_report = now
                self.emit("progress", operation=operation, number=number, bytes=done)

        return add


def parse(line: str) -> Mapping[str, Any] | None:
    """The event in a line of output; None when it is something else.

    Launchers may put a tag before each line (`[0] `): the mark may stand anywhere.
    """
    _, mark, rest = line.partition(MARK)
    if not mark:
        return None
    try:
        event = json.loads(rest)
    except ValueError:  # two ranks' output mixed
        return None
    return event if isinstance(event, dict) and isinstance(event.get("event"), str) else None
