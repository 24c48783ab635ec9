"""Ranks that wait sleep: a processor that spins is taken from a rank that still writes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bench.driver.mpi_command import find
from tests.command import ROOT, environment

WAITS = """
import resource, sys, time
from bench.rank.communicator import Communicator
comm = Communicator()
comm.barrier()
if not comm.rank:
    time.sleep(1)
before = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
getattr(comm, sys.argv[1])(*([1.0] if len(sys.argv) > 2 else []))
if comm.rank:
    print(resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw - before)
"""

LOOKS = 50
"""Sleeps within a second; a rank that spins never gives its processor up by itself."""


@pytest.mark.parametrize(
    "call",
    [["barrier"], ["maximum", "1"], ["broadcast", "1"], ["gather", "1"], ["hosts"]],
    ids=lambda call: call[0],
)
def test_a_rank_that_waits_for_a_slow_one_sleeps(call: list[str]) -> None:
    command = find("mpiexec").command([sys.executable, "-m", "mpi4py", "-c", WAITS, *call], 2, [])
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT, env=environment()
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > LOOKS
