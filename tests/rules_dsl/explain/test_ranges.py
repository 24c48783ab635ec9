"""Numbers in words: the shortest form that says which are meant."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rules_dsl.explain.ranges import line, shown_number, told

HELD: dict[tuple[bool, tuple[int, ...]], str] = {
    # of the line cut at 0 and 10: below, 0, between, 10, above
    (True, (0,)): "at most -1",
    (True, (0, 1)): "at most 0",
    (True, (1,)): "0",
    (True, (2,)): "1 to 9",
    (True, (1, 2, 3)): "0 to 10",
    (True, (0, 2, 4)): "not 0 or 10",
    (True, (1, 3)): "0, 10",
    (True, (0, 1, 2, 3, 4)): "any number",
    (True, (3, 4)): "at least 10",
    (False, (0,)): "less than 0",
    (False, (2,)): "more than 0 and less than 10",
    (False, (1, 2)): "0 or more and less than 10",
    (False, (2, 3)): "more than 0 and at most 10",
    (False, (4,)): "more than 10",
    (False, (0, 1, 3, 4)): "at most 0, at least 10",
}


@pytest.mark.parametrize(("whole", "held"), HELD)
def test_ranges(whole: bool, held: tuple[int, ...]) -> None:
    every = line({Fraction(0), Fraction(10)}, whole=whole)
    assert told(every, [every[n] for n in held], "") == HELD[whole, held]


def test_neighbours_have_nothing_between_them() -> None:
    every = line({Fraction(8), Fraction(9)}, whole=True)
    assert told(every, every[1:3], "") == "8 to 9"
    assert len(every) == 4


def test_a_unit_stands_behind() -> None:
    every = line({Fraction(3)}, whole=False)
    assert told(every, [every[0], every[2]], " GiB") == "not 3 GiB"


def test_every_range_holds_the_number_it_names() -> None:
    for whole in (True, False):
        inside = [Fraction(r.inside) for r in line({Fraction(-2), Fraction(3), Fraction(4)}, whole=whole)]
        assert inside == sorted(set(inside))


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(1, 2), "0.5"), (Fraction(-5, 4), "-1.25"), (Fraction(1, 3), "1/3"), (Fraction(1000), "1000")],
)
def test_a_number_is_shown_exactly(value: Fraction, text: str) -> None:
    assert shown_number(value) == text
