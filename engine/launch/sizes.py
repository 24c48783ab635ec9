"""What a launch will write and what it needs: the answer of `datasize`, and the capacity line.

Nothing is judged here. A submitter sees, before any storage is bought or filled, what one rank,
one host and the whole run write.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from engine.evidence.worked_out import planned
from engine.launch.facts import LaunchFacts
from engine.launch.request import Request, declared
from engine.runtime import host_lists
from engine.runtime.roles import HOSTS, MEMORY, WRITES, flag_of, name_of
from engine.runtime.ruleset import RuleSet
from engine.sizing import GIB, Layout, checkpoint, human, of_ranks, per_rank


class Sizes(NamedTuple):
    """Bytes of one checkpoint and of a run; `kept` is the number of checkpoints it writes.

    They are exact but with --scale: the parts of single files are whole bytes, so that a run writes
    less than one byte a file less than is said here.
    """

    ranks: int
    hosts: int
    kept: int
    files: int
    model: int
    optimizer: int
    rank: tuple[int, int]  # smallest, largest
    host: tuple[int, int]  # smallest, largest
    memory: Fraction | None  # GiB of one host, as declared
    part: Fraction = Fraction(1)  # what --scale leaves of each file; the sizes above are scaled already

    @property
    def total(self) -> int:
        """Bytes of one checkpoint."""
        return self.model + self.optimizer

    @property
    def capacity(self) -> int:
        """Bytes of every checkpoint that the run writes."""
        return self.total * self.kept

    def as_json(self) -> dict[str, Any]:
        """The `sizes` of the report; bytes, with --scale to one a file."""
        return {
            "processes": self.ranks,
            "hosts": self.hosts,
            "checkpoints": self.kept,
            "files": self.files,
            "model_bytes": self.model,
            "optimizer_bytes": self.optimizer,
            "checkpoint_bytes": self.total,
            "rank_bytes": list(self.rank),
            "host_bytes": list(self.host),
            "capacity_bytes": self.capacity,
            "declared_host_memory_bytes": None if self.memory is None else int(self.memory * GIB),
        }

    def capacity_line(self) -> str:
        """`10 checkpoints of 113.9 GiB: 1.11 TiB`."""
        if not self.kept:
            return "no checkpoint is written"
        plural = "" if self.kept == 1 else "s"
        one, all_of_them = human(self.total), human(self.capacity)
        if self.part == 1:
            return f"{self.kept} checkpoint{plural} of {one}: {all_of_them}"
        return f"{self.kept} checkpoint{plural} of about {one} at scale {float(self.part):g}: {all_of_them}"

    def lines(self) -> list[str]:
        """The sizes for people."""
        found = [
            f"one checkpoint   {'' if self.part == 1 else 'about '}{human(self.total)} in {self.files} files",
            f"  of these       model {human(self.model)}, optimizer {human(self.optimizer)}",
            f"a rank writes    {_range(self.rank)}",
            f"a host writes    {_range(self.host)} on {self.hosts} host{'' if self.hosts == 1 else 's'}",
            f"capacity         {self.capacity_line()}",
        ]
        if self.memory is not None:
            declared_bytes = int(self.memory * GIB)
            found.append(f"host memory      {human(declared_bytes)} declared, {self._ratio(declared_bytes)}")
        return found

    def _ratio(self, memory: int) -> str:
        if not memory:
            return "which is none"
        return f"a host writes {float(Fraction(self.host[1], memory)):.2f} times as much"


def sizes(
    ruleset: RuleSet, request: Request, known: LaunchFacts, part: Fraction = Fraction(1)
) -> Sizes | None:
    """The sizes of a launch that writes a part of each file; None without a layout or ranks."""
    plan = planned(ruleset, known.leaf)
    if plan is None or plan[1] < 1:
        return None
    layout, ranks = plan
    whole = checkpoint(layout, ranks)
    placed = placement(ruleset, request, ranks)
    kept, memory = (_number(ruleset, known, role) for role in (WRITES, MEMORY))
    return Sizes(
        ranks=ranks,
        hosts=len(placed),
        kept=0 if kept is None else int(kept),
        files=whole.files,
        model=int(whole.model * part),
        optimizer=int(whole.optimizer * part),
        rank=_scaled(per_rank(layout, ranks), part),
        host=_scaled(_per_host(layout, ranks, placed), part),
        memory=None if memory is None else Fraction(memory),
        part=part,
    )


def _scaled(ends: tuple[int, int], part: Fraction) -> tuple[int, int]:
    return int(ends[0] * part), int(ends[1] * part)


def _number(ruleset: RuleSet, known: LaunchFacts, role: str) -> int | Fraction | None:
    value = known.leaf.get(name_of(ruleset, role))
    return value if isinstance(value, (int, Fraction)) and not isinstance(value, bool) else None


def placement(ruleset: RuleSet, request: Request, ranks: int) -> tuple[int, ...]:
    """Ranks of each host: as the host list says, else spread evenly, in blocks."""
    option = declared(ruleset).get(flag_of(ruleset, HOSTS))
    texts = request.given(option) if option is not None else ()
    own = host_lists.own_names()
    fixed = host_lists.placement(texts, ranks, own)
    count = max(1, len(host_lists.names(texts, own)))
    share, rest = divmod(ranks, count)
    return fixed or tuple(share + (place < rest) for place in range(count))


def _per_host(layout: Layout, ranks: int, placed: tuple[int, ...]) -> tuple[int, int]:
    found, start = [], 0
    for count in placed:
        found.append(of_ranks(layout, ranks, start, start + count).total)
        start += count
    return min(found), max(found)


def _range(ends: tuple[int, int]) -> str:
    low, high = (human(end) for end in ends)
    return low if low == high else f"{low} to {high}"
