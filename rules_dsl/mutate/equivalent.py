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

from engine.values import Listing, Unknown, Value, show
from rules_dsl import ir
from rules_dsl.cases import WORDS
from rules_dsl.interpret import Interpreter, in_force
from rules_dsl.mutate.grid import Axis, Cell, Grid, TooLarge, bare, parted, split
from rules_dsl.mutate.trial import nodes_of

DRAWN = 20_000
"""Cells that are drawn where a grid is too large to walk."""

Told = Callable[[Cell], object]
"""What a reading gives of a cell."""


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
    def reason(self) -> str:
        """What was compared, in words."""
        names = ", ".join(self.inputs) or "no input"
        if self.walked < self.cells:
            return f"no difference on {self.walked:,} of {self.cells:,} cells drawn of {names}"
        return f"the same outcome on all {self.cells:,} cells of {names}"


@dataclass(frozen=True, slots=True)
class _Level:
    """One part of the two readings: its inputs, and what each gives."""

    axes: dict[Axis, list[Value]]
    left: Told
    right: Told

    def differs(self, cell: Cell) -> bool:
        return self.left(cell) != self.right(cell)


def compare(
    left: tuple[ir.Program, ir.Statement | ir.Define],
    right: tuple[ir.Program, ir.Statement | ir.Define],
    most: int,
) -> Compared:
    """Two readings of a statement or define. Raises TooLarge when `most` cells do not settle it."""
    levels = list(_levels(left, right))
    for depth, level in enumerate(levels):
        names = tuple(dict.fromkeys(f"{o}.{n}" if o else n for o, n in level.axes))
        cells = prod(map(len, level.axes.values()))
        first = next(_differences(levels[: depth + 1], [most]), None)
        if first is None:
            return Compared(True, cells, cells, names)
    return Compared(False, cells, cells, names, first)


def drawn(
    left: tuple[ir.Program, ir.Statement | ir.Define], right: tuple[ir.Program, ir.Statement | ir.Define]
) -> Compared:
    """The same of cells that are drawn at random. Raises TooLarge when even an axis is too long."""
    level = list(_levels(left, right))[-1]
    names = tuple(dict.fromkeys(f"{o}.{n}" if o else n for o, n in level.axes))
    cells = prod(map(len, level.axes.values()))
    lots = random.Random(0)  # noqa: S311  the same cells on every run, nothing secret
    for _ in range(DRAWN):
        cell = {axis: lots.choice(some) for axis, some in level.axes.items()}
        if level.differs(cell):
            return Compared(False, DRAWN, cells, names, cell)
    return Compared(False, DRAWN, cells, names)


def masked(
    left: tuple[ir.Program, ir.Statement],
    right: tuple[ir.Program, ir.Statement],
    clause: ir.Clause,
    most: int,
) -> Compared | None:
    """Whether wherever two statements differ another one is broken anyway, so that the verdict is one.

    None when it is not so. Raises TooLarge.
    """
    (program, old), (other, new) = left, right
    rest = [
        s for s in clause.statements if s.number != old.number and s.scope == old.scope and s.each is None
    ]
    if old.each is not None or new.each is not None:
        return None
    nodes = [n for s in (old, new, *rest) for n in _tops(s)]
    grid = Grid.of([(program, nodes), (other, nodes)])
    level = list(_levels(left, right, grid))[-1]
    tried = [most]
    for cell in _differences([level], tried):
        for edition in program.editions or (None,):
            pair = [_words(p, s, cell, edition) for p, s in (left, right)]
            if pair[0] != pair[1] and not any(
                _always(program, s, grid, cell, set().union(*pair), edition, tried) for s in rest
            ):
                return None
    axes = grid.axes(nodes, {})
    cells = prod(map(len, axes.values()))
    return Compared(True, cells, cells, tuple(name for _, name in axes))


def _words(program: ir.Program, statement: ir.Statement, cell: Cell, edition: str | None) -> set[str]:
    """What a statement adds to a verdict in an edition."""
    if not in_force(program, statement, edition):
        return set()
    results = Interpreter(program, split(cell)[0]).statement(statement)
    return {WORDS[statement.level, statement.category] if r == "violation" else r for r in results}


def _always(
    program: ir.Program,
    statement: ir.Statement,
    grid: Grid,
    cell: Cell,
    words: set[str],
    edition: str | None,
    tried: list[int],
) -> bool:
    """Whether a statement is broken whatever the rest of its inputs is, in the only word at stake."""
    told = WORDS[statement.level, statement.category]
    if (words & set(WORDS.values())) - {told}:
        return False
    rest = {a: some for a, some in grid.axes(_tops(statement), {}).items() if a not in cell}
    for chosen in itertools.product(*rest.values()):
        tried[0] -= 1
        if tried[0] < 0:
            raise TooLarge
        if _words(program, statement, {**cell, **dict(zip(rest, chosen, strict=True))}, edition) != {told}:
            return False
    return True


def _differences(levels: Sequence[_Level], left: list[int]) -> Iterator[Cell]:
    """The cells of the outermost level on which the readings differ; `left` counts down what may be tried."""
    level = levels[-1]
    inner: Iterator[Cell] = iter([{}])
    rest = level.axes
    if len(levels) > 1 and levels[-2].axes.keys() <= level.axes.keys():
        inner = _differences(levels[:-1], left)
        rest = {axis: some for axis, some in level.axes.items() if axis not in levels[-2].axes}
    for start in inner:
        for chosen in itertools.product(*rest.values()):
            left[0] -= 1
            if left[0] < 0:
                raise TooLarge
            cell = {**start, **dict(zip(rest, chosen, strict=True))}
            if level.differs(cell):
                yield cell


def _levels(
    left: tuple[ir.Program, ir.Statement | ir.Define],
    right: tuple[ir.Program, ir.Statement | ir.Define],
    grid: Grid | None = None,
) -> Iterator[_Level]:
    """From the innermost part that differs to the whole."""
    (program, old), (other, new) = left, right
    nodes = [*_tops(old), *_tops(new)]
    grid = grid or Grid.of([(program, _tops(old)), (other, _tops(new))])
    loose = _named(old)
    pairs = [(a, b) for a, b in zip(_tops(old), _tops(new), strict=False) if bare(a) != bare(b)]
    if len(_tops(old)) == len(_tops(new)) and len(pairs) == 1:
        for a, b, folded in parted(*pairs[0]):
            yield _Level(grid.axes([a, b], {**loose, **folded}), _value(program, a), _value(other, b))
    if isinstance(old, ir.Statement) and isinstance(new, ir.Statement):
        axes = grid.axes(nodes, loose | _named(new))
        for statement in (old, new):
            each = statement.each
            if each is not None and ("", each.listing.name) in axes:
                raise TooLarge  # the list is folded and run over at once
            if each is not None and each.where is not None and len(each.names) == 2:
                for (owner, name), some in list(axes.items()):
                    if owner == each.names[0]:
                        axes.setdefault((each.names[1], name), some)
        editions = {
            (in_force(program, old, e), in_force(other, new, e)): None for e in program.editions or (None,)
        }
        yield _Level(
            axes,
            _outcome(program, old, [a for a, _ in editions]),
            _outcome(other, new, [b for _, b in editions]),
        )
    elif not pairs:
        yield _Level(grid.axes(nodes, {}), _value(program, _tops(old)[0]), _value(other, _tops(new)[0]))


def _tops(part: ir.Statement | ir.Define) -> list[ir.Node]:
    return [part.expr] if isinstance(part, ir.Define) else list(nodes_of(part))


def _named(part: ir.Statement | ir.Define) -> dict[str, str]:
    if isinstance(part, ir.Define) or part.each is None:
        return {}
    return dict.fromkeys(part.each.names, part.each.listing.name)


def _value(program: ir.Program, node: ir.Node) -> Told:
    def told(cell: Cell) -> object:
        own, elements = split(cell)
        return _plain(Interpreter(program, own).value(node, elements))

    return told


def _plain(value: Value) -> object:
    """A value as far as anything can depend on it: of what is unknown only why."""
    if isinstance(value, Unknown):
        return ("unknown", frozenset(cause.kind for cause in value.causes))
    return (type(value) is bool, value)


def _outcome(program: ir.Program, statement: ir.Statement, in_forces: list[bool]) -> Told:
    """The words of a statement's results where it holds, and where it does not."""
    word = WORDS[statement.level, statement.category]

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
