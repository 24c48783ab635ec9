from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bench.cli.report import report
from bench.rank.host import Host
from bench.record.results import PENDING, SUMMARY, write_results
from bench.storage.meter import Meter
from bench.workload.checkpoint import Checkpoint, RankRecord
from bench.workload.plan import Plan
from engine.rulesets import load
from engine.sizing import find_layout

NASTY = "<script>alert('h')</script>&\""


def meter(latencies: list[float]) -> Meter:
    found = Meter(lambda _: None)
    for seconds in latencies:
        found.request(1, seconds)
    return found


@pytest.fixture
def leaf(tmp_path: Path) -> Path:
    layout = find_layout(load("gate").tables, "8B")
    assert layout is not None
    folder = tmp_path / "llama3-8b" / "20260101_000000"
    folder.mkdir(parents=True)
    plan = Plan(
        model="llama3-8b", layout=layout, ranks=3, folder="/f", leaf=str(folder), writes=2, reads=1,
        interval=0.0, engine="rolling",
    )  # fmt: skip
    host = Host(0, NASTY, 1, 2**30, "x", {}, {})
    records = []
    for rank in range(3):
        record = RankRecord(rank, host, "2026-01-01T00:00:00", rank, "2026-01-01T00:01:00")
        for operation, number in (("write", 1), ("write", 2), ("read", 1)):
            seconds = 1.0 + rank
            record.checkpoints.append(
                Checkpoint(operation, number, "a", "b", seconds, 3.0, meter([0.001, 0.01 * (rank + 1)]))
            )
        records.append(record)
    write_results(plan, records)
    (folder / PENDING).rename(folder / SUMMARY)
    return folder


def test_the_summary_has_the_spread_and_the_histogram(leaf: Path) -> None:
    held = json.loads((leaf / SUMMARY).read_text())
    write = held["workload"]["phases"]["write"]
    spread = [
        [row[f"rank_seconds_{name}"] for name in ("min", "median", "max")] for row in write["checkpoints"]
    ]
    assert spread == [[1.0, 2.0, 3.0]] * 2
    assert [row["slowest_rank"] for row in write["checkpoints"]] == [2, 2]
    counts, ends = write["request_latency"]["counts"], write["request_latency"]["bucket_ends_seconds"]
    assert sum(counts) == 3 * 2 * 2
    assert counts[0] == 6
    assert 0.001 <= ends[0] <= 0.001 * 1.0906
    metric = held["metric"]
    assert metric["save_checkpoint_request_max_seconds"] == 0.03
    assert metric["save_checkpoint_request_p99_9_seconds"] <= 0.03


def test_the_table_has_a_line_for_each_checkpoint(leaf: Path) -> None:
    rows = list(csv.DictReader(io.StringIO((leaf / "checkpoints.csv").read_text())))
    assert [(row["operation"], row["number"]) for row in rows] == [
        ("write", "1"),
        ("write", "2"),
        ("read", "1"),
    ]
    assert {row["slowest_host"] for row in rows} == {NASTY}
    printed = CliRunner().invoke(report, [str(leaf), "--csv"]).output
    assert printed == (leaf / "checkpoints.csv").read_text()


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.kinds: list[str] = []
        self.links: list[Any] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.kinds.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href")]


def test_the_page_stands_alone_and_escapes(leaf: Path) -> None:
    text = (leaf / "report.html").read_text()
    page = Page()
    page.feed(text)
    assert page.kinds.count("svg") == 3
    assert "script" not in page.kinds
    assert page.links == []
    assert "http" not in text
    assert "&lt;script&gt;" in text


def test_the_page_can_be_made_again(leaf: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.html"
    done = CliRunner().invoke(report, [str(leaf), "--html", str(again)])
    assert done.exit_code == 0
    assert again.read_text() == (leaf / "report.html").read_text()


@pytest.mark.parametrize("content", [None, "{}", "[]", "{", '{"workload": {"phases": {"write": {}}}}'])
def test_what_is_no_run_is_said(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / SUMMARY).write_text(content)
    done = CliRunner().invoke(report, [str(tmp_path)])
    assert done.exit_code == 1  # clausegate makes it 2
    assert done.output.startswith("Error: ")
