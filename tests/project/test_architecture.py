"""The page of the architecture names what is there: every folder, and no path that is gone."""

from __future__ import annotations

import re

import pytest

from tests.command import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
PACKAGES = ("rules_dsl", "engine", "bench")
FOLDERS = sorted(
    f"{folder.parent.relative_to(ROOT).as_posix()}/"
    for package in PACKAGES
    for folder in (ROOT / package).glob("*/__init__.py")
)
NAMED = sorted(set(re.findall(r"`((?:[\w.-]+/)+[\w.-]*|[\w-]+\.(?:py|md|toml))`", PAGE)))
MOST = 15
"""Modules of a folder that a reader still takes in at a glance."""


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_has_its_row(folder: str) -> None:
    assert re.search(rf"^\| `{re.escape(folder)}` \| \S", PAGE, re.MULTILINE)


@pytest.mark.parametrize("path", NAMED)
def test_a_path_of_the_page_is_there(path: str) -> None:
    assert (ROOT / path).exists() or (ROOT / "rules_dsl" / path).exists()


def test_the_rows_of_a_package_are_its_layers() -> None:
    contracts = (ROOT / "pyproject.toml").read_text("utf-8")
    for package in PACKAGES:
        block = contracts[contracts.index(f'containers = ["{package}"]') :]
        layers = re.findall(r'^    "(.+)",$', block[: block.index("]\n\n")], re.MULTILINE)
        height = {name: rank for rank, layer in enumerate(layers) for name in re.split(r" [:|] ", layer)}
        rows = re.findall(rf"^\| `{package}/(\w+)/` ", PAGE, re.MULTILINE)
        assert [height[row] for row in rows] == sorted(height[row] for row in rows)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_says_what_it_holds_and_is_small(folder: str) -> None:
    path = ROOT / folder
    described = (path / "__init__.py").read_text("utf-8").split('"""')[1]
    assert len(described.split()) > 20, "say what it holds, what may import it, what it never does"
    assert len([module for module in path.glob("*.py") if module.name != "__init__.py"]) <= MOST
