"""The interval of categories: nothing raises it, knowledge narrows it, order does not matter."""

from __future__ import annotations

from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from engine.runtime.values import Kind, Listing, Unknown, Value
from engine.verdict.category import Interval, Scale
from engine.verdict.earned import Judge
from engine.verdict.evidence import Evidence
from tests.engine.verdict.handmade import CLEAN, RULESET

CATEGORIES = st.sampled_from(["all", "closed", "package"])
EVENTS = st.tuples(st.booleans(), CATEGORIES)
JUDGE = Judge(RULESET)
SCALE = Scale(RULESET.divisions)

VALUES: dict[str, tuple[Value, ...]] = {
    "requested": ("closed", "open"),
    "model": ("8B", "70B", "405B"),
    "processes": (8, 9, 64),
    "claim": (True, False),
    "accelerator": ("b200", "wrong"),
    "size": (-1, 912),
}


def after(events: list[tuple[bool, str]]) -> Interval:
    def met(held: Interval, event: tuple[bool, str]) -> Interval:
        left = SCALE.left(event[1])
        return held.breached(left) if event[0] else held.doubted(left)

    return reduce(met, events, SCALE.whole)


@given(st.lists(EVENTS), EVENTS)
def test_one_more_finding_never_raises_an_end(
    events: list[tuple[bool, str]], event: tuple[bool, str]
) -> None:
    before, later = after(events), after([*events, event])
    assert later.best <= before.best
    assert later.worst <= before.worst
    assert later.worst <= later.best


@given(st.lists(EVENTS).flatmap(lambda events: st.tuples(st.just(events), st.permutations(events))))
def test_the_order_of_findings_does_not_matter(
    pair: tuple[list[tuple[bool, str]], list[tuple[bool, str]]],
) -> None:
    assert after(pair[0]) == after(pair[1])


@given(st.lists(EVENTS), st.lists(EVENTS))
def test_a_workload_has_what_its_parts_leave(
    left: list[tuple[bool, str]], right: list[tuple[bool, str]]
) -> None:
    assert after(left).meet(after(right)) == after([*left, *right])


@given(st.fixed_dictionaries({name: st.sampled_from(values) for name, values in VALUES.items()}), st.data())
def test_knowing_more_narrows_the_interval(facts: dict[str, Value], data: st.DataObject) -> None:
    hidden = data.draw(st.sets(st.sampled_from(sorted(VALUES))))
    learned = data.draw(st.sets(st.sampled_from(sorted(hidden)))) if hidden else set()
    wide = interval(facts, hidden)
    narrow = interval(facts, hidden - learned)
    assert narrow.best <= wide.best
    assert narrow.worst >= wide.worst


def interval(facts: dict[str, Value], hidden: set[str]) -> Interval:
    known: dict[str, Value] = {**CLEAN, "overrides": Listing(()), **facts}
    known.update({name: Unknown.of(name, Kind.ABSENT) for name in hidden})
    evidence = Evidence(path="leaf", scope="leaf", facts={"leaf": known}, requested=known["requested"])
    return JUDGE.judge(evidence, "4.0").interval
