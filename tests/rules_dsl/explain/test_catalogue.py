"""The catalogue and the compiler speak of the same codes, and the examples show what they say they show."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import rules_dsl
from rules_dsl.catalogue import FAMILIES, PLACES, Entry, catalogue, shown, told
from rules_dsl.diagnostics import columns
from rules_dsl.explain.pages import PAGE, diagnostics_page
from tests.command import ROOT

PACKAGE = Path(rules_dsl.__file__).parent
ENTRIES = list(catalogue().values())
by_code = pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.code)


def literals() -> Iterator[str]:
    """Every code that stands as a text in the compiler's own source."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
                if len(text) == 4 and text[0].isupper() and text[1:].isdigit():
                    yield text


def test_what_is_raised_is_catalogued_and_what_is_catalogued_is_raised() -> None:
    assert sorted(set(literals())) == sorted(catalogue())


def test_every_code_is_called_where_a_diagnostic_is_made() -> None:
    made = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                given = [*node.args, *(k.value for k in node.keywords)]
                made |= {a.value for a in given if isinstance(a, ast.Constant)}
            elif isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Constant):
                made.add(node.value.value)  # the codes that a reader of YAML is given
            elif isinstance(node, ast.FunctionDef):
                made |= {d.value for d in node.args.defaults if isinstance(d, ast.Constant)}
    assert set(catalogue()) <= made


@by_code
def test_a_bad_example_raises_its_code_and_no_other(entry: Entry) -> None:
    _, found = told(entry, entry.bad)
    assert {d.code for d in found} == {entry.code}


@by_code
def test_a_good_example_is_clean(entry: Entry) -> None:
    text, found = told(entry, entry.good)
    assert [(d.code, d.message) for d in found] == []
    assert text.endswith("\n")


@by_code
def test_an_entry_says_what_and_why(entry: Entry) -> None:
    assert entry.place in PLACES
    assert entry.family in FAMILIES
    assert entry.title
    assert not entry.title.endswith(".")
    assert entry.about.endswith(".")
    assert len(entry.about.split()) > 8
    assert entry.bad != entry.good


@by_code
def test_what_is_said_of_a_bad_example_is_shown_in_80_columns(entry: Entry) -> None:
    said = shown(entry).splitlines()
    assert said[0].startswith(("error[", "note["))
    quoted = [line for line in said if not line.startswith(("error[", "note["))]
    assert max(map(columns, quoted)) <= 80


def test_the_page_is_fresh() -> None:
    assert (ROOT / PAGE).read_text("utf-8") == diagnostics_page(), "mend with: make docs"
