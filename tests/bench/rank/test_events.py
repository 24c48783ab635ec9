"""What ranks say reaches the launcher, whatever stands around it."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.rank.events import MARK, Events, parse

TEXTS = st.text(st.sampled_from("az09 \t\n\r\0\x1b\"\\'@{}[]:,\x85\u2028\u00e9\U0001f600"), max_size=40)
"""Whatever could end a line, a text or a document."""


def said(event: str, **fields: object) -> str:
    stream = io.StringIO()
    Events(3, 8, stream).emit(event, **fields)
    return stream.getvalue()


@settings(deadline=None)
@given(TEXTS, st.integers(), st.floats(allow_nan=False, allow_infinity=False))
def test_what_is_said_is_one_line_and_is_understood(text: str, number: int, figure: float) -> None:
    line = said("failed", reason=text, number=number, figure=figure)
    assert line.endswith("\n")
    assert line.count("\n") == 1
    held = parse(line.rstrip("\n"))
    assert held == {"event": "failed", "rank": 3, "reason": text, "number": number, "figure": figure}


@settings(deadline=None)
@given(st.sampled_from(["[0] ", "[1,3]<stdout>: ", "3: ", "host-1:12: "]))
def test_a_launcher_may_tag_lines(tag: str) -> None:
    held = parse(tag + said("done").strip())
    assert held is not None
    assert held["event"] == "done"


@settings(deadline=None)
@given(st.data())
def test_a_torn_line_is_no_event(data: st.DataObject) -> None:
    line = said("progress", bytes=12345).strip()
    cut = data.draw(st.integers(0, len(line) - 1))
    assert parse(line[:cut]) is None
    assert parse(line[:cut] + line) is None or cut == 0 or line[:cut].find(MARK) < 0


@settings(deadline=None)
@given(TEXTS)
def test_what_somebody_else_prints_is_no_event(text: str) -> None:
    assert parse(text) is None or MARK in text


@pytest.mark.parametrize(
    "rest", ["", "{}", "[1]", "3", '{"event": 3}', '{"event": null}', '{"event": "x"} and more']
)
def test_what_only_looks_like_an_event_is_none(rest: str) -> None:
    assert parse(MARK + rest) is None


def test_progress_is_a_running_sum_and_is_not_said_for_every_request() -> None:
    stream = io.StringIO()
    add = Events(0, 1, stream).counter("write", 2)
    for _ in range(1000):
        add(10)
    lines = [json.loads(line.removeprefix(MARK)) for line in stream.getvalue().splitlines()]
    assert 1 <= len(lines) < 100
    assert [line["bytes"] % 10 for line in lines] == [0] * len(lines)
    assert (lines[0]["operation"], lines[0]["number"]) == ("write", 2)
