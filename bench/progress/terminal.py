"""What a person is told, on streams that may be gone: a reader that has left is no fault of a run."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from typing import Any, TextIO

from engine.cli.exits import hush

GONE = frozenset({errno.EPIPE, errno.EIO, errno.ENXIO, errno.EBADF, errno.ESTALE})
"""Faults of a stream that nobody reads any more, and nobody will."""


class TolerantStream:
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
        except OSError as error:  # of another the stream keeps what it could not write, and tries again
            if error.errno in GONE:
                hush(self._stream)
        except ValueError:  # closed
            pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def note(line: str) -> None:
    """A line beside the result, on standard error."""
    shown = TolerantStream(sys.stderr)
    shown.write(line + "\n")
    shown.flush()


def tell(text: str) -> None:
    """A result, on standard output; it stands in the leaf too, so that the run is what it was without it."""
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except OSError:
        hush()
