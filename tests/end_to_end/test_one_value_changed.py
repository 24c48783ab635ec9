"""A clean leaf with one recorded value changed: the clause that reads it speaks, and the cross-checks do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.packages import DROP, write_leaf, write_system
from tests.vectors.answers import Answer, package


def judged(root: Path, **changes: Any) -> Answer:
    write_system(root)
    write_leaf(root, **changes)
    return package(root)


def contradicted(found: Answer) -> set[str]:
    """The facts that other records contradict."""
    return {one["name"] for one in found.findings("evidence", outcome="violation", level="error")}


@pytest.mark.parametrize(("field", "fact"), [("num_hosts", "hosts"), ("num_accelerators", "accelerators")])
def test_a_measured_count_that_other_records_contradict(tmp_path: Path, field: str, fact: str) -> None:
    found = judged(tmp_path, model="70B", slots=False, summary={field: 961})
    assert contradicted(found) == {fact}
    assert found.code == 1
    assert found.earned() == {"UNDETERMINED"}
    assert found.broken == {"evidence"}, "nothing is judged by a count that is in doubt"
    [message] = [one["message"] for one in found.findings("evidence")]
    assert "961" in message


def test_two_accelerators_that_differ(tmp_path: Path) -> None:
    found = judged(tmp_path, model="8B", accelerator="b200", metadata={"args.accelerator_type": "h100"})
    assert {one["name"] for one in found.findings("evidence")} == {"accelerator"}
    assert found.earned() == {"UNDETERMINED"}


def test_a_run_in_the_folder_of_advice_is_never_an_error(tmp_path: Path) -> None:
    found = judged(tmp_path, division="whatif", model="8B", metadata={"args.mode": "closed"})
    assert (found.code, found.earned()) == (0, {None})
    assert {one["level"] for one in found.findings()} <= {"note"}
    assert "requested" in {one["name"] for one in found.findings("evidence")}


def test_memory_that_the_collector_saw_otherwise(tmp_path: Path) -> None:
    found = judged(tmp_path, model="8B", metadata={"system_info.total_memory_bytes": 2**40 * 9})
    [finding] = found.findings("evidence")
    assert (finding["name"], finding["level"]) == ("collected_memory", "warning")
    assert (found.code, found.earned()) == (0, {"CLOSED"})


@pytest.mark.parametrize(
    ("changes", "rule", "earned"),
    [
        ({"metadata": {"override_parameters": {"reader.batch_size": 1}}}, "4.6.3", "OPEN"),
        ({"metadata": {"parameters.checkpoint.fsync": False}}, "4.3.2", "INVALID"),
        ({"metadata": {"parameters.model.num_layers": "33"}}, "4.6.3", "OPEN"),
        ({"metadata": {"args.results_dir": None}}, "4.4.1", "INVALID"),
    ],
)
def test_the_clause_that_reads_the_value_speaks(
    tmp_path: Path, changes: dict[str, Any], rule: str, earned: str
) -> None:
    found = judged(tmp_path, model="8B", **changes)
    assert rule in found.broken
    assert found.earned() == {earned}


def test_a_size_that_no_run_of_the_model_writes_is_evidence_that_cannot_be_read(tmp_path: Path) -> None:
    found = judged(tmp_path, model="8B", summary={"metric.checkpoint_size_GB": 104.7 * 100})
    assert (found.broken, found.doubted) == (set(), {"evidence"}), "4.3.4 does not judge by it"
    assert found.earned() == {"UNDETERMINED"}


def test_a_number_recorded_as_text_equals_the_template(tmp_path: Path) -> None:
    found = judged(tmp_path, model="8B", metadata={"parameters.model.num_layers": "32"})
    assert (found.broken, found.doubted, found.earned()) == (set(), set(), {"CLOSED"})


def test_a_breach_says_it_once_though_more_cannot_be_told(tmp_path: Path) -> None:
    write_system(tmp_path, simultaneous_read=DROP, remap_time_in_seconds=DROP)
    write_leaf(tmp_path, model="8B")
    found = package(tmp_path)
    assert [one["outcome"] for one in found.findings("4.7.3", level="error")] == ["violation"]
