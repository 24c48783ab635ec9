"""What a cases table means: exact verdicts, what is not recorded, lists, editions, overridden defines."""

from __future__ import annotations

import pytest

from tests.rules_dsl.documents import clause, compiled, examined, fence


def table(*rows: str) -> str:
    """A Markdown table from `a b c` rows; `_` stands for an empty cell, `~` for a blank in one."""
    cells = [["" if c == "_" else c.replace("~", " ") for c in row.split()] for row in rows]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join([lines[0], "|" + "---|" * len(cells[0]), *lines[1:]])


def outcome(rule: str, *rows: str, define: str = "") -> list[str]:
    """The messages that a clause with these cases gets."""
    parts = [fence("define", define)] if define else []
    return [d.message for d in examined(compiled(*parts, clause(rule, cases=table(*rows))))]


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("error if flag", "INVALID"),
        ("in closed: error if flag", "OPEN"),
        ("in package: error if flag", "package"),
        ("warn if flag", "warning"),
        ("in closed: warn if flag", "CLOSED warning"),
        ("note if flag", "note"),
        ("in package: note if flag", "package note"),
    ],
)
def test_the_word_says_level_and_category(rule: str, verdict: str) -> None:
    assert (
        outcome(rule, "flag verdict", f"yes {verdict.replace(' ', '~')}", "no pass", "? undetermined") == []
    )
    for wrong in {"INVALID", "OPEN", "package", "warning", "note", "pass", "undetermined", "n/a"} - {verdict}:
        assert outcome(rule, "flag verdict", f"yes {wrong}") == [
            f"clause 1.1.1 gives {verdict} here, its case says {wrong}"
        ]


def test_a_set_of_words_is_exact() -> None:
    rule = "error if flag\nin closed: error if other\nwarn if third"
    columns = "flag other third verdict"
    assert (
        outcome(
            rule,
            columns,
            "yes yes yes INVALID,OPEN,warning",
            "yes no yes warning,INVALID",
            "no yes no OPEN",
            "no no no pass",
        )
        == []
    )
    assert outcome(rule, columns, "yes yes no INVALID") == [
        "clause 1.1.1 gives INVALID, OPEN here, its case says INVALID"
    ]
    assert outcome(rule, columns, "yes no no INVALID,OPEN") == [
        "clause 1.1.1 gives INVALID here, its case says INVALID, OPEN"
    ]


def test_the_worst_outcome_is_the_verdict() -> None:
    rule = "error if flag\nwhen third: warn if other"
    columns = "flag other third verdict"
    assert (
        outcome(rule, columns, "yes ? yes INVALID", "no ? yes undetermined", "no no yes pass", "no ? no pass")
        == []
    )
    assert (
        outcome(
            "when third: warn if other", "other third verdict", "yes no n/a", "? no n/a", "yes ? undetermined"
        )
        == []
    )


def test_not_recorded_is_a_question_mark_or_no_column_or_an_empty_cell() -> None:
    assert (
        outcome(
            "error if flag and other",
            "flag verdict",
            "yes undetermined",
            "no pass",
            "? undetermined",
            "_ undetermined",
        )
        == []
    )
    assert outcome("error if flag is not recorded", "other verdict", "yes INVALID") == []


def test_cells_of_every_type() -> None:
    assert (
        outcome('error if fruit == "Fig"', "fruit verdict", "Fig INVALID", "Pear pass", '"kiwi" undetermined')
        == []
    )
    assert outcome("error if fruit is not listed", "fruit verdict", '"kiwi" INVALID', "Fig pass") == []
    assert outcome("error if n == 8", "n verdict", "8 INVALID", "-8 pass", "08 INVALID") == []
    assert (
        outcome(
            "error if heap == 1.5 GiB", "heap verdict", "1.5 INVALID", "1.50 INVALID", "1.5000000001 pass"
        )
        == []
    )
    assert outcome('error if title == "a"', "title verdict", "a INVALID", '"a" INVALID', "b pass") == []
    assert (
        outcome(
            "error if end - start > 0.5 s",
            "start end verdict",
            "12:00:00 12:00:00.5 pass",
            "12:00:00 12:00:00.500001 INVALID",
        )
        == []
    )
    assert (
        outcome('error if loose == "x"', "loose verdict", "x INVALID", '"x" INVALID', "1 pass", "yes pass")
        == []
    )
    assert outcome("error if loose == 1", "loose verdict", "1 INVALID", '"1" pass', "yes pass") == []
    assert outcome("error if loose == yes", "loose verdict", "yes INVALID", '"yes" pass', "1 pass") == []


def test_a_cell_with_a_unit_is_converted() -> None:
    cases = "| heap | verdict |\n|---|---|\n| 1024 MiB | pass |\n| 1025 MiB | INVALID |\n| 1 GiB | pass |"
    assert examined(compiled(clause("error if heap > 1 GiB", cases=cases))) == []


def test_a_cell_may_hold_an_escaped_bar() -> None:
    cases = '| title | verdict |\n|---|---|\n| "a\\|b" | INVALID |'
    assert examined(compiled(clause('error if title == "a|b"', cases=cases))) == []


def test_rows_of_one_case_are_the_elements_of_one_list() -> None:
    rule = "error if count(x in items where x.good) > 1"
    columns = "case items.good items.size_of verdict"
    assert (
        outcome(
            rule, columns, "two yes 1 INVALID", "two yes 2 _", "one yes 1 pass", "one no 1 _", "none - - pass"
        )
        == []
    )
    assert outcome("error if size(items) == 0", columns, "none - - INVALID", "one yes - pass") == []
    assert outcome(rule, columns, "dark ? 1 undetermined", "dark yes 1 _") == []


def test_rows_of_one_case_need_not_be_neighbours() -> None:
    rule = "error if size(items) > 1"
    assert outcome(rule, "case items.good verdict", "a yes INVALID", "b yes pass", "a yes _") == []


def test_rows_without_an_id_stand_alone() -> None:
    assert outcome("error if size(items) > 1", "case items.good verdict", "_ yes pass", "_ yes pass") == []
    assert outcome("error if size(items) > 1", "items.good verdict", "yes pass", "yes pass") == []


def test_a_list_without_any_column_is_not_recorded() -> None:
    assert outcome("error if size(items) > 1 or flag", "flag verdict", "no undetermined", "yes INVALID") == []


def test_leaves_of_a_workload() -> None:
    rule = "for each r then s in runs: error if r.n > s.n"
    assert (
        outcome(rule, "case n verdict", "up 1 pass", "up 2 _", "down 2 INVALID", "down 1 _", "one 1 n/a")
        == []
    )
    mixed = "error if n > 5\nfor each r then s in runs: warn if r.n > s.n"
    assert (
        outcome(mixed, "case n verdict", "both 7 INVALID,warning", "both 1 _", "later 1 INVALID", "later 7 _")
        == []
    )


def test_facts_of_the_workload_beside_its_leaves() -> None:
    rule = "error if spare > 3 and any(r.n > 1 for r in runs)"
    assert (
        outcome(rule, "case spare n verdict", "a 4 1 INVALID", "a 4 2 _", "b 3 2 pass", "c ? 2 undetermined")
        == []
    )


def test_the_edition_column() -> None:
    rule = 'since "2": error if flag\nuntil "1": warn if flag'
    columns = "edition flag verdict"
    assert outcome(rule, columns, "1 yes warning", "2 yes INVALID", "3 yes INVALID", "1 no pass") == []
    assert outcome(rule, "flag verdict", "yes INVALID") == [], (
        "without the column it is the document's own, 2"
    )
    assert outcome('since "3": error if flag', columns, "2 yes n/a", "3 yes INVALID", "_ yes n/a") == []


def test_a_derived_fact_follows_from_the_columns_or_is_one() -> None:
    define = "big on leaf = n > 5"
    rule = "error if big and flag"
    assert outcome(rule, "n flag verdict", "6 yes INVALID", "5 yes pass", define=define) == []
    assert outcome(rule, "big n flag verdict", "yes 1 yes INVALID", "no 9 yes pass", define=define) == []
    assert outcome(rule, "big n flag verdict", "? 9 yes undetermined", define=define) == [], (
        "an overridden fact that is not recorded"
    )


def test_a_define_on_a_define() -> None:
    define = "huge on leaf = big and m > 5\nbig on leaf = n > 5"
    assert outcome("error if huge", "n m verdict", "6 6 INVALID", "5 6 pass", define=define) == []
    assert outcome("error if huge", "big m verdict", "yes 6 INVALID", define=define) == []


def test_every_fence_of_cases_is_run() -> None:
    one, two = table("flag verdict", "yes INVALID"), table("flag verdict", "no INVALID")
    found = compiled(clause("error if flag", cases=one), fence("cases", two))
    assert [d.message for d in examined(found)] == ["clause 1.1.1 gives pass here, its case says INVALID"]


def test_every_row_that_differs_is_told() -> None:
    assert len(outcome("error if flag", "flag verdict", "no INVALID", "yes pass", "yes INVALID")) == 2
