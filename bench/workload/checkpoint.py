"""The two phases of a run as one rank lives them: write ten checkpoints, then read ten.

A checkpoint takes from the barrier until the slowest rank has its data durable: every file synced
and the folder that names them. Reading ends when the last byte is in memory and verified. Clocks
are monotonic; times of day are recorded for people and never subtracted.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from bench.rank.clock import now
from bench.rank.communicator import Communicator, partner
from bench.rank.events import Events
from bench.rank.host import Host, read_host
from bench.storage.base import Storage
from bench.storage.filesystem import UNKNOWN, kind_of
from bench.storage.meter import Meter
from bench.workload.data import Pattern
from bench.workload.layout import ShardFile, identity, step_folder
from bench.workload.plan import Plan

WRITE, READ = "write", "read"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One checkpoint of one rank."""

    operation: str  # write, read
    number: int  # from 1
    start: str  # time of day
    end: str
    seconds: float  # of this rank
    duration: float  # of the slowest rank
    meter: Meter
    cached: float | None = 0.0  # part of the files in this host's cache before they were read


@dataclass(slots=True)
class RankRecord:
    """All that one rank did."""

    rank: int
    host: Host
    start: str
    reads_of: int  # the rank whose files it read
    end: str = ""
    filesystem: str = UNKNOWN  # the kind that checkpoints lie on, as this host sees it
    ahead: float = 0.0  # seconds by which this host's clock is ahead of the first rank's
    checkpoints: list[Checkpoint] = field(default_factory=list)


def _time() -> str:
    """The time of day with its offset, which tells it apart from the same hour after a clock is set."""
    return now().isoformat(timespec="microseconds")


class Phases:
    """The phases of one rank."""

    def __init__(
        self, plan: Plan, comm: Communicator, storage: Storage, events: Events, ahead: float = 0.0
    ) -> None:
        self._plan = plan
        self._comm = comm
        self._storage = storage
        self._events = events
        hosts = comm.hosts()
        self._reads_of = partner(comm.rank, hosts)
        self.record = RankRecord(comm.rank, read_host(comm.host, hosts[comm.rank]), _time(), self._reads_of)
        self.record.filesystem = kind_of(plan.folder) if plan.in_files else plan.engine
        self.record.ahead = ahead

    def run(self) -> RankRecord:
        """Write, then read, as often as planned. Raises OSError, Corrupt."""
        for number in range(1, self._plan.writes + 1):
            self._checkpoint(WRITE, number, self._comm.rank)
        for number in range(1, self._plan.reads + 1):
            self._checkpoint(READ, number, self._reads_of)
        self.record.end = _time()
        return self.record

    def _checkpoint(self, operation: str, number: int, owner: int) -> None:
        place = number if operation == WRITE else self._plan.reads_from(number)
        folder = self._plan.step(place)
        files = self._plan.files(owner)
        time.sleep(self._plan.interval)
        obsolete = self._plan.obsolete_number(number) if operation == WRITE else None
        if obsolete is not None:
            self._remove(obsolete)
        cached = self._prepare(operation, folder, files)
        self._comm.barrier()
        start, before = _time(), time.monotonic()
        if not self._comm.rank:
            self._events.emit("begin", operation=operation, number=number)
        meter = Meter(self._events.counter(operation, number))
        step = self._write if operation == WRITE else self._read
        step(folder, place, files, meter)
        seconds, end = time.monotonic() - before, _time()
        duration = self._comm.maximum(seconds)
        if operation == WRITE:
            # Only what is durable can be dropped, and dropping is no part of writing.
            self._drop_from_cache(folder, files)
        if not self._comm.rank:
            self._events.emit("end", operation=operation, number=number, duration=duration)
        meter.report = _silent
        self.record.checkpoints.append(
            Checkpoint(operation, number, start, end, seconds, duration, meter, cached)
        )

    def _prepare(self, operation: str, folder: str, files: tuple[ShardFile, ...]) -> float | None:
        """Make the folder that is written to, or take what is read out of this host's cache."""
        if operation == WRITE:
            self._storage.make_folder(folder)
            return 0.0
        return self._drop_from_cache(folder, files)

    def _remove(self, number: int) -> None:
        """Make room: each rank removes what it wrote, and the folder goes when nothing is left in it."""
        folder = self._plan.step(number)
        for file in self._plan.files(self._comm.rank):
            self._storage.remove(f"{folder}/{file.name}")
        self._comm.barrier()
        if not self._comm.rank:
            self._storage.remove_folder(folder)

    def _drop_from_cache(self, folder: str, files: tuple[ShardFile, ...]) -> float | None:
        """Drop files from this host's cache; the largest part that is left, None where nobody can tell."""
        parts = [self._storage.drop_from_cache(f"{folder}/{file.name}").part for file in files]
        known = [part for part in parts if part is not None]
        return max(known, default=0.0) if len(known) == len(parts) else None

    def _write(self, folder: str, number: int, files: tuple[ShardFile, ...], meter: Meter) -> None:
        for file in files:
            self._storage.write(f"{folder}/{file.name}", file.size, self._pattern(number, file), meter)
        if files:
            self._storage.sync_folder(folder, meter)

    def _read(self, folder: str, number: int, files: tuple[ShardFile, ...], meter: Meter) -> None:
        for file in files:
            self._storage.read(f"{folder}/{file.name}", file.size, self._pattern(number, file), meter)

    def _pattern(self, number: int, file: ShardFile) -> Pattern:
        return Pattern(identity(self._plan.model, step_folder(number), file.name))


def _silent(_: int) -> None:
    """A meter that is kept reports to nobody."""
