"""Boundary examples: each pair differs in one value, by one step, and has two verdicts."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from fractions import Fraction

import pytest

from rules_dsl.compile import Compiled, compile_text, read_text
from rules_dsl.diagnostics import Collector
from rules_dsl.explain.bounds import Bound, bounds
from rules_dsl.verify.cases import judged, read_cases
from tests.command import ROOT
from tests.rules_dsl.documents import clause, sound

RULES = compile_text(read_text(ROOT / "Rules.md"), "Rules.md")
DECIDABLE = [c.rule for c in RULES.program.clauses if c.kind == "decidable"]


def bounds_of(compiled: Compiled, rule: str) -> dict[str, Bound]:
    chosen = next(c for c in compiled.program.clauses if c.rule == rule)
    cases = list(read_cases(compiled.page, compiled.vocabulary, compiled.program, chosen, Collector()))
    return {b.fact: b for b in bounds(compiled.program, chosen, cases)}


def sides(bound: Bound) -> list[tuple[object, str]]:
    return [(s.value, s.verdict) for s in bound.sides]


def found(rule: str, cases: str) -> dict[str, Bound]:
    return bounds_of(sound(clause(rule, cases=cases)), "1.1.1")


@pytest.mark.parametrize("rule", DECIDABLE)
def test_each_side_is_what_the_clause_says_of_that_run(rule: str) -> None:
    chosen = next(c for c in RULES.program.clauses if c.rule == rule)
    for bound in bounds_of(RULES, rule).values():
        assert len({s.verdict for s in bound.sides}) > 1
        row = bound.case.rows[bound.row]
        for side in bound.sides:
            moved = replace(row, values={**row.values, bound.column: side.value})
            rows = (*bound.case.rows[: bound.row], moved, *bound.case.rows[bound.row + 1 :])
            verdict = judged(RULES.program, chosen, replace(bound.case, rows=rows))
            assert side.verdict == ", ".join(sorted(verdict))


def test_a_limit_is_shown_from_both_sides() -> None:
    cases = "| n | verdict |\n|--|--|\n| 8 | pass |"
    assert sides(found("error if n != 8", cases)["n"]) == [(7, "INVALID"), (8, "pass"), (9, "INVALID")]


def test_a_limit_that_is_far_from_the_case_is_found() -> None:
    cases = "| n | verdict |\n|--|--|\n| 3 | pass |"
    assert sides(found("error if n > 700", cases)["n"]) == [(700, "pass"), (701, "INVALID")]


def test_a_limit_that_another_fact_sets_is_found() -> None:
    cases = "| n | m | verdict |\n|--|--|--|\n| 3 | 20 | pass |"
    assert sides(found("error if n * n > m", cases)["n"]) == [(4, "pass"), (5, "INVALID")]


def test_a_size_moves_by_a_tenth() -> None:
    cases = "| heap | verdict |\n|--|--|\n| 3 GiB | pass |"
    assert sides(found("error if heap > 3 GiB", cases)["heap"]) == [
        (3, "pass"),
        (Fraction(31, 10), "INVALID"),
    ]


def test_a_pass_is_shown_rather_than_one_side_of_it() -> None:
    cases = "| n | verdict |\n|--|--|\n| 20 | INVALID |\n| 8 | pass |"
    assert len(found("error if n != 8", cases)["n"].sides) == 3


def test_members_and_flags_are_moved_too() -> None:
    cases = "| flag | fruit | verdict |\n|--|--|--|\n| yes | Apple | pass |"
    told = found('error if flag and fruit != "Apple"', cases)
    assert sides(told["fruit"]) == [("Apple", "pass"), ("Pear", "INVALID"), ("Fig", "INVALID")]
    assert "flag" not in told
    assert told["fruit"].rest == (("flag", True),)


def test_what_makes_no_difference_has_no_bound() -> None:
    cases = "| n | flag | verdict |\n|--|--|--|\n| 3 | no | pass |"
    assert found("error if flag and n > 8", cases) == {}


def test_without_cases_there_is_nothing_to_start_from() -> None:
    assert bounds_of(sound(clause("error if n > 8")), "1.1.1") == {}


def test_the_thirty_seconds_of_the_rules() -> None:
    told = bounds_of(RULES, "4.7.1")["invocation_start of run 2"]
    late = [s.value for s in told.sides if s.verdict == "INVALID"]
    fine = [s.value for s in told.sides if s.verdict == "pass"]
    ended = told.case.rows[0].values["invocation_end"]
    assert isinstance(ended, datetime)
    gaps = [(v - ended).total_seconds() for v in [*fine, *late] if isinstance(v, datetime)]
    assert sorted(gaps)[-2:] == [30.0, 30.1]
