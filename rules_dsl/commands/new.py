"""`clausegate new`: a clause with prose, statement and cases to fill in, at its place in a document."""

from __future__ import annotations

from pathlib import Path

import click

from engine.cli.exits import ExitCode, say
from rules_dsl.commands.loading import DEFAULT, load, show
from rules_dsl.compile import Compiled
from rules_dsl.diagnostics import count, position
from rules_dsl.emit.files import replace_file
from rules_dsl.format.scaffold import is_clause, order, scaffold
from rules_dsl.source.document import ClauseBlock


@click.command()
@click.argument("rule", metavar="RULE")
@click.option(
    "--name", required=True, metavar="NAME", help="What the clause is called, as checkpointSomething."
)
@click.option(
    "--document",
    default=DEFAULT,
    type=click.Path(path_type=Path),
    show_default=True,
    help="The document that it is put into.",
)
@click.option("--print", "only_print", is_flag=True, help="Print the clause; write nothing.")
def new(rule: str, name: str, document: Path, only_print: bool) -> int:
    """Begin a clause: heading, prose, statement and cases to fill in, at its place by number.

    RULE is the clause's id, as 4.3.7.
    """
    if not is_clause(rule, "name"):
        raise click.UsageError(f"`{rule}` is no id of a clause; one reads 4.3.7, 2.1.18a or 2.1.5.b")
    if not is_clause(rule, name):
        raise click.UsageError(
            f"`{name}` is no name of a clause; one reads checkpointSomething, without blanks"
        )
    compiled = load(document, any_clause=False)
    if compiled.errors:
        show(compiled.errors, compiled)
        click.echo(f"{count(len(compiled.errors), 'error')}; {document} was left as it is", err=True)
        return ExitCode.FINDINGS
    taken = _taken(compiled, rule, name)
    if taken is not None:
        line = position(compiled.page.text, taken.span.start)[0]
        click.echo(
            f"{document} has clause {taken.rule} {taken.name} already (line {line}); "
            f"choose another {'id' if order(taken.rule) == order(rule) else 'name'}",
            err=True,
        )
        return ExitCode.FINDINGS
    made = scaffold(compiled, rule, name)
    if made is None:
        click.echo(f"{document} was left as it is: no clause can be put in where {rule} belongs", err=True)
        return ExitCode.FINDINGS
    if only_print:
        say(made.text.rstrip("\n"))
        return ExitCode.CLEAN
    try:
        replace_file(document, made.document)
    except OSError as error:
        raise click.UsageError(f"{document} cannot be written: {error.strerror}") from None
    line = position(made.document, made.document.index(made.text))[0]
    say(f"{document}:{line}: clause {rule} {name}\nfill it in, then: clausegate fmt {document}")
    return ExitCode.CLEAN


def _taken(compiled: Compiled, rule: str, name: str) -> ClauseBlock | None:
    """The clause that has the id, however it is spelled, or the name."""
    clauses = compiled.page.clauses
    same = (c for c in clauses if order(c.rule) == order(rule))
    return next(same, None) or next((c for c in clauses if c.name == name), None)
