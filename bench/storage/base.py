"""What a checkpoint asks of storage: a file made durable, its bytes back, the cache out of the way.

One small interface, so that the same run can be made through the page cache, around it, without
any I/O at all, or against an object store.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bench.storage.buffers import Buffer
from bench.storage.meter import Meter


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first byte of a file that is not what was written."""

    offset: int
    expected: int
    found: int


class DataSource(Protocol):
    """Gives the bytes of a file that is written."""

    def fill(self, buffer: Buffer, offset: int, count: int) -> None:
        """Put `count` bytes from `offset` into the buffer."""


class DataSink(Protocol):
    """Takes the bytes of a file that is read."""

    def check(self, buffer: Buffer, offset: int, count: int) -> Mismatch | None:
        """Verify `count` bytes from `offset`."""


class Corrupt(Exception):
    """A file that does not hold what was written; the message names the file, the place and the bytes."""


@dataclass(frozen=True, slots=True)
class CacheState:
    """How much of a file the page cache of this host still holds. None where the system does not tell."""

    part: float | None  # 0 to 1


class Storage(Protocol):
    """A way to write and read files. Every call is one rank's; paths are absolute."""

    name: str

    def make_folder(self, folder: str) -> None:
        """Make a folder and what it stands in durable, where folders exist."""

    def write(self, path: str, size: int, source: DataSource, meter: Meter) -> None:
        """Write a new file; returns when its data is durable. Raises OSError."""

    def sync_folder(self, folder: str, meter: Meter) -> None:
        """Returns when the names of the files in the folder are durable."""

    def drop_from_cache(self, path: str) -> CacheState:
        """Drop the file from this host's page cache, and say what is left there."""

    def remove(self, path: str) -> None:
        """Remove a file that this rank wrote; one that is gone already is no fault. Raises OSError."""

    def remove_folder(self, folder: str) -> None:
        """Remove a folder when it is empty, where folders exist. Raises OSError."""

    def read(self, path: str, size: int, sink: DataSink, meter: Meter) -> None:
        """Read a file of exactly `size` bytes and verify each. Raises OSError, Corrupt."""

    def close(self) -> None:
        """Give back threads and memory."""


def corrupt(path: str, wrong: Mismatch) -> Corrupt:
    """The fault of one byte."""
    return Corrupt(
        f"{path}: byte {wrong.offset} is 0x{wrong.found:02x}, 0x{wrong.expected:02x} was written there"
    )


def wrong_size(path: str, expected: int, found: int) -> Corrupt:
    """The fault of a length."""
    return Corrupt(f"{path}: holds {found} bytes, {expected} were written")
