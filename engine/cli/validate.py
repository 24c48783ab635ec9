"""`clausegate validate`: judges a package, an organisation, a system, a workload or one leaf.

Only what a user types, and where the report goes, is decided here. Everything goes to stdout or
the file asked for; progress and remarks go to stderr, so that a machine format stays alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from engine.cli.exits import ExitCode, remark, say
from engine.cli.output import write_report
from engine.package.subjects import NothingToValidate
from engine.package.validate import EditionError, check_edition
from engine.package.validate import validate as judged
from engine.report import disagreement, json, lines, text
from engine.report.compare_with_log import Comparison, NotComparable, compare
from engine.rulesets import RuleSetError, load
from engine.verdict.findings import Report
from engine.verdict.selection import SelectionError, choose


def _several(_: click.Context, __: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    """Comma lists, repeated or not, as one tuple of prefixes."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


@click.command(
    short_help="Judge a package, an organisation or one leaf.",
    epilog="Exit codes: 0 no finding of level error (with --against: no disagreement), 1 at least one, "
    "2 usage, unreadable input or internal error.",
)
@click.argument("tree", type=click.Path(path_type=Path))
@click.option("--edition", metavar="E", help="Judge by this edition, whatever the package says.")
@click.option(
    "--select",
    multiple=True,
    callback=_several,
    metavar="IDS",
    help="Only these clauses, by the beginning of their ids, or `evidence`.",
)
@click.option("--ignore", multiple=True, callback=_several, metavar="IDS", help="All but these clauses.")
@click.option(
    "--ruleset", metavar="DIR", help="A folder that `build -o DIR` wrote, or an installed rule set."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "lines", "json"]),
    default="text",
    show_default=True,
    help="For people, in the field's own form, or for programs.",
)
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A saved output of another validator in the form `lines`: what both say, where they differ.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the report there, whole or not at all; a device or pipe is written through.",
)
@click.pass_context
def validate(
    context: click.Context,
    tree: Path,
    edition: str | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    ruleset: str | None,
    form: str,
    against: Path | None,
    output: Path | None,
) -> None:
    """Judge the runs under TREE: a package, an organisation, a system, a workload or one leaf."""
    saved = None if against is None else _read(against)
    try:
        rules = load("validator", ruleset)
        check_edition(rules, edition)
        selection = choose(rules, select, ignore)
        with _Progress() as progress:
            report = judged(tree, rules, edition=edition, select=select, ignore=ignore, progress=progress)
        compared = None if saved is None else compare(report, saved, rules, selection)
    except (EditionError, SelectionError) as error:
        ending = "" if str(error).endswith("?") else "."
        raise click.UsageError(f"{error}{ending}") from error
    except (NothingToValidate, RuleSetError) as error:
        raise click.ClickException(f"{error}.") from error
    except NotComparable as error:
        raise click.ClickException(f"{against} cannot be compared: {error}.") from error
    except OSError as error:
        raise click.ClickException(f"{error.filename or tree} cannot be read: {error.strerror}.") from error
    _write(_rendered(report, compared, form, colour=output is None and _colourful()), output)
    if form == "lines":
        remarks = disagreement.remarks(compared) if compared is not None else report.remarks
        for said in remarks:
            remark(said)
    clean = report.clean if compared is None else compared.agree
    context.exit(ExitCode.CLEAN if clean else ExitCode.FINDINGS)


def _rendered(report: Report, compared: Comparison | None, form: str, *, colour: bool) -> str:
    if compared is not None:
        return disagreement.render(compared, form)
    if form == "json":
        return json.render(report)
    return lines.render(report) if form == "lines" else text.render(report, colour=colour)


def _colourful() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _read(file: Path) -> str:
    """The saved output. Read before the tree, so that a misspelt name costs no wait."""
    try:
        return file.read_text("utf-8-sig", errors="replace")
    except OSError as error:
        raise click.ClickException(f"{file} cannot be read: {error.strerror}.") from error


def _write(content: str, output: Path | None) -> None:
    """Prints the report, or puts it where it was asked for."""
    if output is not None:
        write_report(content, output)
    elif content:
        say(content)


class _Progress:
    """Counts leaves on stderr while it is a terminal, and clears its line at the end."""

    def __enter__(self) -> Callable[[int], None] | None:
        return self._show if sys.stderr.isatty() else None

    def __exit__(self, *_: object) -> None:
        if sys.stderr.isatty():
            remark("\r\x1b[K", end="")

    @staticmethod
    def _show(count: int) -> None:
        if count % 10 == 0:
            remark(f"\r{count} leaves read", end="")
