"""The finite abstract cells of a statement or a define: every input a value that could decide it.

An input is a name that the expression itself reads. A derived fact is an input of the statements
that read it and has cells of its own, so that agreement on all cells is agreement on all facts.
Numbers are the constants they could meet and their neighbours; enumerations every member and
Other; everything may be unknown in each of the three ways; lists are multisets of up to two elements.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

from engine.runtime.values import Facts, Kind, Listing, Other, Unknown, Value
from rules_dsl import ir
from rules_dsl.ir import Type

START = datetime(2000, 1, 1, 12)
FEW = 4
"""How many numbers that a table gives an input are tried; the least and greatest are among them."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What an expression reads: free names, and for each element name its list and fields."""

    free: Mapping[str, Type]
    elements: Mapping[str, tuple[str, Mapping[str, Type]]]


def inputs(nodes: Iterable[ir.Node]) -> Inputs:
    """The inputs of some nodes."""
    free: dict[str, Type] = {}
    elements: dict[str, tuple[str, dict[str, Type]]] = {}
    for node in (n for top in nodes for n in ir.walk(top)):
        if isinstance(node, ir.Ref) and node.bound is not None:
            owner, part = node.name.split(".")
            elements.setdefault(owner, (node.bound, {}))[1][part] = node.type
        elif isinstance(node, ir.Ref):
            free[node.name] = node.type
    return Inputs(free, elements)


def statement_nodes(statement: ir.Statement) -> list[ir.Node]:
    """Every top node of a statement, the list it runs over first."""
    each = statement.each
    nodes: list[ir.Node | None] = [statement.guard, statement.condition]
    if each is not None:
        nodes = [each.listing, each.where, *nodes]
    return [n for n in nodes if n is not None]


def statement_cells(program: ir.Program, statement: ir.Statement) -> Iterator[Facts]:
    """Every cell of a statement's inputs."""
    return cells(program, statement_nodes(statement), statement.each)


def define_cells(program: ir.Program, define: ir.Define) -> Iterator[Facts]:
    """Every cell of a define's inputs."""
    return cells(program, [define.expr], None)


def cells(program: ir.Program, nodes: Sequence[ir.Node], each: ir.ForEach | None) -> Iterator[Facts]:
    """The product of the values of every input."""
    tried = axes(program, nodes, each)
    for chosen in itertools.product(*tried.values()):
        yield cell(zip(tried, chosen, strict=True))


def cell(chosen: Iterable[tuple[str, Value]]) -> Facts:
    """One value of every input as facts; what is absent has none."""
    return {n: v for n, v in chosen if not _absent(v)}


def axes(
    program: ir.Program, nodes: Sequence[ir.Node], each: ir.ForEach | None = None
) -> dict[str, list[Value]]:
    """The values of every input, lists last."""
    read = inputs(nodes)
    numbers, texts = constants(program, nodes)
    lists = {name: kind for name, kind in read.free.items() if kind.kind == "list"}
    plain = {
        name: values(program, name, kind, numbers, texts)
        for name, kind in read.free.items()
        if name not in lists
    }
    return {**plain, **{name: listings(program, name, read, numbers, texts, each) for name in lists}}


def _absent(value: Value) -> bool:
    return isinstance(value, Unknown) and value.only(Kind.ABSENT)


def unknowns(name: str) -> list[Value]:
    """The three ways in which a fact is not known."""
    return [Unknown.of(name, kind) for kind in Kind]


def values(
    program: ir.Program,
    name: str,
    kind: Type,
    numbers: Mapping[str | None, Sequence[Fraction]],
    texts: Sequence[str],
) -> list[Value]:
    """The values that one input is tried with."""
    found: list[Value]
    if kind.kind == "bool":
        found = [True, False]
    elif kind.kind == "enum":
        members = list(program.facts[kind.of or name].members or {})
        named = [m for m in members if m in texts]
        # where only some members are named, any other one stands for all others
        found = [
            *(named + [m for m in members if m not in named][:1] if named else members),
            Other("something else", name),
        ]
    elif kind.kind == "number":
        found = [_plain(n) for n in numbers.get(kind.unit, [Fraction(0), Fraction(1)])]
    elif kind.kind == "time":
        gaps = sorted({Fraction(0), *numbers.get("s", [Fraction(0), Fraction(1)])})
        found = [START + timedelta(microseconds=int(gap * 1_000_000)) for gap in gaps]
    elif kind.kind == "any":
        found = [*texts[:FEW], True, False, *(_plain(n) for n in list(numbers.get(None, []))[:FEW])]
    else:
        found = [*texts, "something else"]
    return found + unknowns(name)


def _plain(number: Fraction) -> int | Fraction:
    return int(number) if number.denominator == 1 else number


def constants(
    program: ir.Program, nodes: Sequence[ir.Node]
) -> tuple[dict[str | None, list[Fraction]], list[str]]:
    """By unit the numbers that decide (each with its neighbours), and the texts that are met."""
    exact: dict[str | None, set[Fraction]] = {}
    given: dict[str | None, set[Fraction]] = {}
    texts: dict[str, None] = {}
    everything = [n for top in nodes for n in ir.walk(top)]
    for node in everything:
        into = given if isinstance(node, ir.Cellref) and not isinstance(node.key, ir.Const) else exact
        unit = None if isinstance(node, ir.SetOf) else node.type.unit
        for value in _met(program, node):
            if isinstance(value, str):
                texts.setdefault(value)
            elif isinstance(value, (int, Fraction)) and not isinstance(value, bool):
                into.setdefault(unit, set()).add(Fraction(value))
    units = {None, *exact, *given, *(n.type.unit for n in everything)}
    numbers = {unit: _around(unit, exact.get(unit, set()), sorted(given.get(unit, set()))) for unit in units}
    for node in everything:
        if isinstance(node, ir.Cellref):  # every key of a table that is looked up decides
            texts.update(dict.fromkeys(program.tables[node.table]))
    return numbers, list(texts)


def _met(program: ir.Program, node: ir.Node) -> list[object]:
    """The constants that one node brings."""
    if isinstance(node, ir.Const):
        return [node.value]
    if isinstance(node, ir.SetOf):
        return list(node.values)
    if isinstance(node, ir.Cellref):
        rows = [
            row
            for key, row in program.tables[node.table].items()
            if not isinstance(node.key, ir.Const) or key == node.key.value
        ]
        if isinstance(node.column, ir.Const):
            return [row.get(str(node.column.value)) for row in rows]
        return [next(iter(row.values()), None) for row in rows]
    return []


def _around(unit: str | None, exact: set[Fraction], table: Sequence[Fraction]) -> list[Fraction]:
    """Constants and their neighbours, and the ends of what a table holds."""
    step = Fraction(1) if unit is None else Fraction(1, 10)
    around = {n + d for n in exact for d in (-step, Fraction(0), step)}
    picked = [*table[: FEW // 2], *table[-(FEW // 2) :]]
    least = [Fraction(0)] if unit is not None and around else [Fraction(0), Fraction(1)]
    return sorted({*least, *around, *picked, *(n + step for n in picked[:1])})


def listings(
    program: ir.Program,
    listing: str,
    read: Inputs,
    numbers: Mapping[str | None, Sequence[Fraction]],
    texts: Sequence[str],
    each: ir.ForEach | None,
) -> list[Value]:
    """Lists of no, one and two elements, each also with more to come, and the list unknown."""
    owners = [(name, fields) for name, (of, fields) in read.elements.items() if of == listing]
    together = {part: kind for _, fields in owners for part, kind in fields.items()}
    found: list[Value] = [Listing(()), Listing((), Unknown.of(listing, Kind.DEFERRED)), *unknowns(listing)]
    if each is not None and len(each.names) == 2 and each.listing.name == listing:
        shared = inputs([each.where]).elements if each.where is not None else {}
        always = next((fields for _, fields in shared.values()), {})
        first, second = ({**read.elements.get(n, (listing, {}))[1], **always} for n in each.names)
        # only the distance between two neighbours decides, so that the first stands still
        still = {**numbers, "s": [Fraction(0), Fraction(1, 10)]}
        ones, others = _elements(program, first, still, texts), _elements(program, second, numbers, texts)
        pairs: Iterable[tuple[Facts, Facts]] = itertools.product(ones, others)
    else:
        ones = _elements(program, together, numbers, texts)
        pairs = itertools.combinations_with_replacement(ones, 2)
    more = Unknown.of(listing, Kind.DEFERRED)
    for one in ones:
        found += [Listing((one,)), Listing((one,), more)]
    for pair in pairs:
        found.append(Listing(pair))
    if ones:
        found.append(Listing((ones[0], ones[-1]), more))
    return found


def _elements(
    program: ir.Program,
    fields: Mapping[str, Type],
    numbers: Mapping[str | None, Sequence[Fraction]],
    texts: Sequence[str],
) -> list[Facts]:
    """Every element; inside a list unknown is told apart only as absent and deferred."""
    choices = []
    for name, kind in fields.items():
        known = [v for v in values(program, name, kind, numbers, texts) if not isinstance(v, Unknown)]
        choices.append([*known, Unknown.of(name, Kind.ABSENT), Unknown.of(name, Kind.DEFERRED)])
    return [cell(zip(fields, chosen, strict=True)) for chosen in itertools.product(*choices)]
