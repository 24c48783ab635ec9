"""A launch and the leaf that it would write get the same findings, wherever the gate decides."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.end_to_end.launches import Launch, both, decided, said
from tests.packages import DROP, FOLDERS, START

DATA_SIZE_RATIO = "4.3.1"
"""Its launch statement speaks of what is declared, its package statement of what was measured."""

CONFIGURATIONS = [
    Launch(),
    Launch(claim=True),
    Launch(model="70B"),
    Launch(model="405B"),
    Launch(model="1T"),
    Launch(model="70B", claim=True),
    Launch(model="70B", processes=8),
    Launch(model="405B", processes=8),
    Launch(model="1T", processes=8, claim=True),
    Launch(model="405B", processes=408),
    Launch(model="405B", processes=256),
    Launch(processes=16),
    Launch(processes=4, claim=True),
    Launch(processes=1),
    Launch(hosts=2),
    Launch(hosts=2, slots=True),
    Launch(model="70B", hosts=12),
    Launch(model="70B", hosts=12, slots=True),
    Launch(model="70B", hosts=15, slots=True),
    Launch(model="70B", hosts=16),
    Launch(writes=10, reads=0),
    Launch(writes=0, reads=10),
    Launch(writes=5),
    Launch(reads=1),
    Launch(memory=512),
    Launch(memory=512, writes=0),
    Launch(name="llama3-13b"),
    Launch(checkpoint_folder=None),
    Launch(results_folder=None),
    Launch(checkpoint_folder="/one/", results_folder="/one/./"),
    Launch(access="object"),
    Launch(access="object", checkpoint_folder="/one", results_folder="/one/"),
    Launch(accelerator="mi355"),
    Launch(division="open", model="70B", processes=8),
    Launch(division="open", model="70B", processes=8, claim=True),
    Launch(division="open", model="70B", processes=9),
    Launch(division="open", model="405B", processes=256, hosts=64),
    Launch(division="open", model="1T", processes=8),
    Launch(division="open", writes=3, reads=7),
    Launch(division="open", params={"checkpoint.type": "rank_zero"}),
    Launch(division="whatif", accelerator="h100"),
    Launch(division="whatif", model="405B", processes=9, accelerator="a100", claim=True),
]


@pytest.mark.parametrize("launch", CONFIGURATIONS, ids=lambda launch: " ".join(launch.arguments()[:-3]))
def test_the_same_findings(launch: Launch, tmp_path: Path) -> None:
    gated, found = both(launch, tmp_path)
    left, right = said(gated), said(found)
    for rule in decided(gated):
        assert left.get(rule) == right.get(rule), rule
    assert "evidence" not in right
    if set(right) <= set(decided(gated)):  # else the package knows more
        assert found.earned() == gated.earned("launch")


def launches() -> st.SearchStrategy[Launch]:
    models = st.sampled_from(sorted(FOLDERS))
    counts = st.one_of(st.none(), st.sampled_from([1, 4, 8, 16, 64, 256, 408, 512]), st.integers(1, 1100))

    def placed(launch: Launch) -> st.SearchStrategy[Launch]:
        hosts = st.one_of(st.none(), st.integers(1, min(launch.count, 40)))
        folders = {}
        if launch.division == "whatif":  # of a run that no clause refuses its workload demands them
            folders["checkpoint_folder"] = launch.checkpoint_folder or "/ckpt"
            folders["results_folder"] = launch.results_folder or "/results"
        return hosts.map(lambda count: _with(launch, hosts=count, **folders))

    return (
        st.builds(
            Launch,
            division=st.sampled_from(["closed", "open", "whatif"]),
            model=models,
            processes=counts,
            slots=st.booleans(),
            writes=st.sampled_from([10, 10, 1, 5, 20]),
            reads=st.sampled_from([10, 10, 0, 3]),
            claim=st.booleans(),
            access=st.sampled_from(["file", "file", "object"]),
            accelerator=st.sampled_from(["b200", "mi355"]),
            memory=st.sampled_from([1, 16, 377, 2048]),
            checkpoint_folder=st.sampled_from(["/ckpt", "/ckpt/", "/results", None]),
            results_folder=st.sampled_from(["/results", "/results/", "/ckpt", None]),
        )
        .filter(somewhere)
        .flatmap(placed)
    )


def somewhere(launch: Launch) -> bool:
    """Where both folders are named, or a clause refuses the run: one for advice cannot be started without."""
    return launch.division != "whatif" or None not in (launch.checkpoint_folder, launch.results_folder)


def _with(launch: Launch, **changes: Any) -> Launch:
    return replace(launch, **changes)


def completions() -> st.SearchStrategy[dict[str, Any]]:
    """What a run may record beyond what its launch fixed: anything, or nothing."""
    number = st.one_of(st.just(DROP), st.none(), st.integers(0, 10**6), st.just("lots"))
    flag = st.one_of(st.just(DROP), st.none(), st.booleans(), st.just("sixty-four"))
    return st.fixed_dictionaries(
        {
            "same_filesystem": st.sampled_from([None, True, False]),
            "bookends": st.sampled_from(["both", "start", "none"]),
            "seconds": st.sampled_from([30, 300]),
            "start": st.sampled_from([START, START + timedelta(days=1)]),
            "metadata": st.fixed_dictionaries(
                {"parameters.checkpoint.fsync": flag, "parameters.framework": st.sampled_from(["pytorch", 3])}
            ),
            "summary": st.fixed_dictionaries({"metric.checkpoint_size_GB": number, "end": number}),
            "system": st.fixed_dictionaries({"remap_time_in_seconds": st.sampled_from([0, 30, DROP])}),
        }
    )


def judged_alike(launch: Launch) -> None:
    with tempfile.TemporaryDirectory() as folder:
        gated, found = both(launch, Path(folder))
    left, right = said(gated), said(found)
    for rule in decided(gated):
        assert left.get(rule) == right.get(rule), rule


@settings(max_examples=10)
@given(launch=launches())
def test_the_same_findings_for_any_launch(launch: Launch) -> None:
    judged_alike(launch)


@pytest.mark.slow
@settings(max_examples=60)
@given(launch=launches())
def test_the_same_findings_for_many_launches(launch: Launch) -> None:
    judged_alike(launch)


def survives(launch: Launch, completion: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        metadata = {**launch.leaf().metadata, **completion.pop("metadata")}
        gated, found = both(launch, Path(folder), metadata=metadata, **completion)
    left, right = said(gated), said(found)
    for rule in decided(gated):
        if rule != DATA_SIZE_RATIO:
            assert left.get(rule, frozenset()) == right.get(rule, frozenset()), rule
    for rule, entries in left.items():
        if rule != DATA_SIZE_RATIO:
            assert entries <= right.get(rule, frozenset()), rule
    if gated.earned("launch") == {"INVALID"}:
        assert found.earned() == {"INVALID"}


@settings(max_examples=12)
@given(launch=launches(), completion=completions())
def test_what_the_gate_decides_survives_any_package(launch: Launch, completion: dict[str, Any]) -> None:
    survives(launch, completion)


@pytest.mark.slow
@settings(max_examples=60)
@given(launch=launches(), completion=completions())
def test_what_the_gate_decides_survives_many_packages(launch: Launch, completion: dict[str, Any]) -> None:
    survives(launch, completion)
