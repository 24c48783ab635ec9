"""Spellings that tools write are folded; what nobody means by the type is malformed."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evidence import MISSING, Malformed, Missing
from engine.evidence.coerce import coerce
from engine.runtime.spelling import path as normalise
from engine.runtime.values import Listing, Other
from tests.engine.evidence.vocabulary import MODELS, fact, spec


@pytest.mark.parametrize(
    ("kind", "raw", "value"),
    [
        ("integer", 64, 64),
        ("integer", "64", 64),
        ("integer", " 28000 ", 28000),
        ("integer", Fraction(64), 64),
        ("integer", "64.0", 64),
        ("integer", "1e3", 1000),
        ("integer", 64.0, 64),
        ("number", "911.25", Fraction(3645, 4)),
        ("number", Fraction(1, 3), Fraction(1, 3)),
        ("number", "-2", -2),
        ("number", ".5", Fraction(1, 2)),
        ("bool", True, True),
        ("bool", "True", True),
        ("bool", "false", False),
        ("text", "v", "v"),
        ("text", 24, "24"),
        ("text", " ", MISSING),
        ("path", "/ckpt//a/./b/", "/ckpt/a/b"),
        ("path", "//ckpt/", "/ckpt"),
        ("path", "s3://bucket//x/", "s3://bucket/x"),
        ("path", "", MISSING),
        ("time", "2026-07-21T21:45:34.981197", datetime(2026, 7, 21, 21, 45, 34, 981197)),
        ("time", "2026-07-21 21:45:34", datetime(2026, 7, 21, 21, 45, 34)),
        ("time", "2026-07-14T12:15:08Z", datetime(2026, 7, 14, 12, 15, 8, tzinfo=UTC)),
        ("time", "2026-07-14 12:15:08 utc", datetime(2026, 7, 14, 12, 15, 8, tzinfo=UTC)),
        ("time", "2026-07-14T12:15:08+02:00", datetime(2026, 7, 14, 10, 15, 8, tzinfo=UTC)),
        ("time", "2026-07-14T12:15:08 -0330", datetime(2026, 7, 14, 15, 45, 8, tzinfo=UTC)),
        ("time", "20260708_064613", datetime(2026, 7, 8, 6, 46, 13)),
        ("enum", "llama3-8b", "8B"),
        ("enum", " LLAMA3-70B ", "70B"),
        ("enum", "1250b", "1T"),
        ("enum", "llama3-13b", Other("llama3-13b", "it")),
        ("enum", 8, Other("8", "it")),
        ("any", "subset", "subset"),
        ("any", 10, 10),
        ("any", True, True),
        ("any", [1, Fraction(1, 2)], '[1, "0.50"]'),
    ],
)
def test_a_tolerated_spelling(kind: str, raw: object, value: object) -> None:
    found = coerce(raw, fact("it", kind, members=MODELS))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("kind", "raw", "reason"),
    [
        ("integer", "sixty-four", 'is "sixty-four", not a whole number'),
        ("integer", "lots", 'is "lots", not a whole number'),
        ("integer", "", 'is "", not a whole number'),
        ("integer", "64.5", 'is "64.5", not a whole number'),
        ("integer", True, "is true, not a whole number"),
        ("integer", [64], "is a list, not a whole number"),
        ("integer", "6_4", 'is "6_4", not a whole number'),
        ("integer", "٦٤", 'is "٦٤", not a whole number'),
        ("number", "NaN", 'is "NaN", not a number'),
        ("number", "Infinity", 'is "Infinity", not a number'),
        ("number", float("nan"), "is a float, not a number"),
        ("number", "1e999999999", 'is "1e999999999", not a number'),
        ("number", "1,024", 'is "1,024", not a number'),
        ("bool", "maybe", 'is "maybe", neither true nor false'),
        ("bool", 1, "is 1, neither true nor false"),
        ("text", {}, "is a mapping, not a text"),
        ("path", 3, "is 3, not a path"),
        ("time", 1783492373, "is 1783492373, not a time"),
        ("time", "2026-02-30T00:00:00", 'is "2026-02-30T00:00:00", not a time'),
        ("time", "yesterday", 'is "yesterday", not a time'),
        ("time", "2026-07-14T12:15:08+25:00", 'is "2026-07-14T12:15:08+25:00", not a time'),
        ("time", "0001-01-01T00:00:00+14:00", 'is "0001-01-01T00:00:00+14:00", not a time'),
        ("enum", ["8B"], "is a list, not a name"),
        ("list", "a", 'is "a", not a list'),
        ("list", [1], "has 1 as element 1, not a mapping"),
    ],
)
def test_what_is_malformed_says_what_was_expected(kind: str, raw: object, reason: str) -> None:
    assert coerce(raw, fact("it", kind, members=MODELS)) == Malformed(reason)


@pytest.mark.parametrize("kind", ["bool", "integer", "number", "text", "path", "time", "enum", "any", "list"])
def test_null_is_not_recorded(kind: str) -> None:
    assert coerce(None, fact("it", kind)) is MISSING


def test_elements_of_a_list_are_typed() -> None:
    slots = spec("slots")
    assert coerce([{"count": "4"}, {"count": None}, {}], slots) == Listing(({"count": 4}, {}, {}))
    assert coerce([{"count": 4}, {"count": "four"}], slots) == Malformed(
        'has an element 2 whose count is "four", not a whole number'
    )


@given(st.sampled_from(sorted(MODELS)), st.data())
def test_letter_case_of_a_name_is_no_matter(member: str, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([member, *MODELS[member]]))
    spelled = "".join(data.draw(st.sampled_from([char.lower(), char.upper()])) for char in name)
    assert coerce(spelled, spec("model")) == member


@given(st.integers())
def test_a_number_and_its_text_are_the_same(value: int) -> None:
    whole = fact("it", "integer")
    assert coerce(value, whole) == value
    if len(str(value)) <= 400:
        assert coerce(str(value), whole) == value


@given(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers()),
    st.sampled_from(["bool", "integer", "number", "text", "path", "time", "enum", "any", "list"]),
)
def test_coercion_is_total(raw: object, kind: str) -> None:
    value = coerce(raw, fact("it", kind, members=MODELS))
    if isinstance(value, Malformed):
        assert value.reason
    elif not isinstance(value, Missing):
        again = coerce(value, fact("it", kind, members=MODELS))
        assert again == value or isinstance(value, (Other, Listing))


@given(st.text(alphabet="ab/.", min_size=1, max_size=12))
def test_normalising_a_path_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)
