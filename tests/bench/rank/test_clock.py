"""The time of day of a process goes on as a clock that nobody can set."""

from __future__ import annotations

import time
from datetime import datetime, timedelta, tzinfo

import pytest

from bench.rank import clock


def test_it_is_the_local_time_of_day() -> None:
    assert abs((clock.local(clock.now()) - datetime.now()).total_seconds()) < 60


def test_a_clock_that_is_set_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Set(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Set:
            return cls(2001, 1, 1, tzinfo=tz)

    before = clock.now()
    monkeypatch.setattr(clock, "datetime", Set)
    assert 0 <= (clock.now() - before).total_seconds() < 60


@pytest.mark.parametrize(
    ("turn", "local"),
    [
        ("2026-03-29T01:00:00+00:00", ("01:59:50", "03:00:10")),
        ("2026-10-25T01:00:00+00:00", ("02:59:50", "02:00:10")),
    ],
    ids=["spring", "autumn"],
)
def test_a_night_with_another_hour_moves_the_local_time_and_no_duration(
    monkeypatch: pytest.MonkeyPatch, turn: str, local: tuple[str, str]
) -> None:
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    try:
        moment = datetime.fromisoformat(turn)
        monkeypatch.setattr(clock, "_ASKED", moment - timedelta(seconds=10))
        monkeypatch.setattr(clock, "_BEFORE", time.monotonic())
        before = clock.now()
        monkeypatch.setattr(clock, "_BEFORE", time.monotonic() - 20)
        after = clock.now()
        assert tuple(f"{clock.local(moment):%H:%M:%S}" for moment in (before, after)) == local
        assert round((after - before).total_seconds()) == 20
        assert clock.at(moment.timestamp() - 10) == moment - timedelta(seconds=10)
    finally:
        monkeypatch.undo()
        time.tzset()
