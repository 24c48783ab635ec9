"""When the checkpoints of a run were written and read: one time line, so that all its files agree.

The durations are invented from the leaf's own path; the same leaf has the same ones for ever.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from examples.builder.leaf import TABLES, Leaf

INTERVAL = float(str(TABLES["template"]["checkpoint.time_between_checkpoints"]["value"]))
LEAD, TAIL = 20, 2
"""Seconds for which the command runs before and after the workload itself."""

RATES = {"save": 6.0, "load": 9.0}
"""GiB/s of one host, about."""


@dataclass(frozen=True, slots=True)
class Step:
    """One checkpoint written (save) or read (load)."""

    phase: str
    number: int
    start: datetime
    seconds: float


def began(leaf: Leaf) -> datetime:
    """When the workload started. Without bookends that is all that is known, and the leaf's start."""
    return leaf.start + timedelta(seconds=LEAD if leaf.bookends != "none" else 0)


def ended(leaf: Leaf) -> datetime:
    """When the workload ended."""
    return leaf.start + timedelta(seconds=leaf.seconds - (TAIL if leaf.bookends == "both" else 0))


def steps(leaf: Leaf) -> Iterator[Step]:
    """The checkpoints of the run in their order, an interval before each."""
    at = began(leaf)
    for phase, count in (("save", leaf.writes), ("load", leaf.reads)):
        for number in range(1, count + 1):
            at += timedelta(seconds=INTERVAL)
            seconds = _seconds(leaf, phase, number)
            yield Step(phase, number, at, seconds)
            at += timedelta(seconds=seconds)


def timed(leaf: Leaf) -> Leaf:
    """The leaf with the length that its checkpoints give it."""
    spent = sum(INTERVAL + step.seconds for step in steps(leaf))
    return replace(leaf, seconds=round(LEAD + spent + 1 + TAIL, 6))


def varied(leaf: Leaf, /, **changes: Any) -> Leaf:
    """The leaf with other values, and the length that these give it."""
    return timed(replace(leaf, **changes))


def figures(leaf: Leaf) -> dict[str, float]:
    """The published figures: means and deviations over the checkpoints of each phase."""
    found: dict[str, float] = {}
    for phase in RATES:
        seconds = [step.seconds for step in steps(leaf) if step.phase == phase]
        for name, values in (
            ("io_{}_GB_per_second", [leaf.written / one for one in seconds]),
            ("duration_{}_seconds", seconds),
        ):
            if values:
                key = f"{phase}_checkpoint_{name}"
                found[key.format("mean")] = statistics.fmean(values)
                found[key.format("stdev")] = statistics.pstdev(values)
    return {**found, "checkpoint_size_GB": leaf.written}


def _seconds(leaf: Leaf, phase: str, number: int) -> float:
    luck = random.Random(f"{leaf.path} {phase} {number}").uniform(0.96, 1.04)  # noqa: S311  # no secret
    return round(max(0.001, leaf.written / leaf.host_count / RATES[phase] * luck), 6)
