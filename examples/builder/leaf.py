"""One checkpointing run, by what a reviewer could dispute of it.

Values that nobody names are those of a clean run of the model, so that an example or a test says
only what is special about it. What Table 2 says is read from the compiled rules: it has one home.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Final

from engine.rulesets import load
from engine.sizing import GIB, checkpoint, find_layout

START = datetime(2026, 7, 8, 6, 46, 13)
DROP: Final = object()
"""As a value in `metadata` or `summary`: leave the key out."""

TABLES = load("validator").tables
MODELS = tuple(TABLES["table2"])


def cell(model: str, column: str) -> int:
    """A whole number of Table 2."""
    found = TABLES["table2"][model][column]
    if isinstance(found, bool) or not isinstance(found, int):
        raise TypeError(f"{column} of {model} is {found!r}")
    return found


PROCESSES = {model: cell(model, "total_processes") for model in MODELS}
FOLDERS = {model: str(TABLES["table2"][model]["recorded_name"]) for model in MODELS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One checkpointing leaf. None stands for what a clean run of the model records."""

    division: str = "closed"
    org: str = "OrgA"
    system: str = "sys-1"
    model: str = "8B"
    family: str = "checkpointing"
    workload: str | None = None  # the folder; by the model
    timestamp: str | None = None  # the folder; by the start
    command: str = "run"
    processes: int | None = None
    accelerators: int | None = None
    hosts: int | None = None
    slots: bool = True  # the launcher's host list carries `:N`
    memory: float | None = None  # GiB of one host
    declared_memory: float | None = None
    size: float | None = None  # GiB of one checkpoint
    writes: int = 10
    reads: int = 10
    claim: bool | None = None
    partial: bool = False
    accelerator: str | None = "b200"
    access: str = "file"
    same_filesystem: bool | None = False  # None: not probed
    verification: str | None = "CLOSED"
    names: str = "new"  # old: the keys of older tools
    start: datetime = START
    seconds: float = 300
    bookends: str = "both"  # both, start, none: what the tool recorded around the summary's times
    checkpoint_folder: str | None = "/ckpt"
    results_folder: str | None = "/results"
    code_image: str | None = None  # 32 hex digits
    overrides: Mapping[str, object] = field(default_factory=dict)
    metadata: Mapping[str, object] = field(default_factory=dict)  # "args.model": ..., or with slashes
    summary: Mapping[str, object] = field(default_factory=dict)
    without: tuple[str, ...] = ()  # metadata, summary, separation

    @property
    def count(self) -> int:
        """Processes."""
        return PROCESSES[self.model] if self.processes is None else self.processes

    @property
    def host_count(self) -> int:
        """Hosts, 8 accelerators on each."""
        return -(-self.count // 8) if self.hosts is None else self.hosts

    @property
    def written(self) -> float:
        """GiB of one checkpoint."""
        if self.size is not None:
            return self.size
        layout = find_layout(TABLES, self.model)
        if layout is None:
            raise TypeError(f"Table 2 gives no layout of {self.model}")
        return float(Fraction(checkpoint(layout, self.count).total, GIB))

    @property
    def host_memory(self) -> float:
        """GiB of one host, small enough that no client cache holds a checkpoint."""
        return self.written / self.host_count / 4 if self.memory is None else self.memory

    @property
    def stamp(self) -> str:
        """The leaf's folder."""
        return self.start.strftime("%Y%m%d_%H%M%S") if self.timestamp is None else self.timestamp

    @property
    def folder(self) -> str:
        """The workload's folder relative to the package."""
        workload = FOLDERS[self.model] if self.workload is None else self.workload
        return f"{self.division}/{self.org}/results/{self.system}/{self.family}/{workload}"

    @property
    def path(self) -> str:
        """The leaf relative to the package."""
        return f"{self.folder}/{self.stamp}"

    @property
    def host_names(self) -> tuple[str, ...]:
        """Its client hosts."""
        return tuple(f"host-{number:03}" for number in range(1, self.host_count + 1))

    @property
    def placed(self) -> tuple[str, ...]:
        """The launcher's host list: with `:N`, the processes of each, where the leaf has slots."""
        share, rest = divmod(self.count, self.host_count)
        return tuple(
            f"{host}:{share + (place < rest)}" if self.slots else host
            for place, host in enumerate(self.host_names)
        )
