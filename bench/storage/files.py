"""Files through the page cache and around it: three ways to write, two to read.

`buffered` writes and syncs at the end. `rolling` starts write-back behind each request and drops
what is written, so that the cache never fills and the sync at the end has little left to do.
`direct` bypasses the cache. All end with fsync, and only then is the cache dropped: what is dirty
cannot be dropped.
"""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import nullcontext, suppress
from pathlib import Path

from bench.storage import kernel
from bench.storage.base import CacheState, DataSink, DataSource, wrong_size
from bench.storage.faults import open_until_end
from bench.storage.filesystem import kind_of, page_cache_tells
from bench.storage.meter import Meter
from bench.storage.pipeline import Pipeline

SECTOR = 4096
"""O_DIRECT moves whole sectors; the end of a file that is none goes through the cache."""

BEHIND = 4
"""Requests that `rolling` leaves under write-back before it waits for the oldest."""


class Files:
    """Buffered files: the base of the others."""

    name = "buffered"
    threads = 1
    direct = False

    def __init__(self) -> None:
        self._pipeline = Pipeline(self.threads)

    def make_folder(self, folder: str) -> None:
        """Make the folder; its own name is durable too. Another rank may make it at the same time."""
        kernel.make_folder(Path(folder))

    def write(self, path: str, size: int, source: DataSource, meter: Meter) -> None:
        """Write a new file and sync it."""
        with open_until_end(self._open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), path) as fd:
            self._write(fd, size, source, meter)

    def _write(self, fd: int, size: int, source: DataSource, meter: Meter) -> None:
        self._pipeline.write(size, source, lambda memory, offset: self._put(fd, memory, offset), meter)
        with meter.waiting():
            os.fsync(fd)
        meter.fsyncs += 1

    def sync_folder(self, folder: str, meter: Meter) -> None:
        """Sync the folder."""
        with meter.waiting():
            kernel.sync(folder)
        meter.fsyncs += 1

    def drop_from_cache(self, path: str) -> CacheState:
        """Drop the file's clean pages and count what is left of it in the cache."""
        with open_until_end(os.open(path, os.O_RDONLY), path) as fd:
            _drop(fd)
            kind = kind_of(os.path.dirname(path))  # noqa: PTH120  a string is what is remembered
            return CacheState(kernel.cached_part(fd) if page_cache_tells(kind) else None)

    def remove(self, path: str) -> None:
        """Unlink the file."""
        Path(path).unlink(missing_ok=True)

    def remove_folder(self, folder: str) -> None:
        """Remove the folder, and make that durable; what others put there stays, and so does the folder."""
        try:
            Path(folder).rmdir()
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        kernel.sync(str(Path(folder).parent))

    def read(self, path: str, size: int, sink: DataSink, meter: Meter) -> None:
        """Read a file and drop it behind."""
        with open_until_end(self._open(path, os.O_RDONLY), path) as fd:
            found = os.fstat(fd).st_size
            if found != size:
                raise wrong_size(path, size, found)
            self._pipeline.read(path, size, sink, lambda memory, offset: self._get(fd, memory, offset), meter)

    def close(self) -> None:
        """End the threads."""
        self._pipeline.close()

    def _open(self, path: str, flags: int) -> int:
        return os.open(path, flags | os.O_CLOEXEC, 0o644)

    def _put(self, fd: int, memory: memoryview, offset: int) -> None:
        _put_all(fd, memory, offset)

    def _get(self, fd: int, memory: memoryview, offset: int) -> None:
        _get_all(fd, memory, offset)
        os.posix_fadvise(fd, offset, len(memory), os.POSIX_FADV_DONTNEED)


class Rolling(Files):
    """Writes back as it goes."""

    name = "rolling"

    def _put(self, fd: int, memory: memoryview, offset: int) -> None:
        _put_all(fd, memory, offset)
        kernel.start_writeback(fd, offset, len(memory))
        behind = offset - BEHIND * self._pipeline.step
        if behind >= 0:
            kernel.await_writeback(fd, behind, self._pipeline.step)
            os.posix_fadvise(fd, behind, self._pipeline.step, os.POSIX_FADV_DONTNEED)


class Direct(Files):
    """Bypasses the page cache with several requests under way."""

    name = "direct"
    threads = 4
    direct = True

    def _open(self, path: str, flags: int) -> int:
        try:
            return super()._open(path, flags | os.O_DIRECT)
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
            if flags & os.O_CREAT:
                with suppress(OSError):  # created before the flag was refused
                    Path(path).unlink()
            raise OSError(
                errno.EINVAL, "this filesystem has no direct I/O: leave out --o-direct", path
            ) from error

    def _put(self, fd: int, memory: memoryview, offset: int) -> None:
        whole = len(memory) // SECTOR * SECTOR
        _put_all(fd, memory[:whole], offset)
        if whole < len(memory):
            with _cached_end(fd) as end:
                _put_all(end, memory[whole:], offset + whole)

    def _get(self, fd: int, memory: memoryview, offset: int) -> None:
        whole = len(memory) // SECTOR * SECTOR
        _get_all(fd, memory[:whole], offset)
        if whole < len(memory):
            with _cached_end(fd) as end:
                _get_all(end, memory[whole:], offset + whole)


class _cached_end:  # noqa: N801  reads as a function
    """A second descriptor of an open file, without O_DIRECT: for what is no whole sector."""

    def __init__(self, fd: int) -> None:
        self._path = f"/proc/self/fd/{fd}"
        self._flags = fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE

    def __enter__(self) -> int:
        try:
            self._fd = os.open(self._path, self._flags | os.O_CLOEXEC)
        except OSError as error:
            error.filename = None  # whose descriptor it is says more
            raise
        return self._fd

    def __exit__(self, fault: object, *_: object) -> None:
        with suppress(OSError) if fault is not None else nullcontext():
            os.close(self._fd)


def _put_all(fd: int, memory: memoryview, offset: int) -> None:
    done = 0
    while done < len(memory):
        count = os.pwrite(fd, memory[done:], offset + done)
        if count <= 0:
            raise OSError(errno.EIO, f"nothing was written at byte {offset + done}")
        done += count


def _get_all(fd: int, memory: memoryview, offset: int) -> None:
    done = 0
    while done < len(memory):
        count = os.preadv(fd, [memory[done:]], offset + done)
        if count <= 0:
            raise OSError(errno.EIO, f"the file ended at byte {offset + done} while it was read")
        done += count


def _drop(fd: int) -> None:
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
