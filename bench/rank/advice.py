"""What to try where ranks do not find each other. Apart, so that who prints it needs no MPI."""

OTHER_MPI = (
    "is this the launcher of the MPI that mpi4py uses? Name it with --mpi-bin; "
    "srun may need --mpi-params=--mpi=pmi2"
)
"""What is asked where ranks do not find each other."""
