"""The command `explain`: a clause of a document, or a diagnostic of the compiler."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from engine.cli.exits import ExitCode, say
from rules_dsl import ir
from rules_dsl.catalogue import Entry, catalogue, shown
from rules_dsl.commands.loading import DEFAULT, built_in, load, show
from rules_dsl.compile import Compiled
from rules_dsl.diagnostics import count, suggest
from rules_dsl.emit.modules import emit, unit_names
from rules_dsl.explain.blocks import Block, Heading, Pairs, Paragraph, as_markdown, as_text
from rules_dsl.explain.clause import explain_clause, find_clause
from rules_dsl.explain.data import clause_data, entry_data
from rules_dsl.explain.mutants import mutant_blocks, mutant_data
from rules_dsl.explain.pages import MODULES, entry_blocks, list_blocks
from rules_dsl.explain.view import page_of
from rules_dsl.mutate.report import tried


@click.command()
@click.argument("name", metavar="[CLAUSE|CODE]", required=False)
@click.option(
    "--document",
    default=DEFAULT,
    show_default=True,
    type=click.Path(path_type=Path),
    help="The rules document whose clause is meant; where there is none, the built-in one.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    help="How to print.",
)
def explain(name: str | None, document: Path, form: str) -> int:
    """Explain a clause (4.3.5 or its name) or a diagnostic (N001); without one, list both.

    Of a clause it shows the prose beside what the machine reads: the breach sentence, the truth
    table, the runs on either side of each bound, the evidence, where it is judged, its cases and checks, and
    which changes of one word they notice.
    """
    typed = click.get_current_context().get_parameter_source("document")
    if typed is click.core.ParameterSource.DEFAULT and not document.exists():
        document = built_in() or document
    if name is None:
        return _list(document, form)
    entry = catalogue().get(name.strip().upper())
    if entry is not None:
        return _print(entry_blocks(entry), entry_data(entry, shown(entry)), form)
    return _clause(name, document, form)


def _print(blocks: list[Block], data: dict[str, object], form: str) -> int:
    if form == "json":
        say(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        say(as_markdown(blocks).rstrip() if form == "markdown" else as_text(blocks))
    return ExitCode.CLEAN


def _clause(name: str, document: Path, form: str) -> int:
    if CODE.fullmatch(name.strip()):
        raise click.UsageError(f"no diagnostic is called {name}; {_codes_like(name.strip().upper())}")
    compiled = load(document)
    clause = find_clause(compiled.program, name)
    if clause is None:
        near = suggest(name, [word for c in compiled.program.clauses for word in (c.rule, c.name)])
        hint = (
            near.replace("`", "") if near.startswith("did you") else "clausegate explain lists what there is"
        )
        raise click.UsageError(f"no clause of {document} is called {name}; {hint}")
    block = next(b for b in compiled.page.clauses if b.rule == clause.rule)
    own = [d for d in compiled.errors if block.span.start <= d.span.start < block.end]
    if own:
        show(own, compiled)
        click.echo(f"clause {clause.rule} does not compile, so there is nothing to explain yet", err=True)
        return ExitCode.FINDINGS
    found = explain_clause(compiled, clause, _modules(compiled, document))
    units = unit_names(compiled.program)
    results = tried(compiled, {clause.rule}) if not compiled.errors else []
    blocks = [*page_of(found, units, compiled.page.text), *mutant_blocks(results)]
    _print(blocks, {**clause_data(found, units), "mutants": mutant_data(results)}, form)
    if compiled.errors:
        click.echo(
            f"{document} has {count(len(compiled.errors), 'error')} elsewhere; clausegate check shows them",
            err=True,
        )
        return ExitCode.FINDINGS
    return ExitCode.CLEAN


CODE = re.compile(r"[A-Za-z]\d+")
"""What is meant for a code of the compiler, and not for a clause."""


def _codes_like(name: str) -> str:
    """The codes of the same letter, or the nearest."""
    alike = [code for code in catalogue() if code[0] == name[0]]
    if not alike:
        return "clausegate explain lists what there is"
    near = suggest(name, alike).replace("`", "")
    return near if near.startswith("did you") else f"those of {name[0]} are {alike[0]} to {alike[-1]}"


def _modules(compiled: Compiled, document: Path) -> dict[str, str]:
    """The generated modules as they would be written; none of a document that cannot be built."""
    if compiled.errors:
        return {}
    files = emit(compiled.program, document.name)
    return {f"generated/{name}": files[name] for name in MODULES}


def _list(document: Path, form: str) -> int:
    """Every clause and every code. Without a document of the default name, the codes alone."""
    compiled = load(document) if document.exists() or str(document) != DEFAULT else None
    clauses: tuple[ir.Clause, ...] = () if compiled is None else compiled.program.clauses
    blocks: list[Block] = []
    if clauses:
        blocks += [Heading(f"Clauses of {document}"), Pairs(tuple((c.rule, c.name) for c in clauses))]
    else:
        blocks.append(Paragraph(f"There is no {document} here, so only diagnostics are listed."))
    blocks += list_blocks(level=3 if form == "markdown" else 2)
    blocks.append(Paragraph("clausegate explain NAME tells more of one of them."))
    entries: list[Entry] = list(catalogue().values())
    data: dict[str, object] = {
        "schema": "clausegate/explain/1",
        "clauses": [{"id": c.rule, "name": c.name, "kind": c.kind, "line": c.line} for c in clauses],
        "diagnostics": [{"code": e.code, "title": e.title, "family": e.family} for e in entries],
    }
    return _print(blocks, data, form)
