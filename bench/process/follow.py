"""Watches the ranks of a run from outside: what they report, how long they take, how they end.

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

from bench.process import orphans
from bench.process.import_path import rank_variables
from bench.rank.events import parse
from bench.rank.parent_death import death_signal

LOOK = 0.1
"""Seconds between two looks at the clock and at signals."""

GRACE = 5.0
"""Seconds that ranks get to end by themselves once they are told to."""

OUT, ERR = "stdout", "stderr"

OnEvent = Callable[[Mapping[str, Any]], None]
OnLine = Callable[[str, str], None]
"""Keeps a line of a stream that is no event."""


@dataclass(slots=True)
class LauncherExit:
    """How the ranks ended: the launcher's code, and what cut them short."""

    code: int
    signal: str | None = None  # the signal that this process got
    out_of_time: bool = False
    failures: list[Mapping[str, Any]] = field(default_factory=list)  # what ranks said of themselves
    refusals: list[Mapping[str, Any]] = field(default_factory=list)  # what they said before any I/O
    stuck: list[str] = field(default_factory=list)  # ranks of this host that could not be ended
    pids: dict[int, int] = field(default_factory=dict)  # rank -> process, on whatever host
    done: bool = False  # the first rank has said that all is written


def follow(command: Sequence[str], on_event: OnEvent, on_line: OnLine, limit: float | None) -> LauncherExit:
    """Start the ranks, hand on what they report, and return when the last is gone. Raises OSError."""
    with catch_signals() as caught:
        process = start_process(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, variables=rank_variables()
        )
        end = LauncherExit(0)
        try:
            _watch(process, end, on_event, on_line, limit, caught)
        finally:
            stop(process, caught)
            end.stuck = orphans.end(end.pids, command[-1])
    return end


def start_process(
    command: Sequence[str],
    *,
    stdout: int | IO[bytes],
    stderr: int,
    variables: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """A process that ends when this one dies; a signal of the terminal does not reach it. Raises OSError."""
    main = threading.current_thread() is threading.main_thread()
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **(variables or {})},
        preexec_fn=death_signal(signal.SIGTERM) if main else None,  # noqa: PLW1509  nothing else sets the tie
    )


def _watch(
    process: subprocess.Popen[bytes],
    end: LauncherExit,
    on_event: OnEvent,
    on_line: OnLine,
    limit: float | None,
    caught: list[str],
) -> None:
    lines: queue.Queue[tuple[str, str | None]] = queue.Queue()
    streams = {OUT: process.stdout, ERR: process.stderr}
    for name, stream in streams.items():
        threading.Thread(target=_lines, args=(name, stream, lines), daemon=True).start()
    still_open, began, gone = len(streams), time.monotonic(), None
    while still_open or process.poll() is None:
        with suppress(queue.Empty):
            name, line = lines.get(timeout=LOOK)
            still_open -= line is None
            if line is not None:
                _handle(line, name, end, on_event, on_line)
        now = time.monotonic()
        if process.poll() is None:
            if caught:
                end.signal = caught[0]
            elif limit is not None and now - began > limit:
                end.out_of_time = True
            if (end.signal or end.out_of_time) and not stop(process, caught):
                break  # not even killing helps: it waits for storage inside the kernel
        else:
            gone = now if gone is None else gone
            if now - gone > GRACE:  # something that a rank left behind still holds a stream
                for _ in range(lines.qsize()):  # what was said till now counts, however late it is heard
                    name, line = lines.get()
                    if line is not None:
                        _handle(line, name, end, on_event, on_line)
                break
    code = process.poll()
    end.code = -signal.SIGKILL if code is None else code


def _handle(line: str, name: str, end: LauncherExit, on_event: OnEvent, on_line: OnLine) -> None:
    event = parse(line) if name == OUT else None
    if event is None:
        on_line(name, line)
        return
    if event["event"] == "failed":
        end.failures.append(event)
    elif event["event"] == "refused":
        end.refusals.append(event)
    elif event["event"] == "ready":
        end.pids[event["rank"]] = event["pid"]
    end.done = end.done or event["event"] == "done"
    on_event(event)


def _lines(name: str, stream: IO[bytes] | None, lines: queue.Queue[tuple[str, str | None]]) -> None:
    if stream is not None:
        with stream:
            for line in stream:
                lines.put((name, line.decode("utf-8", "replace").rstrip("\r\n")))
    lines.put((name, None))


def stop(process: subprocess.Popen[bytes], caught: Sequence[str]) -> bool:
    """End a process and what it started here; whether it is gone. Launchers tell other hosts themselves.

    A further signal to this process while it waits means that nobody wants to wait.
    """
    before = len(caught)
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        until = time.monotonic() + GRACE
        while process.poll() is None and time.monotonic() < until:
            if number == signal.SIGTERM and len(caught) > before:
                break
            time.sleep(LOOK / 2)
    return process.poll() is not None


@contextmanager
def catch_signals() -> Iterator[list[str]]:
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
