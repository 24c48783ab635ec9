"""What the documents, the Makefile, the help and pyproject.toml say about each other is true."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from engine import __version__
from tests.command import ROOT, run

PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        ROOT / "tests/literate/README.md",
        ROOT / "examples/README.md",
    ]
)
by_name = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))

CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\(([^)\s]+)\)")


def _code(path: Path) -> str:
    """The code in a document, fenced and inline: what a reader would type."""
    return "\n".join(CODE.findall(path.read_text("utf-8")))


@by_name
def test_links_lead_somewhere(path: Path) -> None:
    prose = CODE.sub("", path.read_text("utf-8"))
    targets = [link.partition("#")[0] for link in LINK.findall(prose) if "://" not in link]
    missing = [target for target in targets if target and not (path.parent / target).exists()]
    assert not missing


@by_name
def test_make_targets_exist(path: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", MAKEFILE, re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z]+)\b", _code(path)))
    assert named <= targets


@by_name
def test_extras_exist(path: Path) -> None:
    extras = set(PYPROJECT["project"]["optional-dependencies"])
    named = {
        name for group in re.findall(r"clausegate\[([a-z,]+)\]", _code(path)) for name in group.split(",")
    }
    assert named <= extras


def test_commands_of_the_readme_exist() -> None:
    help_text = run(("--help",)).stdout
    commands = set(re.findall(r"^  ([a-z]+)(?:  |$)", help_text, re.MULTILINE))
    named = set(re.findall(r"(?:^|\s|`)clausegate ([a-z]+)\b", _code(ROOT / "README.md")))
    assert named
    assert named <= commands


def test_the_changelog_begins_with_this_version() -> None:
    versions = re.findall(r"^## \[?(\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert versions[:1] == [__version__]


def test_ci_runs_the_target_that_runs_everything() -> None:
    assert (ROOT / ".ci/run").read_text("utf-8").rstrip().endswith("make ci")
    assert re.search(r"^ci: test\b", MAKEFILE, re.MULTILINE)
    assert re.search(r"^test: lint rules\b", MAKEFILE, re.MULTILINE)
