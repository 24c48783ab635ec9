"""`check` fences: what must hold between the document's tables and its clauses, for every key.

A promise speaks of the runs that a clause lets through or breaks. It is decided on the clause's
abstract cells, so that one wrong word of the clause and one wrong cell of the table both show:
each is then against the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from engine.runtime.values import Facts, Unknown, Value, show
from rules_dsl import ir
from rules_dsl.diagnostics import Collector, suggest
from rules_dsl.evaluate.abstract_cells import constants, inputs, statement_nodes, values
from rules_dsl.evaluate.interpreter import Interpreter
from rules_dsl.semantics.resolve import Stop
from rules_dsl.semantics.typecheck import Checker
from rules_dsl.source.document import Page
from rules_dsl.syntax import ast
from rules_dsl.syntax.parse import parse
from rules_dsl.verify.substitute import Binder, Rows, read_cell
from rules_dsl.vocabulary.facts import Vocabulary

MOST = 400_000
"""Cells that one promise may take; a clause that needs more is promised of in parts."""
VERBS = {"pass": "passes", "break": "breaks"}
COMPARED = {"==", "!=", "<", "<=", ">", ">="}


@dataclass(frozen=True, slots=True)
class Kept:
    """Whether a promise is kept, and the run that shows it (or shows the contrary)."""

    kept: bool
    run: Facts | None


def check_tables(page: Page, vocabulary: Vocabulary, program: ir.Program, collect: Collector) -> int:
    """Run every check of the document, once a key; returns how many. What does not hold is an error."""
    return run_checks(read_checks(page, collect), page, vocabulary, program, collect)


def read_checks(page: Page, collect: Collector) -> list[ast.Check]:
    """Every check of the document, in order."""
    fences = [fence for fence in page.fences if fence.kind == "check"]
    return [w for f in fences for w in parse(page.text, f.body, "checks", collect) or ()]


def run_checks(
    checks: Iterable[ast.Check],
    page: Page,
    vocabulary: Vocabulary,
    program: ir.Program,
    collect: Collector,
) -> int:
    """Run some checks, once a key; returns how often. What does not hold is an error."""
    work = _Work(page, vocabulary, program, collect)
    return sum(work.check(written) for written in checks)


@dataclass(frozen=True, slots=True)
class _Work:
    """The checks of one document."""

    page: Page
    vocabulary: Vocabulary
    program: ir.Program
    collect: Collector

    def checker(self) -> Checker:
        types = {d.name: (d.scope, d.expr.type) for d in self.program.defines}
        return Checker(self.vocabulary, types, self.collect)

    def binder(self) -> Binder:
        return Binder(self.program, self.checker())

    def check(self, written: ast.Check) -> int:
        """One check, over every key of its table or once."""
        over = written.over
        if over is None:
            return self._once(written, None)
        table = self.vocabulary.tables.get(over.table)
        if table is None:
            names = suggest(over.table, self.vocabulary.tables)
            self.collect.error("X001", f"no table is called `{over.table}`", over.mark, help=names)
            return 0
        for name in written.excepted:
            if name.value not in table.cells:
                message = f"table {over.table} has no key {name.value}"
                self.collect.error("X001", message, name.span, help=suggest(name.value, table.cells))
        told = len(self.collect.errors)
        ran = 0
        for key in table.cells:
            ran += self._once(written, key)
            if len(self.collect.errors) > told and self.collect.errors[-1].code[0] != "X":
                break  # it does not compile, which is told once
        return ran

    def _once(self, written: ast.Check, key: str | None) -> int:
        over, binder = written.over, self.binder()
        rows: Rows = {} if over is None or key is None else {over.name: (over.table, key)}
        try:
            where = None if over is None else over.where
            if where is not None and not binder.known(binder.bind(where, rows), where.span, key):
                return 0
            self._judge(written, key, binder, rows)
        except Stop:
            return 0
        return 1

    def _judge(self, written: ast.Check, key: str | None, binder: Binder, rows: Rows) -> None:
        """Tell when the check does not hold for a key, or holds although it is excepted."""
        condition = None if written.condition is None else binder.bind(written.condition, rows)
        given = None if written.promise is None else binder.bind(written.promise, rows)
        told = None
        if condition is not None and written.condition is not None:
            told = binder.known(condition, written.condition.span, key)
        promise = None if given is None else self._promise(given)
        holds = told is True if promise is None else promise.kept if told is None else promise.kept is told
        excepted = next((n for n in written.excepted if n.value == key), None)
        if excepted is None and not holds:
            self._broken(written, key, condition, promise)
        elif excepted is not None and holds:
            message = f"this holds for {key}; it is no exception any more"
            self.collect.error("X005", message, excepted.span)

    def _broken(
        self, written: ast.Check, key: str | None, condition: ast.Expr | None, promise: Kept | None
    ) -> None:
        """Tell that a check does not hold: its table cell, and the clause with a run or the two values."""
        text, of = self.page.text, "" if key is None else f" for {key}"
        where = read_cell(condition, self.checker()) or written.span
        if promise is None or written.promise is None:
            second = None if where is written.span else (written.span, "the check")
            self.collect.error(
                "X003", f"this does not hold{of}", where, help=self._sides(condition), second=second
            )
            return
        rule = written.promise.rule.value
        clause = next(c for c in self.program.clauses if c.rule == rule)
        message = f"table and clause part{of}: "
        if condition is not None:
            message += f"`{_words(text, written.condition)}` is {show(promise.kept is False)}, but "
        message += f"a run as described {_verdict(written.promise, kept=promise.kept)} {rule}"
        run = "" if promise.run is None else _run(promise.run)
        self.collect.error(
            "X004", message, where, help=run, second=(clause.statements[0].span, f"clause {rule}")
        )

    def _sides(self, condition: ast.Expr | None) -> str:
        """The two values that a comparison compares."""
        if not isinstance(condition, ast.Apply) or condition.op not in COMPARED:
            return ""
        left, right = (_shown(*self.binder().value(side)) for side in condition.operands)
        return f"it says {left} {condition.op} {right}"

    # --- promises ----------------------------------------------------------------------

    def _promise(self, promise: ast.Promise) -> Kept:
        """Whether a promise is kept on the clause's cells. Raises Stop."""
        clause = self._clause(promise)
        given = None if promise.given is None else self.checker().condition(promise.given)
        sought = "violation" if promise.outcome == "break" else "pass"
        seen: Facts | None = None
        for facts in self._runs(clause, given, promise):
            if given is not None and Interpreter(self.program, facts).value(given, {}) is not True:
                continue
            if seen is None or self._against(clause, facts) < self._against(clause, seen):
                seen = facts
            results = [r for s in clause.statements for r in Interpreter(self.program, facts).statement(s)]
            found = "violation" in results if sought == "violation" else _passes(results)
            if promise.mode == "always" and not found:
                return Kept(kept=False, run=facts)
            if promise.mode != "always" and found:
                return Kept(kept=promise.mode == "can", run=facts)
        if seen is None:
            self.collect.error("X002", "no run is as described here", promise.span)
            raise Stop
        return Kept(kept=promise.mode != "can", run=seen)

    def _against(self, clause: ir.Clause, facts: Facts) -> int:
        """How many parts of a clause speak against a run: the nearest of several shows most."""
        told = Interpreter(self.program, facts)
        nodes = [n for s in clause.statements for n in ir.walk(s.condition) if n.type.kind == "bool"]
        return sum(told.value(n, {}) is True for n in nodes)

    def _clause(self, promise: ast.Promise) -> ir.Clause:
        rule = promise.rule
        clause = next((c for c in self.program.clauses if c.rule == rule.value), None)
        if clause is None or not clause.statements:
            names = [c.rule for c in self.program.clauses if c.statements]
            message = f"no decidable clause is called {rule.value}"
            self.collect.error("X001", message, rule.span, help=suggest(rule.value, names))
            raise Stop
        return clause

    def _runs(self, clause: ir.Clause, given: ir.Node | None, promise: ast.Promise) -> Iterator[Facts]:
        """Every known cell of what the clause and the description read."""
        nodes = [n for s in clause.statements for n in statement_nodes(s)]
        if given is not None:
            nodes.append(given)
        free = inputs(nodes).free
        defines = {d.name: d for d in self.program.defines}
        # what follows from other inputs is left to follow
        follows = [
            d for n, d in defines.items() if n in free and all(f in free or f in defines for f in d.facts)
        ]
        kept = {n: kind for n, kind in free.items() if n not in {d.name for d in follows}}
        if any(kind.kind == "list" for kind in kept.values()):
            message = f"clause {clause.rule} runs over a list; a promise is of clauses of single facts"
            self.collect.error("X002", message, promise.rule.span)
            raise Stop
        numbers, texts = constants(self.program, [*nodes, *(d.expr for d in follows)])
        choices = {
            name: [v for v in values(self.program, name, kind, numbers, texts) if not isinstance(v, Unknown)]
            for name, kind in kept.items()
        }
        if prod(map(len, choices.values())) > MOST:
            self.collect.error("X002", f"too many runs to look at for clause {clause.rule}", promise.span)
            raise Stop
        for chosen in itertools.product(*choices.values()):
            yield dict(zip(choices, chosen, strict=True))


def _passes(results: list[str]) -> bool:
    return "pass" in results and not {"violation", "undetermined"} & set(results)


def _words(text: str, expr: ast.Expr | None) -> str:
    return "" if expr is None else " ".join(text[expr.span.start : expr.span.end].split())


def _run(facts: Facts) -> str:
    return "such a run: " + ", ".join(f"{name} {show(value)}" for name, value in sorted(facts.items()))


def _shown(value: Value, kind: ir.Type) -> str:
    """A value with its unit; a size with four digits, since two that differ must look different."""
    shown = f"{float(value):.4f}" if isinstance(value, Fraction) and value.denominator > 1 else show(value)
    return shown if kind.unit is None else f"{shown} {kind.unit}"


def _verdict(promise: ast.Promise, *, kept: bool) -> str:
    """What is so: `can pass`, `cannot pass`, `always breaks`, `does not always break`."""
    if promise.mode == "always":
        return f"always {VERBS[promise.outcome]}" if kept else f"does not always {promise.outcome}"
    can = (promise.mode == "can") is kept
    return f"{'can' if can else 'cannot'} {promise.outcome}"
