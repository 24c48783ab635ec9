"""Finds the workload of a family.

The gate knows no workload. One that is installed names itself as an entry point after its
family, and is handed the facts that were judged, so that what runs is what was accepted.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

from engine.launch.accepted import NotInstalled, Workload

WORKLOADS = "clausegate.workloads"
"""Entry point group: family -> a `Workload`."""

METADATA = (".dist-info", ".egg-info")
"""How the folders end in which installed packages say what they offer."""


def find_workload(family: str) -> Workload:
    """The family's workload. Raises NotInstalled."""
    try:
        found = _written_down(family) if "importlib.metadata" not in sys.modules else None
        workload = _asked_for(family) if found is None else found
    except ModuleNotFoundError as error:
        raise NotInstalled.library(error.name) from error
    if workload is None:
        raise NotInstalled(f"no {family} workload is installed to start (entry point group {WORKLOADS}).")
    return workload


def _written_down(family: str) -> Workload | None:
    """The workload as installed packages write it down: importing their reader takes as long as the gate."""
    for place in filter(None, sys.path):
        try:
            names = sorted(os.listdir(place))
        except OSError:
            continue
        for name in names:
            if name.endswith(METADATA):
                try:
                    with open(f"{place}/{name}/entry_points.txt", encoding="utf-8") as stream:
                        told = stream.read()
                except (OSError, ValueError):
                    continue
                if (target := _target(told, family)) is not None:
                    module, _, attribute = target.partition(":")
                    return getattr(import_module(module), attribute)  # type: ignore[no-any-return]
    return None


def _target(told: str, family: str) -> str | None:
    """`module:attribute` of a family in the text of a package's entry points."""
    group = ""
    for line in told.splitlines():
        name, equals, value = line.partition("=")
        if line.startswith("["):
            group = line.strip("[] ")
        elif equals and group == WORKLOADS and name.strip() == family:
            return value.strip()
    return None


def _asked_for(family: str) -> Workload | None:
    from importlib.metadata import entry_points

    found = [point for point in entry_points(group=WORKLOADS) if point.name == family]
    return found[0].load() if found else None
