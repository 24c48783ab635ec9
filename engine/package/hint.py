"""Which older edition could judge the runs that this one cannot: they may have been made under it.

A run whose edition nobody names is judged by the rule set's own. What older tools did not record is then
missing, and a reader should hear of the edition that did not ask for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from engine.verdict.category import UNDETERMINED
from engine.verdict.findings import Report

MANY = 3
"""One run in so many has to be undetermined, and decided by the older edition, for a hint."""


class Hint(NamedTuple):
    """An older edition, and how many of the runs it decides that this one does not."""

    edition: str
    decided: int
    runs: int

    def sentence(self, own: str) -> str:
        """The hint for people."""
        return (
            f"{self.decided} of {self.runs} runs are undetermined by edition {own} and decided by "
            f"{self.edition}: if they were made under it, validate with --edition {self.edition}"
        )


def undeclared(paths: Collection[str], own: str) -> str:
    """Which edition was taken, and why."""
    runs = f"{len(paths)} run{'' if len(paths) == 1 else 's'}"
    return f"edition {own} was taken for {runs}: none is declared and --edition was not given"


def hint(
    report: Report, paths: Collection[str], older: Sequence[str], judged_by: Callable[[str], Report]
) -> Hint | None:
    """The older edition, oldest first, that decides most of the runs; judged by only where many are open."""
    open_now = _undetermined(report, paths)
    if not paths or len(open_now) * MANY <= len(paths):
        return None
    best: Hint | None = None
    for edition in reversed(older):
        decided = len(open_now - _undetermined(judged_by(edition), paths))
        if decided * MANY > len(paths) and (best is None or decided > best.decided):
            best = Hint(edition, decided, len(paths))
    return best


def _undetermined(report: Report, paths: Collection[str]) -> set[str]:
    return {one.path for one in report.subjects if one.path in paths and one.earned == UNDETERMINED}
