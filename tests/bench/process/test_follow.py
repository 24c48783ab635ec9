from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest

from bench.process import follow
from bench.process.stall import QUIET, Stall
from bench.progress.estimate import Estimate, clock
from bench.workload.plan import Plan
from engine.rulesets import load
from engine.sizing import find_layout


def plan() -> Plan:
    layout = find_layout(load("gate").tables, "8B")
    assert layout is not None
    return Plan(
        model="m",
        layout=layout,
        ranks=8,
        folder="/f",
        leaf="/l",
        writes=3,
        reads=2,
        interval=1.0,
        engine="null",
    )


def test_what_is_left_counts_the_checkpoints_to_come() -> None:
    estimate, size = Estimate(plan()), plan().total()
    assert estimate.left("write", 1, 0, 5.0) is None
    # Half in 5 s: 5 s left of this one, two more of 10 s, two reads of 10 s, an interval before each.
    assert estimate.left("write", 1, size // 2, 5.0) == (5 + 2 * 11, 5 + 2 * 11 + 2 * 11)
    assert estimate.left("read", 2, size // 2, 5.0) == (5, 5)


def test_past_checkpoints_weigh() -> None:
    estimate, size = Estimate(plan()), plan().total()
    estimate.ended("write", 20.0)
    assert estimate.left("write", 2, size // 2, 5.0) == (5 + 16, 5 + 16 + 2 * 16)


def test_clock() -> None:
    assert [clock(seconds) for seconds in (9, 725, 12011)] == ["0:09", "12:05", "3:20:11"]


def test_silence_is_said_rarely_and_names_who_was_heard_last() -> None:
    stall = Stall(lambda _: None, start=False)
    stall.event({"event": "begin", "operation": "write", "number": 2}, 100.0)
    stall.event({"event": "progress", "rank": 1}, 101.0)
    stall.event({"event": "progress", "rank": 3}, 102.0)
    assert stall.due(102 + QUIET - 1) is None
    line = stall.due(102 + QUIET)
    assert line == "write 2: no rank has been heard for 30 s; heard last: rank 3 30 s ago, rank 1 31 s ago"
    assert stall.due(102 + QUIET + 1) is None
    assert stall.due(102 + 2 * QUIET) is not None
    stall.event({"event": "progress", "rank": 1}, 163.0)
    assert stall.due(163 + QUIET - 1) is None


def test_ranks_that_never_start_are_missed() -> None:
    stall = Stall(lambda _: None, start=False)
    began = time.monotonic()
    assert stall.due(began) is None
    line = stall.due(began + QUIET)
    assert line is not None
    assert re.fullmatch(
        r"before the first checkpoint: no rank .* for 30 s; none has been heard since it began", line
    )
    stall.event({"event": "ready", "rank": 1}, began + 40)
    assert stall.due(began + 41) is None
    assert "heard last: rank 1 30 s ago" in str(stall.due(began + 40 + QUIET))


def test_between_checkpoints_ranks_may_be_silent_for_the_interval_and_not_longer() -> None:
    stall = Stall(lambda _: None, 100.0, start=False)
    stall.event({"event": "begin", "operation": "read", "number": 1}, 1.0)
    assert "none has been heard" in str(stall.due(1.0 + QUIET))
    stall.event({"event": "progress", "rank": 0}, 50.0)
    stall.event({"event": "end", "operation": "read", "number": 1}, 60.0)
    assert stall.due(159.0 + QUIET) is None
    line = stall.due(160.0 + QUIET)
    assert line == "after read 1: no rank has been heard for 130 s; heard last: rank 0 140 s ago"
    stall.event({"event": "done"}, 200.0)
    assert stall.due(1e9) is None


def test_the_interval_stands_whichever_rank_is_heard_late() -> None:
    stall = Stall(lambda _: None, 100.0, start=False)
    stall.event({"event": "begin", "operation": "write", "number": 1}, 1.0)
    stall.event({"event": "end", "operation": "write", "number": 1}, 2.0)
    stall.event({"event": "progress", "rank": 1}, 3.0)
    assert stall.due(3 + 99 + QUIET) is None
    assert stall.due(3 + 100 + QUIET) is not None
    stall.event({"event": "begin", "operation": "write", "number": 2}, 200.0)
    assert stall.due(200 + QUIET) is not None


def test_what_is_left_behind_and_never_falls_silent_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(follow, "GRACE", 0.2)
    note = tmp_path / "pid"
    script = f"(while :; do echo x; done) & echo $! > {note}; exit 0"
    try:
        assert follow.follow(["sh", "-c", script], lambda _: None, lambda *_: None, None).code == 0
    finally:
        os.kill(int(note.read_text()), signal.SIGKILL)


def test_what_was_said_before_the_end_counts_however_slow_the_listener_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(follow, "GRACE", 0.1)
    script = "i=0; while [ $i -lt 300 ]; do echo line; i=$((i+1)); done; "
    script += 'echo \'@clausegate {"event": "done", "rank": 0}\''
    heard = []

    def keep(_: str, line: str) -> None:
        time.sleep(0.003)  # a terminal that takes its time
        heard.append(line)

    end = follow.follow(["sh", "-c", script], lambda _: None, keep, None)
    assert len(heard) == 300
    assert end.done
