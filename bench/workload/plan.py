"""What the ranks of one invocation do: all that they need to know, in one document.

The launcher writes it into the leaf, the first rank reads it and tells the others, and it stays
there: with it the same ranks can be started again by hand. Which leaf that is, the plan says by
the folder that it lies in, and nowhere else: a leaf is renamed when its run has ended well, and a
package is copied.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from bench.workload.layout import ShardFile, rank_files, step_folder
from engine.evidence.layout import UNFINISHED
from engine.sizing import Layout, checkpoint

CLOCK_SKEW = 2.0
"""Seconds when nobody says otherwise: far below the intervals that are judged by times of day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One invocation of the workload."""

    model: str  # as folders are named, e.g. llama3-8b
    layout: Layout
    ranks: int
    folder: str  # where checkpoints lie, absolute, of this model alone
    leaf: str = ""  # where ranks leave what they record, absolute; not a part of the document
    writes: int
    reads: int
    interval: float  # seconds before each checkpoint
    engine: str  # a name in bench.storage.ENGINES
    scale: str = "1"  # the part of each file that is written, as a fraction
    keep: int = 0  # how many checkpoints lie in the folder at once, the newest; 0 is all
    sources: tuple[int, ...] = ()  # the checkpoints that are read, in turn; () is from the first on
    placed: bool = False  # whether ranks that only read lie on the hosts on which they wrote
    clock_skew: float = CLOCK_SKEW  # seconds that clocks of hosts may be apart

    @property
    def part(self) -> Fraction:
        """The scale, exactly."""
        return Fraction(self.scale)

    @property
    def in_files(self) -> bool:
        """Whether checkpoints are files that hosts see: neither nothing nor objects of a store."""
        return self.engine not in NO_FILES

    def files(self, rank: int) -> tuple[ShardFile, ...]:
        """What a rank writes for each checkpoint."""
        return rank_files(self.layout, self.ranks, rank, self.part)

    def step(self, number: int) -> str:
        """The folder of a checkpoint, counted from 1."""
        return f"{self.folder}/{step_folder(number)}"

    def obsolete_number(self, number: int) -> int | None:
        """The checkpoint that makes room before checkpoint `number` is written."""
        return number - self.keep if self.keep and number > self.keep else None

    @property
    def kept_numbers(self) -> range:
        """The checkpoints of this run that lie in the folder when all are written."""
        return range(max(1, self.writes - self.keep + 1) if self.keep else 1, self.writes + 1)

    def reads_from(self, number: int) -> int:
        """The checkpoint that is read as the `number`th, both counted from 1."""
        return self.sources[(number - 1) % len(self.sources)] if self.sources else number

    def total(self) -> int:
        """Bytes of one checkpoint, exactly."""
        if self.part == 1:
            return checkpoint(self.layout, self.ranks).total
        return sum(file.size for rank in range(self.ranks) for file in self.files(rank))

    def as_json(self) -> str:
        """The document."""
        fields = {name: value for name, value in asdict(self).items() if name != "leaf"}
        return json.dumps({"schema": SCHEMA, **fields, "layout": self.layout._asdict()}, indent=2) + "\n"

    @property
    def leaves_record(self) -> bool:
        """Whether ranks leave a record: a leaf that has its final name is not changed by another start."""
        return self.leaf.endswith(UNFINISHED)

    @classmethod
    def read(cls, path: Path) -> Plan:
        """The plan in a file; while its run has not ended, that of a leaf has not got its name yet.

        Raises OSError, ValueError.
        """
        folder = path.absolute().parent
        if not folder.exists():
            path = folder.with_name(folder.name + UNFINISHED) / path.name
        fields: dict[str, Any] = json.loads(path.read_text("utf-8"))
        if fields.pop("schema", None) != SCHEMA:
            raise ValueError(f"{path} is no plan of this version ({SCHEMA})")
        sources = tuple(fields.pop("sources", ()))
        leaf = str(path.absolute().parent)
        return cls(**{**fields, "layout": Layout(**fields["layout"]), "sources": sources, "leaf": leaf})


SCHEMA = "clausegate/plan/1"
NO_FILES = frozenset({"null", "objects"})
"""Engines that write no files."""

FILE = "plan.json"
