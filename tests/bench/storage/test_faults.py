"""Each call to the system that can fail, failing: the error names the file, and nothing goes on for ever."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.storage import kernel
from bench.storage.base import Storage
from bench.storage.separation import probe
from bench.workload.data import Pattern
from tests.bench.lifecycle import Sandbox, sabotage
from tests.bench.storage.engines import ON_FILES, content, engine, meter

SIZE = (20 << 20) + 777
"""More than all buffers hold, and no whole number of sectors."""

STEPS: dict[str, Callable[[Storage, Path], object]] = {
    "write": lambda held, file: held.write(str(file), SIZE, Pattern("f"), meter()),
    "read": lambda held, file: held.read(str(file), SIZE, Pattern("f"), meter()),
    "drop": lambda held, file: held.drop_from_cache(str(file)),
    "sync_folder": lambda held, file: held.sync_folder(str(file.parent), meter()),
    "remove": lambda held, file: held.remove(str(file)),
    "remove_folder": lambda held, file: held.remove_folder(str(file.parent)),
    "make_folder": lambda held, file: held.make_folder(str(file.parent)),
}

CALLS = {
    "write": ("open", "pwrite", "fsync", "close"),
    "read": ("open", "fstat", "preadv", "close"),
    "drop": ("open", "posix_fadvise", "close"),
    "sync_folder": ("open", "fsync", "close"),
    "remove": ("unlink",),
    "remove_folder": ("rmdir", "fsync", "close"),
    "make_folder": ("mkdir", "fsync", "close"),
}

FAULTS = [(step, call) for step, calls in CALLS.items() for call in calls]


def prepared(step: str, folder: Path) -> Path:
    """What the step works on."""
    place = folder / "step"
    if step != "make_folder":
        place.mkdir()
    if step in ("read", "drop", "remove"):
        (place / "f").write_bytes(content("f", SIZE))
    return place / "f"


class Failing:
    """A call that fails with an errno, as the system does: of a descriptor, and so without a name.

    It does its work first where leaving it out would leak.
    """

    def __init__(self, call: str, code: int, below: Path) -> None:
        self.real, self.call, self.code, self.below = getattr(os, call), call, code, str(below)

    def __call__(self, target: Any, *more: Any, **named: Any) -> Any:
        place = str(Path(f"/proc/self/fd/{target}").readlink() if isinstance(target, int) else target)
        if not place.startswith(self.below):
            return self.real(target, *more, **named)
        if self.call == "close":
            self.real(target)
        raise OSError(self.code, os.strerror(self.code), *([] if isinstance(target, int) else [place]))


@pytest.mark.parametrize("name", ON_FILES)
@pytest.mark.parametrize(("step", "call"), FAULTS)
@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC])
def test_a_call_that_fails_names_what_it_was_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, step: str, call: str, code: int
) -> None:
    with engine(name, tmp_path) as held:
        file = prepared(step, tmp_path)
        monkeypatch.setattr(os, call, Failing(call, code, tmp_path))
        with pytest.raises(OSError, match=os.strerror(code)) as failed:
            STEPS[step](held, file)
        monkeypatch.undo()
    assert failed.value.errno == code
    assert failed.value.filename is not None
    assert str(failed.value.filename) in {str(file), str(file.parent), str(tmp_path)}
    assert open_below(tmp_path) == []


@pytest.mark.parametrize("name", ON_FILES)
@pytest.mark.parametrize("count", [0, -1])
def test_a_write_that_writes_nothing_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, count: int
) -> None:
    with engine(name, tmp_path) as held:
        monkeypatch.setattr(os, "pwrite", lambda *_: count)
        with pytest.raises(OSError, match="nothing was written at byte 0") as failed:
            held.write(str(tmp_path / "f"), SIZE, Pattern("f"), meter())
    assert failed.value.filename == str(tmp_path / "f")


@pytest.mark.parametrize("name", ["buffered", "rolling"])
def test_a_write_that_is_cut_short_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    real = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda fd, data, at: real(fd, data[: max(1, len(data) // 2)], at))
    with engine(name, tmp_path) as held:
        held.write(str(tmp_path / "f"), SIZE, Pattern("f"), meter())
    assert (tmp_path / "f").read_bytes() == content("f", SIZE)


@pytest.mark.parametrize("name", ["buffered", "rolling"])
def test_the_first_fault_is_the_one_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with engine(name, tmp_path) as held:
        monkeypatch.setattr(os, "fsync", Failing("fsync", errno.EIO, tmp_path))
        monkeypatch.setattr(os, "close", Failing("close", errno.EDQUOT, tmp_path))
        with pytest.raises(OSError, match=os.strerror(errno.EIO)):
            held.write(str(tmp_path / "f"), SIZE, Pattern("f"), meter())
        monkeypatch.undo()


def test_write_back_that_fails_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with engine("rolling", tmp_path) as held:
        monkeypatch.setattr(kernel, "start_writeback", failing)
        with pytest.raises(OSError, match="Input/output error") as failed:
            held.write(str(tmp_path / "f"), SIZE, Pattern("f"), meter())
    assert failed.value.filename == str(tmp_path / "f")


def test_the_probe_of_two_folders_names_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "close", Failing("close", errno.EIO, tmp_path))
    with pytest.raises(OSError, match="Input/output error") as failed:
        probe(tmp_path, tmp_path)
    assert str(failed.value.filename).startswith(str(tmp_path))


def open_below(folder: Path) -> list[str]:
    """Descriptors of this process that are still open on something in the folder."""
    places = []
    for entry in Path("/proc/self/fd").iterdir():
        try:
            places.append(str(entry.readlink()))
        except OSError:
            continue
    return [place for place in places if place.startswith(f"{folder}/")]


CLOSE = """
    real = os.close
    def close(fd):
        place = os.readlink(f'/proc/self/fd/{fd}')
        real(fd)
        if place.endswith('.pt'): raise OSError(5, 'Input/output error')
    os.close = close
"""
FSYNC = """
    real = os.fsync
    def fsync(fd):
        if os.path.isdir(os.readlink(f'/proc/self/fd/{fd}')): raise OSError(5, 'Input/output error')
        real(fd)
    os.fsync = fsync
"""
RUNS = {
    "pwrite": ("    os.pwrite = lambda *_: 0", "nothing was written at byte"),
    "close": (CLOSE, "Input/output error"),
    "fsync of a folder": (FSYNC, "Input/output error"),
}


@pytest.mark.parametrize("fault", RUNS)
def test_a_run_ends_with_the_path_and_records_it(tmp_path: Path, fault: str) -> None:
    lines, words = RUNS[fault]
    place = Sandbox(tmp_path)
    inside = "\n".join(f"    {line}" for line in lines.splitlines())
    done = place.run(
        "--time-limit", "60", variables=sabotage(tmp_path / "site", [f"if rank == 1:\n{inside}"])
    )
    assert done.returncode == 6, done.stdout + done.stderr
    told = " ".join(done.stderr.split())
    assert words in told
    assert str(place.checkpoints) in told
    (leaf,) = place.leaves
    assert place.metadata(leaf)["exit_status"] == 6
    assert str(place.checkpoints) in place.metadata(leaf)["failure"]
