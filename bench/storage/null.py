"""No storage at all: what is left of a run is the making of its data, and all that is ours."""

from __future__ import annotations

from bench.storage.base import CacheState, DataSink, DataSource
from bench.storage.buffers import buffers
from bench.storage.meter import Meter
from bench.storage.pipeline import STEP


class Null:
    """Takes every byte and keeps none."""

    name = "null"

    def __init__(self) -> None:
        (self._buffer,) = buffers(1, STEP)

    def make_folder(self, folder: str) -> None:
        """Nothing is made."""

    def write(self, path: str, size: int, source: DataSource, meter: Meter) -> None:
        """Make the data, in one thread: no request is there to overlap with."""
        with meter.on_data():
            for offset in range(0, size, STEP):
                count = min(STEP, size - offset)
                source.fill(self._buffer, offset, count)
                meter.request(count, 0.0)

    def sync_folder(self, folder: str, meter: Meter) -> None:
        """Nothing is to be kept."""

    def drop_from_cache(self, path: str) -> CacheState:
        """Nothing is cached."""
        return CacheState(0.0)

    def remove(self, path: str) -> None:
        """Nothing was kept."""

    def remove_folder(self, folder: str) -> None:
        """Nothing was made."""

    def read(self, path: str, size: int, sink: DataSink, meter: Meter) -> None:
        """Nothing was kept, so nothing is checked: the bytes are only counted."""
        for offset in range(0, size, STEP):
            meter.request(min(STEP, size - offset), 0.0)

    def close(self) -> None:
        """Nothing is open."""
