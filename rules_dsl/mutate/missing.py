"""The case that is missing: a row on which a clause and its mutant give different verdicts.

The clause's own cases are changed in one or two places until one tells the readings apart, so that the
row looks like those its author wrote. Every row is read as a row of the document would be.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction

from engine.runtime.values import Facts, Value
from rules_dsl import ir
from rules_dsl.diagnostics import Collector, Span
from rules_dsl.evaluate.abstract_cells import values
from rules_dsl.evaluate.interpreter import Interpreter, in_force
from rules_dsl.ir import Type
from rules_dsl.mutate.grid import Grid
from rules_dsl.mutate.rows import Line, MissingCase, instant_of, word_of
from rules_dsl.mutate.trial import Bench, Trial, nodes_of
from rules_dsl.semantics.typecheck import Checker
from rules_dsl.source.document import Fence
from rules_dsl.verify.cases import Case, judged, read_cases, subjects
from rules_dsl.verify.cell_values import read_cell
from rules_dsl.verify.words import verdict_word

SINGLE = 2_500
"""Rows with one change that are tried."""
DOUBLE = 1_500
"""Rows with two changes that are tried then."""


@dataclass(frozen=True, slots=True)
class _Table:
    """Rows under a header: a case of the document, or one made of it."""

    header: tuple[str, ...]
    rows: tuple[Line, ...]
    below: Span | None = None


@dataclass(frozen=True, slots=True)
class _Change:
    """One change of a table: a value in a row (None: in all rows), a column left out, a row more or less."""

    column: str
    value: str = ""
    row: int | None = None
    kind: str = "set"


def missing_case(bench: Bench, trial: Trial) -> MissingCase | None:
    """A case of any clause that the mutant changes; None when none was found."""
    for rule in trial.clauses:
        found = _CaseSearch(bench, trial, rule).found()
        if found is not None:
            return found
    return None


class _CaseSearch:
    """Looks for the missing case of one clause."""

    def __init__(self, bench: Bench, trial: Trial, rule: str) -> None:
        self._bench, self._trial, self._rule = bench, trial, rule
        self._old = bench.clauses[rule]
        self._new = next(c for c in trial.program.clauses if c.rule == rule)
        types = {d.name: (d.scope, d.expr.type) for d in bench.program.defines}
        self._checker = Checker(bench.vocabulary, types, Collector())
        self._several = "workload" in {*self._old.scopes, *self._new.scopes}
        readings = [(bench.program, self._old), (trial.program, self._new)]
        read = {f for _, clause in readings for s in clause.statements for f in s.facts}
        derived = {
            d
            for program, _ in readings
            for d in program.defines
            if d.name in read or d in trial.program.defines
        }
        self._grid = Grid.of(
            (
                program,
                [
                    *(n for s in clause.statements for n in nodes_of(s)),
                    *(
                        d.expr
                        for d in program.defines
                        if d.name in {x.name for x in derived} and d.name in read
                    ),
                ],
            )
            for program, clause in readings
        )
        self._columns = dict(self._named(sorted(read)))
        self._read_words: dict[tuple[str, str], Value | None] = {}
        both = list(zip(self._old.statements, self._new.statements, strict=True))
        self._changing = [(a, b) for a, b in both if a is not b] or both

    def found(self) -> MissingCase | None:
        """The first row that tells, nearest to what the author wrote."""
        lots = random.Random(0)  # noqa: S311  the same rows on every run, nothing secret
        ranked: list[list[tuple[_Table, _Change]]] = [[], [], []]
        for table in self._tables():
            for change in self._changes(table):
                inside = change.kind != "drop" and (not change.column or change.column in table.header)
                ranked[0 if change.column == "edition" else 1 if inside else 2].append((table, change))
        for some in ranked:
            lots.shuffle(some)
        ranked[1].sort(key=lambda pair: len(pair[0].rows))
        every = [pair for some in ranked for pair in some]
        for table, change in every[:SINGLE]:
            if (told := self._tells(self._changed(table, change))) is not None:
                return told
        of_table: dict[int, list[_Change]] = {}
        for table, change in every:
            of_table.setdefault(id(table), []).append(change)
        for _ in range(DOUBLE if every else 0):
            table, change = lots.choice(every)
            first, second = self._changed(table, change), lots.choice(of_table[id(table)])
            if second.row is not None and second.row >= len(first.rows):
                continue
            if (told := self._tells(self._changed(first, second))) is not None:
                return told
        return None

    # --- what is tried -------------------------------------------------------------------

    def _tables(self) -> Iterator[_Table]:
        """The cases of the clause, each as a table of its own, and one without any value."""
        seen = set()
        for case in self._bench.cases[self._rule]:
            fence = next(
                f
                for f in self._bench.page.of(self._rule, "cases")
                if f.body.start <= case.span.start < f.body.end
            )
            rows = tuple({n: raw for n, (raw, _) in row.cells.items()} for row in case.rows)
            table = _Table(tuple(case.rows[0].cells), rows, fence.body)
            mark = str([{n: v for n, v in row.items() if n not in {"case", "verdict"}} for row in rows])
            if mark not in seen:
                seen.add(mark)
                yield table
        if not seen:
            yield _Table((*self._columns, "verdict"), (dict.fromkeys(self._columns, "?"),))

    def _changes(self, table: _Table) -> Iterator[_Change]:
        for column, kind in self._columns.items():
            if column in table.header:
                yield _Change(column, kind="drop")
            words = self._words(column, kind, table)
            rows = [None] if self._shared(column) else list(range(len(table.rows)))
            for row, word in itertools.product(rows, words):
                if word != table.rows[row or 0].get(column):
                    yield _Change(column, word, row)
        if len(self._bench.program.editions) > 1:
            yield from (_Change("edition", e) for e in self._bench.program.editions)
        if "case" in table.header or self._several:
            yield from (
                _Change("", row=row, kind="less") for row in range(len(table.rows)) if len(table.rows) > 1
            )
            yield _Change("", row=len(table.rows) - 1, kind="more")

    def _words(self, column: str, kind: Type, table: _Table) -> list[str]:
        """What a column is tried with, as it is written."""
        if kind.kind == "time":
            found: list[Value] = [*self._times(table)]
        else:
            name = column.rpartition(".")[2]
            found = values(self._bench.program, name, kind, self._grid.numbers, self._grid.texts)
        words = ["?", *(w for v in found if (w := word_of(v)) is not None)]
        return [*words, "-"] if "." in column else words

    def _times(self, table: _Table) -> Iterator[datetime]:
        """The instants of a case, each with the time spans that decide before and after it."""
        said = [c for row in table.rows for n, c in row.items() if self._kind(n) == "time"]
        instants = {t for c in said if (t := instant_of(c)) is not None} or {datetime(2000, 1, 1, 12)}
        gaps = {Fraction(0), *self._grid.numbers.get("s", ())}
        moments = {
            at + sign * timedelta(microseconds=int(gap * 1_000_000))
            for at in instants
            for gap in gaps
            for sign in (-1, 1)
        }
        yield from sorted(m for m in moments if m.day == 1 and m.year == 2000)

    def _kind(self, column: str) -> str:
        kind = self._columns.get(column)
        return kind.kind if kind is not None else ""

    def _named(self, facts: list[str]) -> Iterator[tuple[str, Type]]:
        """The columns of what is read: facts, and the fields of lists."""
        for name in facts:
            spec = self._bench.vocabulary.facts.get(name)
            if spec is not None and spec.type == "list":
                kinds = self._checker.element_types(name) if spec.fields else {}
                yield from ((f"{name}.{field}", kind) for field, kind in kinds.items())
            elif (kind := self._checker.fact_type(name)) is not None:
                yield name, kind

    def _shared(self, column: str) -> bool:
        """Whether all rows of a case say the same of it."""
        if "." in column or not column:
            return False
        return not (self._several and column in self._columns and self._scope(column) == "leaf")

    def _scope(self, column: str) -> str:
        scopes = {d.name: d.scope for d in self._bench.program.defines}
        return scopes.get(column) or self._bench.vocabulary.facts[column].scope

    def _changed(self, table: _Table, change: _Change) -> _Table:
        """The table with one change."""
        header, rows, below = table.header, list(table.rows), table.below
        if change.kind == "less" and change.row is not None:
            del rows[change.row]
        elif change.kind == "more" and change.row is not None:
            rows.append(rows[change.row])
        elif change.kind == "drop":
            header = tuple(n for n in header if n != change.column)
            rows = [{n: v for n, v in row.items() if n != change.column} for row in rows]
        else:
            if change.column not in header:
                header = (*header[:-1], change.column, header[-1])
            for at, row in enumerate(rows):
                if change.row in {None, at}:
                    said = change.value if not (self._shared(change.column) and at) else ""
                    rows[at] = {**row, change.column: said}
        if len(rows) > 1 and "case" not in header:
            header = ("case", *header)
        return _Table(header, tuple(rows), below if header == table.header else None)

    # --- whether it tells ----------------------------------------------------------------

    def _tells(self, table: _Table) -> MissingCase | None:
        """The rows with the original's verdict, when the mutant's is another."""
        if not self._may_tell(table):
            return None
        made = MissingCase(self._rule, table.header, self._titled(table), None)
        case = self._read(made, self._bench.program, self._old)
        if case is None:
            return None
        other = case if not self._trial.retyped else self._read(made, self._trial.program, self._new)
        given = judged(self._bench.program, self._old, case)
        if other is None or judged(self._trial.program, self._new, other) == given or "deferred" in given:
            return None
        first = {**made.rows[0], "verdict": ", ".join(sorted(given))}
        return replace(made, rows=(first, *made.rows[1:]), below=table.below)

    def _may_tell(self, table: _Table) -> bool:
        """Whether a statement that changed gives something else; asked before the rows are read in full."""
        rows = [{c: v for c, w in row.items() if (v := self._value(c, w)) is not None} for row in table.rows]
        blank = self._bench.blank
        case = Case(self._rule, tuple(replace(blank, values=row) for row in rows), frozenset(), blank.span)
        edition = table.rows[0].get("edition") or None
        before = subjects(self._bench.program, self._old, case)
        after = subjects(self._trial.program, self._new, case)
        return any(
            _results(self._bench.program, a, old, edition) != _results(self._trial.program, b, new, edition)
            for old, new in self._changing
            for a, b in zip(before, after, strict=True)
        )

    def _value(self, column: str, word: str) -> Value | None:
        """What a word of a column stands for; None for no column of a fact, and for no word of it."""
        kind = self._columns.get(column)
        if kind is None:
            return None
        if (column, word) not in self._read_words:
            value = read_cell(word, kind, column, self._checker, Span(0, 1), Collector())
            self._read_words[column, word] = value
        return self._read_words[column, word]

    def _titled(self, table: _Table) -> tuple[Line, ...]:
        """The rows under a name that no case of the clause has yet; the first has a verdict."""
        taken = {row.case for case in self._bench.cases[self._rule] for row in case.rows}
        title = next(t for n in itertools.count(1) if (t := f"missing{n if n > 1 else ''}") not in taken)
        return tuple(
            {**row, "verdict": "" if at else "pass", **({"case": title} if "case" in table.header else {})}
            for at, row in enumerate(table.rows)
        )

    def _read(self, made: MissingCase, program: ir.Program, clause: ir.Clause) -> Case | None:
        """The rows read as a table of the document; None when they are no sound case."""
        text = made.text() + "\n"
        fence = Fence("cases", Span(0, 1), Span(0, len(text)), self._rule, None)
        page = replace(self._bench.page, text=text, fences=(fence,))
        collect = Collector()
        vocabulary = self._bench.vocabulary if program is self._bench.program else self._trial.vocabulary
        cases = list(read_cases(page, vocabulary, program, clause, collect))
        return cases[0] if len(cases) == 1 and not collect.errors else None


def _results(
    program: ir.Program, facts: Mapping[str, Facts], statement: ir.Statement, edition: str | None
) -> object:
    """What a statement gives of one subject, as far as a verdict tells."""
    if statement.scope not in facts or not in_force(program, statement, edition):
        return None
    word = verdict_word(program, statement)
    results = Interpreter(program, facts[statement.scope]).statement(statement)
    return {word if r == "violation" else r for r in results} - {"not applicable"} or None
