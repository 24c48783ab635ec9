"""Every command of README.md runs as it stands there; what only sets up a machine is listed by name."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.command import ROOT, run

README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
LINES = [
    re.sub(r"\s+# .*", "", line.replace("\\\n", " "))
    for block in BLOCKS
    for line in re.findall(r"^\$ ((?:.*\\\n)*.*)$", block, re.MULTILINE)
]
OF_A_MACHINE = ("make ", "pipx ", "apt-get ", ".venv/bin/python benchmarks/", "clausegate bench report")
"""What sets up or measures a machine, or needs a run that was made there: all have tests of their own."""

LAUNCH = (
    "--model llama3-8b --num-processes 8 --accelerator-type b200 --client-host-memory-in-gb 512 "
    "--checkpoint-folder /ckpt --results-dir /results --systemname sys-1 --dry-run"
)
STANDS_FOR = {
    "init PACKAGE": "init started",
    "PACKAGE": "examples/clean",
    "LEAF": "examples/clean/closed/Ashgrove/results/nvme-subset/checkpointing/llama3-8b/20260916_094412",
    "...": LAUNCH,
}
"""What the words of the page stand for; a run is judged only, its start has tests of its own."""

REFUSED = ("--model llama3-405b", "examples/withdrawn", "examples/wrong", "--ppn 4", "field.log")
SLOW = "clausegate test --mutate"
NAMED = [line for line in LINES if not line.startswith(OF_A_MACHINE)]


@pytest.fixture(scope="module")
def field_log() -> str:
    """What `validate` says of a package, as another validator's output."""
    return run(["validate", str(ROOT / "examples/withdrawn"), "--format", "lines"]).stdout


@pytest.fixture
def clone(tmp_path: Path, field_log: str) -> Path:
    """The document and its examples, and what is generated from it; of one test: some commands write."""
    shutil.copy(ROOT / "Rules.md", tmp_path)
    for name in ("examples", "generated"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "field.log").write_text(field_log, "utf-8")
    return tmp_path


def test_the_page_has_commands() -> None:
    assert len(NAMED) >= 15
    assert all(line.startswith("clausegate ") for line in NAMED)


@pytest.mark.parametrize(
    "line", [pytest.param(line, marks=[pytest.mark.slow] if line == SLOW else []) for line in NAMED]
)
def test_a_command_of_the_page_runs(line: str, clone: Path) -> None:
    for word, meant in STANDS_FOR.items():
        line = line.replace(word, meant)
    _, *arguments = shlex.split(line)
    done = run(arguments, cwd=clone)
    assert "Traceback" not in done.stderr
    assert done.returncode == (1 if any(word in line for word in REFUSED) else 0), (done.stdout, done.stderr)


def test_the_clause_of_the_page_is_that_of_the_document() -> None:
    rules = (ROOT / "Rules.md").read_text("utf-8")
    shown = [line.strip() for line in re.findall(r"^    (.*)$", README, re.MULTILINE)]
    for line in shown:
        if line.startswith("error if "):
            assert line in rules


def test_the_message_of_the_page_points_at_its_statement() -> None:
    rules = (ROOT / "Rules.md").read_text("utf-8").splitlines()
    shown = re.findall(r"^ +(\d+) \| (.*)$", README, re.MULTILINE)
    assert shown
    for number, line in shown:
        assert rules[int(number) - 1] == line
        assert f"Rules.md:{number}:" in README
