"""How much memory ranks need, and how much a host can give.

A rank works in a few small buffers whatever its shard is, so that its need is a figure that was
measured once: Python, numpy, MPI and the buffers of its engine. What ranks of a host share, libraries
and MPI's own memory, is counted once: figures are proportional set sizes, Linux's `Pss`.
"""

from __future__ import annotations

from pathlib import Path

MIB = 1 << 20

RANK, OBJECTS = 80 * MIB, 160 * MIB
"""Bytes of one rank that writes files or nothing, and of one that talks to an object store.

The largest rank, in MiB, at the moment when all held most, of three looks a second; with MPICH, and
shards of 26 to 107 MiB (those of 256 ranks: 0.1 MiB):

| engine   | 1 rank | 8 ranks | 64 ranks | 256 ranks |
|----------|--------|---------|----------|-----------|
| null     |        | 34      | 36       | 38        |
| rolling  | 59     | 38      | 39       |           |
| buffered |        | 39      | 40       |           |
| direct   | 71     | 51      | 53       |           |
| objects  |        | 139     |          |           |
"""

MEMINFO, ROLLUP = Path("/proc/meminfo"), Path("/proc/self/smaps_rollup")


def rank_bytes(engine: str) -> int:
    """Bytes of one rank with an engine of bench.storage.ENGINES."""
    return OBJECTS if engine == "objects" else RANK


def available(meminfo: Path = MEMINFO) -> int | None:
    """Bytes that this host can give without swapping; None where the system does not tell."""
    return _field(meminfo, "MemAvailable")


def resident() -> int:
    """Bytes that this process holds already, its part of what it shares; 0 where the system does not tell."""
    return _field(ROLLUP, "Pss") or 0


def _field(path: Path, wanted: str) -> int | None:
    try:
        lines = path.read_text("ascii", "replace").splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, value = line.partition(":")
        words = value.split()
        if name == wanted and len(words) == 2 and words[0].isdecimal() and words[1] == "kB":
            return int(words[0]) * 1024
    return None
