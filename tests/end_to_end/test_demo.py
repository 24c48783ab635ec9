"""The demonstration does what it says, twice, and after it was interrupted."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command import ROOT, environment

PLACE = ROOT / "build" / "demo"

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """What a shell puts in the background ignores SIGINT, and so would all that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def start() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(ROOT / "examples/demo.py")],
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def finished() -> str:
    process = start()
    try:
        said, _ = process.communicate(timeout=240)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    assert process.returncode == 0, said
    return said


def leaves() -> list[Path]:
    return list(PLACE.glob("results/whatif/Demo/results/*/checkpointing/llama3-8b/*"))


def test_it_shows_what_it_says_also_after_it_was_interrupted() -> None:
    shutil.rmtree(PLACE, ignore_errors=True)
    interrupted = start()
    deadline = time.monotonic() + 120
    while not leaves() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(interrupted.pid, signal.SIGINT)
    told, _ = interrupted.communicate(timeout=30)
    assert interrupted.returncode == 8, told
    assert [leaf for leaf in leaves() if re.fullmatch(r"\d{8}_\d{6}", leaf.name)] == []

    said = finished()
    assert "4.6.1 checkpointClosedMpiProcesses" in said
    assert "clause 4.3.5" in said
    # What is to be pasted, a command or a path, is never broken in two.
    pasted = ("starts: ", "leaf: ", "  leaf: ")
    assert [line for line in said.splitlines() if len(line) > 120 and not line.startswith(pasted)] == []
    (leaf,) = leaves()
    summary = json.loads((leaf / "summary.json").read_text("utf-8"))
    assert summary["num_accelerators"] == 8
    assert not (PLACE / "checkpoints").exists()

    assert "all as it should be" in finished()
