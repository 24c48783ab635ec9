"""Units as types. Each has a base and an exact factor; only units of one base convert."""

from __future__ import annotations

from fractions import Fraction

DIGITS = 100
"""How long a number may be written; Python reads none of more than some thousand digits."""

UNITS: dict[str, tuple[str, Fraction]] = {
    "bytes": ("bytes", Fraction(1)),
    "KiB": ("bytes", Fraction(2**10)),
    "MiB": ("bytes", Fraction(2**20)),
    "GiB": ("bytes", Fraction(2**30)),
    "TiB": ("bytes", Fraction(2**40)),
    "MB": ("bytes", Fraction(10**6)),
    "GB": ("bytes", Fraction(10**9)),
    "TB": ("bytes", Fraction(10**12)),
    "s": ("s", Fraction(1)),
    "minutes": ("s", Fraction(60)),
    "hours": ("s", Fraction(3600)),
    "percent": ("percent", Fraction(1)),
}


def factor(source: str, target: str) -> Fraction | None:
    """What a number of `source` is multiplied by to be one of `target`; None across bases."""
    base, here = UNITS[source]
    other, there = UNITS[target]
    return here / there if base == other else None
