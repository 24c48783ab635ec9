"""`clausegate check`: everything that must hold of a rules document, told as diagnostics."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.cli.exits import ExitCode, say
from rules_dsl.commands.loading import DOCUMENT, FORMAT, load
from rules_dsl.compile import Compiled
from rules_dsl.diagnostics import Collector, Diagnostic, count, position, render
from rules_dsl.format.document import check_breaches
from rules_dsl.verify.cases import check_cases
from rules_dsl.verify.prose_drift import built_digests, check_drift
from rules_dsl.verify.table_checks import check_tables


def examine(compiled: Compiled, *, breaches: bool) -> tuple[list[Diagnostic], dict[str, int]]:
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
@FORMAT
def check(document: Path, form: str) -> int:
    """Check a rules document: names, types, units, cases, tables, breach sentences."""
    compiled = load(document)
    found, ran = examine(compiled, breaches=True)
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
