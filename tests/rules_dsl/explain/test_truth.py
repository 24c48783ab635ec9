"""A truth table parts no run in two, leaves none out, and says of each what the interpreter says."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import pytest

from engine.runtime.values import Facts, Listing
from rules_dsl import ir
from rules_dsl.compile import Compiled, compile_file, compile_text, read_text
from rules_dsl.evaluate.abstract_cells import statement_cells
from rules_dsl.evaluate.interpreter import Interpreter
from rules_dsl.explain.truth import RESULTS, TruthTable, truth_table
from rules_dsl.verify.words import verdict_word
from tests.command import ROOT
from tests.rules_dsl.documents import clause, sound

RULES = compile_text(read_text(ROOT / "Rules.md"), "Rules.md")
PROGRAM = compile_file(ROOT / "Rules.md").program
STATEMENTS = [s for c in PROGRAM.clauses for s in c.statements]
MOST = 1500


def table_of(compiled: Compiled, number: int = 0) -> TruthTable:
    statement = compiled.program.clauses[0].statements[number]
    return truth_table(compiled.program, compiled.page.text, statement)


def cells(*rule: str) -> list[tuple[str, ...]]:
    return list(table_of(sound(clause("\n".join(rule)))).cells())


def word(statement: ir.Statement, result: str) -> str:
    if result == "violation":
        return verdict_word(PROGRAM, statement)
    return RESULTS.get(result, result)


def elements(statement: ir.Statement, facts: Facts) -> Iterator[Mapping[str, Facts]]:
    """The elements, or pairs of neighbours, that a statement is asked of."""
    each = statement.each
    if each is None:
        yield {}
        return
    listing = facts.get(each.listing.name)
    if not isinstance(listing, Listing) or listing.more is not None or len(listing.items) != len(each.names):
        return
    yield dict(zip(each.names, listing.items, strict=True))


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda s: f"{s.rule} #{s.number}")
def test_every_abstract_cell_falls_in_one_row_and_has_its_verdict(statement: ir.Statement) -> None:
    table = truth_table(PROGRAM, RULES.page.text, statement)
    assert table.rows
    seen = 0
    every = statement_cells(PROGRAM, statement)
    for facts in itertools.islice(every, 0, None, 7):
        for bound in elements(statement, facts):
            interpreter = Interpreter(PROGRAM, facts)
            (result,) = interpreter.statement(statement)
            if result == "deferred":
                continue  # at launch; a table is of what is recorded or not
            answers = tuple(c.answer(PROGRAM, facts, bound) for c in table.columns)
            (row,) = [r for r in table.rows if r.holds(answers)]
            assert row.verdict == word(statement, result), (facts, answers)
            seen += 1
        if seen > MOST:
            break
    assert seen


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda s: f"{s.rule} #{s.number}")
def test_rows_are_few_and_cover_every_combination_once(statement: ir.Statement) -> None:
    table = truth_table(PROGRAM, RULES.page.text, statement)
    for answers in itertools.product(*(range(len(c.answers)) for c in table.columns)):
        assert sum(row.holds(answers) for row in table.rows) == 1
    assert len(list(table.cells())) <= 16


def test_a_fact_against_a_constant_is_told_by_ranges() -> None:
    assert cells("error if n > 8") == [
        ("at most 8", "pass"),
        ("at least 9", "INVALID"),
        ("not known", "undetermined"),
    ]


def test_a_size_has_no_neighbours() -> None:
    assert {row[0] for row in cells("error if heap >= 8 GiB")} == {
        "less than 8 GiB",
        "at least 8 GiB",
        "not known",
    }


def test_members_are_named_one_by_one() -> None:
    rows = cells('error if fruit != "Apple"')
    assert ("Apple", "pass") in rows
    assert ("Pear, Fig", "INVALID") in rows


def test_not_recorded_is_told_apart_where_the_statement_does() -> None:
    rows = cells("error if fruit is not recorded")
    assert ("not recorded", "INVALID") in rows
    assert ("recorded", "pass") in rows
    assert ("not readable", "undetermined") in rows


def test_what_relates_two_facts_is_a_column_of_its_own() -> None:
    table = table_of(sound(clause("error if n > m and flag")))
    assert [c.label for c in table.columns] == ["n > m", "flag"]


def test_a_condition_and_its_opposite_are_one_column() -> None:
    compiled = sound(clause("error if n == m and flag or n != m and other"))
    table = table_of(compiled)
    assert [c.label for c in table.columns] == ["n == m", "flag", "other"]
    assert ("yes", "yes", "-", "INVALID") in table.cells()
    assert ("no", "-", "no", "pass") in table.cells()


def test_a_guard_that_does_not_hold_is_not_applicable() -> None:
    assert ("no", "-", "n/a") in cells("when flag: error if other")


def test_of_a_list_one_element_is_asked() -> None:
    rows = cells("in closed: for each x in items where x.good: error if x.size_of > 3")
    assert ("yes", "at least 4", "OPEN") in rows
    assert ("no", "-", "n/a") in rows


def test_levels_have_their_words() -> None:
    for rule, verdict in {
        "warn if flag": "warning",
        "note if flag": "note",
        "in package: error if flag": "package",
    }.items():
        assert ("yes", verdict) in cells(rule)


def test_what_is_not_decided_is_one_row() -> None:
    rows = cells("error if flag and other and third")
    assert [row for row in rows if row[-1] == "undetermined"] == [("anything else", "", "", "undetermined")]


ASKED = (
    *("flag", "other", "third", "n > m", "n == 3", "m == 4", "heap > 3 GiB", "wait > 3 s"),
    *('title == "x"', 'fruit == "Fig"', 'colour == "Red"'),
)


def test_a_statement_that_asks_much_is_told_by_as_many_rows_as_it_needs() -> None:
    table = table_of(sound(clause("error if " + " and ".join(ASKED[:6]))))
    decided = [row for row in table.cells() if row[-1] != "undetermined"]
    assert sum(row[-1] == "INVALID" for row in decided) == 1
    assert len(decided) < 30


def test_a_statement_that_asks_too_much_has_columns_and_no_rows() -> None:
    table = table_of(sound(clause("error if " + " and ".join(ASKED))))
    assert len(table.columns) == len(ASKED)
    assert table.rows == ()
