"""Everything that the compiler knows of one clause, gathered for people and for tools.

Nothing here is worded: the sentences are the document's, the verdicts the interpreter's, the places those
of the generated modules. `view` makes a page of it, and `--format json` gives it as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from engine.runtime.ruleset import Division, FactSpec
from engine.runtime.values import Unknown, Value, show
from rules_dsl import ir
from rules_dsl.compile import Compiled
from rules_dsl.diagnostics import Collector, Span, position
from rules_dsl.emit.manifest import launch_text
from rules_dsl.emit.names import predicate
from rules_dsl.english.sentence import sentence
from rules_dsl.explain.bounds import Bound, bounds
from rules_dsl.explain.columns import shown_value
from rules_dsl.explain.truth import TruthTable, truth_table
from rules_dsl.source.document import CLAUSE, ClauseBlock
from rules_dsl.syntax.parse import parse
from rules_dsl.verify.cases import Case, read_cases


@dataclass(frozen=True, slots=True)
class Stated:
    """One statement: its words, how it is read, what it says of every run."""

    statement: ir.Statement
    text: str
    breach: str
    table: TruthTable
    late: tuple[str, ...]  # facts that are known only after the run


@dataclass(frozen=True, slots=True)
class FactEvidence:
    """One recorded fact: what it means, where it is found, what it means when it is not."""

    name: str
    meaning: str
    kind: str
    launch: str | None
    package: tuple[str, ...]
    agree: bool
    missing: tuple[tuple[str | None, str], ...]
    no_source: str | None
    conflict: str | None
    plausible: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Derived:
    """One derived fact and the expression that says it."""

    name: str
    meaning: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Function:
    """A generated function that judges the clause, and its line."""

    file: str
    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Example:
    """A case: its line, what each row records, the verdict."""

    line: int
    rows: tuple[tuple[tuple[str, str], ...], ...]
    verdict: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A check that mentions the clause."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """What there is to know of one clause."""

    clause: ir.Clause
    document: str
    divisions: tuple[Division, ...]
    prose: tuple[str, ...]
    stated: tuple[Stated, ...]
    bounds: tuple[Bound, ...]
    evidence: tuple[FactEvidence, ...]
    derived: tuple[Derived, ...]
    functions: tuple[Function, ...]
    examples: tuple[Example, ...]
    checks: tuple[Checked, ...]


def explain_clause(compiled: Compiled, clause: ir.Clause, modules: Mapping[str, str]) -> Explanation:
    """Gather what is known of a clause. `modules` are the texts of the generated modules by file name."""
    page, program = compiled.page, compiled.program
    block = next(b for b in page.clauses if b.rule == clause.rule)
    cases = list(read_cases(page, compiled.vocabulary, program, clause, Collector()))
    names = list(dict.fromkeys(f for s in clause.statements for f in s.facts))
    return Explanation(
        clause=clause,
        document=PurePath(page.path).name,
        divisions=program.divisions,
        prose=tuple(_prose(compiled, block)),
        stated=tuple(_stated(compiled, s) for s in clause.statements),
        bounds=bounds(program, clause, cases),
        evidence=tuple(evidence_of(compiled, program.facts[n]) for n in names if n in program.facts),
        derived=tuple(derived_of(compiled, d) for d in program.defines if d.name in names),
        functions=tuple(_functions(clause, modules)),
        examples=tuple(_example(compiled, case) for case in cases),
        checks=tuple(_checks(compiled, clause)),
    )


def _prose(compiled: Compiled, block: ClauseBlock) -> Iterator[str]:
    """What a clause says to people, without fences, tables, breach sentences and what leads to them."""
    page = compiled.page
    text = page.text
    start = CLAUSE.match(text, text.rfind("\n", 0, block.span.start) + 1)
    begin = start.end() if start is not None else block.span.end
    cuts = [(f.opening.start, _line_end(text, f.body.end)) for f in page.fences if f.clause == block.rule]
    if block.breach is not None:
        cuts.append((block.breach.start, block.breach.end))
    kept = []
    for a, b in [*sorted(cuts), (block.end, block.end)]:
        kept.append(text[begin:a])
        begin = max(begin, b)
    for paragraph in re.split(r"\n\s*\n", "\n\n".join(kept)):
        words = " ".join(paragraph.split())
        if words and not words.startswith(("<!--", "|", "```")) and not words.endswith(":"):
            yield re.sub(r"^(?:--|\N{EM DASH}|\N{EN DASH})\s*", "", words)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _stated(compiled: Compiled, statement: ir.Statement) -> Stated:
    program = compiled.program
    late = [f for f in statement.facts if f in program.facts and program.facts[f].launch is None]
    return Stated(
        statement,
        _words(compiled, statement.span),
        sentence(program, statement),
        truth_table(program, compiled.page.text, statement),
        tuple(late),
    )


def _words(compiled: Compiled, span: Span) -> str:
    return compiled.page.text[span.start : span.end]


def evidence_of(compiled: Compiled, spec: FactSpec) -> FactEvidence:
    """A recorded fact as it is declared."""
    conflict = compiled.vocabulary.conflicts.get(spec.name)
    bound = compiled.vocabulary.bounds.get(spec.name)
    return FactEvidence(
        name=spec.name,
        meaning=spec.meaning,
        kind=spec.unit or spec.type,
        launch=_launch(spec),
        package=tuple(source.text for source in spec.package),
        agree=spec.agree,
        missing=spec.missing,
        no_source=spec.no_source,
        conflict=None if conflict is None else " ".join(_words(compiled, conflict[0]).split()),
        plausible=None if bound is None else " ".join(_words(compiled, bound).split()),
        line=spec.line,
    )


def _launch(spec: FactSpec) -> str | None:
    """How a fact is known before a run, with the default and the variable that stand in for an option."""
    launch = spec.launch
    if launch is None:
        return None
    more = []
    if launch.default is not None:
        more.append(f"default {launch.default}")
    if launch.environment is not None:
        more.append(f"or ${launch.environment}")
    if launch.commands:
        more.append(f"for {', '.join(launch.commands)}")
    return f"{launch_text(launch)}" + (f" ({'; '.join(more)})" if more else "")


def derived_of(compiled: Compiled, define: ir.Define) -> Derived:
    """A derived fact as it is written."""
    spec = compiled.vocabulary.facts.get(define.name)
    text = " ".join(_words(compiled, define.expr.span).split())
    return Derived(define.name, spec.meaning if spec is not None else "", text, define.line)


def _functions(clause: ir.Clause, modules: Mapping[str, str]) -> Iterator[Function]:
    for file, text in modules.items():
        for name in dict.fromkeys(predicate(clause, statement) for statement in clause.statements):
            at = text.find(f"\ndef {name}(")
            if at >= 0:
                yield Function(file, name, position(text, at + 1)[0])


def _example(compiled: Compiled, case: Case) -> Example:
    rows = tuple(
        tuple((n, raw) for n, (raw, _) in row.cells.items() if n not in ASIDE and raw not in {"", "?"})
        for row in case.rows
    )
    line = position(compiled.page.text, case.span.start)[0]
    return Example(line, rows, ", ".join(sorted(case.verdict)))


ASIDE = ("verdict", "case")
"""Columns of a case that record nothing."""


def _checks(compiled: Compiled, clause: ir.Clause) -> Iterator[Checked]:
    page = compiled.page
    for fence in page.fences:
        if fence.kind != "check":
            continue
        for written in parse(page.text, fence.body, "checks", Collector()) or ():
            if written.promise is not None and written.promise.rule.value == clause.rule:
                line = position(page.text, written.span.start)[0]
                yield Checked(line, " ".join(_words(compiled, written.span).split()))


def find_clause(program: ir.Program, name: str) -> ir.Clause | None:
    """The clause of an id or a name; a trailing full stop and the letter case of a name are the user's."""
    asked = name.strip().rstrip(".").lower()
    return next((c for c in program.clauses if asked in {c.rule.lower(), c.name.lower()}), None)


def recorded(pairs: Sequence[tuple[str, Value]], units: Mapping[str, str]) -> str:
    """Facts and their values in one line."""
    return ", ".join(f"{name} {value_text(value, units.get(name))}" for name, value in pairs)


def value_text(value: Value, unit: str | None) -> str:
    """A value as people read it, exactly and with its unit."""
    text = show(value) if isinstance(value, Unknown) else shown_value(value)
    return f"{text} {unit}" if unit else text
