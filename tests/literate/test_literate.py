"""Runs the literate files: see README.md beside this."""

from __future__ import annotations

import shlex
from dataclasses import replace as changed
from pathlib import Path

import pytest

from tests.command import COMMAND, ROOT, run
from tests.literate.console import Step, replace, steps

HERE = Path(__file__).resolve().parent
GOOD = sorted((HERE / "good").glob("*.md"))
BAD = sorted((HERE / "bad").glob("*.md"))
SHELL = f'clausegate() {{ {shlex.join(COMMAND)} "$@"; }}\n'


def perform(step: Step, folder: Path) -> Step:
    """The step with what its command really prints, paths shown by their variables' names."""
    places = {"RULES": str(ROOT / "Rules.md"), "HERE": str(folder), "ROOT": str(ROOT)}
    done = run((SHELL + step.command,), cwd=folder, command=("bash", "-c"), variables=places)
    output = done.stdout + done.stderr
    for name, path in places.items():
        output = output.replace(path, f"${name}")
    return changed(step, output=tuple(output.splitlines()), code=done.returncode)


@pytest.mark.parametrize("path", [*GOOD, *BAD], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_prints_what_it_says(path: Path, tmp_path: Path, update_goldens: bool) -> None:
    text = path.read_text("utf-8")
    actual = replace(text, lambda step: perform(step, tmp_path))
    if update_goldens and actual != text:
        path.write_text(actual, "utf-8")
    else:
        assert actual == text


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_good_files_succeed(path: Path) -> None:
    failing = [step.line for step in steps(path.read_text("utf-8")) if step.code]
    assert not failing, f"a file in good/ shows a failure, at lines {failing}"


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_bad_files_fail(path: Path) -> None:
    assert any(step.code for step in steps(path.read_text("utf-8"))), "a file in bad/ shows no failure"
