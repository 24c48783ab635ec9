"""What each form gives when something is unknown: the interpreter and the runtime, row by row.

A statement is compiled, interpreted, and its emitted validator run; both must give the same
result, and it must be the one that the language's definition names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import runtime
from engine.values import Facts, Kind, Listing, Other, Unknown, Value
from rules_dsl.compile import Compiled
from rules_dsl.emit import emit_module
from rules_dsl.interpret import Interpreter, interpret_clause
from rules_dsl.ir import Node
from tests.rules_dsl.documents import clause, sound

LAUNCHED = "error if n > 1000000"  # keeps the gate from being empty; judged by itself


def absent(name: str = "flag") -> Unknown:
    return Unknown.of(name, Kind.ABSENT)


def unreadable(name: str = "flag") -> Unknown:
    return Unknown.of(name, Kind.UNREADABLE)


def deferred(name: str = "flag") -> Unknown:
    return Unknown.of(name, Kind.DEFERRED)


UNKNOWNS = (absent(), unreadable(), deferred())
NOBODY = Unknown(frozenset())


@cache
def compiled_rule(rule: str) -> tuple[Compiled, Mapping[str, Any]]:
    """A clause around the rule, and the names of its emitted validator."""
    found = sound(clause(rule))
    names: dict[str, Any] = {}
    exec(compile(emit_module(found.program, "validator", "Doc.md"), "validator.py", "exec"), names)
    return found, names


def results(rule: str, facts: Facts, scope: str = "leaf") -> list[str]:
    """What both evaluators say of the rule's first statement, which must be the same."""
    found, names = compiled_rule(rule)
    told = interpret_clause(found.program, found.program.clauses[0], {scope: facts})[1]
    derive = names["RULESET"].derive.get(scope, lambda f: f)
    outcomes = [o.result for o in names["RULESET"].clauses[0].judges[scope](derive(facts)) if o.statement.number == 1]
    assert outcomes == told
    return told


def result(rule: str, facts: Facts) -> str:
    (found,) = results(rule, facts)
    return found


# --- the table, a test a row -------------------------------------------------------------


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
        "n == 1", "n != 1", "n < 1", "n <= 1", "n > 1", "n >= 1", "n + 1 > 1", "n - 1 > 1", "n * 2 > 1", "n / 2 > 1",
        "n mod 2 > 1", "-n > 1", "abs(n) > 1", "ceil(n) > 1", "floor(n) > 1", "min(n, 1) > 1", "max(n, 1) > 1",
        "n in {1, 2}", "n not in {1, 2}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("doubt", [absent("n"), unreadable("n"), deferred("n")], ids=["absent", "unreadable", "deferred"])
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
    assert result(rule, {"fruit": Other("kiwi")}) == "pass"
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
    [("Apple", "violation"), (Other("kiwi"), "violation"), (absent("fruit"), "pass"), (unreadable("fruit"), "undetermined"), (deferred("fruit"), "deferred")],
)
def test_is_recorded(value: Value, wanted: str) -> None:
    assert result("error if fruit is recorded", {"fruit": value}) == wanted
    opposite = {"violation": "pass", "pass": "violation"}
    assert result("error if fruit is not recorded", {"fruit": value}) == opposite.get(wanted, wanted)


def test_a_fact_without_any_entry_is_not_recorded() -> None:
    assert result("error if fruit is not recorded", {}) == "violation"


@pytest.mark.parametrize(
    ("value", "wanted"),
    [("Apple", "violation"), (Other("kiwi"), "pass"), (absent("fruit"), "undetermined"), (unreadable("fruit"), "undetermined"), (deferred("fruit"), "deferred")],
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
    [(5, "violation"), (0, "pass"), (absent("n"), "violation"), (unreadable("n"), "undetermined"), (deferred("n"), "deferred")],
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


OTHER_FOLDS = ("count(x in items where x.good) > 0", "sum(x.size_of for x in items where x.good) > 0", "mean(x.size_of for x in items where x.good) > 0",
               "least(x.size_of for x in items where x.good) > 0", "greatest(x.size_of for x in items where x.good) > 0", "distinct(x.size_of for x in items where x.good) > 0")  # fmt: skip


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
        assert result(rule, {"items": Listing((GOOD, unchosen))}) == "violation", "an element that is not chosen"


@pytest.mark.parametrize(
    ("fold", "wanted"),
    [("count(x in items)", "pass"), ("sum(x.size_of for x in items)", "pass"), ("distinct(x.size_of for x in items)", "pass"),
     ("mean(x.size_of for x in items)", "undetermined"), ("least(x.size_of for x in items)", "undetermined"), ("greatest(x.size_of for x in items)", "undetermined"), ("size(items)", "pass")],
)  # fmt: skip
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
@settings(max_examples=60, deadline=None)
def test_distinct_tells_yes_from_one(values: list[Value]) -> None:
    wanted = len({(type(v) is bool, v) for v in values})
    told = runtime.fold("distinct", Listing(tuple({"v": v} for v in values)), lambda item: item["v"])
    assert told == wanted


# --- guards and loops --------------------------------------------------------------------


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
    assert results(chosen, {"items": Listing((GOOD, BAD, DARK))}) == ["not applicable", "pass", "undetermined"]
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
    assert results(chosen, {"items": Listing((GOOD, BAD, last))}) == ["violation"], "neighbours among those chosen"
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


def test_other_is_no_member_and_equals_only_itself() -> None:
    assert result('error if fruit == "Apple"', {"fruit": Other("Apple")}) == "pass"
    assert result('error if fruit != "Apple"', {"fruit": Other("kiwi")}) == "violation"
    assert result('error if fruit matches "ki.*"', {"fruit": Other("kiwi")}) == "violation"


@pytest.mark.parametrize("name", ["TABLES", "FACTS", "Fraction", "facts", "read", "known", "lambda", "None", "frozenset", "judge", "S_1_1_1_1"])
def test_a_loop_may_have_any_name(name: str) -> None:
    rule = f"error if any({name}.size_of > limits.low.bound + 0.5 for {name} in items where {name}.size_of in {{2, 3}})"
    assert result(rule, {"items": Listing((GOOD,))}) == "pass"
    assert result(rule, {"items": Listing((BAD,))}) == "violation"


def test_names_of_nested_loops_stay_apart() -> None:
    facts: Facts = {"items": Listing((GOOD, BAD))}
    for outer, inner in (("read", "read_"), ("read_", "read"), ("x", "y")):
        rule = f"error if any(any({inner}.size_of > {outer}.size_of for {inner} in items) for {outer} in items)"
        assert result(rule, facts) == "violation", (outer, inner)


def test_a_nested_loop_may_hide_the_outer_name() -> None:
    rule = "error if any(any(x.good for x in items) and x.size_of == 2 for x in items)"
    assert result(rule, {"items": Listing((GOOD, BAD))}) == "violation"


# --- Kleene's laws, in both --------------------------------------------------------------

TRUTHS: tuple[Value, ...] = (True, False, absent("p"), deferred("q"), NOBODY)
truths = st.sampled_from(TRUTHS)


@cache
def node(condition: str) -> tuple[Compiled, Node]:
    found, _ = compiled_rule(f"error if {condition}")
    return found, found.program.clauses[0].statements[0].condition


def interpreted(condition: str, *values: Value) -> Value:
    """The interpreter's value of a condition over flag, other and third."""
    found, tree = node(condition)
    return Interpreter(found.program, dict(zip(("flag", "other", "third"), values, strict=False))).value(tree, {})


def same(left: Value, right: Value) -> bool:
    return (isinstance(left, Unknown) and isinstance(right, Unknown)) or left is right


Logic = tuple[Callable[..., Value], Callable[..., Value], Callable[[Value], Value]]
RUNTIME: Logic = (runtime.both, runtime.either, runtime.negate)
ORACLE: Logic = (
    lambda a, b: interpreted("flag and other", a, b),
    lambda a, b: interpreted("flag or other", a, b),
    lambda a: interpreted("not flag", a),
)


@pytest.mark.parametrize("logic", [RUNTIME, ORACLE], ids=["runtime", "interpreter"])
@given(a=truths, b=truths, c=truths)
@settings(max_examples=80, deadline=None)
def test_kleenes_laws(logic: Logic, a: Value, b: Value, c: Value) -> None:
    both, either, negate = logic
    assert same(both(a, b), both(b, a))
    assert same(either(a, b), either(b, a))
    assert same(both(a, both(b, c)), both(both(a, b), c))
    assert same(either(a, either(b, c)), either(either(a, b), c))
    assert same(negate(negate(a)), a)
    assert same(negate(both(a, b)), either(negate(a), negate(b)))
    assert same(negate(either(a, b)), both(negate(a), negate(b)))
    assert same(both(a, either(b, c)), either(both(a, b), both(a, c)))
    assert same(both(a, either(a, b)), a)
    assert same(both(a, True), a)
    assert same(either(a, False), a)
    assert same(both(a, False), False)
    assert same(either(a, True), True)


@given(a=truths, b=truths, c=truths)
@settings(max_examples=80, deadline=None)
def test_both_evaluators_and_a_run_of_operands(a: Value, b: Value, c: Value) -> None:
    for condition, told in {
        "flag and other and third": runtime.both(a, b, c),
        "flag or other or third": runtime.either(a, b, c),
        "not flag": runtime.negate(a),
        "flag and (other or not third)": runtime.both(a, runtime.either(b, runtime.negate(c))),
    }.items():
        assert interpreted(condition, a, b, c) == told


@given(a=truths, b=truths, more=st.sampled_from([True, False]))
@settings(max_examples=60, deadline=None)
def test_an_answer_survives_whatever_the_unknown_turns_out_to_be(a: Value, b: Value, more: bool) -> None:
    filled: Iterable[Value] = (more if isinstance(v, Unknown) else v for v in (a, b))
    x, y = filled
    for now, then in ((runtime.both(a, b), runtime.both(x, y)), (runtime.either(a, b), runtime.either(x, y))):
        assert isinstance(now, Unknown) or now is then


numbers = st.one_of(st.integers(-50, 50), st.fractions(-5, 5, max_denominator=12), st.sampled_from([absent("n"), True, "1", Other("x")]))


@given(a=numbers, b=numbers)
@settings(max_examples=150, deadline=None)
def test_arithmetic_is_exact_and_the_same_in_both(a: Value, b: Value) -> None:
    facts: Facts = {"n": a, "m": b}
    for condition in ("n + m > 1", "n - m > 1", "n * m > 1", "n / m > 1", "n mod m >= 1", "abs(n) > m", "ceil(n) > m", "floor(n) > m",
                      "min(n, m) < n", "max(n, m) > n", "-n > m", "n == m", "n != m", "n <= m", "(n / m) * m == n"):  # fmt: skip
        result(f"error if {condition}", facts)
    whole = isinstance(a, (int, Fraction)) and isinstance(b, (int, Fraction)) and not isinstance(a, bool) and not isinstance(b, bool)
    if whole and b != 0:
        assert result("error if (n / m) * m == n", facts) == "violation"
