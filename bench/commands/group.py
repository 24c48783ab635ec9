"""`clausegate bench`: what the workload offers beside a run. Each command is imported when it is used."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

import click

from engine.cli.groups import Suggesting

COMMANDS: Mapping[str, tuple[str, str]] = {
    "plan": ("bench.commands.plan:plan", "What a run would write, keep and need; no MPI."),
    "clean": ("bench.commands.clean:clean", "Remove the checkpoints that a run wrote."),
    "report": ("bench.commands.report:report", "A page of plots, or a table, of a finished run."),
}
"""command -> (module:attribute, short help)"""


class Bench(Suggesting):
    """The group; a command whose libraries are not installed says which."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name][0].split(":")
        try:
            command = getattr(importlib.import_module(module), attribute)
        except ModuleNotFoundError as error:
            raise click.UsageError(
                f"'bench {cmd_name}' needs {error.name}, which is not installed: "
                "pip install 'clausegate[bench]'"
            ) from error
        if not isinstance(command, click.Command):
            raise TypeError(f"{module}:{attribute} is no command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, so that none is imported."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


bench = Bench(name="bench", help="The checkpoint workload beside a run.")
