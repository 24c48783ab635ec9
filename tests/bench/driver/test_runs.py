"""Whole runs that end well: the leaf, its fields, and what validate reads in it."""

from __future__ import annotations

import itertools
import json
import re
import shlex
import shutil
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from bench.record.results import PENDING
from bench.workload.layout import rank_files, step_folder
from engine.sizing import GIB, checkpoint
from tests.bench.models import LAYOUTS
from tests.bench.runs import Bed, as_closed, assert_nothing_left, errors, strict, validated
from tests.bench.storage.engines import content, flip
from tests.command import run

SCALE = "0.0002"

METRIC = {
    "io_mean_GB_per_second",
    "io_stdev_GB_per_second",
    "io_total_GB_per_second",
    "duration_mean_seconds",
    "duration_stdev_seconds",
}
SUMMARY = {
    "start", "end", "num_accelerators", "num_hosts", "hostname", "metric", "num_files_train",
    "num_files_eval", "num_samples_per_file", "host_cpu_count", "host_processor_name", "potential_caching",
    "host_cpuinfo", "host_meminfo", "host_memory_GB", "data_size_per_host_GB", "epochs",
}  # fmt: skip
METADATA = {
    "benchmark_type", "model", "command", "run_datetime", "num_processes", "accelerator", "result_dir",
    "parameters", "override_parameters", "system_info", "runtime", "invocation_start_time",
    "invocation_end_time", "verification", "executed_command", "command_output_files", "args", "exit_status",
}  # fmt: skip


def test_the_files_are_those_of_the_layout_with_the_bytes_of_the_pattern(eight: Bed) -> None:
    layout, found = LAYOUTS["8B"], eight.files()
    expected = {
        f"llama3-8b/{step_folder(step)}/{file.name}": file.size
        for step in (1, 2)
        for rank in range(8)
        for file in rank_files(layout, 8, rank)
    }
    assert found.keys() == expected.keys()
    for name, size in expected.items():
        scaled = int(size * 2 / 10_000)
        assert found[name].read_bytes() == content(name, scaled)


def test_the_leaf_holds_all_documents_and_nothing_that_is_pending(eight: Bed) -> None:
    leaf = eight.leaf()
    stamp = leaf.name
    names = {str(path.relative_to(leaf)) for path in leaf.rglob("*") if path.is_file()}
    ranks = {f"{rank}_{kind}.json" for rank in range(8) for kind in ("output", "per_epoch_stats")}
    assert re.fullmatch(r"\d{8}_\d{6}", stamp)
    assert names >= {
        "summary.json", f"checkpointing_{stamp}_metadata.json", "fs_separation.json", "dlio.log",
        "checkpointing_run.stdout.log", "checkpointing_run.stderr.log", "dlio_config/config.yaml",
        "dlio_config/hydra.yaml", "dlio_config/overrides.yaml", *ranks,
    }  # fmt: skip
    assert PENDING not in names
    assert not [name for name in names if Path(name).name.startswith(".")]
    assert {path.name for path in (leaf / "dlio_config").iterdir()} == {
        "config.yaml", "hydra.yaml", "overrides.yaml",
    }  # fmt: skip


def test_every_field_that_users_tools_read_is_there(eight: Bed) -> None:
    leaf = eight.leaf()
    documents = {path.name: strict(path) for path in leaf.glob("*.json")}
    summary = documents["summary.json"]
    assert summary.keys() >= SUMMARY
    assert summary["metric"].keys() >= {
        f"{phase}_checkpoint_{figure}" for phase in ("save", "load") for figure in METRIC
    }
    assert eight.metadata().keys() >= METADATA
    for rank in range(8):
        epoch = documents[f"{rank}_per_epoch_stats.json"]["1"]
        assert epoch.keys() == {"start", "end", "save_ckpt1", "save_ckpt2", "load_ckpt1", "load_ckpt2"}
        for name in ("save_ckpt1", "load_ckpt2"):
            assert epoch[name].keys() >= {"start", "end", "duration", "throughput"}
        assert documents[f"{rank}_output.json"]["1"].keys() == epoch.keys() - {"start", "end"}


def test_the_summary_counts_what_was_done(eight: Bed) -> None:
    leaf = eight.leaf()
    summary = strict(leaf / "summary.json")
    outputs = [strict(leaf / f"{rank}_output.json") for rank in range(8)]
    size = sum(path.stat().st_size for path in eight.files().values()) // 2
    assert summary["metric"]["checkpoint_size_GB"] == size / GIB
    assert summary["data_size_per_host_GB"] == size / GIB
    assert (summary["num_accelerators"], summary["num_hosts"]) == (8, 1)
    assert len(summary["host_memory_GB"]) == len(summary["host_cpu_count"]) == 1
    for operation in ("save_ckpt1", "save_ckpt2", "load_ckpt1", "load_ckpt2"):
        assert sum(output["1"][operation]["bytes"] for output in outputs) == size
    # Two files and their folder, on every rank; reading syncs nothing.
    assert [output["1"]["save_ckpt1"]["fsyncs"] for output in outputs] == [3] * 8
    assert [output["1"]["load_ckpt1"]["fsyncs"] for output in outputs] == [0] * 8
    assert [output["reads_files_of_rank"] for output in outputs] == [1, 2, 3, 4, 5, 6, 7, 0]


def test_the_figures_are_those_of_the_slowest_rank(eight: Bed) -> None:
    leaf = eight.leaf()
    metric = strict(leaf / "summary.json")["metric"]
    outputs = [strict(leaf / f"{rank}_output.json")["1"] for rank in range(8)]
    epochs = [strict(leaf / f"{rank}_per_epoch_stats.json")["1"] for rank in range(8)]
    for phase, prefix in (("save", "save_checkpoint"), ("load", "load_checkpoint")):
        names = [f"{phase}_ckpt{number}" for number in (1, 2)]
        slowest = [max(output[name]["seconds"] for output in outputs) for name in names]
        assert [{epoch[name]["duration"] for epoch in epochs} for name in names] == [{s} for s in slowest]
        rates = [metric["checkpoint_size_GB"] / seconds for seconds in slowest]
        assert [epochs[0][name]["throughput"] for name in names] == rates
        assert metric[f"{prefix}_duration_mean_seconds"] == pytest.approx(sum(slowest) / 2)
        assert metric[f"{prefix}_io_mean_GB_per_second"] == pytest.approx(sum(rates) / 2)
        total = 2 * metric["checkpoint_size_GB"] / sum(slowest)
        assert metric[f"{prefix}_io_total_GB_per_second"] == pytest.approx(total)
        assert metric[f"{prefix}_io_stdev_GB_per_second"] == pytest.approx(abs(rates[0] - rates[1]) / 2)


def test_times_are_in_order(eight: Bed) -> None:
    held, summary = eight.metadata(), strict(eight.leaf() / "summary.json")
    epoch = strict(eight.leaf() / "0_per_epoch_stats.json")["1"]
    names = ("save_ckpt1", "save_ckpt2", "load_ckpt1", "load_ckpt2")
    times = [held["invocation_start_time"], summary["start"], epoch["start"]]
    times += [epoch[name][end] for name in names for end in ("start", "end")]
    times += [epoch["end"], summary["end"], held["invocation_end_time"]]
    read = [datetime.fromisoformat(time) for time in times]
    assert all(first <= then for first, then in itertools.pairwise(read))
    assert all(time.utcoffset() is not None for time in read)


def test_the_metadata_says_what_was_asked_for(eight: Bed) -> None:
    held = eight.metadata()
    assert (held["model"], held["num_processes"], held["accelerator"]) == ("llama3-8b", 8, "b200")
    assert (held["exit_status"], held["verification"]) == (0, None)
    assert held["args"]["mode"] == "whatif"
    assert held["args"]["checkpoint_subset"] is False
    assert held["override_parameters"]["checkpoint.num_checkpoints_write"] == 2
    assert held["override_parameters"]["checkpoint.checkpoint_folder"] == f"{eight.checkpoints}/llama3-8b"
    assert held["parameters"]["checkpoint"]["fsync"] is True
    assert "-n 8 " in held["executed_command"]
    assert any(map(str.isdigit, held["launcher"])), "the launcher is recorded with its version"


def test_the_configuration_files_say_the_same(eight: Bed) -> None:
    folder, held = eight.leaf() / "dlio_config", eight.metadata()
    config = yaml.safe_load((folder / "config.yaml").read_text("utf-8"))
    assert config["workload"] == held["parameters"]
    task = yaml.safe_load((folder / "overrides.yaml").read_text("utf-8"))
    assert task[0] == "workload=llama_8b"
    assert task[1:] == [f"++workload.{key}={value}" for key, value in held["override_parameters"].items()]


def test_validate_reads_the_leaf_without_an_evidence_finding(eight: Bed) -> None:
    findings = validated(eight.results)
    assert [subject["scope"] for subject in findings["subjects"]].count("leaf") == 1
    assert [f for f in findings["findings"] if f["rule"] == "evidence"] == []
    assert findings["summary"]["errors"] == 0
    assert findings["summary"]["earned"]["CLOSED"] == 0


@pytest.mark.slow
def test_with_the_subset_claim_the_same_files_are_written_and_the_record_alone_differs(
    eight: Bed, tmp_path: Path
) -> None:
    claimed = Bed(tmp_path)
    done = claimed.run("--checkpoint-subset", ranks=8)
    assert done.returncode == 0, done.stderr
    plain, marked = eight.files(), claimed.files()
    assert plain.keys() == marked.keys()
    assert all(path.read_bytes() == marked[name].read_bytes() for name, path in plain.items())
    one, other = _comparable(eight), _comparable(claimed)
    assert (one["args"].pop("checkpoint_subset"), other["args"].pop("checkpoint_subset")) == (False, True)
    assert one == other


def _comparable(bed: Bed) -> dict[str, Any]:
    """Metadata less its times, with the same name for every test's folder."""
    text = json.dumps(bed.metadata()).replace(str(bed.root), "/root").replace(bed.leaf().name, "STAMP")
    held: dict[str, Any] = json.loads(text)
    for name in ("runtime", "invocation_start_time", "invocation_end_time"):
        assert held.pop(name)
    return held


def test_a_second_run_into_the_same_folder_is_refused_before_anything_is_written(eight: Bed) -> None:
    before = {path: path.stat().st_mtime_ns for path in eight.root.rglob("*")}
    done = eight.run(ranks=8)
    assert done.returncode == 2
    assert f"{eight.checkpoints}/llama3-8b is not empty" in done.stderr
    assert "Traceback" not in done.stderr
    after = {path: path.stat().st_mtime_ns for path in eight.root.rglob("*") if path.is_file()}
    assert after.items() <= before.items()


def test_two_invocations_and_a_fault_between_them(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    done = bed.run(reads=0)
    assert done.returncode == 0, done.stderr
    summary = strict(bed.leaf() / "summary.json")
    assert not [name for name in summary["metric"] if name.startswith("load_")]
    name, path = sorted(bed.files().items())[1]
    offset = path.stat().st_size // 2
    was, now = flip(path, offset)
    done = bed.run(writes=0)
    assert done.returncode == 6
    said = " ".join(done.stderr.split())
    assert f"{path}: byte {offset} is 0x{now:02x}, 0x{was:02x} was written there" in said
    assert "Traceback" not in done.stderr
    (unfinished,) = [leaf for leaf in bed.leaves() if leaf.name.endswith(".unfinished")]
    (file,) = unfinished.glob("*_metadata.json")
    held = strict(file)
    assert held["exit_status"] == 6
    assert str(path) in held["failure"]
    flip(path, offset)
    done = bed.run(writes=0)
    assert done.returncode == 0, done.stderr
    (read,) = [leaf for leaf in bed.leaves() if leaf != unfinished and leaf.name != bed.leaves()[0].name]
    assert not [name for name in strict(read / "summary.json")["metric"] if name.startswith("save_")]
    path.unlink()
    done = bed.run(writes=0)
    # Told by the launcher where it sees the folder, else by the rank that does not find the file.
    assert done.returncode in (2, 6)
    assert Path(name).name in done.stderr
    assert_nothing_left(tmp_path)


def test_ranks_read_what_another_host_wrote(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    done = bed.run(ranks=4, writes=1, reads=1, variables={"MPIR_CVAR_NUM_CLIQUES": "2"})
    assert done.returncode == 0, done.stderr
    summary = strict(bed.leaf() / "summary.json")
    assert summary["num_hosts"] == 2
    assert len(summary["host_memory_GB"]) == len(summary["host_cpu_count"]) == 2
    assert summary["workload"]["read_on_another_host"] is True
    read = [strict(bed.leaf() / f"{rank}_output.json")["reads_files_of_rank"] for rank in range(4)]
    assert sorted(read) == [0, 1, 2, 3]
    assert all(abs(reader - owner) == 2 or (reader + owner) % 2 for reader, owner in enumerate(read))
    size = checkpoint(LAYOUTS["8B"], 4).total
    assert summary["data_size_per_host_GB"] == pytest.approx(size / GIB / 2 * float(SCALE), rel=1e-6)


def test_the_null_engine_runs_and_writes_no_checkpoint(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    done = bed.run("--io-engine", "null")
    assert done.returncode == 0, done.stderr
    assert not bed.checkpoints.exists()
    assert strict(bed.leaf() / "summary.json")["workload"]["engine"] == "null"


def test_what_is_recorded_names_the_folder_that_is_there(eight: Bed) -> None:
    leaf, held = eight.leaf(), eight.metadata()
    plan = shlex.split(held["executed_command"])[-1]
    assert plan == str(leaf / "plan.json")
    assert Path(plan).is_file()
    assert held["result_dir"] == str(leaf)
    texts = {path.name: path.read_text("utf-8") for path in leaf.rglob("*") if path.is_file()}
    assert [name for name, text in texts.items() if ".unfinished" in text] == []


@pytest.mark.slow
def test_the_recorded_command_can_be_run_again_and_leaves_the_record_alone(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    assert bed.run(writes=1, reads=1).returncode == 0
    before, files = _record(bed.leaf()), {name: path.read_bytes() for name, path in bed.files().items()}
    shutil.rmtree(bed.checkpoints / "llama3-8b")
    command = shlex.split(bed.metadata()["executed_command"])
    (bed.checkpoints / "llama3-8b").mkdir()
    again = run([], command=command)
    assert again.returncode == 0, again.stderr
    assert "save_checkpoint_io_mean_GB_per_second" in again.stdout
    assert {name: path.read_bytes() for name, path in bed.files().items()} == files
    assert _record(bed.leaf()) == before


def _record(leaf: Path) -> dict[str, bytes]:
    return {str(path.relative_to(leaf)): path.read_bytes() for path in leaf.rglob("*") if path.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["buffered", "direct"])
def test_the_other_engines(tmp_path: Path, engine: str) -> None:
    bed = Bed(tmp_path)
    done = bed.run("--io-engine", engine)
    if "no direct I/O" in done.stderr:
        pytest.skip(f"{tmp_path}: its filesystem has no direct I/O")
    assert done.returncode == 0, done.stderr
    assert strict(bed.leaf() / "summary.json")["workload"]["engine"] == engine


@pytest.mark.slow
def test_the_70b_model_on_64_ranks(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    done = bed.run(model="llama3-70b", ranks=64, scale="0.0005", writes=1, reads=1)
    assert done.returncode == 0, done.stderr
    files = bed.files()
    assert len(files) == 128
    whole = sum(file.size for rank in range(64) for file in rank_files(LAYOUTS["70B"], 64, rank))
    assert sum(path.stat().st_size for path in files.values()) == pytest.approx(whole * 0.0005, rel=1e-5)
    assert validated(bed.results)["summary"]["errors"] == 0
    assert_nothing_left(tmp_path)


def test_a_leaf_of_closed_shape_has_no_error_of_section_4(eight: Bed, tmp_path: Path) -> None:
    """What this workload records is what the clauses look for: counts and sizes alone are put in."""
    size = checkpoint(LAYOUTS["8B"], 8).total / GIB
    bed = _copied(eight, tmp_path)
    counts = {f"checkpoint.num_checkpoints_{word}": 10 for word in ("write", "read")}
    held = bed.metadata()
    held["override_parameters"].pop("checkpoint.time_between_checkpoints")
    held["parameters"]["checkpoint"] |= {
        "time_between_checkpoints": 5,
        "num_checkpoints_write": 10,
        "num_checkpoints_read": 10,
    }
    args: dict[str, Any] = {
        "num_checkpoints_write": "10",
        "num_checkpoints_read": "10",
        "params": [],
        "scale": None,
    }
    changes = {
        "override_parameters": held["override_parameters"] | counts,
        "parameters": held["parameters"],
        "args": held["args"] | args | {"mode": "closed"},
        "verification": "CLOSED",
    }
    leaf = bed.leaf()
    summary = strict(leaf / "summary.json")
    summary["metric"]["checkpoint_size_GB"] = size
    (leaf / "summary.json").write_text(json.dumps(summary), "utf-8")
    separation = strict(leaf / "fs_separation.json")
    separation["same_filesystem"] = False
    (leaf / "fs_separation.json").write_text(json.dumps(separation), "utf-8")
    findings = validated(as_closed(bed, changes), "--select", "4.")
    assert errors(findings) == []
    assert [f["message"] for f in findings["findings"] if f["rule"] == "evidence"] == []
    (earned,) = [s["earned"] for s in findings["subjects"] if s["scope"] == "leaf"]
    assert earned == "CLOSED"


def test_a_scaled_leaf_that_is_relabelled_as_closed_earns_nothing(eight: Bed, tmp_path: Path) -> None:
    findings = validated(as_closed(_copied(eight, tmp_path), {"verification": "CLOSED"}))
    assert findings["summary"]["earned"]["CLOSED"] == 0


def _copied(bed: Bed, folder: Path) -> Bed:
    shutil.copytree(bed.results, folder / "results")
    return Bed(folder)
