"""Few buffers, many requests: in any order, and never one that outlives its call."""

from __future__ import annotations

import os
import random
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.storage.base import Corrupt
from bench.storage.buffers import CHUNK
from bench.storage.pipeline import STEP, Pipeline
from bench.workload.data import Pattern
from tests.bench.storage.engines import content, meter


@settings(deadline=None, max_examples=15)
@given(st.integers(1, 6 * CHUNK), st.integers(1, 4), st.integers(1, 3), st.integers())
def test_requests_that_end_in_any_order_move_every_byte_once(
    size: int, threads: int, chunks: int, seed: int
) -> None:
    held, chance = bytearray(size), random.Random(seed)
    pauses = [chance.random() / 500 for _ in range(64)]
    pipeline = Pipeline(threads, chunks * CHUNK)

    def put(memory: memoryview, offset: int) -> None:
        time.sleep(pauses[offset // CHUNK % 64])
        held[offset : offset + len(memory)] = memory

    def get(memory: memoryview, offset: int) -> None:
        time.sleep(pauses[-(offset // CHUNK) % 64])
        memory[:] = held[offset : offset + len(memory)]

    try:
        pipeline.write(size, Pattern("file"), put, meter())
        assert bytes(held) == content("file", size)
        pipeline.read("file", size, Pattern("file"), get, meter())
        held[size // 2] ^= 1
        with pytest.raises(Corrupt, match=f"byte {size // 2} "):
            pipeline.read("file", size, Pattern("file"), get, meter())
    finally:
        pipeline.close()


def test_so_many_requests_are_under_way_as_there_are_threads() -> None:
    pipeline, lock = Pipeline(threads=3), threading.Lock()
    now, most = 0, 0

    def put(_memory: memoryview, _offset: int) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.02)
        with lock:
            now -= 1

    try:
        pipeline.write(12 * STEP, Pattern("file"), put, meter())
    finally:
        pipeline.close()
    assert most == 3


def test_no_request_is_under_way_once_an_error_is_out() -> None:
    pipeline, ended = Pipeline(threads=4), []

    def put(_memory: memoryview, offset: int) -> None:
        if offset == 0:
            raise OSError(5, "first")
        time.sleep(0.2)
        ended.append(offset)

    try:
        with pytest.raises(OSError, match="first"):
            pipeline.write(64 * STEP, Pattern("file"), put, meter())
        count = len(ended)
        time.sleep(0.3)
        assert len(ended) == count < 8
    finally:
        pipeline.close()


def test_a_full_device_is_told() -> None:
    fd, pipeline = os.open("/dev/full", os.O_WRONLY), Pipeline(threads=2)

    def put(memory: memoryview, _offset: int) -> None:
        os.write(fd, memory)

    try:
        with pytest.raises(OSError, match="No space left on device"):
            pipeline.write(8 * STEP, Pattern("file"), put, meter())
    finally:
        pipeline.close()
        os.close(fd)


def test_buffers_are_aligned_and_as_many_as_requests_and_one() -> None:
    pipeline = Pipeline(threads=4)
    try:
        held = {buffer.ctypes.data for buffer in pipeline._buffers}
        assert len(held) == 5
        assert all(address % 4096 == 0 for address in held)
    finally:
        pipeline.close()


def test_memory_is_touched_before_the_first_checkpoint() -> None:
    pipeline = Pipeline(threads=2)
    try:
        assert all(buffer.any() for buffer in pipeline._buffers)
    finally:
        pipeline.close()


def test_a_request_is_whole_chunks() -> None:
    with pytest.raises(ValueError, match="no multiple of a chunk"):
        Pipeline(1, CHUNK + 1)


def test_time_on_data_and_time_of_waiting_are_told_apart() -> None:
    pipeline, held = Pipeline(threads=1), meter()
    try:
        pipeline.write(3 * STEP, Pattern("file"), lambda *_: time.sleep(0.1), held)
    finally:
        pipeline.close()
    assert held.waited_seconds > 0.1
    assert held.data_seconds > 0


def test_closing_ends_the_threads(tmp_path: Path) -> None:
    before = threading.active_count()
    pipeline = Pipeline(threads=4)
    pipeline.write(8 * STEP, Pattern("file"), lambda *_: None, meter())
    pipeline.close()
    assert threading.active_count() == before
