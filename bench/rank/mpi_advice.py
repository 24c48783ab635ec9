"""What helps where ranks do not find each other. It imports no MPI: the launcher gives the same advice."""

from __future__ import annotations

OTHER_MPI = (
    "is this the launcher of the MPI that mpi4py uses? Name it with --mpi-bin; "
    "srun may need --mpi-params=--mpi=pmi2"
)
"""Launcher and ranks are of two MPIs."""
