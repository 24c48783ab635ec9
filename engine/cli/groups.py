"""Command groups: a misspelled name is answered with what was meant, a command is imported on use."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import click

EXTRAS: Mapping[str, str] = {"rules_dsl": "build", "bench": "bench"}
"""package -> the extra that brings the libraries of its commands"""


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


class Lazy(Suggesting):
    """A group whose commands are named by text and imported when one is used; help imports none."""

    table: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """command -> (module:attribute, short help), in the order in which users meet them"""

    def entries(self, ctx: click.Context) -> Mapping[str, str]:
        """The names and what each does, in the order in which users meet them."""
        return {name: text for name, (_, text) in self.table.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in their order."""
        return list(self.entries(ctx))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command; say which library it lacks."""
        if cmd_name not in self.table:
            return None
        module, attribute = self.table[cmd_name][0].split(":")
        package = module.partition(".")[0]
        try:
            command = getattr(importlib.import_module(module), attribute)
        except ModuleNotFoundError as error:
            if package in EXTRAS and not (error.name or "").startswith(package):
                raise click.UsageError(
                    f"'{cmd_name}' needs {error.name}, which is not installed: "
                    f"pip install 'clausegate[{EXTRAS[package]}]'"
                ) from error
            raise
        if not isinstance(command, click.Command):
            raise TypeError(f"{module}:{attribute} is no command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.entries(ctx).items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Complete command names from the table, options as click does."""
        from click.shell_completion import CompletionItem

        found: list[Any] = [
            CompletionItem(name, help=text)
            for name, text in self.entries(ctx).items()
            if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)
