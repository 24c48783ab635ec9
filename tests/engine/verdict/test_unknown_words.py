"""A recorded word that its enumeration does not know: evidence that cannot be read, and never a pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.package.validate import validate
from engine.rulesets import load
from engine.verdict.findings import Finding, Report
from engine.verdict.words import meant
from tests.packages import write_leaf, write_system

RULES = load("validator")
SPECS = {spec.name: spec for spec in RULES.facts}


def judged(root: Path, select: tuple[str, ...] = (), edition: str | None = None, **changes: Any) -> Report:
    write_system(root)
    write_leaf(root, **changes)
    return validate(root, RULES, select=select, edition=edition)


def evidence(report: Report, fact: str) -> list[Finding]:
    return [found for found in report.findings if (found.rule, found.name) == ("evidence", fact)]


def earned(report: Report) -> set[str | None]:
    return {subject.earned for subject in report.subjects}


WORDS = [
    ("command", {"command": "run_benchmark", "args.command": "run_benchmark"}, "did you mean run?"),
    ("command", {"command": "checkpoint", "args.command": "checkpoint"}, "known are run"),
    ("command", {"command": "execute", "args.command": "execute"}, "known are run"),
    ("command", {"command": "Running", "args.command": "running"}, "did you mean run?"),
    ("command", {"command": 7, "args.command": 7}, "known are run"),
    ("access", {"args.data_access_protocol": "nfs"}, "known are file, object"),
    ("access", {"args.data_access_protocol": "objects"}, "did you mean object?"),
    ("access", {"args.data_access_protocol": True}, "known are file, object"),
    ("access", {"args.data_access_protocol": ""}, "known are file, object"),
]


@pytest.mark.parametrize(("fact", "metadata", "told"), WORDS)
def test_an_unknown_word_is_one_evidence_finding_and_no_category(
    tmp_path: Path, fact: str, metadata: dict[str, object], told: str
) -> None:
    report = judged(tmp_path, metadata=metadata)
    (finding,) = evidence(report, fact)
    assert (finding.level, finding.outcome) == ("error", "undetermined")
    assert told in finding.message
    assert finding.evidence, "where it was read"
    assert finding.clauses, "what depends on it"
    assert earned(report) == {"UNDETERMINED"}
    others = [f for f in report.findings if f is not finding and f.level == "error"]
    assert others == [], "no clause repeats it"


def test_the_message_says_the_word_where_it_was_read_and_what_it_may_mean(tmp_path: Path) -> None:
    report = judged(tmp_path, metadata={"args.data_access_protocol": "objekt"})
    (finding,) = evidence(report, "access")
    assert finding.message == (
        "access (args.data_access_protocol in checkpointing_*_metadata.json) is 'objekt', a word that it "
        "does not have; did you mean object? (known are file, object)"
    )
    assert finding.facts == {"access": "objekt"}


@pytest.mark.parametrize("word", ["INVALID (2 issues)", "FAILED", "Closed?", "n/a"])
def test_a_verification_that_cannot_be_read_is_said_though_no_clause_reads_it(
    tmp_path: Path, word: str
) -> None:
    report = judged(tmp_path, verification=word)
    (finding,) = evidence(report, "verification")
    assert (finding.level, finding.clauses) == ("error", ())
    assert repr(word) in finding.message


def test_a_leaf_alone_whose_command_is_unknown_earns_nothing(tmp_path: Path) -> None:
    write_system(tmp_path)
    leaf = write_leaf(tmp_path, metadata={"command": "execute", "args.command": "execute"})
    report = validate(leaf, RULES)
    assert len(evidence(report, "command")) == 1
    assert earned(report) == {"UNDETERMINED"}


@pytest.mark.parametrize(("word", "member"), [("posix", "file"), ("POSIX", "file"), ("S3", "object")])
def test_aliases_of_the_access(tmp_path: Path, word: str, member: str) -> None:
    report = judged(tmp_path, access=member, metadata={"args.data_access_protocol": word})
    assert evidence(report, "access") == []
    assert earned(report) == {"CLOSED"}


def test_a_clause_that_asks_whether_a_model_is_listed_speaks_for_it(tmp_path: Path) -> None:
    report = judged(
        tmp_path, workload="llama3-13b", metadata={"args.model": "llama3-13b", "model": "llama3-13b"}
    )
    assert [f.rule for f in report.findings if f.level == "error"] == ["4.3.3"]
    assert earned(report) == {"INVALID"}


def test_where_that_clause_is_not_judged_the_evidence_speaks(tmp_path: Path) -> None:
    words = {"args.model": "llama3-13b", "model": "llama3-13b"}
    report = judged(tmp_path, ("4.6.1",), workload="llama3-13b", metadata=words)
    assert [f.clauses for f in evidence(report, "model")] == [("4.6.1",)]


def test_no_finding_where_no_judged_clause_depends_on_the_fact(tmp_path: Path) -> None:
    assert judged(tmp_path, ("4.3.2",), metadata={"args.data_access_protocol": "nfs"}).clean


def test_a_clause_that_tells_the_word_as_a_warning_leaves_it_at_that(tmp_path: Path) -> None:
    report = judged(tmp_path, edition="3.0", accelerator="h200")
    assert [(f.rule, f.level) for f in report.findings if "h200" in f.message] == [("4.3.4", "warning")]
    assert evidence(report, "accelerator") == []


def test_an_unknown_division_stays_the_finding_of_the_division(tmp_path: Path) -> None:
    report = judged(tmp_path, division="sealed", metadata={"args.mode": "sealed"})
    assert len(evidence(report, "requested")) == 1
    assert earned(report) == {"UNDETERMINED"}


def test_advice_is_a_note(tmp_path: Path) -> None:
    report = judged(
        tmp_path, division="whatif", verification=None, metadata={"args.data_access_protocol": "nfs"}
    )
    assert [f.level for f in evidence(report, "access")] == ["note"]


@pytest.mark.parametrize(
    ("fact", "text", "member"),
    [
        ("command", "run_benchmark", "run"),
        ("command", "data-gen", "datagen"),
        ("verification", "INVALID (2 issues)", "INVALID"),
        ("verification", "CLOSED or OPEN", None),
        ("access", "nfs", None),
        ("model", "llama3-8bb", "8B"),
        ("model", "x" * 5_000, None),
    ],
)
def test_the_nearest_member(fact: str, text: str, member: str | None) -> None:
    told = meant(SPECS[fact], text)
    assert told.startswith("known are") if member is None else f"did you mean {member}?" in told
