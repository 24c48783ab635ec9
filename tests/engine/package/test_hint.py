"""Which edition was taken is said, and which older one would decide what this one leaves open."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.package import validate as module
from engine.package.validate import validate
from engine.verdict.findings import Report
from generated.validator import RULESET as RULES
from tests.packages import write_leaf, write_system

TAKEN = "edition 4.0 was taken for"


def package(root: Path, **systems: dict[str, object]) -> Path:
    for system, changes in systems.items():
        write_system(root, system=system)
        write_leaf(root, system=system, **changes)
    return root


def said(report: Report) -> str:
    return "\n".join(report.remarks)


def suggested(report: Report) -> str | None:
    assert report.judged is not None
    return report.judged.suggested


OLD: dict[str, object] = {"accelerator": None}  # what leaves of 3.0 do not record
NEW: dict[str, object] = {}


def test_what_older_tools_did_not_record_hints_at_their_edition(tmp_path: Path) -> None:
    report = validate(package(tmp_path, a=OLD, b=OLD, c=NEW), RULES)
    assert suggested(report) == "3.0"
    assert f"{TAKEN} 3 runs: none is declared and --edition was not given" in said(report)
    assert (
        "2 of 3 runs are undetermined by edition 4.0 and decided by 3.0: if they were made under it, "
        "validate with --edition 3.0"
    ) in said(report)
    asked = validate(tmp_path, RULES, edition="3.0")
    assert asked.earned()["UNDETERMINED"] == 0
    assert suggested(asked) is None
    assert TAKEN not in said(asked)


@pytest.mark.parametrize("without", [("metadata",), ("metadata", "summary", "separation")])
def test_what_no_edition_decides_hints_at_none(tmp_path: Path, without: tuple[str, ...]) -> None:
    missing: dict[str, object] = {"without": without}
    report = validate(package(tmp_path, a=missing, b=missing), RULES)
    assert report.earned()["UNDETERMINED"] == 2
    assert suggested(report) is None
    assert TAKEN in said(report)


def test_a_third_is_not_enough_and_then_nothing_is_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path, a=OLD, b=NEW, c=NEW)
    made = []
    real = module._PackageJudge

    def counted(*given: object, **named: object) -> object:
        made.append(given)
        return real(*given, **named)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.setattr(module, "_PackageJudge", counted)
    assert suggested(validate(tmp_path, RULES)) is None
    assert len(made) == 1


def test_runs_that_declare_their_edition_are_not_hinted_at(tmp_path: Path) -> None:
    package(tmp_path, a=OLD, b=OLD)
    (tmp_path / "closed/OrgA/submission.yaml").write_text('rules_edition: "4.0"\n')
    report = validate(tmp_path, RULES)
    assert report.earned()["UNDETERMINED"] == 2
    assert suggested(report) is None
    assert TAKEN not in said(report)


def test_the_newest_edition_that_decides_is_named(tmp_path: Path) -> None:
    """Editions before 3.0 decide as much; the runs are likelier of the newest."""
    report = validate(package(tmp_path, a=OLD), RULES)
    assert suggested(report) == "3.0"
