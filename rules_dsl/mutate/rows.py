"""Rows of a cases table as they are pasted, and how a value is written in one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from engine.runtime.values import Kind, Listing, Other, Unknown, Value
from rules_dsl.diagnostics import Span

PLACES = 30
"""Decimals of a number that a row is given; one that needs more is not tried."""

Line = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class MissingCase:
    """Rows that are one case. `below` is the cases table that they belong to; None is a new one."""

    rule: str
    header: tuple[str, ...]
    rows: tuple[Line, ...]
    below: Span | None

    def text(self) -> str:
        """The rows as they are pasted: with the header where the table is new."""
        lines = [self._row(row) for row in self.rows]
        if self.below is None:
            named = dict(zip(self.header, self.header, strict=True))
            lines = [self._row(named), "|" + "---|" * len(self.header), *lines]
        return "\n".join(lines)

    def _row(self, row: Line) -> str:
        return "| " + " | ".join(row.get(name, "?").replace("|", "\\|") for name in self.header) + " |"


def word_of(value: Value) -> str | None:
    """A value as a row says it; None for what no row can say."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Other):
        return f'"{value.text}"'
    if isinstance(value, datetime):
        return value.strftime("%H:%M:%S") + (
            f".{value.microsecond:06}".rstrip("0") if value.microsecond else ""
        )
    if isinstance(value, Unknown):
        return "?" if value.causes and value.only(Kind.ABSENT) else None
    if isinstance(value, (Listing, frozenset)):
        return None
    if isinstance(value, Fraction):
        return _decimal(value)
    return str(value)


def _decimal(value: Fraction) -> str | None:
    places = next((n for n in range(PLACES + 1) if (value * 10**n).denominator == 1), None)
    if places is None:
        return None
    digits = str(abs(int(value * 10**places))).rjust(places + 1, "0")
    whole, part = (digits[:-places], digits[-places:]) if places else (digits, "")
    return ("-" if value < 0 else "") + whole + (f".{part}" if part else "")


def instant_of(word: str) -> datetime | None:
    """The instant that a word of a row says."""
    try:
        return datetime.strptime(
            f"2000-01-01 {word}", "%Y-%m-%d %H:%M:%S.%f" if "." in word else "%Y-%m-%d %H:%M:%S"
        )
    except ValueError:
        return None
