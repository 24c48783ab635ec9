"""What a text spells: the one reading that recorded evidence and the command line share.

The spellings that real tools write are folded here and nowhere else: "64" for 64, "True" for
yes, any letter case of an enumeration's members and aliases, a trailing slash of a path. A text
that spells no value of the kind gives None, never a guess.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction

NUMBER = r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?"
EXPONENT = r"[eE]([+-]?\d+)$"
EXPONENT_LIMIT = 400
"""Beyond what a double can hold; `1e999999999` as an exact number would fill the memory."""
DIGITS_LIMIT = 400
INSTANT = r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?) ?(Z|UTC|[+-]\d\d:?\d\d)?"
STAMP = r"\d{8}_\d{6}"
SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*://"
"""Patterns are compiled where they are first used: the gate starts without most of them."""


class Refused(ValueError):
    """Content that parses but must not be used; carries the reason."""


def exact(text: str) -> Fraction:
    """The number a decimal text states, exactly. Raises Refused when its exponent is absurd."""
    exponent = re.search(EXPONENT, text)
    if exponent and (
        len(exponent[1]) > len(str(EXPONENT_LIMIT)) + 1 or abs(int(exponent[1])) > EXPONENT_LIMIT
    ):
        raise Refused("holds a number out of all range")
    return Fraction(text)


def number(text: str) -> int | Fraction | None:
    """A number in decimal notation, exactly."""
    word = text.strip()
    if len(word) > DIGITS_LIMIT or not re.fullmatch(NUMBER, word, re.ASCII):
        return None
    try:
        value = exact(word)
    except Refused:
        return None
    return value.numerator if value.denominator == 1 else value


def truth(text: str) -> bool | None:
    """`true` or `false` in any letter case."""
    return {"true": True, "false": False}.get(text.strip().lower())


def member(text: str, members: Mapping[str, Sequence[str]] | None) -> str | None:
    """The member that a text names, itself or by an alias, in any letter case."""
    wanted = text.strip().casefold()
    for name, aliases in (members or {}).items():
        if wanted == name.casefold() or any(wanted == alias.casefold() for alias in aliases):
            return name
    return None


def path(text: str) -> str:
    """A path without doubled or trailing slashes and `.` steps; a `scheme://` is kept."""
    text = text.strip()
    scheme = re.match(SCHEME, text)
    head, rest = (scheme[0], text[scheme.end() :]) if scheme else ("", text)
    if scheme:
        return head + (posixpath.normpath(rest).lstrip("/") if rest.strip("/") else "")
    plain = posixpath.normpath(rest)
    return "/" + plain.lstrip("/") if plain.startswith("/") else plain


def instant(text: str) -> datetime | None:
    """A time: an instant where its zone is written with it, else what a clock of an unknown zone showed."""
    text = text.strip()
    try:
        if re.fullmatch(STAMP, text, re.ASCII):
            return datetime.strptime(text, "%Y%m%d_%H%M%S")
        found = re.fullmatch(INSTANT, text, re.ASCII | re.IGNORECASE)
        if found is None:
            return None
        zone = (found[2] or "").upper()
        return reachable(datetime.fromisoformat(found[1] + ("Z" if zone == "UTC" else zone)))
    except ValueError:  # the 30th of February
        return None


def reachable(moment: datetime) -> datetime | None:
    """An instant that UTC has a time for; None beyond the first and the last year."""
    try:
        if moment.tzinfo is not None:
            moment.astimezone(UTC)
    except OverflowError:
        return None
    return moment


def anything(text: str) -> bool | int | Fraction | str:
    """A text of undeclared type: a truth value, a number, or itself."""
    said = truth(text)
    if said is not None:
        return said
    found = number(text)
    return text if found is None else found
