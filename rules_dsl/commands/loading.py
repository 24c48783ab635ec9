"""A document as a command is given it: read and compiled, or a usage error that says what to do."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from rules_dsl.compile import Compiled, compile_text, read_text
from rules_dsl.diagnostics import Diagnostic, render

DEFAULT = "Rules.md"
DOCUMENT = click.argument("document", metavar="[RULES.md]", default=DEFAULT, type=click.Path(path_type=Path))
FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print."
)


BUILT_IN = "generated"
"""The package of the built-in rule set, beside or in which its document stands."""


def built_in() -> Path | None:
    """The document of the built-in rule set: in the package of a wheel, beside it in a clone."""
    from importlib.util import find_spec

    found = find_spec(BUILT_IN)
    for folder in map(Path, (found.submodule_search_locations or ()) if found is not None else ()):
        for place in (folder / DEFAULT, folder.parent / DEFAULT):
            if place.is_file():
                return place
    return None


def load(path: Path, *, any_clause: bool = True) -> Compiled:
    """Compile a document without judging it; one without text, or any clause, is a usage error."""
    try:
        text = read_text(path)
    except FileNotFoundError:
        hint = ": name the document, or go to the folder that holds it" if str(path) == DEFAULT else ""
        raise click.UsageError(f"there is no file {path}{hint}") from None
    except IsADirectoryError:
        raise click.UsageError(f"{path} is a folder; name the document in it") from None
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{path} is no UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise click.UsageError(f"{path} cannot be read: {error.strerror}") from None
    compiled = compile_text(text, str(path))
    if any_clause and not compiled.page.clauses and not compiled.errors:
        raise click.UsageError(f"{path} holds no clause; one begins as: 1.1.1. **nameOfClause** -- words")
    return compiled


def show(diagnostics: Iterable[Diagnostic], compiled: Compiled) -> None:
    """Print diagnostics on stderr."""
    for diagnostic in diagnostics:
        click.echo(render(diagnostic, compiled.page.text, compiled.page.path) + "\n", err=True)
