"""The category that a run earns, as an interval between the best and the worst it can be.

A breach is certain and lowers both ends; a problem lowers only the worst. Nothing raises an end,
so the order of findings does not matter and one more finding never improves a verdict. What
there is to earn, and what a breach costs, follows from the divisions that the rule set declares.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from engine.runtime.ruleset import Division

INVALID = "INVALID"
"""What a run earns whose breach costs every category."""

UNDETERMINED = "UNDETERMINED"
"""What a run earns whose findings settle no category."""

ALL, PACKAGE = "all", "package"
"""Categories of statements: a breach costs everything, or says nothing of the run. Others name a division."""


class Interval(NamedTuple):
    """The ranks of the best and the worst category that the findings so far leave; 0 is INVALID."""

    best: int
    worst: int

    def breached(self, left: int) -> Interval:
        """After a certain error that leaves this rank at best."""
        return Interval(min(self.best, left), min(self.worst, left))

    def doubted(self, left: int) -> Interval:
        """After an error that may or may not be there, and then leaves this rank at best."""
        return Interval(self.best, min(self.worst, left))

    def meet(self, other: Interval) -> Interval:
        """What two judgements of the same run leave together."""
        return Interval(min(self.best, other.best), min(self.worst, other.worst))


class Scale:
    """The divisions of a rule set by rank: what each of them asks for, and what a breach leaves."""

    __slots__ = ("_judged", "divisions", "top")

    def __init__(self, divisions: Iterable[Division]) -> None:
        self.divisions = {division.name: division for division in divisions}
        self._judged = {d.rank: d for d in self.divisions.values() if not d.advice}
        self.top = max(self._judged, default=0)

    @property
    def categories(self) -> tuple[str, ...]:
        """Everything that a run can earn, best first."""
        ranks = sorted(self._judged, reverse=True)
        return (*(self._judged[rank].category for rank in ranks), INVALID, UNDETERMINED)

    @property
    def advice(self) -> frozenset[str]:
        """The divisions whose runs are advised on and never judged."""
        return frozenset(name for name, division in self.divisions.items() if division.advice)

    @property
    def lesser(self) -> frozenset[str]:
        """The divisions that may do more than the strictest: every other one."""
        return frozenset(name for name, division in self.divisions.items() if division.rank != self.top)

    @property
    def judged_lesser(self) -> frozenset[str]:
        """Those of them whose runs are judged."""
        return self.lesser - self.advice

    def asked(self, requested: str | None) -> int | None:
        """The rank that a run of a division asks for; None when the division is not judged, or is none."""
        division = self.divisions.get(requested or "")
        return None if division is None or division.advice else division.rank

    def left(self, category: str) -> int:
        """The best rank that a breach of a statement of this category leaves."""
        if category == ALL:
            return 0
        costs = self.asked(category)
        return self.top if costs is None else max((r for r in self._judged if r < costs), default=0)

    @property
    def whole(self) -> Interval:
        """What a run can earn before anything is found."""
        return Interval(self.top, self.top)

    def earned(self, interval: Interval) -> str | None:
        """The category, once best and worst agree; None where nothing can be earned."""
        if not self._judged:
            return None
        if interval.best != interval.worst:
            return UNDETERMINED
        return self._judged[interval.best].category if interval.best else INVALID

    def grants(self, interval: Interval, requested: str | None) -> bool | None:
        """Whether the worst is at least what was asked for; None when nothing is judged."""
        if not self._judged or requested in self.advice:
            return None
        rank = self.asked(requested)
        return rank is not None and interval.worst >= rank

    def takes(self, interval: Interval, requested: str | None) -> str | None:
        """The lesser division that would accept a run which the one asked for refuses."""
        rank = self.asked(requested)
        if rank is None or not 0 < interval.worst < rank:
            return None
        return self._judged[interval.worst].name

    def concerns(self, category: str, requested: str | None) -> bool:
        """Whether a breach of this category costs a run of a division what it asks for."""
        rank = self.asked(requested)
        return category == ALL or (rank is not None and self.left(category) < rank)

    def shown_level(self, level: str, category: str, requested: str | None) -> str:
        """The level of a finding as shown: advice is a note, and so is what only a stricter division asks."""
        if requested in self.advice:
            return "note"
        rank = self.asked(requested)
        above = rank is not None and self.asked(category) is not None and self.left(category) >= rank
        return "note" if above else level

    def strongest(self, categories: Iterable[str]) -> str:
        """The category that costs most, `package` when none costs anything."""
        costly = [category for category in categories if self.left(category) < self.top]
        return min(costly, key=self.left, default=PACKAGE)

    def cost(self, category: str) -> str:
        """What a breach of this category costs, in words; empty when it costs nothing."""
        division = self.divisions.get(category)
        if division is not None and not division.advice:
            return f"costs {division.category}"
        return "costs every category" if category == ALL else ""
