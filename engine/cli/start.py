"""What the machine must have for an accepted launch: folders that can be used. A dry run does not ask."""

from __future__ import annotations

from engine.launch.accepted import CannotStart
from engine.launch.facts import by_files, folders
from engine.launch.probes import unusable
from engine.runtime.roles import RESULTS, WRITES, flag_of, name_of
from engine.runtime.ruleset import RuleSet
from engine.runtime.values import Facts


def check_folders(ruleset: RuleSet, facts: Facts) -> None:
    """Make sure that the run's folders exist or can be created. Raises CannotStart."""
    files, written = by_files(ruleset, facts), facts.get(name_of(ruleset, WRITES)) != 0
    results = flag_of(ruleset, RESULTS)
    for flag, folder in folders(ruleset, facts).items():
        reason = unusable(folder, written=written or flag == results) if files or flag == results else None
        if reason is not None:
            raise CannotStart(f"{flag} {folder} cannot be used: {reason}.")
