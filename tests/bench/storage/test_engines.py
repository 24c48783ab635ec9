"""Every engine writes the same bytes, finds every fault, and says which file is at fault."""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.storage import kernel
from bench.storage.base import Corrupt, Storage
from bench.storage.buffers import CHUNK
from bench.storage.engines import ENGINES
from bench.storage.objects import Objects
from bench.storage.pipeline import STEP
from bench.workload.data import Pattern
from engine.cli import options
from tests.bench.storage.engines import ON_FILES, content, engine, flip, meter

SIZES = [1, 7, 4095, 4096, 4097, CHUNK - 1, CHUNK + 513, STEP, STEP + 4096 + 3, 3 * STEP + CHUNK // 2 + 11]


@pytest.fixture(params=ON_FILES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    with engine(request.param, tmp_path) as held:
        yield held


@pytest.fixture(autouse=True)
def _hard_end() -> Iterator[None]:
    """A thread that hangs ends the test, not the machine's patience."""

    def late(*_: object) -> None:
        raise TimeoutError("an engine hangs")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_the_command_line_offers_the_engines_but_the_one_that_object_access_chooses() -> None:
    assert {*options.ENGINES, Objects.name} == set(ENGINES)
    assert Objects.name not in options.ENGINES
    assert ENGINES[Objects.name] is Objects
    assert {name: ENGINES[name]().name for name in options.ENGINES} == {n: n for n in options.ENGINES}


@pytest.mark.parametrize("size", SIZES)
def test_every_engine_writes_the_bytes_of_the_pattern_and_reads_them_back(
    store: Storage, tmp_path: Path, size: int
) -> None:
    path, wrote, read = tmp_path / "file", meter(), meter()
    store.write(str(path), size, Pattern("file"), wrote)
    assert path.read_bytes() == content("file", size)
    store.read(str(path), size, Pattern("file"), read)
    assert wrote.bytes == read.bytes == size
    assert (wrote.fsyncs, read.fsyncs) == (1, 0)
    assert sum(wrote.latencies) == sum(read.latencies) == -(-size // STEP)


@pytest.mark.parametrize("offset", [0, 4096, STEP - 1, STEP, STEP + 4096 + 2])
def test_a_changed_byte_is_told_with_file_offset_and_values(
    store: Storage, tmp_path: Path, offset: int
) -> None:
    path, size = tmp_path / "file", STEP + 4096 + 3
    store.write(str(path), size, Pattern("file"), meter())
    was, now = flip(path, offset)
    with pytest.raises(Corrupt) as fault:
        store.read(str(path), size, Pattern("file"), meter())
    assert str(fault.value) == f"{path}: byte {offset} is 0x{now:02x}, 0x{was:02x} was written there"
    flip(path, offset)
    store.read(str(path), size, Pattern("file"), meter())  # the engine goes on after a fault


def test_a_file_that_exists_is_refused_and_left_as_it_is(store: Storage, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"somebody else's")
    with pytest.raises(FileExistsError) as fault:
        store.write(str(path), CHUNK, Pattern("file"), meter())
    assert fault.value.filename == str(path)
    assert path.read_bytes() == b"somebody else's"


@pytest.mark.parametrize("change", [-1, 1, -4096, 4096])
def test_a_file_of_another_length_is_told(store: Storage, tmp_path: Path, change: int) -> None:
    path, size = tmp_path / "file", STEP + 8192
    store.write(str(path), size, Pattern("file"), meter())
    os.truncate(path, size + change)
    with pytest.raises(Corrupt, match=f"{path}: holds {size + change} bytes, {size} were written"):
        store.read(str(path), size, Pattern("file"), meter())


def test_a_file_that_is_missing_is_told(store: Storage, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as fault:
        store.read(str(tmp_path / "file"), 1, Pattern("file"), meter())
    assert fault.value.filename == str(tmp_path / "file")
    with pytest.raises(FileNotFoundError):
        store.drop_from_cache(str(tmp_path / "file"))


def test_a_folder_that_is_missing_is_told(store: Storage, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as fault:
        store.write(str(tmp_path / "no" / "file"), 1, Pattern("file"), meter())
    assert fault.value.filename == str(tmp_path / "no" / "file")


def test_a_name_that_is_no_folder_is_told(store: Storage, tmp_path: Path) -> None:
    (tmp_path / "no").write_text("a file")
    with pytest.raises(OSError, match=r"File exists|Not a directory"):
        store.make_folder(str(tmp_path / "no"))
    with pytest.raises(NotADirectoryError):
        store.make_folder(str(tmp_path / "no" / "deeper"))


def test_folders_are_made_once_and_by_several(store: Storage, tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b" / "c"
    store.make_folder(str(folder))
    store.make_folder(str(folder))
    held = meter()
    store.sync_folder(str(folder), held)
    assert folder.is_dir()
    assert held.fsyncs == 1


def test_what_is_forgotten_is_not_in_the_cache(store: Storage, tmp_path: Path) -> None:
    path = tmp_path / "file"
    store.write(str(path), 2 * STEP + 5, Pattern("file"), meter())
    path.read_bytes()
    left = store.drop_from_cache(str(path))
    if _in_memory(tmp_path):
        pytest.skip(f"{tmp_path} lies in memory: nothing can be dropped there")
    assert left.part == 0.0
    path.read_bytes()
    fd = os.open(path, os.O_RDONLY)
    try:
        assert kernel.cached_part(fd) == 1.0, "what was read is cached, or the figure above means nothing"
    finally:
        os.close(fd)


def _in_memory(folder: Path) -> bool:
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    over = [m for m in mounts if str(folder.resolve()).startswith(m[1].rstrip("/") + "/") or m[1] == "/"]
    return max(over, key=lambda m: len(m[1]))[2] in ("tmpfs", "ramfs")


class Broken:
    """A descriptor's worth of bad luck: the n-th request fails."""

    def __init__(self, nth: int) -> None:
        self._left = nth

    def __call__(self, *_: object) -> int:
        self._left -= 1
        if self._left < 0:
            raise OSError(errno.EIO, "Input/output error")
        return STEP


@pytest.mark.parametrize("nth", [0, 1, 5])
def test_an_error_in_a_thread_is_raised_and_nothing_hangs(
    store: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    path = tmp_path / "file"
    with monkeypatch.context() as patched:
        real, luck = os.pwrite, Broken(nth)
        patched.setattr(os, "pwrite", lambda *words: (luck(), real(*words))[1])
        with pytest.raises(OSError, match="Input/output error"):
            store.write(str(path), 8 * STEP, Pattern("file"), meter())
    path.unlink()
    store.write(str(path), 8 * STEP, Pattern("file"), meter())
    with monkeypatch.context() as patched:
        real_get, luck = os.preadv, Broken(nth)
        patched.setattr(os, "preadv", lambda *words: (luck(), real_get(*words))[1])
        with pytest.raises(OSError, match="Input/output error"):
            store.read(str(path), 8 * STEP, Pattern("file"), meter())
    store.read(str(path), 8 * STEP, Pattern("file"), meter())


def test_short_writes_and_short_reads_are_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_put, real_get = os.pwrite, os.preadv
    monkeypatch.setattr(os, "pwrite", lambda fd, data, at: real_put(fd, data[:100_001], at))
    monkeypatch.setattr(os, "preadv", lambda fd, parts, at: real_get(fd, [parts[0][:70_001]], at))
    with engine("buffered", tmp_path) as store:
        store.write(str(tmp_path / "file"), CHUNK + 5, Pattern("file"), meter())
        assert (tmp_path / "file").read_bytes() == content("file", CHUNK + 5)
        store.read(str(tmp_path / "file"), CHUNK + 5, Pattern("file"), meter())


def test_a_file_that_shrinks_while_it_is_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    with engine("buffered", tmp_path) as store:
        store.write(str(path), 2 * STEP, Pattern("file"), meter())
        real = os.preadv

        def shrink(fd: int, parts: list[memoryview], at: int) -> int:
            os.truncate(path, 100)
            return real(fd, parts, at)

        monkeypatch.setattr(os, "preadv", shrink)
        with pytest.raises(OSError, match="the file ended at byte"):
            store.read(str(path), 2 * STEP, Pattern("file"), meter())


def test_the_file_is_synced_after_its_last_byte_and_dropped_only_then(
    store: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    real_sync, real_advise, real_put = os.fsync, os.posix_fadvise, os.pwrite

    def sync(fd: int) -> None:
        calls.append("fsync")
        real_sync(fd)

    def advise(fd: int, offset: int, count: int, advice: int) -> None:
        if count == 0 and advice == os.POSIX_FADV_DONTNEED:
            calls.append("drop")
        real_advise(fd, offset, count, advice)

    def put(fd: int, data: memoryview, offset: int) -> int:
        calls.append("write")
        return real_put(fd, data, offset)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "posix_fadvise", advise)
    monkeypatch.setattr(os, "pwrite", put)
    store.write(str(tmp_path / "file"), 3 * STEP + 5, Pattern("file"), meter())
    assert calls[-1] == "fsync"
    assert set(calls[:-1]) == {"write"}  # dropping the cache is no part of writing
    store.drop_from_cache(str(tmp_path / "file"))
    assert calls[-1] == "drop"


def test_all_time_of_writing_is_on_data_or_waiting_for_storage(
    store: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = iter(range(10_000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(ticks)))
    real, synced = os.fsync, []

    def sync(fd: int) -> None:
        synced.append(float(next(ticks)))
        real(fd)

    monkeypatch.setattr(os, "fsync", sync)
    measured = meter()
    before = measured.waited_seconds
    store.write(str(tmp_path / "file"), 5, Pattern("file"), measured)
    written = measured.waited_seconds
    store.sync_folder(str(tmp_path), measured)
    assert len(synced) == 2
    assert before < written < measured.waited_seconds


def test_a_sync_that_fails_is_an_error(
    store: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="Input/output error"):
        store.write(str(tmp_path / "file"), 5, Pattern("file"), meter())
    with pytest.raises(OSError, match="Input/output error"):
        store.sync_folder(str(tmp_path), meter())


def test_no_direct_io_is_said_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def refuse(path: str, flags: int, mode: int = 0o777) -> int:
        fd = real(path, flags & ~os.O_DIRECT, mode)
        if flags & os.O_DIRECT:  # as Linux does: the file has been created by then
            os.close(fd)
            raise OSError(errno.EINVAL, "Invalid argument", path)
        return fd

    with engine("direct", tmp_path) as store:
        monkeypatch.setattr(os, "open", refuse)
        with pytest.raises(OSError, match="no direct I/O: leave out --o-direct"):
            store.write(str(tmp_path / "file"), 5, Pattern("file"), meter())
    assert not (tmp_path / "file").exists()


def test_the_null_engine_touches_no_file(tmp_path: Path) -> None:
    folder, wrote, read = tmp_path / "a", meter(), meter()
    with engine("null", tmp_path) as store:
        store.make_folder(str(folder))
        store.write(str(folder / "file"), 2 * STEP + 3, Pattern("file"), wrote)
        store.sync_folder(str(folder), wrote)
        store.drop_from_cache(str(folder / "file"))
        store.read(str(folder / "file"), 2 * STEP + 3, Pattern("file"), read)
    assert list(tmp_path.iterdir()) == []
    assert wrote.bytes == read.bytes == 2 * STEP + 3
    assert wrote.fsyncs == 0
