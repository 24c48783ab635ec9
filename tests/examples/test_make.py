"""The example packages: whole, consistent, safe from the script, and a part of them in the tree."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from examples.builder.leaf import PROCESSES
from examples.builder.surroundings import SOURCE, code_image, digest
from examples.make import MADE, PACKAGES, TREE, ForeignError, found, in_tree, make, stale, whole
from tests.command import ROOT, run

EXAMPLES = ROOT / "examples"
SCRIPT = (sys.executable, "-m", "examples.make")
REQUIRED = ("checkpointing_run.stdout.log", "checkpointing_run.stderr.log", "dlio.log", ".mlps-code-image")
MOST_FILES = 80
"""In the tree: what a reader can look through."""

FILES = [Path(name, path) for name, files in whole().items() for path in files]
LEAVES = sorted({path.parent for path in FILES if path.name == "dlio.log"})
SPOILED = {"pruned", "not-a-number", "said-twice"}
READABLE = [leaf for leaf in LEAVES if leaf / "summary.json" in FILES and leaf.parts[-4] not in SPOILED]


@pytest.mark.parametrize("name", TREE)
def test_what_stands_in_the_tree_is_what_the_script_writes(name: str) -> None:
    paths = [path for path in stale(EXAMPLES, in_tree()) if path.startswith(f"{name}/") or path == MADE]
    assert not paths, f"{paths[:5]} are stale; `.venv/bin/python -m examples.make --tree` mends them"


@pytest.mark.parametrize("name", TREE)
def test_what_stands_in_the_tree_is_a_part_of_the_whole(name: str) -> None:
    part, package = in_tree()[name], whole()[name]
    assert part
    assert part.items() < package.items()


def test_the_tree_holds_no_more_than_can_be_read() -> None:
    held = [path for path in found(EXAMPLES) if "__pycache__" not in path]
    assert len(held) < MOST_FILES
    assert {path.partition("/")[0] for path in held if "/" in path} == {*TREE, "builder"}


@pytest.mark.parametrize("name", PACKAGES)
def test_the_script_writes_every_package_whole(name: str, packages: Path) -> None:
    assert found(packages / name) == whole()[name]


def test_the_check_finds_the_tree_fresh() -> None:
    done = run(("--check",), command=SCRIPT, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("change", ["edit", "add", "remove"])
def test_the_check_names_what_differs(change: str, tmp_path: Path) -> None:
    _tree(tmp_path)
    path = "withdrawn/closed/Birchtown/systems/one-host-405b.yaml"
    if change == "edit":
        (tmp_path / path).write_text("mine\n")
    elif change == "add":
        path = "withdrawn/notes.txt"
        (tmp_path / path).write_text("mine\n")
    else:
        (tmp_path / path).unlink()
    done = run(("--check", str(tmp_path)), command=SCRIPT, cwd=ROOT)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"{tmp_path / path} is stale",
        "`python -m examples.make --tree` writes what should stand there.",
    ]


def test_the_check_finds_whole_packages_too_many(tmp_path: Path) -> None:
    make(tmp_path, whole())
    done = run(("--check", str(tmp_path)), command=SCRIPT, cwd=ROOT)
    assert done.returncode == 1
    assert f"{tmp_path}/clean/closed/Ashgrove/systems/nvme-1.yaml is stale" in done.stderr


def test_the_part_of_the_tree_is_mended_after_it_was_removed(tmp_path: Path) -> None:
    _tree(tmp_path)
    shutil.rmtree(tmp_path / "clean")
    assert _tree(tmp_path).stdout == f"57 files of 3 packages in {tmp_path}\n"
    assert stale(tmp_path, in_tree()) == []


def test_the_output_hangs_on_no_hash_seed(packages: Path, tmp_path: Path) -> None:
    done = run((str(tmp_path),), command=SCRIPT, cwd=ROOT, variables={"PYTHONHASHSEED": "7"})
    assert done.returncode == 0, done.stderr
    assert (tmp_path / MADE).read_bytes() == (packages / MADE).read_bytes()


def test_it_writes_over_its_own(tmp_path: Path) -> None:
    assert make(tmp_path, whole()) == make(tmp_path, whole())


@pytest.mark.parametrize("change", ["edit", "add", "remove"])
def test_it_never_writes_over_what_is_not_its_own(change: str, tmp_path: Path) -> None:
    make(tmp_path, whole())
    file = tmp_path / "clean/closed/Ashgrove/systems/nvme-1.yaml"
    if change == "edit":
        file.write_text("mine\n")
    elif change == "add":
        (tmp_path / "clean/notes.txt").write_text("mine\n")
    else:
        file.unlink()
    before = found(tmp_path)
    with pytest.raises(ForeignError, match=r"clean holds something .* edited since; move it away"):
        make(tmp_path, whole())
    assert found(tmp_path) == before


def test_a_folder_of_somebody_else_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "wrong").mkdir()
    (tmp_path / "wrong/thesis.txt").write_text("mine\n")
    done = run((str(tmp_path),), command=SCRIPT, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: ")
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["wrong"]


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run((str(tmp_path / "file"),), command=SCRIPT, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: ")
    assert "Traceback" not in done.stderr


def test_there_are_leaves() -> None:
    assert len(LEAVES) > 40
    assert {leaf.parts[-2] for leaf in LEAVES} == {"llama3-8b", "llama3-70b", "llama3-405b", "llama3-1t"}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: f"{leaf.parts[-4]}-{leaf.name}")
def test_a_leaf_is_whole(leaf: Path, packages: Path) -> None:
    leaf = packages / leaf
    assert all((leaf / name).is_file() for name in REQUIRED)
    assert {path.stem for path in (leaf / "dlio_config").iterdir()} == {"config", "hydra", "overrides"}
    assert list(leaf.glob("[0-9]*_output.json"))
    assert list(leaf.glob("[0-9]*_per_epoch_stats.json"))
    assert (leaf / f"checkpointing_{leaf.name}_metadata.json").is_file()
    division, org, _, system = leaf.parts[-7:-3]
    systems = leaf.parents[4] / "systems"
    assert (division, org) == leaf.parts[-7:-5]
    assert (systems / f"{system}.yaml").is_file()
    assert (systems / f"{system}.pdf").read_bytes().startswith(b"%PDF-")
    assert (leaf.parent / "results.json").is_file() or system == "unfinished"
    pointer = (leaf / ".mlps-code-image").read_text().removeprefix("md5-tree-v2:")
    root = leaf.parents[6]
    pools = [root / "code-images", root / org]
    assert any((pool / f"code-{pointer[:8]}/.code-hash.json").is_file() for pool in pools)


@pytest.mark.parametrize("leaf", READABLE, ids=lambda leaf: f"{leaf.parts[-4]}-{leaf.name}")
def test_the_files_of_a_leaf_agree(leaf: Path, packages: Path) -> None:
    """The summary's figures are those of the steps, the configuration is the recorded one."""
    leaf = packages / leaf
    summary, metadata = _json(leaf / "summary.json"), _json(next(leaf.glob("*_metadata.json")))
    epoch = _json(leaf / "0_per_epoch_stats.json")["1"]
    for phase in ("save", "load"):
        spent = [float(step["duration"]) for name, step in epoch.items() if name.startswith(f"{phase}_ckpt")]
        mean = summary["metric"].get(f"{phase}_checkpoint_duration_mean_seconds")
        assert (mean is None) == (not spent)
        assert mean is None or abs(mean - sum(spent) / len(spent)) < 1e-6
    ends = [datetime.fromisoformat(step["end"]) for step in epoch.values() if isinstance(step, dict)]
    assert ends == sorted(ends)
    recorded = metadata.get("parameters") or metadata.get("combined_params")
    assert yaml.safe_load((leaf / "dlio_config/config.yaml").read_text())["workload"] == recorded


def test_a_clean_leaf_keeps_the_files_of_every_rank(packages: Path) -> None:
    [leaf] = [packages / leaf for leaf in LEAVES if leaf.parts[-4] == "nvme-1"]
    ranks = {int(path.name.partition("_")[0]) for path in leaf.glob("[0-9]_output.json")}
    assert ranks == set(range(PROCESSES["8B"]))


def test_a_code_image_is_named_by_what_it_holds() -> None:
    """The digest leaves tests out and takes paths and contents of everything else."""
    number, files = code_image("4.0.3")
    assert f"code-images/code-{number[:8]}/.code-hash.json" in files
    assert digest() == digest({**SOURCE, "tests/data/summary.json": b"another"})
    assert digest() != digest({**SOURCE, "pyproject.toml": b"another"})


def _tree(folder: Path) -> subprocess.CompletedProcess[str]:
    done = run(("--tree", str(folder)), command=SCRIPT, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done


def _json(path: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads(path.read_text("utf-8-sig"))
    return held
