"""Holds the evaluators of one program against each other, a cell at a time.

The interpreter is the oracle. A rule set is what a generated module holds; it must give the same
results, statement by statement, for every facts it is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from math import prod
from random import Random

from engine.runtime.judge import judge_statement
from engine.runtime.ruleset import RuleSet
from engine.runtime.subject import Subject
from engine.runtime.values import Facts, Listing, Unknown, Value
from rules_dsl import ir
from rules_dsl.compile import compile_file
from rules_dsl.evaluate.abstract_cells import START, axes, cell, statement_nodes
from rules_dsl.evaluate.interpreter import Interpreter
from tests.command import ROOT

RULES = ROOT / "Rules.md"
PROGRAM = compile_file(RULES).program
STATEMENTS = [s for c in PROGRAM.clauses for s in c.statements]


@dataclass(frozen=True)
class Difference:
    """Where two evaluators part."""

    what: str
    facts: Facts
    oracle: object
    given: object


def derived(ruleset: RuleSet, scope: str, facts: Facts) -> Facts:
    """A subject's facts with those that follow, elements of runs included."""
    if scope == "workload":
        facts = {n: _elements(ruleset, n, v) for n, v in facts.items()}
    return ruleset.subject(scope, facts)


def _elements(ruleset: RuleSet, name: str, value: Value) -> Value:
    spec = next((f for f in ruleset.facts if f.name == name), None)
    if not isinstance(value, Listing) or spec is None or spec.fields:
        return value
    return Listing(tuple(derived(ruleset, "leaf", item) for item in value.items), value.more)


def four_valued(ruleset: RuleSet) -> RuleSet:
    """The same rule set with the known paths closed: to its predicates no fact is ever known."""
    return ruleset._replace(subjects={scope: _closed(kind) for scope, kind in ruleset.subjects.items()})


def _closed(kind: type[Subject]) -> type[Subject]:
    facts = frozenset(kind.__slots__)

    def attribute(self: Subject, name: str) -> object:
        return None if name in facts else object.__getattribute__(self, name)

    elements = {name: _closed(element) for name, element in kind.ELEMENTS.items()}
    return type(
        kind.__name__, (kind,), {"__slots__": (), "__getattribute__": attribute, "ELEMENTS": elements}
    )


def results(ruleset: RuleSet, rule: str, scope: str, facts: Facts) -> Mapping[int, list[str]]:
    """What a rule set's clause gives of one subject: statement number -> results."""
    clause = next(c for c in ruleset.clauses if c.rule == rule)
    found: dict[int, list[str]] = {}
    subject = derived(ruleset, scope, facts)
    for statement in clause.statements:
        if statement.scope == scope:
            found[statement.number] = [o.result for o in judge_statement(statement, subject)]
    return found


def statement_differences(
    ruleset: RuleSet, statement: ir.Statement, cells: Iterable[Facts], program: ir.Program = PROGRAM
) -> Iterator[Difference]:
    """The cells on which a rule set and the interpreter differ about one statement."""
    for facts in cells:
        oracle = Interpreter(program, facts).statement(statement)
        given = results(ruleset, statement.rule, statement.scope, facts)[statement.number]
        if oracle != given:
            yield Difference(f"{statement.rule} #{statement.number}", facts, oracle, given)


def define_differences(
    ruleset: RuleSet, define: ir.Define, cells: Iterable[Facts], program: ir.Program = PROGRAM
) -> Iterator[Difference]:
    """The cells on which a rule set and the interpreter derive another value."""
    for facts in cells:
        oracle = Interpreter(program, facts).value(define.expr, {})
        given = derived(ruleset, define.scope, facts)[define.name]
        if oracle != given:
            yield Difference(define.name, facts, oracle, given)


def known(value: object) -> bool:
    """Whether nothing in a value is unknown."""
    if isinstance(value, Listing):
        return value.more is None and all(known(v) for item in value.items for v in item.values())
    return not isinstance(value, Unknown)


def sample(axes: Mapping[str, Sequence[Value]], most: int) -> Iterator[Facts]:
    """Up to `most` of the cells in which everything is known, and as many of all, evenly taken."""
    whole = {name: [v for v in some if known(v)] for name, some in axes.items()}
    for taken in (whole, axes):
        total = prod(map(len, taken.values()))
        for index in range(0, total, _step(total, most)):
            yield cell(_chosen(taken, index))


def _chosen(axes: Mapping[str, Sequence[Value]], index: int) -> Iterator[tuple[str, Value]]:
    """The values of the cell with a number, the last input counting fastest."""
    for name, some in reversed(list(axes.items())):
        index, at = divmod(index, len(some))
        yield name, some[at]


def _step(total: int, most: int) -> int:
    """A step that shares no factor with the sizes of the inputs, so that every value is met."""
    step = max(1, total // most)
    while step > 1 and any(step % p == 0 for p in (2, 3, 5, 7)):
        step += 1
    return step


def statement_sample(statement: ir.Statement, most: int) -> Iterator[Facts]:
    """A sample of a statement's cells."""
    return sample(axes(PROGRAM, statement_nodes(statement), statement.each), most)


def small_facts(statement: ir.Statement, count: int) -> Iterator[Facts]:
    """Known facts of small numbers and near times, drawn by chance: both sides of a comparison meet often.

    The cells are of the constants that a statement names; two facts that it compares seldom meet there.
    """
    chance = Random(statement.line)
    tried = axes(PROGRAM, statement_nodes(statement), statement.each)
    whole = {name: [value for value in some if known(value)] for name, some in tried.items()}
    for _ in range(count):
        yield cell((name, _small(chance.choice(some), chance)) for name, some in whole.items())


def _small(value: Value, chance: Random) -> Value:
    match value:
        case bool():
            return value
        case int() | Fraction():
            return chance.randrange(7)
        case datetime():
            return START + timedelta(seconds=chance.randrange(7))
        case Listing():
            items = ({name: _small(v, chance) for name, v in item.items()} for item in value.items)
            return Listing(tuple(items), value.more)
    return value
