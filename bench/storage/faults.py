"""Faults as a person reads them: with the name of what they are about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def name_in_errors(path: str) -> Iterator[None]:
    """What goes wrong with a descriptor names no file: this is the one."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = path
        raise
