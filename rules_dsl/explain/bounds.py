"""Boundary examples: the runs on either side of each bound of a clause.

They start from the clause's own cases, in which one number, instant, member or yes-or-no is moved until the
verdict changes; between two numbers the place of the change is closed in to one step. So each pair
differs in one value only, and what the prose calls the limit can be read off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction

from engine.runtime.values import Other, Unknown, Value
from rules_dsl import ir
from rules_dsl.evaluate.abstract_cells import constants, statement_nodes
from rules_dsl.verify.cases import Case, Row, judged

STEPS = (Fraction(1), Fraction(1, 10))
"""How near the two sides of a bound are: a whole number, a tenth of a unit."""
TRIES = 3
"""Cases that are tried for one fact."""
ENOUGH = (1, 2)
"""A pass and a breach beside it: another case would show no more."""


@dataclass(frozen=True, slots=True)
class Side:
    """One value of the fact that is moved, and the verdict it gives."""

    value: Value
    verdict: str


@dataclass(frozen=True, slots=True)
class Bound:
    """A fact, its values in order where the verdict changes, and the case that is else as it stands.

    `rest` is the rest of a case of one row; a case of several is told by its place.
    """

    fact: str
    row: int
    column: str
    sides: tuple[Side, ...]
    rest: tuple[tuple[str, Value], ...]
    case: Case


@dataclass(frozen=True, slots=True)
class _Place:
    """A cell of a case: which row, which column."""

    row: int
    column: str


def bounds(program: ir.Program, clause: ir.Clause, cases: Sequence[Case]) -> tuple[Bound, ...]:
    """The bounds of a clause, one a fact, each where most of it shows."""
    search = _BoundSearch(program, clause)
    best: dict[str, Bound] = {}
    tries: dict[str, int] = {}
    for case in sorted(cases, key=lambda c: (len(c.rows) > 1, c.verdict != {"pass"})):
        for place in search.places(case):
            name = search.name(case, place)
            known = best.get(name)
            if tries.get(name, 0) >= TRIES or (known is not None and _worth(known) >= ENOUGH):
                continue
            tries[name] = tries.get(name, 0) + 1
            found = search.around(case, place)
            if found is not None and (known is None or _worth(found) > _worth(known)):
                best[name] = found
    alone = {b.column for b in best.values() if len(b.case.rows) == 1}
    return tuple(b for b in best.values() if len(b.case.rows) == 1 or b.column not in alone)


def _worth(bound: Bound) -> tuple[int, int]:
    """A bound that shows a pass between two breaches tells more than one side of it."""
    return len({s.verdict for s in bound.sides} & {"pass"}), len(bound.sides)


class _BoundSearch:
    """Moves one value of a case and asks the clause again."""

    def __init__(self, program: ir.Program, clause: ir.Clause) -> None:
        self._program = program
        self._clause = clause
        reads = {f for s in clause.statements for f in s.facts}
        nodes = [n for s in clause.statements for n in statement_nodes(s)]
        nodes += [d.expr for d in program.defines if d.name in reads]
        self._numbers, _ = constants(program, nodes)
        self._reads = reads
        self._several = "workload" in clause.scopes

    def places(self, case: Case) -> Iterator[_Place]:
        """The values of a case that the clause could mind; of the elements of one list the first two."""
        for number, row in enumerate(case.rows[:2]):
            for column, value in row.values.items():
                owner = column.split(".")[0]
                own = number == 0 or self._several or owner != column
                if own and owner in self._reads and not isinstance(value, (Unknown, Other)):
                    yield _Place(number, column)

    def name(self, case: Case, place: _Place) -> str:
        """How a place is called: a fact, or the fact of one run among several."""
        if len(case.rows) == 1 or not self._several:
            return place.column
        return f"{place.column} of run {place.row + 1}"

    def around(self, case: Case, place: _Place) -> Bound | None:
        """The values around a case's own at which the verdict changes; None when it never does."""
        value = case.rows[place.row].values[place.column]
        here = self._verdict(case, place, value)
        if here in {"undetermined", "n/a"}:
            return None
        if isinstance(value, (bool, str)):
            others = self._others(place, value)
            sides = [s for s in (self._side(case, place, v) for v in others) if s.verdict != here]
            sides = [s for s in sides if s.verdict != "undetermined"]
            sides = [Side(value, here), *sides] if sides else []
        elif isinstance(value, datetime) or (
            isinstance(value, (int, Fraction)) and value % self._step(place, value) == 0
        ):
            below = self._edge(case, place, value, here, -1)
            above = self._edge(case, place, value, here, 1)
            sides = [*reversed(below), *(s for s in above if s not in below)]
        else:
            sides = []
        if not sides:
            return None
        rest = tuple(
            (at.column, case.rows[0].values[at.column])
            for at in self.places(case)
            if at != place and len(case.rows) == 1
        )
        return Bound(self.name(case, place), place.row, place.column, tuple(sides), rest, case)

    def _verdict(self, case: Case, place: _Place, value: Value) -> str:
        row = case.rows[place.row]
        moved: Row = replace(row, values={**row.values, place.column: value})
        rows = (*case.rows[: place.row], moved, *case.rows[place.row + 1 :])
        return ", ".join(sorted(judged(self._program, self._clause, replace(case, rows=rows))))

    def _side(self, case: Case, place: _Place, value: Value) -> Side:
        return Side(value, self._verdict(case, place, value))

    def _others(self, place: _Place, value: bool | str) -> list[Value]:
        if isinstance(value, bool):
            return [not value]
        spec = self._program.facts.get(place.column)
        return [m for m in (spec.members or {} if spec else {}) if m != value]

    # --- numbers and instants ----------------------------------------------------------

    def _edge(
        self, case: Case, place: _Place, value: int | Fraction | datetime, here: str, way: int
    ) -> list[Side]:
        """The last value on this side with the case's verdict and the next one, which has another."""
        step = self._step(place, value)
        near = Fraction(0)
        for distance in self._distances(value, step, way):
            there = self._verdict(case, place, _moved(value, distance * way))
            if there == here:
                near = distance
                continue
            if there in {"undetermined", "n/a"}:
                return []
            far = distance
            while far - near > step:
                middle = near + step * ((far - near) / step // 2)
                if self._verdict(case, place, _moved(value, middle * way)) == here:
                    near = middle
                else:
                    far = middle
            sides = [self._side(case, place, _moved(value, d * way)) for d in (near, far)]
            return [] if sides[1].verdict in {"undetermined", "n/a"} else sides
        return []

    def _distances(self, value: int | Fraction | datetime, step: Fraction, way: int) -> list[Fraction]:
        """How far away it is worth looking: the clause's own numbers, their neighbours, and ever farther."""
        far = [step * n for n in (1, 2, 4, 8, 16, 64, 256, 1024, 4096)]
        if not isinstance(value, datetime):
            own = (n - Fraction(value) for ns in self._numbers.values() for n in ns)
            far += [abs(d) for d in own if d * way > 0 and d % step == 0]
            if way < 0:  # a count or a size is nothing at least
                far = [d for d in far if Fraction(value) - d >= 0]
        return sorted(set(far))

    def _step(self, place: _Place, value: int | Fraction | datetime) -> Fraction:
        if isinstance(value, datetime):
            return STEPS[1]
        unit = _unit(self._program, place.column)
        return STEPS[0] if unit is None else STEPS[1]


def _moved(value: int | Fraction | datetime, by: Fraction) -> Value:
    if isinstance(value, datetime):
        return value + timedelta(microseconds=int(by * 1_000_000))
    moved = Fraction(value) + by
    return int(moved) if moved.denominator == 1 else moved


def _unit(program: ir.Program, column: str) -> str | None:
    define = next((d for d in program.defines if d.name == column), None)
    if define is not None:
        return define.expr.type.unit
    return program.facts[column].unit if column in program.facts else None
