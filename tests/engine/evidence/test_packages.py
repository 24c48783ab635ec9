"""The builder of packages builds clean ones: what a test does not name breaks nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.package.subjects import survey
from engine.runtime.judge import judge_statement
from engine.runtime.values import Listing
from generated.validator import RULESET
from tests.packages import PROCESSES, write_leaf, write_split, write_system


def findings(root: Path) -> set[tuple[str, str]]:
    """(clause, result) of every outcome that is neither pass nor not applicable."""
    found: set[tuple[str, str]] = set()
    for workload in survey(root, RULESET).workloads:
        runs = tuple(RULESET.subject("leaf", leaf.reading.facts) for leaf in workload.runs)
        whole = RULESET.subject("workload", {**workload.reading.facts, "runs": Listing(runs)})
        for clause in RULESET.clauses:
            for statement in clause.statements:
                for facts in runs if statement.scope == "leaf" else (whole,):
                    found |= {(clause.rule, one.result) for one in judge_statement(statement, facts)}
    return {(rule, result) for rule, result in found if result not in ("pass", "not applicable")}


@pytest.mark.parametrize("model", sorted(PROCESSES))
@pytest.mark.parametrize("names", ["new", "old"])
def test_a_leaf_of_each_model_is_clean(tmp_path: Path, model: str, names: str) -> None:
    write_leaf(tmp_path, model=model, names=names)
    write_system(tmp_path)
    assert findings(tmp_path) == set()


@pytest.mark.parametrize("spelling", ["new", "text"])
def test_a_split_run_is_clean(tmp_path: Path, spelling: str) -> None:
    write_split(tmp_path, gap=30)
    write_system(tmp_path, names=spelling)
    assert findings(tmp_path) == set()


def test_a_run_on_object_storage_is_clean(tmp_path: Path) -> None:
    write_leaf(tmp_path, access="object")
    write_system(tmp_path, api="object")
    assert findings(tmp_path) == set()


def test_one_change_breaks_what_it_should(tmp_path: Path) -> None:
    write_leaf(tmp_path, model="70B", processes=8, partial=True)
    write_system(tmp_path)
    assert findings(tmp_path) == {("4.3.5", "violation"), ("4.6.1", "violation")}


def test_a_gap_breaks_the_cache_flush_clause(tmp_path: Path) -> None:
    write_split(tmp_path, gap=30.1)
    write_system(tmp_path)
    assert findings(tmp_path) == {("4.7.1", "violation")}
