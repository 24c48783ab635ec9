"""Two things timed in turn within one run, so that a busy machine slows both alike.

Only the ratio of the medians means something; what it may be at most is printed beside it.
"""

from __future__ import annotations

import statistics
import subprocess
import time
import timeit
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
Timed = Callable[[], float]
"""Does its work once and tells the seconds that it took."""

UNITS = ((1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
UNROLLED = 10
"""Calls in one pass of the loop that times a function, so that the loop itself weighs nothing."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The medians of what is measured and of what it is measured against."""

    seconds: float
    against: float
    limit: float | None = None  # None: the ratio is shown and not judged

    @property
    def ratio(self) -> float:
        """How many times as long it takes."""
        return self.seconds / self.against

    @property
    def kept(self) -> bool:
        """Whether the ratio is within its limit."""
        return self.limit is None or self.ratio <= self.limit


def in_turn(contestants: Sequence[T], rounds: int) -> Iterator[list[T]]:
    """The contestants of each round, each round in another order."""
    for number in range(rounds):
        first = number % len(contestants)
        yield [*contestants[first:], *contestants[:first]]


def compare(
    title: str,
    measured: tuple[str, Timed],
    against: tuple[str, Timed],
    *,
    rounds: int,
    limit: float | None = None,
) -> Comparison:
    """Times both in turn, prints medians and ratio, and returns them."""
    contestants = (against, measured)
    for _, timed in contestants:  # once for compiled files and caches, not counted
        timed()
    taken: dict[str, list[float]] = {name: [] for name, _ in contestants}
    for order in in_turn(contestants, rounds):
        for name, timed in order:
            taken[name].append(timed())
    medians = {name: statistics.median(found) for name, found in taken.items()}
    found = Comparison(medians[measured[0]], medians[against[0]], limit)
    print(f"{title}; medians of {rounds} rounds in turn")
    for name, seconds in medians.items():
        print(f"  {name:<48} {spelled(seconds)}")
    print(f"  {'ratio':<48} {found.ratio:7.2f}" + (f", at most {limit:g}" if limit is not None else ""))
    return found


def spelled(seconds: float) -> str:
    """A time in the unit that suits it."""
    scale, unit = next((one for one in UNITS if seconds >= one[0]), UNITS[-1])
    return f"{seconds / scale:7.1f} {unit}"


def calls(function: Callable[..., object], argument: object, number: int) -> Timed:
    """The seconds of one call, as the mean of some number of them."""
    passes = -(-number // UNROLLED)
    timer = timeit.Timer(
        "; ".join(["function(argument)"] * UNROLLED), globals={"function": function, "argument": argument}
    )
    return lambda: timer.timeit(passes) / (passes * UNROLLED)


def process(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> Timed:
    """The time from the start of a process to its end, which must be a good one."""

    def timed() -> float:
        start = time.perf_counter()
        subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - start

    return timed
