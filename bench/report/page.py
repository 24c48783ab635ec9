"""The page: headline figures, what stands against them, plots, and the checkpoints as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from bench.report.plots import Bar, bars, latencies
from bench.report.summary_text import PHASES, warnings
from bench.storage.meter import OCTAVE
from engine.sizing import human

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --faint: #d5d9de;
  --write: #2563a8; --read: #c2660a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e7eb; --paper: #16191d; --faint: #3a4048; --write: #6aa5e8; --read: #f0a04b; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 60rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
svg { width: 100%; min-width: 36rem; height: auto; display: block; }
svg text { font-size: 11px; fill: var(--ink); } .middle { text-anchor: middle; } .end { text-anchor: end; }
.grid { stroke: var(--faint); } .range { stroke: var(--ink); stroke-width: 1.5; }
rect.write, .key.write { fill: var(--write); background: var(--write); }
rect.read, .key.read { fill: var(--read); background: var(--read); } rect { opacity: .85; }
.key { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 1em; }
.wide { overflow-x: auto; overflow-wrap: normal; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .5rem; text-align: right;
  border-bottom: 1px solid var(--faint); white-space: nowrap; }
.warning { border-left: 4px solid var(--read); padding-left: .7rem; }
"""

Ranks = Mapping[str, Mapping[int, Sequence[float]]]
"""operation -> rank -> its seconds of each checkpoint"""


def page(model: str, summary: Mapping[str, Any], ranks: Ranks) -> str:
    """The HTML of a run, from its summary and what its ranks took."""
    workload = summary["workload"]
    phases: Mapping[str, Any] = workload["phases"]
    root = Element("html", {"lang": "en"})
    head, body = SubElement(root, "head"), SubElement(root, "body")
    SubElement(head, "meta", {"charset": "utf-8"})
    SubElement(head, "meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"})
    SubElement(head, "title").text = f"{model}, {summary['start']}"
    SubElement(head, "style").text = STYLE
    ranks_of, hosts = summary["num_accelerators"], summary["num_hosts"]
    where = f"{ranks_of} rank{'' if ranks_of == 1 else 's'} of {hosts} host{'' if hosts == 1 else 's'}"
    _add(body, "h1", f"{model} on {where}")
    _add(
        body,
        "p",
        f"{human(workload['checkpoint_bytes'])} a checkpoint, engine {workload['engine']}; "
        f"from {summary['start']} to {summary['end']}.",
    )
    for line in warnings(summary):
        _add(body, "p", line).set("class", "warning")
    _table(body, *_headline(summary["metric"]))
    _plot(body, "Rate of each checkpoint", phases, _rates(phases))
    _plot(body, "Seconds of each rank", phases, _durations(ranks))
    _add(body, "p", "A bar is a rank's mean over its checkpoints; the line goes from its least to its most.")
    times = {
        name: (one["request_latency"]["bucket_ends_seconds"], one["request_latency"]["counts"])
        for name, one in phases.items()
    }
    _plot(body, "Latency of requests", phases, latencies("Latency of requests", times, OCTAVE))
    _add(body, "h2", "Checkpoints")
    _table(body, *_rows(phases))
    return "<!DOCTYPE html>\n" + tostring(root, encoding="unicode", method="html") + "\n"


def _headline(metric: Mapping[str, Any]) -> tuple[Sequence[str], list[Sequence[str]]]:
    rows: list[Sequence[str]] = []
    for prefix, phase in PHASES.items():
        name = f"{prefix}_checkpoint"
        if f"{name}_io_mean_GB_per_second" not in metric:
            continue
        rates = [metric[f"{name}_io_{figure}_GB_per_second"] for figure in ("mean", "stdev", "total")]
        seconds = [metric[f"{name}_duration_{figure}_seconds"] for figure in ("mean", "stdev")]
        slow = [metric[f"{name}_request_{part}_seconds"] for part in ("p50", "p95", "p99", "p99_9", "max")]
        latency = ["-" if one is None else f"{one * 1000:.3g}" for one in slow]
        rows.append([phase, *(f"{one:.3f}" for one in (*rates, *seconds)), *latency])
    names = "|GiB/s, mean|stdev|total/total|seconds, mean|stdev|p50 ms|p95 ms|p99 ms|p99.9 ms|max ms"
    return names.split("|"), rows


def _rates(phases: Mapping[str, Any]) -> Element:
    series = {
        name: [
            Bar(
                str(row["number"]),
                row["gib_per_second"],
                f"{name} {row['number']}: {row['gib_per_second']:.3f} GiB/s in {row['seconds']:.2f} s",
            )
            for row in one["checkpoints"]
        ]
        for name, one in phases.items()
    }
    return bars("Rate of each checkpoint", "GiB/s", "checkpoint", series)


def _durations(ranks: Ranks) -> Element:
    series = {
        name: [
            Bar(
                str(rank),
                fmean(seconds),
                f"rank {rank}, {name}: {fmean(seconds):.3f} s, {min(seconds):.3f} to {max(seconds):.3f}",
                min(seconds),
                max(seconds),
            )
            for rank, seconds in sorted(by_rank.items())
        ]
        for name, by_rank in ranks.items()
    }
    return bars("Seconds of each rank", "seconds", "rank", series)


def _rows(phases: Mapping[str, Any]) -> tuple[Sequence[str], list[Sequence[str]]]:
    names = "|number|seconds|GiB/s|slowest rank|host|rank min s|median s|max s".split("|")
    keys = ("rank_seconds_min", "rank_seconds_median", "rank_seconds_max")
    return names, [
        [
            name,
            str(row["number"]),
            f"{row['seconds']:.3f}",
            f"{row['gib_per_second']:.3f}",
            str(row["slowest_rank"]),
            str(row["slowest_host"]),
            *(f"{row[key]:.3f}" for key in keys),
        ]
        for name, one in phases.items()
        for row in one["checkpoints"]
    ]


def _plot(body: Element, title: str, names: Iterable[str], plot: Element) -> None:
    _add(body, "h2", title)
    keys = SubElement(body, "p")
    for name in names:
        SubElement(keys, "span", {"class": f"key {name}"}).tail = name
    SubElement(body, "div", {"class": "wide"}).append(plot)


def _table(body: Element, names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = SubElement(SubElement(body, "div", {"class": "wide"}), "table")
    for kind, cells in (("th", names), *(("td", row) for row in rows)):
        line = SubElement(table, "tr")
        for cell in cells:
            _add(line, kind, cell)


def _add(parent: Element, kind: str, text: str) -> Element:
    found = SubElement(parent, kind)
    found.text = text
    return found
