"""Kleene's laws and exact arithmetic, in the interpreter and in the runtime of generated code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.runtime import judge
from engine.runtime.values import Facts, Other, Unknown, Value
from rules_dsl.compile import Compiled
from rules_dsl.evaluate.interpreter import Interpreter
from rules_dsl.ir import Node
from tests.rules_dsl.evaluators import absent, compiled_rule, deferred, result

NOBODY = Unknown(frozenset())

TRUTHS: tuple[Value, ...] = (True, False, absent("p"), deferred("q"), NOBODY)
truths = st.sampled_from(TRUTHS)


@cache
def node(condition: str) -> tuple[Compiled, Node]:
    found, _ = compiled_rule(f"error if {condition}")
    return found, found.program.clauses[0].statements[0].condition


def interpreted(condition: str, *values: Value) -> Value:
    """The interpreter's value of a condition over flag, other and third."""
    found, tree = node(condition)
    return Interpreter(found.program, dict(zip(("flag", "other", "third"), values, strict=False))).value(
        tree, {}
    )


def same(left: Value, right: Value) -> bool:
    return (isinstance(left, Unknown) and isinstance(right, Unknown)) or left is right


Logic = tuple[Callable[..., Value], Callable[..., Value], Callable[[Value], Value]]
RUNTIME: Logic = (judge.both, judge.either, judge.negate)
ORACLE: Logic = (
    lambda a, b: interpreted("flag and other", a, b),
    lambda a, b: interpreted("flag or other", a, b),
    lambda a: interpreted("not flag", a),
)


@pytest.mark.parametrize("logic", [RUNTIME, ORACLE], ids=["runtime", "interpreter"])
@given(a=truths, b=truths, c=truths)
@settings(max_examples=80, deadline=None, derandomize=True)
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
@settings(max_examples=80, deadline=None, derandomize=True)
def test_both_evaluators_and_a_run_of_operands(a: Value, b: Value, c: Value) -> None:
    for condition, told in {
        "flag and other and third": judge.both(a, b, c),
        "flag or other or third": judge.either(a, b, c),
        "not flag": judge.negate(a),
        "flag and (other or not third)": judge.both(a, judge.either(b, judge.negate(c))),
    }.items():
        assert interpreted(condition, a, b, c) == told


@given(a=truths, b=truths, more=st.sampled_from([True, False]))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_an_answer_survives_whatever_the_unknown_turns_out_to_be(a: Value, b: Value, more: bool) -> None:
    filled: Iterable[Value] = (more if isinstance(v, Unknown) else v for v in (a, b))
    x, y = filled
    for now, then in ((judge.both(a, b), judge.both(x, y)), (judge.either(a, b), judge.either(x, y))):
        assert isinstance(now, Unknown) or now is then


numbers = st.one_of(
    st.integers(-50, 50),
    st.fractions(-5, 5, max_denominator=12),
    st.sampled_from([absent("n"), True, "1", Other("x")]),
)


@given(a=numbers, b=numbers)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_arithmetic_is_exact_and_the_same_in_both(a: Value, b: Value) -> None:
    facts: Facts = {"n": a, "m": b}
    for condition in (
        "n + m > 1",
        "n - m > 1",
        "n * m > 1",
        "n / m > 1",
        "n mod m >= 1",
        "abs(n) > m",
        "ceil(n) > m",
        "floor(n) > m",
        "min(n, m) < n",
        "max(n, m) > n",
        "-n > m",
        "n == m",
        "n != m",
        "n <= m",
        "(n / m) * m == n",
    ):
        result(f"error if {condition}", facts)
    whole = (
        isinstance(a, (int, Fraction))
        and isinstance(b, (int, Fraction))
        and not isinstance(a, bool)
        and not isinstance(b, bool)
    )
    if whole and b != 0:
        assert result("error if (n / m) * m == n", facts) == "violation"
