"""`clausegate validate` as users type it: exit codes, formats, files, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import run
from tests.packages import write_leaf, write_system


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    tree = tmp_path / "package"
    write_system(tree)
    write_leaf(tree)
    return tree


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    tree = tmp_path / "broken"
    write_system(tree)
    write_leaf(tree, processes=9, accelerators=9, claim=True)
    return tree


def test_exit_codes_say_whether_an_error_was_found(clean: Path, broken: Path) -> None:
    assert run(["validate", str(clean)]).returncode == 0
    assert run(["validate", str(broken)]).returncode == 1


def test_machine_formats_stand_alone_on_stdout(broken: Path) -> None:
    found = run(["validate", str(broken), "--format", "json"])
    report = json.loads(found.stdout)
    assert report["schema"] == "clausegate/findings/1"
    assert found.stderr == ""
    listed = run(["validate", str(broken), "--format", "lines"])
    assert all(line.startswith("[") for line in listed.stdout.splitlines())
    assert any(line.startswith("[ERROR] [4.3.5 checkpointSubset") for line in listed.stdout.splitlines())


def test_selection_takes_comma_lists_and_repetition(broken: Path) -> None:
    asked = ["--select", "4.3.5,4.6.1", "--select", "4.6.2", "--ignore", "4.6.2"]
    report = json.loads(run(["validate", str(broken), "--format", "json", *asked]).stdout)
    assert {finding["rule"] for finding in report["findings"]} == {"4.3.5", "4.6.1"}


def test_a_report_is_written_whole(broken: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    found = run(["validate", str(broken), "--format", "json", "--output", str(target)])
    assert (found.returncode, found.stdout) == (1, "")
    assert json.loads(target.read_text())["summary"]["errors"] > 0
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    missing = run(["validate", str(broken), "--output", str(tmp_path / "no/such/folder.txt")])
    assert missing.returncode == 2
    assert "cannot be written" in missing.stderr


def test_against_lists_only_disagreements(broken: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.txt"
    saved.write_text(run(["validate", str(broken), "--format", "lines"]).stdout)
    same = run(["validate", str(broken), "--against", str(saved)])
    assert same.returncode == 0
    assert "The two agree" in same.stdout
    kept = [line for line in saved.read_text().splitlines() if "[4.3.5 " not in line]
    saved.write_text("\n".join(kept))
    other = run(["validate", str(broken), "--against", str(saved), "--format", "json"])
    assert other.returncode == 1
    assert [said["rule"] for said in json.loads(other.stdout)["only_here"]] == ["4.3.5"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--edition", "7.7"], "knows no edition '7.7'"),
        (["--select", "4.3.99"], "no decidable clause matches '4.3.99'; did you mean"),
        (["--ruleset", "nowhere/at/all"], "does not exist"),
        (["--against", "absent.txt"], "absent.txt cannot be read"),
        (["--format", "xml"], "is not one of"),
        (["--selct", "4."], "No such option"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_reason(
    clean: Path, arguments: list[str], reason: str
) -> None:
    found = run(["validate", str(clean), *arguments])
    assert found.returncode == 2
    assert found.stdout == ""
    assert reason in " ".join(found.stderr.split())
    assert "Traceback" not in found.stderr


def test_a_saved_output_without_findings_cannot_be_compared(clean: Path, tmp_path: Path) -> None:
    (tmp_path / "saved.txt").write_text("all is well\n")
    found = run(["validate", str(clean), "--against", str(tmp_path / "saved.txt")])
    assert found.returncode == 2
    assert "no line of the form" in " ".join(found.stderr.split())


def test_nothing_to_validate_is_never_clean(tmp_path: Path) -> None:
    for tree in (tmp_path, tmp_path / "absent"):
        found = run(["validate", str(tree)])
        assert (found.returncode, found.stdout) == (2, "")
        assert "nothing to validate" in " ".join(found.stderr.split())
