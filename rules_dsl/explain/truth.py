"""A statement's truth table: rows that are few, part no case in two and leave none out.

The table is a decision tree over the statement's columns. What is true of the statement whatever a
column says has no value there; rows that say the same are one. Every row is judged by the interpreter.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import prod

from engine.runtime.values import Value
from rules_dsl import ir
from rules_dsl.evaluate.interpreter import Interpreter
from rules_dsl.explain.columns import CONNECTIVES, TruthColumn, columns_of, question, subject
from rules_dsl.verify.words import verdict_word

MOST = 20_000
"""Combinations that are judged for one table."""
ELSE = "anything else"
RESULTS = {"not applicable": "n/a"}

Answers = tuple[int, ...]
"""One answer of each column, by number."""


@dataclass(frozen=True, slots=True)
class TruthRow:
    """The answers that are one row (None: any) and the verdict they give."""

    answers: tuple[frozenset[int] | None, ...]
    verdict: str

    def holds(self, given: Answers) -> bool:
        """Whether these answers are this row's."""
        return all(mine is None or one in mine for mine, one in zip(self.answers, given, strict=True))


@dataclass(frozen=True, slots=True)
class TruthTable:
    """The columns and rows of one statement; no rows where there would be too many to judge."""

    columns: tuple[TruthColumn, ...]
    rows: tuple[TruthRow, ...]

    def cells(self) -> Iterator[tuple[str, ...]]:
        """The rows in words; a value that does not matter is `-`, and what is not decided is one row."""
        doubtful = [row for row in self.rows if row.verdict == "undetermined"]
        decided = [row for row in self.rows if row.verdict != "undetermined"]
        for row in decided if len(doubtful) > 1 else self.rows:
            words = [
                "-" if mine is None else _together(column, mine)
                for column, mine in zip(self.columns, row.answers, strict=True)
            ]
            yield (*words, row.verdict)
        if len(doubtful) > 1:
            yield (ELSE, *("" for _ in self.columns[1:]), "undetermined")


def _together(column: TruthColumn, numbers: frozenset[int]) -> str:
    return ", ".join(column.answers[n].label for n in sorted(numbers))


def truth_table(program: ir.Program, text: str, statement: ir.Statement) -> TruthTable:
    """The truth table of one statement."""
    columns = columns_of(program, text, _conditions(statement))
    shapes = tuple(len(c.answers) for c in columns)
    if prod(shapes) > MOST:
        return TruthTable(columns, ())
    judge = _judge(program, statement, columns)
    verdicts = [judge(answers) for answers in itertools.product(*map(range, shapes))]
    return TruthTable(columns, tuple(_doubts_last(_rows(shapes, verdicts))))


def _conditions(statement: ir.Statement) -> list[ir.Node]:
    """What decides a statement, in the order in which it is asked.

    Which of a list's elements are neighbours is not asked of the two that are.
    """
    each = statement.each
    where = each.where if each is not None and len(each.names) == 1 else None
    return [n for n in (where, statement.guard, statement.condition) if n is not None]


def _judge(
    program: ir.Program, statement: ir.Statement, columns: Sequence[TruthColumn]
) -> Callable[[Answers], str]:
    """The verdict of the statement, its questions answered as the columns say."""
    *guards, condition = (_asked(n, columns) for n in _conditions(statement))
    guard = guards[0] if len(guards) == 1 else ir.Op(condition.span, condition.type, "and", tuple(guards))
    bare = replace(statement, each=None, guard=guard if guards else None, condition=condition)

    def verdict(answers: Answers) -> str:
        facts: dict[str, Value] = {
            column.label: column.answers[number].value
            for column, number in zip(columns, answers, strict=True)
        }
        (result,) = Interpreter(program, facts).statement(bare)
        if result == "violation":
            return verdict_word(program, statement)
        return RESULTS.get(result, result)

    return verdict


def _asked(node: ir.Node, columns: Sequence[TruthColumn]) -> ir.Node:
    """The condition, each fact and each condition that is a column read by the column's label."""
    if isinstance(node, ir.Op) and node.op in CONNECTIVES:
        return replace(node, operands=tuple(_asked(o, columns) for o in node.operands))
    ref = subject(node)
    if ref is not None:
        return _free(node, ref)
    asked, opposite = question(node)
    column = next(c for c in columns if not isinstance(c.node, ir.Ref) and question(c.node)[0] == asked)
    found: ir.Node = ir.Ref(node.span, ir.Type("bool"), column.label)
    if question(column.node)[1] is not opposite:
        found = ir.Op(node.span, found.type, "not", (found,))
    return found


def _free(node: ir.Node, ref: ir.Ref) -> ir.Node:
    """The question with its fact as one of the subject, whatever element it was of."""
    free = replace(ref, bound=None)
    match node:
        case ir.Ref():
            return free
        case ir.Is():
            return replace(node, operand=free)
        case ir.Op():
            return replace(node, operands=tuple(free if o is ref else o for o in node.operands))
    raise TypeError(f"{node} asks nothing of a fact")


# --- rows ------------------------------------------------------------------------------


def _rows(shapes: Sequence[int], verdicts: Sequence[str]) -> tuple[TruthRow, ...]:
    """The rows of all combinations, split again and again by the column that leaves the fewest.

    `verdicts` are in the order of counting, the last column fastest. What is left below a split is a
    shorter sequence of the same kind, so that equal remainders are looked at once.
    """
    unasked: tuple[frozenset[int] | None, ...] = (None,) * len(shapes)

    @cache
    def rows(left: tuple[int, ...], found: tuple[str, ...]) -> tuple[TruthRow, ...]:
        if len(set(found)) == 1:
            return (TruthRow(unasked, found[0]),)
        every = (below(left, found, column) for column in _worth(left, shapes, found))
        return min(every, key=len)

    def below(left: tuple[int, ...], found: tuple[str, ...], column: int) -> tuple[TruthRow, ...]:
        """The rows below one column; answers that lead to the same rows stay together."""
        rest = tuple(c for c in left if c != column)
        together: dict[tuple[TruthRow, ...], list[int]] = {}
        for answer, part in enumerate(_parts(left, shapes, found, column)):
            together.setdefault(rows(rest, part), []).append(answer)
        return tuple(
            TruthRow((*r.answers[:column], frozenset(numbers), *r.answers[column + 1 :]), r.verdict)
            for same, numbers in together.items()
            for r in same
        )

    return rows(tuple(range(len(shapes))), tuple(verdicts))


def _parts(
    left: Sequence[int], shapes: Sequence[int], found: Sequence[str], column: int
) -> list[tuple[str, ...]]:
    """The verdicts that are left for each answer of one column."""
    inner = prod(shapes[c] for c in left[left.index(column) + 1 :])
    count = shapes[column]
    parts: list[list[str]] = [[] for _ in range(count)]
    for number, at in enumerate(range(0, len(found), inner)):
        parts[number % count] += found[at : at + inner]
    return [tuple(part) for part in parts]


EXACT = 4
"""Columns up to which every order of asking is tried; beyond, the one that tells most is asked first."""


def _worth(left: Sequence[int], shapes: Sequence[int], found: Sequence[str]) -> list[int]:
    """The columns worth splitting by: those that tell anything."""
    parts = {column: _parts(left, shapes, found, column) for column in left}
    able = [column for column in left if len(set(parts[column])) > 1]
    return able if len(able) <= EXACT else [min(able, key=lambda c: (_doubt(parts[c]), c))]


def _doubt(parts: Sequence[Sequence[str]]) -> int:
    """How mixed the verdicts still are once a column is known: all but the commonest of each part."""
    return sum(len(part) - max(Counter(part).values()) for part in parts)


def _doubts_last(rows: Sequence[TruthRow]) -> list[TruthRow]:
    """What is decided first, then what is not known; each in the order of asking."""
    return sorted(rows, key=lambda r: r.verdict == "undetermined")
