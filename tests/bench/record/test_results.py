"""The figures of a run from what its ranks measured, by hand-made records."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean, pstdev

import pytest

from bench.rank.host import Host
from bench.record.results import OPERATIONS, figures, per_epoch, stragglers, summary, workload
from bench.report.summary_text import warnings
from bench.storage.meter import Meter
from bench.workload.checkpoint import READ, WRITE, Checkpoint, RankRecord
from bench.workload.plan import Plan
from engine.sizing import GIB
from tests.bench.models import LAYOUTS

AT = "2026-07-08T06:46:13.000001"


def plan(ranks: int = 4, writes: int = 2, reads: int = 2, engine: str = "rolling") -> Plan:
    return Plan(
        model="llama3-8b",
        layout=LAYOUTS["8B"],
        ranks=ranks,
        folder="/ckpt/llama3-8b",
        leaf="/results/leaf",
        writes=writes,
        reads=reads,
        interval=0.0,
        engine=engine,
    )


def host(number: int, memory: int = 2**40) -> Host:
    return Host(number, f"h{number}", 8 + number, memory, "x86_64", {}, {})


def checkpoint(
    operation: str, number: int, seconds: float, duration: float, cached: float | None = 0.0
) -> Checkpoint:
    meter = Meter(lambda _: None)
    meter.request(4096, 0.001 * number)
    meter.data_seconds, meter.waited_seconds, meter.fsyncs = 1.0, 2.0, 3
    return Checkpoint(operation, number, AT, AT, seconds, duration, meter, cached)


def records(
    *,
    seconds: tuple[float, ...] = (1.0, 1.1, 1.2, 2.0),
    hosts: tuple[int, ...] = (0, 0, 1, 1),
    operations: tuple[str, ...] = (WRITE, READ),
    cached: float | None = 0.0,
) -> list[RankRecord]:
    found = []
    for rank, own in enumerate(seconds):
        record = RankRecord(rank, host(hosts[rank]), AT, (rank + 2) % len(seconds), AT)
        for operation in operations:
            for number in (1, 2):
                duration = max(seconds) * number
                record.checkpoints.append(checkpoint(operation, number, own * number, duration, cached))
        found.append(record)
    return found


@pytest.mark.parametrize("operation", [WRITE, READ])
def test_the_published_figures_are_means_of_rates_and_the_total_stands_beside_them(operation: str) -> None:
    held, size = figures(plan(), operation, records()), plan().total() / GIB
    name = f"{OPERATIONS[operation]}_checkpoint"
    assert held[f"{name}_io_mean_GB_per_second"] == fmean([size / 2, size / 4])
    assert held[f"{name}_io_stdev_GB_per_second"] == pstdev([size / 2, size / 4])
    assert held[f"{name}_duration_mean_seconds"] == 3
    assert held[f"{name}_duration_stdev_seconds"] == 1
    assert held[f"{name}_io_total_GB_per_second"] == pytest.approx(2 * size / 6)


def test_a_phase_that_did_not_happen_has_no_field() -> None:
    held = summary(plan(reads=0), records(operations=(WRITE,)))
    assert not [name for name in held["metric"] if name.startswith("load")]
    assert held["workload"]["phases"].keys() == {"write"}
    assert "cached_before_read" not in held["workload"]
    held = summary(plan(writes=0), records(operations=(READ,)))
    assert not [name for name in held["metric"] if name.startswith("save")]


def test_hosts_are_counted_once_and_in_order() -> None:
    held = summary(plan(), records(hosts=(0, 1, 0, 1)))
    assert held["num_hosts"] == 2
    assert held["host_cpu_count"] == [8, 9]
    assert held["host_memory_GB"] == [1024.0, 1024.0]
    assert held["workload"]["hosts"] == ["h0", "h1"]
    assert held["num_accelerators"] == 4


def test_the_data_of_a_host_is_that_of_its_ranks() -> None:
    ranks = records(hosts=(0, 0, 0, 1))
    assert summary(plan(), ranks)["data_size_per_host_GB"] == pytest.approx(plan().total() * 3 / 4 / GIB)


def test_a_host_that_could_cache_its_share_is_marked() -> None:
    share = plan().total() // 2
    ranks = records()
    for record in ranks:
        record.host = host(record.host.number, share - (record.host.number == 1))
    assert summary(plan(), ranks)["potential_caching"] == [1, 0]


def test_ranks_that_take_far_longer_than_the_middle_one_are_named() -> None:
    late = stragglers(records(operations=(WRITE,)))
    assert [(one["rank"], one["host"], one["operation"], one["number"]) for one in late] == [
        (3, "h1", WRITE, 1),
        (3, "h1", WRITE, 2),
    ]
    assert late[0]["median_seconds"] == pytest.approx(1.15)
    assert stragglers(records(seconds=(1.0, 1.0, 1.0, 1.5))) == []


@pytest.mark.parametrize(
    ("cached", "told"), [(0.0, ""), (0.4, "up to 40% of a file"), (None, "cannot be told")]
)
def test_reads_from_the_cache_are_told(cached: float | None, told: str) -> None:
    held = summary(plan(), records(seconds=(1.0,) * 4, cached=cached))
    assert held["workload"]["cached_before_read"] == cached
    lines = [line for line in warnings(held) if "cache" in line]
    assert len(lines) == (told != "")
    assert all(line.startswith("warning: ") and told in line for line in lines)


def test_one_host_that_does_not_tell_makes_the_whole_unknown() -> None:
    ranks = records()
    ranks[2].checkpoints[3] = checkpoint(READ, 2, 1.0, 1.0, None)
    assert workload(plan(), ranks)["cached_before_read"] is None


def test_reading_on_another_host_is_said_only_where_every_rank_did() -> None:
    assert workload(plan(), records())["read_on_another_host"] is True
    assert workload(plan(), records(hosts=(0, 1, 0, 1)))["read_on_another_host"] is False


def test_processors_that_are_the_limit_are_told() -> None:
    ranks = records(seconds=(1.0,) * 4)
    assert not [line for line in warnings(summary(plan(), ranks)) if "processors" in line]
    for record in ranks:
        for one in record.checkpoints:
            one.meter.waited_seconds = 0.05 if one.operation == WRITE else 2.0
    (line,) = [line for line in warnings(summary(plan(), ranks)) if "processors" in line]
    assert line.startswith("warning: write: ")


def test_a_straggler_is_told_with_its_host() -> None:
    (line,) = [line for line in warnings(summary(plan(), records())) if "middle rank" in line]
    assert line.startswith("warning: rank 3 on h1 took")
    assert "(4 such in all)" in line


def test_per_epoch_stats_hold_every_checkpoint_by_its_name() -> None:
    held = per_epoch(plan(), records()[1])["1"]
    assert list(held) == ["start", "save_ckpt1", "save_ckpt2", "load_ckpt1", "load_ckpt2", "end"]
    assert held["load_ckpt2"]["duration"] == 4
    assert held["load_ckpt2"]["throughput"] == plan().total() / GIB / 4


def test_where_another_invocation_wrote_nobody_can_tell() -> None:
    read = replace(plan(), writes=0)
    assert workload(read, records())["read_on_another_host"] is None
    assert workload(replace(read, placed=True), records())["read_on_another_host"] is True
