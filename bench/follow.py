"""Watches the ranks of a run from outside: what they say, how long they take, how they end.

Whatever happens, no process of the run outlives the watch by more than seconds.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import IO, Any

from bench.events import parse

LOOK = 0.1
"""Seconds between two looks at the clock and at signals."""

GRACE = 5.0
"""Seconds that ranks get to end by themselves once they are told to."""

OUT, ERR = "stdout", "stderr"

Say = Callable[[Mapping[str, Any]], None]
Keep = Callable[[str, str], None]
"""Keeps a line of a stream that is no event."""


@dataclass(slots=True)
class End:
    """How the ranks ended: the launcher's code, and what cut them short."""

    code: int
    signal: str | None = None  # the signal that this process got
    out_of_time: bool = False
    failures: list[Mapping[str, Any]] = field(default_factory=list)  # what ranks said of themselves
    done: bool = False  # the first rank has said that all is written


def follow(command: Sequence[str], say: Say, keep: Keep, limit: float | None) -> End:
    """Start the ranks, hand on what they say, and return when the last is gone. Raises OSError."""
    with _signals() as caught:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # a signal of the terminal comes to us alone
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        try:
            return _watch(process, say, keep, limit, caught)
        finally:
            _end(process)


def _watch(
    process: subprocess.Popen[bytes], say: Say, keep: Keep, limit: float | None, caught: list[str]
) -> End:
    lines: queue.Queue[tuple[str, str | None]] = queue.Queue()
    streams = {OUT: process.stdout, ERR: process.stderr}
    for name, stream in streams.items():
        threading.Thread(target=_lines, args=(name, stream, lines), daemon=True).start()
    end, still_open, started, gone = End(0), len(streams), time.monotonic(), None
    while still_open:
        with suppress(queue.Empty):
            name, line = lines.get(timeout=LOOK)
            still_open -= line is None
            if line is not None:
                _take(line, name, end, say, keep)
        now = time.monotonic()
        if process.poll() is None:
            if caught:
                end.signal = caught[0]
                _end(process)
            elif limit is not None and now - started > limit:
                end.out_of_time = True
                _end(process)
        else:
            gone = now if gone is None else gone
            if now - gone > GRACE:
                break  # something that a rank left behind still holds a stream
    end.code = process.wait()
    return end


def _take(line: str, name: str, end: End, say: Say, keep: Keep) -> None:
    event = parse(line) if name == OUT else None
    if event is None:
        keep(name, line)
        return
    if event["event"] == "failed":
        end.failures.append(event)
    end.done = end.done or event["event"] == "done"
    say(event)


def _lines(name: str, stream: IO[bytes] | None, lines: queue.Queue[tuple[str, str | None]]) -> None:
    if stream is not None:
        for line in stream:
            lines.put((name, line.decode("utf-8", "replace").rstrip("\r\n")))
    lines.put((name, None))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the launcher and all that it started here; launchers pass the signal on to other hosts."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)


@contextmanager
def _signals() -> Iterator[list[str]]:
    """The names of the signals that came; the run ends in order instead of anywhere."""
    caught: list[str] = []
    if threading.current_thread() is not threading.main_thread():
        yield caught
        return
    wanted = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in wanted}
    for number in wanted:
        signal.signal(number, lambda got, _frame: caught.append(signal.Signals(got).name))
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
