"""A run that is cut short ends within seconds, leaves no process, and is never taken for a finished one."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from bench.process import follow, orphans
from bench.process.follow import LauncherExit
from bench.process.outcome import FAILED, INTERRUPTED, REFUSED, outcome
from tests.bench.lifecycle import Running, Sandbox, sabotage, until
from tests.command import run


def launcher_of(place: Sandbox) -> int:
    """The one among the run's processes that the others descend from."""
    mine = {}
    for pid in place.ranks():
        try:
            mine[pid] = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    return next(pid for pid, parent in mine.items() if parent not in mine and b"-n" in words(pid))


def words(pid: int) -> list[bytes]:
    return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")


def a_rank_of(place: Sandbox) -> int:
    return next(pid for pid in place.ranks() if b"mpi4py" in words(pid) and b"-n" not in words(pid))


def unfinished(place: Sandbox, reason: str) -> None:
    """There is one folder of the run; nobody takes it for a run, and `validate` says why."""
    (leaf,) = place.leaves
    assert leaf.name.endswith(".unfinished")
    assert not (leaf / "summary.json").exists()
    for tree in (place.root / "res", leaf):
        report = run(["validate", str(tree)])
        assert report.returncode == 2
        assert f"{leaf} is a run that did not finish and counts for nothing: {reason}" in report.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_run(tmp_path: Path, number: signal.Signals) -> None:
    place = Sandbox(tmp_path)
    with Running(place) as running:
        running.process.send_signal(number)
        code, said = running.end()
        assert code == 8
        assert f"failed: interrupted by {number.name}" in said
        assert place.ranks() == []
    unfinished(place, f"interrupted by {number.name}")
    (leaf,) = place.leaves
    assert place.metadata(leaf)["exit_status"] == 8
    assert f"clausegate bench clean {leaf}" in said
    assert place.files()
    cleaned = run(["bench", "clean", str(leaf)])
    assert (cleaned.returncode, place.files()) == (0, set())
    assert "left" not in cleaned.stdout


@pytest.mark.slow
def test_a_second_signal_does_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Sandbox(tmp_path)
    with Running(place) as running:
        os.kill(launcher_of(place), signal.SIGSTOP)  # it cannot hear the first one
        running.process.send_signal(signal.SIGINT)
        running.process.send_signal(signal.SIGINT)
        code, said = running.end()
        assert code == 8
        assert "failed: interrupted by SIGINT" in said
        until(lambda: not place.ranks())
    unfinished(place, "interrupted by SIGINT")


@pytest.mark.slow
def test_a_rank_that_dies_ends_the_run(tmp_path: Path) -> None:
    place = Sandbox(tmp_path)
    with Running(place) as running:
        os.kill(a_rank_of(place), signal.SIGKILL)
        code, said = running.end()
        assert code == 6
        assert "died: Killed (signal 9)" in said
        assert place.ranks() == []


@pytest.mark.slow
def test_a_launcher_that_dies_leaves_no_rank(tmp_path: Path) -> None:
    place = Sandbox(tmp_path)
    with Running(place) as running:
        os.kill(launcher_of(place), signal.SIGKILL)
        code, said = running.end()
        assert code == 6
        assert "failed: the launcher was ended by SIGKILL" in said
        assert place.ranks() == []
    unfinished(place, "the launcher was ended by SIGKILL")


@pytest.mark.slow
def test_ranks_do_not_outlive_a_killed_clausegate(tmp_path: Path) -> None:
    place = Sandbox(tmp_path)
    with Running(place) as running:
        running.process.kill()
        running.process.wait()
        until(lambda: not place.ranks(), seconds=15)
    unfinished(place, "it is still under way, or was ended before it could say why")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["0_output.json", "checkpoints.csv", "summary.json.pending", "report.html"])
def test_figures_are_printed_when_they_cannot_be_written(tmp_path: Path, name: str) -> None:
    """The first rank finds the folder of results full when all is measured."""
    lines = [
        "from pathlib import Path",
        "write = Path.write_text",
        "def full(path, *more, **named):",
        f"    if rank == 0 and path.name == {name!r}:",
        "        raise OSError(28, 'No space left on device')",
        "    return write(path, *more, **named)",
        "Path.write_text = full",
    ]
    place = Sandbox(tmp_path)
    done = place.run(variables=sabotage(tmp_path / "site", lines))
    assert done.returncode == 6
    assert f"{name}: No space left on device" in " ".join(done.stderr.split())
    assert "save_checkpoint_io_mean_GB_per_second" in done.stdout
    assert "load_checkpoint_duration_mean_seconds" in done.stdout
    assert place.leaves[0].name.endswith(".unfinished")


def test_a_process_of_this_host_is_ended_and_a_stranger_is_not(tmp_path: Path) -> None:
    word = str(tmp_path / "plan.json")
    with follow.catch_signals():
        ours = follow.start_process(["sh", "-c", "sleep 600; :", word], stdout=1, stderr=2)
        stranger = follow.start_process(["sleep", "600"], stdout=1, stderr=2)
    try:
        assert orphans.end({0: ours.pid, 1: stranger.pid, 2: 2**22 - 1}, word) == []
        assert ours.wait(10) == -signal.SIGKILL
        assert stranger.poll() is None
    finally:
        follow.stop(stranger, [])
        follow.stop(ours, [])


def test_a_rank_that_cannot_be_ended_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orphans, "PATIENCE", 0.1)
    monkeypatch.setattr(orphans, "_is", lambda pid, word: True)
    monkeypatch.setattr(os, "kill", lambda pid, number: None)
    monkeypatch.setattr(orphans, "_state", lambda pid: "D")
    (phrase,) = orphans.end({3: 77}, "plan")
    assert phrase.startswith("rank 3 (process 77) waits in the kernel for storage that does not answer")
    end = LauncherExit(-9, signal="SIGINT", stuck=[phrase])
    assert outcome(end, {}, [], written=False) == (INTERRUPTED, f"interrupted by SIGINT; {phrase}")


def test_a_refusal_counts_unless_a_rank_failed_too() -> None:
    said = {"rank": 0, "host": "h", "reason": "no"}
    assert outcome(LauncherExit(0, refusals=[said]), {}, [], written=False) == (REFUSED, "no")
    failed = LauncherExit(0, refusals=[said], failures=[said])
    assert outcome(failed, {}, [], written=False)[0] == FAILED
