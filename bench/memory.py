"""How much memory ranks need, and how much a host can give.

A rank works in a few small buffers whatever its shard is, so that its need is a figure that was
measured once: Python, numpy, MPI and the buffers of the engine with the most of them.
"""

from __future__ import annotations

from pathlib import Path

MIB = 1 << 20

RANK = 128 * MIB
"""Bytes of one rank. Peaks of 80 to 100 MiB were measured; the rest is for MPI's connections."""

MEMINFO, STATUS = Path("/proc/meminfo"), Path("/proc/self/status")


def available(meminfo: Path = MEMINFO) -> int | None:
    """Bytes that this host can give without swapping; None where the system does not tell."""
    return _field(meminfo, "MemAvailable")


def resident() -> int:
    """Bytes that this process holds already; 0 where the system does not tell."""
    return _field(STATUS, "VmRSS") or 0


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
