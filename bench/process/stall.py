"""Says when ranks fall silent, from the start to the end: a hang must not look like a long run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

QUIET = 30.0
"""Seconds without a word of any rank after which it is said; then after twice as long, and so on."""

START = "before the first checkpoint"
"""What is under way at first: a launcher may wait for hosts, ranks for a folder that does not answer."""

LOOK = 1.0
"""Seconds between two looks."""

SHOWN = 4
"""Ranks that are named."""


class Stall:
    """Listens to the ranks. `say` gets the sentence, from a thread of its own.

    Before a checkpoint ranks are silent for `interval` seconds, as they are meant to be.
    """

    def __init__(self, say: Callable[[str], None], interval: float = 0.0, *, start: bool = True) -> None:
        self._say, self._interval = say, interval
        self._last_report: dict[int, float] = {}  # rank -> when, in what is under way
        self._activity: str | None = START
        self._waits = True  # for the interval before a checkpoint
        self._last, self._next = time.monotonic(), QUIET + interval
        self._lock, self._closed = threading.Lock(), threading.Event()
        if start:
            threading.Thread(target=self._watch, daemon=True).start()

    def event(self, event: Mapping[str, Any], now: float | None = None) -> None:
        """A rank has said something."""
        at = time.monotonic() if now is None else now
        with self._lock:
            self._waits = event["event"] != "begin" and (self._waits or event["event"] == "end")
            self._last, self._next = at, QUIET + (self._interval if self._waits else 0)
            if event["event"] == "begin":
                self._activity = f"{event['operation']} {event['number']}"
                self._last_report.clear()
            elif event["event"] in ("ready", "progress"):
                self._last_report[event["rank"]] = at
            elif event["event"] == "end":
                self._activity = f"after {event['operation']} {event['number']}"
            elif event["event"] in ("failed", "done"):
                self._activity = None

    def due(self, now: float) -> str | None:
        """What is to be said now; each sentence once."""
        with self._lock:
            silent = now - self._last
            if self._activity is None or silent < self._next:
                return None
            self._next = 2 * silent
            ranks = sorted(self._last_report, key=lambda rank: (-self._last_report[rank], rank))[:SHOWN]
            reports = ", ".join(f"rank {rank} {now - self._last_report[rank]:.0f} s ago" for rank in ranks)
            return (
                f"{self._activity}: no rank has been heard for {silent:.0f} s; "
                f"{f'heard last: {reports}' if reports else 'none has been heard since it began'}"
            )

    def close(self) -> None:
        """Stop listening."""
        self._closed.set()

    def _watch(self) -> None:
        while not self._closed.wait(LOOK):
            line = self.due(time.monotonic())
            if line is not None:
                self._say(line)
