"""Whether a mutant is the original in other words: the same outcome on every cell.

The innermost part that differs is compared first, on the cells of what it reads alone; where it is
the same on all of them, so is everything around it. Else the cells on which it differs are carried
outward, and only they are tried with the rest. The interpreter decides.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from engine.runtime.values import Listing, Unknown, Value, show
from rules_dsl import ir
from rules_dsl.evaluate.interpreter import Interpreter, in_force
from rules_dsl.mutate.grid import Axis, Cell, Grid, TooLarge, bare, parted, split
from rules_dsl.mutate.trial import nodes_of
from rules_dsl.verify.words import verdict_word

DRAWN = 20_000
"""Cells that are drawn where a grid is too large to walk."""

Told = Callable[[Cell], object]
"""What a reading gives of a cell."""
Reading = tuple[ir.Program, ir.Statement | ir.Define]
"""A statement or define, and the program that it is read in."""


@dataclass(frozen=True, slots=True)
class Compared:
    """How two readings compare: on how many cells of which inputs, and one on which they differ."""

    same: bool
    walked: int
    cells: int
    inputs: tuple[str, ...]
    cell: Cell | None = None

    @property
    def shown(self) -> str:
        """The cell on which they differ, in words."""
        cell = self.cell or {}
        return ", ".join(
            f"{owner}.{name} {show(v)}" if owner else f"{name} {show(v)}" for (owner, name), v in cell.items()
        )

    @property
    def verdict(self) -> str:
        """That it is the clause's verdict that is the same."""
        return f"{self.reason}: another statement decides where they differ"

    @property
    def reason(self) -> str:
        """What was compared, in words."""
        names = ", ".join(self.inputs) or "no input"
        if self.walked < self.cells:
            return f"no difference on {self.walked:,} of {self.cells:,} cells drawn of {names}"
        return f"the same outcome on all {self.cells:,} cells of {names}"


@dataclass(frozen=True, slots=True)
class Level:
    """One part of the two readings: its inputs, and what each gives."""

    axes: dict[Axis, list[Value]]
    left: Told
    right: Told

    def differs(self, cell: Cell) -> bool:
        """Whether the readings part on a cell."""
        return self.left(cell) != self.right(cell)


def compare(
    left: Reading,
    right: Reading,
    most: int,
) -> Compared:
    """Two readings of a statement or define. Raises TooLarge when `most` cells do not settle it."""
    levels: list[Level] = []
    for level in levels_of(left, right):
        levels.append(level)
        names = tuple(dict.fromkeys(f"{o}.{n}" if o else n for o, n in level.axes))
        cells = prod(map(len, level.axes.values()))
        first = next(differences(levels, [most]), None)
        if first is None:
            return Compared(True, cells, cells, names)
    return Compared(False, cells, cells, names, first)


def drawn(left: Reading, right: Reading) -> Compared:
    """The same of cells that are drawn at random. Raises TooLarge when even an axis is too long."""
    level = list(levels_of(left, right))[-1]
    names = tuple(dict.fromkeys(f"{o}.{n}" if o else n for o, n in level.axes))
    cells = prod(map(len, level.axes.values()))
    lots = random.Random(0)  # noqa: S311  the same cells on every run, nothing secret
    for _ in range(DRAWN):
        cell = {axis: lots.choice(some) for axis, some in level.axes.items()}
        if level.differs(cell):
            return Compared(False, DRAWN, cells, names, cell)
    return Compared(False, DRAWN, cells, names)


def differences(levels: Sequence[Level], left: list[int]) -> Iterator[Cell]:
    """The cells of the outermost level on which the readings differ; `left` counts down what may be tried."""
    level = levels[-1]
    inner: Iterator[Cell] = iter([{}])
    rest = level.axes
    if len(levels) > 1 and _holds(level.axes, levels[-2].axes):
        inner = differences(levels[:-1], left)
        rest = {axis: some for axis, some in level.axes.items() if axis not in levels[-2].axes}
    for start in inner:
        for chosen in itertools.product(*rest.values()):
            left[0] -= 1
            if left[0] < 0:
                raise TooLarge
            cell = {**start, **dict(zip(rest, chosen, strict=True))}
            if level.differs(cell):
                yield cell


def _holds(outer: dict[Axis, list[Value]], inner: dict[Axis, list[Value]]) -> bool:
    """Whether every cell of the inner axes is part of one of the outer; a list may have more fields there."""
    return all(axis in outer and len(outer[axis]) == len(some) for axis, some in inner.items())


def levels_of(left: Reading, right: Reading, grid: Grid | None = None) -> Iterator[Level]:
    """From the innermost part that differs to the whole; raises TooLarge where it cannot go on."""
    (program, old), (other, new) = left, right
    grid = grid or Grid.of([(program, tops(old)), (other, tops(new))])
    loose = _named(old)
    gates = _gates(old, new)
    pairs = [(a, b) for a, b in zip(tops(old), tops(new), strict=False) if bare(a) != bare(b)]
    if len(tops(old)) == len(tops(new)) and len(pairs) == 1:
        gated = False
        for a, b, folded in parted(*pairs[0]):
            if not gated:
                axes = grid.axes([a, b], {**loose, **folded})
                yield Level(axes, _value(program, a, ()), _value(other, b, ()))
            if gates and not folded:
                gated = True
                axes = grid.axes([a, b, *gates], loose)
                yield Level(axes, _value(program, a, gates), _value(other, b, gates))
    if isinstance(old, ir.Statement) and isinstance(new, ir.Statement):
        yield _whole((program, old), (other, new), grid)
    elif not pairs:
        yield Level(
            grid.axes([*tops(old), *tops(new)], {}),
            _value(program, tops(old)[0], ()),
            _value(other, tops(new)[0], ()),
        )


def _gates(old: ir.Statement | ir.Define, new: ir.Statement | ir.Define) -> tuple[ir.Node, ...]:
    """The guard of two statements that have the same one: where it is no, neither says anything."""
    if isinstance(old, ir.Define) or isinstance(new, ir.Define) or old.guard is None or new.guard is None:
        return ()
    return (old.guard,) if bare(old.guard) == bare(new.guard) else ()


def _whole(
    left: tuple[ir.Program, ir.Statement], right: tuple[ir.Program, ir.Statement], grid: Grid
) -> Level:
    """The outcomes of two statements in every edition."""
    (program, old), (other, new) = left, right
    axes = grid.axes([*tops(old), *tops(new)], _named(old) | _named(new))
    for statement in (old, new):
        each = statement.each
        if each is not None and ("", each.listing.name) in axes:
            raise TooLarge  # the list is folded and run over at once
        if each is not None and each.where is not None and len(each.names) == 2:
            for (owner, name), some in list(axes.items()):
                if owner == each.names[0]:
                    axes.setdefault((each.names[1], name), some)
    editions = list(
        {(in_force(program, old, e), in_force(other, new, e)): None for e in program.editions or (None,)}
    )
    return Level(
        axes, _outcome(program, old, [a for a, _ in editions]), _outcome(other, new, [b for _, b in editions])
    )


def tops(part: ir.Statement | ir.Define) -> list[ir.Node]:
    """The top nodes of a statement or define."""
    return [part.expr] if isinstance(part, ir.Define) else list(nodes_of(part))


def _named(part: ir.Statement | ir.Define) -> dict[str, str]:
    if isinstance(part, ir.Define) or part.each is None:
        return {}
    return dict.fromkeys(part.each.names, part.each.listing.name)


def _value(program: ir.Program, node: ir.Node, gates: Sequence[ir.Node]) -> Told:
    def told(cell: Cell) -> object:
        own, elements = split(cell)
        work = Interpreter(program, own)
        if any(work.value(gate, elements) is False for gate in gates):
            return None
        return _plain(work.value(node, elements))

    return told


def _plain(value: Value) -> object:
    """A value as far as anything can depend on it: of what is unknown only why."""
    if isinstance(value, Unknown):
        return ("unknown", frozenset(cause.kind for cause in value.causes))
    return (type(value) is bool, value)


def _outcome(program: ir.Program, statement: ir.Statement, in_forces: list[bool]) -> Told:
    """The words of a statement's results where it holds, and where it does not."""
    word = verdict_word(program, statement)

    def told(cell: Cell) -> object:
        own, elements = split(cell)
        if statement.each is not None:
            own[statement.each.listing.name] = Listing(
                tuple(elements.get(n, {}) for n in statement.each.names)
            )
        results = Interpreter(program, own).statement(statement)
        words = tuple(word if r == "violation" else r for r in results)
        return tuple(words if holds else ("not applicable",) * len(words) for holds in in_forces)

    return told
