"""Keeps storage busy while data is made or checked, in a few buffers whatever the file's size.

The calling thread fills (or checks) one buffer while threads of a pool write (or read) others:
both sides release the interpreter's lock. Requests end in any order; the order in which they
start is that of the file.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from bench.storage.base import DataSink, DataSource, corrupt
from bench.storage.buffers import CHUNK, Buffer, buffers
from bench.storage.meter import Meter

Request = Callable[[memoryview, int], None]
"""Writes, or reads into, the memory at an offset of the file."""

RequestTime = tuple[int, float]
"""Bytes and seconds of a request."""

STEP = 4 * CHUNK
"""Bytes of one request."""


class Pipeline:
    """Buffers and threads of one rank. `threads` is how many requests are under way at once."""

    def __init__(self, threads: int, step: int = STEP) -> None:
        if step % CHUNK:
            raise ValueError(f"a request of {step} bytes is no multiple of a chunk")
        self.step = step
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="io")
        self._buffers = buffers(threads + 1, step)

    def write(self, size: int, source: DataSource, request: Request, meter: Meter) -> None:
        """Fill and write `size` bytes. Raises what a request raises, when none is under way any more."""
        free = deque(self._buffers)
        under_way: deque[tuple[Future[RequestTime], Buffer]] = deque()
        try:
            for offset in range(0, size, self.step):
                if not free:
                    free.append(_await_oldest(under_way, meter))
                buffer = free.popleft()
                count = min(self.step, size - offset)
                with meter.on_data():
                    source.fill(buffer, offset, count)
                future = self._pool.submit(_time_request, request, buffer.data[:count], offset)
                under_way.append((future, buffer))
            while under_way:
                _await_oldest(under_way, meter)
        finally:
            _drain(under_way)

    def read(self, path: str, size: int, sink: DataSink, request: Request, meter: Meter) -> None:
        """Read and check `size` bytes. Raises Corrupt, and what a request raises."""
        free = deque(self._buffers)
        under_way: deque[tuple[Future[RequestTime], Buffer]] = deque()
        checked = 0
        try:
            for offset in range(0, size, self.step):
                buffer = free.popleft()
                count = min(self.step, size - offset)
                future = self._pool.submit(_time_request, request, buffer.data[:count], offset)
                under_way.append((future, buffer))
                if not free:
                    free.append(self._check_oldest(path, checked, size, sink, under_way, meter))
                    checked += self.step
            while under_way:
                self._check_oldest(path, checked, size, sink, under_way, meter)
                checked += self.step
        finally:
            _drain(under_way)

    def _check_oldest(
        self,
        path: str,
        offset: int,
        size: int,
        sink: DataSink,
        under_way: deque[tuple[Future[RequestTime], Buffer]],
        meter: Meter,
    ) -> Buffer:
        buffer = _await_oldest(under_way, meter)
        with meter.on_data():
            wrong = sink.check(buffer, offset, min(self.step, size - offset))
        if wrong is not None:
            raise corrupt(path, wrong)
        return buffer

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()


def _time_request(request: Request, memory: memoryview, offset: int) -> RequestTime:
    before = time.monotonic()
    request(memory, offset)
    return len(memory), time.monotonic() - before


def _await_oldest(under_way: deque[tuple[Future[RequestTime], Buffer]], meter: Meter) -> Buffer:
    """Wait for the oldest request, and give its buffer."""
    future, buffer = under_way.popleft()
    with meter.waiting():
        count, seconds = future.result()
    meter.request(count, seconds)  # here alone: threads would count over each other
    return buffer


def _drain(under_way: deque[tuple[Future[RequestTime], Buffer]]) -> None:
    """No thread may touch a buffer once an error has left the pipeline."""
    for future, _ in under_way:
        future.cancel() or future.exception()
