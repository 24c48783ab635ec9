"""One process of a run: its place among the others, its host, its clock, its memory, its events.

Imported by all that follows, starts or records ranks; may import `workload` and `storage`. Knows no
rule. MPI is imported by `communicator` and `handshake` alone, never by this module.
"""
