"""`clausegate build`: the gate, validator, manifest and reference of a document, written or compared."""

from __future__ import annotations

from pathlib import Path

import click

from engine.cli.exits import ExitCode, say
from rules_dsl.commands.check import examine
from rules_dsl.commands.loading import DOCUMENT, load, show
from rules_dsl.diagnostics import count
from rules_dsl.emit.files import stale, write_files
from rules_dsl.emit.modules import emit
from rules_dsl.explain.pages import reference


@click.command()
@DOCUMENT
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to write. [default: generated/ beside the document]",
)
@click.option(
    "--check", "only_check", is_flag=True, help="Write nothing; exit 1 when a file is stale or was edited."
)
def build(document: Path, output: Path | None, only_check: bool) -> int:
    """Compile a rules document to its gate, validator, manifest and reference."""
    compiled = load(document)
    found, _ = examine(compiled, breaches=False)
    errors = [d for d in found if d.level == "error"]
    if errors:
        show(found, compiled)
        click.echo(f"{count(len(errors), 'error')}; nothing was written", err=True)
        return ExitCode.FINDINGS
    folder = output or document.parent / "generated"
    files = emit(compiled.program, document.name)
    files["reference.md"] = reference(compiled, document.name, files)
    command = f"clausegate build {document}" + (f" -o {output}" if output else "")
    if only_check:
        try:
            diffs = stale(folder, files)
        except OSError as error:
            raise click.UsageError(f"{folder} cannot be read: {error.strerror}") from None
        if diffs:
            say(
                "\n".join(diffs)
                + f"\n{count(len(diffs), 'file')} in {folder} not what {document} compiles to; "
                f"mend with: {command}"
            )
            return ExitCode.FINDINGS
        say(f"{folder} is what {document} compiles to")
        return ExitCode.CLEAN
    try:
        changed = write_files(folder, files)
    except OSError as error:
        raise click.UsageError(f"{folder} cannot be written: {error.strerror}") from None
    say(f"{folder}: wrote {', '.join(changed)}" if changed else f"{folder}: nothing changed")
    return ExitCode.CLEAN
