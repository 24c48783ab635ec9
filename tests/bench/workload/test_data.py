"""The bytes of a checkpoint: every one known from file and offset, and no two files alike."""

from __future__ import annotations

import lzma
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.storage.base import Mismatch
from bench.storage.buffers import CHUNK, Buffer
from bench.workload.data import Pattern

SIZES = st.one_of(
    st.integers(1, 64),
    st.integers(CHUNK - 9, CHUNK + 9),
    st.integers(1, 3 * CHUNK),
)
PINNED = "852dedeb6d22409035f0d071e1faa194"
CHUNKS = st.integers(0, 2**43)
"""The chunk that a fill begins with: up to files of 8 EiB."""


def buffer_for(size: int) -> Buffer:
    return np.zeros(-(-size // CHUNK) * CHUNK, dtype=np.uint8)


def content(identity: str, size: int, step: int = CHUNK) -> bytes:
    """A file's bytes, made in steps of so many bytes."""
    pattern, found = Pattern(identity), []
    for offset in range(0, size, step):
        buffer = buffer_for(step)
        count = min(step, size - offset)
        pattern.fill(buffer, offset, count)
        found.append(buffer[:count].tobytes())
    return b"".join(found)


@settings(deadline=None, max_examples=50)
@given(SIZES, CHUNKS)
def test_what_was_filled_is_what_is_checked(size: int, chunk: int) -> None:
    buffer = buffer_for(size)
    Pattern("file").fill(buffer, chunk * CHUNK, size)
    assert Pattern("file").check(buffer, chunk * CHUNK, size) is None


@settings(deadline=None, max_examples=100)
@given(SIZES, CHUNKS, st.integers(1, 255), st.data())
def test_any_one_byte_that_is_changed_is_found_with_its_place_and_values(
    size: int, chunk: int, change: int, data: st.DataObject
) -> None:
    buffer, offset = buffer_for(size), chunk * CHUNK
    Pattern("file").fill(buffer, offset, size)
    at = data.draw(st.one_of(st.integers(0, size - 1), st.sampled_from([0, size - 1])))
    expected = int(buffer[at])
    buffer[at] ^= change
    assert Pattern("file").check(buffer, offset, size) == Mismatch(offset + at, expected, expected ^ change)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 255])
def test_every_single_byte_of_a_small_file_counts(size: int) -> None:
    buffer, pattern = buffer_for(size), Pattern("file")
    pattern.fill(buffer, 0, size)
    for at in range(size):
        buffer[at] ^= 1
        found = pattern.check(buffer, 0, size)
        assert found is not None
        assert found.offset == at
        buffer[at] ^= 1


def test_the_first_of_several_changed_bytes_is_named() -> None:
    buffer, pattern = buffer_for(2 * CHUNK), Pattern("file")
    pattern.fill(buffer, 0, 2 * CHUNK)
    for at in (CHUNK + 5, 100, 2 * CHUNK - 1):
        buffer[at] ^= 0xFF
    found = pattern.check(buffer, 0, 2 * CHUNK)
    assert found is not None
    assert found.offset == 100


def test_bytes_behind_the_end_of_a_file_are_not_looked_at() -> None:
    buffer, pattern = buffer_for(CHUNK), Pattern("file")
    pattern.fill(buffer, 0, 13)
    buffer[13:] = 0xAA
    assert pattern.check(buffer, 0, 13) is None


def test_the_content_is_the_same_whatever_the_step() -> None:
    size = 9 * CHUNK + 12_345
    assert content("file", size) == content("file", size, 4 * CHUNK) == content("file", size, 16 * CHUNK)


def test_the_content_never_changes_between_versions() -> None:
    # A checkpoint that one release has written is read by the next.
    assert content("llama3-8b/global_epoch1_step1/a.pt", 16).hex() == PINNED


def test_chunks_files_and_steps_differ_everywhere() -> None:
    names = ["m/global_epoch1_step1/a.pt", "m/global_epoch1_step2/a.pt", "m/global_epoch1_step1/b.pt"]
    chunks = [
        np.frombuffer(content(name, 2 * CHUNK)[start : start + CHUNK], dtype="<u8")
        for name in names
        for start in (0, CHUNK)
    ]
    for place, one in enumerate(chunks):
        for other in chunks[place + 1 :]:
            assert not (one == other).any()


def test_a_block_of_another_place_is_noticed() -> None:
    pattern = Pattern("file")
    buffer = buffer_for(CHUNK)
    pattern.fill(buffer, 0, CHUNK)
    assert pattern.check(buffer, CHUNK, CHUNK) is not None
    assert Pattern("other").check(buffer, 0, CHUNK) is not None


def test_no_compressor_gains_anything() -> None:
    data = content("file", CHUNK + CHUNK // 2)
    assert len(zlib.compress(data, 1)) >= len(data)
    assert len(lzma.compress(data, preset=0)) >= len(data)
    assert len({data[place : place + 8] for place in range(0, len(data), 8)}) == len(data) // 8
