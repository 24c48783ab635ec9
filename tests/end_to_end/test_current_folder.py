"""What is executed is what was installed: nothing comes from the folder that a command is started in."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.process.import_path import OWN, VARIABLE, rank_variables
from tests.bench.runs import Bed, alone
from tests.command import LAUNCH, ROOT, environment

TRAPS = (
    "numpy.py",
    "bench.py",
    "engine/__init__.py",
    "generated/__init__.py",
    "rules_dsl/__init__.py",
    "mpi4py.py",
    "json.py",
    "yaml.py",
    "hashlib.py",
    "difflib.py",
    "textwrap.py",
    "subprocess.py",
)

SCRIPT = "import sys\nfrom engine.cli.main import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
"""What an installer writes as the console script."""


@pytest.fixture
def traps(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    for name in TRAPS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"raise SystemExit({name!r} + ' of the current folder was imported')\n")
    return folder


def commands(folder: Path) -> dict[str, Sequence[str]]:
    script = folder.parent / "bin" / "clausegate"
    script.parent.mkdir(exist_ok=True)
    script.write_text(SCRIPT)
    return {
        "script": [sys.executable, str(script)],
        "-P": [sys.executable, "-P", "-m", "engine.cli.main"],
        "-I": [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{SCRIPT}"],
    }


def started(how: str, folder: Path, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*commands(folder)[how], *words],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


WAYS = ("script", "-P", "-I")


@pytest.mark.parametrize("how", WAYS)
def test_the_gate(traps: Path, how: str) -> None:
    done = started(how, traps, [*LAUNCH, "--format", "json"])
    assert (done.returncode, done.stderr) == (0, "")
    refused = started(how, traps, [*LAUNCH, "--model", "405B"])
    assert (refused.returncode, refused.stderr) == (1, "")


@pytest.mark.parametrize("how", WAYS)
def test_validate(traps: Path, how: str) -> None:
    done = started(how, traps, ["validate", str(ROOT / "examples" / "clean")])
    assert (done.returncode, done.stderr) == (0, "")


def test_commands_of_the_document(traps: Path) -> None:
    done = started("script", traps, ["check", str(ROOT / "Rules.md")])
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("how", WAYS)
def test_a_run(traps: Path, tmp_path: Path, how: str) -> None:
    bed = Bed(tmp_path)
    with alone():
        done = started(how, traps, bed.words("--time-limit", "90"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (bed.leaf() / "summary.json").is_file()


@pytest.mark.parametrize("entry", ["", "."])
def test_a_run_whose_python_path_names_the_current_folder(traps: Path, tmp_path: Path, entry: str) -> None:
    """What Python imports before our first line is Python's own affair."""
    for name in ("textwrap.py", "subprocess.py"):
        (traps / name).unlink()
    bed = Bed(tmp_path)
    script = commands(traps)["script"]
    with alone():
        done = subprocess.run(
            [*script, *bed.words("--time-limit", "90")],
            cwd=traps,
            env=environment(PYTHONPATH=f"{ROOT}:{entry}"),
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr


def test_where_ranks_import_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    beside = ["", OWN]
    assert rank_variables({}, beside) == {}
    assert rank_variables({VARIABLE: ""}, beside) == {VARIABLE: ""}
    assert rank_variables({VARIABLE: ":.:/a::b:"}, beside) == {VARIABLE: f"/a{os.pathsep}{tmp_path}/b"}
    assert rank_variables({VARIABLE: str(tmp_path)}, beside) == {VARIABLE: str(tmp_path)}
    assert rank_variables({}, [OWN, "/lib"]) == {VARIABLE: OWN}
    assert rank_variables({VARIABLE: "/a"}, ["", "/lib"]) == {VARIABLE: f"{OWN}{os.pathsep}/a"}
