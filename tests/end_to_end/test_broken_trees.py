"""Trees and documents that cannot be used: a clear message, the right exit code, never a CLOSED."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import cli
from tests.command import run
from tests.packages import SPOILED, spoil, write_leaf, write_system
from tests.vectors.answers import Answer, package, package_process

DEEP = 100_000


def told(*arguments: str) -> Result:
    result = CliRunner().invoke(cli, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


def clean(root: Path) -> Path:
    write_system(root)
    return write_leaf(root)


def metadata(leaf: Path) -> Path:
    return next(leaf.glob("*_metadata.json"))


def undecided(found: Answer, document: str) -> None:
    """One evidence finding about the document, and nothing earned."""
    doubts = [one for one in found.findings("evidence", level="error") if one["name"] == document]
    assert len(doubts) == 1, found.findings()
    assert doubts[0]["clauses"]
    assert doubts[0]["message"]
    assert found.code == 1
    assert found.earned() == {"UNDETERMINED"}
    assert "CLOSED" not in found.earned("workload")


@pytest.mark.parametrize("kind", ["text", "lines", "json"])
def test_an_unknown_option_is_a_usage_error(tmp_path: Path, kind: str) -> None:
    clean(tmp_path)
    result = told("validate", str(tmp_path), "--format", kind, "--slect", "4.")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--slect" in result.stderr
    assert "--select" in result.stderr


@pytest.mark.parametrize("make", ["absent", "empty", "file", "other", "link"])
def test_nothing_to_validate(tmp_path: Path, make: str) -> None:
    tree = tmp_path / "tree"
    if make == "empty":
        tree.mkdir()
    elif make == "file":
        tree.write_text("{}", "utf-8")
    elif make == "other":
        (tree / "photos").mkdir(parents=True)
        (tree / "photos/summary.json").write_text("{}", "utf-8")
    elif make == "link":
        tree.symlink_to(tmp_path / "nowhere")
    for kind in ("text", "lines", "json"):
        result = told("validate", str(tree), "--format", kind)
        assert (result.exit_code, result.stdout) == (2, "")
        assert str(tree) in result.stderr
        assert "CLOSED" not in result.output


def test_leaves_that_no_clause_governs_are_nothing_to_validate(tmp_path: Path) -> None:
    (tmp_path / "closed/OrgA/results/sys-1/training/unet3d/run/20260101_000000").mkdir(parents=True)
    for more in ((), ("--select", "4.")):
        result = told("validate", str(tmp_path), *more)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "training" in result.stderr


def test_an_empty_division_is_nothing_to_validate(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir()
    result = told("validate", str(tmp_path))
    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.parametrize("kind", sorted(SPOILED))
@pytest.mark.parametrize("document", ["metadata", "summary"])
def test_a_spoiled_document_of_a_leaf(tmp_path: Path, document: str, kind: str) -> None:
    spoil(clean(tmp_path), document, kind)
    found = package(tmp_path)
    assert found.code == 1
    assert found.doubted
    assert found.earned() == {"UNDETERMINED"}
    assert "CLOSED" not in found.earned("workload")


@pytest.mark.parametrize("kind", ["list", "truncated", "pruned", "binary", "deep"])
def test_a_spoiled_document_is_one_finding(tmp_path: Path, kind: str) -> None:
    spoil(clean(tmp_path), "metadata", kind)
    undecided(package_process(tmp_path), "metadata")


def test_metadata_in_utf_16_is_no_json(tmp_path: Path) -> None:
    file = metadata(clean(tmp_path))
    file.write_text(file.read_text("utf-8"), "utf-16")
    found = package(tmp_path)
    assert (found.code, found.earned()) == (1, {"UNDETERMINED"})


def test_a_byte_order_mark_is_tolerated(tmp_path: Path) -> None:
    file = metadata(clean(tmp_path))
    file.write_text(file.read_text("utf-8"), "utf-8-sig")
    assert (package(tmp_path).code, package(tmp_path).earned()) == (0, {"CLOSED"})


@pytest.mark.parametrize("name", ["metadata", "summary"])
def test_a_folder_in_place_of_a_file(tmp_path: Path, name: str) -> None:
    leaf = clean(tmp_path)
    file = metadata(leaf) if name == "metadata" else leaf / "summary.json"
    file.unlink()
    file.mkdir()
    found = package(tmp_path)
    assert (found.code, found.earned()) == (1, {"UNDETERMINED"})
    assert found.doubted


@pytest.mark.parametrize("name", ["metadata", "summary"])
def test_a_link_that_leads_to_itself_in_place_of_a_file(tmp_path: Path, name: str) -> None:
    leaf = clean(tmp_path)
    file = metadata(leaf) if name == "metadata" else leaf / "summary.json"
    file.unlink()
    file.symlink_to(file.name)
    found = package(tmp_path)
    assert (found.code, found.earned()) == (1, {"UNDETERMINED"})


@pytest.mark.parametrize("name", ["metadata", "summary"])
def test_a_file_that_may_not_be_read(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the refusal is made here when the tests run as root."""
    leaf = clean(tmp_path)
    file = metadata(leaf) if name == "metadata" else leaf / "summary.json"
    file.chmod(0)
    if os.access(file, os.R_OK):
        deny(file, monkeypatch)
    found = package(tmp_path)
    file.chmod(stat.S_IRUSR | stat.S_IWUSR)
    undecided(found, name)


def deny(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes every way to open the file fail as it does for those who may not."""
    real_open, real_os = open, os.open

    def refuse(place: Any) -> None:
        if not isinstance(place, int) and Path(os.fsdecode(place)).name == file.name:
            raise PermissionError(13, "Permission denied", os.fsdecode(place))

    def opened(place: Any, *rest: Any, **options: Any) -> Any:
        refuse(place)
        return real_open(place, *rest, **options)

    def opened_low(place: Any, *rest: Any, **options: Any) -> int:
        refuse(place)
        return real_os(place, *rest, **options)

    monkeypatch.setattr("builtins.open", opened)
    monkeypatch.setattr("io.open", opened)
    monkeypatch.setattr("os.open", opened_low)


@pytest.mark.parametrize(
    "text",
    ["", "- 1\n- 2\n", "a: [", "a: &x [*x]\n", "a: 1\na: 2\n", "[" * DEEP, "{a: " * DEEP, "\x00\x01"],
    ids=["empty", "list", "truncated", "cycle", "duplicate", "deep lists", "deep mappings", "binary"],
)
def test_a_spoiled_description_of_the_system(tmp_path: Path, text: str) -> None:
    clean(tmp_path)
    (tmp_path / "closed/OrgA/systems/sys-1.yaml").write_text(text, "utf-8")
    found = package_process(tmp_path)
    assert found.code == 1
    assert found.earned("workload") <= {"UNDETERMINED", "INVALID"}


def test_a_folder_that_is_its_own_descendant(tmp_path: Path) -> None:
    leaf = clean(tmp_path)
    for place in (leaf, leaf.parent, tmp_path / "closed/OrgA/results", tmp_path / "closed"):
        (place / "again").symlink_to(tmp_path, target_is_directory=True)
    found = package_process(tmp_path)
    assert [one["path"] for one in found.report["subjects"] if one["earned"] == "CLOSED"] == [
        str(leaf.parent.relative_to(tmp_path)),
        str(leaf.relative_to(tmp_path)),
    ]


def test_paths_of_340_characters_and_50_levels(tmp_path: Path) -> None:
    leaf = clean(tmp_path)
    deep = leaf / "code"
    for number in range(50):
        deep = deep / f"level-{number}"
    deep.mkdir(parents=True)
    (deep / "summary.json").write_text("{", "utf-8")
    organisation = "O" * 255
    write_system(tmp_path, org=organisation)
    long = write_leaf(tmp_path, org=organisation, system="sys-1")
    assert len(str(long.relative_to(tmp_path))) >= 300
    found = package(tmp_path)
    assert (found.code, found.earned()) == (0, {"CLOSED"})
    assert len([one for one in found.report["subjects"] if one["scope"] == "leaf"]) == 2


@pytest.mark.parametrize("name", ["._summary.json", ".DS_Store", "._checkpointing_1_metadata.json"])
def test_noise_beside_a_document_is_not_read(tmp_path: Path, name: str) -> None:
    leaf = clean(tmp_path)
    for folder in (leaf, leaf.parent, tmp_path):
        (folder / name).write_bytes(SPOILED["binary"])
    found = package(tmp_path)
    assert (found.code, found.earned(), found.named) == (0, {"CLOSED"}, set())


def test_noise_in_place_of_a_document_is_no_document(tmp_path: Path) -> None:
    leaf = clean(tmp_path)
    (leaf / "summary.json").rename(leaf / "._summary.json")
    assert package(tmp_path).earned() == {"UNDETERMINED"}


@pytest.mark.parametrize("name", ["other_summary.json", "checkpointing_2_metadata.json"])
def test_two_documents_where_one_belongs(tmp_path: Path, name: str) -> None:
    leaf = clean(tmp_path)
    document = name.rpartition("_")[2].removesuffix(".json")
    shutil.copy(leaf / "summary.json" if document == "summary" else metadata(leaf), leaf / name)
    found = package(tmp_path)
    undecided(found, document)
    assert name in found.text("evidence")


def test_one_broken_leaf_is_not_its_neighbours(tmp_path: Path) -> None:
    clean(tmp_path)
    write_system(tmp_path, system="sys-2")
    spoil(write_leaf(tmp_path, system="sys-2"), "metadata", "deep")
    found = package(tmp_path)
    earned = {one["path"].split("/")[3]: one["earned"] for one in found.report["subjects"]}
    assert earned == {"sys-1": "CLOSED", "sys-2": "UNDETERMINED"}


def test_a_leaf_without_any_document(tmp_path: Path) -> None:
    write_system(tmp_path)
    write_leaf(tmp_path, without=("metadata", "summary", "separation"))
    found = package(tmp_path)
    assert (found.code, found.earned(), found.broken) == (1, {"UNDETERMINED"}, set())


def test_one_broken_leaf_as_tree(tmp_path: Path) -> None:
    leaf = clean(tmp_path)
    spoil(leaf, "metadata", "truncated")
    found = package(leaf)
    assert (found.code, found.earned()) == (1, {"UNDETERMINED"})


def test_names_that_are_no_text(tmp_path: Path) -> None:
    leaf = clean(tmp_path)
    (leaf.parent / os.fsdecode(b"\xff\xfe")).mkdir()
    (tmp_path / "closed" / os.fsdecode(b"Org\xff")).mkdir()
    for kind in ("text", "lines", "json"):
        done = run(["validate", str(tmp_path), "--format", kind])
        assert "Traceback" not in done.stderr
        assert done.returncode in (0, 1)
        if kind == "json":
            json.loads(done.stdout)


@pytest.mark.parametrize("against", ["absent", "folder", "binary"])
def test_what_is_compared_with_cannot_be_used(tmp_path: Path, against: str) -> None:
    tree = tmp_path / "tree"
    clean(tree)
    file = tmp_path / "saved"
    if against == "folder":
        file.mkdir()
    elif against != "absent":
        file.write_bytes(SPOILED[against])
    result = told("validate", str(tree), "--against", str(file))
    assert (result.exit_code, result.stdout) == (2, "")
    assert str(file) in result.stderr


def test_an_empty_saved_output_is_that_of_a_clean_package(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    clean(tree)
    file = tmp_path / "saved"
    file.write_text(told("validate", str(tree), "--format", "lines").stdout, "utf-8")
    assert told("validate", str(tree), "--against", str(file)).exit_code == 0


@pytest.mark.parametrize("make", ["absent", "empty", "file", "broken", "other"])
def test_a_rule_set_that_cannot_be_used(tmp_path: Path, make: str) -> None:
    tree = tmp_path / "tree"
    clean(tree)
    folder = tmp_path / "rules"
    if make == "file":
        folder.write_text("", "utf-8")
    elif make != "absent":
        folder.mkdir()
    for name in ("gate.py", "validator.py") if make in ("broken", "other") else ():
        (folder / name).write_text("def (" if make == "broken" else "RULESET = 3\n", "utf-8")
    result = told("validate", str(tree), "--ruleset", str(folder))
    assert (result.exit_code, result.stdout) == (2, "")
    assert str(folder) in result.stderr
    line = f"closed checkpointing run file --model 8B --ruleset {folder} --dry-run"
    result = told(*line.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert str(folder) in result.stderr
