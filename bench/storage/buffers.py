"""Memory that requests are made from: aligned, touched, and in huge pages where the system has them.

A request for direct I/O is cut where its memory is not contiguous. In pages of 4 KiB that is at
every page: devices take a few hundred pieces in a request, and a request of 4 MiB becomes several,
one after the other. In huge pages it is two pieces.
"""

from __future__ import annotations

import mmap
from contextlib import suppress

import numpy as np
import numpy.typing as npt

Buffer = npt.NDArray[np.uint8]
"""Bytes in memory; the length is a multiple of CHUNK wherever one is filled or checked."""

CHUNK = 1 << 20
"""Bytes that are filled or checked at once: offsets of fills and checks are multiples of it."""

HUGE = 2 << 20
"""Bytes of a huge page on most systems; where it is another size, this is an alignment and no more."""


def buffers(count: int, size: int) -> list[Buffer]:
    """So many buffers of `size` bytes, aligned to pages and already touched."""
    each = -(-size // HUGE) * HUGE
    # Private: huge pages of shared memory are a setting of their own, and off where nobody asked for them.
    memory = mmap.mmap(-1, count * each + HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with suppress(OSError):  # a kernel without huge pages; small ones work too
        memory.madvise(mmap.MADV_HUGEPAGE)
    whole = np.frombuffer(memory, dtype=np.uint8)
    first = -whole.ctypes.data % HUGE
    found = [whole[start : start + size] for start in range(first, first + count * each, each)]
    for buffer in found:  # what memory costs when it is first touched is no part of a checkpoint
        buffer[:] = 1
    return found
