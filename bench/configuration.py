"""The configuration of a run as the field's tools record it: a template, Table 2, and what was set over them.

The names of the parameters and their values stand in the rules document; only the names of the
tables that hold them stand here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from engine.launch.accepted import Accepted, CannotStart
from engine.launch.facts import MODEL
from engine.launch.sizes import READS, WRITES
from engine.ruleset import Cell, Tables
from engine.sizing import Layout, layout_of
from engine.values import Listing

TEMPLATE, ROWS = "template", "template_rows"
"""Tables: parameter -> value, and parameter -> the model table's row that holds its value."""

RECORDED, NAMED = "recorded_name", "template_name"
"""Rows of the model table: the model as folders name it, and as the template does."""

INTERVAL = "checkpoint.time_between_checkpoints"
SYNCED = "checkpoint.fsync"
KNOWN = (INTERVAL, SYNCED)
"""Parameters that this workload follows when they are set with --params."""

PARAMS = "--params"
FOLDER = "--checkpoint-folder"


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a run is configured with. Keys are dotted names."""

    recorded: str  # the model, as folders are named
    template: str  # the model, as the template is named
    layout: Layout
    ranks: int
    writes: int
    reads: int
    folder: str  # of this model's checkpoints, as typed
    overrides: Mapping[str, Any]
    parameters: Mapping[str, Any]

    @property
    def interval(self) -> float:
        """Seconds before each checkpoint."""
        return float(self.parameters[INTERVAL])

    def nested(self) -> dict[str, Any]:
        """The parameters, a mapping a dot."""
        found: dict[str, Any] = {}
        for key, value in self.parameters.items():
            *steps, last = key.split(".")
            place = found
            for step in steps:
                place = place.setdefault(step, {})
            place[last] = value
        return found


def configure(accepted: Accepted, layout: Layout, ranks: int) -> Configuration:
    """The configuration of an accepted launch. Raises CannotStart for a parameter that cannot be followed."""
    tables = accepted.ruleset.tables
    model = str(accepted.value(MODEL))
    row = model_row(tables, model)
    recorded = str(row.get(RECORDED, model.lower()))
    writes, reads = _count(accepted, WRITES), _count(accepted, READS)
    folder = f"{str(accepted.value(FOLDER)).rstrip('/')}/{recorded}"
    overrides: dict[str, Any] = {
        "checkpoint.num_checkpoints_read": reads,
        "checkpoint.num_checkpoints_write": writes,
        "checkpoint.checkpoint_folder": folder,
    }
    if ranks < layout.total_processes:  # how the field's tools mark a run that is shorter than the full one
        overrides |= {"checkpoint.mode": "subset", "model.parallelism.data": layout.dp}
    overrides |= _params(accepted)
    parameters = {key: cells.get("value") for key, cells in tables.get(TEMPLATE, {}).items()}
    parameters |= {key: row[str(cells["row"])] for key, cells in tables.get(ROWS, {}).items()}
    return Configuration(
        recorded,
        str(row.get(NAMED, recorded)),
        layout,
        ranks,
        writes,
        reads,
        folder,
        {key: _plain(value) for key, value in overrides.items()},
        {key: _plain(value) for key, value in {**parameters, **overrides}.items()},
    )


def model_row(tables: Tables, model: str) -> Mapping[str, Cell]:
    """The row of a model in the table that holds layouts; {} when there is none."""
    rows = (rows[model] for rows in tables.values() if model in rows)
    return next((row for row in rows if layout_of(row) is not None), {})


def _count(accepted: Accepted, flag: str) -> int:
    value = accepted.value(flag)
    if not isinstance(value, int) or value < 0:
        raise CannotStart(f"{flag} is no number of checkpoints.")
    return value


def _params(accepted: Accepted) -> dict[str, Any]:
    """What --params sets. Following half of what was asked for would measure something else."""
    held = accepted.value(PARAMS)
    items = held.items if isinstance(held, Listing) else ()
    found = {str(item["key"]): _plain(item["value"]) for item in items}
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


def _plain(value: object) -> Any:
    """A value as JSON and YAML write it."""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return value
