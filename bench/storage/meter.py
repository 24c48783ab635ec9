"""What one rank measures of its own I/O: bytes, latencies, waits, syncs, in constant memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import log2

OCTAVE = 8
"""Buckets for each doubling of a latency: a bucket is at most 9 % wide."""

SMALLEST = 1e-6  # seconds
BUCKETS = 32 * OCTAVE  # up to an hour


def bucket_of(seconds: float) -> int:
    """The bucket of a latency."""
    place = int(OCTAVE * log2(max(seconds, SMALLEST) / SMALLEST))
    return min(place, BUCKETS - 1)


def upper_end(bucket: int) -> float:
    """The largest latency of a bucket, in seconds."""
    return SMALLEST * float(2 ** ((bucket + 1) / OCTAVE))


def percentile(histogram: list[int], part: float) -> float | None:
    """The latency in seconds that `part` of all requests do not exceed, within a bucket; None of nothing."""
    total = sum(histogram)
    seen = 0
    for bucket, count in enumerate(histogram):
        seen += count
        if count and seen >= part * total:
            return upper_end(bucket)
    return None


@dataclass(slots=True)
class Meter:
    """Measures one checkpoint of one rank. `report` is called with each request's bytes."""

    report: Callable[[int], None]
    bytes: int = 0
    fsyncs: int = 0
    data_seconds: float = 0.0  # spent on filling or checking buffers
    waited_seconds: float = 0.0  # spent on waiting for storage, with nothing to fill or check
    latencies: list[int] = field(default_factory=lambda: [0] * BUCKETS)
    slowest: float = 0.0  # seconds of the longest request

    @contextmanager
    def on_data(self) -> Iterator[None]:
        """Time that is spent on filling or checking buffers."""
        before = time.monotonic()
        yield
        self.data_seconds += time.monotonic() - before

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Time that is spent on waiting for storage."""
        before = time.monotonic()
        yield
        self.waited_seconds += time.monotonic() - before

    def request(self, count: int, seconds: float) -> None:
        """One request has ended."""
        self.bytes += count
        self.latencies[bucket_of(seconds)] += 1
        self.slowest = max(self.slowest, seconds)
        self.report(count)
