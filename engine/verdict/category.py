"""The category that a run earns, as an interval between the best and the worst it can be.

A breach is certain and lowers both ends; a problem lowers only the worst. Nothing raises an end,
so the order of findings does not matter and one more finding never improves a verdict.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.verdict.findings import Earned

ADVICE = "whatif"
"""The division whose runs are advised on and never judged."""

ASKED = {"closed": Earned.CLOSED, "open": Earned.OPEN}
"""What a run of a judged division asks for."""

COSTS = {"all": Earned.INVALID, "closed": Earned.OPEN}
"""The best that a breach of each category leaves; other categories say nothing of a run."""

_RANK = {Earned.INVALID: 0, Earned.OPEN: 1, Earned.CLOSED: 2}


class Interval(NamedTuple):
    """The best and the worst category that the findings so far leave. Neither is UNDETERMINED."""

    best: Earned = Earned.CLOSED
    worst: Earned = Earned.CLOSED

    def breached(self, category: str) -> Interval:
        """After a certain error of this category."""
        left = COSTS.get(category, Earned.CLOSED)
        return Interval(_lower(self.best, left), _lower(self.worst, left))

    def doubted(self, category: str) -> Interval:
        """After an error of this category that may or may not be there."""
        return Interval(self.best, _lower(self.worst, COSTS.get(category, Earned.CLOSED)))

    def meet(self, other: Interval) -> Interval:
        """What two judgements of the same run leave together."""
        return Interval(_lower(self.best, other.best), _lower(self.worst, other.worst))

    @property
    def earned(self) -> Earned:
        """The category, once best and worst agree."""
        return self.best if self.best is self.worst else Earned.UNDETERMINED

    def grants(self, requested: str | None) -> bool | None:
        """Whether the worst is at least what was asked for; None when nothing is judged."""
        if requested == ADVICE:
            return None
        asked = ASKED.get(requested or "")
        return asked is not None and _RANK[self.worst] >= _RANK[asked]


def shown_level(level: str, category: str, requested: str | None) -> str:
    """The level at which a finding is shown: advice, and what only costs CLOSED on open, are notes."""
    if requested == ADVICE or (requested == "open" and category == "closed"):
        return "note"
    return level


def strongest(categories: set[str]) -> str:
    """The category that costs most, `package` when none costs anything."""
    costly = [category for category in categories if category in COSTS]
    return min(costly, key=lambda category: _RANK[COSTS[category]], default="package")


def _lower(left: Earned, right: Earned) -> Earned:
    return min(left, right, key=_RANK.__getitem__)
