"""No storage at all: what is left of a run is the making of its data, and all that is ours."""

from __future__ import annotations

from bench.meter import Meter
from bench.storage.base import Cached, Sink, Source
from bench.storage.pipeline import Pipeline


class Null:
    """Takes every byte and keeps none; reading gives what would have been written."""

    name = "null"

    def __init__(self) -> None:
        self._pipeline = Pipeline(threads=1)

    def make_folder(self, folder: str) -> None:
        """Nothing is made."""

    def write(self, path: str, size: int, source: Source, meter: Meter) -> None:
        """Make the data."""
        self._pipeline.write(size, source, lambda _memory, _offset: None, meter)

    def settle(self, folder: str, meter: Meter) -> None:
        """Nothing is to be kept."""

    def forget(self, path: str) -> Cached:
        """Nothing is cached."""
        return Cached(0.0)

    def remove(self, path: str) -> None:
        """Nothing was kept."""

    def remove_folder(self, folder: str) -> None:
        """Nothing was made."""

    def read(self, path: str, size: int, sink: Sink, meter: Meter) -> None:
        """Nothing was kept, so nothing is checked: the bytes are only counted."""
        step = self._pipeline.step
        for offset in range(0, size, step):
            meter.request(min(step, size - offset), 0.0)

    def close(self) -> None:
        """End the threads."""
        self._pipeline.close()
