"""Engines that reach files, on a filesystem of this machine."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

from bench.storage.base import Storage
from bench.storage.buffers import CHUNK
from bench.storage.engines import storage
from bench.storage.meter import Meter
from bench.workload.data import Pattern

ON_FILES = ("buffered", "rolling", "direct")


@contextmanager
def engine(name: str, folder: Path) -> Iterator[Storage]:
    """An engine, closed at the end; a filesystem without direct I/O is said and skipped."""
    if name == "direct" and not has_direct(folder):
        pytest.skip(f"{folder}: its filesystem has no direct I/O")
    held = storage(name)
    try:
        yield held
    finally:
        held.close()


def has_direct(folder: Path) -> bool:
    probe = folder / ".direct"
    try:
        os.close(os.open(probe, os.O_CREAT | os.O_WRONLY | os.O_DIRECT, 0o600))
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        return False
    else:
        return True
    finally:
        with suppress(FileNotFoundError):
            probe.unlink()


def meter() -> Meter:
    return Meter(lambda _: None)


def content(identity: str, size: int) -> bytes:
    """A file's bytes, made apart from any engine."""
    buffer = np.zeros(-(-size // CHUNK) * CHUNK, dtype=np.uint8)
    Pattern(identity).fill(buffer, 0, size)
    return buffer[:size].tobytes()


def flip(path: Path, offset: int) -> tuple[int, int]:
    """Change one byte of a file; what it was and what it is now."""
    with path.open("r+b") as stream:
        stream.seek(offset)
        (was,) = stream.read(1)
        stream.seek(offset)
        stream.write(bytes([was ^ 0x55]))
    return was, was ^ 0x55
