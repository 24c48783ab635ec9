"""Which arrays stand in a file of a checkpoint: what `bench plan --rank` lists.

The ranks write bytes and need no arrays; a person who compares a plan with a training job does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bench.workload.layout import RankCoordinates, ShardFile, layer_arrays, rank_files
from engine.sizing import (
    MODEL_BYTES,
    OPTIMIZER_BYTES,
    Layout,
    by_layer,
    optimizer_bytes,
    writes_model,
    writes_optimizer,
)

OPTIMIZER = ("master_weights", "first_moment", "second_moment")
"""The optimizer's copies of what a rank holds of it."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array: `values` of `width` bytes each."""

    name: str
    values: int
    width: int

    @property
    def bytes(self) -> int:
        """Its size."""
        return self.values * self.width


def rank_arrays(layout: Layout, ranks: int, rank: int) -> list[tuple[ShardFile, tuple[Array, ...]]]:
    """The files that a rank writes for one whole checkpoint, each with its arrays, in their order."""
    placed = layout.on(ranks)
    place = RankCoordinates.of(placed, rank)
    contents: list[tuple[Array, ...]] = []
    if writes_model(placed, place.replica):
        layers = [_layer(layer, arrays) for layer, arrays in layer_arrays(placed, place.stage).items()]
        contents += layers if by_layer(placed) else [tuple(array for arrays in layers for array in arrays)]
    if writes_optimizer(placed, place.replica):
        values = optimizer_bytes(placed) // (OPTIMIZER_BYTES * len(OPTIMIZER))
        contents.append(tuple(Array(name, values, OPTIMIZER_BYTES) for name in OPTIMIZER))
    return list(zip(rank_files(layout, ranks, rank), contents, strict=True))


def _layer(layer: int, arrays: Mapping[str, int]) -> tuple[Array, ...]:
    return tuple(Array(f"layer_{layer}.{name}", values, MODEL_BYTES) for name, values in arrays.items())
