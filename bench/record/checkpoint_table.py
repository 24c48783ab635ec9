"""The checkpoints of a run as a table that spreadsheets read."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

FILE = "checkpoints.csv"

COLUMNS = (
    "operation number start seconds gib_per_second bytes slowest_rank slowest_host "
    "rank_seconds_min rank_seconds_median rank_seconds_max"
).split()


def table_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """A line for each checkpoint, under a line of names."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
