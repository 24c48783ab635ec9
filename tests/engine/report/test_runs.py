"""The table of runs: every workload with its own verdict, worst first, in 80 columns."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from engine.package.validate import validate
from engine.report import runs, text
from engine.verdict.findings import Report
from generated.validator import RULESET as RULES
from tests.packages import START, write_leaf, write_split, write_system


def table(report: Report) -> list[list[str]]:
    """The rows, each as its cells."""
    shown = list(runs.lines(report))
    return [line.split() for line in shown[2:] if not line.strip().startswith(("and ", "*"))]


def test_a_workload_that_is_invalid_stands_first_beside_nine_that_hold(tmp_path: Path) -> None:
    for number in range(9):
        write_system(tmp_path, system=f"sys-{number}")
        write_leaf(tmp_path, system=f"sys-{number}")
    write_system(tmp_path, system="late")
    write_split(tmp_path, system="late", gap=31)
    report = validate(tmp_path, RULES)
    assert report.earned()["INVALID"] == 0  # each of its two runs holds
    rows = table(report)
    assert rows[0] == ["INVALID", "closed", "2", "1", "4.7.1", "late"]
    assert [row[0] for row in rows[1:]] == ["CLOSED"] * 9
    shown = text.render(report)
    assert "earned by runs: 11 CLOSED\nearned by workloads: 9 CLOSED, 1 INVALID\n" in shown


def test_rows_are_worst_first_and_say_what_costs_the_most(tmp_path: Path) -> None:
    changes: dict[str, dict[str, object]] = {
        "a-clean": {},
        "b-open": {"processes": 16, "accelerators": 16, "hosts": 2},
        "c-unknown": {"without": ("summary",)},
        "d-invalid": {"model": "70B", "processes": 9, "accelerators": 9},
    }
    for system, changed in changes.items():
        write_system(tmp_path, system=system)
        write_leaf(tmp_path, system=system, **changed)
    write_system(tmp_path, system="e-advice", division="whatif", org="OrgA")
    write_leaf(tmp_path, system="e-advice", division="whatif")
    report = validate(tmp_path, RULES)
    found = {row.subject.path.split("/")[3]: row for row in runs.rows(report)}
    assert list(found) == ["d-invalid", "c-unknown", "b-open", "a-clean", "e-advice"]
    assert found["b-open"].costs == "4.6.1"
    assert found["d-invalid"].costs == "4.6.4"  # which costs every category; 4.6.1 costs CLOSED alone
    assert found["a-clean"].costs == found["e-advice"].costs == "-"
    assert found["c-unknown"].errors
    assert table(report)[-1][:2] == ["-", "whatif"]


@pytest.mark.parametrize("length", [1, 60, 200])
def test_eighty_columns_whatever_the_names(tmp_path: Path, length: int) -> None:
    for number in range(3):
        system = f"{'s' * length}{number}"
        write_system(tmp_path, system=system)
        write_leaf(tmp_path, system=system, without=("metadata",) if number else ())
    report = validate(tmp_path, RULES)
    assert max(map(len, runs.lines(report))) <= 80
    flat = "".join("".join(runs.lines(report)).split())
    assert all(f"{'s' * length}{number}" in flat for number in range(3))


def test_a_leaf_alone_is_a_row(tmp_path: Path) -> None:
    leaf = write_leaf(tmp_path)
    write_system(tmp_path)
    report = validate(leaf, RULES)
    (row,) = runs.rows(report)
    assert (row.subject.scope, row.runs, row.subject.earned) == ("leaf", 1, "CLOSED")


def test_what_was_not_judged_has_no_row(tmp_path: Path) -> None:
    write_system(tmp_path)
    write_leaf(tmp_path)
    write_leaf(tmp_path, family="training", system="sys-2")
    write_leaf(tmp_path, command="datasize", start=START + timedelta(hours=1))
    (row,) = runs.rows(validate(tmp_path, RULES))
    assert row.runs == 1


def test_every_row_with_an_error_is_shown_and_some_of_the_others(tmp_path: Path) -> None:
    for number in range(runs.CLEAN_ROWS + 5):
        for system, changed in ((f"good-{number}", 8), (f"bad-{number}", 9)):
            write_system(tmp_path, system=system)
            write_leaf(tmp_path, system=system, processes=changed, accelerators=changed)
    shown = "\n".join(runs.lines(validate(tmp_path, RULES)))
    assert shown.count("bad-") == runs.CLEAN_ROWS + 5
    assert shown.count("good-") == runs.CLEAN_ROWS
    assert "  and 5 more without an error, in --format json" in shown


def test_a_selection_marks_every_category(tmp_path: Path) -> None:
    write_system(tmp_path)
    write_leaf(tmp_path)
    write_system(tmp_path, system="sys-2")
    write_leaf(tmp_path, system="sys-2")
    report = validate(tmp_path, RULES, select=("4.6",))
    assert [row[0] for row in table(report)] == ["CLOSED*", "CLOSED*"]
    assert list(runs.lines(report))[-1] == "  * by the selected clauses alone"
