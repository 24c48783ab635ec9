"""A whole leaf as the field's tool leaves it: every file, as bytes below the package's root.

Each rank writes two JSON files. The examples keep those of rank 0, and of every rank where `ranks`
asks for them; a run that died left no more than it had got to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import yaml

from examples.builder.clock import began, ended, steps
from examples.builder.leaf import Leaf
from examples.builder.records import (
    CPUS,
    UTC_OFFSET,
    changed,
    finished,
    metadata_of,
    overrides_of,
    parameters_of,
    result_folder,
    separation_of,
    summary_of,
    workload_of,
)

Files = dict[str, bytes]
"""Contents by path, relative to a package."""

SAMPLING = 120  # seconds between two rows of the time series


def leaf_files(leaf: Leaf, *, ranks: int = 1) -> Files:
    """The files of a leaf. `ranks`: how many ranks' own files are kept."""
    held: dict[str, bytes] = {}
    if "metadata" not in leaf.without:
        held[f"{leaf.family}_{leaf.stamp}_metadata.json"] = as_json(_metadata(leaf))
    if leaf.code_image is not None:
        held[".mlps-code-image"] = f"md5-tree-v2:{leaf.code_image}".encode()
    if leaf.command == "run":
        held |= _of_the_run(leaf, ranks)
    return {f"{leaf.path}/{name}": content for name, content in held.items()}


def as_json(content: Mapping[str, object], indent: int = 2) -> bytes:
    """A JSON document as Python's own writer prints it, which the field's tools use."""
    return json.dumps(content, indent=indent).encode()


def _of_the_run(leaf: Leaf, ranks: int) -> dict[str, bytes]:
    held = {
        "checkpointing_run.stdout.log": _stdout(leaf),
        "checkpointing_run.stderr.log": b"",
        "dlio.log": _log(leaf),
        f"{leaf.family}_{leaf.stamp}_timeseries.json": _timeseries(leaf),
        **_configuration(leaf),
    }
    for rank in range(ranks):
        held[f"{rank}_output.json"] = as_json(_output(leaf, rank), 4)
        held[f"{rank}_per_epoch_stats.json"] = as_json(_per_epoch(leaf, rank))
    if "summary" not in leaf.without:
        held["summary.json"] = as_json(summary_of(leaf), 4)
    if "separation" not in leaf.without and leaf.access == "file" and leaf.same_filesystem is not None:
        held["fs_separation.json"] = as_json(separation_of(leaf))
    return held


def _metadata(leaf: Leaf) -> dict[str, Any]:
    """The judged core and, around it, what the tool records besides."""
    held = metadata_of(leaf)
    folder, begun = result_folder(leaf), leaf.start + timedelta(seconds=2)
    collected = _collected(leaf, begun)
    held["result_dir"] = folder
    held["system_info"] = collected
    # The collector copies its first look: the end says nothing that the start did not.
    held["cluster_snapshots"] = {"start": collected, "end": collected, "collection_method": "mpi"}
    held["args"] |= {
        "exec_type": "mpi",
        "mpi_bin": "mpirun",
        "oversubscribe": False,
        "allow_run_as_root": True,
        "mpi_params": None,
        "dlio_bin_path": None,
        "config_file": None,
        "debug": False,
        "verbose": False,
        "stream_log_level": "INFO",
        "dry_run": False,
        "skip_validation": False,
        "o_direct": False,
        "allow_invalid_params": False,
        "num_client_hosts": leaf.host_count,
    }
    if leaf.command == "run":
        held["timeseries_data"] = {
            "file": f"{leaf.family}_{leaf.stamp}_timeseries.json",
            "num_samples": len(_samples(leaf)),
            "interval_seconds": float(SAMPLING),
            "hosts_collected": list(leaf.host_names),
        }
        held["command_output_files"] = [
            {
                "command": held["executed_command"],
                "stdout": f"{folder}/checkpointing_run.stdout.log",
                "stderr": f"{folder}/checkpointing_run.stderr.log",
            }
        ]
    return finished(held, leaf)


def _collected(leaf: Leaf, at: datetime) -> dict[str, Any]:
    memory = round(leaf.host_memory * 2**30)
    return {
        "total_memory_bytes": memory * leaf.host_count,
        "total_cores": CPUS // 2 * leaf.host_count,
        "num_hosts": leaf.host_count,
        "min_memory_bytes": memory,
        "max_memory_bytes": memory,
        "collection_method": "mpi",
        "collection_timestamp": f"{(at - UTC_OFFSET).isoformat(timespec='seconds')}Z",
        "hosts": [
            {
                "hostname": host,
                "memory": {"total": memory, "available": memory // 100 * 96},
                "cpu": {"num_cores": CPUS // 2, "num_logical_cores": CPUS, "model": "Example CPU"},
            }
            for host in leaf.host_names
        ],
    }


def _configuration(leaf: Leaf) -> dict[str, bytes]:
    """The three files that hydra writes."""
    folder = result_folder(leaf)
    tasks = [f"++workload.{key}={value}" for key, value in overrides_of(leaf).items()]
    tasks = [f"workload={workload_of(leaf)}", *tasks]
    ran = [f"++hydra.run.dir={folder}", "++hydra.output_subdir=dlio_config", "hydra.mode=RUN"]
    hydra = {
        "run": {"dir": folder},
        "mode": "RUN",
        "output_subdir": "dlio_config",
        "overrides": {"hydra": ran, "task": tasks},
        "job": {"name": "main", "chdir": None, "config_name": "config"},
        "runtime": {"version": "1.3.3", "cwd": "/opt/storage", "output_dir": folder},
        "verbose": False,
    }
    parameters = changed({}, leaf.metadata).get("parameters", {})
    held = {"workload": _merged(parameters_of(leaf), parameters)}
    return {
        f"dlio_config/{name}.yaml": _yaml(content)
        for name, content in (("config", held), ("hydra", {"hydra": hydra}), ("overrides", tasks))
    }


def _merged(held: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """What the leaf changes of its recorded parameters stands in the configuration too."""
    for key, value in changes.items():
        held[key] = _merged(held[key], value) if isinstance(value, Mapping) else value
    return held


def _yaml(content: object) -> bytes:
    return yaml.safe_dump(content, sort_keys=False, width=1000).encode()


def _output(leaf: Leaf, rank: int) -> dict[str, Any]:
    host = rank * leaf.host_count // leaf.count
    return {
        "1": {"load": {}, "proc": {}, "throughput": {}, "compute": {}},
        "hostname": leaf.host_names[host],
        "my_rank": rank,
        "comm_size": leaf.count,
        "num_hosts": leaf.host_count,
        "host_memory_GB": leaf.host_memory,
        "host_cpu_count": CPUS,
    }


def _per_epoch(leaf: Leaf, rank: int) -> dict[str, Any]:
    """One rank's view: rank 0 is the slowest, so that its durations are those of the whole run."""
    epoch: dict[str, Any] = {"start": began(leaf).isoformat()}
    for step in steps(leaf):
        seconds = round(step.seconds * (1 - rank / 1000), 6)
        epoch[f"{step.phase}_ckpt{step.number}"] = {
            "start": step.start.isoformat(),
            "end": (step.start + timedelta(seconds=seconds)).isoformat(),
            "duration": f"{seconds:.6f}",
            "throughput": leaf.written / seconds,
        }
    return {"1": {**epoch, "end": ended(leaf).isoformat()}}


def _samples(leaf: Leaf) -> list[dict[str, Any]]:
    moments = [leaf.start + timedelta(seconds=at) for at in range(0, int(leaf.seconds), SAMPLING)]
    return [{"timestamp": at.isoformat(timespec="seconds"), "cpu_percent": 12.5} for at in moments]


def _timeseries(leaf: Leaf) -> bytes:
    rows = [{"hostname": leaf.host_names[0], **sample} for sample in _samples(leaf)]
    return json.dumps({"interval_seconds": float(SAMPLING), "samples": rows}).encode()


def _log(leaf: Leaf) -> bytes:
    names = {"save": "Checkpoint", "load": "Loading checkpoint"}
    lines = [f"[INFO] {began(leaf).isoformat()} Running DLIO with {leaf.count} process(es)"]
    for step in steps(leaf):
        end = step.start + timedelta(seconds=step.seconds)
        lines.append(f"[INFO] {end.isoformat()} {names[step.phase]} {step.number} took {step.seconds:.4f} s")
    return "".join(f"{line}\n" for line in lines).encode()


def _stdout(leaf: Leaf) -> bytes:
    lines = [f"[METRIC] Number of Simulated Accelerators: {summary_of(leaf).get('num_accelerators')}"]
    lines += [f"[METRIC] {name}: {value:.4f}" for name, value in summary_of(leaf)["metric"].items()]
    return "".join(f"{line}\n" for line in lines).encode()
