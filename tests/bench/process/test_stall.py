"""Ranks that fall silent are told of, rarely, and not while they are meant to be silent."""

from __future__ import annotations

import re
import time

from bench.process.stall import QUIET, Stall


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
