"""The rules maintainer's commands: build, check, fmt and rules."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.cli.exits import ExitCode, say
from rules_dsl.cases import check_cases
from rules_dsl.compile import Compiled
from rules_dsl.diagnostics import Collector, Diagnostic, position, render
from rules_dsl.drift import built_digests, check_drift
from rules_dsl.emit import emit
from rules_dsl.explain.pages import reference
from rules_dsl.fmt import check_breaches, format_document
from rules_dsl.loading import DEFAULT, count, load, show
from rules_dsl.manifest import rule_entry
from rules_dsl.promises import check_tables
from rules_dsl.write import difference, replace_file, stale, write_files

DOCUMENT = click.argument("document", metavar="[RULES.md]", default=DEFAULT, type=click.Path(path_type=Path))
FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print."
)


def _examined(compiled: Compiled, *, breaches: bool) -> tuple[list[Diagnostic], dict[str, int]]:
    """All diagnostics of a document, and how many cases and checks ran."""
    collect = Collector(list(compiled.diagnostics))
    ran = {"case": 0, "check": 0}
    if not compiled.errors:
        parts = (compiled.page, compiled.vocabulary, compiled.program, collect)
        ran = {"case": check_cases(*parts), "check": check_tables(*parts)}
    if breaches:
        check_breaches(compiled, collect)
        manifest = Path(compiled.page.path).parent / "generated" / "manifest.json"
        built = built_digests(manifest, Path(compiled.page.path).name)
        check_drift(compiled.page, compiled.program, compiled.errors, built, collect)
    return sorted(collect.found, key=lambda d: d.span.start), ran


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
    found, _ = _examined(compiled, breaches=False)
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


@click.command()
@DOCUMENT
@FORMAT
def check(document: Path, form: str) -> int:
    """Check a rules document: names, types, units, cases, tables, breach sentences."""
    compiled = load(document)
    found, ran = _examined(compiled, breaches=True)
    errors = [d for d in found if d.level == "error"]
    decidable = [c for c in compiled.program.clauses if c.kind == "decidable"]
    if form == "json":
        say(json.dumps(as_json(found, compiled, ran), indent=2, ensure_ascii=False))
        return ExitCode.FINDINGS if errors else ExitCode.CLEAN
    for diagnostic in found:
        say(render(diagnostic, compiled.page.text, str(document)) + "\n")
    clauses = count(len(compiled.program.clauses), "clause")
    clauses += f", {len(decidable)} decidable, " + ", ".join(
        count(n, word) for word, n in ran.items() if n or word == "case"
    )
    if errors:
        why = "" if not compiled.errors else "; cases and checks run once it compiles"
        say(f"clausegate explain {errors[0].code} tells more of the first")
        say(f"{document}: {count(len(errors), 'error')} ({clauses}{why})")
        return ExitCode.FINDINGS
    say(f"{document}: {clauses}, all as stated")
    return ExitCode.CLEAN


def as_json(found: list[Diagnostic], compiled: Compiled, ran: dict[str, int]) -> dict[str, object]:
    """The diagnostics of a document, and what ran, as `check --format json` prints them."""

    def entry(diagnostic: Diagnostic) -> dict[str, object]:
        text = compiled.page.text
        line, column = position(text, diagnostic.span.start)
        words = text[diagnostic.span.start : diagnostic.span.end]
        return {
            "code": diagnostic.code,
            "level": diagnostic.level,
            "message": diagnostic.message,
            "line": line,
            "column": column,
            "text": words,
            "help": diagnostic.help or None,
        }

    return {
        "schema": "clausegate/check/1",
        "document": compiled.page.path,
        "edition": compiled.program.edition,
        "diagnostics": [entry(d) for d in found],
        "summary": {
            "clauses": len(compiled.program.clauses),
            "cases": ran["case"],
            "checks": ran["check"],
            "errors": sum(d.level == "error" for d in found),
            "notes": sum(d.level == "note" for d in found),
        },
    }


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


@click.command()
@DOCUMENT
@FORMAT
def rules(document: Path, form: str) -> int:
    """List the clauses: id, name, kind, scope, stage, facts, line."""
    compiled = load(document)
    if compiled.errors:
        show(list(compiled.errors), compiled)
    entries = [rule_entry(c) for c in compiled.program.clauses]
    if form == "json":
        head = {
            "schema": "clausegate/rules/1",
            "document": str(document),
            "edition": compiled.program.edition,
        }
        say(json.dumps({**head, "rules": entries}, indent=2, ensure_ascii=False))
    else:
        say("\n".join(_lines(compiled)))
    return ExitCode.FINDINGS if compiled.errors else ExitCode.CLEAN


def _lines(compiled: Compiled) -> list[str]:
    """A line a clause, within 80 columns: a name that is too long for that is cut."""
    clauses = compiled.program.clauses
    about = [f"{c.stage:<7} {'+'.join(c.scopes)}" if c.kind == "decidable" else c.kind for c in clauses]
    wide = max((len(c.rule) for c in clauses), default=4)
    room = max(8, min(36, 80 - wide - 2 - 2 - 5 - 2 - max(map(len, about), default=0)))
    out = []
    for clause, words in zip(clauses, about, strict=True):
        name = clause.name if len(clause.name) <= room else clause.name[: room - 3] + "..."
        out.append(f"{clause.rule:<{wide}}  {name:<{room}} {clause.line:>5}  {words}")
    counts = {
        kind: sum(c.kind == kind for c in clauses)
        for kind in ("decidable", "informative", "undecidable", "unstated")
    }
    out.append(
        f"{count(len(clauses), 'clause')}: " + ", ".join(f"{n} {kind}" for kind, n in counts.items() if n)
    )
    return out
