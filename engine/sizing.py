"""How many bytes a checkpoint of a transformer has, rank by rank, from its layout alone.

Capacity, memory and the "planned" size are judged before a run, when nothing has been written
yet, so they must come from the arrays themselves and not from a printed size. Everything is an
exact integer; ranks are counted in closed form, so a million ranks cost no more than eight.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from engine.runtime.ruleset import Cell, Tables

GIB = 2**30

MODEL_BYTES = 2  # a model value is a half-precision float
OPTIMIZER_BYTES = 4  # the optimizer keeps single precision
OPTIMIZER_COPIES = 3  # master weights and two moments


class Layout(NamedTuple):
    """A model and how it is split over ranks: the columns that a model's table row must have."""

    hidden_dimension: int
    ffn_size: int
    attention_heads: int
    kv_heads: int
    layers: int
    vocabulary: int
    tp: int
    pp: int
    dp: int
    total_processes: int
    zero_stage: int

    def on(self, ranks: int) -> Layout:
        """The layout on another number of ranks.

        A short run keeps its data parallelism and simply lacks the later ranks; a longer one
        adds replicas of the model.
        """
        if ranks <= self.total_processes:
            return self
        return Layout(
            self.hidden_dimension,
            self.ffn_size,
            self.attention_heads,
            self.kv_heads,
            self.layers,
            self.vocabulary,
            self.tp,
            self.pp,
            max(1, ranks // (self.tp * self.pp)),
            ranks,
            self.zero_stage,
        )


class Size(NamedTuple):
    """What a set of ranks writes for one checkpoint."""

    model: int  # bytes
    optimizer: int  # bytes
    files: int

    @property
    def total(self) -> int:
        """Bytes of model and optimizer together."""
        return self.model + self.optimizer

    def __sub__(self, other: Size) -> Size:
        return Size(self.model - other.model, self.optimizer - other.optimizer, self.files - other.files)


COLUMNS = Layout._fields


def layout_of(row: Mapping[str, Cell]) -> Layout | None:
    """The layout in a table's row; None when a column is missing or holds no positive number."""
    numbers = [row.get(column) for column in COLUMNS]
    found: list[int] = []
    for column, number in zip(COLUMNS, numbers, strict=True):
        if isinstance(number, bool) or not isinstance(number, int):
            return None
        if number < (0 if column == "zero_stage" else 1):
            return None
        found.append(number)
    return Layout(*found)


def find_layout(tables: Tables, model: object) -> Layout | None:
    """The layout of a model: the row of that name in the table that holds layouts."""
    for rows in tables.values():
        row = rows.get(model) if isinstance(model, str) else None
        layout = layout_of(row) if row is not None else None
        if layout is not None:
            return layout
    return None


def parameters(layout: Layout) -> int:
    """P, the number of parameters of the whole model."""
    h, f, kv = layout.hidden_dimension, layout.ffn_size, _kv(layout)
    block = 2 * h + h * (h + 2 * kv) + h * h + 3 * h * f
    return 2 * layout.vocabulary * h + layout.layers * block + h


def _kv(layout: Layout) -> int:
    """Width of the key (or value) projection under grouped-query attention."""
    return layout.hidden_dimension // layout.attention_heads * layout.kv_heads


def block(layout: Layout) -> dict[str, int]:
    """Model values of each array of one block that one rank holds; every division floors, array by array."""
    h, f, kv = layout.hidden_dimension, layout.ffn_size, _kv(layout)
    matrices = {"qkv": h * (h + 2 * kv), "attention_output": h * h, "ffn_up": 2 * h * f, "ffn_down": f * h}
    norms = {"attention_norm": h, "ffn_norm": h}
    split = {name: _shard(layout, elements // layout.tp) for name, elements in matrices.items()}
    return split | {name: _shard(layout, elements) for name, elements in norms.items()}


def edges(layout: Layout) -> dict[str, int]:
    """Model values that a rank holds of the embedding (first stage), output head and final norm (last)."""
    wide = _shard(layout, layout.hidden_dimension * layout.vocabulary // layout.tp)
    return {"embedding": wide, "head": wide, "final_norm": _shard(layout, layout.hidden_dimension)}


def _shard(layout: Layout, elements: int) -> int:
    """ZeRO 3 shards the model over the replicas too."""
    return elements // layout.dp if layout.zero_stage == 3 else elements


def blocks_of(layout: Layout, stage: int) -> range:
    """The blocks, counted from 1, of a pipeline stage: contiguous, the first stages take one more."""
    share, rest = divmod(layout.layers, layout.pp)
    first = stage * share + min(stage, rest)
    return range(first + 1, first + 1 + share + (stage < rest))


def by_layer(layout: Layout) -> bool:
    """Whether each layer of the model is a file of its own: a pipeline without sharded model values."""
    return layout.zero_stage in (1, 2) and layout.pp > 1


def writes_model(layout: Layout, replica: int) -> bool:
    """Whether ranks of this data-parallel replica write model values: all under ZeRO 3, else the first."""
    return layout.zero_stage == 3 or replica == 0


def writes_optimizer(layout: Layout, replica: int) -> bool:
    """Whether ranks of this data-parallel replica write optimizer values: all, unless none are sharded."""
    return layout.zero_stage != 0 or replica == 0


def optimizer_bytes(layout: Layout) -> int:
    """Bytes of the optimizer values of a rank that writes them."""
    shards = 1 if layout.zero_stage == 0 else layout.dp
    values = parameters(layout) // (layout.tp * layout.pp * shards) + 5 * layout.hidden_dimension
    return OPTIMIZER_BYTES * OPTIMIZER_COPIES * values


def _stage_elements(layout: Layout, stage: int) -> tuple[int, int]:
    """(model values, layers) that a rank of this pipeline stage holds."""
    layers, edge = len(blocks_of(layout, stage)), edges(layout)
    elements = layers * sum(block(layout).values())
    if stage == 0:
        elements, layers = elements + edge["embedding"], layers + 1
    if stage == layout.pp - 1:
        elements, layers = elements + edge["head"] + edge["final_norm"], layers + 2
    return elements, layers


# The search for the nearest legal launch asks for the same few sizes thousands of times.
@lru_cache(maxsize=1024)
def first_ranks(layout: Layout, count: int) -> Size:
    """What ranks 0 to `count` - 1 of the layout write, without changing its data parallelism."""
    width = layout.tp * layout.pp
    replicas, rest = divmod(max(0, count), width)
    optimizer = optimizer_bytes(layout)
    model = written = files = 0
    for stage in range(layout.pp):
        ranks = replicas * layout.tp + min(max(rest - stage * layout.tp, 0), layout.tp)
        first = min(max(count - stage * layout.tp, 0), layout.tp)  # ranks of the first replica
        model_writers = ranks if writes_model(layout, replica=1) else first
        optimizer_writers = ranks if writes_optimizer(layout, replica=1) else first
        elements, layers = _stage_elements(layout, stage)
        model += MODEL_BYTES * elements * model_writers
        written += optimizer * optimizer_writers
        files += (layers if by_layer(layout) else 1) * model_writers + optimizer_writers
    return Size(model, written, files)


def checkpoint(layout: Layout, ranks: int) -> Size:
    """One checkpoint of a run on `ranks` ranks, all of them together."""
    return first_ranks(layout.on(ranks), ranks)


def of_ranks(layout: Layout, ranks: int, start: int, stop: int) -> Size:
    """What ranks `start` to `stop` - 1 of a run on `ranks` ranks write."""
    placed = layout.on(ranks)
    return first_ranks(placed, stop) - first_ranks(placed, start)


def per_rank(layout: Layout, ranks: int) -> tuple[int, int]:
    """The smallest and the largest number of bytes that one rank of the run writes."""
    if ranks < 1:
        return 0, 0
    width = layout.tp * layout.pp
    # Ranks differ by stage and by whether they belong to the first replica: one of each decides.
    stages = [stage * layout.tp for stage in range(layout.pp)]
    probes = [rank for base in (0, width) for rank in (base + s for s in stages) if rank < ranks]
    sizes = [of_ranks(layout, ranks, rank, rank + 1).total for rank in probes]
    return min(sizes), max(sizes)


def gib(size: int) -> Fraction:
    """Bytes as GiB, exactly."""
    return Fraction(size, GIB)


def human(size: int) -> str:
    """Bytes for people, in binary units, three digits or a little more: `113.9 GiB`, `1.11 TiB`."""
    value, unit = Fraction(size), "B"
    if size < 1024:
        return f"{size} B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"):
        if value < 1000 or unit == "EiB":
            break
        value /= 1024
    digits = 2 if value < 10 else 1
    return f"{float(value):.{digits}f} {unit}"
