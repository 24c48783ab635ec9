"""`clausegate test`: the document's cases and checks, and with `--mutate` whether they miss anything."""

from __future__ import annotations

import json
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from engine.cli.exits import ExitCode, say
from rules_dsl.commands.check import as_json
from rules_dsl.commands.loading import DOCUMENT, FORMAT, load
from rules_dsl.compile import Compiled
from rules_dsl.diagnostics import Collector, Diagnostic, count, position, render, suggest
from rules_dsl.mutate.model import Mutant
from rules_dsl.mutate.report import short, survivor, tried
from rules_dsl.mutate.run import Result
from rules_dsl.verify.cases import check_cases, read_cases
from rules_dsl.verify.table_checks import check_tables

KILLERS = ("compiler", "case", "check")


@click.command()
@DOCUMENT
@click.option(
    "--mutate",
    is_flag=True,
    help="Change every word of the statements and defines and every cell of the tables, one at a time.",
)
@click.option(
    "--select",
    "select",
    metavar="RULE,...",
    default="",
    help="Only these clauses (4.3.5, or 4. for a section), derived facts and tables.",
)
@FORMAT
def test(document: Path, mutate: bool, select: str, form: str) -> int:
    """Run the cases and checks of a rules document; find what they do not pin."""
    compiled = load(document)
    collect = Collector(list(compiled.diagnostics))
    parts = (compiled.page, compiled.vocabulary, compiled.program, collect)
    chosen = _chosen(compiled, select) if not compiled.errors else None
    ran = {"case": 0, "check": 0}
    if not compiled.errors:
        ran = {"case": check_cases(*parts), "check": check_tables(*parts)}
    found = sorted(collect.found, key=lambda d: d.span.start)
    errors = bool(collect.errors)
    results = tried(compiled, chosen, _progress) if mutate and not errors else None
    if form == "json":
        say(json.dumps(_json(found, compiled, ran, results), indent=2, ensure_ascii=False))
    else:
        _print(found, compiled, ran, results, chosen, mutate=mutate)
    survived = any(r.survived for r in results or ())
    return ExitCode.FINDINGS if errors or survived else ExitCode.CLEAN


def _chosen(compiled: Compiled, select: str) -> frozenset[str] | None:
    """The clauses, derived facts and tables that were asked for; None is all of them."""
    wanted = [w.strip() for w in select.split(",") if w.strip()]
    if not wanted:
        return None
    program = compiled.program
    known = [c.rule for c in program.clauses] + [d.name for d in program.defines] + list(program.tables)
    found: set[str] = set()
    for word in wanted:
        prefix = word.rstrip(".") + "."
        some = {name for name in known if name == word or name.startswith(prefix)}
        if not some:
            raise click.UsageError(f"--select: nothing is called {word}; {suggest(word, known)}")
        found |= some
    return frozenset(found)


def _progress(total: int) -> Callable[[int], None] | None:
    """Counts mutants on stderr while it is a terminal, and clears its line at the end."""
    if not sys.stderr.isatty():
        return None

    def show(done: int) -> None:
        if done == total:
            click.echo("\r\x1b[K", nl=False, err=True)
        elif done % 10 == 0:
            click.echo(f"\r{done} of {total} mutants tried", nl=False, err=True)

    return show


# --- text --------------------------------------------------------------------------------


def _print(
    found: list[Diagnostic],
    compiled: Compiled,
    ran: dict[str, int],
    results: Sequence[Result] | None,
    chosen: frozenset[str] | None,
    *,
    mutate: bool,
) -> None:
    path = compiled.page.path
    for diagnostic in found:
        say(render(diagnostic, compiled.page.text, path) + "\n")
    counts = ", ".join(count(n, word) for word, n in ran.items() if n or word == "case")
    errors = sum(d.level == "error" for d in found)
    if errors:
        why = "; mutants are tried of a document without errors" if mutate else ""
        say(f"{path}: {count(errors, 'error')} ({counts}){why}")
        return
    if results is None:
        for rule, number in _cases(compiled):
            if chosen is None or rule in chosen:
                say(f"{rule:<10} {count(number, 'case')}")
        say(f"{path}: {counts}, all as stated")
        return
    for result in results:
        if result.survived:
            say(render(survivor(result), compiled.page.text, path) + "\n")
    for result in results:
        if result.equivalent:
            say(_equivalent(result.mutant, result.reason, compiled))
    say(f"{path}: {_summary(results)}")


def _cases(compiled: Compiled) -> list[tuple[str, int]]:
    """How many cases each decidable clause has."""
    parts = (compiled.page, compiled.vocabulary, compiled.program)
    decidable = [c for c in compiled.program.clauses if c.kind == "decidable"]
    return [(c.rule, len(list(read_cases(*parts, c, Collector())))) for c in decidable]


def _equivalent(mutant: Mutant, reason: str, compiled: Compiled) -> str:
    line, column = position(compiled.page.text, mutant.span.start)
    old, new = short(mutant.old) or "(nothing)", short(mutant.new) or "(nothing)"
    why = textwrap.fill(reason, 78, initial_indent="  ", subsequent_indent="  ")
    return f"equivalent, {mutant.owner} at {line}:{column}: {old} -> {new}\n{why}"


def _summary(results: Sequence[Result]) -> str:
    by = Counter(r.killer.by for r in results if r.killer is not None)
    told = ", ".join(
        f"{by[name]} by {name if name == 'compiler' else name + 's'}" for name in KILLERS if by[name]
    )
    killed = f"{sum(by.values())} killed" + (f" ({told})" if told else "")
    equivalent = sum(r.equivalent for r in results)
    survived = sum(r.survived for r in results)
    return f"{count(len(results), 'mutant')}: {killed}, {equivalent} equivalent, {survived} survived"


# --- json --------------------------------------------------------------------------------


def _json(
    found: list[Diagnostic], compiled: Compiled, ran: dict[str, int], results: Sequence[Result] | None
) -> dict[str, object]:
    about = as_json(found, compiled, ran)
    return {**about, "schema": "clausegate/test/1", "mutants": _mutants(results, compiled)}


def _mutants(results: Sequence[Result] | None, compiled: Compiled) -> dict[str, object] | None:
    if results is None:
        return None
    by = Counter(r.killer.by for r in results if r.killer is not None)
    return {
        "total": len(results),
        "killed": sum(by.values()),
        "equivalent": sum(r.equivalent for r in results),
        "survived": [_entry(r, compiled) for r in results if r.survived],
        "killed_by": {name: by[name] for name in KILLERS},
        "equivalents": [_entry(r, compiled) for r in results if r.equivalent],
        "kills": [_entry(r, compiled) for r in results if r.killer is not None],
    }


def _entry(result: Result, compiled: Compiled) -> dict[str, object]:
    """A mutant and what became of it."""
    text, mutant = compiled.page.text, result.mutant
    line, column = position(text, mutant.span.start)
    entry: dict[str, object] = {
        "clause": mutant.owner,
        "line": line,
        "column": column,
        "old": mutant.old,
        "new": mutant.new,
        "kind": mutant.kind,
    }
    if result.killer is not None:
        at = result.killer.span
        where = position(text, at.start)[0] if at is not None else None
        return {**entry, "killed_by": {"by": result.killer.by, "code": result.killer.code, "line": where}}
    missing = result.missing
    case = None
    if missing is not None:
        below = position(text, missing.below.start)[0] if missing.below is not None else None
        case = {
            "clause": missing.rule,
            "table_line": below,
            "header": list(missing.header),
            "rows": [[row.get(name, "?") for name in missing.header] for row in missing.rows],
            "text": missing.text(),
        }
    return {**entry, "reason": result.reason, **({} if result.equivalent else {"missing": case})}
