"""What ranks settle among each other before any I/O: that they are one run, on hosts that can do it.

Only a rank can see what its host sees. One rank of each host looks: at the memory that is left, at
the checkpoint folder, at the clock. What is wrong is told to the first rank, and then to all, so
that a run that cannot work ends before it has written a byte.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from bench.rank import memory
from bench.rank.communicator import Communicator
from bench.rank.mpi_advice import OTHER_MPI
from bench.storage.faults import open_until_end
from bench.workload.plan import Plan
from engine.sizing import human

ROUNDS = 5
"""How often clocks are compared. A rank that wakes late looks skewed; the smallest difference counts."""

PATIENCE = 5.0
"""Seconds in which a file of one host must be seen by the others: clients of NFS cache folders."""

MARK = ".clausegate-handshake-"
"""How the name of a file begins by which hosts find out whether they see one folder."""


class CannotRun(Exception):
    """The ranks cannot do the run; the message says why, and is the same on every rank."""


def check_ranks(plan: Plan, comm: Communicator) -> float:
    """Seconds by which the clock of this rank's host is ahead of the first rank's. Raises CannotRun."""
    if comm.size != plan.ranks:
        raise CannotRun(
            f"{plan.ranks} ranks are planned and {comm.size} {'was' if comm.size == 1 else 'were'} started "
            f"as one run: {OTHER_MPI}"
        )
    hosts = comm.hosts()
    ahead = _clock_difference(comm)
    token = comm.broadcast(f"{plan.folder}/{MARK}{secrets.token_hex(8)}" if not comm.rank else None)
    token_fault = _error_of(lambda: _make_token(plan, token)) if not comm.rank else None
    comm.barrier()
    inspects = hosts.index(hosts[comm.rank]) == comm.rank
    fault = token_fault or (_host_fault(plan, comm, hosts, token) if inspects else None)
    reports = comm.gather((comm.host, ahead, fault) if inspects else None)
    if not comm.rank:
        with suppress(OSError):
            Path(token).unlink()
    verdict: str | None = comm.broadcast(
        None if reports is None else _verdict(plan, [one for one in reports if one])
    )
    if verdict is not None:
        raise CannotRun(verdict)
    return ahead


def _clock_difference(comm: Communicator) -> float:
    """This host's time of day less that of the first rank, as near as a barrier can tell."""
    differences: list[float] = []
    for _ in range(ROUNDS):
        comm.barrier()
        mine = time.time()
        differences.append(mine - float(comm.broadcast(mine)))
    return min(differences, key=abs)


def _make_token(plan: Plan, token: str) -> str | None:
    """Leave the file that the others are to see. A run that only reads may have a read-only folder."""
    if plan.in_files and plan.writes:
        _touch(token)
    return None


def _host_fault(plan: Plan, comm: Communicator, hosts: Sequence[int], token: str) -> str | None:
    """What is wrong on this rank's host."""
    count = hosts.count(hosts[comm.rank])
    wrong = _memory_fault(count, memory.rank_bytes(plan.engine))
    if wrong is None and plan.in_files:
        wrong = _error_of(lambda: _write_fault(plan, token) if plan.writes else _read_fault(plan))
    return wrong


def _memory_fault(ranks: int, each: int) -> str | None:
    found, needed = memory.available(), ranks * max(0, each - memory.resident())
    if found is None or found >= needed:
        return None
    return (
        f"{human(found)} of memory are left and its {ranks} rank{'' if ranks == 1 else 's'} need "
        f"{human(needed)} more; use fewer ranks a host"
    )


def _write_fault(plan: Plan, token: str) -> str | None:
    end = time.monotonic() + PATIENCE
    while not Path(token).exists():
        if time.monotonic() > end:
            return (
                f"it does not see what the first rank wrote to {plan.folder}: "
                "is that folder shared by all hosts?"
            )
        time.sleep(0.1)
    own = f"{token}-{os.getpid()}"
    _touch(own)
    Path(own).unlink()
    return None


def _read_fault(plan: Plan) -> str | None:
    """The first file of the first checkpoint that is read: the launcher has looked at the others."""
    folder = plan.step(plan.reads_from(1))
    file = next((file for rank in range(plan.ranks) for file in plan.files(rank)), None)
    if file is None:
        return None
    found = Path(folder, file.name).stat().st_size
    return (
        None if found == file.size else f"{folder}/{file.name} holds {found} bytes, {file.size} are expected"
    )


def _touch(path: str) -> None:
    with open_until_end(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644), path):
        pass


def _error_of(look: Callable[[], str | None]) -> str | None:
    try:
        return look()
    except OSError as error:
        return f"{error.filename}: {error.strerror}"


def _verdict(plan: Plan, reports: Sequence[tuple[str, float, str | None]]) -> str | None:
    """What all hosts together make of it; None when the run may go on."""
    wrong = [f"{host}: {reason}" for host, _, reason in reports if reason is not None]
    if wrong:
        others = len(wrong) - 1
        return wrong[0] + (
            f" ({others} more host{'' if others == 1 else 's'} with a fault)" if others else ""
        )
    first, last = min(reports, key=lambda one: one[1]), max(reports, key=lambda one: one[1])
    apart = last[1] - first[1]
    if apart > plan.clock_skew:
        return (
            f"the clocks of {first[0]} and {last[0]} are {apart:.1f} s apart and at most "
            f"{plan.clock_skew:g} s are allowed, since intervals between invocations are judged by times of "
            "day: set the clocks, or allow more with --clock-skew"
        )
    return None
