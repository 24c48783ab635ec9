"""What becomes of one mutant: only what it can change is derived again, then cases and checks run.

Breach sentences, generated modules and digests are not looked at, so that being stale kills nothing.
The first that tells is the killer: the compiler, then the cases of the clause that the mutant
stands in (of all clauses that read a define or table, in the document's order), then the checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from rules_dsl import ir
from rules_dsl.compile import compile_text
from rules_dsl.diagnostics import Collector, Diagnostic, Span
from rules_dsl.mutate.model import Mutant, Written
from rules_dsl.semantics.defines import lower_written
from rules_dsl.semantics.lower import lower_conflicts, lower_statement
from rules_dsl.semantics.lowering_state import Lowering
from rules_dsl.semantics.resolve import Stop
from rules_dsl.source.document import TableBlock
from rules_dsl.syntax import ast
from rules_dsl.syntax.parse import parse
from rules_dsl.verify.cases import Case, Row, judged, read_cases
from rules_dsl.verify.table_checks import read_checks, run_checks
from rules_dsl.vocabulary.facts import Vocabulary, check_table
from rules_dsl.vocabulary.tables import read_table

WHOLE = {"rule": "rule", "define": "defines"}


@dataclass(frozen=True, slots=True)
class Killer:
    """What told: the compiler, a case or a check, with its code and its place in the document as it is."""

    by: str
    code: str
    message: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """A mutant that compiles, as far as it differs: the program, and the clauses that it can change."""

    vocabulary: Vocabulary
    program: ir.Program
    clauses: tuple[str, ...]
    retyped: bool  # a derived fact has another type, so that cases are read anew


class Bench:
    """A document and what its mutants have in common with it."""

    def __init__(self, written: Written) -> None:
        self.written = written
        self.program = written.compiled.program
        self.vocabulary = written.compiled.vocabulary
        self.page = written.compiled.page
        self.checks = read_checks(self.page, Collector())
        self.clauses = {clause.rule: clause for clause in self.program.clauses}
        self.cases = {rule: self._cases(self.vocabulary, self.program, c) for rule, c in self.clauses.items()}
        self._offers = any(
            s.launch is not None and s.launch.offered is not None for s in self.program.facts.values()
        )

    @property
    def blank(self) -> Row:
        """A row of a case that says nothing."""
        return Row({}, {}, True, "", None, None, Span(0, 1), Span(0, 1))

    def killer(self, mutant: Mutant) -> Killer | None:
        """What tells of the mutant; None when it survives."""
        found = self.trial(mutant)
        return found if isinstance(found, Killer) else self.judge(found)

    # --- deriving ------------------------------------------------------------------------

    def trial(self, mutant: Mutant) -> Trial | Killer:
        """The mutant compiled, or the compiler's first error."""
        collect = Collector()
        made: Trial | None = None
        try:
            if mutant.part == "rule":
                made = self._statement(mutant, collect)
            elif mutant.part == "define":
                made = self._define(mutant, collect)
            else:
                made = self._table(mutant, collect)
        except Stop:
            pass
        if collect.errors:
            return _compiler(collect.errors[0])
        if made is None:
            return self._whole(mutant)
        return made

    def _work(self, vocabulary: Vocabulary, collect: Collector) -> Lowering:
        types = {d.name: (d.scope, d.expr.type) for d in self.program.defines}
        defines = {d.name: d for d in self.program.defines}
        return Lowering(self.page, vocabulary, collect, defines, types)

    def _statement(self, mutant: Mutant, collect: Collector) -> Trial | None:
        clause = self.clauses[mutant.owner]
        old = self.written.statements[mutant.owner][mutant.number - 1]
        trees = self._parsed(mutant, old.span)
        if len(trees) != 1 or not isinstance(trees[0], ast.Statement):
            return None  # what follows is read otherwise too
        new = lower_statement(self._work(self.vocabulary, collect), clause.rule, mutant.number, trees[0])
        statements = tuple(new if s.number == mutant.number else s for s in clause.statements)
        changed = replace(clause, statements=statements)
        program = replace(
            self.program, clauses=tuple(changed if c.rule == clause.rule else c for c in self.program.clauses)
        )
        return Trial(self.vocabulary, program, (clause.rule,), retyped=False)

    def _define(self, mutant: Mutant, collect: Collector) -> Trial | None:
        trees = self._parsed(mutant, self.written.defines[mutant.owner].span)
        if len(trees) != 1 or not isinstance(trees[0], ast.Define) or trees[0].name != mutant.owner:
            return None
        vocabulary = replace(self.vocabulary, facts=dict(self.vocabulary.facts))
        return self._derived(
            {**self.written.defines, mutant.owner: trees[0]}, {mutant.owner}, "", vocabulary, collect
        )

    def _table(self, mutant: Mutant, collect: Collector) -> Trial | None:
        block = next(b for b in self.page.tables if b.name == mutant.owner)
        named = "sets" in dict(block.options) and mutant.kind != "number"
        if self._offers and (mutant.kind == "label" or named):
            return None  # launch options offer what such a column says
        table = read_table(_moved(block, mutant), mutant.applied(self.written.text), collect)
        if table is None:
            return None
        tables = {**self.vocabulary.tables, mutant.owner: table}
        vocabulary = replace(self.vocabulary, facts=dict(self.vocabulary.facts), tables=tables)
        check_table(table, vocabulary, collect)
        return self._derived(self.written.defines, set(), mutant.owner, vocabulary, collect)

    def _derived(
        self,
        written: Mapping[str, ast.Define],
        changed: set[str],
        table: str,
        vocabulary: Vocabulary,
        collect: Collector,
    ) -> Trial:
        """Everything that rests on changed defines or on one table, typed anew."""
        work = Lowering(self.page, vocabulary, collect, {}, {})
        lower_written(work, dict(written))
        changed = changed | {d.name for d in self.program.defines if table in tables_of([d.expr])}
        touched = {d.name for d in self.program.defines if d.name in changed or changed & set(d.facts)}
        facts = {name: spec for name, spec in vocabulary.facts.items() if name not in work.defines}
        conflicts = self.program.conflicts
        if any(touched & set(c.facts) or table in tables_of([c.expr]) for c in conflicts):
            conflicts = lower_conflicts(work)
        clauses = []
        rules = []
        for clause in self.program.clauses:
            if not any(touched & set(s.facts) or table in tables_of(nodes_of(s)) for s in clause.statements):
                clauses.append(clause)
                continue
            trees = self.written.statements[clause.rule]
            new = tuple(lower_statement(work, clause.rule, n, tree) for n, tree in enumerate(trees, 1))
            clauses.append(replace(clause, statements=new))
            rules.append(clause.rule)
        tables = {name: found.cells for name, found in vocabulary.tables.items()}
        defines = tuple(work.defines.values())
        program = replace(
            self.program,
            facts=facts,
            tables=tables,
            defines=defines,
            conflicts=conflicts,
            clauses=tuple(clauses),
        )
        before = {d.name: (d.scope, d.expr.type) for d in self.program.defines}
        retyped = before != {d.name: (d.scope, d.expr.type) for d in defines}
        return Trial(vocabulary, program, tuple(rules), retyped)

    def _parsed(self, mutant: Mutant, span: Span) -> tuple[object, ...]:
        """The trees of a changed statement or define, read by itself; none when it does not parse so."""
        text = mutant.applied(self.written.text)[span.start : span.end + mutant.grows]
        kind, prefixes = WHOLE[mutant.part], self.vocabulary.prefixes
        return tuple(parse(text, Span(0, len(text)), kind, Collector(), prefixes) or ())

    def _whole(self, mutant: Mutant) -> Trial | Killer:
        """The whole document compiled anew: for what cannot be derived in part."""
        compiled = compile_text(mutant.applied(self.written.text), self.page.path)
        if compiled.errors:
            return _compiler(compiled.errors[0])
        rules = tuple(c.rule for c in compiled.program.clauses if c.statements)
        return Trial(compiled.vocabulary, compiled.program, rules, retyped=True)

    # --- judging -------------------------------------------------------------------------

    def judge(self, trial: Trial) -> Killer | None:
        """The first case or check that tells."""
        for clause in trial.program.clauses:
            if clause.rule not in trial.clauses:
                continue
            cases = self.cases[clause.rule]
            if trial.retyped or clause.scopes != self.clauses[clause.rule].scopes:
                collect = Collector()
                cases = self._cases(trial.vocabulary, trial.program, clause, collect)
                if collect.errors:
                    return _compiler(collect.errors[0])
            for case in cases:
                if judged(trial.program, clause, case) != case.verdict:
                    where = case.rows[0].verdict_span
                    return Killer("case", "K001", f"a case of clause {clause.rule}", where)
        return self._check(trial)

    def _check(self, trial: Trial) -> Killer | None:
        collect = Collector()
        for written in self.checks:
            if self._untouched(written, trial):
                continue
            run_checks([written], self.page, trial.vocabulary, trial.program, collect)
            if collect.errors:
                first = collect.errors[0]
                if first.code[0] != "X":
                    return _compiler(first)
                return Killer("check", first.code, first.message, written.span)
        return None

    def _untouched(self, check: ast.Check, trial: Trial) -> bool:
        """Whether a check cannot tell: one clause differs, and it is none that the check promises of."""
        same = trial.program.tables is self.program.tables and trial.program.defines is self.program.defines
        return same and (check.promise is None or check.promise.rule.value not in trial.clauses)

    def _cases(
        self, vocabulary: Vocabulary, program: ir.Program, clause: ir.Clause, collect: Collector | None = None
    ) -> tuple[Case, ...]:
        return tuple(read_cases(self.page, vocabulary, program, clause, collect or Collector()))


def nodes_of(statement: ir.Statement) -> Iterator[ir.Node]:
    """Every top node of a statement."""
    each = statement.each
    for node in (statement.condition, statement.guard, each.where if each else None):
        if node is not None:
            yield node


def tables_of(nodes: Iterable[ir.Node]) -> set[str]:
    """The tables that some nodes read."""
    every = (n for top in nodes for n in ir.walk(top))
    return {n.table for n in every if isinstance(n, (ir.Cellref, ir.SetOf)) and n.table is not None}


def _compiler(found: Diagnostic) -> Killer:
    return Killer("compiler", found.code, found.message)


def _moved(block: TableBlock, mutant: Mutant) -> TableBlock:
    """A table's places after an edit of one of its cells."""
    edit = mutant.span

    def moved(span: Span) -> Span:
        if span.end < edit.start:
            return span
        start = span.start + mutant.grows if span.start > edit.end else span.start
        return Span(start, span.end + mutant.grows)

    return replace(block, rows=tuple(tuple(moved(cell) for cell in row) for row in block.rows))
