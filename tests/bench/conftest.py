"""What many tests of whole runs share."""

from __future__ import annotations

import fcntl
import os

import pytest

from tests.bench.runs import Bed, assert_nothing_left


@pytest.fixture(scope="session")
def eight(tmp_path_factory: pytest.TempPathFactory) -> Bed:
    """A run of 8 ranks that writes two checkpoints and reads them; made once, whatever workers there are."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    bed, made = Bed(folder / "eight"), folder / "eight.made"
    with (folder / "eight.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            done = bed.run(ranks=8)
            assert done.returncode == 0, done.stderr
            assert_nothing_left(bed.root)
            made.touch()
    return bed
