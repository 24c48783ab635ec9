"""`new` puts a clause that compiles at its place, or says why not and leaves the document alone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import cli
from rules_dsl.compile import compile_text
from rules_dsl.format.document import format_document
from rules_dsl.format.scaffold import order, scaffold
from tests.command import ROOT
from tests.rules_dsl.documents import HEAD, clause, document


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def quiet(number: str, name: str) -> str:
    return clause('informative "x"', number=number, name=name)


TEXT = document(
    quiet("1.1.1", "a"),
    quiet("1.1.5.b", "b"),
    quiet("1.1.18a", "c"),
    "## 1.2. Part\n\nProse.\n\n",
    quiet("1.2.9", "d"),
    "# 2. Section\n\nProse of two.\n\n## 2.1. Part without a clause\n\nMore.\n\n## 2.2. Another\n\n",
    quiet("2.2.1", "e"),
    "# 4. Section\n\n",
    quiet("4.1.1", "f"),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "Doc.md"
    file.write_text(format_document(compile_text(TEXT, "Doc.md")), "utf-8")
    return file


def around(path: Path, rule: str) -> tuple[str, str]:
    """What stands right before and right behind a new clause: the last and the next clause or heading."""
    lines = [x for x in path.read_text("utf-8").split("\n") if x.startswith("#") or "**" in x]
    at = next(i for i, x in enumerate(lines) if x.startswith(f"{rule}. "))
    following = lines[at + 1].split(" --")[0] if at + 1 < len(lines) else ""
    return lines[at - 1].split(" --")[0], following


PLACES = {
    "1.1.2": ("1.1.1. **a**", "1.1.5.b. **b**"),
    "1.1.5": ("1.1.1. **a**", "1.1.5.b. **b**"),
    "1.1.6": ("1.1.5.b. **b**", "1.1.18a. **c**"),
    "1.1.18": ("1.1.5.b. **b**", "1.1.18a. **c**"),
    "1.1.18b": ("1.1.18a. **c**", "## 1.2. Part"),
    "1.2.1": ("## 1.2. Part", "1.2.9. **d**"),
    "1.2.10": ("1.2.9. **d**", "# 2. Section"),
    "1.3.1": ("1.2.9. **d**", "# 2. Section"),
    "2.1.1": ("## 2.1. Part without a clause", "## 2.2. Another"),
    "2.2.2": ("2.2.1. **e**", "# 4. Section"),
    "3.1.1": ("2.2.1. **e**", "# 4. Section"),
    "4.0.1": ("# 4. Section", "4.1.1. **f**"),
    "9.1": ("4.1.1. **f**", ""),
}


@pytest.mark.parametrize("rule", PLACES)
def test_a_new_clause_stands_at_its_place_and_compiles(path: Path, rule: str) -> None:
    told = invoke("new", rule, "--name", "newClause", "--document", str(path))
    assert told.exit_code == 0, told.output
    assert around(path, rule) == PLACES[rule]
    assert "\n\n\n" not in path.read_text("utf-8").partition("# 1. Section")[2]
    for command in (["check"], ["fmt", "--check"], ["build"], ["build", "--check"]):
        again = invoke(*command, str(path))
        assert again.exit_code == 0, again.output
    assert "note[" not in invoke("check", str(path)).output


def test_in_the_rules(tmp_path: Path) -> None:
    path = tmp_path / "Rules.md"
    shutil.copy(ROOT / "Rules.md", path)
    told = invoke("new", "4.3.7", "--name", "checkpointSomething", "--document", str(path))
    assert told.exit_code == 0
    line = int(told.output.split(":")[1])
    assert path.read_text("utf-8").splitlines()[line - 1].startswith("4.3.7. **checkpointSomething**")
    for command in (["check"], ["fmt", "--check"], ["build"]):
        assert invoke(*command, str(path)).exit_code == 0


def test_nothing_else_changes(path: Path) -> None:
    before = path.read_text("utf-8")
    invoke("new", "1.1.7", "--name", "newClause", "--document", str(path))
    after = path.read_text("utf-8")
    start = after.index("1.1.7.")
    assert after[:start] + after[after.index("1.1.18a.") :] == before


def test_print_writes_nothing(path: Path) -> None:
    before = path.read_bytes()
    told = invoke("new", "1.1.7", "--name", "newClause", "--document", str(path), "--print")
    assert told.exit_code == 0
    assert told.stdout.startswith("1.1.7. **newClause** -- ")
    assert "\n```rule\nerror if " in told.stdout
    assert "\n```cases\n| " in told.stdout
    assert "\n> Breach: " in told.stdout
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "rule",
    [
        "4",
        "",
        "4.",
        "4.3.",
        "x.y",
        "4.3.7.",
        "4.3.7aa",
        "4.3.7.1.b.c",
        "-1.2",
        "4..3",
        "4.3 7",
        "4.3\n",
        "\uff14.\uff13.1",
    ],
)
def test_an_id_that_is_none(path: Path, rule: str) -> None:
    before = path.read_bytes()
    told = invoke("new", "--name", "newClause", "--document", str(path), "--", rule)
    assert told.exit_code == 2
    assert "is no id of a clause; one reads 4.3.7" in told.output
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["", "a b", "1a", "a-b", "a**b", "a\nb", "_a", "a.b", "`a`", '"""'])
def test_a_name_that_is_none(path: Path, name: str) -> None:
    before = path.read_bytes()
    told = invoke("new", "1.1.7", "--name", name, "--document", str(path))
    assert told.exit_code == 2
    assert "is no name of a clause; one reads checkpointSomething" in told.output
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("rule", "name", "what"),
    [("1.1.1", "other", "id"), ("1.01.1", "other", "id"), ("1.1.5b", "other", "id"), ("1.1.9", "a", "name")],
)
def test_what_exists_already(path: Path, rule: str, name: str, what: str) -> None:
    before = path.read_bytes()
    told = invoke("new", rule, "--name", name, "--document", str(path))
    assert told.exit_code == 1
    assert "already (line " in told.output
    assert f"choose another {what}" in told.output
    assert path.read_bytes() == before


def test_no_name_and_no_document(tmp_path: Path) -> None:
    assert "--name" in invoke("new", "1.1.7").output
    told = invoke("new", "1.1.7", "--name", "a", "--document", str(tmp_path / "no.md"))
    assert told.exit_code == 2
    assert "there is no file" in told.output


def test_a_broken_document_is_left_as_it_is(path: Path) -> None:
    path.write_text(TEXT + clause("error if falg", number="7.1"), "utf-8")
    before = path.read_bytes()
    told = invoke("new", "1.1.7", "--name", "newClause", "--document", str(path))
    assert told.exit_code == 1
    assert "did you mean `flag`?" in told.output
    assert path.read_bytes() == before


def test_a_document_without_any_clause_or_fact(tmp_path: Path) -> None:
    path = tmp_path / "Doc.md"
    path.write_text("---\ncomplete: yes\n---\n\n# Rules\n", "utf-8")
    assert invoke("new", "1.1", "--name", "first", "--document", str(path)).exit_code == 0
    assert 'informative "' in path.read_text("utf-8")
    for command in (["check"], ["fmt", "--check"], ["build"]):
        assert invoke(*command, str(path)).exit_code == 0


def test_a_clause_that_cannot_stand_where_it_belongs(tmp_path: Path) -> None:
    path = tmp_path / "Doc.md"
    path.write_text("Prose.\n\n<!-- a comment without an end\n\n", "utf-8")
    told = invoke("new", "1.1", "--name", "first", "--document", str(path))
    assert told.exit_code == 1
    assert path.read_text("utf-8") == "Prose.\n\n<!-- a comment without an end\n\n"


def test_clauses_that_are_headings_get_a_heading() -> None:
    text = HEAD + '## 1.1. **one** -- Words.\n\n```rule\ninformative "x"\n```\n'
    made = scaffold(compile_text(text, "Doc.md"), "1.2", "two")
    assert made is not None
    assert made.text.startswith("## 1.2. **two** -- ")
    assert [c.rule for c in compile_text(made.document, "Doc.md").program.clauses] == ["1.1", "1.2"]


def test_a_full_disk_leaves_the_document(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    told = invoke("new", "1.1.7", "--name", "newClause", "--document", str(path))
    assert told.exit_code == 2
    assert "No space left on device" in told.output
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["Doc.md"]


def test_line_ends_stay(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert invoke("new", "1.1.7", "--name", "newClause", "--document", str(path)).exit_code == 0
    assert path.read_bytes().count(b"\n") == path.read_bytes().count(b"\r\n")


def test_ids_are_ordered_by_number() -> None:
    ids = ["1.1", "1.1.1", "1.1.2", "1.1.2a", "1.1.2b", "1.1.10", "1.2", "2.1", "10.1"]
    assert sorted([*ids[4:], *ids[:4]], key=order) == ids
