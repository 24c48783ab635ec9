"""Peers of the workload, as MPI ranks: `mpiexec -n N python -m mpi4py benchmarks/ranks.py PEER BYTES FOLDER`.

Each rank does the same work as one of the workload's; the first prints the seconds from a barrier
to the slowest rank's end.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from pathlib import Path

import numpy as np
from mpi4py import MPI

from bench.storage.buffers import CHUNK
from bench.storage.pipeline import STEP
from bench.workload.data import WORD

MODEL_PART = 7
"""Of so many bytes of a shard one is the model's, the others the optimizer's: 2 bytes a value against 12."""


def memcpy(size: int, _: Path) -> float:
    """The same blocks copied in the same small buffer: what no maker of data can beat."""
    block = np.arange(CHUNK // WORD, dtype=np.uint64)
    buffer = np.empty(STEP // WORD, dtype=np.uint64)
    parts = [buffer[start : start + block.size] for start in range(0, buffer.size, block.size)]
    MPI.COMM_WORLD.Barrier()
    before = time.monotonic()
    for number in range(size // CHUNK):
        np.copyto(parts[number % len(parts)], block)
    return time.monotonic() - before


def pickled(size: int, folder: Path) -> float:
    """The whole shard in memory, serialised to a file, never synced: how frameworks save."""
    rng = np.random.default_rng(MPI.COMM_WORLD.rank)
    model = rng.integers(0, 255, size // MODEL_PART, dtype=np.uint8)
    state = {"model": model, "optimizer": rng.integers(0, 255, size - model.size, dtype=np.uint8)}
    path = folder / f"pickled_{MPI.COMM_WORLD.rank}.pt"
    MPI.COMM_WORLD.Barrier()
    before = time.monotonic()
    with path.open("wb") as stream:
        pickle.dump(state, stream)
    taken = time.monotonic() - before
    MPI.COMM_WORLD.Barrier()
    path.unlink()
    return taken


PEERS = {"memcpy": memcpy, "pickled": pickled}


def main() -> None:
    """Run one peer and print its seconds."""
    peer, size, folder = sys.argv[1:]
    seconds = PEERS[peer](int(size), Path(folder))
    slowest = MPI.COMM_WORLD.allreduce(seconds, MPI.MAX)
    if not MPI.COMM_WORLD.rank:
        os.write(1, f"seconds {slowest}\n".encode())


if __name__ == "__main__":
    main()
