"""The generated pages: fresh, the same everywhere, and mended with the one command that a stale one names."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.cli.main import cli
from rules_dsl.catalogue import catalogue
from rules_dsl.compile import compile_text, read_text
from rules_dsl.emit.modules import emit
from rules_dsl.explain import pages
from rules_dsl.explain.blocks import Block, Code, Heading, Pairs, Paragraph, Rows, as_markdown, as_text
from tests.command import ROOT

RULES = ROOT / "Rules.md"


def test_a_stale_reference_fails_with_its_difference_and_the_command_that_mends_it(tmp_path: Path) -> None:
    shutil.copy(RULES, tmp_path / "Rules.md")
    document, page = str(tmp_path / "Rules.md"), tmp_path / "generated/reference.md"
    assert CliRunner().invoke(cli, ["build", document]).exit_code == 0
    fresh = page.read_text("utf-8")
    assert fresh == (ROOT / "generated/reference.md").read_text("utf-8")
    page.write_text(fresh.replace("| yes | 8 | 8B | pass |", "| yes | 8 | 8B | INVALID |"), "utf-8")
    told = CliRunner().invoke(cli, ["build", document, "--check"])
    assert told.exit_code == 1
    assert "-| yes | 8 | 8B | INVALID |\n+| yes | 8 | 8B | pass |" in told.output
    assert f"mend with: clausegate build {document}" in told.output


def test_a_stale_page_of_diagnostics_fails_with_its_difference_and_the_command_that_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert pages.main(["--check"]) == 1
    assert "does not exist" in capsys.readouterr().out
    assert pages.main([]) == 0
    assert pages.main(["--check"]) == 0
    path = tmp_path / pages.PAGE
    path.write_text(path.read_text("utf-8").replace("nothing is called so", "something"), "utf-8")
    capsys.readouterr()
    assert pages.main(["--check"]) == 1
    told = capsys.readouterr().out
    assert "+### N001 nothing is called so" in told
    assert told.endswith("docs/diagnostics.md is stale; mend with: make docs\n")


def test_make_test_notices_a_stale_page() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    rules = makefile.partition("\nrules:")[2].partition("\n\n")[0]
    assert "clausegate build --check" in rules
    assert "rules_dsl.explain.pages --check" in rules
    docs = makefile.partition("\ndocs:")[2].partition("\n\n")[0]
    assert docs.rstrip().endswith("python -m rules_dsl.explain.pages")


def test_the_reference_holds_every_clause_and_every_fact() -> None:
    compiled = compile_text(read_text(RULES), "anywhere/Rules.md")
    page = pages.reference(compiled, "Rules.md", emit(compiled.program, "Rules.md"))
    assert "anywhere" not in page
    for clause in compiled.program.clauses:
        assert f"\n### {clause.rule} {clause.name}\n" in page
    for fact in compiled.program.facts:
        assert re.search(rf"^{re.escape(fact)} \(", page, re.MULTILINE), fact
    for statement in (s for c in compiled.program.clauses for s in c.statements):
        assert " ".join(f"{statement.breach}.".split()) in " ".join(page.split())


def test_the_page_of_diagnostics_holds_every_code_with_what_is_said_of_it() -> None:
    page = pages.diagnostics_page()
    for entry in catalogue().values():
        assert f"\n### {entry.code} {entry.title}\n" in page
        assert f"{entry.code}]: " in page


# --- blocks ----------------------------------------------------------------------------


def test_a_grid_gives_way_where_it_is_widest() -> None:
    text = as_text([Rows(("a", "b"), (("x", "word " * 30), ("y", "z")))])
    assert max(map(len, text.splitlines())) <= 80
    assert text.splitlines()[1].startswith("  ------  ----")


def test_a_word_wider_than_its_place_is_broken() -> None:
    text = as_text([Paragraph("x" * 200), Pairs((("term", "y" * 200),)), Code("z" * 200)])
    assert max(map(len, text.splitlines())) <= 80
    for letter in "xyz":
        assert text.count(letter) >= 200


def test_a_term_that_is_too_long_has_a_line_of_its_own() -> None:
    assert as_text([Pairs((("a" * 40, "said"),))]).splitlines() == ["  " + "a" * 40, " " * 30 + "said"]


def test_markdown_of_each_block() -> None:
    blocks: list[Block] = [
        Heading("Title", 1),
        Paragraph("Words."),
        Code("```rule\nx\n```\n", "markdown"),
        Rows(("a|b", "c"), (("1", "*2*"),)),
        Pairs((("t_erm", "said"), ("bare", ""))),
    ]
    assert as_markdown(blocks) == (
        "# Title\n\nWords.\n\n````markdown\n```rule\nx\n```\n````\n\n"
        "| a\\|b | c |\n| --- | --- |\n| 1 | \\*2\\* |\n\n* t\\_erm: said\n* bare\n"
    )
