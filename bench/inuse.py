"""Whether a run is still under way: its launcher holds a lock on the plan in the leaf."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class InUse(Exception):
    """The run is still under way."""


@contextmanager
def held(plan: Path) -> Iterator[None]:
    """Hold the lock of a plan. The kernel lets go when the process ends, however it ends. Raises InUse."""
    fd = os.open(plan, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InUse("its run is still under way") from error
        except OSError:  # a filesystem without locks: nobody can tell
            pass
        yield
    finally:
        os.close(fd)
