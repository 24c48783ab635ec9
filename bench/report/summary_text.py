"""The figures of a finished run for people, and what they should know before they quote them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any

from bench.storage.filesystem import IN_MEMORY
from bench.workload.plan import Plan
from engine.sizing import human

WIDTH = 80
PHASES = {"save": "write", "load": "read"}

IDLE = 0.1
"""A phase whose ranks waited for storage less than this part of the time measured their processors."""


def result_text(plan: Plan, summary: Mapping[str, Any], place: Path) -> str:
    """The figures, what stands against them, and where they are."""
    hosts = summary["num_hosts"]
    ranks = f"{plan.ranks} rank{_s(plan.ranks)} of {hosts} host{_s(hosts)}"
    lines = [
        f"{plan.model} on {ranks}, {human(plan.total())} a checkpoint, engine {plan.engine}",
        "",
        f"{'':7}{'GiB/s, mean':>12}{'stdev':>10}{'total/total':>13}{'seconds, mean':>15}{'stdev':>10}",
    ]
    metric = summary["metric"]
    for prefix, phase in PHASES.items():
        name = f"{prefix}_checkpoint"
        if f"{name}_io_mean_GB_per_second" not in metric:
            continue
        rate = [metric[f"{name}_io_{figure}_GB_per_second"] for figure in ("mean", "stdev", "total")]
        time = [metric[f"{name}_duration_{figure}_seconds"] for figure in ("mean", "stdev")]
        lines.append(
            f"{phase:<7}{rate[0]:>12.3f}{rate[1]:>10.3f}{rate[2]:>13.3f}{time[0]:>15.3f}{time[1]:>10.3f}"
        )
    lines += ["", *(part for line in warnings(summary) for part in wrap_line(line))]
    return "\n".join([*lines, f"leaf: {place}"])


def warnings(summary: Mapping[str, Any]) -> Iterator[str]:
    """What a reader of the figures should be told."""
    workload = summary["workload"]
    if workload["scale"] != 1:
        yield f"note: scaled to {workload['scale']:g} of each file; the figures say nothing of a full run"
    for operation, spent in workload["phases"].items():
        whole = spent["seconds_on_data"] + spent["seconds_waiting_for_storage"]
        if workload["engine"] != "null" and whole and spent["seconds_waiting_for_storage"] < IDLE * whole:
            yield (
                f"warning: {operation}: the making or checking of data took more time than storage did; "
                "the figures measure this client's processors"
            )
    kinds = workload.get("checkpoint_filesystem", [])
    memory = [kind for kind in kinds if kind in IN_MEMORY] if workload["engine"] != "null" else []
    cached = workload.get("cached_before_read", 0.0)
    if memory:
        yield (
            f"warning: the checkpoint folder is on {memory[0]}, which is memory: nothing was made durable, "
            "and no read came from storage"
        )
    elif cached is None:
        on = f" on {', '.join(kinds)}" if kinds else ""
        yield f"warning: whether reads came from storage or from a cache cannot be told{on}"
    elif cached > 0.01:
        yield f"warning: up to {cached:.0%} of a file was in the page cache before it was read"
    if workload.get("read_on_another_host") is False and len(workload["hosts"]) > 1:
        yield "warning: some ranks read on the host that wrote; hosts with equally many ranks avoid that"
    late = workload["stragglers"]
    if late:
        worst = max(late, key=lambda one: one["seconds"] / one["median_seconds"])
        yield (
            f"warning: rank {worst['rank']} on {worst['host']} took {worst['seconds']:.2f} s for "
            f"{worst['operation']} {worst['number']}, the middle rank {worst['median_seconds']:.2f} s"
            + (f" ({len(late)} such in all)" if len(late) > 1 else "")
        )


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def wrap_line(line: str) -> list[str]:
    """The line in 80 columns."""
    return wrap(line, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
