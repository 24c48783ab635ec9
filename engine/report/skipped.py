"""What a walk left out, for people: how much of what kind, and the first few by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.report.layout import broken, counted, wrapped
from engine.verdict.findings import Skipped

SHOWN = 3
"""Reasons that are shown, each with one entry; all entries stand in the JSON."""

FILES = frozenset({"is a file that no clause reads", "is a hidden file"})
"""What is told of files, which can hold no run: they are counted and not shown."""


def places(skipped: Sequence[Skipped]) -> list[Skipped]:
    """Those that are more than a file, and may hide a run."""
    return [one for one in skipped if one.why not in FILES]


def lines(skipped: Sequence[Skipped]) -> Iterator[str]:
    """The lines on what was left out; none when nothing was."""
    hiding = places(skipped)
    files = len(skipped) - len(hiding)
    parts = [counted(len(hiding), "place")] if hiding else []
    parts += [counted(files, "file")] if files else []
    if parts:
        yield from wrapped(f"skipped where a subject could stand: {' and '.join(parts)}", "", "  ")
    alike: dict[str, list[Skipped]] = {}
    for one in hiding:
        alike.setdefault(one.why, []).append(one)
    for why, some in list(alike.items())[:SHOWN]:
        more = f" (and {len(some) - 1} more like it)" if len(some) > 1 else ""
        yield from broken("  ", f"{some[0].path} {why}{more}")
    if len(alike) > SHOWN:
        yield "  the others are in --format json"
