"""The words of each MPI's launcher, asked of launchers that only say what they are."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from bench.driver import mpi_command
from bench.driver.mpi_command import HostRanks, Launcher, find
from engine.launch.accepted import CannotStart

VERSIONS = {
    "hydra": "HYDRA build details:\n    Version:                                 4.3.0",
    "openmpi": "mpirun (Open MPI) 5.0.6\n\nReport bugs to https://www.open-mpi.org/community/help/",
    "slurm": "slurm 23.11.4",
}
NAMED = {
    "hydra": "HYDRA build details: Version: 4.3.0",
    "openmpi": "mpirun (Open MPI) 5.0.6",
    "slurm": "slurm 23.11.4",
}
"""What is recorded of each."""

KILL = "--kill-on-bad-exit=1"
"""Without it srun leaves the other ranks waiting for one that died."""

RANK = ["python", "-m", "bench", "plan.json"]
TWO = [HostRanks("h1", 4), HostRanks("h2", 4)]


def fake(folder: Path, says: str, name: str = "mpi") -> Path:
    """A launcher that says its version and can do nothing else."""
    path = folder / name
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{says}\nEND\n", "utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize("kind", sorted(VERSIONS))
def test_a_launcher_is_known_by_what_its_version_says(tmp_path: Path, kind: str) -> None:
    path = fake(tmp_path, VERSIONS[kind])
    found = find(str(path))
    assert (found.kind, found.version) == (kind, NAMED[kind])


@pytest.mark.parametrize(
    ("says", "kind"),
    [
        ("mpirun (Open MPI) 4.1.2", "openmpi"),
        ("prterun (PRRTE) 3.0.2", "openmpi"),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.11", "hydra"),
        ("Version: MVAPICH 3.0", "hydra"),
    ],
)
def test_relatives(tmp_path: Path, says: str, kind: str) -> None:
    assert find(str(fake(tmp_path, says))).kind == kind


@pytest.mark.parametrize(
    ("kind", "hosts", "words"),
    [
        ("hydra", [], ["-n", "8", *RANK]),
        ("hydra", TWO, ["-n", "8", "-hosts", "h1:4,h2:4", *RANK]),
        ("openmpi", [], ["-n", "8", *RANK]),
        ("openmpi", TWO, ["-n", "8", "--host", "h1:4,h2:4", *RANK]),
        ("slurm", [], ["-n", "8", KILL, *RANK]),
        ("slurm", TWO, ["-n", "8", KILL, "--nodes=2", "--nodelist=h1,h2", "--ntasks-per-node=4", *RANK]),
        (
            "slurm",
            [HostRanks("h1", 5), HostRanks("h2", 3)],
            ["-n", "8", KILL, "--nodes=2", "--nodelist=h1,h2", *RANK],
        ),
    ],
)
def test_words_of_each_mpi(kind: str, hosts: list[HostRanks], words: list[str]) -> None:
    assert Launcher("/mpi", kind, "").command(RANK, 8, hosts) == ["/mpi", *words]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("hydra", []),
        ("openmpi", ["--oversubscribe", "--allow-run-as-root"]),
        ("slurm", [KILL, "--overcommit"]),
    ],
)
def test_words_for_more_ranks_than_slots_and_for_root(kind: str, words: list[str]) -> None:
    command = Launcher("/mpi", kind, "").command(RANK, 8, [], oversubscribe=True, as_root=True)
    assert command == ["/mpi", "-n", "8", *words, *RANK]


def test_one_that_is_not_there_is_told_with_what_to_do() -> None:
    with pytest.raises(CannotStart, match=r"--mpi-bin no-such-mpi: there is no such program.*pip install"):
        find("no-such-mpi")


@pytest.mark.parametrize("says", ["bash, version 5", ""])
def test_one_that_is_no_mpi_is_told(tmp_path: Path, says: str) -> None:
    with pytest.raises(CannotStart, match="names no MPI that is known here"):
        find(str(fake(tmp_path, says)))


def test_one_that_cannot_be_executed_is_told(tmp_path: Path) -> None:
    path = tmp_path / "mpi"
    path.write_bytes(b"\x7fELF, but not really")
    path.chmod(0o755)
    with pytest.raises(CannotStart, match="it does not start"):
        find(str(path))


def test_one_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mpi"
    path.write_text("#!/bin/sh\nexec sleep 60\n", "utf-8")
    path.chmod(0o755)
    monkeypatch.setattr(mpi_command, "PATIENCE", 0.2)
    with pytest.raises(CannotStart, match="it does not start"):
        find(str(path))


@pytest.mark.parametrize("others", [True, False])
def test_without_a_name_the_one_beside_this_python_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: bool
) -> None:
    (tmp_path / "site").mkdir()
    beside = fake(tmp_path, VERSIONS["hydra"], "mpiexec")
    site = fake(tmp_path / "site", VERSIONS["openmpi"], "mpiexec")
    monkeypatch.setenv("PATH", str(site.parent) if others else os.devnull)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(mpi_command, "_version", lambda path: VERSIONS["hydra"])
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert find("mpiexec").path == str(beside)
    assert find(str(site)).path == str(site)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))  # the system's Python: the site's choice stands
    assert find("mpiexec").path == str(site if others else beside)
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path))
    assert find("mpiexec").path == str(beside)
    beside.unlink()
    if others:
        assert find("mpiexec").path == str(site)
    else:
        with pytest.raises(CannotStart, match="there is no such program"):
            find("mpiexec")


def test_another_name_is_looked_for_on_the_path_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(tmp_path, VERSIONS["hydra"], "mpirun")
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(CannotStart, match="there is no such program"):
        find("mpirun")
