"""Ranks that cannot do a run say so before any I/O, and the launch ends with a refusal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.rank import handshake, memory
from bench.workload.plan import Plan
from tests.bench.lifecycle import CLIQUES, Sandbox, sabotage
from tests.bench.plans import small

SABOTAGE = {
    "clock": (
        ["import time", "true = time.time", "time.time = lambda: true() + (100 if rank % 2 == 1 else 0)"],
        "100.0 s apart and at most 2 s are allowed",
    ),
    "folder": (
        [
            "from pathlib import Path",
            "there = Path.exists",
            "Path.exists = lambda p: there(p) and not (rank % 2 == 1 and '-handshake-' in p.name)",
        ],
        "it does not see what the first rank wrote to",
    ),
    "memory": (
        [
            "if rank == 1:",
            "    import bench.rank.memory",
            "    bench.rank.memory.available = lambda: 2**20",
        ],
        "1.00 MiB of memory are left and its 2 ranks need",
    ),
    "write": (
        [
            "opens = os.open",
            "def refuse(path, flags, *more, **named):",
            "    if rank == 1 and '-handshake-' in str(path):",
            "        raise PermissionError(13, 'Permission denied', path)",
            "    return opens(path, flags, *more, **named)",
            "os.open = refuse",
        ],
        "Permission denied",
    ),
}


@pytest.mark.parametrize(
    "fault", ["clock", *(pytest.param(one, marks=pytest.mark.slow) for one in ("memory", "folder", "write"))]
)
def test_a_host_that_cannot_serve_refuses_the_run(fault: str, tmp_path: Path) -> None:
    lines, message = SABOTAGE[fault]
    place = Sandbox(tmp_path)
    done = place.run(variables={**CLIQUES, **sabotage(tmp_path / "site", lines)})
    verdict = " ".join(done.stderr.split())
    assert message in verdict
    assert verdict.endswith("Nothing was written.")
    assert done.returncode == 2
    assert place.files() == set()
    assert place.leaves == []
    assert place.ranks() == []


@pytest.mark.slow
def test_clocks_may_be_apart_as_far_as_is_allowed(tmp_path: Path) -> None:
    variables = {**CLIQUES, **sabotage(tmp_path / "site", SABOTAGE["clock"][0])}
    place = Sandbox(tmp_path)
    done = place.run("--clock-skew", "200", variables=variables)
    assert done.returncode == 0, done.stderr
    assert place.summary(place.leaves[0])["workload"]["clock_skew_seconds"] == pytest.approx(100, abs=5)


def test_ranks_of_another_mpi_are_no_run(tmp_path: Path) -> None:
    """A launcher that is not mpi4py's starts as many runs of one rank."""
    launcher = tmp_path / "mpiexec"
    launcher.write_text(
        f"#!{sys.executable}\n"
        "import subprocess, sys\n"
        "if sys.argv[1] == '--version':\n"
        "    sys.exit(print('HYDRA build details:'))\n"
        "command = sys.argv[3:]\n"
        "ranks = [subprocess.Popen(command) for _ in range(int(sys.argv[2]))]\n"
        "sys.exit(max(rank.wait() for rank in ranks))\n"
    )
    launcher.chmod(0o755)
    place = Sandbox(tmp_path)
    done = place.run("--mpi-bin", str(launcher))
    assert done.returncode == 2
    assert "4 ranks are planned and 1 was started as one run" in " ".join(done.stderr.split())
    assert place.files() == set()
    assert place.leaves == []


def reports(*ahead: float) -> list[tuple[str, float, str | None]]:
    return [(f"h{number}", seconds, None) for number, seconds in enumerate(ahead)]


def plan(**more: object) -> Plan:
    return small(Path("/c"), **more)


def test_the_verdict_names_the_two_hosts_that_are_farthest_apart() -> None:
    assert handshake._verdict(plan(), reports(0.0, -1.2, 0.7)) is None
    verdict = handshake._verdict(plan(), reports(0.0, -1.5, 0.7))
    assert verdict is not None
    assert verdict.startswith("the clocks of h1 and h2 are 2.2 s apart and at most 2 s")
    assert handshake._verdict(plan(clock_skew=3.0), reports(0.0, -1.5, 0.7)) is None


def test_the_verdict_tells_the_first_fault_and_how_many_more() -> None:
    faults = [("h0", 0.0, None), ("h1", 0.0, "it burns"), ("h2", 99.0, "it floods"), ("h3", 0.0, "x")]
    assert handshake._verdict(plan(), faults) == "h1: it burns (2 more hosts with a fault)"


def test_memory_is_what_the_ranks_of_a_host_need_beyond_what_they_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    each = 80 * memory.MIB
    monkeypatch.setattr(memory, "resident", lambda: 30 * memory.MIB)
    monkeypatch.setattr(memory, "available", lambda: 8 * 50 * memory.MIB)
    assert handshake._memory_fault(8, each) is None
    assert handshake._memory_fault(9, each) == (
        "400.0 MiB of memory are left and its 9 ranks need 450.0 MiB more; use fewer ranks a host"
    )
    monkeypatch.setattr(memory, "resident", lambda: 90 * memory.MIB)
    monkeypatch.setattr(memory, "available", lambda: 0)
    assert handshake._memory_fault(9, each) is None  # what they hold already is enough
    monkeypatch.setattr(memory, "available", lambda: None)
    assert handshake._memory_fault(9, each) is None
