"""Starts the workload of an accepted launch.

The gate knows no workload. One that is installed names itself as an entry point after its
family, and is handed the facts that were judged, so that what runs is what was accepted.
"""

from __future__ import annotations

from engine.launch.accepted import Accepted, CannotStart, Workload
from engine.launch.facts import by_files, folders
from engine.launch.probes import unusable
from engine.runtime.roles import RESULTS, WRITES, flag_of, name_of
from engine.runtime.ruleset import RuleSet
from engine.runtime.values import Facts

WORKLOADS = "clausegate.workloads"
"""Entry point group: family -> a `Workload`."""


def check_folders(ruleset: RuleSet, facts: Facts) -> None:
    """Make sure that the run's folders exist or can be created. Raises CannotStart."""
    files, written = by_files(ruleset, facts), facts.get(name_of(ruleset, WRITES)) != 0
    results = flag_of(ruleset, RESULTS)
    for flag, folder in folders(ruleset, facts).items():
        reason = unusable(folder, written=written or flag == results) if files or flag == results else None
        if reason is not None:
            raise CannotStart(f"{flag} {folder} cannot be used: {reason}.")


def start(accepted: Accepted) -> int:
    """Run the family's workload and give its exit code; say so when none can be started."""
    from importlib.metadata import entry_points

    family = accepted.request.family
    found = [point for point in entry_points(group=WORKLOADS) if point.name == family]
    if not found:
        raise CannotStart(
            f"The run is accepted, but no {family} workload is installed to start "
            f"(entry point group {WORKLOADS}). Judge only: --dry-run."
        )
    try:
        workload: Workload = found[0].load()
    except ModuleNotFoundError as error:
        raise CannotStart(
            f"The run is accepted, but its workload needs {error.name}, which is not installed: "
            "pip install 'clausegate[bench]', with a site's own MPI; [bench,mpich] brings one."
        ) from error
    return int(workload(accepted))
