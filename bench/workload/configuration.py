"""The configuration of a run as the field's tools record it: a template, Table 2, and what was set over them.

The names of the parameters and their values stand in the rules document; only the names of the
tables that hold them stand here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bench.storage.access import LIBRARY, SCHEME, split
from bench.workload.parameters import INTERVAL, count, plain, typed_parameters
from engine.launch.accepted import Accepted
from engine.launch.request import declared
from engine.runtime.roles import MODEL, READS, WRITES
from engine.runtime.ruleset import Cell, Tables
from engine.sizing import Layout, layout_of

TEMPLATE, ROWS = "template", "template_rows"
"""Tables: parameter -> value, and parameter -> the model table's row that holds its value."""

OVERRIDES = "checkpoint_overrides"
"""The table of overrides that CLOSED allows; those of object access are set here."""

RECORDED, NAMED = "recorded_name", "template_name"
"""Rows of the model table: the model as folders name it, and as the template does."""

READ_BACK, WRITTEN = "checkpoint.num_checkpoints_read", "checkpoint.num_checkpoints_write"

FOLDER = "--checkpoint-folder"


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a run is configured with. Keys are dotted names."""

    model_name: str  # the model, as folders are named
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

    def with_counts(self, writes: int, reads: int) -> Configuration:
        """The same with other numbers of checkpoints: a half of a run that is made in two invocations."""
        counts = {WRITTEN: writes, READ_BACK: reads}
        return replace(
            self,
            writes=writes,
            reads=reads,
            overrides={**self.overrides, **counts},
            parameters={**self.parameters, **counts},
        )

    def as_tree(self) -> dict[str, Any]:
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
    model = str(accepted.of(MODEL))
    row = model_row(tables, model)
    model_name = str(row.get(RECORDED, model.lower()))
    writes, reads = count(accepted, WRITES), count(accepted, READS)
    folder = f"{_folder(accepted)}/{model_name}"
    overrides: dict[str, Any] = {
        READ_BACK: reads,
        WRITTEN: writes,
        "checkpoint.checkpoint_folder": folder,
    }
    if ranks < layout.total_processes:  # how the field's tools mark a run that is shorter than the full one
        overrides |= {"checkpoint.mode": "subset", "model.parallelism.data": layout.dp}
    if accepted.request.access == "object":
        overrides |= _connection(tables, folder)
    overrides |= typed_parameters(accepted)
    parameters = {key: cells.get("value") for key, cells in tables.get(TEMPLATE, {}).items()}
    parameters |= {key: row[str(cells["row"])] for key, cells in tables.get(ROWS, {}).items()}
    return Configuration(
        model_name,
        str(row.get(NAMED, model_name)),
        layout,
        ranks,
        writes,
        reads,
        folder,
        {key: plain(value) for key, value in overrides.items()},
        {key: plain(value) for key, value in {**parameters, **overrides}.items()},
    )


def model_row(tables: Tables, model: str) -> Mapping[str, Cell]:
    """The row of a model in the table that holds layouts; {} when there is none."""
    rows = (rows[model] for rows in tables.values() if model in rows)
    return next((row for row in rows if layout_of(row) is not None), {})


def _folder(accepted: Accepted) -> str:
    """The folder of the checkpoints; of an object store as typed, since it is no path."""
    option = declared(accepted.ruleset).get(FOLDER)
    if accepted.request.access == "object" and option is not None:
        return accepted.request.given(option)[-1].rstrip("/")
    return str(accepted.value(FOLDER)).rstrip("/")


def _connection(tables: Tables, folder: str) -> dict[str, Any]:
    """How the store is reached, under the keys that the rules know as the tool's own."""
    bucket, _ = split(folder)
    settings = {
        "storage_type": SCHEME,
        "storage_root": bucket,
        "storage_library": LIBRARY,
        "uri_scheme": SCHEME,
        "s3_force_path_style": True,
    }
    keys = [key for key, cells in tables.get(OVERRIDES, {}).items() if cells.get("access") == "object"]
    return {key: settings[key.rpartition(".")[2]] for key in keys if key.rpartition(".")[2] in settings}
