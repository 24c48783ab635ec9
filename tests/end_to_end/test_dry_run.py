"""A dry run refuses what a start refuses: the whole grid of options, in the same words with the same code.

The start is the real one up to where it would touch storage or start a launcher.
"""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bench.driver import mpi_command, runs
from bench.driver.mpi_command import Launcher
from engine.cli import launch
from engine.cli.main import cli
from engine.launch.probes import PROBES
from engine.runtime.values import Kind, Unknown
from tests.command import ROOT, environment

DIVISIONS = ("closed", "open", "whatif")

BASE = {
    "--model": "8B",
    "--num-processes": "8",
    "--hosts": "h1",
    "--client-host-memory-in-gb": "512",
    "--accelerator-type": "b200",
    "--checkpoint-folder": "/ckpt",
    "--results-dir": "/res",
    "--orgname": "o",
    "--systemname": "s",
}

ABSENT = "(absent)"
"""An option of the base line that is left out."""

GRID: dict[str, tuple[str, ...]] = {
    "--model": ("70B", "13B", ABSENT),
    "--num-processes": ("16", "0", "many", ABSENT),
    "--hosts": ("h1 h2", "h1:4 h2:4", ","),
    "--client-host-memory-in-gb": ("-1", ABSENT),
    "--accelerator-type": ("h100", "z"),
    "--checkpoint-folder": ("/res", ABSENT),
    "--results-dir": (ABSENT,),
    "--num-checkpoints-write": ("0", "5", "x"),
    "--num-checkpoints-read": ("0", "-1"),
    "--checkpoint-subset": ("",),
    "--orgname": ("../x", ABSENT),
    "--systemname": ("..", ABSENT),
    "--io-engine": ("null", "rolling", "z"),
    "--o-direct": ("",),
    "--keep": ("3", "10", "0"),
    "--params": (
        "checkpoint.fsync=false",
        "checkpoint.fsync=true",
        "checkpoint.fsinc=true",
        "checkpoint.time_between_checkpoints=-1",
        "nothing",
    ),
    "--allow-invalid-params": ("",),
    "--ppn": ("2", "8", "0"),
    "--env": ("UCX_TLS=tcp", "NOT_SET_ANYWHERE", "MY_TOKEN=1", "1=2"),
    "--mpi-params": ("-bind-to core", "'open", "-genv MY_TOKEN 1"),
    "--hand-over": ("true", "no-such-program", "'open"),
    "--loops": ("2", "0"),
    "--scale": ("0.5", "2"),
    "--exec-type": ("docker",),
    "--clock-skew": ("1", "0"),
    "--time-limit": ("60", "soon"),
    "--oversubscribe": ("",),
    "--allow-run-as-root": ("",),
    "--nothing-like-it": ("1",),
    "access": ("object", "nfs", ABSENT),
}
"""Every option with values that fit and values that do not. The accepted ones stand in BASE."""

CHOICES = [(flag, value) for flag, values in GRID.items() for value in values]

TOOL = frozenset(
    ("--io-engine", "--o-direct", "--keep", "--params", "--ppn", "--env", "--hand-over", "access")
)
"""Options of which one may contradict another."""


def line(division: str, *changes: tuple[str, str]) -> list[str]:
    words = {"access": "file", **BASE, **dict(changes)}
    found = [division, "checkpointing", "run"]
    for flag, value in words.items():
        if value == ABSENT:
            continue
        if flag == "access":
            found.append(value)
        elif flag == "--hosts":
            found += [flag, *value.split()]
        else:
            found += [flag, value] if value else [flag]
    return found


@pytest.fixture(autouse=True)
def up_to_storage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what a start asks of the machine, and the ranks; each is the first to touch something."""

    def unasked(name: str, folders: Any) -> Unknown:
        return Unknown.of(name, Kind.DEFERRED)

    monkeypatch.setattr("engine.launch.facts.PROBES", dict.fromkeys(PROBES, unasked))
    monkeypatch.setattr(launch, "check_folders", lambda *_: None)
    monkeypatch.setattr(mpi_command, "find", lambda name: Launcher("/mpi", "hydra", "HYDRA 9"))
    monkeypatch.setattr(runs, "newest_kept", lambda plan: tuple(range(1, plan.keep + 1)))
    monkeypatch.setattr(runs, "invoke", lambda one: (0, None))
    monkeypatch.setattr(runs, "clean_plan", lambda plan: None)
    for name in ("MLPSTORAGE_CHECKPOINT_FOLDER", "MLPSTORAGE_RESULTS_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("MLPSTORAGE_ORGNAME", "MLPSTORAGE_SYSTEMNAME", "NOT_SET_ANYWHERE"):
        monkeypatch.delenv(name, raising=False)


def answer(words: list[str]) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli, words)
    assert "internal error" not in done.stderr
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def assert_alike(division: str, *changes: tuple[str, str]) -> int:
    words = line(division, *changes)
    dry, start = answer([*words, "--dry-run"]), answer(words)
    assert dry == start, words
    return dry[0]


@pytest.mark.parametrize("division", DIVISIONS)
def test_each_option_alone(division: str) -> None:
    assert assert_alike(division) == 0
    codes = {(flag, value): assert_alike(division, (flag, value)) for flag, value in CHOICES}
    assert set(codes.values()) == ({0, 1, 2} if division != "whatif" else {0, 2})


@pytest.mark.slow
@pytest.mark.parametrize("division", DIVISIONS)
def test_options_that_may_contradict_each_other(division: str) -> None:
    pairs = combinations([one for one in CHOICES if one[0] in TOOL], 2)
    for first, second in pairs:
        if first[0] != second[0]:
            assert_alike(division, first, second)


@pytest.mark.slow
@pytest.mark.parametrize("division", DIVISIONS)
def test_every_pair_of_options(division: str) -> None:
    for first, second in combinations(CHOICES, 2):
        if first[0] != second[0]:
            assert_alike(division, first, second)


@pytest.mark.parametrize(
    ("division", "changes", "words"),
    [
        ("closed", [("--io-engine", "null")], "--io-engine null writes nothing: it is for whatif only."),
        ("closed", [("--keep", "3")], "--keep 3 leaves 3 of the 10 different checkpoints"),
        ("open", [("--params", "checkpoint.fsync=false")], "this workload always syncs what it writes"),
        ("open", [("--params", "checkpoint.fsinc=true")], "this workload does not know it"),
        ("closed", [("--ppn", "2")], "--ppn 2: 8 ranks on 1 host are up to 8 on one"),
        ("whatif", [("--o-direct", ""), ("--io-engine", "rolling")], "contradict each other"),
        ("closed", [("--orgname", ABSENT)], "--orgname is missing"),
        ("closed", [("--systemname", ABSENT)], "--systemname is missing"),
        ("closed", [("--env", "NOT_SET_ANYWHERE")], "it is not set here"),
        ("closed", [("--env", "MY_TOKEN=1")], "its value may be secret"),
        ("closed", [("--mpi-params", "'open")], "a quote is not closed"),
        ("closed", [("--hand-over", "no-such-program")], "there is no program no-such-program"),
        ("closed", [("--hand-over", "true"), ("--num-checkpoints-read", "0")], "has no use for it"),
        ("whatif", [("access", "object"), ("--io-engine", "rolling")], "an object store has one way in"),
        ("whatif", [("--checkpoint-folder", ABSENT)], "--checkpoint-folder is missing"),
        ("whatif", [("--results-dir", ABSENT), ("access", "object")], "--results-dir is missing"),
    ],
)
def test_a_dry_run_says_what_a_start_says(division: str, changes: list[tuple[str, str]], words: str) -> None:
    code, out, err = answer([*line(division, *changes), "--dry-run"])
    assert (code, out) == (2, "")
    assert words in " ".join(err.split())
    assert_alike(division, *changes)


def test_a_dry_run_without_a_workload_says_so_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    _, text, _ = answer([*line("closed"), "--dry-run"])
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [])
    told = "no checkpointing workload is installed to start (entry point group clausegate.workloads)."
    assert answer([*line("closed"), "--dry-run"]) == (0, f"{text}judged only: {told}\n", "")
    code, out, err = answer([*line("closed"), "--dry-run", "--format", "json"])
    assert (code, json.loads(out)["unchecked"], err) == (0, told, "")
    code, out, err = answer(line("closed"))
    assert (code, out) == (2, "")
    assert f"The run is accepted, but {told} Judge only: --dry-run." in " ".join(err.split())


def test_the_workload_is_found_without_the_reader_of_installed_packages(tmp_path: Path) -> None:
    """What entry points say is read from where they are written: the reader costs as much as the gate."""
    told = tmp_path / "other-1.0.dist-info"
    told.mkdir()
    (told / "entry_points.txt").write_text("[clausegate.workloads]\nother = other_workload:run\n")
    (tmp_path / "other_workload.py").write_text("run = 'found'\n")
    code = "import sys; from engine.launch.workloads import find_workload as f; print(f('other'))"
    code += "; assert 'importlib.metadata' not in sys.modules"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(PYTHONPATH=f"{ROOT}:{tmp_path}"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "found\n"), done.stderr
