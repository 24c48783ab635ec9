"""`clausegate rules`: the clauses of a document, a line each."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.cli.exits import ExitCode, say
from rules_dsl.commands.loading import DOCUMENT, FORMAT, load, show
from rules_dsl.compile import Compiled
from rules_dsl.diagnostics import count
from rules_dsl.emit.manifest import rule_entry


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
