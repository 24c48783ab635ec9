"""A standard stream that is closed or full: one line where one can be written, and a documented code."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.command import LAUNCH, ROOT
from tests.packages import write_leaf, write_system

MAIN = f"{shlex.quote(sys.executable)} -m engine.cli.main"
COMMANDS = {
    "help": "--help",
    "help of a command": "validate --help",
    "version": "--version",
    "check": "check",
    "rules": "rules",
    "explain": "explain N001",
    "build": "build --check",
    "fmt": "fmt --check",
    "bench": "bench plan --model llama3-8b --num-processes 8",
    "launch": shlex.join(LAUNCH),
    "validate": "validate examples/clean",
    "json": "validate examples/clean --format json",
}
by_name = pytest.mark.parametrize("name", sorted(COMMANDS))


def ended(line: str, where: str) -> tuple[int, str]:
    """Exit code, and all that could still be read."""
    done = subprocess.run(
        ["bash", "-c", f"{MAIN} {line} {where}"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in done.stdout + done.stderr
    assert "internal error:" not in done.stdout + done.stderr
    return done.returncode, done.stdout + done.stderr


FULL = "No space left on device"


@by_name
@pytest.mark.parametrize(("where", "why"), [(">&-", "there is none"), (">/dev/full", FULL)])
def test_a_report_that_cannot_be_written_is_one_line(name: str, where: str, why: str) -> None:
    assert ended(COMMANDS[name], where) == (2, f"Error: Standard output cannot be written: {why}.\n")


@by_name
@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full"])
def test_what_is_said_beside_a_report_changes_no_code(name: str, where: str) -> None:
    code, shown = ended(COMMANDS[name], where)
    assert code == 0
    assert shown


@pytest.mark.parametrize("name", ["help", "validate", "launch", "check"])
@pytest.mark.parametrize("where", [">&- 2>&-", ">/dev/full 2>/dev/full", "<&- >&- 2>&-", ">&- 2>/dev/full"])
def test_where_nothing_can_be_written_the_code_tells(name: str, where: str) -> None:
    assert ended(COMMANDS[name], where) == (2, "")


@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full", ">&-", ">/dev/full"])
@pytest.mark.parametrize("line", ["valdate", "validate nowhere", "closed checkpointing rn", "check no.md"])
def test_an_error_is_told_on_the_stream_that_is_left(line: str, where: str) -> None:
    code, shown = ended(line, where)
    assert code == 2
    assert "Error: " in shown


def test_remarks_that_cannot_be_written_change_no_code() -> None:
    for where in ("2>&-", "2>/dev/full"):
        assert ended("validate examples/clean --format lines", where) == (0, "")


def test_a_file_that_is_written_is_not_taken_for_a_closed_stream(tmp_path: Path) -> None:
    target = tmp_path / "report"
    assert ended(f"validate examples/clean --output {target}", ">&- 2>&- <&-") == (0, "")
    assert target.read_text("utf-8").startswith("runs by workload")


# --- --output ------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "package"
    write_system(root)
    write_leaf(root)
    return root


def written(tree: Path, output: Path) -> tuple[int, str]:
    return ended(f"validate {tree} --format json --output {shlex.quote(str(output))}", "")


def test_a_regular_file_is_put_in_place(tree: Path, tmp_path: Path) -> None:
    target = tmp_path / "report"
    target.write_text("old")
    assert written(tree, target) == (0, "")
    assert target.read_text("utf-8").startswith("{")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_written_through(tree: Path, tmp_path: Path, there: bool) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    if there:
        target.write_text("old")
    link.symlink_to("target")
    assert written(tree, link) == (0, "")
    assert link.is_symlink()
    assert target.read_text("utf-8").startswith("{")


def test_a_device_stays_one(tree: Path, tmp_path: Path) -> None:
    link = tmp_path / "null"
    link.symlink_to("/dev/null")
    for output in (Path("/dev/null"), link):
        assert written(tree, output) == (0, "")
        assert output.is_char_device()
    assert link.is_symlink()


def test_a_device_that_takes_nothing_is_told(tree: Path) -> None:
    assert written(tree, Path("/dev/full")) == (
        2,
        "Error: /dev/full cannot be written: No space left on device.\n",
    )


def test_standard_output_by_its_name(tree: Path) -> None:
    code, shown = written(tree, Path("/dev/stdout"))
    assert (code, shown[:1]) == (0, "{")


def test_a_pipe_is_written_through_when_it_is_read(tree: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert written(tree, pipe) == (2, f"Error: {pipe} cannot be written: nobody reads from it.\n")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text("utf-8")))
    reader.start()
    assert written(tree, pipe) == (0, "")
    reader.join(30)
    assert read[0].startswith("{")
    assert pipe.is_fifo()


def test_a_folder_a_loop_and_no_folder_are_refused(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for output in (tmp_path, tmp_path / "loop", tmp_path / "no" / "such", tree / "closed"):
        code, shown = written(tree, output)
        assert code == 2
        assert "cannot be written" in shown
    assert (tmp_path / "loop").is_symlink()
