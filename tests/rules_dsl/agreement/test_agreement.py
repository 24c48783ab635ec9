"""Truth table = interpreter = gate = validator, over every abstract cell of every clause."""

from __future__ import annotations

import ast
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import generated.gate
import generated.validator
from engine.runtime import judge
from engine.runtime.ruleset import RuleSet
from engine.runtime.values import Facts, Kind, Listing, Unknown, Value
from rules_dsl import ir
from rules_dsl.compile import compile_file
from rules_dsl.diagnostics import Collector
from rules_dsl.emit.modules import emit
from rules_dsl.emit.names import predicate
from rules_dsl.evaluate.abstract_cells import axes, define_cells, inputs, statement_cells, statement_nodes
from rules_dsl.evaluate.interpreter import Interpreter
from rules_dsl.verify.cases import judged, read_cases, subjects
from tests.rules_dsl.agreement.agreement import (
    PROGRAM,
    RULES,
    STATEMENTS,
    define_differences,
    derived,
    four_valued,
    results,
    sample,
    small_facts,
    statement_differences,
    statement_sample,
)
from tests.rules_dsl.emit.emitted import load_ruleset

MODULES: Mapping[str, RuleSet] = {"gate": generated.gate.RULESET, "validator": generated.validator.RULESET}
PATHS: Mapping[str, RuleSet] = {
    "known path": generated.validator.RULESET,
    "four-valued path": four_valued(generated.validator.RULESET),
}
"""Both paths of every predicate. The gate has the validator's clauses themselves."""
QUICK = 250
LARGE = 100_000
"""A grid of more cells is drawn from, evenly: walking all of them takes a quarter of an hour each."""
DRAWN = 30_000
ids = [f"{s.rule}#{s.number}" for s in STATEMENTS]


def size(statement: ir.Statement) -> int:
    """How many cells the grid of a statement has."""
    return prod(map(len, axes(PROGRAM, statement_nodes(statement), statement.each).values()))


def judges(role: str, statement: ir.Statement) -> bool:
    return any(c.rule == statement.rule for c in MODULES[role].clauses)


def test_the_gate_judges_by_the_clauses_of_the_validator() -> None:
    clauses = {clause.rule: clause for clause in MODULES["validator"].clauses}
    assert MODULES["gate"].clauses
    assert all(clause is clauses[clause.rule] for clause in MODULES["gate"].clauses)
    assert MODULES["gate"].subjects is MODULES["validator"].subjects


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("statement", STATEMENTS, ids=ids)
def test_a_sample_of_cells_agrees(statement: ir.Statement, path: str) -> None:
    cells = list(statement_sample(statement, QUICK))
    assert next(statement_differences(PATHS[path], statement, cells), None) is None


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("statement", STATEMENTS, ids=ids)
def test_small_numbers_agree(statement: ir.Statement, path: str) -> None:
    assert next(statement_differences(PATHS[path], statement, small_facts(statement, QUICK)), None) is None


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("statement", STATEMENTS, ids=ids)
def test_all_cells_agree(statement: ir.Statement, path: str) -> None:
    cells = statement_cells(PROGRAM, statement)
    if size(statement) > LARGE:
        cells = statement_sample(statement, DRAWN)
    assert next(statement_differences(PATHS[path], statement, cells), None) is None


@pytest.mark.parametrize("define", PROGRAM.defines, ids=lambda d: d.name)
def test_derived_facts_agree_on_all_cells(define: ir.Define) -> None:
    for ruleset in PATHS.values():
        assert next(define_differences(ruleset, define, define_cells(PROGRAM, define)), None) is None


@pytest.mark.parametrize("place", range(len(PROGRAM.conflicts)), ids=[str(c.fact) for c in PROGRAM.conflicts])
def test_what_contradicts_or_cannot_be_agrees_on_all_cells(place: int) -> None:
    conflict = PROGRAM.conflicts[place]
    tried = list(sample(axes(PROGRAM, [conflict.expr]), DRAWN))
    for ruleset in PATHS.values():
        given = ruleset.conflicts[place]
        assert (given.fact, given.bound) == (conflict.fact, conflict.bound)
        for facts in tried:
            oracle = Interpreter(PROGRAM, facts).value(conflict.expr, {})
            assert given.test(derived(ruleset, conflict.scope, facts)) == oracle, facts


def test_the_truth_tables_of_the_document_hold_for_gate_and_validator() -> None:
    compiled = compile_file(RULES)
    ran = 0
    for clause in compiled.program.clauses:
        for case in read_cases(compiled.page, compiled.vocabulary, compiled.program, clause, Collector()):
            assert judged(compiled.program, clause, case) == case.verdict
            for facts in subjects(compiled.program, clause, case):
                for scope, subject in facts.items():
                    for statement in clause.statements:
                        if statement.scope != scope:
                            continue
                        for role, ruleset in MODULES.items():
                            if judges(role, statement):
                                assert (
                                    next(statement_differences(ruleset, statement, [subject]), None) is None
                                )
                                ran += 1
    assert ran > len(PROGRAM.clauses)


# --- beyond the cells ------------------------------------------------------------------


@st.composite
def subject(draw: st.DrawFn, statement: ir.Statement, *, known: bool = False) -> Facts:
    """Any facts that a statement reads: numbers far from the constants too, lists of any length."""
    read = inputs(statement_nodes(statement))
    facts: dict[str, Value] = {}
    for name, kind in read.free.items():
        if kind.kind == "list":
            fields: dict[str, ir.Type] = {}
            for of, parts in read.elements.values():
                if of == name:
                    fields.update(parts)
            items = draw(
                st.lists(
                    st.fixed_dictionaries({n: value(n, k, known=known) for n, k in fields.items()}),
                    max_size=4,
                )
            )
            more = None if known else draw(st.sampled_from([None, Unknown.of(name, Kind.DEFERRED)]))
            facts[name] = Listing(tuple(items), more)
        else:
            facts[name] = draw(value(name, kind, known=known))
    return facts


def value(name: str, kind: ir.Type, *, known: bool) -> st.SearchStrategy[Value]:
    from datetime import datetime

    from engine.runtime.values import Other

    unknown = st.sampled_from([Unknown.of(name, k) for k in Kind])
    some: st.SearchStrategy[Value]
    if kind.kind == "bool":
        some = st.booleans()
    elif kind.kind == "enum":
        some = st.sampled_from([*(PROGRAM.facts[kind.of or name].members or {}), Other("else")])
    elif kind.kind == "number":
        some = st.one_of(
            st.integers(-5, 2000), st.fractions(min_value=-100, max_value=20000, max_denominator=1000)
        )
    elif kind.kind == "time":
        some = st.datetimes(min_value=datetime(2026, 1, 1), max_value=datetime(2026, 1, 1, 0, 2))
    elif kind.kind == "any":
        some = st.one_of(st.booleans(), st.integers(0, 100), st.sampled_from(["pytorch", "subset", ""]))
    else:
        some = st.one_of(
            st.sampled_from(["checkpoint.mode", "storage.storage_type", "/a", "/b"]), st.text(max_size=5)
        )
    return some if known else st.one_of(some, unknown)


FEW_AND_MANY = pytest.mark.parametrize("examples", [12, pytest.param(120, marks=pytest.mark.slow)])


@FEW_AND_MANY
@pytest.mark.parametrize("statement", STATEMENTS, ids=ids)
def test_any_facts_agree(statement: ir.Statement, examples: int) -> None:
    @settings(max_examples=examples)
    @given(subject(statement))
    def agree(facts: Facts) -> None:
        for role, ruleset in MODULES.items():
            if judges(role, statement):
                assert next(statement_differences(ruleset, statement, [facts]), None) is None

    agree()


# --- what the gate says stays ------------------------------------------------------------


@st.composite
def completed(draw: st.DrawFn, facts: Facts, statement: ir.Statement) -> Facts:
    """Facts in which all that was known only after the run has some value, or none was recorded."""
    read = inputs(statement_nodes(statement))
    kinds = {**read.free, **{n: k for _, parts in read.elements.values() for n, k in parts.items()}}
    found: dict[str, Value] = {}
    for name, known in facts.items():
        if isinstance(known, Unknown) and known.only(Kind.DEFERRED) and kinds[name].kind != "list":
            found[name] = draw(value(name, kinds[name], known=draw(st.booleans())))
        elif isinstance(known, Listing):
            items = [draw(completed(item, statement)) for item in known.items]
            if known.more is not None:
                fields = {
                    n: k for of, parts in read.elements.values() if of == name for n, k in parts.items()
                }
                items += draw(
                    st.lists(
                        st.fixed_dictionaries({n: value(n, k, known=False) for n, k in fields.items()}),
                        max_size=2,
                    )
                )
            found[name] = Listing(tuple(items))
        else:
            found[name] = known
    return found


def overall(given: list[str]) -> str:
    return next(
        (r for r in ("violation", "undetermined", "deferred", "pass") if r in given), "not applicable"
    )


@FEW_AND_MANY
@pytest.mark.parametrize(
    "statement", [s for s in STATEMENTS if judges("gate", s)], ids=lambda s: f"{s.rule}#{s.number}"
)
def test_a_pass_or_violation_at_the_gate_survives_every_completion(
    statement: ir.Statement, examples: int
) -> None:
    @settings(max_examples=examples)
    @given(st.data())
    def survives(data: st.DataObject) -> None:
        what_the_gate_says_stays(statement, data)

    survives()


def what_the_gate_says_stays(statement: ir.Statement, data: st.DataObject) -> None:
    facts = data.draw(subject(statement))
    at_gate = overall(results(MODULES["gate"], statement.rule, statement.scope, facts)[statement.number])
    if at_gate not in {"violation", "pass"}:
        return
    package = data.draw(completed(facts, statement))
    in_package = overall(
        results(MODULES["validator"], statement.rule, statement.scope, package)[statement.number]
    )
    assert in_package == at_gate


@pytest.mark.slow
@pytest.mark.parametrize("statement", STATEMENTS, ids=ids)
def test_every_cell_that_the_gate_decides_survives(statement: ir.Statement) -> None:
    """On the cells it is proven: a decided cell with deferred inputs keeps its result in every completion."""
    if not judges("gate", statement) or any(
        k.kind == "list" for k in inputs(statement_nodes(statement)).free.values()
    ):
        return  # lists are completed by extension, which the property above draws
    if size(statement) > LARGE:
        return  # too many completions to walk them all: the property above draws them
    gate, validator = MODULES["gate"], MODULES["validator"]
    table: dict[tuple[tuple[str, Value], ...], str] = {}
    names = list(inputs(statement_nodes(statement)).free)
    for facts in statement_cells(PROGRAM, statement):
        in_package = results(validator, statement.rule, statement.scope, facts)[statement.number]
        table[tuple((n, facts.get(n, Unknown.of(n, Kind.ABSENT))) for n in names)] = overall(in_package)
    options: dict[str, set[Value]] = {n: {dict(key)[n] for key in table} for n in names}
    for key in table:
        later = [n for n, v in key if isinstance(v, Unknown) and v.only(Kind.DEFERRED)]
        at_gate = overall(results(gate, statement.rule, statement.scope, dict(key))[statement.number])
        if not later or at_gate not in {"violation", "pass"}:
            continue
        for values in itertools.product(*(options[n] for n in later)):
            whole = {**dict(key), **dict(zip(later, values, strict=True))}
            assert table[tuple((n, whole[n]) for n in names)] == at_gate, (key, whole)


# --- the test can fail ---------------------------------------------------------------------

FILES = emit(PROGRAM, "Rules.md")
CALLS = {
    "differs": "equals",
    "equals": "differs",
    "both": "either",
    "either": "both",
    "reaches": "exceeds",
    "exceeds": "reaches",
    "negate": "recorded",
    "modulo": "times",
    "divide": "times",
    "exists": "every",
    "among": "equals",
}
OPERATORS: Mapping[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Sub,
    ast.Mod: ast.Mult,
}
SILENT: set[str] = set()
"""Flips that change nothing: none today."""


def flips() -> Iterator[tuple[str, str, str, ast.Module]]:
    """Every operator of either path, flipped in turn: (what, file, function, the module so changed)."""
    met: Counter[str] = Counter()
    for what, file, function, module in _flips():
        met[what] += 1
        yield what if met[what] == 1 else f"{what} {met[what]}", file, function, module


def _flips() -> Iterator[tuple[str, str, str, ast.Module]]:
    for file in ("facts.py", "clauses.py"):
        module = ast.parse(FILES[file])
        for function in module.body:
            if not isinstance(function, ast.FunctionDef):
                continue
            paths = [part for part in function.body if isinstance(part, ast.If)]
            known = [node for part in paths for node in (*_settles(part), *part.body)]
            for node in (below for part in known for below in ast.walk(part)):
                for field, place in ((f, p) for f in ("op", "ops") for p in _places(node, f)):
                    flipped = OPERATORS.get(type(place[0][place[1]]))
                    if flipped is not None:
                        old = place[0][place[1]]
                        place[0][place[1]] = flipped()
                        yield f"{function.name} {type(old).__name__} {field}", file, function.name, module
                        place[0][place[1]] = old
            for node in ast.walk(function.body[-1]):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
                    old_name = node.func.id
                    node.func.id = CALLS[old_name]
                    yield f"{function.name} {old_name}", file, function.name, module
                    node.func.id = old_name


def _settles(part: ast.If) -> tuple[ast.expr, ...]:
    """The question whether one fact decides all; none in the question whether all is known."""
    asks = isinstance(part.test, ast.Compare) and isinstance(part.test.ops[0], ast.Is)
    return (part.test,) if asks else ()


def _places(node: ast.AST, field: str) -> list[tuple[Any, Any]]:
    """Where an operator stands: (container, key), so that it can be put back."""
    if not isinstance(node, (ast.Compare, ast.BoolOp, ast.BinOp)) or not hasattr(node, field):
        return []
    if field == "ops":
        return [(node.ops, at) for at in range(len(node.ops))] if isinstance(node, ast.Compare) else []
    return [(vars(node), "op")]


def noticed(file: str, function: str, module: ast.Module) -> bool:
    """Whether a change of one function differs from the interpreter somewhere, or raises."""
    _import_all(module)
    ruleset = load_ruleset({**FILES, file: ast.unparse(module)})
    try:
        return any(True for path in (ruleset, four_valued(ruleset)) for _ in differences_in(path, function))
    except (TypeError, AttributeError, KeyError):
        return True


def _import_all(module: ast.Module) -> None:
    (entry,) = (n for n in module.body if isinstance(n, ast.ImportFrom) and n.module == judge.__name__)
    entry.names = [ast.alias(name) for name in judge.__all__]


def differences_in(ruleset: RuleSet, function: str) -> Iterator[object]:
    """The differences in what one function of an emitted module computes."""
    for define in PROGRAM.defines:
        if function == f"derive_{define.name}":
            yield from define_differences(ruleset, define, define_cells(PROGRAM, define))
    for clause in PROGRAM.clauses:
        for statement in clause.statements:
            if function.removesuffix("_where") == predicate(clause, statement):
                cells = statement_sample(statement, 16 * QUICK)
                tried = itertools.chain(cells, small_facts(statement, 16 * QUICK))
                yield from statement_differences(ruleset, statement, tried)


def is_noticed(what: str) -> None:
    for found, file, function, module in flips():
        if found == what:
            assert noticed(file, function, module)
            return
    raise AssertionError(f"no operator is called {what}")


JUDGED = [what for what, _, function, _ in flips() if not function.startswith(("conflict_", "implausible_"))]
"""Conflicts and bounds are no statements and have tests of their own."""


@pytest.mark.parametrize(
    "what",
    [
        "clause_4_3_5 Or op",
        "clause_4_3_5 Is ops",
        "clause_4_3_5 NotEq ops",
        "clause_4_3_5 both",
        "clause_4_3_5 differs",
        "clause_4_6_4 Mod op",
        "derive_subset equals",
    ],
)
def test_one_flipped_operator_of_either_path_is_noticed(what: str) -> None:
    is_noticed(what)


@pytest.mark.slow
@pytest.mark.parametrize("what", sorted({*JUDGED} - SILENT))
def test_every_flipped_operator_of_either_path_is_noticed(what: str) -> None:
    is_noticed(what)


def test_an_unflipped_emitted_module_is_the_one_checked_in() -> None:
    for role, ruleset in MODULES.items():
        fresh = load_ruleset(FILES, role)
        assert fresh.digest == ruleset.digest
        assert [c.rule for c in fresh.clauses] == [c.rule for c in ruleset.clauses]


def test_deriving_leaves_given_facts_alone() -> None:
    assert derived(MODULES["gate"], "leaf", {"subset": True})["subset"] is True
