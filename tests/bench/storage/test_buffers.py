"""Buffers: where they lie, and in what pages."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.storage.buffers import CHUNK, HUGE, Buffer, buffers

HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage")


def address(buffer: Buffer) -> int:
    return int(buffer.ctypes.data)


@settings(deadline=None, max_examples=15)
@given(st.integers(1, 5), st.integers(1, 5))
def test_each_is_aligned_whole_and_its_own(count: int, chunks: int) -> None:
    found = buffers(count, chunks * CHUNK)
    assert [buffer.size for buffer in found] == [chunks * CHUNK] * count
    assert all(address(buffer) % HUGE == 0 for buffer in found)
    assert all(address(left) + left.size <= address(right) for left, right in pairwise(found))
    for number, buffer in enumerate(found):
        buffer[:] = number
    assert all((buffer == number).all() for number, buffer in enumerate(found))


def flags(at: int) -> list[str]:
    """What the system knows of the mapping that holds an address."""
    here = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        first, _, rest = line.partition(" ")
        if "-" in first and not first.endswith(":"):
            start, end = (int(part, 16) for part in first.split("-"))
            here = start <= at < end
        elif here and first == "VmFlags:":
            return rest.split()
    raise AssertionError(f"nothing is mapped at {at:#x}")


@pytest.mark.skipif(not HUGE_PAGES.is_dir(), reason="this kernel has no transparent huge pages")
def test_huge_pages_are_asked_for_in_private_memory() -> None:
    held = buffers(2, CHUNK)
    for buffer in held:
        known = flags(address(buffer))
        assert "hg" in known
        assert "sh" not in known  # huge pages of shared memory are off on most systems
