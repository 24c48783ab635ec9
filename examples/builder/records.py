"""The documents of a leaf that are judged: metadata, summary and the probe of its two folders.

They have the keys, the order and the habits of the field's tool: host memory that is no list by
host, times without a zone, "GB" that means GiB.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from examples.builder.clock import began, ended, figures
from examples.builder.leaf import DROP, FOLDERS, TABLES, Leaf

OLD_NAMES = {
    "parameters": "combined_params",
    "override_parameters": "params_dict",
    "benchmark_type": "program",
}
OBJECT_KEYS = {
    "storage.storage_type": "s3",
    "storage.storage_root": "bucket-1",
    "storage.storage_options.storage_library": "s3dlio",
    "storage.storage_options.uri_scheme": "s3",
    "storage.s3_force_path_style": "true",
}
UTC_OFFSET = timedelta(hours=2)
"""Of the hosts' clocks; the collector and the probe record UTC."""

CPUS = 64  # of one host


def metadata_of(leaf: Leaf) -> dict[str, Any]:
    """What the tool records of a leaf's launch."""
    overrides = overrides_of(leaf)
    args: dict[str, Any] = {
        "mode": leaf.division.lower() if leaf.division.lower() in ("closed", "open", "whatif") else None,
        "benchmark": leaf.family,
        "command": leaf.command,
        "hosts": list(leaf.host_names),
        "client_host_memory_in_gb": leaf.host_memory
        if leaf.declared_memory is None
        else leaf.declared_memory,
        "model": FOLDERS[leaf.model],
        "num_processes": leaf.count,
        "results_dir": leaf.results_folder,
        "systemname": leaf.system,
        "orgname": leaf.org,
        "checkpoint_folder": leaf.checkpoint_folder,
        "num_checkpoints_read": leaf.reads,
        "num_checkpoints_write": leaf.writes,
        "loops": 1,
        "params": "",
    }
    if leaf.command == "run":
        args["data_access_protocol"] = leaf.access
    if leaf.accelerator is not None:
        args["accelerator_type"] = leaf.accelerator
    if leaf.claim is not None:
        args["checkpoint_subset"] = leaf.claim
    found: dict[str, Any] = {
        "benchmark_type": leaf.family,
        "model": FOLDERS[leaf.model],
        "command": leaf.command,
        "run_datetime": leaf.stamp,
        "num_processes": leaf.count,
        "accelerator": leaf.accelerator,
        "parameters": parameters_of(leaf),
        "override_parameters": overrides,
        "system_info": {
            "total_memory_bytes": round(leaf.host_memory * leaf.host_count * 2**30),
            "num_hosts": leaf.host_count,
            "hosts": [],
        },
        "runtime": leaf.seconds,
        "verification": leaf.verification if leaf.command == "run" else None,
        "executed_command": command_of(leaf) if leaf.command == "run" else None,
        "args": args,
    }
    if leaf.bookends in ("both", "start"):
        found["invocation_start_time"] = leaf.start.isoformat()
    if leaf.bookends == "both":
        found["invocation_end_time"] = (leaf.start + timedelta(seconds=leaf.seconds)).isoformat()
    return found


def finished(metadata: dict[str, Any], leaf: Leaf) -> dict[str, Any]:
    """The metadata under the names of the leaf's tool, and with what the leaf wants changed."""
    if leaf.names == "old":
        args = metadata["args"]
        mode = args.pop("mode")
        args |= {"closed": mode == "closed", "open": mode == "open", "what_if": mode == "whatif"}
        metadata = {OLD_NAMES.get(key, key): value for key, value in metadata.items()}
    return changed(metadata, leaf.metadata)


def summary_of(leaf: Leaf) -> dict[str, Any]:
    """What the workload records of itself: its own times lie within the invocation's.

    Where no bookend is recorded they are the leaf's start and end, so that a test can place them.
    """
    # Block-mapped runs record the memory of all hosts in the first entries and nothing in the others.
    filled = max(1, leaf.host_count // 4)
    empty = leaf.host_count - filled
    share = leaf.host_memory * leaf.host_count / filled
    found = {
        "start": began(leaf).isoformat(),
        "num_accelerators": leaf.count if leaf.accelerators is None else leaf.accelerators,
        "num_hosts": leaf.host_count,
        "hostname": leaf.host_names[0],
        "metric": figures(leaf),
        "num_files_train": 8,
        "num_files_eval": 0,
        "num_samples_per_file": 1,
        "host_cpu_count": [CPUS * leaf.host_count // filled] * filled + [0] * empty,
        "host_processor_name": "x86_64",
        "potential_caching": [1] * filled + [0] * empty,
        "host_cpuinfo": {"model name": "Example CPU"},
        "host_meminfo": {"MemTotal": f"{round(leaf.host_memory * 2**20)} kB"},
        "host_memory_GB": [share] * filled + [0.0] * empty,
        "data_size_per_host_GB": 0.00048828125 / leaf.host_count,
        "epochs": 0,
        "end": ended(leaf).isoformat(),
    }
    return changed(found, leaf.summary)


def separation_of(leaf: Leaf) -> dict[str, Any]:
    """What the probe of the two folders' filesystems records."""
    return {
        "version": 1,
        "method": "link_exdev",
        "data_or_chkpt_path": leaf.checkpoint_folder,
        "results_path": leaf.results_folder,
        "data_or_chkpt_realpath": leaf.checkpoint_folder,
        "results_realpath": leaf.results_folder,
        "same_filesystem": leaf.same_filesystem,
        "probed_at": f"{(leaf.start - UTC_OFFSET + timedelta(seconds=3)).isoformat(timespec='seconds')}Z",
        "probed_by_rank": 0,
        "probed_by_host": leaf.host_names[0],
    }


def overrides_of(leaf: Leaf) -> dict[str, object]:
    """The parameters that the tool, and perhaps the submitter, set over the template."""
    found: dict[str, object] = {**(OBJECT_KEYS if leaf.access == "object" else {})}
    found["checkpoint.num_checkpoints_read"] = leaf.reads
    found["checkpoint.num_checkpoints_write"] = leaf.writes
    found["checkpoint.checkpoint_folder"] = _model_folder(leaf)
    if leaf.partial:
        found |= {"checkpoint.mode": "subset", "model.parallelism.data": 1}
    return {**found, **leaf.overrides}


def parameters_of(leaf: Leaf) -> dict[str, Any]:
    """The configuration that ran: the template, Table 2's numbers of the model, the counts."""
    row = TABLES["table2"][leaf.model]
    held: dict[str, object] = {
        **{key: row[str(found["row"])] for key, found in TABLES["template_rows"].items()},
        **{key: found["value"] for key, found in TABLES["template"].items()},
        "checkpoint.checkpoint_folder": _model_folder(leaf),
        "checkpoint.num_checkpoints_write": leaf.writes,
        "checkpoint.num_checkpoints_read": leaf.reads,
    }
    return changed({}, held)


def command_of(leaf: Leaf) -> str:
    """The launcher's command line as it was executed."""
    given = " ".join(f"++workload.{key}={value}" for key, value in overrides_of(leaf).items())
    hosts = ",".join(leaf.placed)
    return (
        f"mpirun -n {leaf.count} -host {hosts} --bind-to none --map-by node --allow-run-as-root"
        f" /opt/storage/.venv/bin/dlio_benchmark workload={workload_of(leaf)}"
        f" ++hydra.run.dir={result_folder(leaf)} ++hydra.output_subdir=dlio_config {given}"
        " --config-dir=/opt/storage/configs/dlio"
    )


def workload_of(leaf: Leaf) -> str:
    """The name of the workload's template."""
    return FOLDERS[leaf.model].replace("-", "_")


def result_folder(leaf: Leaf) -> str:
    """Where the leaf stood while it ran."""
    return f"{(leaf.results_folder or '').rstrip('/')}/{leaf.path}"


def changed(held: dict[str, Any], changes: Mapping[str, object]) -> dict[str, Any]:
    """The document with dotted keys set; steps are parted by slashes where a key has dots itself."""
    for key, value in changes.items():
        *steps, last = key.split("/" if "/" in key else ".")
        place = held
        for step in steps:
            place = place.setdefault(step, {})
        if value is DROP:
            place.pop(last, None)
        else:
            place[last] = value
    return held


def _model_folder(leaf: Leaf) -> str | None:
    folder = leaf.checkpoint_folder
    if folder is None:
        return None
    return f"{folder.removeprefix('s3://').rstrip('/')}/{FOLDERS[leaf.model]}"
