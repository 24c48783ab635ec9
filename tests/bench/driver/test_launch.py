"""How many ranks start on this host, as far as the launcher can know: what is refused for want of memory."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from bench.driver import launch
from bench.driver.mpi_command import HostRanks, Launcher
from tests.bench.plans import small


@pytest.mark.parametrize(
    ("kind", "placed", "ppn", "allocation", "ranks"),
    [
        ("hydra", [], None, None, 8),
        ("hydra", [], 2, None, 2),
        ("hydra", [], 16, None, 8),
        ("slurm", [], None, None, 0),
        ("openmpi", [], None, "PBS_JOBID", 0),
        ("hydra", [HostRanks(socket.gethostname(), 3), HostRanks("elsewhere", 5)], None, "SLURM_JOB_ID", 3),
    ],
)
def test_local_ranks(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    placed: list[HostRanks],
    ppn: int | None,
    allocation: str | None,
    ranks: int,
) -> None:
    for name in launch.ALLOCATIONS:
        monkeypatch.delenv(name, raising=False)
    if allocation is not None:
        monkeypatch.setenv(allocation, "1")
    monkeypatch.setattr(launch, "hosts_of", lambda accepted, count: placed)
    monkeypatch.setattr(launch, "ppn_of", lambda accepted: ppn)
    accepted: Any = None
    assert launch.local_ranks(accepted, Launcher("/mpi", kind, ""), small(tmp_path, ranks=8)) == ranks
