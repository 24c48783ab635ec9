"""Command groups that answer a misspelled name with the one that was probably meant."""

from __future__ import annotations

from collections.abc import Sequence

import click


def alike(word: str, known: Sequence[str]) -> str:
    """A question naming what was probably meant, or nothing."""
    import difflib

    near = difflib.get_close_matches(word.lower(), known, n=3, cutoff=0.5)
    return f" Did you mean {' or '.join(repr(name) for name in near)}?" if near else ""


class Suggesting(click.Group):
    """A group that says what a misspelled command may have meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or fail with its likely spelling."""
        name = args[0]
        known = self.list_commands(ctx)
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            choices = "" if alike(name, known) else f" Known are {', '.join(known)}."
            raise click.UsageError(f"No such command {name!r}.{alike(name, known)}{choices}", ctx)
        return super().resolve_command(ctx, args)
