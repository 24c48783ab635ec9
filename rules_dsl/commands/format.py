"""`clausegate fmt`: what is the tool's in a document, refreshed or shown."""

from __future__ import annotations

from pathlib import Path

import click

from engine.cli.exits import ExitCode, say
from rules_dsl.commands.loading import DOCUMENT, load, show
from rules_dsl.diagnostics import count
from rules_dsl.emit.files import difference, replace_file
from rules_dsl.format.document import format_document


@click.command()
@DOCUMENT
@click.option("--check", "only_check", is_flag=True, help="Write nothing; show what would change and exit 1.")
def fmt(document: Path, only_check: bool) -> int:
    """Refresh what is the tool's in a document: breach sentences, layout of statements and tables."""
    compiled = load(document, any_clause=False)
    if compiled.errors:
        show(list(compiled.errors), compiled)
        click.echo(f"{count(len(compiled.errors), 'error')}; {document} was left as it is", err=True)
        return ExitCode.FINDINGS
    text = format_document(compiled)
    if text == compiled.page.text:
        say(f"{document}: fresh")
        return ExitCode.CLEAN
    if only_check:
        say(difference(compiled.page.text, text, str(document), f"{document} as formatted"))
        say(f"{document} is not fresh; mend with: clausegate fmt {document}")
        return ExitCode.FINDINGS
    try:
        replace_file(document, text)
    except OSError as error:
        raise click.UsageError(f"{document} cannot be written: {error.strerror}") from None
    say(f"{document}: refreshed")
    return ExitCode.CLEAN
