"""`clausegate package`: starts a package, and puts finished runs where the tree has them."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from engine.cli.exits import ExitCode, say
from engine.cli.gates import RULESET_HELP
from engine.package.assemble import CannotAssemble, add, start
from engine.rulesets import RuleSetError, load

T = TypeVar("T")

RULESET_OPTION = click.option("--ruleset", metavar="DIR", help=RULESET_HELP)


@click.group(short_help="Start a package, add a run to it.")
def package() -> None:
    """Put together what is handed in. `clausegate validate` judges it."""


@package.command("init", short_help="Start a package.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@RULESET_OPTION
def init(folder: Path, ruleset: str | None) -> int:
    """Make DIR, with a folder for each division that is judged."""
    made = _asked(lambda: start(folder, load("validator", ruleset)), folder)
    say("\n".join(f"made {place}" for place in made))
    return ExitCode.CLEAN


@package.command("add", short_help="Add a run to a package.")
@click.argument("leaf", type=click.Path(path_type=Path))
@click.argument("folder", metavar="PACKAGE", type=click.Path(path_type=Path))
@click.option("--organisation", required=True, metavar="ORG", help="Who hands it in; names a folder.")
@click.option(
    "--system",
    "description",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The system's description; the one of LEAF's own tree when not given.",
)
@RULESET_OPTION
def add_run(
    leaf: Path, folder: Path, organisation: str, description: Path | None, ruleset: str | None
) -> int:
    """Copy the run LEAF into PACKAGE, with the description of its system where there is none yet.

    Nothing is overwritten. Where no description is found, one is written with the fields that the rules
    read, to be filled in.
    """
    added = _asked(lambda: add(leaf, folder, organisation, load("validator", ruleset), description), leaf)
    lines = [f"added {added.leaf}"]
    if added.description is not None:
        lines.append(f"added {added.description}")
    if added.blank:
        lines += ["  fill in:", *(f"    {field}" for field in added.blank)]
    say("\n".join([*lines, f"next: {shlex.join(['clausegate', 'validate', str(folder)])}"]))
    return ExitCode.CLEAN


def _asked(do: Callable[[], T], about: Path) -> T:
    try:
        return do()
    except (CannotAssemble, RuleSetError) as error:
        raise click.ClickException(f"{error}.") from error
    except OSError as error:
        raise click.ClickException(f"{error.filename or about}: {error.strerror}.") from error
