"""Adds up what the ranks say: for the person who watches, and for the logs of the leaf."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.process.follow import ERR, OUT
from bench.process.outcome import RankProcess
from bench.process.stall import Stall
from bench.progress.estimate import Estimate
from bench.progress.progress import Display, checkpoint_line
from bench.rank.clock import local, now
from bench.record.record import STDERR, STDOUT
from bench.workload.plan import Plan

DLIO_LOG = "dlio.log"

LAST = 200
"""Lines in which the reason stands when a launcher fails without a word of a rank."""


class RunMonitor:
    """Follows one run. Logs stand in the leaf's folder."""

    def __init__(self, plan: Plan, display: Display, leaf: Path, family: str) -> None:
        self._plan = plan
        self._size = plan.total()
        self._display = display
        self._done: dict[int, int] = {}  # rank -> bytes of the checkpoint under way
        self.ranks: dict[int, RankProcess] = {}  # those that have reported for work
        self.last: deque[str] = deque(maxlen=LAST)  # lines that were no events
        self.figures: Mapping[str, Any] | None = None  # as the first rank said them before it wrote them
        self.log_error: OSError | None = None  # why a log could not be written; the run goes on without
        self._estimate = Estimate(plan)
        self._began = 0.0
        self._stall = Stall(display.say, plan.interval)
        self._open = ExitStack()
        names = {OUT: STDOUT.format(family=family), ERR: STDERR.format(family=family), "dlio": DLIO_LOG}
        self._logs = {
            stream: self._open.enter_context((leaf / name).open("w", encoding="utf-8", buffering=1))
            for stream, name in names.items()
        }

    def event(self, event: Mapping[str, Any]) -> None:
        """A rank has said something."""
        kind = event["event"]
        self._stall.event(event)
        if kind == "ready":
            self.ranks[event["rank"]] = RankProcess(event["host"], event["pid"])
            if len(self.ranks) == self._plan.ranks:
                hosts = len({rank.host for rank in self.ranks.values()})
                self.log(f"{self._plan.ranks} ranks are ready on {hosts} host{'' if hosts == 1 else 's'}")
        elif kind == "begin":
            self._done.clear()
            self._began = time.monotonic()
            self._display.begin(event["operation"], event["number"], self._of(event), self._size)
        elif kind == "progress":
            self._done[event["rank"]] = event["bytes"]
            done = sum(self._done.values())
            elapsed = time.monotonic() - self._began
            left = self._estimate.remaining(event["operation"], event["number"], done, elapsed)
            self._display.update(done, left, len(self._done))
        elif kind == "end":
            self._estimate.add(event["operation"], event["duration"])
            line = checkpoint_line(
                event["operation"], event["number"], self._of(event), self._size, event["duration"]
            )
            self.log(line, show=False)
            self._display.end(line)
        elif kind == "figures":
            self.figures = event["metric"]
        elif kind == "failed":
            self.log(f"rank {event['rank']} on {event['host']} failed: {event['reason']}", show=False)

    def keep(self, stream: str, line: str) -> None:
        """A line that is no event: somebody else's output. Until a rank is heard it is the launcher's own."""
        self._write(stream, line)
        self.last.append(line.strip())
        if not self.ranks and line.strip():
            self._display.say(line)

    def log(self, line: str, *, show: bool = True) -> None:
        """A line of our own, in the logs and (when it is `show`n) on the terminal."""
        self._write(OUT, line)
        self._write("dlio", f"[{local(now()).isoformat(timespec='milliseconds')}] {line}")
        if show:
            self._display.say(line)

    def close(self) -> None:
        """Close the logs."""
        self._stall.close()
        try:
            self._open.close()
        except OSError as error:
            self.log_error = self.log_error or error

    def _write(self, stream: str, line: str) -> None:
        try:
            self._logs[stream].write(line + "\n")
        except OSError as error:
            self.log_error = self.log_error or error

    def _of(self, event: Mapping[str, Any]) -> int:
        return self._plan.writes if event["operation"] == "write" else self._plan.reads
