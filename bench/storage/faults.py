"""Faults as a person reads them: with the name of what they are about."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def name_in_errors(path: str) -> Iterator[None]:
    """What goes wrong with a descriptor names no file: this is the one."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = path
        raise


@contextmanager
def open_until_end(fd: int, path: str) -> Iterator[int]:
    """Close a descriptor at the end. What goes wrong first is what counts; each fault names the file.

    A write that failed late may be told by close alone, so that its error is one of the file.
    """
    with name_in_errors(path):
        try:
            yield fd
        except BaseException:
            with suppress(OSError):
                os.close(fd)
            raise
        os.close(fd)
