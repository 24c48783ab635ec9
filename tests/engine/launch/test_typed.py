"""What is typed for an option, and the value that its fact gets."""

from __future__ import annotations

import contextlib
from datetime import datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.launch.parse_value import BadValue, scalar, value_of
from engine.runtime import host_lists
from engine.runtime.ruleset import FactSpec, Launch
from engine.runtime.values import Kind, Listing, Other, Unknown


def fact(kind: str, reader: str | None = None, **more: object) -> FactSpec:
    return FactSpec("it", kind, "leaf", "a fact", launch=Launch(option="--it", reader=reader), **more)  # type: ignore[arg-type]  # keywords are the dataclass's


MODEL = fact("enum", members={"8B": ("llama3-8b",), "1T": ("1250B",)})


@pytest.mark.parametrize(
    ("spec", "text", "value"),
    [
        (MODEL, "8b", "8B"),
        (MODEL, " Llama3-8B ", "8B"),
        (MODEL, "1250b", "1T"),
        (MODEL, "llama3-13b", Other("llama3-13b", "it")),
        (fact("integer"), "0064", 64),
        (fact("integer"), "8.0", 8),
        (fact("number"), "376.18", Fraction("376.18")),
        (fact("path"), "/ckpt//./a/", "/ckpt/a"),
        (fact("path"), "s3://bucket/a/", "s3://bucket/a"),
        (fact("path"), "  ", Unknown.of("it", Kind.ABSENT)),
        (fact("text"), "", Unknown.of("it", Kind.ABSENT)),
        (fact("time"), "2026-07-08 06:46:13", datetime(2026, 7, 8, 6, 46, 13)),
        (fact("any"), "True", True),
        (fact("any"), "10", 10),
        (fact("any"), "pytorch", "pytorch"),
        (fact("bool"), "yes", True),
    ],
)
def test_values(spec: FactSpec, text: str, value: object) -> None:
    assert scalar(spec, text) == value


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("integer", "8.5", "'8.5' is not a whole number"),
        ("integer", "-8", "-8 is negative"),
        ("integer", "eight", "'eight' is not a number"),
        ("integer", "", "'' is not a number"),
        ("integer", "9" * 5000, "is too long for a number"),
        ("number", "1e99", "1e99 is too large"),
        ("number", "nan", "'nan' is not a number"),
        ("number", "inf", "'inf' is not a number"),
        ("bool", "maybe", "'maybe' is neither yes nor no"),
        ("time", "noon", "'noon' is not a time"),
    ],
)
def test_what_is_no_value_is_refused_with_a_reason(kind: str, text: str, reason: str) -> None:
    with pytest.raises(BadValue) as refused:
        scalar(fact(kind), text)
    assert reason in str(refused.value)


@given(st.sampled_from(["integer", "number", "enum", "path", "text", "time", "any", "bool"]), st.text())
def test_any_text_is_a_value_or_refused(kind: str, text: str) -> None:
    with contextlib.suppress(BadValue):  # and nothing else
        scalar(fact(kind), text)


@pytest.mark.parametrize(
    ("texts", "count"),
    [(("a", "b"), 2), (("a,b",), 2), (("a:4,b:4", "a:2"), 2), (("a:x",), 1), (("a  b",), 2)],
)
def test_hosts_are_counted_by_name(texts: tuple[str, ...], count: int) -> None:
    assert value_of(fact("integer", "hosts"), texts) == count


@pytest.mark.parametrize(
    ("texts", "processes", "placed"),
    [
        (("a:4", "b:4"), 8, (4, 4)),
        (("a:4,b:4",), 9, None),
        (("a:4", "b"), 8, None),
        (("a", "b"), 8, None),
        (("a:4", "a:4"), 8, (8,)),
        (("a:4",), None, None),
    ],
)
def test_slots_count_only_when_they_fix_every_process(
    texts: tuple[str, ...], processes: int | None, placed: tuple[int, ...] | None
) -> None:
    value = value_of(fact("list", "slots"), texts, processes)
    if placed is None:
        assert value == Unknown.of("it", Kind.ABSENT)
    else:
        assert value == Listing(tuple({"count": count} for count in placed))


@given(st.integers(1, 64), st.integers(0, 2000), st.lists(st.sampled_from("abcdef"), unique=True))
def test_a_spread_places_every_process_evenly(count: int, processes: int, known: list[str]) -> None:
    placed = host_lists.placement(host_lists.spread(known, count, processes), processes)
    assert placed is not None
    assert len(placed) == count
    assert sum(placed) == processes
    assert max(placed) - min(placed) <= 1


def test_entries_keep_their_order_and_read_their_values() -> None:
    found = value_of(fact("list", "entries"), ("a.b=1", "c=True d=x=y"))
    assert found == Listing(
        ({"key": "a.b", "value": 1}, {"key": "c", "value": True}, {"key": "d", "value": "x=y"})
    )
    with pytest.raises(BadValue, match="not of the form key=value"):
        value_of(fact("list", "entries"), ("a",))
