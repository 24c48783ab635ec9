"""Whether a run is under way: its launcher holds a lock on the leaf's plan and on the checkpoint folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class InUse(Exception):
    """The run is still under way."""


@contextmanager
def lock(place: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold the lock of a plan or folder; runs that only read may share it. Raises InUse, OSError.

    The kernel lets go when the process ends, however it ends.
    """
    fd = _open(place)
    try:
        try:
            fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InUse("a run is still under way there") from error
        except OSError:  # a filesystem without locks: nobody can tell
            pass
        yield
    finally:
        os.close(fd)


def _open(place: Path) -> int:
    """A file is opened for writing where it may be: NFS locks no other for one alone."""
    if not place.is_dir():
        with suppress(OSError):
            return os.open(place, os.O_RDWR | os.O_CLOEXEC)
    return os.open(place, os.O_RDONLY | os.O_CLOEXEC)
