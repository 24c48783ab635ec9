"""Whether a regular expression may stand in a rule: it compiles, and it ends on every text.

The language is total. A repeat inside a repeat, as in `(a+)+b`, tries exponentially many ways on
a text that does not match, so that a recorded value could stop the validator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from re import _parser  # the parser of `re` has no other name
from typing import Any

REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}
FEW = 1
"""A part that comes at most once, as in `(a+)?`, multiplies nothing."""


def refused(pattern: str) -> str | None:
    """Why a pattern may not stand in a rule; None when it may."""
    try:
        re.compile(pattern)
        tree = _parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"this is no regular expression: {error}"
    if any(_nested(item, inside=False) for item in tree):
        return "a repeat inside a repeat may never end"
    return None


def _nested(item: Any, *, inside: bool) -> bool:
    """Whether a repeat of an open number stands inside another one."""
    operator, argument = item
    again = str(operator) in REPEATS and argument[1] > FEW
    if again and inside and argument[0] != argument[1]:
        return True
    return any(_nested(part, inside=inside or again) for part in _parts(argument))


def _parts(argument: Any) -> Iterator[Any]:
    """The items of every pattern below an argument."""
    if isinstance(argument, _parser.SubPattern):
        yield from argument
    elif isinstance(argument, (tuple, list)):
        for part in argument:
            yield from _parts(part)
