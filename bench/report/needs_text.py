"""What a run needs, as text for people and as JSON and CSV for scripts. Bytes are exact everywhere."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from bench.workload.arrays import rank_arrays
from bench.workload.layout import RankCoordinates
from bench.workload.needs import Needs, Share, Timing
from engine.sizing import GIB, human, parameters

SCHEMA = "clausegate/needs/1"
HOSTS_SHOWN = 16
"""Hosts that are listed in a text; of more the range is told."""


def text(needs: Needs, rates: Sequence[Fraction]) -> str:
    """The needs in 80 columns."""
    return "\n".join(_text(needs, rates))


def _text(needs: Needs, rates: Sequence[Fraction]) -> Iterator[str]:
    placed, total = needs.layout.on(needs.ranks), needs.total()
    scaled = "" if needs.part == 1 else f", scaled to {float(needs.part):g} of each file"
    yield (
        f"{needs.model} on {needs.ranks} ranks: TP {placed.tp} x PP {placed.pp} x DP {placed.dp}, "
        f"ZeRO {placed.zero_stage}{scaled}"
    )
    yield f"parameters       {parameters(placed):,}"
    yield f"one checkpoint   {human(total.total)} in {total.files} files, {total.arrays} arrays"
    yield f"                 {total.total:,} bytes"
    yield f"  of these       model {human(total.model)}, optimizer {human(total.optimizer)}"
    low, high = needs.rank_range()
    yield f"a rank writes    {human(low)}" + ("" if low == high else f" to {human(high)}")
    yield ""
    yield from _groups(needs)
    yield ""
    yield from _hosts(needs)
    yield ""
    yield from _disk(needs, total.total)
    yield f"rank memory      {human(needs.rank_memory)} of the workload, whatever the shard"
    yield ""
    if rates:
        counts = f"{needs.writes} writes and {needs.reads} reads"
        yield f"time             {counts}, {float(needs.interval):g} s before each"
        yield f"{'at GiB/s':>10} {'a checkpoint':>16} {'whole run':>16}"
        for rate in rates:
            one = needs.timing(rate, total.total)
            yield f"{float(rate):>10g} {duration(one.checkpoint):>16} {duration(one.run):>16}"


def _groups(needs: Needs) -> Iterator[str]:
    """A line for each kind of rank; stages that are alike share theirs."""
    yield (
        f"{'stages':<9} {'replicas':<8} {'ranks':>6} {'files':>6} {'arrays':>7} {'model GiB':>11} "
        f"{'optim. GiB':>11} {'total GiB':>11}"
    )
    stages = [tuple(groups) for _, groups in groupby(needs.groups(), key=lambda one: one.stage)]
    alike = groupby(stages, key=lambda groups: tuple((one.replicas, one.count, one.share) for one in groups))
    for kinds, same in alike:
        numbers = [groups[0].stage for groups in same]
        named = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
        for replicas, count, share in kinds:
            yield (
                f"{named:<9} {replicas:<8} {count * len(numbers):>6} {share.files:>6} {share.arrays:>7} "
                f"{share.model / GIB:>11.5f} {share.optimizer / GIB:>11.5f} {share.total / GIB:>11.5f}"
            )


def _hosts(needs: Needs) -> Iterator[str]:
    hosts = needs.per_host()
    if len(hosts) > HOSTS_SHOWN:
        sizes = sorted(host.share.total for host in hosts)
        most = max(host.memory for host in hosts)
        yield f"{len(hosts)} hosts, each writes {human(sizes[0])} to {human(sizes[-1])}; memory {human(most)}"
        return
    yield f"{'host':<24} {'ranks':>6} {'files':>6} {'writes':>12} {'memory needed':>14}"
    for host in hosts:
        yield (
            f"{_short(host.host, 24):<24} {host.ranks:>6} {host.share.files:>6} "
            f"{human(host.share.total):>12} {human(host.memory):>14}"
        )


def _disk(needs: Needs, size: int) -> Iterator[str]:
    yield f"disk             {human(size)} for one checkpoint"
    if needs.writes:
        plural = "" if needs.writes == 1 else "s"
        yield f"  all            {human(size * needs.writes)} for {needs.writes} checkpoint{plural}"
    if needs.keep:
        yield f"  --keep {needs.keep:<8} {human(size * needs.at_once())} at once"


def duration(seconds: Fraction) -> str:
    """`0.41 s`, `2 min 5 s`, `3 h 12 min`: as precise as anybody plans."""
    value = float(seconds)
    if value < 100:
        return f"{value:.3g} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def _short(name: str, width: int) -> str:
    return name if len(name) <= width else name[: width - 3] + "..."


def as_json(needs: Needs, rates: Sequence[Fraction], ranks: Sequence[int] = ()) -> dict[str, Any]:
    """The needs as a document; `ranks` are those whose files are listed."""
    placed, total = needs.layout.on(needs.ranks), needs.total()
    low, high = needs.rank_range()
    size = total.total
    return {
        "schema": SCHEMA,
        "model": needs.model,
        "processes": needs.ranks,
        "layout": placed._asdict(),
        "parameters": parameters(placed),
        "scale": float(needs.part),
        "checkpoint": {**_share(total), "GiB": size / GIB},
        "rank": {"bytes": [low, high], "GiB": [low / GIB, high / GIB], "memory_bytes": needs.rank_memory},
        "groups": [
            {
                "first_rank": group.first,
                "ranks": group.count,
                "stage": group.stage,
                "replicas": group.replicas,
                **_share(group.share),
            }
            for group in needs.groups()
        ],
        "hosts": [
            {"host": host.host, "ranks": host.ranks, **_share(host.share), "memory_bytes": host.memory}
            for host in needs.per_host()
        ],
        "disk": {
            "one_bytes": size,
            "all_bytes": size * needs.writes,
            "keep": needs.keep or None,
            "at_once_bytes": size * needs.at_once(),
        },
        "run": {"writes": needs.writes, "reads": needs.reads, "interval_seconds": float(needs.interval)},
        "times": [_timing(needs.timing(rate, size)) for rate in rates],
        **({"files": [one for rank in ranks for one in files(needs, rank)]} if ranks else {}),
    }


def _timing(one: Timing) -> dict[str, float]:
    return {
        "GiB_per_second": float(one.rate),
        "checkpoint_seconds": float(one.checkpoint),
        "run_seconds": float(one.run),
    }


def _share(share: Share) -> dict[str, int]:
    return {
        "model_bytes": share.model,
        "optimizer_bytes": share.optimizer,
        "bytes": share.total,
        "files": share.files,
        "arrays": share.arrays,
    }


def files(needs: Needs, rank: int) -> list[dict[str, Any]]:
    """The files of a rank, each with its arrays. `bytes` of a file are as scaled, those of arrays are not."""
    found = []
    for file, arrays in rank_arrays(needs.layout, needs.ranks, rank):
        listed = [
            {"name": one.name, "values": one.values, "value_bytes": one.width, "bytes": one.bytes}
            for one in arrays
        ]
        found.append(
            {"rank": rank, "name": file.name, "bytes": file.scaled(needs.part).size, "arrays": listed}
        )
    return found


def files_text(needs: Needs, rank: int) -> str:
    """One rank's files and arrays in 80 columns."""
    place, lines = RankCoordinates.of(needs.layout.on(needs.ranks), rank), []
    lines.append(f"rank {rank}: TP {place.tensor}, stage {place.stage}, replica {place.replica}")
    listed = files(needs, rank)
    if not listed:
        lines.append("it writes nothing: the first replica writes for all")
    for file in listed:
        lines.append(f"{file['name']:<54} {file['bytes']:>20,} bytes")
        lines += [
            f"  {one['name']:<40} {one['values']:>18,} x {one['value_bytes']}" for one in file["arrays"]
        ]
    return "\n".join(lines)


def as_csv(needs: Needs) -> str:
    """A line for each rank."""
    shares, out = needs.shares(), io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow("rank host tensor stage replica files arrays model_bytes optimizer_bytes bytes".split())
    placed = needs.layout.on(needs.ranks)
    owners = [host for host, count in needs.hosts for _ in range(count)]
    for rank, host in enumerate(owners):
        place, share = RankCoordinates.of(placed, rank), shares[needs.kind(rank)]
        where = (rank, host, place.tensor, place.stage, place.replica)
        writer.writerow((*where, share.files, share.arrays, share.model, share.optimizer, share.total))
    return out.getvalue().rstrip("\n")


def document(needs: Needs, rates: Sequence[Fraction], ranks: Sequence[int]) -> str:
    """The JSON as text."""
    return json.dumps(as_json(needs, rates, ranks), indent=2, allow_nan=False)
