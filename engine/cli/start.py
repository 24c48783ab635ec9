"""Starts the workload of an accepted launch.

The gate knows no workload. One that is installed names itself as an entry point after its
family, and is handed the facts that were judged, so that what runs is what was accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from engine.cli.exits import ExitCode
from engine.launch.facts import by_files, folders
from engine.launch.probes import unusable
from engine.launch.request import Request
from engine.ruleset import RuleSet
from engine.values import Facts

WORKLOADS = "clausegate.workloads"
"""Entry point group: family -> function of (request, facts, options) that gives an exit code."""

RESULTS = "--results-dir"
"""The folder that is one of this machine whatever the access is."""

Workload = Callable[[Request, Facts, Mapping[str, Any]], int]


class UnusableFolder(Exception):
    """A folder that the run could not use; the message names its option."""


def check_folders(ruleset: RuleSet, facts: Facts) -> None:
    """Make sure that the run's folders exist or can be created. Raises UnusableFolder."""
    files = by_files(ruleset, facts)
    for flag, folder in folders(ruleset, facts).items():
        reason = unusable(folder) if files or flag == RESULTS else None
        if reason is not None:
            raise UnusableFolder(f"{flag} {folder} cannot be used: {reason}.")


def start(request: Request, facts: Facts, options: Mapping[str, Any]) -> int:
    """Run the family's workload and give its exit code; say so when none is installed."""
    from importlib.metadata import entry_points

    found = [point for point in entry_points(group=WORKLOADS) if point.name == request.family]
    if not found:
        click.echo(
            f"The run is accepted, but no {request.family} workload is installed to start "
            f"(entry point group {WORKLOADS}). Judge only: --dry-run.",
            err=True,
        )
        return ExitCode.USAGE
    workload: Workload = found[0].load()
    return int(workload(request, facts, options))
