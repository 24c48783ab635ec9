"""One rank: `mpiexec -n N python -P -m mpi4py -m bench PLAN`.

`python -m mpi4py` makes an error that nobody foresaw end every rank; those that are foreseen are
said as an event first, and end every rank too.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from bench.rank.communicator import Communicator
from bench.rank.events import Events
from bench.rank.handshake import CannotRun, check_ranks
from bench.rank.parent_death import end_with_parent
from bench.record.results import metrics, write_results
from bench.storage.base import Corrupt
from bench.storage.engines import storage
from bench.storage.faults import name_in_errors
from bench.workload.checkpoint import Phases
from bench.workload.plan import Plan

FAILED = 6
"""The exit code of a run whose workload failed."""

FORWARDING = 0.3
"""Seconds that the launcher's MPI is given to forward the last words before it ends all ranks."""


def main(arguments: list[str]) -> None:
    """Run the plan that the argument names."""
    end_with_parent(FAILED)
    comm = Communicator()
    events = Events(comm.rank, comm.size)
    try:
        with name_in_errors(arguments[0]):
            plan: Plan = comm.broadcast(Plan.read(Path(arguments[0])) if not comm.rank else None)
        _run(plan, comm, events)
    except CannotRun as error:
        events.emit("refused", host=comm.host, reason=str(error))
    except (OSError, ValueError, Corrupt) as error:
        events.emit("failed", host=comm.host, reason=_reason(error))
        time.sleep(FORWARDING)
        comm.abort(FAILED)


def _run(plan: Plan, comm: Communicator, events: Events) -> None:
    events.emit("ready", host=comm.host, pid=os.getpid())
    ahead = check_ranks(plan, comm)
    engine = storage(plan.engine)
    try:
        record = Phases(plan, comm, engine, events, ahead).run()
    finally:
        engine.close()
    records = comm.gather(record)
    if records is not None:
        # Said before they are written: a full disk must not cost the figures.
        events.emit("figures", metric=metrics(plan, records))
        if plan.leaves_record:
            write_results(plan, records)
        events.emit("done")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


if __name__ == "__main__":
    main(sys.argv[1:])
