"""That what is timed is durable: the calls of every rank, seen from outside Python."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from bench.workload.layout import rank_files, step_folder
from tests.bench.models import LAYOUTS
from tests.bench.runs import Bed, strict
from tests.command import ROOT

SOURCE = ROOT / "tests/bench/driver/watch.c"


def calls(folder: Path) -> Iterator[tuple[float, str, str]]:
    """(time of day, call, path) of every process."""
    for log in folder.iterdir():
        for line in log.read_text("utf-8").splitlines():
            time, call, path = line.split(" ", 2)
            yield float(time), call, path


APART = 0.01
"""Seconds. A rank counts its times on from its start; the watch, whose fsync takes 0.03 s, asks the clock."""


@pytest.mark.parametrize("engine", ["rolling", pytest.param("buffered", marks=pytest.mark.slow)])
def test_every_file_and_its_folder_is_synced_before_a_rank_ends_its_part(tmp_path: Path, engine: str) -> None:
    library, log = tmp_path / "watch.so", tmp_path / "calls"
    log.mkdir()
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True, timeout=60)
    bed = Bed(tmp_path / "bed")
    bed.root.mkdir()
    variables = {"LD_PRELOAD": str(library), "WATCH_FOLDER": str(log)}
    done = bed.run("--io-engine", engine, writes=2, reads=1, variables=variables)
    assert done.returncode == 0, done.stderr
    seen = sorted(calls(log))
    for rank in range(2):
        epoch = strict(bed.leaf() / f"{rank}_per_epoch_stats.json")["1"]
        for step in (1, 2):
            window = epoch[f"save_ckpt{step}"]
            start, end = (datetime.fromisoformat(window[name]).timestamp() for name in ("start", "end"))
            folder = f"{bed.checkpoints}/llama3-8b/{step_folder(step)}"
            last = 0.0
            for file in rank_files(LAYOUTS["8B"], 2, rank):
                path = f"{folder}/{file.name}"
                written = [time for time, call, where in seen if (call, where) == ("pwrite", path)]
                synced = [time for time, call, where in seen if (call, where) == ("fsync", path)]
                assert len(synced) == 1
                assert start - APART <= min(written) <= max(written) <= synced[0] <= end + APART
                last = max(last, synced[0])
            folders = [time for time, call, where in seen if (call, where) == ("fsync", folder)]
            assert any(last <= time <= end + APART for time in folders)
    # The leaf gets its name when all else is done.
    named = [time for time, call, where in seen if (call, where) == ("rename", str(bed.leaf()))]
    assert len(named) == 1
    after = (str(bed.leaf().parent),)  # whose entry for the leaf is new
    assert named[0] >= max(t for t, call, where in seen if call in ("pwrite", "fsync") and where not in after)
