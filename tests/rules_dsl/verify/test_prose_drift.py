"""Prose that changed without its statement is told, and a statement without its prose."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import cli
from tests.rules_dsl.documents import clause, document

CASES = "| n | verdict |\n|---|---------|\n| 2 | INVALID |\n| 1 | pass    |"
TEXT = document(
    clause('error if n > 1\n  because "too many"', cases=CASES, breach="Breach: its n is more than 1."),
    clause('informative "says how"', number="1.1.2", name="quiet"),
)


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


@pytest.fixture
def built(tmp_path: Path) -> Path:
    path = tmp_path / "Doc.md"
    path.write_text(TEXT, "utf-8")
    assert invoke("build", str(path)).exit_code == 0
    return path


def drift(path: Path, text: str) -> list[tuple[str, str, str]]:
    """Code, level and underlined words of what `check` tells of drift."""
    path.write_text(text, "utf-8")
    told = invoke("check", "--format", "json", str(path))
    found = json.loads(told.stdout)["diagnostics"]
    assert told.exit_code == any(d["level"] == "error" for d in found)
    return [(d["code"], d["level"], d["text"]) for d in found if d["code"] in {"B004", "B005"}]


def test_what_was_just_built_has_not_drifted(built: Path) -> None:
    assert drift(built, TEXT) == []


def test_prose_alone(built: Path) -> None:
    assert drift(built, TEXT.replace("In words.", "In other words.", 1)) == [("B004", "note", "1.1.1")]


def test_prose_behind_the_breach_sentence(built: Path) -> None:
    text = TEXT.replace("more than 1.\n\n", "more than 1.\n\nSee also the appendix.\n\n")
    assert drift(built, text) == [("B004", "note", "1.1.1")]


def test_statement_alone(built: Path) -> None:
    text = TEXT.replace("n > 1", "n > 0").replace("more than 1", "more than 0")
    assert drift(built, text) == [("B005", "note", 'error if n > 0\n  because "too many"')]


@pytest.mark.parametrize("new", ["warn if n > 1", "in closed: error if n > 1", "error if n > 1 or flag"])
def test_every_part_of_a_statement_counts(built: Path, new: str) -> None:
    assert [code for code, _, _ in drift(built, TEXT.replace("error if n > 1", new))] == ["B005"]


def test_of_a_clause_that_states_nothing(built: Path) -> None:
    assert drift(built, TEXT.replace("says how", "says when")) == [
        ("B005", "note", 'informative "says when"')
    ]


def test_both_together_are_no_drift(built: Path) -> None:
    assert drift(built, TEXT.replace("n > 1", "n > 0").replace("In words.", "In other words.", 1)) == []


@pytest.mark.parametrize(
    "same",
    [
        TEXT.replace("In words.", "In\n  words."),
        TEXT.replace("error if n > 1", "error  if n>1  # a comment"),
        TEXT.replace("too many", "too much"),
        TEXT.replace("| 2 | INVALID |", "| 2 | INVALID |\n| 3 | INVALID |"),
        TEXT.replace("```cases", "Some examples:\n\n```cases"),
        TEXT.replace("```facts\nflag", "```facts\n\nflag"),
    ],
    ids=["wrapped", "layout", "message", "case", "words of the cases", "elsewhere"],
)
def test_what_is_neither_prose_nor_statement(built: Path, same: str) -> None:
    assert same != TEXT
    assert drift(built, same) == []


def test_a_new_clause_has_not_drifted(built: Path) -> None:
    assert drift(built, TEXT + clause('informative "x"', number="1.1.3", name="third")) == []


def test_build_takes_both_as_they_are(built: Path) -> None:
    text = TEXT.replace("In words.", "In other words.", 1)
    assert drift(built, text)
    assert invoke("build", str(built)).exit_code == 0
    assert drift(built, text) == []


@pytest.mark.parametrize(
    "manifest",
    [
        "",
        "[]",
        "{}",
        '{"document": {"name": "Doc.md"}, "clauses": [{"id": "1.1.1"}]}',
        '{"document": {"name": "Doc.md"}, "clauses": 3}',
        '{"document": {"name": "Doc.md"}, "clauses": [{"id": "1.1.1", "digests": 3}]}',
        "\ud800",
    ],
)
def test_a_manifest_that_says_nothing(built: Path, manifest: str) -> None:
    path = built.parent / "generated" / "manifest.json"
    path.write_bytes(manifest.encode("utf-8", "surrogatepass"))
    assert drift(built, TEXT.replace("In words.", "In other words.")) == []


def test_no_manifest_and_that_of_another_document(built: Path) -> None:
    other = built.with_name("Other.md")
    assert drift(other, TEXT.replace("In words.", "In other words.")) == []
    (built.parent / "generated" / "manifest.json").unlink()
    assert drift(built, TEXT.replace("In words.", "In other words.")) == []


def test_a_note_shows_both_halves(built: Path) -> None:
    built.write_text(TEXT.replace("In words.", "In other words.", 1), "utf-8")
    told = invoke("check", str(built))
    assert told.exit_code == 0
    assert "note[B004]: the prose of 1.1.1 changed since it was built, its statement did not" in told.output
    assert "the statement" in told.output
    assert "clausegate build" in told.output
