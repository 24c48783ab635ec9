"""Packages of a real round under its edition: nothing is found but what is known to be wrong with them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command import run
from tests.vectors.answers import Answer, package, package_process

pytestmark = pytest.mark.corpus

ASKED = ("--select", "4.", "--edition", "3.0")

FEW_ACCELERATORS = {
    ("sys-05", "4.6.2"),
    ("sys-06", "4.6.2"),
    ("sys-07", "4.6.2"),
    ("sys-10", "4.6.2"),
    ("sys-26", "4.6.2"),
    ("sys-30", "4.6.2"),
}
WITHOUT_READ_HALF = {("sys-01", "4.7.1"), ("sys-15", "4.7.1"), ("sys-16", "4.7.1"), ("sys-27", "4.7.1")}
INCOMPLETE = {"sys-07", "sys-08", "sys-09"}
"""Systems with a leaf whose metadata is missing. What sys-27 lacks, the summary, only warnings read."""


def system(path: str) -> str:
    return path.split("/")[3]


@pytest.fixture(scope="module")
def found(corpus: Path) -> Answer:
    return package_process(corpus / "v3.0", *ASKED)


def test_every_leaf_is_a_subject(found: Answer) -> None:
    leaves = [one for one in found.report["subjects"] if one["scope"] == "leaf"]
    assert len(leaves) == 40
    assert {one["requested"] for one in leaves} == {"closed"}
    assert len({one["path"] for one in leaves}) == 40


def test_violations_are_exactly_those_that_are_known(found: Answer) -> None:
    broken = {
        (system(one["path"]), one["rule"]) for one in found.findings(outcome="violation", level="error")
    }
    assert broken == FEW_ACCELERATORS | WITHOUT_READ_HALF
    assert found.code == 1


def test_few_accelerators_are_told_of_the_8b_workload_of_one_system(found: Answer) -> None:
    places = {one["path"] for one in found.findings("4.6.2", outcome="violation", level="error")}
    assert {path.split("/")[5] for path in places if system(path) == "sys-30"} == {"llama3-8b"}
    assert len(places) == 11


def test_nothing_is_undetermined_but_the_incomplete_leaves(found: Answer) -> None:
    doubted = {system(one["path"]) for one in found.findings(outcome="undetermined", level="error")}
    assert doubted == INCOMPLETE
    assert found.findings("evidence", level="error") == []


def test_categories_are_counted(found: Answer) -> None:
    expected = {"CLOSED": 27, "OPEN": 10, "INVALID": 0, "UNDETERMINED": 3}
    assert found.report["summary"]["earned"] == expected
    open_ = {system(one["path"]) for one in found.report["subjects"] if one["earned"] == "OPEN"}
    few = {name for name, _ in FEW_ACCELERATORS} - INCOMPLETE
    assert open_ == few | ({name for name, _ in WITHOUT_READ_HALF} - INCOMPLETE)
    assert few == {
        system(one["path"])
        for one in found.report["subjects"]
        if one["earned"] == "OPEN" and one["scope"] == "leaf"
    }


def test_under_the_present_edition_no_accelerator_is_a_pass(corpus: Path) -> None:
    found = package(corpus / "v3.0", "--select", "4.3.4", "--edition", "4.0")
    assert found.doubted == {"4.3.4"}
    assert found.earned() == {"UNDETERMINED"}


@pytest.mark.parametrize("kind", ["text", "lines", "json"])
def test_twice_the_same_bytes(corpus: Path, kind: str) -> None:
    asked = ("validate", str(corpus / "v3.0"), *ASKED, "--format", kind)
    first = run(asked, variables={"PYTHONHASHSEED": "1"})
    second = run(asked, variables={"PYTHONHASHSEED": "2"})
    assert first.returncode == second.returncode == 1
    assert (first.stdout, first.stderr) == (second.stdout, second.stderr)
    assert first.stdout
    assert "Traceback" not in first.stderr


def test_its_own_lines_hold_no_disagreement(corpus: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    saved.write_text(run(["validate", str(corpus / "v3.0"), *ASKED, "--format", "lines"]).stdout, "utf-8")
    done = run(["validate", str(corpus / "v3.0"), *ASKED, "--against", str(saved), "--format", "lines"])
    assert (done.returncode, done.stdout) == (0, ""), done.stdout
    saved.write_text("\n".join(saved.read_text("utf-8").splitlines()[1:]), "utf-8")
    done = run(["validate", str(corpus / "v3.0"), *ASKED, "--against", str(saved), "--format", "lines"])
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize("place", ["", "/checkpointing_run.stdout.log"])
def test_a_log_that_names_other_places_of_the_same_runs_agrees(
    corpus: Path, tmp_path: Path, place: str
) -> None:
    ours = run(["validate", str(corpus / "v3.0"), *ASKED, "--format", "lines"]).stdout
    saved = tmp_path / "saved.log"
    named = r"/[0-9]{8}_[0-9]{6}(?=: )"
    moved = re.sub(named, lambda m: f"{m[0]}{place}" if place else "", ours).replace(
        "] closed/", "] /data/closed/"
    )
    saved.write_text(moved, "utf-8")
    done = run(["validate", str(corpus / "v3.0"), *ASKED, "--against", str(saved)])
    assert done.returncode == 0, done.stdout
    assert "The two agree" in done.stdout


def test_without_an_edition_the_one_of_the_round_is_named(corpus: Path) -> None:
    shown = " ".join(run(["validate", str(corpus / "v3.0")]).stdout.split())
    assert "37 of 40 runs are undetermined by edition 4.0 and decided by 3.0" in shown
    assert "validate with --edition 3.0" in shown
