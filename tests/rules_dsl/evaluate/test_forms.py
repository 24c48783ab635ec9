"""What each form gives when something is unknown, a row of the language's definition at a time.

A statement is compiled, interpreted, and its emitted validator run; both must give the same
result, and it must be the one that the definition names.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.runtime import judge
from engine.runtime.values import Facts, Kind, Listing, Other, Unknown, Value
from tests.rules_dsl.evaluators import UNKNOWNS, absent, deferred, result, unreadable


@pytest.mark.parametrize("doubt", UNKNOWNS)
def test_and_or_not_are_kleenes(doubt: Unknown) -> None:
    facts: Callable[[Value, Value], Facts] = lambda flag, other: {"flag": flag, "other": other}  # noqa: E731
    assert result("error if flag and other", facts(doubt, False)) == "pass"
    assert result("error if flag and other", facts(False, doubt)) == "pass"
    assert result("error if flag and other", facts(doubt, True)) != "violation"
    assert result("error if flag or other", facts(doubt, True)) == "violation"
    assert result("error if flag or other", facts(True, doubt)) == "violation"
    assert result("error if flag or other", facts(doubt, False)) != "pass"
    assert result("error if not flag", facts(doubt, False)) == result("error if flag", facts(doubt, False))


@pytest.mark.parametrize(
    "condition",
    [
        "n == 1",
        "n != 1",
        "n < 1",
        "n <= 1",
        "n > 1",
        "n >= 1",
        "n + 1 > 1",
        "n - 1 > 1",
        "n * 2 > 1",
        "n / 2 > 1",
        "n mod 2 > 1",
        "-n > 1",
        "abs(n) > 1",
        "ceil(n) > 1",
        "floor(n) > 1",
        "min(n, 1) > 1",
        "max(n, 1) > 1",
        "n in {1, 2}",
        "n not in {1, 2}",
    ],
)
@pytest.mark.parametrize(
    "doubt", [absent("n"), unreadable("n"), deferred("n")], ids=["absent", "unreadable", "deferred"]
)
def test_comparison_and_arithmetic_of_an_unknown_are_unknown(condition: str, doubt: Unknown) -> None:
    wanted = "deferred" if doubt.only(Kind.DEFERRED) else "undetermined"
    assert result(f"error if {condition}", {"n": doubt}) == wanted
    assert result(f"error if not ({condition})", {"n": doubt}) == wanted


def test_patterns_of_an_unknown_are_unknown() -> None:
    for condition in ('title matches "a"', 'title starts with "a"'):
        assert result(f"error if {condition}", {}) == "undetermined"


@pytest.mark.parametrize("condition", ["m / n > 1", "m mod n == 0", "m / (n - n) == 1"])
def test_division_by_zero_is_unknown(condition: str) -> None:
    assert result(f"error if {condition}", {"m": 4, "n": 0}) == "undetermined"
    assert result(f"error if not ({condition})", {"m": 4, "n": 0}) == "undetermined"


@pytest.mark.parametrize("condition", ["m / n is recorded", "m / n is not recorded"])
def test_a_division_by_zero_is_neither_recorded_nor_not(condition: str) -> None:
    assert result(f"error if {condition}", {"m": 4, "n": 0}) == "undetermined"


def test_look_up_of_an_unknown_or_foreign_key_is_unknown() -> None:
    rule = "error if crop[fruit].weight > 4 GiB"
    assert result(rule, {"fruit": "Pear"}) == "violation"
    assert result(rule, {"fruit": "Apple"}) == "pass"
    assert result(rule, {}) == "undetermined"
    assert result(rule, {"fruit": deferred("fruit")}) == "deferred"
    assert result(rule, {"fruit": Other("kiwi")}) == "undetermined"
    assert result(rule, {"fruit": "Fig"}) == "undetermined", "an Invalid cell has no order"


def test_membership() -> None:
    rule = 'error if fruit in {"Apple", "Pear"}'
    assert result(rule, {"fruit": "Apple"}) == "violation"
    assert result(rule, {"fruit": "Fig"}) == "pass"
    assert result(rule, {"fruit": Other("kiwi", "fruit")}) == "undetermined", "it may mean either"
    assert result(rule, {}) == "undetermined"
    assert result("error if fruit in crop", {"fruit": "Fig"}) == "violation"
    assert result('error if loose in crop["Pear"].seasons', {"loose": "b"}) == "violation"
    assert result('error if loose not in crop["Pear"].seasons', {"loose": "a"}) == "violation"


def test_membership_is_equality_with_one_of_them() -> None:
    for recorded in (True, False, 1, 0, "1", Fraction(1), Other("1")):
        one_by_one = result("error if loose == 1 or loose == 0", {"loose": recorded})
        assert result("error if loose in {1, 0}", {"loose": recorded}) == one_by_one, recorded


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("Apple", "violation"),
        (Other("kiwi"), "violation"),
        (absent("fruit"), "pass"),
        (unreadable("fruit"), "undetermined"),
        (deferred("fruit"), "deferred"),
    ],
)
def test_is_recorded(value: Value, wanted: str) -> None:
    assert result("error if fruit is recorded", {"fruit": value}) == wanted
    opposite = {"violation": "pass", "pass": "violation"}
    assert result("error if fruit is not recorded", {"fruit": value}) == opposite.get(wanted, wanted)


def test_a_fact_without_any_entry_is_not_recorded() -> None:
    assert result("error if fruit is not recorded", {}) == "violation"


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("Apple", "violation"),
        (Other("kiwi"), "pass"),
        (absent("fruit"), "undetermined"),
        (unreadable("fruit"), "undetermined"),
        (deferred("fruit"), "deferred"),
    ],
)
def test_is_listed(value: Value, wanted: str) -> None:
    assert result("error if fruit is listed", {"fruit": value}) == wanted
    opposite = {"violation": "pass", "pass": "violation"}
    assert result("error if fruit is not listed", {"fruit": value}) == opposite.get(wanted, wanted)


def test_is_valid() -> None:
    rule = "error if crop[fruit].weight is valid"
    assert result(rule, {"fruit": "Pear"}) == "violation"
    assert result(rule, {"fruit": "Fig"}) == "pass"
    assert result(rule, {}) == "undetermined"


@pytest.mark.parametrize(
    ("first", "wanted"),
    [
        (5, "violation"),
        (0, "pass"),
        (absent("n"), "violation"),
        (unreadable("n"), "undetermined"),
        (deferred("n"), "deferred"),
    ],
)
def test_otherwise_takes_the_second_only_when_the_first_is_absent(first: Value, wanted: str) -> None:
    assert result("error if (n otherwise m) > 1", {"n": first, "m": 9}) == wanted


def test_otherwise_of_a_value_that_nothing_records() -> None:
    assert result("error if (m / n otherwise 9) > 1", {"m": 1, "n": 0}) == "undetermined"
    assert result("error if (m / n otherwise 9) > 1", {"m": 1}) == "violation"
    assert result("error if (m / n otherwise 9) > 1", {"m": 1, "n": deferred("n")}) == "deferred"
    assert result("error if (n otherwise m otherwise 9) > 1", {}) == "violation"
    assert result("error if (n otherwise m) > 1", {}) == "undetermined"


GOOD: Facts = {"good": True, "size_of": 1}
BAD: Facts = {"good": False, "size_of": 2}
DARK: Facts = {"good": absent("good"), "size_of": 3}
MORE = deferred("items")


@pytest.mark.parametrize(
    ("items", "some", "every"),
    [
        ((), "pass", "violation"),
        ((GOOD,), "violation", "violation"),
        ((BAD,), "pass", "pass"),
        ((DARK,), "undetermined", "undetermined"),
        ((GOOD, BAD), "violation", "pass"),
        ((GOOD, DARK), "violation", "undetermined"),
        ((BAD, DARK), "undetermined", "pass"),
        ((DARK, GOOD), "violation", "undetermined"),
    ],
)
def test_any_and_all(items: tuple[Facts, ...], some: str, every: str) -> None:
    facts: Facts = {"items": Listing(items)}
    assert result("error if any(x.good for x in items)", facts) == some
    assert result("error if all(x.good for x in items)", facts) == every


@pytest.mark.parametrize(
    ("items", "some", "every"),
    [((), "deferred", "deferred"), ((GOOD,), "violation", "deferred"), ((BAD,), "deferred", "pass")],
)
def test_any_and_all_of_a_listing_that_may_go_on(items: tuple[Facts, ...], some: str, every: str) -> None:
    facts: Facts = {"items": Listing(items, MORE)}
    assert result("error if any(x.good for x in items)", facts) == some
    assert result("error if all(x.good for x in items)", facts) == every


def test_any_with_a_where_that_is_unknown() -> None:
    dark: Facts = {"good": True, "size_of": absent("size_of")}
    harmless: Facts = {"good": False, "size_of": absent("size_of")}
    some = "error if any(x.good for x in items where x.size_of > 0)"
    every = "error if all(x.good for x in items where x.size_of > 0)"
    assert result(some, {"items": Listing((dark,))}) == "undetermined"
    assert result(some, {"items": Listing((harmless,))}) == "pass"
    assert result(every, {"items": Listing((dark,))}) == "violation"
    assert result(every, {"items": Listing((harmless,))}) == "undetermined"
    assert result(some, {"items": Listing((dark, GOOD))}) == "violation"


OTHER_FOLDS = (
    "count(x in items where x.good) > 0",
    "sum(x.size_of for x in items where x.good) > 0",
    "mean(x.size_of for x in items where x.good) > 0",
    "least(x.size_of for x in items where x.good) > 0",
    "greatest(x.size_of for x in items where x.good) > 0",
    "distinct(x.size_of for x in items where x.good) > 0",
)


@pytest.mark.parametrize("condition", OTHER_FOLDS)
def test_other_folds_are_unknown_when_anything_is(condition: str) -> None:
    rule = f"error if {condition}"
    assert result(rule, {"items": Listing((GOOD, BAD))}) == "violation"
    assert result(rule, {"items": Listing((GOOD, DARK))}) == "undetermined", "a `where` is unknown"
    assert result(rule, {"items": Listing((GOOD,), MORE)}) == "deferred", "the listing may go on"
    assert result(rule, {}) == "undetermined", "no listing"
    assert result(rule, {"items": unreadable("items")}) == "undetermined"
    if not condition.startswith("count"):
        blind: Facts = {"good": True}
        assert result(rule, {"items": Listing((GOOD, blind))}) == "undetermined", "an element is unknown"
        unchosen: Facts = {"good": False}
        assert result(rule, {"items": Listing((GOOD, unchosen))}) == "violation", (
            "an element that is not chosen"
        )


@pytest.mark.parametrize(
    ("fold", "wanted"),
    [
        ("count(x in items)", "pass"),
        ("sum(x.size_of for x in items)", "pass"),
        ("distinct(x.size_of for x in items)", "pass"),
        ("mean(x.size_of for x in items)", "undetermined"),
        ("least(x.size_of for x in items)", "undetermined"),
        ("greatest(x.size_of for x in items)", "undetermined"),
        ("size(items)", "pass"),
    ],
)
def test_folds_of_nothing(fold: str, wanted: str) -> None:
    assert result(f"error if {fold} != 0", {"items": Listing(())}) == wanted


def test_folds_give_the_right_number() -> None:
    facts: Facts = {"items": Listing(({"size_of": 1}, {"size_of": 2}, {"size_of": 2}))}
    for fold, value in {"sum": "5", "least": "1", "greatest": "2", "distinct": "2"}.items():
        assert result(f"error if {fold}(x.size_of for x in items) == {value}", facts) == "violation", fold
    assert result("error if 3 * mean(x.size_of for x in items) == 5", facts) == "violation"
    assert result("error if count(x in items where x.size_of == 2) == 2", facts) == "violation"
    assert result("error if size(items) == 3", facts) == "violation"


@given(st.lists(st.sampled_from([True, False, 0, 1, "1", "yes"]), max_size=4))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_distinct_tells_yes_from_one(values: list[Value]) -> None:
    wanted = len({(type(v) is bool, v) for v in values})
    told = judge.fold("distinct", Listing(tuple({"v": v} for v in values)), lambda item: item["v"])
    assert told == wanted
