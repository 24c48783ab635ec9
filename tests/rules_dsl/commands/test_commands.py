"""`check` and `rules` on whatever they are given, and the form of what they print."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from engine.cli.main import cli
from tests.command import ROOT, run
from tests.rules_dsl.documents import clause, document, fence

COMMANDS = ("check", "build", "fmt", "rules")
GOOD = document(
    clause(
        "error if flag",
        cases="| flag | verdict |\n|------|---------|\n| yes  | INVALID |",
        breach="Breach: the flag is up.",
    ),
    clause('informative "why"', number="1.1.2", name="quiet"),
)


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def place(folder: Path, text: str) -> str:
    path = folder / "Doc.md"
    path.write_text(text, "utf-8")
    return str(path)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_document_that_is_absent(command: str, tmp_path: Path) -> None:
    told = invoke(command, str(tmp_path / "no.md"))
    assert told.exit_code == 2
    assert f"there is no file {tmp_path / 'no.md'}" in told.output


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder(command: str, tmp_path: Path) -> None:
    told = invoke(command, str(tmp_path))
    assert told.exit_code == 2
    assert "is a folder" in told.output


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "data", [b"\x89PNG\r\n\x1a\n\xff\xfe\x00\x01", b"\xff\xfe#\x00 \x00T\x00"], ids=["picture", "utf-16"]
)
def test_a_file_that_is_no_text(command: str, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "Doc.md"
    path.write_bytes(data)
    told = invoke(command, str(path))
    assert told.exit_code == 2
    assert "is no UTF-8 text" in told.output
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    "text", ["", "\n\n", "Only prose.\n", "# T\n"], ids=["nothing", "blank", "prose", "heading"]
)
@pytest.mark.parametrize("command", ["check", "build", "rules"])
def test_a_document_without_any_clause_is_not_called_sound(command: str, text: str, tmp_path: Path) -> None:
    told = invoke(command, place(tmp_path, text))
    assert told.exit_code == 2
    assert "no clause" in told.output.lower()
    assert [p.name for p in tmp_path.iterdir()] == ["Doc.md"]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_argument_in_an_empty_folder(command: str, tmp_path: Path) -> None:
    told = run([command], cwd=tmp_path)
    assert told.returncode == 2
    assert "there is no file Rules.md: name the document, or go to the folder that holds it" in told.stderr
    assert "Traceback" not in told.stderr
    assert list(tmp_path.iterdir()) == []


def test_no_argument_beside_a_document(tmp_path: Path) -> None:
    (tmp_path / "Rules.md").write_text(GOOD, "utf-8")
    told = run(["check"], cwd=tmp_path)
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout == "Rules.md: 2 clauses, 1 decidable, 1 case, all as stated\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "a.md", "b.md"],
        ["check", "--format", "xml"],
        ["check", "--formt", "json"],
        ["rules", "--nope"],
    ],
)
def test_usage(arguments: list[str]) -> None:
    told = invoke(*arguments)
    assert told.exit_code == 2
    assert "Error" in told.output


def test_the_rules_pass() -> None:
    assert invoke("check", str(ROOT / "Rules.md")).exit_code == 0


NASTY = {
    "one long line": "1.1. **a** -- " + "x" * 200_000 + "\n",
    "deep quotes": ">" * 3000 + " x\n",
    "deep parentheses": document(clause("error if " + "(" * 2000 + "flag" + ")" * 2000)),
    "deep nots": document(clause("error if " + "not " * 2000 + "flag")),
    "a long chain": document(clause("error if " + " or ".join(["flag"] * 3000))),
    "a long sum": document(clause("error if " + " + ".join(["n"] * 1500) + " > 1")),
    "a huge number": document(clause("error if n > " + "9" * 6000)),
    "a null": document(clause("error if flag\x00")),
    "other line breaks": document(clause("error if flag\u2028\x0b\x0c and other")),
    "an open fence": document("1.1.1. **a** -- b\n\n```rule\n"),
    "an open head": "---\ncomplete: no\n# T\n\n1.1. **a** -- b\n",
    "an alias in the vocabulary": document(
        fence("facts", "a: &x {type: bool, meaning: m, package: [metadata:a]}\nb: *x")
    ),
    "a circle in the vocabulary": document(fence("facts", "a: &x [*x]")),
    "a list for a text": document(fence("facts", "a: {type: [bool], meaning: {x: y}, package: {a: b}}")),
    "a key that is no text": document(fence("facts", "? [a, b]\n: {type: bool}\n1: {type: bool}")),
    "a tag": document(fence("facts", "a: !!python/object/apply:os.system ['true']")),
    "a table of bars": document(
        "<!-- table: t key=rows(fruit) -->\n| | |\n|-|-|\n| | |\n\n", clause("error if flag")
    ),
    "a zero": document(clause("error if 1 / 0 > n")),
}


@pytest.mark.parametrize("what", NASTY)
@pytest.mark.parametrize("command", ["check", "build"])
def test_whatever_stands_there_is_told_in_words(what: str, command: str, tmp_path: Path) -> None:
    told = invoke(command, place(tmp_path, NASTY[what]))
    assert told.exit_code in {0, 1, 2}
    assert "internal error" not in told.output
    assert "Traceback" not in told.output


SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["schema", "document", "edition", "diagnostics", "summary"],
    "properties": {
        "schema": {"const": "clausegate/check/1"},
        "document": {"type": "string"},
        "edition": {"type": "string"},
        "diagnostics": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["code", "level", "message", "line", "column", "text", "help"],
                "properties": {
                    "code": {"type": "string", "pattern": "^[A-Z][0-9]{3}$"},
                    "level": {"enum": ["error", "warning", "note"]},
                    "message": {"type": "string", "minLength": 1},
                    "line": {"type": "integer", "minimum": 1},
                    "column": {"type": "integer", "minimum": 1},
                    "text": {"type": "string"},
                    "help": {"type": ["string", "null"]},
                },
            },
        },
        "summary": {
            "type": "object",
            "additionalProperties": False,
            "required": ["clauses", "cases", "checks", "errors", "notes"],
            "properties": {
                k: {"type": "integer", "minimum": 0}
                for k in ("clauses", "cases", "checks", "errors", "notes")
            },
        },
    },
}


def test_check_as_json_of_a_sound_document(tmp_path: Path) -> None:
    told = invoke("check", "--format", "json", place(tmp_path, GOOD))
    shown = json.loads(told.stdout)
    jsonschema.validate(shown, SCHEMA)
    assert told.exit_code == 0
    assert shown["diagnostics"] == []
    assert shown["summary"] == {"clauses": 2, "cases": 1, "checks": 0, "errors": 0, "notes": 0}
    assert shown["edition"] == "2"


def test_check_as_json_of_a_broken_document(tmp_path: Path) -> None:
    text = GOOD.replace("error if flag", "error if falg")
    told = invoke("check", "--format", "json", place(tmp_path, text))
    shown = json.loads(told.stdout)
    jsonschema.validate(shown, SCHEMA)
    assert told.exit_code == 1
    (only,) = shown["diagnostics"]
    line = next(n for n, x in enumerate(text.splitlines(), 1) if "falg" in x)
    assert only == {
        "code": "N001",
        "level": "error",
        "message": "nothing is called `falg`",
        "line": line,
        "column": 10,
        "text": "falg",
        "help": "did you mean `flag`?",
    }


def test_a_decidable_clause_without_any_case_is_told(tmp_path: Path) -> None:
    text = document(clause("error if flag", breach="Breach: the flag is up."))
    shown = json.loads(invoke("check", "--format", "json", place(tmp_path, text)).stdout)
    assert [d["text"] for d in shown["diagnostics"]] == ["1.1.1"]
    assert "case" in shown["diagnostics"][0]["message"]


def test_json_is_all_that_stands_on_stdout(tmp_path: Path) -> None:
    path = place(tmp_path, GOOD.replace("error if flag", "error if falg"))
    for command in ("check", "rules"):
        told = run([command, "--format", "json", path])
        json.loads(told.stdout)


def test_check_tells_every_error_in_the_documents_order(tmp_path: Path) -> None:
    text = document(
        clause("error if falg"), clause("error if othr", number="1.1.2"), clause("error if n", number="1.1.3")
    )
    told = invoke("check", place(tmp_path, text))
    assert told.exit_code == 1
    places = [told.output.index(words) for words in ("called `falg`", "called `othr`", "error[Y001]")]
    assert places == sorted(places)
    assert "3 errors" in told.output


def test_check_counts_in_words_that_fit_the_number(tmp_path: Path) -> None:
    text = document(
        clause(
            "error if flag",
            breach="Breach: the flag is up.",
            cases="| flag | verdict |\n|------|---------|\n| yes  | pass    |",
        )
    )
    told = invoke("check", place(tmp_path, text))
    assert told.output.rstrip().endswith("1 error (1 clause, 1 decidable, 1 case)")


def test_rules_as_text_fits_a_terminal() -> None:
    told = invoke("rules", str(ROOT / "Rules.md"))
    assert told.exit_code == 0
    lines = told.output.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("4.3.5 ") and "checkpointSubsetRunValidation" in line for line in lines)


def test_rules_as_text_with_long_names_fits_a_terminal(tmp_path: Path) -> None:
    long = clause(
        "error if spare > 1\nwarn if n > 1",
        number="16.13.14.15a",
        name="aVeryLongNameThatSomebodyGaveToAClause",
    )
    told = invoke("rules", place(tmp_path, document(long)))
    assert max(map(len, told.output.splitlines())) <= 80


def test_rules_as_json(tmp_path: Path) -> None:
    shown = json.loads(invoke("rules", "--format", "json", place(tmp_path, GOOD)).stdout)
    assert (shown["schema"], shown["edition"]) == ("clausegate/rules/1", "2")
    assert [(r["id"], r["kind"], r["stage"], r["scope"], r["facts"], r["why"]) for r in shown["rules"]] == [
        ("1.1.1", "decidable", "package", ["leaf"], ["flag"], None),
        ("1.1.2", "informative", None, [], [], "why"),
    ]


def test_rules_of_a_broken_document_still_lists_what_it_can(tmp_path: Path) -> None:
    told = run(["rules", "--format", "json", place(tmp_path, GOOD.replace("error if flag", "error if falg"))])
    assert told.returncode == 1
    assert [r["id"] for r in json.loads(told.stdout)["rules"]] == ["1.1.1", "1.1.2"]
    assert "did you mean `flag`?" in told.stderr


@pytest.mark.parametrize(
    "variables",
    [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii"}],
)
def test_a_terminal_that_knows_no_umlauts(tmp_path: Path, variables: dict[str, str]) -> None:
    path = place(tmp_path, document(clause('error if fruit == "Äpfel"')))
    told = run(["check", path], variables=variables)
    assert told.returncode == 1
    assert "internal error" not in told.stdout + told.stderr
