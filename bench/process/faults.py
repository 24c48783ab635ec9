"""Faults as a person reads them: with the name of what they are about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

OTHER_MPI = (
    "is this the launcher of the MPI that mpi4py uses? Name it with --mpi-bin; "
    "srun may need --mpi-params=--mpi=pmi2"
)
"""What is asked where ranks do not find each other."""


@contextmanager
def named(path: str) -> Iterator[None]:
    """What goes wrong with a descriptor names no file: this is the one."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = path
        raise
