"""A small plan, and what its ranks would write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bench.driver.existing_checkpoints import planned_files
from bench.storage.buffers import CHUNK
from bench.workload.data import Pattern
from bench.workload.layout import identity
from bench.workload.plan import Plan
from engine.rulesets import load
from engine.sizing import find_layout


def small(folder: Path, **more: Any) -> Plan:
    """Two checkpoints of 8B on four ranks, a few hundred kilobytes each."""
    layout = find_layout(load("gate", None).tables, "8B")
    assert layout is not None
    given: dict[str, Any] = {
        "model": "llama3-8b",
        "layout": layout,
        "ranks": 4,
        "folder": str(folder / "llama3-8b"),
        "leaf": str(folder / "leaf"),
        "writes": 2,
        "reads": 2,
        "interval": 0.0,
        "engine": "rolling",
        "scale": "0.000005",
    }
    return Plan(**{**given, **more})


def write(plan: Plan, numbers: range | None = None) -> list[Path]:
    """The files of a plan's checkpoints, as its ranks write them."""
    found = []
    for number, name, size in planned_files(plan, numbers or range(1, plan.writes + 1)):
        path = Path(plan.step(number), name)
        path.parent.mkdir(parents=True, exist_ok=True)
        buffer = np.empty(-(-size // CHUNK) * CHUNK, dtype=np.uint8)
        Pattern(identity(plan.model, path.parent.name, name)).fill(buffer, 0, size)
        path.write_bytes(buffer[:size].tobytes())
        found.append(path)
    return found
