"""A statement that can never be reached does not compile; both places are told."""

from __future__ import annotations

import pytest

from rules_dsl.compile import compile_text
from rules_dsl.diagnostics import Diagnostic
from tests.rules_dsl.documents import HEAD, VOCABULARY, clause, compiled, document, fence

FAMILY = fence("section", "family: x")
OTHER = fence("section", "family: y")
EVERY = fence("section", "family: every")
FIRST = clause("error if flag")
SECOND = clause("error if flag", number="2.1.1", name="second")


def told(text: str) -> list[tuple[str, str, str | None]]:
    """Code, words underlined, words of the second place."""

    def words(one: Diagnostic) -> tuple[str, str, str | None]:
        second = one.second[0] if one.second else None
        return (
            one.code,
            text[one.span.start : one.span.end],
            None if second is None else text[second.start : second.end],
        )

    return [words(one) for one in compile_text(text, "Doc.md").errors]


def test_a_document_without_families_asks_its_clauses_of_whatever_there_is() -> None:
    assert told(document(FIRST, "# 2. Other\n\n", SECOND)) == []


def test_where_families_are_named_each_section_names_one() -> None:
    parts = [FAMILY, FIRST, "# 2. Other\n\n"]
    assert told(document(*parts, SECOND)) == [("C019", "2.1.1", "```section")]
    assert told(document(*parts, OTHER, SECOND)) == []
    assert compiled(*parts, OTHER, SECOND).program.families == {"1": "x", "2": "y"}


def test_a_section_may_be_of_every_family() -> None:
    program = compiled(FAMILY, FIRST, "# 2. Other\n\n", EVERY, SECOND).program
    assert program.families == {"1": "x"}  # what no family claims is asked of all
    assert [one.rule for one in program.clauses] == ["1.1.1", "2.1.1"]


def test_an_id_without_a_section_is_of_every_family() -> None:
    assert told(document(FAMILY, FIRST, clause("error if flag", number="EDN-01"))) == []


@pytest.mark.parametrize("kind", ['informative "so"', 'undecidable "so"'])
def test_what_nothing_decides_needs_no_family(kind: str) -> None:
    assert told(document(FAMILY, FIRST, "# 2. Other\n\n", clause(kind, number="2.1.1"))) == []


def test_a_clause_is_of_the_section_of_its_id_wherever_it_stands() -> None:
    assert told(document(FAMILY, FIRST, SECOND)) == [("C019", "2.1.1", "```section")]


def test_a_second_fence_does_not_replace_the_first() -> None:
    assert told(document(FAMILY, OTHER, FIRST)) == [("C020", "```section", "```section")]
    found = compiled(FAMILY, OTHER, FIRST).errors[0]
    assert found.second is not None
    assert found.second[0].start < found.span.start


def test_a_fence_that_is_about_no_clause_shows_its_section() -> None:
    text = document(FIRST, "# 2. Other\n\n", OTHER)
    assert told(text) == [("C021", "```section", "# 2. Other"), ("C019", "1.1.1", "```section")]


def test_a_fence_above_every_numbered_heading_is_of_no_section() -> None:
    text = f"{HEAD}{VOCABULARY}{FAMILY}# 1. Section\n\n{FIRST}"
    assert told(text) == [("C021", "```section", None)]


def test_two_sections_may_be_of_one_family_and_one_of_them_has_its_commands() -> None:
    commands = fence("section", "family: x\ncommands: {run: start}")
    none = fence("section", "family: x\ncommands: {}")
    assert told(document(FAMILY, FIRST, "# 2. Other\n\n", commands, SECOND)) == []
    for both in (commands, none):
        found = told(document(both, FIRST, "# 2. Other\n\n", commands, SECOND))
        assert found == [("V002", "commands", "commands")]


def test_other_errors_come_first() -> None:
    wrong = clause("error if flg")
    assert [code for code, _, _ in told(document(FAMILY, OTHER, wrong))] == ["N001"]
