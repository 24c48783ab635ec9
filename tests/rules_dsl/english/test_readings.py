"""The rendered sentences of two statements that differ never read the same."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules_dsl.compile import Compiled
from tests.rules_dsl.english.readings import Reading, readings, sentence, small, whole
from tests.rules_dsl.normal import Key

OPERATORS = (
    ["and", "or"],
    ["==", "!=", "<", "<=", ">", ">="],
    ["+", "-", "*", "/", "mod"],
    ["any", "all"],
    ["sum", "mean", "least", "greatest", "distinct"],
    ["min", "max"],
    ["ceil", "floor", "abs"],
    ["recorded", "listed"],
    ["yes", "no"],
    ["error", "warn", "note"],
    ["since", "until"],
    ["matches", "starts with"],
    ["GiB", "GB", "MiB", "bytes"],
    ["in closed:", "in package:", ""],
    ["not ", ""],
    ["is ", "is not "],
    ["in ", "not in "],
)
TOKEN = re.compile(r'"[^"\n]*"|in (?:closed|package):|[A-Za-z_][\w]*|[<>=!]=|[<>*/+-]|\d+(?:\.\d+)?')
UNREAD = re.compile(r'(?:because|fix|informative|undecidable) "[^"\n]*"|#[^\n]*')


def changes(token: str, found: Compiled) -> list[str]:
    """What may stand in a token's place."""
    new = [
        w for group in OPERATORS if token in [g.strip() for g in group] for w in group if w.strip() != token
    ]
    if re.fullmatch(r"\d+(\.\d+)?", token):
        new += (
            [str(int(token) + 1), "0", "1000000", "1000001"]
            if "." not in token
            else [f"{token}1", f"{token}0000001"]
        )
    if token.startswith('"'):
        members = {m for f in found.vocabulary.facts.values() for m in f.members or ()}
        new += [f'"{m}"' for m in sorted(members | set(found.page.head.editions)) if f'"{m}"' != token]
    spec = found.vocabulary.facts.get(token)
    if spec is not None:
        alike = [
            n
            for n, s in found.vocabulary.facts.items()
            if (s.type, s.unit, s.scope) == (spec.type, spec.unit, spec.scope)
        ]
        new += [n for n in alike if n != token][:3]  # that all are told apart has a test of its own
    return new


def one_token_changes(rule: str, found: Compiled) -> list[str]:
    unread = [m.span() for m in UNREAD.finditer(rule)]
    changed = []
    for token in TOKEN.finditer(rule):
        if any(a <= token.start() < b for a, b in unread):
            continue
        news = ["", *changes(token[0], found)]
        changed += [rule[: token.start()] + new + rule[token.end() :] for new in news]
    return changed


def alike(variants: list[Reading]) -> list[tuple[Key, Key]]:
    """Statements that differ and are told in the same words."""
    seen: dict[str, Key] = {}
    return [(seen[v.sentence], v.said) for v in variants if seen.setdefault(v.sentence, v.said) != v.said]


def test_no_two_facts_are_spoken_of_in_the_same_words() -> None:
    words = whole().vocabulary.words
    plain = {name: w for name, w in words.items() if "." not in name}
    for part in ("noun", "yes", "no"):
        spoken = [getattr(w, part) for w in plain.values()]
        assert sorted(spoken) == sorted(set(spoken))


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_no_two_statements_one_token_apart_read_the_same(step: int) -> None:
    found = whole()
    tried = 0
    same: list[tuple[Key, Key]] = []
    for fence in found.page.fences:
        if fence.kind != "rule":
            continue
        rule = found.page.text[fence.body.start : fence.body.end]
        versions = [rule, *one_token_changes(rule, found)[::step]]
        compiled = [r for r in (readings(found, v) for v in versions) if r is not None]
        tried += len(compiled)
        for at in range(len(compiled[0]) if compiled else 0):
            same += alike([r[at] for r in compiled if len(r) == len(compiled[0])])
    assert tried > 800 / step
    assert same == []


numbers = st.recursive(
    st.sampled_from(["n", "m", "1", "2", "0.5"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "mod", "otherwise"]), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
        st.tuples(st.sampled_from(["abs", "ceil", "floor"]), inner).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})"),
        st.tuples(
            st.sampled_from(["sum", "mean", "least"]), st.sampled_from(["x.size_of", "x.size_of + 1"])
        ).map(lambda t: f"{t[0]}({t[1]} for x in items)"),
    ),
    max_leaves=4,
)
conditions = st.recursive(
    st.one_of(
        st.sampled_from(["flag", "other", "third", 'fruit == "Fig"', "n is recorded"]),
        st.tuples(numbers, st.sampled_from(["<", "==", "!="]), numbers).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
    ),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or", "and", "or", "otherwise"]), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
        inner.map(lambda c: f"(not {c})"),
        st.tuples(st.sampled_from(["any", "all"]), inner).map(
            lambda t: f"{t[0]}(x.good or {t[1]} for x in items)"
        ),
        st.tuples(st.sampled_from(["any", "all"]), inner, inner).map(
            lambda t: f"{t[0]}({t[1]} for x in items where {t[2]})"
        ),
    ),
    max_leaves=5,
)


SWAPS = {
    "and": ["or"],
    "or": ["and"],
    "-": ["+"],
    "+": ["-"],
    "*": ["/"],
    "/": ["*"],
    "otherwise": ["or", "and"],
}


def variants(condition: str) -> list[str]:
    """The same words grouped in other ways, and one operator changed."""
    found = [condition, condition.replace("(not ", "not (", 1)]
    for token in re.finditer(r"\b(?:and|or|otherwise)\b| [-+*/] ", condition):
        word = token[0].strip()
        begin, rest = condition[: token.start()], condition[token.end() :]
        found += [begin + token[0].replace(word, new) + rest for new in SWAPS[word]]
    if " for x in " not in condition:
        found.append(re.sub(r"(?<![a-z])\(|\)", " ", condition))
    return found


def told_apart(condition: str) -> None:
    told = [readings(small(), f"error if {v}") for v in variants(condition)]
    assert alike([r[0] for r in told if r is not None]) == []


@given(conditions)
@settings(max_examples=50, derandomize=True)
def test_no_two_groupings_read_the_same(condition: str) -> None:
    told_apart(condition)


@pytest.mark.slow
@given(conditions)
@settings(max_examples=300, derandomize=True)
def test_no_two_of_many_groupings_read_the_same(condition: str) -> None:
    told_apart(condition)


NEAR = [
    ("error if heap > 1234567.5 GiB", "error if heap > 1234567.4 GiB"),
    ("error if heap > 0.12345671 GiB", "error if heap > 0.12345672 GiB"),
    ("error if n > 10000000.5", "error if n > 10000001.5"),
    ("error if n in {0.1234567}", "error if n in {0.1234568}"),
    ('error if loose == "1"', "error if loose == 1"),
    ('error if loose == "yes"', "error if loose == yes"),
    ("error if any(x.good for x in items) and flag", "error if any(x.good and flag for x in items)"),
    (
        "error if any(x.good for x in items where flag) and other",
        "error if any(x.good and other for x in items where flag)",
    ),
    (
        "error if any(x.good for x in items where flag and other)",
        "error if any(x.good for x in items where flag) and other",
    ),
    ("error if any(x.good or flag for x in items)", "error if any(x.good for x in items) or flag"),
    (
        "error if not (any(x.good for x in items) and flag)",
        "error if not any(x.good and flag for x in items)",
    ),
    ("error if not flag and other", "error if not (flag and other)"),
    ("error if not (flag or other)", "error if not flag or other"),
    ("error if not (not flag)", "error if not flag"),
    ("error if (n otherwise m) + 1 > 2", "error if (n otherwise m + 1) > 2"),
    ("error if (n otherwise m) * 2 > 2", "error if (n otherwise m * 2) > 2"),
    ("error if abs(n) + m > 2", "error if abs(n + m) > 2"),
    ("error if ceil(n) / m > 2", "error if ceil(n / m) > 2"),
    ("error if floor(n) - m > 2", "error if floor(n - m) > 2"),
    ("error if min(n, m) + 1 > 2", "error if min(n, m + 1) > 2"),
    ("error if max(n, m, 1) > 2", "error if max(max(n, m), 1) > 2"),
    ("error if min(n, m) > 2", "error if max(n, m) > 2"),
    ("error if sum(x.size_of for x in items) + 1 > 2", "error if sum(x.size_of + 1 for x in items) > 2"),
    (
        "error if sum(x.size_of for x in items where flag) > 2",
        "error if flag and sum(x.size_of for x in items) > 2",
    ),
    ("error if (heap * 2) as GB > disk", "error if heap as GB * 2 > disk"),
    ("error if (heap + heap) as GB > disk", "error if heap as GB + heap as GB > disk"),
    ("error if -n > 1", "error if n > 1"),
    ("error if -(n + m) > 1", "error if -n + m > 1"),
    ("error if flag otherwise other", "error if flag or other"),
    ("error if (flag otherwise other) and third", "error if flag otherwise other and third"),
    ("error if not (flag otherwise other)", "error if not flag otherwise other"),
    ("when flag: error if other and third", "when flag and other: error if third"),
    ("when flag: error if other", "error if flag and other"),
    ("for each x in items where x.good: error if flag", "for each x in items: when x.good: error if flag"),
    (
        "for each x in items where x.good: error if flag",
        "for each x in items where x.good and flag: error if flag",
    ),
    ("error if count(x in items where x.good) > 1", "error if count(x in items) > 1"),
    ('error if title matches "a"', 'error if title starts with "a"'),
    ('error if crop["Apple"].weight > heap', 'error if crop["Pear"].weight > heap'),
    ("error if limits.low.bound > n", "error if limits.high.bound > n"),
    ("error if limits[title].bound > n", "error if limits.low.bound > n"),
    ('error if fruit in {"Apple"}', 'error if fruit == "Apple"'),
    ("error if (n > 1) == flag", "error if n > 1 and flag"),
    ("error if flag == other", "error if flag != other"),
    (
        "error if any(any(x.good for x in items) for y in items)",
        "error if any(any(y.good for x in items) for y in items)",
    ),
]


@pytest.mark.parametrize(("one", "two"), NEAR)
def test_these_two_read_differently(one: str, two: str) -> None:
    assert sentence(one) != sentence(two)


def test_numbers_are_told_exactly() -> None:
    for number in ("1234567.5", "0.12345671", "167.6380634307861328125", "10000000000000001", "1.05"):
        assert number in sentence(f"error if heap > {number} GiB")
