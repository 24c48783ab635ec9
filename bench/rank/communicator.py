"""The ranks of a run as one rank sees them: meet, compare, hand over.

A rank that waits inside MPI spins and takes the processor from those that still write, so every
wait here is a request that is tested between short sleeps. What has no such form is called only
once all ranks have met: then nobody is left to be waited for.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI

SHORT, LONG = 0.0002, 0.005
"""Seconds between two looks at a request: short at first, then longer, so that many ranks on few
processors do not crowd out the last one. A clock started after a wait is late by LONG at most."""


class Communicator:
    """This rank among the others."""

    def __init__(self, comm: MPI.Intracomm | None = None) -> None:
        self._comm = MPI.COMM_WORLD if comm is None else comm
        self.rank = self._comm.Get_rank()
        self.size = self._comm.Get_size()
        self.host = MPI.Get_processor_name()

    def barrier(self) -> None:
        """Return when every rank has called this."""
        _await(self._comm.Ibarrier().Test)

    def maximum(self, seconds: float) -> float:
        """The largest of what all ranks give."""
        mine, all_of_them = np.array([seconds]), np.empty(1)
        _await(self._comm.Iallreduce(mine, all_of_them, MPI.MAX).Test)
        return float(all_of_them[0])

    def broadcast(self, value: Any) -> Any:
        """What rank 0 gives, on every rank."""
        self.barrier()
        return self._comm.bcast(value)

    def gather(self, value: Any) -> list[Any] | None:
        """What every rank gives, in the order of ranks, on rank 0; None elsewhere."""
        self.barrier()
        return self._comm.gather(value)

    def hosts(self) -> list[int]:
        """For each rank the number of its host; hosts are counted from 0 as the ranks meet them."""
        self.barrier()
        node = self._comm.Split_type(MPI.COMM_TYPE_SHARED)
        first = node.bcast(self.rank)
        node.Free()
        firsts: list[int] = self._comm.allgather(first)
        order = {rank: number for number, rank in enumerate(dict.fromkeys(firsts))}
        return [order[rank] for rank in firsts]

    def abort(self, code: int) -> None:
        """End all ranks, now."""
        self._comm.Abort(code)


def _await(done: Callable[[], bool]) -> None:
    pause = SHORT
    while not done():
        time.sleep(pause)
        pause = min(LONG, pause * 1.5)


def partner(rank: int, hosts: list[int]) -> int:
    """The rank whose files this rank reads: one of the next host, or the next rank of a single host.

    Every rank is the partner of exactly one. Each reader is on another host than the writer, unless
    one host has more than half of the ranks: then as many as can be.
    """
    ranks = len(hosts)
    by_host = sorted(range(ranks), key=lambda r: (hosts[r], r))
    # A step as long as the largest host leads out of every host.
    shift = max(hosts.count(host) for host in set(hosts)) if max(hosts) else 1
    return by_host[(by_host.index(rank) + shift) % ranks]
