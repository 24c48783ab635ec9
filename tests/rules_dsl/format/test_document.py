"""`fmt` refreshes breach sentences and the blanks of cases tables, and nothing else."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cli.main import cli
from rules_dsl.compile import compile_text, read_text
from rules_dsl.emit.files import replace_file
from rules_dsl.format.document import format_document
from tests.command import ROOT
from tests.rules_dsl.documents import clause, document, fence

RULES = ROOT / "Rules.md"

CASES = """\
| flag | title | verdict |
|------|-------|---------|
| yes  | a\\|b  | INVALID |
| no   | ?     | pass    |"""
FRESH = document(
    "Prose   that  has its own    blanks.\n\n| a | table |\n|-|-|\n| of | the author |\n\n",
    clause("error if flag", cases=CASES, breach="Breach: the flag is up."),
    clause(
        "error if flag and other\n# a comment\nwarn if third",
        number="1.1.2",
        breach="Breach: the flag is up, and the other is up.\n>\n> Breach, a warning only: third holds.",
    ),
    clause('informative "why"', number="1.1.3"),
    "```text\n| not  | ours |\n```\n",
    "\nThe end, without a line break",
)


def formatted(text: str) -> str:
    found = compile_text(text, "Doc.md")
    assert [d.message for d in found.errors] == []
    return format_document(found)


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def test_the_rules_are_fresh() -> None:
    text = read_text(RULES)
    assert formatted(text) == text


def test_a_fresh_document_stays() -> None:
    assert formatted(FRESH) == FRESH


def loosened(text: str, pads: list[int]) -> str:
    """The cases tables with other blanks in their cells and other rule lines."""
    at = iter(pads)

    def table(match: re.Match[str]) -> str:
        lines = []
        for line in match[2].splitlines():
            cells = re.split(r"(?<!\\)\|", line)[1:-1]
            if re.fullmatch(r"[|\- ]+", line):
                lines.append("|" + "|".join("-" * (3 + next(at, 0)) for _ in cells) + "|")
            else:
                lines.append(
                    "|" + "|".join(" " * next(at, 0) + c.strip() + " " * next(at, 1) for c in cells) + "|"
                )
        return match[1] + "\n".join(lines) + "\n"

    return re.sub(r"(^```cases\n)(.*?\n)(?=```)", table, text, flags=re.MULTILINE | re.DOTALL)


@given(st.lists(st.integers(0, 12), max_size=40))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_any_alignment_comes_back(pads: list[int]) -> None:
    assert formatted(loosened(FRESH, pads)) == FRESH


@given(st.lists(st.integers(0, 5), min_size=2, max_size=60))
@settings(max_examples=15, deadline=None, derandomize=True)
def test_formatting_twice_is_formatting_once(pads: list[int]) -> None:
    stale = (
        loosened(FRESH, pads)
        .replace("the flag is up", "the flag was up")
        .replace("> Breach, a warning only: third holds.", ">")
    )
    once = formatted(stale)
    assert formatted(once) == once


def test_only_breach_sentences_and_cases_change() -> None:
    text = read_text(RULES)
    changed = loosened(text, [3, 0, 2] * 4000)
    changed = re.sub(r"^> Breach(.*)\.$", r"> Breach\1, long ago.", changed, flags=re.MULTILINE)
    assert changed != text
    back = formatted(changed)
    assert back == text


def test_a_missing_sentence_is_put_behind_the_clauses_last_fence() -> None:
    text = document(
        clause("error if flag", cases=CASES),
        "More of the clause's prose.\n\n",
        clause("error if other", number="1.1.2"),
    )
    back = formatted(text)
    assert "| no   | ?     | pass    |\n```\n\n> Breach: the flag is up.\n\nMore of" in back
    assert back.endswith("```rule\nerror if other\n```\n\n> Breach: the other is up.\n\n")
    assert formatted(back) == back


def test_a_missing_sentence_at_the_very_end_of_a_file() -> None:
    text = document("1.1.1. **last** -- Words.\n\n```rule\nerror if flag\n```")
    back = formatted(text)
    assert back.endswith("```\n\n> Breach: the flag is up.\n")
    assert formatted(back) == back


def test_a_sentence_for_every_statement_in_order() -> None:
    back = formatted(document(clause("error if flag\nwarn if other\nin closed: note if third")))
    assert (
        "> Breach: the flag is up.\n>\n> Breach, a warning only: the other is up.\n>\n"
        "> Breach of CLOSED, a note only: third holds.\n"
    ) in back


def test_a_sentence_of_a_clause_that_states_nothing_goes() -> None:
    text = document(clause('informative "x"', breach="Breach: of old."), "Prose.\n")
    back = formatted(text)
    assert "Breach" not in back
    assert formatted(back) == back


def test_a_wrapped_sentence_that_is_right_is_left_alone() -> None:
    text = document(
        clause("error if flag and other", breach="Breach: the flag is up,\n> and the other is up.")
    )
    assert formatted(text) == text


def test_a_quote_of_the_author_is_no_breach_sentence() -> None:
    text = document(
        "1.1.1. **quoted** -- Words.\n\n> A remark by the author.\n\n" + fence("rule", "error if flag")
    )
    back = formatted(text)
    assert "> A remark by the author.\n" in back
    assert "> Breach: the flag is up.\n" in back


def test_a_breach_sentence_inside_a_code_block_is_no_breach_sentence() -> None:
    text = document(
        clause("error if flag", breach="Breach: the flag is up."), "```text\n> Breach: an example.\n```\n"
    )
    assert formatted(text) == text


def test_a_document_without_any_fence_is_left_alone() -> None:
    text = "---\ncomplete: no\n---\n\n# T\n\n1.1. **a** -- b\n"
    assert formatted(text) == text


# --- the command -------------------------------------------------------------------------


@pytest.fixture
def stale(tmp_path: Path) -> Path:
    path = tmp_path / "Doc.md"
    path.write_text(FRESH.replace("the flag is up.", "the flag was up."), "utf-8")
    return path


def test_check_tells_and_writes_nothing(stale: Path) -> None:
    before = stale.read_bytes()
    told = invoke("fmt", "--check", str(stale))
    assert told.exit_code == 1
    assert f"clausegate fmt {stale}" in told.output
    assert stale.read_bytes() == before


def test_fmt_mends_and_is_then_quiet(stale: Path) -> None:
    assert invoke("fmt", str(stale)).exit_code == 0
    assert stale.read_text("utf-8") == FRESH
    stamp = stale.stat().st_mtime_ns
    assert invoke("fmt", "--check", str(stale)).exit_code == 0
    assert invoke("fmt", str(stale)).exit_code == 0
    assert stale.stat().st_mtime_ns == stamp, "a fresh document is not written again"


def test_a_document_with_errors_is_left_as_it_is(stale: Path) -> None:
    stale.write_text(stale.read_text("utf-8").replace("error if flag\n", "error if falg\n"), "utf-8")
    before = stale.read_bytes()
    told = invoke("fmt", str(stale))
    assert told.exit_code == 1
    assert "did you mean `flag`?" in told.output
    assert stale.read_bytes() == before


def test_a_document_that_is_absent(tmp_path: Path) -> None:
    assert invoke("fmt", str(tmp_path / "no.md")).exit_code == 2


def test_a_write_that_fails_leaves_the_old_file_and_no_other(
    stale: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = stale.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    told = invoke("fmt", str(stale))
    assert told.exit_code == 2
    assert "No space left on device" in told.output
    assert stale.read_bytes() == before
    assert [p.name for p in stale.parent.iterdir()] == ["Doc.md"]


def test_the_mode_of_the_file_is_kept(stale: Path) -> None:
    stale.chmod(0o640)
    invoke("fmt", str(stale))
    assert stale.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(stale: Path) -> None:
    link = stale.parent / "Link.md"
    link.symlink_to(stale)
    assert invoke("fmt", str(link)).exit_code == 0
    assert link.is_symlink()
    assert stale.read_text("utf-8") == FRESH


@pytest.mark.parametrize("ends", ["\r\n", "\n"])
@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_line_ends_and_byte_order_mark_are_the_authors(stale: Path, ends: str, mark: str) -> None:
    text = (mark + stale.read_text("utf-8")).replace("\n", ends)
    stale.write_bytes(text.encode("utf-8"))
    assert invoke("fmt", str(stale)).exit_code == 0
    assert stale.read_bytes() == (mark + FRESH).replace("\n", ends).encode("utf-8")
    assert invoke("fmt", "--check", str(stale)).exit_code == 0


def test_replace_file_makes_a_new_file(tmp_path: Path) -> None:
    replace_file(tmp_path / "new.txt", "a\nü\n")
    assert (tmp_path / "new.txt").read_bytes() == "a\nü\n".encode()
