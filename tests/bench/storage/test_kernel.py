"""What the page cache holds, and what a full or read-only filesystem says."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.rank import memory
from bench.storage import kernel
from bench.storage.pipeline import STEP
from tests.command import ROOT, environment

WRITER = """
import sys
from bench.workload.data import Pattern
from bench.storage.meter import Meter
from bench.storage.engines import storage
store = storage(sys.argv[1])
try:
    store.make_folder(sys.argv[2] + "/step")
    store.write(sys.argv[2] + "/step/file", int(sys.argv[3]), Pattern("file"), Meter(lambda _: None))
except OSError as error:
    print(type(error).__name__, error.strerror, error.filename)
finally:
    store.close()
"""


@functools.cache
def _namespaces() -> str | None:
    """Why a private mount cannot be had here; None where it can."""
    try:
        done = subprocess.run(
            ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
    except OSError as error:
        return str(error)
    return done.stderr.strip() or f"unshare ended with {done.returncode}" if done.returncode else None


def _on_a_mount(folder: Path, option: str, engine: str, size: int) -> str:
    """What a writer says on a tmpfs of its own that nobody else sees."""
    reason = _namespaces()
    if reason is not None:
        pytest.skip(f"a private mount is not to be had here: {reason}")
    script = 'mount -t tmpfs -o "$1" none "$2" && exec "$3" -c "$4" "$5" "$2" "$6"'
    words = [option, str(folder), sys.executable, WRITER, engine, str(size)]
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, "sh", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=ROOT,
        env=environment(),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("engine", ["buffered", "rolling"])
def test_a_full_filesystem_is_told_and_nothing_hangs(tmp_path: Path, engine: str) -> None:
    assert _on_a_mount(tmp_path, "size=8m", engine, 8 * STEP).startswith("OSError No space left on device")


@pytest.mark.parametrize("engine", ["buffered", "rolling", "direct"])
def test_a_read_only_filesystem_is_told_with_its_folder(tmp_path: Path, engine: str) -> None:
    said = _on_a_mount(tmp_path, "ro", engine, 5)
    assert said == f"OSError Read-only file system {tmp_path}/step"


def test_the_part_of_a_file_in_the_cache_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 64 * 4096)
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
        assert kernel.cached_part(fd) == 1.0
        monkeypatch.setattr(kernel, "WINDOW", 16 * 4096)  # a file larger than one look
        assert kernel.cached_part(fd) == 1.0
        os.posix_fadvise(fd, 0, 32 * 4096, os.POSIX_FADV_DONTNEED)
        assert kernel.cached_part(fd) in (0.5, 1.0)  # 1.0 where files lie in memory
    finally:
        os.close(fd)


def test_an_empty_file_is_not_cached(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    fd = os.open(tmp_path / "file", os.O_RDONLY)
    try:
        assert kernel.cached_part(fd) == 0.0
    finally:
        os.close(fd)


def test_write_back_of_what_cannot_be_written_back_is_no_error(tmp_path: Path) -> None:
    fd = os.open("/dev/null", os.O_WRONLY)
    try:
        kernel.start_writeback(fd, 0, 4096)
        kernel.await_writeback(fd, 0, 4096)
    finally:
        os.close(fd)
    with pytest.raises(OSError, match="Bad file descriptor"):
        kernel.start_writeback(fd, 0, 4096)


PEAK = """
import resource, sys
from bench.rank import memory
from bench.workload.data import Pattern
from bench.storage.meter import Meter
from bench.storage.engines import storage
from mpi4py import MPI
store, size, path = storage(sys.argv[1]), int(sys.argv[3]), sys.argv[2]
store.write(path, size, Pattern("file"), Meter(lambda _: None))
store.read(path, size, Pattern("file"), Meter(lambda _: None))
print(memory.resident(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
store.close()
"""

LIMIT = 150 * 1024
"""KiB that a rank may have resident, whatever its shard is."""


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["buffered", "rolling", "direct"])
def test_memory_stays_small_whatever_the_shard_is(
    tmp_path: Path, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PEAK, engine, str(tmp_path / "file"), str(1 << 30)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        cwd=ROOT,
        env=environment(),
    )
    assert done.returncode == 0, done.stderr
    held, peak = map(int, done.stdout.split())
    with capsys.disabled():  # the figure is what people ask for
        sys.stdout.write(f"\n{engine}: {peak / 1024:.0f} MiB resident at most, for a shard of 1 GiB\n")
    assert held < memory.RANK, "what the launcher counts for a rank is enough"
    assert peak < LIMIT
