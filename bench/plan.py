"""What the ranks of one invocation do: all that they need to know, in one document.

The launcher writes it into the leaf, the first rank reads it and tells the others, and it stays
there: with it the same ranks can be started again by hand.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from bench.layout import ShardFile, rank_files, step_folder
from engine.sizing import Layout, checkpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One invocation of the workload."""

    model: str  # as folders are named, e.g. llama3-8b
    layout: Layout
    ranks: int
    folder: str  # where checkpoints lie, absolute, of this model alone
    leaf: str  # where ranks leave what they record, absolute
    writes: int
    reads: int
    interval: float  # seconds before each checkpoint
    engine: str  # a name in bench.storage.ENGINES
    scale: str = "1"  # the part of each file that is written, as a fraction

    @property
    def part(self) -> Fraction:
        """The scale, exactly."""
        return Fraction(self.scale)

    def files(self, rank: int) -> tuple[ShardFile, ...]:
        """What a rank writes for each checkpoint."""
        return rank_files(self.layout, self.ranks, rank, self.part)

    def step(self, number: int) -> str:
        """The folder of a checkpoint, counted from 1."""
        return f"{self.folder}/{step_folder(number)}"

    def total(self) -> int:
        """Bytes of one checkpoint, exactly."""
        if self.part == 1:
            return checkpoint(self.layout, self.ranks).total
        return sum(file.size for rank in range(self.ranks) for file in self.files(rank))

    def as_json(self) -> str:
        """The document."""
        return json.dumps({"schema": SCHEMA, **asdict(self)}, indent=2) + "\n"

    @classmethod
    def read(cls, path: Path) -> Plan:
        """The plan in a file. Raises OSError, ValueError."""
        held: dict[str, Any] = json.loads(path.read_text("utf-8"))
        if held.pop("schema", None) != SCHEMA:
            raise ValueError(f"{path} is no plan of this version ({SCHEMA})")
        return cls(**{**held, "layout": Layout(**held["layout"])})


SCHEMA = "clausegate/plan/1"
FILE = "plan.json"
