"""Latencies in buckets, held against the exact ones."""

from __future__ import annotations

from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.storage.meter import BUCKETS, OCTAVE, SMALLEST, Meter, bucket_of, percentile, upper_end

WIDTH = 2 ** (1 / OCTAVE)
LATENCIES = st.floats(SMALLEST, 3600)


@settings(deadline=None)
@given(st.lists(LATENCIES, min_size=1), st.sampled_from([0.5, 0.95, 0.99, 0.999, 1.0]))
def test_a_percentile_is_the_exact_one_within_a_bucket(latencies: list[float], part: float) -> None:
    meter = Meter(lambda _: None)
    for seconds in latencies:
        meter.request(1, seconds)
    exact = sorted(latencies)[ceil(part * len(latencies)) - 1]
    found = percentile(meter.latencies, part)
    assert found is not None
    assert exact / (1 + 1e-9) <= found <= exact * WIDTH * (1 + 1e-9)


@settings(deadline=None)
@given(LATENCIES)
def test_a_latency_lies_in_its_bucket(seconds: float) -> None:
    bucket = bucket_of(seconds)
    assert upper_end(bucket) >= seconds / (1 + 1e-9)
    assert bucket == 0 or upper_end(bucket - 1) <= seconds * (1 + 1e-9)


@pytest.mark.parametrize(("seconds", "bucket"), [(0.0, 0), (1e-9, 0), (1e9, BUCKETS - 1)])
def test_what_is_too_short_or_too_long_is_kept_at_the_end(seconds: float, bucket: int) -> None:
    assert bucket_of(seconds) == bucket


def test_nothing_has_no_percentile() -> None:
    assert percentile([0] * BUCKETS, 0.5) is None


def test_every_request_is_counted_and_reported() -> None:
    told: list[int] = []
    meter = Meter(told.append)
    meter.request(5, 0.1)
    meter.request(7, 0.2)
    assert (meter.bytes, sum(meter.latencies), told) == (12, 2, [5, 7])
