"""One process of the run: its clock, its host, its memory, its part in what ranks settle together.

May import storage and the workload; each layer above may read its types. Only `communicator` imports MPI.
"""
