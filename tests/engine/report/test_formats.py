"""The three formats of one report, each against its golden, and what all of them must survive."""

from __future__ import annotations

import json as reader
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from engine import __version__
from engine.report import json, lines, text
from engine.runtime.values import Listing
from engine.verdict.findings import Finding, Place, Report, SubjectVerdict, arrange, plain

GOLDEN = Path(__file__).parent / "golden"
ROOT = "closed/OrgA/results/sys-1/checkpointing/llama3-70b"

COUNT = Finding(
    rule="4.6.1",
    name="checkpointClosedMpiProcesses",
    outcome="violation",
    level="error",
    category="closed",
    path=f"{ROOT}/20260101_000000",
    message="70B runs on 64 processes in CLOSED, this run on 8",
    facts={"model": "70B", "processes": 8, "size": plain(Fraction(1823, 2))},
    evidence=(Place("model", f"{ROOT}/20260101_000000/x_metadata.json", "args.model"),),
    fix="use --num-processes 64",
    clause_line=737,
)
UNKNOWN = Finding(
    rule="4.3.10",
    name="fsync",
    outcome="undetermined",
    level="warning",
    category="all",
    path=f"{ROOT}/20260101_000000",
    message="cannot be judged: fsync is not recorded (looked for parameters.checkpoint.fsync in x.json)",
    facts={},
    clause_line=533,
)
DOUBT = Finding(
    rule="evidence",
    name="model",
    outcome="undetermined",
    level="error",
    category="all",
    path=f"{ROOT}/20260101_000000",
    message="model is 70B in args.model and 8B in the folder",
    clauses=("4.3.5", "4.6.1"),
    facts={},
    evidence=(Place("model", "x_metadata.json", "args.model"), Place("model", "", "workload folder")),
)
REPORT = Report(
    edition="4.0",
    digest="sha256:0",
    subjects=(
        SubjectVerdict(ROOT, "workload", "closed", "OPEN", False),
        SubjectVerdict(f"{ROOT}/20260101_000000", "leaf", "closed", "OPEN", False),
        SubjectVerdict(f"{ROOT}/20260102_000000", "leaf", "whatif", None),
    ),
    findings=arrange([DOUBT, COUNT, UNKNOWN, COUNT._replace(path=f"{ROOT}/20260102_000000")]),
    categories=("CLOSED", "OPEN", "INVALID", "UNDETERMINED"),
    remarks=("judged by edition 4.0",),
)


@pytest.mark.parametrize("form", ["text", "lines", "json"])
def test_each_format_is_as_published(form: str, golden: Callable[[Path, str], None]) -> None:
    renderers = {"text": text.render, "lines": lines.render, "json": json.render}
    shown = renderers[form](REPORT).replace(f'"version": "{__version__}"', '"version": "0"')
    golden(GOLDEN / f"report.{form}", shown + "\n")


def test_the_summary_counts_runs_and_not_their_workloads() -> None:
    summary = reader.loads(json.render(REPORT))["summary"]
    assert summary == {
        "subjects": 3,
        "errors": 3,
        "warnings": 1,
        "undetermined": 2,
        "earned": {"CLOSED": 0, "OPEN": 1, "INVALID": 0, "UNDETERMINED": 0},
    }


def test_fifty_one_copies_are_one_finding_with_their_places() -> None:
    copies = tuple(COUNT._replace(path=f"{ROOT}/run-{number:02}") for number in range(51))
    shown = text.render(REPORT._replace(findings=copies))
    assert shown.count("4.6.1 checkpointClosedMpiProcesses") == 1
    assert "51 times" in shown
    assert all(finding.path in shown for finding in copies)
    assert len(reader.loads(json.render(REPORT._replace(findings=copies)))["findings"]) == 51


@pytest.mark.parametrize("level", ["warning", "note"])
def test_of_what_costs_nothing_some_places_are_shown(level: str) -> None:
    copies = tuple(COUNT._replace(path=f"{ROOT}/run-{number:02}", level=level) for number in range(12))
    shown = text.render(REPORT._replace(findings=copies))
    assert shown.count("  at closed/") == text.PLACES
    assert f"  and at {12 - text.PLACES} more, in --format json" in shown
    few = text.render(REPORT._replace(findings=copies[: text.PLACES + 1]))
    assert few.count("  at closed/") == text.PLACES + 1


def test_doubts_that_differ_only_in_a_files_time_or_system_are_one() -> None:
    copies = tuple(
        UNKNOWN._replace(
            path=f"closed/O/results/sys-{n}/c/{n}",
            message=f"no x in sys-{n}.yaml, m_2026010{n}_000000.json",
        )
        for n in range(3)
    )
    shown = text.render(REPORT._replace(findings=copies))
    assert "no x in *.yaml, m_*.json" in shown


def test_text_fits_eighty_columns() -> None:
    long = COUNT._replace(message="word " * 60, path="/".join(["folder"] * 50), fix="x" * 200)
    for shown in (text.render(REPORT), text.render(REPORT._replace(findings=(long,)))):
        assert max(len(line) for line in shown.splitlines()) <= 80


def test_what_was_read_is_named_below_the_folder_of_the_finding_and_broken_at_slashes() -> None:
    inside = Place("model", f"{DOUBT.path}/x_metadata.json", "args.model")
    outside = Place("model", f"{'folder/' * 12}y.json", "model")
    shown = text.render(REPORT._replace(findings=(DOUBT._replace(evidence=(inside, outside)),)))
    assert "\n  read: args.model in x_metadata.json\n" in shown
    assert "\n  read: model in folder/folder/" in shown
    assert "folder/\n        folder/" in shown


def test_an_evidence_finding_says_once_what_is_recorded() -> None:
    told = DOUBT._replace(message="hosts differ (recorded: hosts 961)", facts={"hosts": 961})
    assert text.render(REPORT._replace(findings=(told,))).count("961") == 1


def test_people_are_shown_some_facts_and_told_of_the_others() -> None:
    many = COUNT._replace(facts={f"fact_{number:02}": number for number in range(25)})
    shown = " ".join(text.render(REPORT._replace(findings=(many,))).split())
    assert "fact_09 9, and 15 more in --format json" in shown
    assert "fact_10" not in shown
    few = COUNT._replace(facts={f"fact_{number:02}": number for number in range(10)})
    assert "more in" not in text.render(REPORT._replace(findings=(few,)))


def test_colour_is_only_where_it_is_asked_for() -> None:
    assert "\x1b[" not in text.render(REPORT)
    assert "\x1b[" in text.render(REPORT, colour=True)


def test_what_a_package_records_cannot_break_a_line_or_a_terminal() -> None:
    hostile = COUNT._replace(message="two\nlines \x1b[31m\x07", path="a\udcffb/\u202ec")
    [line] = lines.render(REPORT._replace(findings=(hostile,))).splitlines()
    assert line == (
        "[ERROR] [4.6.1 checkpointClosedMpiProcesses] a\\udcffb/\\u202ec: two lines \\x1b[31m\\x07"
    )
    assert "\x1b" not in text.render(REPORT._replace(findings=(hostile,)))
    json.render(REPORT._replace(findings=(hostile,))).encode("ascii")


def test_values_are_plain() -> None:
    assert plain(Fraction(4, 2)) == 2
    assert plain(Fraction(1, 2)) == 0.5
    assert plain(True) is True
    assert plain(frozenset({"b", "a"})) == ["a", "b"]
    assert plain(Listing(({"key": "x"},)), ["key", "value"]) == [{"key": "x", "value": None}]
    assert plain(10**400) == "more than 1e300"


def test_a_clean_report_says_so() -> None:
    shown = text.render(REPORT._replace(findings=()))
    assert shown.splitlines()[-1] == "Nothing has to be mended."
    assert lines.render(REPORT._replace(findings=())) == ""
