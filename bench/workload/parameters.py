"""What a launch sets of the workload's own parameters, and which of it can be followed.

A dry run asks this too, so that nothing here touches a path or moves data.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from engine.launch.accepted import Accepted, CannotStart
from engine.runtime.roles import flag_of
from engine.runtime.values import Listing

INTERVAL = "checkpoint.time_between_checkpoints"
SYNCED = "checkpoint.fsync"
KNOWN = (INTERVAL, SYNCED)
"""Parameters that this workload follows when they are set with --params."""

PARAMS = "--params"


def count(accepted: Accepted, role: str) -> int:
    """The number of checkpoints that are written, or read. Raises CannotStart."""
    value = accepted.of(role)
    if not isinstance(value, int) or value < 0:
        raise CannotStart(f"{flag_of(accepted.ruleset, role)} is no number of checkpoints.")
    return value


def typed_parameters(accepted: Accepted) -> dict[str, Any]:
    """What --params sets. Following half of it would measure something else. Raises CannotStart."""
    listing = accepted.value(PARAMS)
    items = listing.items if isinstance(listing, Listing) else ()
    found = {str(item["key"]): plain(item["value"]) for item in items}
    unknown = sorted(found.keys() - set(KNOWN))
    if unknown and not accepted.options.get("--allow-invalid-params"):
        raise CannotStart(
            f"{PARAMS} {unknown[0]}: this workload does not know it (it follows {', '.join(KNOWN)}); "
            "--allow-invalid-params records it all the same."
        )
    interval = found.get(INTERVAL, 0)
    if isinstance(interval, bool) or not isinstance(interval, (int, float)) or interval < 0:
        raise CannotStart(f"{PARAMS} {INTERVAL}: {interval!r} is no number of seconds.")
    if found.get(SYNCED, True) is not True:
        raise CannotStart(f"{PARAMS} {SYNCED}: this workload always syncs what it writes.")
    return found


def plain(value: object) -> Any:
    """A value as JSON and YAML write it."""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return value
