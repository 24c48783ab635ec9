"""Figures that cannot be: declared on their facts, and nothing is judged by them where they are recorded."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.package.validate import validate
from engine.rulesets import load
from engine.verdict.findings import Report
from tests.packages import DROP, START, write_leaf, write_system

RULES = load("validator")
BEFORE = (START - timedelta(seconds=1)).isoformat()


def judged(root: Path, edition: str | None = None, select: tuple[str, ...] = (), **changes: Any) -> Report:
    system = changes.pop("described", {})
    write_system(root, **system)
    write_leaf(root, **changes)
    return validate(root, RULES, edition=edition, select=select)


def named(report: Report) -> set[str]:
    return {f.name for f in report.findings if f.rule == "evidence" and f.level == "error"}


def earned(report: Report) -> set[str | None]:
    return {subject.earned for subject in report.subjects if subject.scope == "leaf"}


METRIC = "metric.checkpoint_size_GB"
IMPOSSIBLE = [
    ("written", {"summary": {METRIC: 0}}),
    ("written", {"summary": {METRIC: -104.7}}),
    ("written", {"summary": {METRIC: 0.0524}}),
    ("written", {"summary": {METRIC: 104.7 * 1024}}),
    ("written", {"summary": {METRIC: 103.6}}),
    ("measured_memory", {"summary": {"host_memory_GB": [0, 0.0]}}),
    ("measured_memory", {"summary": {"host_memory_GB": [-30]}}),
    ("collected_memory", {"metadata": {"system_info.total_memory_bytes": 0}}),
    ("collected_memory", {"metadata": {"system_info.total_memory_bytes": -1}}),
    ("declared_memory", {"declared_memory": 0}),
    ("processes", {"metadata": {"args.num_processes": 0, "num_processes": 0}}),
    ("processes", {"metadata": {"args.num_processes": -8, "num_processes": -8}}),
    ("accelerators", {"summary": {"num_accelerators": 0}}),
    ("hosts", {"summary": {"num_hosts": 0}}),
    ("collected_hosts", {"metadata": {"system_info.num_hosts": -1}}),
    ("writes", {"writes": -1}),
    ("reads", {"reads": -10}),
    ("write_rate", {"summary": {"metric.save_checkpoint_io_mean_GB_per_second": 0}}),
    ("write_rate", {"summary": {"metric.save_checkpoint_io_mean_GB_per_second": DROP}}),
    ("read_rate", {"summary": {"metric.load_checkpoint_io_mean_GB_per_second": -3.5}}),
    (
        "read_rate",
        {"writes": 10, "reads": 0, "summary": {"metric.load_checkpoint_io_mean_GB_per_second": -1}},
    ),
    ("write_duration", {"summary": {"metric.save_checkpoint_duration_mean_seconds": -1}}),
    ("read_duration", {"summary": {"metric.load_checkpoint_duration_mean_seconds": None}}),
    ("invocation_end", {"metadata": {"invocation_end_time": BEFORE}}),
    ("summary_end", {"summary": {"end": BEFORE}}),
]


@pytest.mark.parametrize("edition", ["3.0", "4.0"])
@pytest.mark.parametrize(("fact", "changes"), IMPOSSIBLE)
def test_an_impossible_figure_is_told_and_earns_nothing(
    tmp_path: Path, fact: str, changes: dict[str, Any], edition: str
) -> None:
    report = judged(tmp_path, edition, **changes)
    assert fact in named(report)
    assert earned(report) == {"UNDETERMINED"}
    told = next(f for f in report.findings if f.name == fact and "cannot be as it is recorded" in f.message)
    assert told.outcome == "undetermined"
    assert told.clause_line == next(c.line for c in RULES.conflicts if c.bound and c.fact == fact)


def test_the_finding_shows_the_bound_and_the_figures(tmp_path: Path) -> None:
    report = judged(tmp_path, summary={METRIC: -2})
    (finding,) = [f for f in report.findings if f.name == "written"]
    assert finding.message.startswith(
        "written cannot be as it is recorded: it has to hold that its written size is more than 0 GiB, and "
    )
    assert "written -2 GiB" in finding.message
    assert "planned 104.70 GiB" in finding.message
    assert [place.field for place in finding.evidence if place.fact == "written"] == [
        "metric.checkpoint_size_GB"
    ]
    assert "4.3.4" in finding.clauses


def test_a_negative_remapping_is_told_of_the_workload(tmp_path: Path) -> None:
    report = judged(tmp_path, described={"remap_time_in_seconds": -5})
    assert named(report) == {"remap_time"}
    assert {s.earned for s in report.subjects if s.scope == "workload"} == {"UNDETERMINED"}


@pytest.mark.parametrize("size", [104.7045, 104.70, 105, 103.8, "104.70"])
def test_a_size_as_it_is_measured_or_printed_is_possible(tmp_path: Path, size: object) -> None:
    assert named(judged(tmp_path, summary={METRIC: size})) == set()


@pytest.mark.parametrize(
    ("model", "processes", "size"),
    [("8B", 1, 13.09), ("8B", 16, 104.71), ("70B", 16, 227.80), ("405B", 256, 3024.13), ("1T", 512, 8815.13)],
)
def test_other_process_counts_write_what_their_layout_plans(
    tmp_path: Path, model: str, processes: int, size: float
) -> None:
    run: dict[str, Any] = {"division": "open", "verification": "OPEN", "model": model, "processes": processes}
    assert "written" not in named(judged(tmp_path / "right", **run, size=size))
    assert "written" in named(judged(tmp_path / "wrong", **run, size=size * 1.02))


def test_an_open_run_of_a_changed_model_writes_something_else(tmp_path: Path) -> None:
    run: dict[str, Any] = {"division": "open", "verification": "OPEN", "size": 30}
    assert "written" in named(judged(tmp_path / "same", **run))
    assert "written" not in named(judged(tmp_path / "other", **run, overrides={"model.num_layers": 8}))


def test_a_scaled_run_is_told_only_where_it_claims_a_division(tmp_path: Path) -> None:
    scaled: dict[str, Any] = {"size": 104.7045 * 0.0005, "memory": 30}
    advised = judged(tmp_path / "advice", division="whatif", verification=None, **scaled)
    assert [f for f in advised.findings if f.name == "written"] == []
    relabelled = judged(tmp_path / "relabelled", **scaled)
    assert named(relabelled) == {"written"}
    assert earned(relabelled) == {"UNDETERMINED"}


def test_what_is_not_known_says_nothing_of_a_bound(tmp_path: Path) -> None:
    unknown: list[dict[str, Any]] = [
        {"summary": {METRIC: DROP}},
        {"bookends": "none"},
        {"without": ("summary",)},
        {"metadata": {"system_info": {}}},
    ]
    for number, changes in enumerate(unknown):
        report = judged(tmp_path / str(number), "3.0", **changes)
        assert not [f for f in report.findings if "cannot be as it is recorded" in f.message]


def test_a_bound_is_asked_with_the_clauses_that_depend_on_it(tmp_path: Path) -> None:
    assert named(judged(tmp_path / "one", None, ("4.3.4",), summary={METRIC: 0})) == {"written"}
    assert named(judged(tmp_path / "two", None, ("4.3.2",), summary={METRIC: 0})) == set()
