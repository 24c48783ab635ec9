"""What a run needs before it is started: bytes, files, memory, disk and time, from its layout alone.

Neither MPI nor numpy is imported. Ranks of the same pipeline stage that stand alike among the
replicas write the same, so that one of each kind is looked at and the others are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from bench.rank import memory
from bench.workload.arrays import rank_arrays
from bench.workload.layout import RankCoordinates, rank_files
from engine.sizing import Layout, of_ranks

Kind = tuple[int, bool]
"""Pipeline stage, and whether it is the first replica."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one rank, or several together, write for a checkpoint; bytes as scaled."""

    model: int
    optimizer: int
    files: int
    arrays: int

    @property
    def total(self) -> int:
        """Bytes of model and optimizer."""
        return self.model + self.optimizer

    def times(self, count: int) -> Share:
        """So many ranks of the same share."""
        return Share(self.model * count, self.optimizer * count, self.files * count, self.arrays * count)

    def __add__(self, other: Share) -> Share:
        return Share(
            self.model + other.model,
            self.optimizer + other.optimizer,
            self.files + other.files,
            self.arrays + other.arrays,
        )


NOTHING = Share(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class RankGroup:
    """Ranks that write the same amount."""

    first: int  # the lowest of them
    count: int
    stage: int
    replicas: str  # first, others, all
    share: Share


@dataclass(frozen=True, slots=True)
class HostShare:
    """What a host writes, and the memory that its ranks need."""

    host: str
    ranks: int
    share: Share
    rank_memory: int  # bytes of one rank

    @property
    def memory(self) -> int:
        """Bytes."""
        return self.ranks * self.rank_memory


@dataclass(frozen=True, slots=True)
class Timing:
    """How long a run takes at a rate in GiB/s; seconds."""

    rate: Fraction
    checkpoint: Fraction
    run: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """A run that is thought of. `kept` is 0 when all checkpoints stay."""

    model: str  # as folders are named
    layout: Layout
    ranks: int
    hosts: Sequence[tuple[str, int]]  # name, ranks
    writes: int
    reads: int
    interval: Fraction  # seconds before each checkpoint
    part: Fraction = Fraction(1)
    keep: int = 0
    objects: bool = False  # by object access

    def kind(self, rank: int) -> Kind:
        """The kind of a rank."""
        place = RankCoordinates.of(self.layout.on(self.ranks), rank)
        return place.stage, place.replica == 0

    def share(self, rank: int) -> Share:
        """What a rank writes."""
        files = rank_files(self.layout, self.ranks, rank, self.part)
        # The optimizer's file is a rank's last, and a rank of either kind may have none.
        whole = of_ranks(self.layout, self.ranks, rank, rank + 1)
        optimizer = files[-1].size if whole.optimizer else 0
        arrays = sum(len(arrays) for _, arrays in rank_arrays(self.layout, self.ranks, rank))
        return Share(sum(file.size for file in files) - optimizer, optimizer, len(files), arrays)

    def shares(self) -> dict[Kind, Share]:
        """The share of each kind of rank."""
        placed = self.layout.on(self.ranks)
        width = placed.tp * placed.pp
        firsts = (base + stage * placed.tp for base in (0, width) for stage in range(placed.pp))
        return {self.kind(rank): self.share(rank) for rank in firsts if rank < self.ranks}

    def groups(self) -> list[RankGroup]:
        """The ranks in groups of the same share, by stage."""
        shares = self.shares()
        counts, lowest = Counter[Kind](), dict[Kind, int]()
        for rank in range(self.ranks):
            kind = self.kind(rank)
            counts[kind] += 1
            lowest.setdefault(kind, rank)
        found = []
        for stage in range(self.layout.pp):
            first, later = (stage, True), (stage, False)
            if later in shares and shares[later] == shares[first]:
                count = counts[first] + counts[later]
                found.append(RankGroup(lowest[first], count, stage, "all", shares[first]))
                continue
            for kind, name in ((first, "first"), (later, "others")):
                if kind in shares:
                    found.append(RankGroup(lowest[kind], counts[kind], stage, name, shares[kind]))
        return found

    def total(self) -> Share:
        """One checkpoint of all ranks."""
        return sum((group.share.times(group.count) for group in self.groups()), NOTHING)

    def rank_range(self) -> tuple[int, int]:
        """Bytes of the rank that writes least, and of the one that writes most."""
        sizes = [share.total for share in self.shares().values()]
        return min(sizes), max(sizes)

    def per_host(self) -> list[HostShare]:
        """The hosts in their order; ranks are placed on them in blocks."""
        shares, start, found = self.shares(), 0, []
        for host, count in self.hosts:
            kinds = Counter(self.kind(rank) for rank in range(start, start + count))
            share = sum((shares[kind].times(number) for kind, number in kinds.items()), NOTHING)
            found.append(HostShare(host, count, share, self.rank_memory))
            start += count
        return found

    @property
    def rank_memory(self) -> int:
        """Bytes of memory that a rank needs, whatever its share."""
        return memory.OBJECTS if self.objects else memory.RANK

    def at_once(self) -> int:
        """The largest number of checkpoints that lie in the folder at once."""
        return min(self.keep, self.writes) if self.keep else self.writes

    def timing(self, rate: Fraction, total: int) -> Timing:
        """How long a checkpoint of `total` bytes and the whole run take at a rate in GiB/s."""
        one = Fraction(total, 2**30) / rate
        return Timing(rate, one, (self.writes + self.reads) * (one + self.interval))
