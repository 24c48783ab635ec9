"""From where ranks import: from where this process does, and never from the folder that it was started in.

A folder of data, or of another project, may hold a `numpy.py`. Python looks into the current folder for
`-m` unless it is told not to, and wherever PYTHONPATH has an empty or a relative entry.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

VARIABLE = "PYTHONPATH"

SAFE = "-P"
"""Python's option that leaves the current folder out."""

OWN = str(Path(__file__).resolve().parents[2])
"""Where this package was imported from."""


def rank_variables(
    environment: Mapping[str, str] = os.environ, known: Sequence[str] | None = None
) -> dict[str, str]:
    """The variables by which a rank imports what this process does; `known` is where this one looks.

    Our own folder is named where this process knows it only as the one of its script, or the current one.
    """
    texts = environment.get(VARIABLE, "").split(os.pathsep)
    entries = [str(Path(text).absolute()) for text in texts if text and Path(text) != Path()]
    looked = (sys.path if known is None else known)[1:]
    if OWN not in {os.path.realpath(place) for place in (*looked, *entries) if place}:
        entries.insert(0, OWN)
    return {VARIABLE: os.pathsep.join(entries)} if entries or VARIABLE in environment else {}
