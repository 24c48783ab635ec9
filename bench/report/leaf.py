"""Reads the documents of a leaf that the page is made of, and writes the page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.report.page import page
from bench.storage.faults import name_in_errors

FILE = "report.html"
SUMMARY = "summary.json"
OUTPUT = "_output.json"
FIELDS = {"write": "save", "read": "load"}
"""operation -> how its fields in a rank's document begin"""


class NoRun(Exception):
    """A folder that is no finished run of this workload; the message says why."""


def write_report(leaf: Path, model: str, summary: Mapping[str, Any]) -> None:
    """Write the page beside what it was made of. Raises OSError."""
    with name_in_errors(str(leaf / FILE)):
        (leaf / FILE).write_text(page(model, summary, rank_seconds(leaf)), "utf-8")


def rank_seconds(leaf: Path) -> dict[str, dict[int, list[float]]]:
    """By operation and rank: its seconds of each checkpoint. Raises OSError, ValueError."""
    found: dict[str, dict[int, list[float]]] = {}
    for path in sorted(leaf.glob(f"[0-9]*{OUTPUT}")):
        document = json.loads(path.read_text("utf-8"))
        for operation, prefix in FIELDS.items():
            seconds = [
                one["seconds"] for name, one in document["1"].items() if name.startswith(f"{prefix}_ckpt")
            ]
            if seconds:
                found.setdefault(operation, {})[int(document["rank"])] = seconds
    return found


def read_leaf(leaf: Path) -> tuple[str, dict[str, Any]]:
    """The model and the summary of a finished run. Raises NoRun."""
    path = leaf / SUMMARY
    if not path.is_file():
        raise NoRun(f"{leaf} holds no {SUMMARY}: name the folder that a finished run left.")
    try:
        summary = json.loads(path.read_text("utf-8"))
        phases = summary["workload"]["phases"]
        whole = all({"checkpoints", "request_latency"} <= one.keys() for one in phases.values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoRun(f"{path} is no summary of this workload: it has no {error}.") from error
    if not whole:
        raise NoRun(f"{path} lacks the figures of each checkpoint: an older version wrote it.")
    return leaf.resolve().parent.name, summary
