"""What only the machine can tell before a run: where folders stand and whether they can be used.

These are the only functions of the gate that touch a path; --dry-run calls none of them. They
create nothing: a folder that does not exist yet is judged by its nearest existing ancestor.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from fractions import Fraction

from engine.runtime.values import Kind, Unknown, Value


def anchor(folder: str) -> str:
    """The folder itself, or its nearest ancestor that exists."""
    place = os.path.abspath(folder)
    while not os.path.lexists(place) and os.path.dirname(place) != place:
        place = os.path.dirname(place)
    return place


def same_filesystem(name: str, folders: tuple[str, ...]) -> Value:
    """Whether all the folders stand, or would be created, on one filesystem."""
    if len(folders) < 2:
        return Unknown.of(name, Kind.ABSENT)
    try:
        return len({os.stat(anchor(folder)).st_dev for folder in folders}) == 1
    except OSError:
        return Unknown.of(name, Kind.UNREADABLE)


def host_memory(name: str, _: tuple[str, ...]) -> Value:
    """The memory of this machine in GiB: that of a client host, when the launcher runs on one."""
    try:
        return Fraction(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), 2**30)
    except (OSError, ValueError):  # a system that does not tell
        return Unknown.of(name, Kind.UNREADABLE)


Probe = Callable[[str, "tuple[str, ...]"], Value]

PROBES: Mapping[str, Probe] = {"host_memory": host_memory, "same_filesystem": same_filesystem}
"""Probes that a fact may name, each of the fact's name and the folders of the run."""

OF_FOLDERS = frozenset({"same_filesystem"})
"""Probes of the run's folders: with object access these are no paths of this machine."""


def unusable(folder: str, *, written: bool = True) -> str | None:
    """Why a run cannot use a folder; None when it exists, or can be created, and can be written.

    One that is only read from has to exist and to be readable.
    """
    place = anchor(folder)
    if not os.path.exists(place):
        return f"{place} is a link to nothing"
    if not os.path.isdir(place):
        return f"{place} is not a folder"
    if not written:
        there = place == os.path.abspath(folder)
        readable = os.access(place, os.R_OK | os.X_OK)
        return None if there and readable else f"{place} cannot be read" if there else "it does not exist"
    if not os.access(place, os.W_OK | os.X_OK):
        created = place == os.path.abspath(folder)
        return f"{place} cannot be written" if created else f"it does not exist and {place} cannot be written"
    return None
