"""Where facts come from, and evidence that cannot be used: what reading says and findings show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Origin(NamedTuple):
    """Where a fact was read, or (`value` is None) where it was looked for in vain."""

    fact: str
    file: str  # relative to the root, with slashes; empty when the place is no file
    field: str  # or what stands for one: an option, a folder
    value: object = None
    missing: bool = False  # there is no such file


class EvidenceProblem(NamedTuple):
    """Evidence that cannot be read or disagrees. `name` is the fact, or the document."""

    name: str
    facts: tuple[str, ...]  # those that are unreadable because of it; none where it is about all of the run
    message: str  # one sentence: what is wrong
    places: tuple[Origin, ...]  # those that disagree or cannot be read


Origins = Mapping[str, tuple[Origin, ...]]
"""Facts by name, and where each was read or looked for."""
