"""`check` fences: what must hold between the document's tables and its clauses, for every key.

A promise speaks of the runs that a clause lets through or breaks. It is decided on the clause's
abstract cells, so that one wrong word of the clause and one wrong cell of the table both show:
each is then against the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from math import prod
from typing import TypeVar, cast

from engine.values import Facts, Unknown, Value, show
from rules_dsl import ast, ir
from rules_dsl.cells import constants, inputs, statement_nodes, values
from rules_dsl.check import Checker
from rules_dsl.diagnostics import Collector, Span, suggest
from rules_dsl.interpret import Interpreter
from rules_dsl.parse import parse
from rules_dsl.resolve import Stop
from rules_dsl.source import Document
from rules_dsl.vocabulary import Vocabulary

MOST = 400_000
"""Cells that one promise may take; a clause that needs more is promised of in parts."""
VERBS = {"pass": "passes", "break": "breaks"}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kept:
    """Whether a promise is kept, and the run that shows it (or shows the contrary)."""

    kept: bool
    run: Facts | None


def check_tables(page: Document, vocabulary: Vocabulary, program: ir.Program, collect: Collector) -> int:
    """Run every check of the document, once a key; returns how many. What does not hold is an error."""
    return run_checks(read_checks(page, collect), page, vocabulary, program, collect)


def read_checks(page: Document, collect: Collector) -> list[ast.Check]:
    """Every check of the document, in order."""
    fences = [fence for fence in page.fences if fence.kind == "check"]
    return [w for f in fences for w in parse(page.text, f.body, "checks", collect) or ()]


def run_checks(
    checks: Iterable[ast.Check],
    page: Document,
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

    page: Document
    vocabulary: Vocabulary
    program: ir.Program
    collect: Collector

    def checker(self) -> Checker:
        types = {d.name: (d.scope, d.expr.type) for d in self.program.defines}
        return Checker(self.vocabulary, types, self.collect)

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
        try:
            where = None if written.over is None else written.over.where
            if where is not None and self._truth(self._bound(where, written.over, key)) is not True:
                return 0
            self._judge(written, key)
        except Stop:
            return 0
        return 1

    def _bound(self, expr: T, over: ast.Over | None, key: str | None) -> T:
        """The expression with the loop's name standing for one key of its table."""
        return expr if over is None or key is None else cast(T, _substituted(expr, over, key))

    def _truth(self, expr: ast.Expr) -> Value:
        """The value of a condition that rests on tables alone. Raises Stop when it does not compile."""
        return Interpreter(self.program, {}).value(self.checker().condition(expr), {})

    def _judge(self, written: ast.Check, key: str | None) -> None:
        """Tell when the check does not hold for a key, or holds although it is excepted."""
        condition: bool | None = None
        promise: Kept | None = None
        where = written.span
        if written.condition is not None:
            expr = self._bound(written.condition, written.over, key)
            told = self._truth(expr)
            if not isinstance(told, bool):
                message = f"this cannot be told{_of(key)}: it reads what no table says"
                self.collect.error("X002", message, written.condition.span)
                raise Stop
            condition = told
            where = self._cell(expr) or where
        if written.promise is not None:
            promise = self._promise(self._bound(written.promise, written.over, key))
        holds = self._holds(condition, promise)
        excepted = next((n for n in written.excepted if n.value == key), None)
        if excepted is not None:
            if holds:
                self.collect.error(
                    "X005", f"this holds for {key}; it is no exception any more", excepted.span
                )
            return
        if not holds:
            self._broken(written, key, condition, promise, where)

    def _holds(self, condition: bool | None, promise: Kept | None) -> bool:
        if promise is None:
            return condition is True
        return promise.kept if condition is None else promise.kept is condition

    def _broken(
        self, written: ast.Check, key: str | None, condition: bool | None, promise: Kept | None, where: Span
    ) -> None:
        text = self.page.text
        if promise is None or written.promise is None:
            said = " ".join(text[written.span.start : written.span.end].split())
            self.collect.error("X003", f"this does not hold{_of(key)}", where, help=f"the check: {said}")
            return
        rule = written.promise.rule.value
        clause = next(c for c in self.program.clauses if c.rule == rule)
        message = f"table and clause part{_of(key)}: "
        if condition is not None:
            message += f"`{_words(text, written.condition)}` is {show(condition)}, but "
        message += f"a run as described {_verdict(written.promise, kept=promise.kept)} {rule}"
        run = (
            ""
            if promise.run is None
            else "such a run: "
            + ", ".join(f"{name} {show(value)}" for name, value in sorted(promise.run.items()))
        )
        second = (clause.statements[0].span, f"clause {rule}")
        self.collect.error("X004", message, where, help=run, second=second)

    def _cell(self, expr: object) -> Span | None:
        """Where the first table cell stands that an expression reads by a literal key."""
        if isinstance(expr, ast.Path) and len(expr.steps) == 2:
            first, second = expr.steps
            if (
                isinstance(first, ast.Key)
                and isinstance(first.expr, ast.Text)
                and isinstance(second, ast.Field)
            ):
                table = self.vocabulary.tables.get(expr.name)
                return None if table is None else table.spans.get((first.expr.value, second.name))
        return next((s for part in _parts(expr) if (s := self._cell(part)) is not None), None)

    # --- promises ----------------------------------------------------------------------

    def _promise(self, promise: ast.Promise) -> Kept:
        """Whether a promise is kept on the clause's cells. Raises Stop."""
        clause = self._clause(promise)
        given = None if promise.given is None else self.checker().condition(promise.given)
        sought = "violation" if promise.outcome == "break" else "pass"
        seen = False
        for facts in self._runs(clause, given, promise):
            if given is not None and Interpreter(self.program, facts).value(given, {}) is not True:
                continue
            seen = True
            results = [r for s in clause.statements for r in Interpreter(self.program, facts).statement(s)]
            found = "violation" in results if sought == "violation" else _passes(results)
            if promise.mode == "always" and not found:
                return Kept(kept=False, run=facts)
            if promise.mode != "always" and found:
                return Kept(kept=promise.mode == "can", run=facts)
        if not seen:
            self.collect.error("X002", "no run is as described here", promise.span)
            raise Stop
        return Kept(kept=promise.mode != "can", run=None)

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


def _of(key: str | None) -> str:
    return "" if key is None else f" for {key}"


def _words(text: str, expr: ast.Expr | None) -> str:
    return "" if expr is None else " ".join(text[expr.span.start : expr.span.end].split())


def _verdict(promise: ast.Promise, *, kept: bool) -> str:
    """What is so: `can pass`, `cannot pass`, `always breaks`, `does not always break`."""
    if promise.mode == "always":
        return f"always {VERBS[promise.outcome]}" if kept else f"does not always {promise.outcome}"
    can = (promise.mode == "can") is kept
    return f"{'can' if can else 'cannot'} {promise.outcome}"


def _parts(expr: object) -> Iterator[object]:
    """The expressions right below one."""
    if is_dataclass(expr) and not isinstance(expr, type):
        for field in fields(expr):
            value = getattr(expr, field.name)
            if isinstance(value, tuple):
                yield from value
            else:
                yield value


def _substituted(part: object, over: ast.Over, key: str) -> object:
    """The tree with `m.key` as the key itself and `m.column` as that key's cell."""
    if isinstance(part, ast.Path) and part.name == over.name:
        if len(part.steps) == 1 and isinstance(part.steps[0], ast.Field):
            step = part.steps[0]
            here = ast.Text(part.span, key)
            return (
                here
                if step.name == "key"
                else ast.Path(part.span, over.table, (ast.Key(step.span, here), step))
            )
        return part
    if isinstance(part, tuple):
        return tuple(_substituted(item, over, key) for item in part)
    if is_dataclass(part) and not isinstance(part, (type, Span)):
        changed = {f.name: _substituted(getattr(part, f.name), over, key) for f in fields(part)}
        return replace(part, **changed)
    return part
