"""No one-token change of a statement gets past the document's own cases."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rules_dsl.cases import check_cases
from rules_dsl.compile import compile_text, read_text
from rules_dsl.diagnostics import Collector
from tests.rules_dsl.mutants import Mutant, mutants

RULES = Path(__file__).parents[2] / "Rules.md"
TEXT = read_text(RULES)
ALL = list(mutants(compile_text(TEXT, "Rules.md").page))
NAMED = [
    m
    for m in ALL
    if (m.old, m.new) in {("and", "or"), ("or", "and"), ("<=", "<"), ("<", "<="), ("in closed:", "")}
]


def survives(mutant: Mutant) -> bool:
    """Whether the changed document compiles and all its cases still hold."""
    compiled = compile_text(mutant.text, "Rules.md")
    if compiled.errors:
        return False
    collect = Collector()
    check_cases(compiled.page, compiled.vocabulary, compiled.program, collect)
    return not collect.errors


def test_there_are_mutants_of_every_kind() -> None:
    assert len(ALL) > 200
    assert {m.old for m in NAMED} == {"and", "or", "<=", "<", "in closed:"}


def test_connectives_bounds_and_categories_are_pinned() -> None:
    assert [str(m) for m in NAMED[::3] if survives(m)] == []


@pytest.mark.slow
def test_every_single_token_is_pinned() -> None:
    assert [str(m) for m in ALL if survives(m)] == []


def test_the_published_inversion_is_caught_with_its_row(tmp_path: Path) -> None:
    copy = tmp_path / "Rules.md"
    copy.write_text(TEXT.replace('model != "8B")', 'model == "8B")'), encoding="utf-8")
    run = [sys.executable, "-m", "engine.cli.main"]
    refreshed = subprocess.run([*run, "fmt", str(copy)], capture_output=True, text=True, check=False)
    assert refreshed.returncode == 0, refreshed.stderr
    checked = subprocess.run([*run, "check", str(copy)], capture_output=True, text=True, check=False)
    assert checked.returncode == 1
    assert "clause 4.3.5 gives INVALID here, its case says pass" in checked.stdout
    row = next(line for line in checked.stdout.splitlines() if "the row:" in line)
    assert [cell.strip() for cell in row.split("|")[1:-1]] == ["yes", "8", "8B", "pass"]
