"""The other values that are tried for an option of a refused run, each with how much it disturbs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log

from engine.launch.request import Declared, Request
from engine.runtime import host_lists
from engine.runtime.ruleset import RuleSet, Tables

LARGEST, MOST_HOSTS = 2**22, 4096
"""No proposal has more processes, or more hosts, than this."""

GROWTH = 1.12
"""The step between numbers of hosts that are far from the given one."""

RANKS = {"flag": 0, "number": 1, "hosts": 2, "list": 3, "name": 4}
"""How much a change disturbs what was asked for, least first."""


@dataclass(frozen=True, slots=True)
class Change:
    """Another value for an option: its texts, what kind of change it is, and how far it goes."""

    flag: str
    texts: tuple[str, ...]
    rank: int
    distance: float


def changes(ruleset: RuleSet, request: Request, option: Declared, most: int) -> Iterator[Change]:
    """Other values of one option, at most `most` of them."""
    given = request.given(option)
    spec = option.spec
    if option.switch:
        yield Change(option.flag, () if given else ("yes",), RANKS["flag"], 0.0)
    elif spec.type in ("integer", "number") and option.several:
        named = len(host_lists.names(given, host_lists.own_names()))
        for number in _counts(named, most):
            texts = tuple(f"?{place}" for place in range(number))
            yield Change(option.flag, texts, RANKS["hosts"], _distance(named, number))
    elif spec.type in ("integer", "number"):
        now = whole(given)
        for number in _numbers(ruleset.tables, now, most):
            yield Change(option.flag, (str(number),), RANKS["number"], _distance(now, number))
    elif spec.type == "list":
        kept = [(given[:place] + given[place + 1 :]) for place in range(len(given))][:most]
        for texts in [*kept, ()] if len(given) > 1 else kept:
            yield Change(option.flag, texts, RANKS["list"], float(len(given) - len(texts)))
    elif spec.type == "enum":
        offered = spec.launch.offered if spec.launch is not None else None
        for place, member in enumerate(spec.members or {}):
            if offered is None or request.division in offered.get(member, ()):
                yield Change(option.flag, (member,), RANKS["name"], float(place))


def whole(texts: Sequence[str]) -> int | None:
    """The last text as a whole number; None when it is none."""
    try:
        return int(texts[-1]) if texts else None
    except ValueError:
        return None


def _distance(now: int | None, number: int) -> float:
    """How far a number goes; of two that go equally far the larger is a little nearer."""
    if now is None:
        return float(number)
    return abs(number - now) - (0.25 if number > now else 0.0) + log(1 + number) * 1e-6


def _counts(now: int, most: int) -> list[int]:
    """Numbers of hosts: those near the given one, and farther ones in growing steps, down to one host."""
    near = range(now - most // 4, now + most // 4 + 1)
    far = {max(1, round(now * GROWTH**step)) for step in range(-80, 25)}
    wanted = sorted(
        (n for n in {*near, *far} if 1 <= n <= MOST_HOSTS and n != now), key=lambda n: _distance(now, n)
    )
    first, rest = wanted[: most // 2], wanted[most // 2 :]
    every = -(-len(rest) // max(1, most - len(first))) or 1
    few = sorted({*rest[every - 1 :: every], *({1} & set(rest))}, key=lambda n: _distance(now, n))
    return first + few


def _numbers(tables: Tables, now: int | None, most: int) -> list[int]:
    """Numbers worth trying: those in the document's tables first, multiples of them, neighbours.

    A clause's bound is one of these or is reached through one of them.
    """
    cells = {0, *_whole_cells(tables)} - {now}
    others: set[int] = set()
    if now is not None:
        others |= {now + step for step in range(-8, 9)}
        for unit in _units(tables):
            below = now // unit * unit
            others |= {below, below + unit, below - unit}
    others = {n for n in others - cells if 0 <= n <= LARGEST and n != now}
    first, second = (sorted(found, key=lambda n: _distance(now, n)) for found in (cells, others))
    return [*first, *second][:most]


def _whole_cells(tables: Tables) -> set[int]:
    return {
        cell
        for rows in tables.values()
        for row in rows.values()
        for cell in row.values()
        if isinstance(cell, int) and not isinstance(cell, bool) and 0 < cell <= LARGEST
    }


def _units(tables: Tables) -> set[int]:
    """What a legal number may have to be a multiple of: a cell, or the product of two of one row."""
    found: set[int] = set()
    for rows in tables.values():
        for row in rows.values():
            cells = [c for c in row.values() if isinstance(c, int) and not isinstance(c, bool) and c > 0]
            found |= {*cells, *(a * b for a, b in combinations(cells, 2))}
    return {unit for unit in found if 1 < unit <= LARGEST}
