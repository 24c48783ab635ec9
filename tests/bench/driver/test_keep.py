"""`--keep`: older checkpoints make room, and what is not ours never does; loops clean up behind them."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.driver import preflight
from bench.workload.plan import Plan
from engine.launch.accepted import CannotStart
from engine.sizing import checkpoint
from tests.bench.lifecycle import Sandbox
from tests.bench.plans import small
from tests.command import run


def steps(place: Sandbox) -> set[str]:
    return {path.name for path in place.checkpoints.iterdir()}


def test_what_a_plan_keeps_and_reads(tmp_path: Path) -> None:
    plan = small(tmp_path, writes=5, keep=2)
    assert [plan.obsolete_number(number) for number in range(1, 6)] == [None, None, 1, 2, 3]
    assert list(plan.kept_numbers) == [4, 5]
    assert list(small(tmp_path, writes=5).kept_numbers) == [1, 2, 3, 4, 5]
    assert list(small(tmp_path, writes=1, keep=3).kept_numbers) == [1]
    assert [small(tmp_path, sources=(4, 5)).reads_from(number) for number in range(1, 6)] == [4, 5, 4, 5, 4]
    assert small(tmp_path).reads_from(2) == 2


@pytest.mark.parametrize("keep", [0, 3])
def test_a_plan_is_read_as_it_was_written(tmp_path: Path, keep: int) -> None:
    plan = small(tmp_path, keep=keep, sources=(4, 5) if keep else (), clock_skew=0.5)
    file = Path(plan.leaf, "plan.json")
    file.parent.mkdir()
    file.write_text(plan.as_json())
    assert Plan.read(file) == plan


def test_the_newest_are_kept_and_read_in_turn(tmp_path: Path) -> None:
    place = Sandbox(tmp_path)
    done = place.run("--keep", "2", "--num-checkpoints-write", "4", "--num-checkpoints-read", "3")
    assert done.returncode == 0, done.stderr
    assert steps(place) == {"global_epoch1_step3", "global_epoch1_step4"}
    held = place.summary(place.leaves[0])["workload"]
    assert (held["kept"], held["checkpoints_read"]) == ([3, 4], [3, 4, 3])
    again = place.run("--num-checkpoints-write", "0", "--keep", "2", "--num-checkpoints-read", "3")
    assert again.returncode == 0, again.stderr
    held = place.summary(place.leaves[1])["workload"]
    assert (held["kept"], held["checkpoints_read"]) == ([], [3, 4, 3])
    between = place.metadata(place.leaves[1])["hand_over"]
    assert between["measured_from"] == "newest file of the write phase"
    assert 0 < between["interval_seconds"] < 600
    wrong = place.run("--num-checkpoints-write", "0")
    assert wrong.returncode == 2
    assert "holds no global_epoch1_step1" in wrong.stderr


@pytest.mark.slow
def test_a_file_that_is_not_ours_keeps_its_folder(tmp_path: Path) -> None:
    place = Sandbox(tmp_path)
    guard = tmp_path / "guard"
    guard.write_text(
        "#!/bin/sh\n"
        f"mkdir -p {place.checkpoints}/global_epoch1_step1\n"
        f"echo mine > {place.checkpoints}/global_epoch1_step1/mine\n"
    )
    guard.chmod(0o755)
    launcher = tmp_path / "mpiexec"
    real = shutil.which("mpiexec", path=str(Path(sys.executable).parent))
    assert real is not None
    launcher.write_text(f'#!/bin/sh\n[ $1 = --version ] || {guard}\nexec {real} "$@"\n')
    launcher.chmod(0o755)
    done = place.run("--keep", "1", "--mpi-bin", str(launcher))
    assert done.returncode == 0, done.stderr
    assert {name for name in place.files() if "step1/" in name} == {"global_epoch1_step1/mine"}


@pytest.mark.slow
def test_each_loop_makes_room_for_the_next(tmp_path: Path) -> None:
    place = Sandbox(tmp_path)
    done = place.run("--loops", "2", "--num-checkpoints-write", "1", "--num-checkpoints-read", "1")
    assert done.returncode == 0, done.stderr
    assert [leaf.name for leaf in place.leaves if leaf.name.endswith(".unfinished")] == []
    assert len(place.leaves) == 2
    assert steps(place) == {"global_epoch1_step1"}


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[Path]:
    """A folder on another filesystem than that of the test, as a closed run has its results."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        if tmp_path.stat().st_dev == Path(folder).stat().st_dev:
            pytest.skip("this place has no second filesystem")
        yield Path(folder)


def test_a_closed_run_keeps_what_it_reads(tmp_path: Path, apart: Path) -> None:
    arguments = (
        "closed checkpointing run file --model llama3-8b --num-processes 8 --accelerator-type b200 --hosts h1"
        f" --client-host-memory-in-gb 512 --checkpoint-folder {tmp_path}/c"
        f" --results-dir {apart}"
        " --systemname s --orgname o --keep 9"
    ).split()
    done = run(arguments)
    assert done.returncode == 2
    assert "--keep 9 leaves 9 of the 10 different checkpoints that a closed run reads" in done.stderr
    assert not list(tmp_path.iterdir())


def test_room_is_needed_for_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = small(tmp_path, scale="1", writes=10)
    size = checkpoint(plan.layout, plan.ranks).total
    real = os.statvfs(tmp_path)

    class Held:
        f_bavail, f_frsize = size * 3 // 4096, 4096
        f_files, f_favail = real.f_files, real.f_favail

    monkeypatch.setattr(os, "statvfs", lambda _: Held)
    with pytest.raises(CannotStart, match=r"10 checkpoints of 52\.4 GiB: 523\.5 GiB needed\. --keep N has"):
        preflight._check_room(plan, tmp_path)
    preflight._check_room(small(tmp_path, scale="1", writes=10, keep=2), tmp_path)
    with pytest.raises(CannotStart, match=r"4 checkpoints of"):
        preflight._check_room(small(tmp_path, scale="1", writes=10, keep=4), tmp_path)
    Held.f_files, Held.f_favail = 1000, 20
    with pytest.raises(CannotStart, match="has room for 20 more files; 3 checkpoints of"):
        preflight._check_room(small(tmp_path, writes=3), tmp_path)


def test_a_closed_run_that_only_reads_does_not_read_fewer_than_there_are_to_be(
    tmp_path: Path, apart: Path
) -> None:
    place = Sandbox(tmp_path)
    for number in (1, 2, 3):
        (place.checkpoints / f"global_epoch1_step{number}").mkdir(parents=True)
    words = (
        "closed checkpointing run file --model llama3-8b --num-processes 8 --accelerator-type b200 --hosts h1"
        " --client-host-memory-in-gb 512 --orgname Acme --systemname sys-1 --keep 10"
        f" --num-checkpoints-write 0 --num-checkpoints-read 10 --checkpoint-folder {tmp_path / 'ckpt'}"
        f" --results-dir {apart}"
    )
    done = run(words.split())
    assert done.returncode == 2, done.stdout
    assert "holds 3 of the 10 different checkpoints that a closed run reads" in " ".join(done.stderr.split())
