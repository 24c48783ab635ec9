"""The `clausegate` command: finds each subcommand only when it is used.

Most invocations need one command and the gate must start fast, so that a command is named here
by text and imported when it runs; `--help` lists them all without importing any.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import click

from engine import __version__
from engine.cli.exits import ExitCode, guarded
from engine.cli.groups import Lazy

COMMANDS: Mapping[str, tuple[str, str]] = {
    "closed": ("engine.cli.launch:closed", "Judge a CLOSED run before it starts, then run it."),
    "open": ("engine.cli.launch:open_", "Judge an OPEN run before it starts, then run it."),
    "whatif": ("engine.cli.launch:whatif", "Advise on a run that is not for submission."),
    "validate": ("engine.cli.validate:validate", "Judge a package, an organisation or one leaf."),
    "bench": ("bench.cli.group:bench", "The checkpoint workload beside a run: plan, report, clean."),
    "build": ("rules_dsl.commands.build:build", "Compile Rules.md to the gate and the validator."),
    "check": ("rules_dsl.commands.check:check", "Check Rules.md: names, types, cases, breach sentences."),
    "test": (
        "rules_dsl.commands.test_document:test",
        "Run the cases of Rules.md; --mutate finds what they do not pin.",
    ),
    "fmt": ("rules_dsl.commands.format:fmt", "Refresh the breach sentences and the layout of Rules.md."),
    "rules": ("rules_dsl.commands.rules:rules", "List the clauses of Rules.md."),
    "new": ("rules_dsl.commands.new:new", "Begin a clause of Rules.md at its place by number."),
    "explain": ("rules_dsl.commands.explain:explain", "Explain a clause of Rules.md, or a diagnostic."),
}
"""command -> (module:attribute, short help)"""


class Root(Lazy):
    """The top group: every outcome is an exit code of ours."""

    table = COMMANDS

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
        sys.exit(guarded(lambda: run(standalone_mode=False)))

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


def main() -> None:
    """Entry point of the console script."""
    cli.main(prog_name="clausegate")


if __name__ == "__main__":
    main()
