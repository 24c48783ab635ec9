"""Ranges of numbers in a few words: `8`, `not 8`, `less than 8`, `1 to 9`, `at least 4 GiB`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

PLACES = 8
"""Decimals that are shown; a number that needs more is a fraction."""


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers from `low` to `high`, None being without end; `*_in` say whether an end belongs to it."""

    low: Fraction | None
    low_in: bool
    high: Fraction | None
    high_in: bool

    @property
    def inside(self) -> int | Fraction:
        """One of its numbers."""
        if self.low is not None and self.high is not None:
            return exact(self.low if self.low_in else (self.low + self.high) / 2)
        if self.low is not None:
            return exact(self.low if self.low_in else self.low + 1)
        return exact(self.high - 1 if self.high is not None else Fraction(0))


def exact(value: Fraction) -> int | Fraction:
    """A whole number as an int."""
    return int(value) if value.denominator == 1 else value


def line(points: Collection[Fraction], *, whole: bool) -> list[Range]:
    """All numbers in order, cut at those that decide. Without gaps in which there is no whole number."""
    order = sorted(points)
    if not order:
        return [Range(None, False, None, False)]
    found = [_below(order[0], whole=whole)]
    for number, point in enumerate(order):
        found.append(Range(point, True, point, True))
        if number + 1 == len(order):
            found.append(Range(point + 1, True, None, False) if whole else Range(point, False, None, False))
        elif not whole:
            found.append(Range(point, False, order[number + 1], False))
        elif order[number + 1] - point > 1:
            found.append(Range(point + 1, True, order[number + 1] - 1, True))
    return found


def _below(point: Fraction, *, whole: bool) -> Range:
    return Range(None, False, point - 1, True) if whole else Range(None, False, point, False)


def shown_number(value: Fraction) -> str:
    """A number as people write it."""
    if value.denominator == 1:
        return str(value.numerator)
    scaled = value * 10**PLACES
    if scaled.denominator != 1:
        return f"{value.numerator}/{value.denominator}"
    digits = f"{abs(scaled.numerator):0{PLACES + 1}d}"
    return ("-" if value < 0 else "") + f"{digits[:-PLACES]}.{digits[-PLACES:]}".rstrip("0")


def told(every: Sequence[Range], held: Collection[Range], unit: str) -> str:
    """Some of the ranges of a line in words. A set that leaves out only points is told by those: `not 8`."""
    outside = [r for r in every if r not in held]
    if not outside:
        return "any number"
    if every[0] in held and every[-1] in held and all(r.low == r.high is not None for r in outside):
        return "not " + " or ".join(shown_number(Fraction(r.inside)) + unit for r in outside)
    pieces: list[Range] = []
    joined = False
    for part in every:
        if part in held and joined:
            pieces[-1] = Range(pieces[-1].low, pieces[-1].low_in, part.high, part.high_in)
        elif part in held:
            pieces.append(part)
        joined = part in held
    return ", ".join(_piece(p, unit) for p in pieces)


def _piece(part: Range, unit: str) -> str:
    low = None if part.low is None else shown_number(part.low)
    high = None if part.high is None else shown_number(part.high)
    if low is None:
        return f"{'at most' if part.high_in else 'less than'} {high}{unit}"
    if high is None:
        return f"{'at least' if part.low_in else 'more than'} {low}{unit}"
    if low == high:
        return f"{low}{unit}"
    if part.low_in and part.high_in:
        return f"{low} to {high}{unit}"
    first = f"{low} or more" if part.low_in else f"more than {low}"
    return f"{first} and {'at most' if part.high_in else 'less than'} {high}{unit}"
