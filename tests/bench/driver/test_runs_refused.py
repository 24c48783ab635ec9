"""Runs that are refused before any I/O: what is said, and that nothing was made."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.bench.runs import Bed, assert_nothing_left, fake_launcher, strict


def said(done_stderr: str) -> str:
    return " ".join(done_stderr.split())


def assert_refused(bed: Bed, message: str, *more: str, code: int = 2, **changes: Any) -> None:
    done = bed.run(*more, **changes)
    assert done.returncode == code, done.stderr
    assert re.search(message, said(done.stderr) + said(done.stdout)), done.stderr
    assert "Traceback" not in done.stderr
    assert bed.leaves() == []
    assert bed.files() == {}
    assert_nothing_left(bed.root)


def test_a_launcher_that_is_not_there(tmp_path: Path) -> None:
    assert_refused(
        Bed(tmp_path),
        "--mpi-bin no-such-mpi: there is no such program.*--mpi-bin",
        "--mpi-bin",
        "no-such-mpi",
    )


def test_a_launcher_from_the_environment_that_is_not_there(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    done = bed.run(variables={"MPIEXEC": str(tmp_path / "gone")})
    assert done.returncode == 2
    assert "there is no such program" in said(done.stderr)


def test_a_folder_that_holds_something(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    (bed.checkpoints / "llama3-8b").mkdir(parents=True)
    (bed.checkpoints / "llama3-8b" / "mine").write_text("of somebody else")
    done = bed.run()
    assert done.returncode == 2
    assert re.search(r"llama3-8b is not empty \(mine\)", said(done.stderr))
    assert (bed.checkpoints / "llama3-8b" / "mine").read_text() == "of somebody else"
    assert bed.leaves() == []


def test_more_than_the_filesystem_has_is_told_with_both_figures(tmp_path: Path) -> None:
    assert_refused(
        Bed(tmp_path),
        r"has [\d.]+ [KMGTPE]iB free; 900000 checkpoints of 26\.2 GiB: 22\.5 PiB needed",
        writes=900_000,
        scale=None,
    )


def test_a_checkpoint_folder_that_is_a_file(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    bed.checkpoints.write_text("a file")
    done = bed.run()
    assert done.returncode == 2
    assert str(bed.checkpoints) in done.stderr
    assert "Traceback" not in done.stderr
    assert bed.leaves() == []


@pytest.mark.parametrize("flag", ["--checkpoint-folder", "--results-dir"])
def test_a_folder_that_nobody_can_write(tmp_path: Path, flag: str) -> None:
    bed = Bed(tmp_path)
    done = bed.run(flag, "/proc/clausegate")
    assert done.returncode == 2
    assert "/proc" in done.stderr
    assert "Traceback" not in done.stderr
    assert bed.leaves() == []


def test_reading_what_was_never_written(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    assert_refused(bed, "ckpt cannot be used: it does not exist", writes=0)
    bed.checkpoints.mkdir()
    assert_refused(bed, r"holds no global_epoch1_step1, and 2 checkpoints are to be read", writes=0)


@pytest.mark.parametrize(
    ("division", "words", "option"),
    [
        ("closed", ["--scale", "0.1"], "--scale"),
        ("open", ["--scale", "0.1"], "--scale"),
        ("closed", ["--io-engine", "null"], "null"),
        ("open", ["--io-engine", "null"], "null"),
        ("closed", ["--loops", "2"], "--loops"),
    ],
)
def test_what_only_advice_may_do(tmp_path: Path, division: str, words: list[str], option: str) -> None:
    bed = Bed(tmp_path)
    apart = tmp_path if division == "closed" and option != "null" else _other_filesystem(tmp_path)
    names = [
        "--systemname",
        "s",
        "--orgname",
        "o",
        "--client-host-memory-in-gb",
        "512",
        "--hosts",
        "localhost",
    ]
    names += ["--results-dir", str(apart / f"clausegate-{os.getpid()}")]
    done = bed.run(*names, *words, division=division, ranks=8, scale=None, writes=10, reads=10)
    assert done.returncode == 2, done.stdout + done.stderr
    assert option in done.stderr
    assert "Traceback" not in done.stderr
    assert bed.files() == {}
    assert not (apart / f"clausegate-{os.getpid()}").exists()


def _other_filesystem(folder: Path) -> Path:
    """A folder on another filesystem: with results beside checkpoints 4.4.2 would speak first."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK) or memory.stat().st_dev == folder.stat().st_dev:
        pytest.skip(f"{memory} is no other filesystem than {folder}")
    return memory


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ("checkpoint.time_between_checkpoints=-1", "time_between_checkpoints: -1 is no number of seconds"),
        ("checkpoint.time_between_checkpoints=soon", "'soon' is no number of seconds"),
        ("checkpoint.fsync=false", "this workload always syncs what it writes"),
        ("reader.read_threads=4", "reader.read_threads: this workload does not know it"),
    ],
)
def test_parameters_that_cannot_be_followed(tmp_path: Path, params: str, message: str) -> None:
    assert_refused(Bed(tmp_path), re.escape(message), "--params", params)


def test_a_parameter_that_is_not_known_may_be_recorded(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    bed.run(
        "--params", "reader.read_threads=4", "--allow-invalid-params",
        "--mpi-bin", str(fake_launcher(tmp_path, "exit 0")),
    )  # fmt: skip
    assert bed.metadata()["override_parameters"]["reader.read_threads"] == 4


@pytest.mark.parametrize(
    "words", [["--scale", "0"], ["--scale", "1.5"], ["--time-limit", "0"], ["--scale", "x"]]
)
def test_numbers_that_mean_nothing(tmp_path: Path, words: list[str]) -> None:
    assert_refused(Bed(tmp_path), words[0], *words, scale=None)


def test_two_engines_at_once(tmp_path: Path) -> None:
    assert_refused(Bed(tmp_path), "contradict each other", "--o-direct", "--io-engine", "rolling")


def test_a_name_that_is_no_folder(tmp_path: Path) -> None:
    assert_refused(Bed(tmp_path), "--systemname '../x' names a folder", "--systemname", "../x")


def test_a_dry_run_touches_nothing(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    done = bed.run("--dry-run", "--mpi-bin", "no-such-mpi")
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_folders_are_recorded_as_the_kernel_tells_them_apart(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    bed.run("--mpi-bin", str(fake_launcher(tmp_path, "exit 0")))
    held = strict(bed.leaf() / "fs_separation.json")
    assert held["same_filesystem"] is (tmp_path.stat().st_dev == bed.checkpoints.stat().st_dev)
    assert held["method"] in ("link_exdev", "st_dev")
    assert held["results_path"] == str(bed.results)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", held["probed_at"])
    assert [path.name for path in bed.checkpoints.rglob("*") if "probe" in path.name] == []
