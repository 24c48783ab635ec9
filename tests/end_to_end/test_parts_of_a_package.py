"""TREE may be any part of a package; what is judged is what the part holds whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packages import write_split, write_system
from tests.vectors.answers import Answer, package

WORKLOAD = "closed/OrgA/results/sys-1/checkpointing/llama3-8b"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A package of one split run: a leaf that writes and a leaf that reads."""
    write_system(tmp_path)
    write_split(tmp_path, model="8B")
    return tmp_path


def paths(found: Answer, scope: str) -> set[str]:
    return {one["path"] for one in found.report["subjects"] if one["scope"] == scope}


@pytest.mark.parametrize("part", ["", "closed", "closed/OrgA", "closed/OrgA/results/sys-1", WORKLOAD])
def test_a_part_that_holds_the_workload_judges_it(tree: Path, part: str) -> None:
    found = package(tree / part)
    assert (found.code, found.broken, found.doubted) == (0, set(), set())
    assert paths(found, "workload") == {WORKLOAD}
    assert len(paths(found, "leaf")) == 2


def test_a_leaf_alone_says_nothing_of_its_workload(tree: Path) -> None:
    for leaf in (tree / WORKLOAD).iterdir():
        found = package(leaf)
        assert (found.code, found.named, paths(found, "workload")) == (0, set(), set())
        assert paths(found, "leaf") == {f"{WORKLOAD}/{leaf.name}"}
        assert found.earned() == {"CLOSED"}
