"""`clausegate bench report`: the page of plots of a finished run again, or its checkpoints as CSV."""

from __future__ import annotations

from pathlib import Path

import click

from bench.record.checkpoint_table import table_csv
from bench.report.leaf import FILE, NoRun, rank_seconds, read_leaf
from bench.report.page import page
from engine.cli.exits import ExitCode, say


@click.command(short_help="A page of plots, or a table, of a finished run.")
@click.argument("leaf", type=click.Path(path_type=Path))
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write the page here.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a line for each checkpoint.")
def report(leaf: Path, html: Path | None, as_csv: bool) -> int:
    """Make the page of plots of the run that LEAF holds, or print its checkpoints.

    Without --html the page goes to ./report.html; LEAF itself is not changed.
    """
    try:
        model, summary = read_leaf(leaf)
        if as_csv:
            phases = summary["workload"]["phases"].values()
            say(table_csv([row for phase in phases for row in phase["checkpoints"]]).rstrip("\n"))
        if html is not None or not as_csv:
            place = Path(FILE) if html is None else html
            place.write_text(page(model, summary, rank_seconds(leaf)), "utf-8")
            if not as_csv:
                say(f"wrote {place}")
    except NoRun as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise click.ClickException(f"{leaf} holds a document of another form: {error!r}.") from error
    return ExitCode.CLEAN
