"""The `clausegate` command: finds each subcommand only when it is used.

Most invocations need one command and the gate must start fast, so that a command is named by
text and imported when it runs; `--help` lists them all without importing any. Divisions are the
rule set's, which may be named behind them (`amateur ... --ruleset DIR`).
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import click

from engine import __version__
from engine.cli.commands import COMMANDS
from engine.cli.exits import ExitCode, guarded
from engine.cli.gates import RULESET, gate, help_of, ruleset_of, ruleset_option, where_given
from engine.cli.groups import Lazy, alike


class Root(Lazy):
    """The top group: the rule set's divisions, then our commands; every outcome is an exit code of ours."""

    table = COMMANDS

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command or the division; a division is looked for in the rule set that the words name."""
        if args[0] not in self.table and not args[0].startswith("-"):
            named = where_given(args)
            try:
                ctx.meta[RULESET] = gate(named)
            except click.UsageError:
                if not ctx.resilient_parsing and (named is not None or not alike(args[0], tuple(self.table))):
                    raise
        return super().resolve_command(ctx, args)

    def entries(self, ctx: click.Context) -> Mapping[str, str]:
        """The divisions and the commands; without a rule set that can be loaded, the commands alone."""
        try:
            divisions = ruleset_of(ctx).divisions
        except click.UsageError:
            divisions = ()
        return {division.name: help_of(division) for division in divisions} | dict(super().entries(ctx))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List them all; say why the divisions are missing where they are."""
        super().format_commands(ctx, formatter)
        try:
            ruleset_of(ctx)
        except click.UsageError as error:
            with formatter.section("No division is listed"):
                formatter.write_text(f"{error.message}; `clausegate build` writes the built-in rule set.")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command of ours, or the group of a division."""
        if cmd_name in self.table or cmd_name not in self.entries(ctx):
            return super().get_command(ctx, cmd_name)
        from engine.cli.launch import DivisionGroup

        return DivisionGroup(name=cmd_name, help=self.entries(ctx)[cmd_name], params=[ruleset_option()])

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run, and leave with one of our exit codes; the signature is click's."""
        run = partial(
            super().main, args, prog_name, complete_var, windows_expand_args=windows_expand_args, **extra
        )
        if not standalone_mode:
            return run(standalone_mode=False)
        # Shell completion leaves by SystemExit, which passes through.
        code = guarded(lambda: run(standalone_mode=False))
        gc.freeze()  # or Python looks for garbage in all of it, before it ends
        sys.exit(code)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a vanished reader of stdout must not become click's own exit 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            ctx.exit(ExitCode.INTERRUPTED)


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    click.echo(f"clausegate, version {__version__}")
    ctx.exit()


@click.group(
    cls=Root,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 clean, 1 a finding of level error or a refusal, 2 usage, unreadable input "
    "or internal error; a run adds 6 workload failed, 7 time limit, 8 interrupted.",
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version."
)
def cli() -> None:
    """Hold storage-benchmark runs and packages to one rules document."""


def leave_current_folder() -> None:
    """Import nothing more from the current folder, which may hold a `json.py`; from our own code we must."""
    try:
        here = os.getcwd()  # noqa: PTH109  the gate does without pathlib
    except OSError:  # it has been removed
        return
    ours = here == __file__.removesuffix("/engine/cli/main.py")
    if not ours and here not in os.environ.get("PYTHONPATH", "").split(os.pathsep):
        sys.path[:] = [place for place in sys.path if place not in ("", here)]


def main() -> None:
    """Entry point of the console script."""
    leave_current_folder()
    cli.main(prog_name="clausegate")


if __name__ == "__main__":
    main()
