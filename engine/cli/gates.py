"""The gate's rule set of an invocation: the built-in one, or the one that its words name.

It says which divisions, families and options there are, so that it must be found in the arguments
before they are parsed.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from engine.rulesets import RuleSetError, load
from engine.runtime.ruleset import Division, RuleSet

RULESET = "--ruleset"
RULESET_HELP = "A folder with a compiled rule set, or a name."


def ruleset_option() -> click.Option:
    """The option of a group; `where_given` has read it before the group was made."""
    return click.Option([RULESET], expose_value=False, metavar="DIR", help=RULESET_HELP)


def where_given(args: Sequence[str]) -> str | None:
    """The last rule set that the words name."""
    where = None
    for place, token in enumerate(args):
        flag, equals, value = token.partition("=")
        if flag == RULESET:
            where = value if equals else args[place + 1] if place + 1 < len(args) else None
    return where


def gate(where: str | None) -> RuleSet:
    """The gate's rule set from a place; `click.UsageError` when it cannot be used."""
    try:
        return load("gate", where)
    except RuleSetError as error:
        raise click.UsageError(str(error)) from error


def ruleset_of(ctx: click.Context) -> RuleSet:
    """The rule set of an invocation; the built-in one where none was named."""
    if RULESET not in ctx.meta:
        ctx.meta[RULESET] = gate(None)
    found = ctx.meta[RULESET]
    if not isinstance(found, RuleSet):
        raise TypeError("the context holds no rule set")
    return found


def help_of(division: Division) -> str:
    """What the command of a division does, in one line."""
    if division.advice:
        return "Advise on a run that is not for submission."
    article = "an" if division.category[:1] in "AEIO" else "a"
    return f"Judge {article} {division.category} run before it starts, then run it."
