"""How long a run still takes, from what it has done."""

from __future__ import annotations

from bench.progress.estimate import Estimate, format_clock
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
    assert estimate.remaining("write", 1, 0, 5.0) is None
    # Half in 5 s: 5 s left of this one, two more of 10 s, two reads of 10 s, an interval before each.
    assert estimate.remaining("write", 1, size // 2, 5.0) == (5 + 2 * 11, 5 + 2 * 11 + 2 * 11)
    assert estimate.remaining("read", 2, size // 2, 5.0) == (5, 5)


def test_past_checkpoints_weigh() -> None:
    estimate, size = Estimate(plan()), plan().total()
    estimate.add("write", 20.0)
    assert estimate.remaining("write", 2, size // 2, 5.0) == (5 + 16, 5 + 16 + 2 * 16)


def test_clock() -> None:
    assert [format_clock(seconds) for seconds in (9, 725, 12011)] == ["0:09", "12:05", "3:20:11"]
