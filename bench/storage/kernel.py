"""What Python's `os` lacks: write-back of a part of a file, and what the page cache holds of it."""

from __future__ import annotations

import ctypes
import errno
import functools
import mmap
import os
from pathlib import Path
from typing import Any

from bench.storage.faults import open_until_end

WAIT_BEFORE, WRITE, WAIT_AFTER = 1, 2, 4
"""Flags of sync_file_range(2)."""

WINDOW = 1 << 30
"""Bytes of a file that are mapped at once to look at its cache."""


@functools.cache
def _libc() -> Any:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.sync_file_range.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint]
    libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    return libc


def _sync_range(fd: int, offset: int, count: int, flags: int) -> None:
    if _libc().sync_file_range(fd, offset, count, flags):
        code = ctypes.get_errno()
        # It is a hint: the fsync at the end counts. A real fault of the device is raised there too.
        if code not in (errno.ENOSYS, errno.EINVAL, errno.ESPIPE, errno.EOPNOTSUPP):
            raise OSError(code, os.strerror(code))


def start_writeback(fd: int, offset: int, count: int) -> None:
    """Begin to write a part of a file back, without waiting."""
    _sync_range(fd, offset, count, WRITE)


def await_writeback(fd: int, offset: int, count: int) -> None:
    """Wait until a part of a file is written back."""
    _sync_range(fd, offset, count, WAIT_BEFORE | WRITE | WAIT_AFTER)


def make_folder(folder: Path) -> None:
    """Make a folder and what it stands in; their names are durable. Others may make it at the same time."""
    missing = [path for path in (folder, *folder.parents) if not path.is_dir()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in missing:
        sync(str(path.parent))


def sync(path: str) -> None:
    """Make the content of a file, or the names in a folder, durable."""
    with open_until_end(os.open(path, os.O_RDONLY | os.O_CLOEXEC), path) as fd:
        os.fsync(fd)


def cached_part(fd: int) -> float | None:
    """The part of a file, 0 to 1, that the page cache holds; None where the system does not tell."""
    size = os.fstat(fd).st_size
    pages = resident = 0
    for offset in range(0, size, WINDOW):
        length = min(WINDOW, size - offset)
        count = _resident(fd, offset, length)
        if count is None:
            return None
        resident += count
        pages += -(-length // mmap.PAGESIZE)
    return resident / pages if pages else 0.0


def _resident(fd: int, offset: int, length: int) -> int | None:
    vector = (ctypes.c_ubyte * -(-length // mmap.PAGESIZE))()
    # A private mapping is writable whatever the descriptor is, which ctypes needs to take its address.
    with mmap.mmap(fd, length, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE, offset=offset) as mapped:
        first = ctypes.c_char.from_buffer(mapped)
        try:
            if _libc().mincore(ctypes.addressof(first), length, ctypes.addressof(vector)):
                return None
        finally:
            del first
    return sum(page & 1 for page in bytes(vector))
