"""The cells on which two readings of one expression are compared: those of both together.

An axis is an input: a fact, or a fact of an element that a loop has named. What is absent is said so
in every cell, so that a derived fact is an input like any other and never follows from the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from engine.runtime.values import Facts, Kind, Unknown, Value
from rules_dsl import ir
from rules_dsl.evaluate.abstract_cells import Inputs, constants, listings, values
from rules_dsl.ir import Type

Axis = tuple[str, str]
"""The element's name (empty: the subject itself) and the fact."""
Cell = Mapping[Axis, Value]
ELEMENTS = 150
"""Elements of a list beyond which its pairs are too many to write down."""


class TooLarge(Exception):  # a walk that is not begun; what is done instead is said
    """A grid has more cells than are walked."""


@dataclass(frozen=True, slots=True)
class Grid:
    """What the inputs of some nodes are tried with; `constants` are those of both readings."""

    program: ir.Program
    numbers: Mapping[str | None, Sequence[Fraction]]
    texts: Sequence[str]

    @classmethod
    def of(cls, readings: Iterable[tuple[ir.Program, Sequence[ir.Node]]]) -> Grid:
        """The grid whose numbers and texts are the boundaries of every reading."""
        numbers: dict[str | None, set[Fraction]] = {}
        texts: dict[str, None] = {}
        program = None
        for program, nodes in readings:
            found, words = constants(program, nodes)
            for unit, some in found.items():
                numbers.setdefault(unit, set()).update(some)
            texts.update(dict.fromkeys(words))
        if program is None:
            raise ValueError("a grid is of at least one reading")
        return cls(program, {unit: sorted(some) for unit, some in numbers.items()}, list(texts))

    def axes(self, nodes: Iterable[ir.Node], loose: Mapping[str, str]) -> dict[Axis, list[Value]]:
        """Every input of some nodes with its values; `loose` are elements that a loop outside has named."""
        free: dict[Axis, Type] = {}
        folded: dict[str, dict[str, Type]] = {}
        for node in nodes:
            _gather(node, frozenset(), loose, free, folded)
        found = {}
        for (owner, name), kind in free.items():
            if kind.kind == "list":
                found[owner, name] = self._lists(name, folded.get(name, {}))
            else:
                known = values(self.program, name, kind, self.numbers, self.texts)
                inside = {Kind.ABSENT, Kind.DEFERRED}
                found[owner, name] = [v for v in known if not owner or _is(v, inside)]
        return found

    def _lists(self, name: str, fields: Mapping[str, Type]) -> list[Value]:
        sizes = (
            len(values(self.program, n, kind, self.numbers, self.texts)) - 1 for n, kind in fields.items()
        )
        if prod(sizes) > ELEMENTS:
            raise TooLarge
        read = Inputs({}, {"item": (name, fields)})
        return listings(self.program, name, read, self.numbers, self.texts, None)


def _is(value: Value, kinds: set[Kind]) -> bool:
    return not isinstance(value, Unknown) or any(value.only(kind) for kind in kinds)


def _gather(
    node: ir.Node,
    inner: frozenset[str],
    loose: Mapping[str, str],
    free: dict[Axis, Type],
    folded: dict[str, dict[str, Type]],
) -> None:
    if isinstance(node, ir.Folded):
        inside = inner | {node.name}
        _gather(node.listing, inner, loose, free, folded)
        for part in (node.term, node.where):
            if part is not None:
                _gather(part, inside, loose, free, folded)
        return
    if isinstance(node, ir.Ref):
        owner, _, name = node.name.rpartition(".")
        if node.bound is not None and owner in inner:
            folded.setdefault(node.bound, {})[name] = node.type
        else:
            free[owner, name] = node.type
    for child in ir.children(node):
        _gather(child, inner, loose, free, folded)


def split(cell: Cell) -> tuple[dict[str, Value], dict[str, Facts]]:
    """A cell as the facts of the subject and those of each named element."""
    own: dict[str, Value] = {}
    elements: dict[str, dict[str, Value]] = {}
    for (owner, name), value in cell.items():
        if owner:
            elements.setdefault(owner, {})[name] = value
        else:
            own[name] = value
    return own, dict(elements)


def bare(node: object) -> object:
    """A node without its places, so that equal readings are equal."""
    if isinstance(node, tuple):
        return tuple(bare(n) for n in node)
    names = getattr(node, "__dataclass_fields__", None)
    if names is None or isinstance(node, Type):
        return node
    return (type(node).__name__, *(bare(getattr(node, n)) for n in names if n != "span"))


def parted(left: ir.Node, right: ir.Node) -> Iterator[tuple[ir.Node, ir.Node, dict[str, str]]]:
    """The innermost pair of parts that differ, then what is around them, up to the whole.

    With each pair the elements that folds around it have named, and the lists they are of.
    """
    yield from reversed(list(_descended(left, right, {})))


def _descended(
    left: ir.Node, right: ir.Node, loose: dict[str, str]
) -> Iterator[tuple[ir.Node, ir.Node, dict[str, str]]]:
    yield left, right, loose
    below, other = ir.children(left), ir.children(right)
    if type(left) is not type(right) or len(below) != len(other) or _own(left) != _own(right):
        return
    differ = [(a, b) for a, b in zip(below, other, strict=True) if bare(a) != bare(b)]
    if len(differ) == 1:
        inside = dict(loose)
        if isinstance(left, ir.Folded) and differ[0][0] is not left.listing:
            inside[left.name] = left.listing.name
        yield from _descended(*differ[0], inside)


def _own(node: ir.Node) -> object:
    """What a node says besides its parts."""
    match node:
        case ir.Op():
            return node.op
        case ir.Folded():
            return (node.kind, node.name, node.where is None)
        case ir.Is():
            return (node.state, node.negated)
        case ir.Like():
            return (node.op, node.pattern)
        case ir.Cellref():
            return node.table
        case _:
            return bare(node)
