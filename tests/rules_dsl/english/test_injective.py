"""Conditions that are told in the same words say the same: over all small trees, and around drawn ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from rules_dsl import ir
from rules_dsl.diagnostics import Span
from rules_dsl.english.sentence import English
from rules_dsl.ir import Type
from tests.rules_dsl.english.readings import small
from tests.rules_dsl.normal import Key, normal

HERE = Span(0, 0)
BOOL, TEXT, NUMBER = Type("bool"), Type("text"), Type("number")
GIB, GB = Type("number", "GiB"), Type("number", "GB")
LISTING = ir.Ref(HERE, Type("list", of="items"), "items")
FLAGS = [ir.Ref(HERE, BOOL, name) for name in ("flag", "other", "third")]
GOOD = ir.Ref(HERE, BOOL, "x.good", "items")
NUMBERS = [ir.Ref(HERE, NUMBER, name) for name in ("n", "m")]
SIZE = ir.Ref(HERE, NUMBER, "x.size_of", "items")
ONE, TWO = (ir.Const(HERE, NUMBER, v) for v in (1, 2))
TITLE, FRUIT = ir.Ref(HERE, TEXT, "title"), ir.Ref(HERE, Type("enum", of="fruit"), "fruit")
HEAP = ir.Ref(HERE, GIB, "heap")
LOOSE = ir.Ref(HERE, Type("any"), "loose")
CHAINS = ("and", "or")
ORDERS = ("==", "!=", "<", "<=", ">", ">=")
SUMS = ("+", "-", "*", "/", "mod", "otherwise", "min", "max")
ROUNDS = ("abs", "ceil", "floor")
TOTALS = ("sum", "mean", "least", "greatest", "distinct", "count")
TABLES = ("crop", "limits")


def op(name: str, *operands: ir.Node, kind: Type = BOOL) -> ir.Op:
    return ir.Op(HERE, kind, name, operands)


def folded(kind: str, term: ir.Node, where: ir.Node | None = None, name: str = "x") -> ir.Folded:
    result = BOOL if kind in {"any", "all"} else NUMBER
    counted = ir.Const(HERE, BOOL, value=True)
    return ir.Folded(HERE, result, kind, name, LISTING, counted if kind == "count" else term, where)


def cell(table: str, key: ir.Node, column: str = "weight") -> ir.Cellref:
    return ir.Cellref(HERE, NUMBER, table, key, ir.Const(HERE, TEXT, column))


def chains(parts: Sequence[ir.Node]) -> Iterator[ir.Node]:
    """Every and, or and not of some parts: none, two and three of them."""
    for a in parts:
        yield op("not", a)
    for word in CHAINS:
        yield from (op(word, *p) for n in (2, 3) for p in product(parts, repeat=n))


def values(parts: Sequence[ir.Node]) -> Iterator[ir.Node]:
    """Every number that one operator makes of some parts."""
    for word, a, b in product(SUMS, parts, parts):
        yield op(word, a, b, kind=NUMBER)
    for word, a in product(ROUNDS, parts):
        yield op(word, a, kind=NUMBER)
    for word, a in product(TOTALS, parts):
        yield folded(word, a)
        yield folded(word, a, GOOD)


def alike(nodes: Iterator[ir.Node]) -> tuple[int, list[tuple[Key, Key]]]:
    """How many conditions differ, and those that differ and are told in the same words."""
    english = English(small().vocabulary.words)
    seen: dict[str, Key] = {}
    same = []
    for node in nodes:
        words, key = english.clause(node), normal(node)
        if seen.setdefault(words, key) != key:
            same.append((seen[words], key))
    return len(set(seen.values())), same


def test_connectives_three_deep() -> None:
    one: list[ir.Node] = [*FLAGS[:2], op("not", FLAGS[0])]
    two: list[ir.Node] = [
        *one[:2],
        *(op(w, FLAGS[0], FLAGS[1]) for w in CHAINS),
        op("and", *FLAGS),
        op("or", *FLAGS),
    ]
    three: list[ir.Node] = [*two, *(op(w, FLAGS[0], t) for w in CHAINS for t in two[2:])]
    four: list[ir.Node] = [
        FLAGS[2],
        *(op("not", t) for t in three[6:10]),
        *(op(w, t, FLAGS[1]) for w in CHAINS for t in three[4:8]),
    ]
    tried, same = alike(n for parts in (one, two, three, four) for n in chains(parts))
    assert tried > 5000
    assert same == []


def test_folds_among_connectives() -> None:
    inner: list[ir.Node] = [
        *FLAGS[:1],
        GOOD,
        op("and", GOOD, FLAGS[0]),
        op("or", GOOD, FLAGS[0]),
        op("not", GOOD),
    ]
    wheres: list[ir.Node | None] = [None, *inner]
    some: list[ir.Node] = [folded(k, t, w) for k in ("any", "all") for t in inner for w in wheres]
    nested: list[ir.Node] = [folded("any", t, w, "y") for t in some[:12] for w in (None, some[0])]
    groups: list[list[ir.Node]] = [[*FLAGS[:2], *some[:6]], nested[:6], some[::7]]
    tried, same = alike(n for parts in groups for n in chains(parts))
    assert tried > 1000
    assert same == []


def test_values_two_deep() -> None:
    leaves: list[ir.Node] = [*NUMBERS, ONE, SIZE, cell("crop", FRUIT), op("size", LISTING, kind=NUMBER)]
    once: list[ir.Node] = [*leaves, *values(leaves[:4])]
    every = [*once, *values(once[:40])]
    tried, same = alike(op(o, v, ONE) for o in (">", "==") for v in every)
    assert tried > 10_000
    assert same == []
    tried, same = alike(op("<", a, b) for a, b in product(once, once))
    assert tried > 10_000
    assert same == []


def test_atoms() -> None:
    texts = ["a", "b", "1", "yes", "its n", "a and b"]
    literals = [ir.Const(HERE, TEXT, t) for t in texts]
    literals += [ir.Const(HERE, NUMBER, 1), ir.Const(HERE, BOOL, value=True), ir.Const(HERE, GIB, 1)]
    loose = LOOSE
    left: list[ir.Node] = [loose, *literals, *FLAGS]
    right: list[ir.Node] = [loose, *literals]
    atoms: list[ir.Node] = [*FLAGS, GOOD]
    atoms += [op(o, a, b) for o in ORDERS for a in left for b in right]
    members: list[bool | int | Fraction | str] = ["a", "b", 1, 2, True]
    sets = [ir.SetOf(HERE, Type("set"), values) for n in (1, 2, 3) for values in product(members, repeat=n)]
    sets += [ir.SetOf(HERE, Type("set"), (), table) for table in TABLES]
    keys: list[ir.Node] = [FRUIT, TITLE, *literals[:3]]
    of_cells = [cell(t, k, c) for t in TABLES for k in keys for c in ("weight", "bound")]
    of_cells += [cell("crop", inner) for inner in of_cells]
    few: list[ir.Node] = [loose, FRUIT, ONE]
    groups: list[ir.Node] = [*sets, *of_cells]
    atoms += [op(o, a, b) for o in ("in", "not-in") for a in few for b in groups]
    tested: list[ir.Node] = [loose, FRUIT, *of_cells, op("+", NUMBERS[0], ONE, kind=NUMBER)]
    atoms += [
        ir.Is(HERE, BOOL, s, t, n)
        for s in ("recorded", "listed", "valid")
        for t in tested
        for n in (True, False)
    ]
    atoms += [ir.Like(HERE, BOOL, o, TITLE, p) for o in ("matches", "starts with") for p in texts]
    tried, same = alike(iter([*atoms, *(op("not", a) for a in atoms)]))
    assert tried > 1000
    assert same == []
    chosen = atoms[::29]
    tried, same = alike(n for w in CHAINS for n in (op(w, a, b) for a, b in product(chosen, chosen)))
    assert tried > 1000
    assert same == []


# --- around drawn trees ------------------------------------------------------------------

leaf_numbers = st.sampled_from([*NUMBERS, ONE, TWO, SIZE, cell("crop", FRUIT)])
numbers = st.recursive(
    leaf_numbers,
    lambda inner: st.one_of(
        st.builds(lambda w, a, b: op(w, a, b, kind=NUMBER), st.sampled_from(SUMS), inner, inner),
        st.builds(lambda w, a: op(w, a, kind=NUMBER), st.sampled_from(ROUNDS), inner),
        st.builds(folded, st.sampled_from(TOTALS), inner, st.sampled_from([None, GOOD])),
    ),
    max_leaves=4,
)
conditions = st.recursive(
    st.one_of(
        st.sampled_from([*FLAGS, GOOD]),
        st.builds(op, st.sampled_from(ORDERS), numbers, numbers),
    ),
    lambda inner: st.one_of(
        st.builds(
            lambda w, parts: op(w, *parts), st.sampled_from(CHAINS), st.lists(inner, min_size=2, max_size=4)
        ),
        st.builds(lambda a: op("not", a), inner),
        st.builds(op, st.sampled_from(["otherwise", "=="]), inner, inner),
        st.builds(folded, st.sampled_from(["any", "all"]), inner, st.one_of(st.none(), inner)),
    ),
    max_leaves=8,
)
FAMILIES = (CHAINS, ORDERS, SUMS, ROUNDS, TOTALS, ("any", "all"))


def changed(node: ir.Node) -> Iterator[ir.Node]:
    """Every tree that one change makes of a tree: a word, a leaf, a grouping, a part dropped or swapped."""
    match node:
        case ir.Op():
            yield from _other_words(node)
            yield from _other_operands(node)
        case ir.Folded():
            yield from _other_folds(node)
        case ir.Const(value=int(number)) if node.type == NUMBER:
            yield dataclasses.replace(node, value=number + 1)
        case ir.Ref():
            yield from (r for r in (*FLAGS, GOOD, *NUMBERS, SIZE) if r.type == node.type and r != node)
            if node.type == BOOL:
                yield op("not", node)


def _kin(word: str) -> list[str]:
    return [w for family in FAMILIES if word in family for w in family if w != word]


def _other_words(node: ir.Op) -> Iterator[ir.Node]:
    yield from (dataclasses.replace(node, op=w) for w in _kin(node.op))
    if len(node.operands) > 1:
        yield dataclasses.replace(node, operands=node.operands[::-1])
        yield from (o for o in node.operands if o.type == node.type)
    if node.op in CHAINS and len(node.operands) > 2:
        first, *rest = node.operands
        yield dataclasses.replace(node, operands=(first, op(node.op, *rest)))
        yield dataclasses.replace(node, operands=(op(node.op, first, *rest[:-1]), rest[-1]))


def _other_operands(node: ir.Op) -> Iterator[ir.Node]:
    for at, below in enumerate(node.operands):

        def around(*new: ir.Node, at: int = at) -> ir.Op:
            return dataclasses.replace(node, operands=(*node.operands[:at], *new, *node.operands[at + 1 :]))

        yield from map(around, changed(below))
        if isinstance(below, ir.Op) and below.op == "not":
            yield op("not", around(*below.operands))
        if isinstance(below, ir.Op) and below.op in (*CHAINS, *SUMS) and node.type == below.type:
            first, *rest = below.operands
            yield dataclasses.replace(below, operands=(around(first), *rest))
            yield dataclasses.replace(below, operands=(*below.operands[:-1], around(rest[-1])))
            if node.op in CHAINS:
                yield around(*below.operands)


def _other_folds(node: ir.Folded) -> Iterator[ir.Node]:
    yield from (folded(w, node.term, node.where, node.name) for w in _kin(node.kind))
    if node.kind != "count":
        yield from (dataclasses.replace(node, term=t) for t in changed(node.term))
    if node.where is not None:
        yield dataclasses.replace(node, where=None)
        yield from (dataclasses.replace(node, where=w) for w in changed(node.where))
    if isinstance(node.term, ir.Op) and node.term.op in CHAINS:
        first, *rest = node.term.operands
        yield op(node.term.op, dataclasses.replace(node, term=first), *rest)


def hold_apart(condition: ir.Node) -> None:
    _, same = alike(iter([condition, *changed(condition), *(op("not", c) for c in changed(condition))]))
    assert same == []


@given(conditions)
@settings(max_examples=40, deadline=None)
def test_no_change_of_a_condition_reads_like_it(condition: ir.Node) -> None:
    hold_apart(condition)


@given(st.lists(conditions, min_size=2, max_size=30))
@settings(max_examples=50, deadline=None)
def test_no_two_drawn_conditions_read_alike(drawn: list[ir.Node]) -> None:
    assert alike(iter(drawn))[1] == []
