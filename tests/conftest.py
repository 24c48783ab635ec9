"""What every test can ask for: the command, goldens, and the packages of real submissions."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from tests.command import ROOT

CORPUS = os.environ.get("CLAUSEGATE_CORPUS", "")

# Whether a change may land must not hang on a draw; at a desk every run draws anew. How long an
# example takes says how busy the machine is, and nothing else.
settings.register_profile("desk", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "desk")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flag that rewrites expected output."""
    parser.addoption(
        "--update-goldens", action="store_true", help="write what is printed as what is expected"
    )


def pytest_report_header() -> list[str]:
    """Say when a part of the suite cannot run here: nothing is left out in silence."""
    if CORPUS:
        return [f"corpus: {CORPUS}"]
    return ["corpus: CLAUSEGATE_CORPUS is not set, so the tests marked `corpus` are deselected"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what needs packages that are not here."""
    if CORPUS:
        return
    without = [item for item in items if item.get_closest_marker("corpus")]
    if without:
        config.hook.pytest_deselected(items=without)
        items[:] = [item for item in items if item not in without]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def rules() -> Path:
    return ROOT / "Rules.md"


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real packages; a path that is set and wrong is a failure."""
    path = Path(CORPUS)
    assert CORPUS, "a test that asks for the corpus is marked `corpus`"
    assert path.is_dir(), f"CLAUSEGATE_CORPUS is {CORPUS}, which is no folder"
    return path


@pytest.fixture(scope="session")
def update_goldens(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-goldens"))


@pytest.fixture
def golden(update_goldens: bool) -> Callable[[Path, str], None]:
    """Compare a text with a file of expected output, or write it there with --update-goldens."""

    def compare(path: Path, text: str) -> None:
        if update_goldens:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        assert path.is_file(), f"{path} does not exist; `pytest --update-goldens` writes it"
        assert text == path.read_text("utf-8")

    return compare
