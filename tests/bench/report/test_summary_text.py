"""What a reader of the figures is warned about."""

from __future__ import annotations

import pytest

from bench.report.summary_text import warnings


def summary(kind: str, cached: float | None, hosts: list[str], other: bool) -> dict[str, object]:
    held = {
        "engine": "rolling",
        "scale": 1.0,
        "phases": {},
        "stragglers": [],
        "checkpoint_filesystem": [kind],
        "cached_before_read": cached,
        "read_on_another_host": other,
        "hosts": hosts,
    }
    return {"workload": held}


@pytest.mark.parametrize(
    ("kind", "cached", "hosts", "other", "said"),
    [
        ("ext4", 0.0, ["a"], False, None),
        ("ext4", 0.4, ["a"], False, "up to 40% of a file was in the page cache"),
        ("nfs4", None, ["a", "b"], True, "from storage or from a cache cannot be told on nfs4"),
        ("tmpfs", 1.0, ["a"], False, "is on tmpfs, which is memory"),
        ("ext4", 0.0, ["a", "b"], False, "some ranks read on the host that wrote"),
    ],
)
def test_what_is_said_of_cold_reads(
    kind: str, cached: float | None, hosts: list[str], other: bool, said: str | None
) -> None:
    found = list(warnings(summary(kind, cached, hosts, other)))
    assert len(found) == (said is not None)
    assert said is None or said in found[0]
