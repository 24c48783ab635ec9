"""Times with a zone are instants; one without is what some clock showed, and compared with its like alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from engine.package.subjects import survey
from engine.package.validate import validate
from engine.rulesets import load
from engine.runtime import operators
from engine.runtime.values import MIXED, Value
from engine.verdict.findings import Report
from tests.packages import START, write_leaf, write_system
from tests.rules_dsl.evaluators import result

RULES = load("validator")
HERE, THERE = timezone(timedelta(hours=2)), timezone(timedelta(hours=-7))
NOON = datetime(2026, 7, 8, 12)
LENGTH = timedelta(minutes=5)


def shown(moment: datetime, zone: timezone | None) -> str:
    """The moment, given as UTC, by a clock of a zone; without one as UTC shows it, and no zone said."""
    return moment.isoformat() if zone is None else moment.replace(tzinfo=UTC).astimezone(zone).isoformat()


def halves(root: Path, gap: float, first: timezone | None, second: timezone | None) -> Report:
    """A run in two invocations, the second `gap` seconds after the first, each with the clock of its zone."""
    write_system(root)
    begins = START
    for zone, (writes, reads) in ((first, (10, 0)), (second, (0, 10))):
        ends = begins + LENGTH
        times: dict[str, Any] = {
            "metadata": {
                "invocation_start_time": shown(begins, zone),
                "invocation_end_time": shown(ends, zone),
            },
            "summary": {
                "start": shown(begins + timedelta(seconds=1), zone),
                "end": shown(ends - timedelta(seconds=1), zone),
            },
        }
        write_leaf(root, writes=writes, reads=reads, start=begins, **times)
        begins = ends + timedelta(seconds=gap)
    return validate(root, RULES)


def of(report: Report, rule: str) -> set[tuple[str, str]]:
    return {(f.outcome, f.level) for f in report.findings if f.rule == rule}


def workload(report: Report) -> str | None:
    return next(s.earned for s in report.subjects if s.scope == "workload")


ZONES = [(UTC, UTC), (HERE, HERE), (HERE, UTC), (UTC, THERE), (THERE, HERE)]


@pytest.mark.parametrize(("first", "second"), [*ZONES, (None, None)])
def test_the_gap_is_that_between_the_instants(
    tmp_path: Path, first: timezone | None, second: timezone | None
) -> None:
    short = halves(tmp_path / "short", 29, first, second)
    assert (of(short, "4.7.1"), workload(short)) == (set(), "CLOSED")
    long = halves(tmp_path / "long", 31, first, second)
    assert (of(long, "4.7.1"), workload(long)) == ({("violation", "error")}, "INVALID")


@pytest.mark.parametrize(("first", "second"), [(None, UTC), (HERE, None)])
@pytest.mark.parametrize("gap", [5, 31])
def test_a_zone_on_one_side_alone_leaves_the_gap_open_and_says_why(
    tmp_path: Path, gap: float, first: timezone | None, second: timezone | None
) -> None:
    report = halves(tmp_path, gap, first, second)
    assert of(report, "4.7.1") == {("undetermined", "error")}
    assert workload(report) == "UNDETERMINED"
    (finding,) = [f for f in report.findings if f.rule == "4.7.1"]
    assert "recorded without its zone beside one with a zone" in finding.message


@pytest.mark.parametrize("zone", [None, UTC])
def test_a_negative_gap_is_said(tmp_path: Path, zone: timezone | None) -> None:
    report = halves(tmp_path, -1, zone, zone)
    assert ("violation", "warning") in of(report, "4.7.1")


def test_a_clock_set_back_between_the_halves_does_not_matter_to_instants(tmp_path: Path) -> None:
    summer, winter = timezone(timedelta(hours=2)), timezone(timedelta(hours=1))
    assert workload(halves(tmp_path / "instants", 10, summer, winter)) == "CLOSED"
    assert workload(halves(tmp_path / "late", 3_610, summer, winter)) == "INVALID", "no hour is lost"


def test_an_instant_is_preferred_where_both_are_recorded(tmp_path: Path) -> None:
    write_system(tmp_path)
    write_leaf(tmp_path, summary={"start_time": "2026-07-08T06:46:33+00:00"})
    (leaf,) = survey(tmp_path, RULES).leaves
    assert leaf.reading.facts["summary_start"] == datetime(2026, 7, 8, 6, 46, 33, tzinfo=UTC)


MOMENTS: list[datetime] = [
    NOON,
    NOON.replace(tzinfo=UTC),
    NOON.replace(tzinfo=HERE),
    NOON + timedelta(hours=1),
]


@pytest.mark.parametrize("left", MOMENTS)
@pytest.mark.parametrize("right", MOMENTS)
def test_both_paths_and_the_oracle_agree_on_times_of_any_kind(left: datetime, right: datetime) -> None:
    facts: dict[str, Value] = {"start": left, "end": right}
    mixed = (left.tzinfo is None) != (right.tzinfo is None)
    for rule in (
        "start < end",
        "start <= end",
        "start > end",
        "start >= end",
        "start == end",
        "start != end",
    ):
        assert (result(f"error if {rule}", facts) == "undetermined") is mixed
    assert (result("error if end - start > 30 s", facts) == "undetermined") is mixed
    assert (operators.minus(left, right) is MIXED) is mixed
