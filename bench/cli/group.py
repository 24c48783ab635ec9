"""`clausegate bench`: what the workload offers beside a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from engine.cli.groups import Lazy


class BenchGroup(Lazy):
    """The group."""

    table: ClassVar[Mapping[str, tuple[str, str]]] = {
        "plan": ("bench.cli.plan:plan", "What a run would write, keep and need; no MPI."),
        "clean": ("bench.cli.clean:clean", "Remove the checkpoints that a run wrote."),
        "report": ("bench.cli.report:report", "A page of plots, or a table, of a finished run."),
    }


bench = BenchGroup(name="bench", help="The checkpoint workload beside a run.")
