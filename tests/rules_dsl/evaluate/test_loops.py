"""Guards and loops: what is not applicable, and what names a loop may have."""

from __future__ import annotations

import pytest

from engine.runtime.values import Facts, Listing, Other
from tests.rules_dsl.evaluators import absent, deferred, result, results

GOOD: Facts = {"good": True, "size_of": 1}
BAD: Facts = {"good": False, "size_of": 2}
DARK: Facts = {"good": absent("good"), "size_of": 3}
MORE = deferred("items")


def test_a_guard() -> None:
    rule = "when flag: error if other"
    assert result(rule, {"flag": False, "other": True}) == "not applicable"
    assert result(rule, {"flag": False}) == "not applicable"
    assert result(rule, {"flag": True, "other": True}) == "violation"
    assert result(rule, {"other": True}) == "undetermined"
    assert result(rule, {"other": False}) == "undetermined"
    assert result(rule, {"flag": deferred(), "other": True}) == "deferred"
    two = "when flag: when other: error if third"
    assert result(two, {"flag": absent(), "other": False, "third": True}) == "not applicable"


def test_for_each() -> None:
    rule = "for each x in items: error if x.good"
    assert results(rule, {"items": Listing(())}) == ["not applicable"]
    assert results(rule, {"items": Listing((GOOD, BAD, DARK))}) == ["violation", "pass", "undetermined"]
    assert results(rule, {"items": Listing((BAD,), MORE)}) == ["pass", "deferred"]
    assert results(rule, {}) == ["undetermined"]
    chosen = "for each x in items where x.size_of > 1: error if x.good"
    assert results(chosen, {"items": Listing((GOOD, BAD, DARK))}) == [
        "not applicable",
        "pass",
        "undetermined",
    ]
    assert results(chosen, {"items": Listing(({"good": True},))}) == ["undetermined"]
    assert results(chosen, {"items": Listing(({"good": False},))}) == ["undetermined"]


def test_for_each_reads_the_subject_beside_the_element() -> None:
    rule = "for each x in items: when flag: error if x.size_of > n"
    assert results(rule, {"flag": True, "n": 1, "items": Listing((GOOD, BAD))}) == ["pass", "violation"]
    assert results(rule, {"flag": False, "n": 1, "items": Listing((GOOD, BAD))}) == ["not applicable"] * 2


def test_for_each_with_the_next() -> None:
    rule = "for each x then y in items: error if x.size_of > y.size_of"
    assert results(rule, {"items": Listing(())}) == ["not applicable"]
    assert results(rule, {"items": Listing((GOOD,))}) == ["not applicable"]
    assert results(rule, {"items": Listing((GOOD, BAD, GOOD))}) == ["pass", "violation"]
    chosen = "for each x then y in items where x.good: error if x.size_of > y.size_of"
    last: Facts = {"good": True, "size_of": 0}
    assert results(chosen, {"items": Listing((GOOD, BAD, last))}) == ["violation"], (
        "neighbours among those chosen"
    )
    assert results(chosen, {"items": Listing((GOOD, DARK, last))}) == ["undetermined"]
    assert results(chosen, {"items": Listing((GOOD, last), MORE)}) == ["deferred"]


def test_for_each_over_runs_reads_derived_facts() -> None:
    rule = "for each r in runs: error if r.n > 1"
    assert results(rule, {"runs": Listing(({"n": 2}, {"n": 1}))}, "workload") == ["violation", "pass"]


def test_a_doubt_is_deferred_only_when_every_cause_is() -> None:
    rule = "error if n + m > 1"
    assert result(rule, {"n": deferred("n"), "m": deferred("m")}) == "deferred"
    assert result(rule, {"n": deferred("n"), "m": absent("m")}) == "undetermined"
    assert result("error if flag and other", {"flag": deferred(), "other": absent("other")}) == "undetermined"


@pytest.mark.parametrize(
    "rule",
    [
        'error if fruit == "Apple"',
        'error if fruit != "Apple"',
        'error if fruit in {"Apple"}',
        'error if fruit not in {"Apple"}',
        "error if fruit not in crop",
        'error if fruit matches "ki.*"',
        'error if fruit starts with "ki"',
        "error if crop[fruit].weight is valid",
        'when fruit == "Apple": error if flag',
        'when fruit != "Apple": error if flag',
        "error if (fruit otherwise fruit) == fruit",
    ],
)
def test_what_a_word_that_is_no_member_means_is_unknown(rule: str) -> None:
    assert result(rule, {"fruit": Other("kiwi", "fruit"), "flag": True}) == "undetermined"
    assert result(rule, {"fruit": Other("Apple", "fruit"), "flag": True}) == "undetermined"


def test_a_word_that_is_no_member_does_not_decide_what_the_rest_settles() -> None:
    assert (
        result('error if fruit == "Apple" and flag', {"fruit": Other("kiwi", "fruit"), "flag": False})
        == "pass"
    )
    assert (
        result('error if fruit == "Apple" or flag', {"fruit": Other("kiwi", "fruit"), "flag": True})
        == "violation"
    )


@pytest.mark.parametrize(
    "name",
    [
        "TABLES",
        "FACTS",
        "Fraction",
        "facts",
        "read",
        "known",
        "lambda",
        "None",
        "frozenset",
        "judge",
        "S_1_1_1_1",
    ],
)
def test_a_loop_may_have_any_name(name: str) -> None:
    above = f"{name}.size_of > limits.low.bound + 0.5"
    rule = f"error if any({above} for {name} in items where {name}.size_of in {{2, 3}})"
    assert result(rule, {"items": Listing((GOOD,))}) == "pass"
    assert result(rule, {"items": Listing((BAD,))}) == "violation"


def test_names_of_nested_loops_stay_apart() -> None:
    facts: Facts = {"items": Listing((GOOD, BAD))}
    for outer, inner in (("read", "read_"), ("read_", "read"), ("x", "y")):
        rule = (
            f"error if any(any({inner}.size_of > {outer}.size_of for {inner} in items) for {outer} in items)"
        )
        assert result(rule, facts) == "violation", (outer, inner)


def test_a_nested_loop_may_hide_the_outer_name() -> None:
    rule = "error if any(any(x.good for x in items) and x.size_of == 2 for x in items)"
    assert result(rule, {"items": Listing((GOOD, BAD))}) == "violation"
