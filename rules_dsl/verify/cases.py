"""`cases` tables: a clause's examples, run as tests against the interpreter.

A row's columns are facts (recorded or derived), fields of a list fact (`overrides.key`), and
three words: `case` (rows of one id are the elements of one list), `edition` and `verdict`. The
verdict is exact: the words of all statements that are broken, or the one word when none is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.runtime.values import Facts, Listing, Value
from rules_dsl import ir
from rules_dsl.diagnostics import Collector, Span, suggest
from rules_dsl.evaluate.interpreter import interpret_clause
from rules_dsl.ir import Type
from rules_dsl.semantics.typecheck import Checker
from rules_dsl.source.document import Fence, Page, cell_text, table_rows
from rules_dsl.verify.cell_values import NOTHING, read_cell
from rules_dsl.verify.words import NEITHER, verdict_word, words
from rules_dsl.vocabulary.facts import Vocabulary

SPECIAL = ("case", "edition", "verdict")


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the values by column, and where each stands. A row that is not `sound` was told already."""

    values: Mapping[str, Value]
    cells: Mapping[str, tuple[str, Span]]
    sound: bool
    case: str
    edition: str | None
    verdict: frozenset[str] | None
    span: Span
    verdict_span: Span


@dataclass(frozen=True, slots=True)
class Case:
    """One example: the rows of one list, or one row alone."""

    rule: str
    rows: tuple[Row, ...]
    verdict: frozenset[str]
    span: Span


def check_cases(page: Page, vocabulary: Vocabulary, program: ir.Program, collect: Collector) -> int:
    """Run every case of the document; returns how many. What differs is an error at its verdict."""
    ran = 0
    for clause in program.clauses:
        if clause.kind == "decidable" and page.head.complete and not page.of(clause.rule, "cases"):
            block = next(b for b in page.clauses if b.rule == clause.rule)
            collect.note("C011", f"clause {clause.rule} has no case yet", block.span)
        for case in read_cases(page, vocabulary, program, clause, collect):
            ran += 1
            given = judged(program, clause, case)
            if given != case.verdict:
                row = case.rows[0]
                collect.error(
                    "K001",
                    f"clause {clause.rule} gives {_words(given)} here, its case says {_words(case.verdict)}",
                    row.verdict_span,
                    help=f"the row: {page.text[case.span.start : case.span.end].strip()}",
                    second=(clause.statements[0].span, "the statement") if clause.statements else None,
                )
    return ran


def _words(verdict: frozenset[str]) -> str:
    return ", ".join(sorted(verdict))


def read_cases(
    page: Page, vocabulary: Vocabulary, program: ir.Program, clause: ir.Clause, collect: Collector
) -> Iterator[Case]:
    """The cases of one clause, in order."""
    for fence in page.of(clause.rule, "cases"):
        if clause.kind != "decidable":
            if clause.kind != "unstated":
                collect.error(
                    "K002",
                    f"clause {clause.rule} is {clause.kind}; it has no cases",
                    Span(fence.body.start, fence.body.start + 1),
                )
            continue
        rows = list(_rows(page, vocabulary, program, fence, collect))
        groups: dict[str, list[Row]] = {}
        for number, row in enumerate(rows):
            groups.setdefault(row.case or f"row {number}", []).append(row)
        for group in groups.values():
            if not all(row.sound for row in group) or not _agreed(program, clause, group, collect):
                continue
            verdict = next((r.verdict for r in group if r.verdict is not None), None)
            if verdict is None:
                collect.error("K003", "this case has no verdict", group[0].span)
                continue
            yield Case(clause.rule, tuple(group), verdict, Span(group[0].span.start, group[-1].span.end))


def _agreed(program: ir.Program, clause: ir.Clause, group: list[Row], collect: Collector) -> bool:
    """Whether the rows of one case say the same of what the case has one of; what differs is told."""
    several = "workload" in clause.scopes
    first: dict[str, tuple[str, Span]] = {}
    agreed = True
    for place, row in enumerate(group):
        for name, (raw, span) in row.cells.items():
            own = "." in name or (several and name not in SPECIAL and _scope(program, name) == "leaf")
            if own or not raw or name == "case":
                continue
            if place == 0 or (name == "verdict" and name not in first):
                first[name] = (raw, span)
            elif first.get(name, ("", span))[0] != raw:
                second = (first[name][1], "first here") if name in first else None
                message = f"the rows of case `{row.case}` differ in `{name}`, which is the case's"
                collect.error("K009", message, span, second=second, help="say it in its first row only")
                agreed = False
    return agreed


def judged(program: ir.Program, clause: ir.Clause, case: Case) -> frozenset[str]:
    """What the clause says of a case, in the words of the verdict column."""
    results: list[tuple[ir.Statement, str]] = []
    for facts in subjects(program, clause, case):
        found = interpret_clause(program, clause, facts, case.rows[0].edition)
        by_number = {s.number: s for s in clause.statements}
        results += [(by_number[n], r) for n, rs in found.items() for r in rs]
    broken = {verdict_word(program, s) for s, r in results if r == "violation"}
    if broken:
        return frozenset(broken)
    for outcome in ("undetermined", "deferred", "pass"):
        if any(result == outcome for _, result in results):
            return frozenset({outcome})
    return frozenset({"n/a"})


def subjects(program: ir.Program, clause: ir.Clause, case: Case) -> list[dict[str, Facts]]:
    """The subjects of a case as facts by scope: each leaf, and the workload of all of them."""
    lists = {n for n, s in program.facts.items() if s.type == "list" and s.fields}
    runs = next((n for n, s in program.facts.items() if any(p.document == "tree" for p in s.package)), None)
    if "workload" in clause.scopes:
        leaves = [_leaf(row.values, lists, [row.values]) for row in case.rows]
        shared = {
            n: v for n, v in case.rows[0].values.items() if "." not in n and _scope(program, n) == "workload"
        }
        workload = {**shared, **({runs: Listing(tuple(leaves))} if runs else {})}
        return [*({"leaf": leaf} for leaf in leaves), {"workload": workload}]
    return [{"leaf": _leaf(case.rows[0].values, lists, [r.values for r in case.rows])}]


def _scope(program: ir.Program, name: str) -> str:
    derived = next((d.scope for d in program.defines if d.name == name), None)
    return derived or program.facts[name].scope


def _leaf(first: Mapping[str, Value], lists: set[str], rows: list[Mapping[str, Value]]) -> Facts:
    """A leaf's facts; columns such as `overrides.key` become the elements of its list."""
    facts = {n: v for n, v in first.items() if "." not in n}
    for name in sorted({n.split(".")[0] for n in first if "." in n} & lists):
        items = []
        for row in rows:
            item = {n.split(".")[1]: v for n, v in row.items() if n.startswith(f"{name}.")}
            if not all(v == NOTHING for v in item.values()):
                items.append({n: v for n, v in item.items() if v != NOTHING})
        facts[name] = Listing(tuple(items))
    return facts


def _rows(
    page: Page, vocabulary: Vocabulary, program: ir.Program, fence: Fence, collect: Collector
) -> Iterator[Row]:
    text = page.text
    lines = table_rows(text, fence.body.start, fence.body.end)
    if len(lines) < 2:
        collect.error(
            "K004",
            "a cases fence holds a table with at least one row",
            Span(fence.body.start, fence.body.start + 1),
        )
        return
    types = {d.name: (d.scope, d.expr.type) for d in program.defines}
    checker = Checker(vocabulary, types, collect)
    header: list[tuple[str, Type | None]] = []
    told = len(collect.found)
    for cell in lines[0]:
        name = cell_text(text, cell)
        if name in [n for n, _ in header]:
            collect.error("K010", f"column `{name}` stands twice", cell)
        header.append((name, _column(name, checker, cell, collect)))
    if len(collect.found) > told:
        return
    if "verdict" not in [name for name, _ in header]:
        collect.error(
            "K005", "a cases table has a column `verdict`", Span(lines[0][0].start, lines[0][-1].end)
        )
        return
    for cells in lines[1:]:
        yield _row(page, header, cells, checker, program, collect)


def _row(
    page: Page,
    header: list[tuple[str, Type | None]],
    cells: list[Span],
    checker: Checker,
    program: ir.Program,
    collect: Collector,
) -> Row:
    text = page.text
    told = len(collect.found)
    span = Span(text.rfind("\n", 0, cells[0].start) + 1, text.find("\n", cells[-1].end))
    if len(cells) != len(header):
        collect.error("T002", f"this row has {len(cells)} cells, the header {len(header)}", span)
    values: dict[str, Value] = {}
    written: dict[str, tuple[str, Span]] = {}
    for (name, kind), cell in zip(header, cells, strict=False):
        raw = cell_text(text, cell)
        written[name] = (raw, cell)
        if kind is not None and len(cells) == len(header):
            value = read_cell(raw, kind, name, checker, cell, collect)
            if value is not None:
                values[name] = value
    special = {name: written[name][0] for name in SPECIAL if name in written}
    where = written["verdict"][1] if "verdict" in written else cells[-1]
    edition = special.get("edition") or None
    if edition is not None and edition not in page.head.editions:
        help_text = suggest(edition, page.head.editions)
        collect.error("C009", f"no edition is called {edition}", span, help=help_text)
    complete = len(cells) == len(header)
    verdict = _verdict(special.get("verdict", ""), where, program, collect) if complete else None
    sound = len(collect.found) == told
    return Row(values, written, sound, special.get("case", ""), edition, verdict, span, where)


def _column(name: str, checker: Checker, cell: Span, collect: Collector) -> Type | None:
    if name in SPECIAL:
        return None
    owner, _, part = name.rpartition(".")
    spec = checker.vocabulary.facts.get(owner) if owner else None
    kind = (
        checker.element_types(owner).get(part)
        if spec is not None and spec.fields
        else None
        if owner
        else checker.fact_type(name)
    )
    if kind is None:
        known = [*SPECIAL, *checker.vocabulary.facts, *checker.defines]
        collect.error("K006", f"no fact is called `{name}`", cell, help=suggest(name, known))
    return kind


def _verdict(raw: str, span: Span, program: ir.Program, collect: Collector) -> frozenset[str] | None:
    if not raw:
        return None
    known = (*words(program.divisions).values(), *NEITHER)
    said = [w.strip() for w in raw.split(",")]
    for verdict in said:
        if verdict not in known:
            collect.error("K007", f"no verdict is called `{verdict}`", span, help=suggest(verdict, known))
            return None
    return frozenset(said)
