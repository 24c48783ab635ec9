"""The time of day of a process goes on as a clock that nobody can set."""

from __future__ import annotations

import time
from datetime import datetime

import pytest

from bench import clock


def test_it_is_the_local_time_of_day() -> None:
    assert abs((clock.now() - datetime.now()).total_seconds()) < 60


def test_a_clock_that_is_set_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = clock.now()
    monkeypatch.setenv("TZ", "Etc/GMT+9" if time.timezone <= 0 else "Etc/GMT-9")
    time.tzset()
    try:
        assert abs((datetime.now() - before).total_seconds()) > 3600
        assert 0 <= (clock.now() - before).total_seconds() < 60
    finally:
        monkeypatch.undo()
        time.tzset()
