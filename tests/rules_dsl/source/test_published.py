"""A document that was never written for the compiler is found whole, and grows clause by clause."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import cli
from rules_dsl.compile import compile_text
from tests.rules_dsl.documents import VOCABULARY
from tests.rules_dsl.source.published import published

MADE = published()


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def written(folder: Path, data: bytes) -> Path:
    path = folder / "Published.md"
    path.write_bytes(data)
    return path


def fenced(text: str, rule: str, fence: str) -> str:
    """The document with a fence right behind one clause's first paragraph."""
    at = text.index("\n\n", text.index(f"\n{rule}. ") + 1)
    return text[:at] + f"\n\n{fence}" + text[at:]


def test_it_is_of_the_size_and_shape_of_the_real_one() -> None:
    assert len(MADE.text.encode()) > 90_000
    assert len(MADE.clauses) == 106
    assert {rule.count(".") for rule, _, _ in MADE.clauses} == {0, 1, 2, 3}


def test_every_clause_is_found_in_order_with_its_line() -> None:
    found = compile_text(MADE.text, "Published.md")
    assert [(c.rule, c.name, c.line) for c in found.program.clauses] == list(MADE.clauses)
    assert found.errors == ()


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
@pytest.mark.parametrize("ends", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_check_accepts_it_with_one_counted_note(tmp_path: Path, mark: bytes, ends: bytes) -> None:
    path = written(tmp_path, mark + MADE.text.encode().replace(b"\n", ends))
    told = invoke("check", str(path))
    assert told.exit_code == 0, told.output
    assert told.output.count("note[") == 1
    assert "106 of 106 clauses state no rule yet" in told.output
    listed = json.loads(invoke("rules", "--format", "json", str(path)).stdout)["rules"]
    assert [(r["id"], r["name"], r["line"]) for r in listed] == list(MADE.clauses)
    assert {r["kind"] for r in listed} == {"unstated"}


def test_without_the_head_every_silence_is_an_error(tmp_path: Path) -> None:
    made = published(head="")
    told = invoke("check", str(written(tmp_path, made.text.encode())))
    assert told.exit_code == 1
    assert told.output.count("error[C007]") == 106


def test_a_closing_hash_or_a_heading_style_clause_is_found() -> None:
    text = '# T\n\n#### 4.3.5. **asHeading** -- x\n\n```rule\ninformative "x"\n```\n\n  4.3.6 **noDot**: y\n'
    found = compile_text("---\ncomplete: no\n---\n" + text, "Doc.md")
    assert [(c.rule, c.kind) for c in found.program.clauses] == [
        ("4.3.5", "informative"),
        ("4.3.6", "unstated"),
    ]


def test_fencing_one_clause_makes_it_decidable(tmp_path: Path) -> None:
    at = MADE.text.index("\n# 2. ")
    text = MADE.text[:at] + "\n# Vocabulary\n\n" + VOCABULARY + MADE.text[at:]
    cases = "```cases\n| n | verdict |\n|---|---------|\n| 9 | INVALID |\n| 8 | pass    |\n```\n"
    text = fenced(
        text, "6.3.4.1", f"```rule\nerror if n > 8\n```\n\n{cases}\n> Breach: its n is more than 8."
    )
    path = written(tmp_path, text.encode())
    told = invoke("check", str(path))
    assert told.exit_code == 0, told.output
    assert "105 of 106 clauses state no rule yet" in told.output
    (one,) = [
        r
        for r in json.loads(invoke("rules", "--format", "json", str(path)).stdout)["rules"]
        if r["kind"] != "unstated"
    ]
    assert (one["id"], one["kind"], one["facts"], one["stage"]) == ("6.3.4.1", "decidable", ["n"], "launch")
    assert invoke("build", str(path), "-o", str(tmp_path / "out")).exit_code == 0


def test_fencing_one_clause_that_only_a_package_shows_builds(tmp_path: Path) -> None:
    at = MADE.text.index("\n# 2. ")
    text = MADE.text[:at] + "\n# Vocabulary\n\n" + VOCABULARY + MADE.text[at:]
    cases = "```cases\n| flag | verdict |\n|------|---------|\n| yes  | INVALID |\n```\n"
    path = written(
        tmp_path,
        fenced(text, "2.29", f"```rule\nerror if flag\n```\n\n{cases}\n> Breach: the flag is up.").encode(),
    )
    told = invoke("build", str(path), "-o", str(tmp_path / "out"))
    assert told.exit_code == 0, told.output


def test_fencing_a_clause_as_undecidable(tmp_path: Path) -> None:
    text = fenced(MADE.text, "2.1.18a", '```rule\nundecidable "a person judges it"\n```')
    path = written(tmp_path, text.encode())
    assert invoke("check", str(path)).exit_code == 0
    kinds = {
        r["id"]: r["kind"] for r in json.loads(invoke("rules", "--format", "json", str(path)).stdout)["rules"]
    }
    assert kinds["2.1.18a"] == "undecidable"


def test_fmt_leaves_it_alone(tmp_path: Path) -> None:
    data = MADE.text.encode()
    path = written(tmp_path, data)
    assert invoke("fmt", str(path)).exit_code == 0
    assert path.read_bytes() == data


def test_code_blocks_of_other_languages_are_not_taken_for_ours() -> None:
    languages = (
        "bash sh shell console text json yaml yml toml python py c cpp rust go java js ts html css "
        "xml sql diff make dockerfile ini csv mermaid ruby perl r lua latex markdown md http graphql "
        "proto plaintext log none"
    ).split()
    blocks = "".join(f"```{name}\nx\n```\n\n" for name in languages)
    found = compile_text("---\ncomplete: no\n---\n# T\n\n1.1. **a** -- b\n\n" + blocks, "Doc.md")
    assert [d.message for d in found.errors] == []


def test_a_section_is_named_by_its_heading_not_by_a_comment_in_a_block() -> None:
    block = "```bash\n# 7. not a heading\n```\n\n```section\nfamily: real\n```\n\n"
    text = f"---\ncomplete: no\n---\n# 2. Real\n\n{block}2.1. **a** -- b\n"
    assert compile_text(text, "Doc.md").program.families == {"2": "real"}


def test_halves_of_a_clause_have_ids_of_their_own() -> None:
    text = (
        "---\ncomplete: no\n---\n\n2.1.5. **folders** -- two halves:\n\n"
        "2.1.5.a. **foldersClosed** -- one.\n\n"
        "2.1.5.b. **foldersOpen** -- the other.\n\n2.1.18a.  **subsets** -- a letter without a dot.\n\n"
        "```\na diagram\n```\n2.29. **log** -- right behind a block.\n"
    )
    compiled = compile_text(text, "Doc.md")
    assert [(c.rule, c.name) for c in compiled.program.clauses] == [
        ("2.1.5", "folders"),
        ("2.1.5.a", "foldersClosed"),
        ("2.1.5.b", "foldersOpen"),
        ("2.1.18a", "subsets"),
        ("2.29", "log"),
    ]
    assert not compiled.errors
