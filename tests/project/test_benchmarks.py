"""The benchmarks run and compare like with like; how long anything takes is not tested."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from benchmarks import by_hand, judging, validate_package
from benchmarks.interleaved import Comparison, in_turn
from examples.builder.leaf import Leaf
from generated.clauses import clause_4_3_5
from tests.command import ROOT

LEAVES: Mapping[str, Mapping[str, Any]] = {
    "clean": {},
    "subset": {"claim": True, "partial": True},
    "subset-of-70B": {"claim": True, "partial": True, "model": "70B"},
    "open-on-fewer": {"division": "open", "verification": "OPEN", "processes": 4},
    "half-a-replica": {
        "division": "open",
        "verification": "OPEN",
        "model": "70B",
        "processes": 12,
    },
    "cached": {"memory": 512, "declared_memory": 1024},
    "one-filesystem": {"same_filesystem": True, "results_folder": "/ckpt"},
    "no-fsync": {"metadata": {"parameters/checkpoint/fsync": False}},
    "wrong-row": {"metadata": {"parameters/model/num_layers": 7, "parameters/framework": "other"}},
    "override": {"overrides": {"reader.batch_size": 4, "storage.storage_type": "s3"}},
    "counts": {"writes": 3, "reads": 4},
    "accelerator": {"accelerator": "h100"},
}


@pytest.mark.parametrize("changes", LEAVES.values(), ids=LEAVES.keys())
def test_by_hand_says_what_the_judge_says(changes: Mapping[str, Any]) -> None:
    run = judging.subject(judging.facts_of(Leaf(**changes)))
    assert sorted(by_hand.section_4(run)) == sorted(judging.judged(run))
    assert by_hand.clause_4_3_5(run) == clause_4_3_5(run)


def test_every_clause_that_is_compared_is_broken_by_some_leaf_or_cannot_be() -> None:
    runs = (judging.subject(judging.facts_of(Leaf(**changes))) for changes in LEAVES.values())
    broken = {rule for run in runs for rule in judging.judged(run)}
    # Where every fact is known the model is listed.
    assert judging.SECTION_4 - broken == {"4.3.3"}


def test_contestants_take_turns_at_being_first() -> None:
    assert list(in_turn("abc", 4)) == [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"], ["a", "b", "c"]]


def test_a_ratio_is_judged_by_its_limit() -> None:
    assert Comparison(2, 1, limit=2).kept
    assert not Comparison(2.1, 1, limit=2).kept
    assert Comparison(100, 1).kept


def test_judging_prints_each_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    assert judging.main(["--rounds", "1", "--calls", "10"]) in (0, 1)
    said = capsys.readouterr().out
    assert said.count("  ratio ") == 4
    assert said.count(", at most 2\n") == 2
    assert said.count(", at most 10\n") == 1


@pytest.mark.parametrize(
    ("more", "against"), [([], "json and yaml, read only"), (["--before", str(ROOT)], f"before, {ROOT}")]
)
def test_validating_is_compared(more: list[str], against: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert validate_package.main(["--leaves", "10", "--rounds", "1", *more]) == 0
    said = capsys.readouterr().out
    assert "clausegate validate, 10 leaves" in said
    assert against in said
    assert "leaves judged per second" in said
