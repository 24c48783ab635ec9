"""Which files a rank writes for one checkpoint, from the layout of the model over the ranks.

`engine.sizing` counts the same bytes in closed form, for the gate; both take their arrays from
there, and a test holds that they add up to the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from engine.sizing import (
    MODEL_BYTES,
    Layout,
    block,
    blocks_of,
    by_layer,
    edges,
    optimizer_bytes,
    writes_model,
    writes_optimizer,
)


@dataclass(frozen=True, slots=True)
class ShardFile:
    """One file of a checkpoint; `size` in bytes. `name` is relative to the checkpoint's folder."""

    name: str
    size: int

    def scaled(self, scale: Fraction) -> ShardFile:
        """The same file with a part of its bytes, at least one."""
        return ShardFile(self.name, max(1, int(self.size * scale)))


@dataclass(frozen=True, slots=True)
class RankCoordinates:
    """Where a rank stands: tensor-parallel index first, then pipeline stage, then replica."""

    tensor: int
    stage: int
    replica: int

    @classmethod
    def of(cls, layout: Layout, rank: int) -> RankCoordinates:
        """The place of a rank."""
        width = layout.tp * layout.pp
        return cls(rank % layout.tp, rank // layout.tp % layout.pp, rank // width)


def step_folder(step: int) -> str:
    """The folder of checkpoint number `step`, counted from 1."""
    return f"global_epoch1_step{step}"


_STEP = re.compile(re.escape(step_folder(0)).replace("0", "([1-9][0-9]*)"))


def step_number(name: str) -> int | None:
    """The number of the checkpoint whose folder has this name; None when it is another's."""
    found = _STEP.fullmatch(name)
    return int(found[1]) if found else None


def identity(model: str, folder: str, name: str) -> str:
    """What a file's bytes follow from: model, folder of the checkpoint, and name."""
    return f"{model}/{folder}/{name}"


def rank_files(layout: Layout, ranks: int, rank: int, scale: Fraction = Fraction(1)) -> tuple[ShardFile, ...]:
    """The files that rank `rank` of `ranks` writes for a checkpoint; () for a rank that writes none.

    Args:
        layout: the model and its layout as published; it is placed on `ranks` ranks here.
        ranks: ranks of the run.
        rank: from 0.
        scale: the part of each file's bytes that is written, above 0 and at most 1.
    """
    placed = layout.on(ranks)
    place = RankCoordinates.of(placed, rank)
    group = rank % (placed.tp * placed.pp)
    files: list[ShardFile] = []
    if writes_model(placed, place.replica):
        files += _model_files(placed, place, group)
    if writes_optimizer(placed, place.replica):
        name = f"zero_pp_rank_{place.replica}_mp_rank_{group}_optim_states.pt"
        files.append(ShardFile(name, optimizer_bytes(placed)))
    return tuple(file.scaled(scale) for file in files)


def _model_files(layout: Layout, place: RankCoordinates, group: int) -> list[ShardFile]:
    layers = {layer: elements * MODEL_BYTES for layer, elements in _layers(layout, place.stage).items()}
    if by_layer(layout):
        return [
            ShardFile(f"layer_{layer}-model_{group}_model_states.pt", size) for layer, size in layers.items()
        ]
    sharded = layout.zero_stage in (0, 3)
    name = f"zero_pp_rank_{place.replica}_mp_rank_{group}" if sharded else f"model_{group}"
    return [ShardFile(f"{name}_model_states.pt", sum(layers.values()))]


def _layers(layout: Layout, stage: int) -> dict[int, int]:
    """Model values of each layer of a stage."""
    return {layer: sum(arrays.values()) for layer, arrays in layer_arrays(layout, stage).items()}


def layer_arrays(layout: Layout, stage: int) -> dict[int, dict[str, int]]:
    """Model values of each array of each layer of a stage.

    Layer 0 is the embedding, L + 1 the head, L + 2 the final norm.
    """
    edge = edges(layout)
    found = {0: {"embedding": edge["embedding"]}} if stage == 0 else {}
    found |= dict.fromkeys(blocks_of(layout, stage), block(layout))
    if stage == layout.pp - 1:
        found |= {
            layout.layers + 1: {"head": edge["head"]},
            layout.layers + 2: {"final_norm": edge["final_norm"]},
        }
    return found
