"""One rank: `mpiexec -n N python -m mpi4py -m bench PLAN`.

`python -m mpi4py` makes an error that nobody foresaw end every rank; those that are foreseen are
said as an event first, and end every rank too.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from bench.rank.communicator import Crew
from bench.rank.events import Events
from bench.rank.handshake import Refused, muster
from bench.rank.lifeline import watch
from bench.record.results import metrics, write_results
from bench.storage.base import Corrupt
from bench.storage.engines import storage
from bench.workload.checkpoint import Phases
from bench.workload.plan import Plan

FAILED = 6
"""The exit code of a run whose workload failed."""

HEARD = 0.3
"""Seconds that the launcher's MPI is given to forward the last words before it ends all ranks."""


def main(arguments: list[str]) -> None:
    """Run the plan that the argument names."""
    watch(FAILED)
    crew = Crew()
    events = Events(crew.rank, crew.size)
    try:
        plan: Plan = crew.tell(Plan.read(Path(arguments[0])) if not crew.rank else None)
        _run(plan, crew, events)
    except Refused as error:
        events.say("refused", host=crew.host, reason=str(error))
    except (OSError, ValueError, Corrupt) as error:
        events.say("failed", host=crew.host, reason=_reason(error))
        time.sleep(HEARD)
        crew.abort(FAILED)


def _run(plan: Plan, crew: Crew, events: Events) -> None:
    events.say("ready", host=crew.host, pid=os.getpid())
    ahead = muster(plan, crew)
    engine = storage(plan.engine)
    try:
        record = Phases(plan, crew, engine, events, ahead).run()
    finally:
        engine.close()
    records = crew.gather(record)
    if records is not None:
        # Said before they are written: a full disk must not cost the figures.
        events.say("figures", metric=metrics(plan, records))
        if plan.recorded:
            write_results(plan, records)
        events.say("done")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


if __name__ == "__main__":
    main(sys.argv[1:])
