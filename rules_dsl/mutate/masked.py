"""Whether two statements of a clause differ only where another one decides the verdict anyway.

A clause's verdict holds the words of all statements that are broken, and only when none is, whether
one was undetermined. What a statement says beside a broken one of its own word is therefore not heard.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import prod

from engine.runtime.values import Facts, Listing, Value
from rules_dsl import ir
from rules_dsl.evaluate.interpreter import Interpreter, in_force
from rules_dsl.mutate.equivalent import Compared, Level, differences, levels_of, tops
from rules_dsl.mutate.grid import Axis, Cell, Grid, TooLarge, split
from rules_dsl.verify.words import verdict_word


def masked(
    left: tuple[ir.Program, ir.Statement],
    right: tuple[ir.Program, ir.Statement],
    clause: ir.Clause,
    most: int,
) -> Compared | None:
    """The comparison when the verdicts are one on every cell; None when that is not shown."""
    rest = [s for s in clause.statements if s.number != left[1].number and s.each is None]
    work = _Masked(left, right, rest, [most])
    levels: list[Level] = []
    try:
        for level in levels_of(left, right, work.grid):
            levels.append(level)
            if work.hidden(levels):
                cells = prod(map(len, level.axes.values()))
                names = (f"{owner}.{name}" if owner else name for owner, name in level.axes)
                return Compared(True, cells, cells, tuple(dict.fromkeys(names)))
    except TooLarge:
        return None
    return None


class _Masked:
    """Two statements and the others of their clause."""

    def __init__(
        self,
        left: tuple[ir.Program, ir.Statement],
        right: tuple[ir.Program, ir.Statement],
        rest: list[ir.Statement],
        tried: list[int],
    ) -> None:
        self._left, self._right, self._rest, self._tried = left, right, rest, tried
        nodes = [n for s in (left[1], right[1], *rest) for n in tops(s)]
        self.grid = Grid.of([(left[0], nodes), (right[0], nodes)])
        self._axes = {id(s): self._read(s) for s in (left[1], right[1], *rest)}
        # editions in which the same statements hold are one
        holding = {
            tuple(in_force(left[0], s, e) for s in (left[1], right[1], *rest)): e for e in left[0].editions
        }
        self._editions: list[str | None] = [*holding.values()] or [None]

    def _read(self, statement: ir.Statement) -> dict[Axis, list[Value]] | None:
        try:
            return self.grid.axes(tops(statement), {})
        except TooLarge:
            return None

    def hidden(self, levels: list[Level]) -> bool:
        """Whether on every cell where the parts of a level differ another statement decides."""
        return all(
            self._decided(cell, edition)
            for cell in differences(levels, self._tried)
            for edition in self._editions
        )

    def _decided(self, cell: Cell, edition: str | None) -> bool:
        holds = [in_force(program, s, edition) for program, s in (self._left, self._right)]
        if not any(holds):
            return True
        words = {verdict_word(*side) for side in (self._left, self._right)}
        said = self._said(cell, edition)
        quiet = said is not None and not said & words
        return any(
            in_force(self._left[0], s, edition)
            and self._always(s, subject, {verdict_word(self._left[0], s)} if not quiet else None)
            for s in self._rest
            if quiet or words == {verdict_word(self._left[0], s)}
            for subject in self._subjects(s, cell)
        )

    def _said(self, cell: Cell, edition: str | None) -> set[str] | None:
        """What both say of a cell that holds all they read; None for a part of one."""
        found: set[str] = set()
        own, elements = split(cell)
        for program, statement in (self._left, self._right):
            read = self._axes[id(statement)]
            if read is None or statement.each is not None or elements or not read.keys() <= cell.keys():
                return None
            if in_force(program, statement, edition):
                word = verdict_word(program, statement)
                results = Interpreter(program, own).statement(statement)
                found |= {word if r == "violation" else r for r in results}
        return found

    def _subjects(self, other: ir.Statement, cell: Cell) -> Iterator[Facts]:
        """What a cell says of the subjects of another statement: its own, or the elements of its lists."""
        own, elements = split(cell)
        scope = self._left[1].scope
        if other.scope == scope:
            yield own
        elif other.scope == "leaf":
            lists = {n for n, spec in self._left[0].facts.items() if spec.type == "list" and not spec.fields}
            for name, value in own.items():
                if name in lists and isinstance(value, Listing):
                    yield from value.items
            yield from elements.values()

    def _always(self, statement: ir.Statement, facts: Facts, words: set[str] | None) -> bool:
        """Whether a statement says this (None: that it is broken or undetermined) whatever else holds."""
        axes = self._axes[id(statement)]
        if axes is None:
            return False
        rest = {name: some for (_, name), some in axes.items() if name not in facts}
        for chosen in itertools.product(*rest.values()):
            self._tried[0] -= 1
            if self._tried[0] < 0:
                raise TooLarge
            whole: dict[str, Value] = {**facts, **dict(zip(rest, chosen, strict=True))}
            results = set(Interpreter(self._left[0], whole).statement(statement))
            if not results <= ({"violation"} if words is not None else {"violation", "undetermined"}):
                return False
        return True
