"""The packages in examples/ are what the script writes, whole, consistent, and safe from it."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from examples.builder.leaf import PROCESSES
from examples.builder.surroundings import SOURCE, code_image, digest
from examples.make import MADE, PACKAGES, ForeignError, found, make
from tests.command import ROOT, run

EXAMPLES = ROOT / "examples"
SCRIPT = (sys.executable, "-m", "examples.make")
REQUIRED = ("checkpointing_run.stdout.log", "checkpointing_run.stderr.log", "dlio.log", ".mlps-code-image")
LEAVES = sorted(
    path
    for name in PACKAGES
    for path in (EXAMPLES / name).glob("*/*/results/*/checkpointing/*/[0-9]*_[0-9]*")
)
SPOILED = {"pruned", "not-a-number", "said-twice"}
READABLE = [leaf for leaf in LEAVES if (leaf / "summary.json").is_file() and leaf.parts[-4] not in SPOILED]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("examples")
    make(root)
    return root


@pytest.mark.parametrize("name", PACKAGES)
def test_the_checked_in_packages_are_what_the_script_writes(name: str, written: Path) -> None:
    there, here = found(EXAMPLES / name), found(written / name)
    stale = sorted(path for path in there.keys() | here.keys() if there.get(path) != here.get(path))
    assert not stale, f"{stale[:5]} are stale; `.venv/bin/python -m examples.make` mends them"
    assert (EXAMPLES / MADE).read_bytes() == (written / MADE).read_bytes()


def test_the_output_hangs_on_no_hash_seed(written: Path, tmp_path: Path) -> None:
    done = run((str(tmp_path),), command=SCRIPT, cwd=tmp_path, variables={"PYTHONHASHSEED": "7"})
    assert done.returncode == 0, done.stderr
    assert (tmp_path / MADE).read_bytes() == (written / MADE).read_bytes()


def test_it_writes_over_its_own(tmp_path: Path) -> None:
    assert make(tmp_path) == make(tmp_path)


@pytest.mark.parametrize("change", ["edit", "add", "remove"])
def test_it_never_writes_over_what_is_not_its_own(change: str, tmp_path: Path) -> None:
    make(tmp_path)
    file = tmp_path / "clean/closed/Ashgrove/systems/nvme-1.yaml"
    if change == "edit":
        file.write_text("mine\n")
    elif change == "add":
        (tmp_path / "clean/notes.txt").write_text("mine\n")
    else:
        file.unlink()
    before = found(tmp_path)
    with pytest.raises(ForeignError, match=r"clean holds something .* edited since; move it away"):
        make(tmp_path)
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
def test_a_leaf_is_whole(leaf: Path) -> None:
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
def test_the_files_of_a_leaf_agree(leaf: Path) -> None:
    """The summary's figures are those of the steps, the configuration is the recorded one."""
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


def test_a_clean_leaf_keeps_the_files_of_every_rank() -> None:
    [leaf] = [leaf for leaf in LEAVES if leaf.parts[-4] == "nvme-1"]
    ranks = {int(path.name.partition("_")[0]) for path in leaf.glob("[0-9]_output.json")}
    assert ranks == set(range(PROCESSES["8B"]))


def test_a_code_image_is_named_by_what_it_holds() -> None:
    """The digest leaves tests out and takes paths and contents of everything else."""
    number, files = code_image("4.0.3")
    assert f"code-images/code-{number[:8]}/.code-hash.json" in files
    assert digest() == digest({**SOURCE, "tests/data/summary.json": b"another"})
    assert digest() != digest({**SOURCE, "pyproject.toml": b"another"})


def _json(path: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads(path.read_text("utf-8-sig"))
    return held
