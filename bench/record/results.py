"""What the first rank writes when all have ended: the summary, and two files a rank.

The names are those that users' tools read; "GB" in them means GiB. The summary carries a name of
its own until the launcher has seen every rank end well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from statistics import fmean, median, pstdev
from typing import Any

from bench.record.checkpoint_table import FILE as TABLE
from bench.record.checkpoint_table import table_csv
from bench.record.figures import checkpoint_rows, histogram, merge_latencies, quantiles
from bench.report.leaf import write_report
from bench.storage.faults import name_in_errors
from bench.workload.checkpoint import READ, WRITE, Checkpoint, RankRecord
from bench.workload.plan import Plan
from engine.sizing import GIB

SUMMARY = "summary.json"
PENDING = "summary.json.pending"
"""The summary before the launcher has seen the run end."""

OPERATIONS = {WRITE: "save", READ: "load"}
"""operation -> as fields are named"""

STRAGGLES = 1.5
"""A rank that takes this many times as long as the middle one is worth a warning."""


def write_results(plan: Plan, records: Sequence[RankRecord]) -> None:
    """Write the files of the leaf that rest on what ranks measured. Raises OSError."""
    leaf = Path(plan.leaf)
    for record in records:
        _write(leaf / f"{record.rank}_per_epoch_stats.json", per_epoch(plan, record))
        _write(leaf / f"{record.rank}_output.json", output(record))
    figures_of_run = summary(plan, records)
    with name_in_errors(str(leaf / TABLE)):
        (leaf / TABLE).write_text(table_csv(checkpoint_rows(records, plan.total())), "utf-8")
    _write(leaf / PENDING, figures_of_run)
    write_report(leaf, plan.model, figures_of_run)


def summary(plan: Plan, records: Sequence[RankRecord]) -> dict[str, Any]:
    """The figures of a run. The published ones are means over its checkpoints; totals stand beside them."""
    hosts = {record.host.number: record.host for record in reversed(records)}
    ordered = [hosts[number] for number in sorted(hosts)]
    share = dict.fromkeys(sorted(hosts), 0)
    for record in records:
        share[record.host.number] += sum(file.size for file in plan.files(record.rank))
    first = records[0]
    return {
        "start": first.start,
        "end": max((record.end for record in records), key=datetime.fromisoformat),
        "num_accelerators": len(records),
        "num_hosts": len(ordered),
        "hostname": first.host.name,
        "metric": metrics(plan, records),
        "num_files_train": 0,
        "num_files_eval": 0,
        "num_samples_per_file": 0,
        "host_cpu_count": [host.cpus for host in ordered],
        "host_processor_name": first.host.machine,
        "potential_caching": [
            int(host.memory >= size) for host, size in zip(ordered, share.values(), strict=True)
        ],
        "host_cpuinfo": first.host.cpuinfo,
        "host_meminfo": first.host.meminfo,
        "host_memory_GB": [host.memory / GIB for host in ordered],
        "data_size_per_host_GB": max(share.values()) / GIB,
        "epochs": 0,
        "workload": workload(plan, records),
    }


def metrics(plan: Plan, records: Sequence[RankRecord]) -> dict[str, Any]:
    """The figures of all phases."""
    metric: dict[str, Any] = {}
    for operation in OPERATIONS:
        metric |= figures(plan, operation, records)
    return {**metric, "checkpoint_size_GB": plan.total() / GIB}


def figures(plan: Plan, operation: str, records: Sequence[RankRecord]) -> dict[str, Any]:
    """The figures of one phase; {} when the run has none of its checkpoints, so that no field is empty."""
    done = _of(operation, records[0])
    if not done:
        return {}
    size = plan.total() / GIB
    seconds = [checkpoint.duration for checkpoint in done]
    rates = [size / duration for duration in seconds]
    name = f"{OPERATIONS[operation]}_checkpoint"
    found: dict[str, Any] = {
        f"{name}_io_mean_GB_per_second": fmean(rates),
        f"{name}_io_stdev_GB_per_second": pstdev(rates),
        f"{name}_duration_mean_seconds": fmean(seconds),
        f"{name}_duration_stdev_seconds": pstdev(seconds),
        f"{name}_io_total_GB_per_second": size * len(seconds) / sum(seconds),
    }
    slowest = max(one.meter.slowest for record in records for one in _of(operation, record))
    for quantile, seconds_of in quantiles(merge_latencies(records, operation), slowest).items():
        found[f"{name}_request_{quantile}_seconds"] = seconds_of
    return found


def workload(plan: Plan, records: Sequence[RankRecord]) -> dict[str, Any]:
    """What a reader of the figures should know of how they came about."""
    hosts = {record.host.number: record.host.name for record in reversed(records)}
    found: dict[str, Any] = {
        "engine": plan.engine,
        "scale": float(plan.part),
        "checkpoint_bytes": plan.total(),
        "hosts": [hosts[number] for number in sorted(hosts)],
        "checkpoint_filesystem": sorted({record.filesystem for record in records}),
        # Times of day are recorded for people, and intervals between invocations are judged by them.
        "clock_skew_seconds": max(r.ahead for r in records) - min(r.ahead for r in records),
        "kept": list(plan.kept_numbers),
        "phases": {},
        "stragglers": stragglers(records),
    }
    for operation in OPERATIONS:
        done = [checkpoint for record in records for checkpoint in _of(operation, record)]
        if done:
            found["phases"][operation] = {
                "seconds_on_data": sum(one.meter.data_seconds for one in done),
                "seconds_waiting_for_storage": sum(one.meter.waited_seconds for one in done),
                "fsyncs": sum(one.meter.fsyncs for one in done),
                "request_latency": histogram(merge_latencies(records, operation)),
                "checkpoints": [
                    row for row in checkpoint_rows(records, plan.total()) if row["operation"] == operation
                ],
            }
        if done and operation == READ:
            parts = [checkpoint.cached for checkpoint in done]
            known = [part for part in parts if part is not None]
            found["checkpoints_read"] = [plan.reads_from(number) for number in range(1, plan.reads + 1)]
            # What was in a reader's cache before it read; null where a host does not tell.
            found["cached_before_read"] = max(known) if len(known) == len(parts) else None
            # Where another invocation wrote, nobody here can tell.
            found["read_on_another_host"] = (
                all(records[record.reads_of].host.number != record.host.number for record in records)
                if plan.writes or plan.placed
                else None
            )
    return found


def stragglers(records: Sequence[RankRecord]) -> list[dict[str, Any]]:
    """Ranks whose share of a checkpoint took far longer than that of the middle rank."""
    found = []
    for place, checkpoint in enumerate(records[0].checkpoints):
        all_seconds = [record.checkpoints[place].seconds for record in records]
        middle = median(all_seconds)
        for record, seconds in zip(records, all_seconds, strict=True):
            if middle and seconds > STRAGGLES * middle:
                about = {"operation": checkpoint.operation, "number": checkpoint.number}
                times = {"seconds": seconds, "median_seconds": middle}
                found.append({"rank": record.rank, "host": record.host.name, **about, **times})
    return found


def per_epoch(plan: Plan, record: RankRecord) -> dict[str, Any]:
    """When each checkpoint of a rank began and ended; duration and rate are those of the run."""
    size = plan.total() / GIB
    epoch: dict[str, Any] = {"start": record.start}
    for checkpoint in record.checkpoints:
        name = f"{OPERATIONS[checkpoint.operation]}_ckpt{checkpoint.number}"
        epoch[name] = {
            "start": checkpoint.start,
            "end": checkpoint.end,
            "duration": checkpoint.duration,
            "throughput": size / checkpoint.duration,
        }
    return {"1": {**epoch, "end": record.end}}


def output(record: RankRecord) -> dict[str, Any]:
    """What one rank saw of its host, and measured of its own part of each checkpoint."""
    host = record.host
    return {
        "hostname": host.name,
        "host_memory_GB": host.memory / GIB,
        "host_cpu_count": host.cpus,
        "rank": record.rank,
        "reads_files_of_rank": record.reads_of,
        "1": {f"{OPERATIONS[c.operation]}_ckpt{c.number}": _measurements(c) for c in record.checkpoints},
    }


def _measurements(checkpoint: Checkpoint) -> Mapping[str, Any]:
    meter = checkpoint.meter
    return {
        "seconds": checkpoint.seconds,
        "bytes": meter.bytes,
        "fsyncs": meter.fsyncs,
        "seconds_on_data": meter.data_seconds,
        "seconds_waiting_for_storage": meter.waited_seconds,
        "cached_before": checkpoint.cached,
        "requests": sum(meter.latencies),
        **{f"request_{n}_seconds": s for n, s in quantiles(meter.latencies, meter.slowest).items()},
    }


def _of(operation: str, record: RankRecord) -> list[Checkpoint]:
    return [checkpoint for checkpoint in record.checkpoints if checkpoint.operation == operation]


def _write(path: Path, content: Mapping[str, Any]) -> None:
    with name_in_errors(str(path)):
        path.write_text(json.dumps(content, indent=2, allow_nan=False) + "\n", "utf-8")
