"""Whole packages through the built-in validator: subjects, editions, workloads, selection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.package.subjects import NothingToValidate
from engine.package.validate import EditionError, validate
from engine.rulesets import load
from engine.verdict.findings import Report
from engine.verdict.selection import SelectionError
from tests.packages import write_leaf, write_split, write_system

RULES = load("validator")


def judged(tree: Path, **asked: Any) -> Report:
    return validate(tree, RULES, **asked)


def package(root: Path, **changes: Any) -> Path:
    write_system(root)
    write_leaf(root, **changes)
    return root


def broken(report: Report, outcome: str = "violation") -> set[str]:
    return {f.rule for f in report.findings if f.level == "error" and f.outcome == outcome}


def earned(report: Report, scope: str = "leaf") -> list[str | None]:
    return [subject.earned for subject in report.subjects if subject.scope == scope]


def test_a_clean_package_is_clean(tmp_path: Path) -> None:
    report = judged(package(tmp_path))
    assert report.clean, report.findings
    assert earned(report) == earned(report, "workload") == ["CLOSED"]
    assert report.earned()["CLOSED"] == 1


def test_a_workload_earns_no_more_than_its_runs(tmp_path: Path) -> None:
    report = judged(package(tmp_path, processes=16, accelerators=16, hosts=2))
    assert "4.6.1" in broken(report)
    assert earned(report) == earned(report, "workload") == ["OPEN"]


def test_clauses_of_a_workload_see_its_runs(tmp_path: Path) -> None:
    write_system(tmp_path)
    write_split(tmp_path, gap=31)
    report = judged(tmp_path)
    assert broken(report) == {"4.7.1"}
    assert earned(report) == ["CLOSED", "CLOSED"]
    assert earned(report, "workload") == ["INVALID"]


def test_advice_is_never_an_error(tmp_path: Path) -> None:
    report = judged(package(tmp_path, division="whatif", processes=9, accelerators=9, claim=True))
    assert report.findings
    assert {finding.level for finding in report.findings} == {"note"}
    assert earned(report) == earned(report, "workload") == [None]


def test_a_division_that_nothing_names_is_undetermined(tmp_path: Path) -> None:
    report = judged(package(tmp_path, division="drafts", verification=None, metadata={"args.mode": None}))
    doubts = [f for f in report.findings if f.rule == "evidence" and f.name == "requested"]
    assert [doubt.level for doubt in doubts] == ["error"]
    assert "4.6.1" in doubts[0].clauses
    assert earned(report) == earned(report, "workload") == ["UNDETERMINED"]


def test_a_run_that_only_prepares_is_not_judged(tmp_path: Path) -> None:
    report = judged(package(tmp_path, command="datasize"))
    assert earned(report) == [None]
    assert broken(report) == set()
    assert any("not judged: 1 leaf of datasize" in remark for remark in report.remarks)


def test_leaves_of_families_without_clauses_are_listed_unless_clauses_are_selected(tmp_path: Path) -> None:
    package(tmp_path)
    (tmp_path / "closed/OrgA/results/sys-1/training/unet3d/run/20260101_000000").mkdir(parents=True)
    report = judged(tmp_path)
    assert earned(report) == ["CLOSED", None]
    assert any("not judged: 1 leaf of family training" in remark for remark in report.remarks)
    assert earned(judged(tmp_path, select=("4.",))) == ["CLOSED"]


def test_the_edition_asked_for_overrides_what_the_package_says(tmp_path: Path) -> None:
    package(tmp_path, accelerator=None)
    assert broken(judged(tmp_path), "undetermined") == {"4.3.4"}
    assert broken(judged(tmp_path, edition="3.0"), "undetermined") == set()
    (tmp_path / "closed/OrgA/submission.yaml").write_text('rules_edition: "3.0"\n')
    assert broken(judged(tmp_path), "undetermined") == set()
    assert broken(judged(tmp_path, edition="4.0"), "undetermined") == {"4.3.4"}


def test_a_document_that_cannot_be_read_is_one_finding(tmp_path: Path) -> None:
    leaf = write_leaf(tmp_path)
    write_system(tmp_path)
    next(leaf.glob("*_metadata.json")).write_text("{")
    report = judged(tmp_path)
    [doubt] = [f for f in report.findings if f.path.endswith(leaf.name) and f.level == "error"]
    assert (doubt.rule, doubt.name) == ("evidence", "metadata")
    assert {"4.3.2", "4.6.1", "4.6.3"} <= set(doubt.clauses)
    assert earned(report) == ["UNDETERMINED"]


def test_selection_judges_those_clauses_alone(tmp_path: Path) -> None:
    package(tmp_path, processes=9, accelerators=9, claim=True)
    everything = judged(tmp_path)
    assert {"4.3.5", "4.6.1"} <= broken(everything)
    assert {f.rule for f in judged(tmp_path, select=("4.3.5",)).findings} == {"4.3.5"}
    assert "4.3.5" not in {f.rule for f in judged(tmp_path, ignore=("4.3",)).findings}


def test_what_cannot_be_asked_is_an_error_of_its_own(tmp_path: Path) -> None:
    package(tmp_path)
    with pytest.raises(SelectionError):
        judged(tmp_path, select=("9.",))
    with pytest.raises(EditionError, match=r"only .*3\.0.*did you mean 3\.0"):
        judged(tmp_path, edition="3.1")
    for tree in (tmp_path / "absent", tmp_path / "closed/OrgA/systems"):
        with pytest.raises(NothingToValidate):
            judged(tree)


def test_one_leaf_is_judged_as_it_is_in_its_package(tmp_path: Path) -> None:
    write_system(tmp_path)
    leaf = write_leaf(tmp_path, processes=9, accelerators=9)
    whole = judged(tmp_path)
    alone = judged(leaf)
    assert [f.rule for f in alone.findings if f.path.endswith(leaf.name)] == [
        f.rule for f in whole.findings if f.path.endswith(leaf.name)
    ]


@pytest.mark.corpus
def test_real_packages_break_what_their_readme_says(corpus: Path) -> None:
    report = judged(corpus / "v3.0", select=("4.",), edition="3.0")
    assert len(earned(report)) == 40
    assert broken(report) == {"4.6.2", "4.7.1"}
    systems = {
        f.path.split("/")[3]
        for f in report.findings
        if f.rule == "4.6.2" and f.outcome == "violation" and f.level == "error"
    }
    assert systems == {"sys-05", "sys-06", "sys-07", "sys-10", "sys-26", "sys-30"}
    halves = {f.path.split("/")[3] for f in report.findings if f.rule == "4.7.1" and f.outcome == "violation"}
    assert halves <= {"sys-01", "sys-15", "sys-16", "sys-27"}
    assert sum(report.earned().values()) == 40
