"""What a person is told, on streams that may be gone: a reader that has left is no fault of a run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TextIO

from engine.cli.exits import hush


class Lasting:
    """A stream that drops what nobody takes any more: the run goes on, and so do its logs."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write, if it can be."""
        self._try(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        """Flush, if it can be."""
        self._try(self._stream.flush)

    def _try(self, what: Callable[[], object]) -> None:
        try:
            what()
        except OSError:
            hush(self._stream)
        except ValueError:  # closed
            pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def note(line: str) -> None:
    """A line beside the result, on standard error."""
    _put(sys.stderr, line)


def tell(text: str) -> None:
    """A result, on standard output; it stands in the leaf too, so that the run is what it was without it."""
    _put(sys.stdout, text)


def _put(stream: TextIO, text: str) -> None:
    shown = Lasting(stream)
    shown.write(text + "\n")
    shown.flush()
