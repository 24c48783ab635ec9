"""Figures behind the means of a run: each checkpoint's spread over ranks, and how long requests took."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from bench.storage.meter import BUCKETS, percentile, upper_end
from bench.workload.checkpoint import RankRecord
from engine.sizing import GIB

QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99_9": 0.999}


def checkpoint_rows(records: Sequence[RankRecord], size: int) -> list[dict[str, Any]]:
    """A row for each checkpoint of `size` bytes, in the order in which they were made."""
    rows = []
    for place, one in enumerate(records[0].checkpoints):
        seconds = [record.checkpoints[place].seconds for record in records]
        slowest = records[max(range(len(seconds)), key=seconds.__getitem__)]
        rows.append(
            {
                "operation": one.operation,
                "number": one.number,
                "start": one.start,
                "seconds": one.duration,
                "gib_per_second": size / GIB / one.duration,
                "bytes": size,
                "slowest_rank": slowest.rank,
                "slowest_host": slowest.host.name,
                "rank_seconds_min": min(seconds),
                "rank_seconds_median": median(seconds),
                "rank_seconds_max": max(seconds),
            }
        )
    return rows


def merge_latencies(records: Sequence[RankRecord], operation: str) -> list[int]:
    """The requests of all ranks in each bucket of latency."""
    counts = [0] * BUCKETS
    for record in records:
        for one in record.checkpoints:
            if one.operation == operation:
                counts = [a + b for a, b in zip(counts, one.meter.latencies, strict=True)]
    return counts


def quantiles(counts: list[int], slowest: float) -> dict[str, float | None]:
    """Latencies of requests, name -> seconds; `max` is exact, the others within a bucket."""
    found = {name: percentile(counts, part) for name, part in QUANTILES.items()}
    cut = {name: None if value is None else min(value, slowest) for name, value in found.items()}
    return {**cut, "max": slowest if any(counts) else None}


def histogram(counts: Sequence[int]) -> dict[str, list[Any]]:
    """The buckets that hold a request: where each ends, in seconds, and its number of requests."""
    filled = [(upper_end(bucket), count) for bucket, count in enumerate(counts) if count]
    return {"bucket_ends_seconds": [end for end, _ in filled], "counts": [count for _, count in filled]}
