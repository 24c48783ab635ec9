"""What the tests of the examples share: a copy of the folder, and the packages that its script made."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.command import ROOT, run


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `examples` as it is checked in and `build/examples` as the script makes it."""
    folder = tmp_path_factory.mktemp("clone")
    shutil.copytree(
        ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
    )
    done = run((), command=(sys.executable, "-m", "examples.make"), cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def packages(clone: Path) -> Path:
    """The folder of all packages, whole."""
    return clone / "build" / "examples"
