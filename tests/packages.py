"""Small packages with the shapes and quirks of real ones, for tests.

Values that a test does not name are those of a clean run of the model, so that a test says only
what is wrong. `write_leaf` writes one leaf, `write_split` the two of a split run, `write_system` a
system's description, `write_code_image` a code image; `spoil` makes a document unusable.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

START = datetime(2026, 7, 8, 6, 46, 13)
DROP: Final = object()
"""As a value in `metadata` or `summary`: leave the key out."""

PROCESSES = {"8B": 8, "70B": 64, "405B": 512, "1T": 1024}
FOLDERS = {"8B": "llama3-8b", "70B": "llama3-70b", "405B": "llama3-405b", "1T": "llama3-1t"}
SIZES = {  # GiB that a run on so many processes writes
    ("8B", 1): 13.09, ("8B", 4): 52.35, ("8B", 8): 104.70452117919922, ("8B", 16): 104.71,
    ("70B", 8): 113.90, ("70B", 16): 227.80, ("70B", 64): 911.2121276855469, ("70B", 128): 911.24,
    ("405B", 8): 98.54, ("405B", 256): 3024.13, ("405B", 512): 5292.248718261719, ("405B", 768): 5292.48,
    ("1T", 8): 143.72, ("1T", 512): 8815.13, ("1T", 1024): 15426.589264154434, ("1T", 1536): 15427.33,
}  # fmt: skip
LAYOUTS = {  # tensor, pipeline, ZeRO stage, layers, hidden, FFN, heads, KV heads
    "8B": (1, 1, 3, 32, 4096, 14336, 32, 8),
    "70B": (8, 1, 3, 80, 8192, 28672, 128, 8),
    "405B": (8, 32, 1, 126, 16384, 53248, 128, 8),
    "1T": (8, 64, 1, 128, 25872, 98304, 192, 32),
}
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One checkpointing leaf. None stands for what a clean run of the model records."""

    division: str = "closed"
    org: str = "OrgA"
    system: str = "sys-1"
    model: str = "8B"
    family: str = "checkpointing"
    workload: str | None = None  # the folder; by the model
    timestamp: str | None = None  # the folder; by the start
    command: str = "run"
    processes: int | None = None
    accelerators: int | None = None
    hosts: int | None = None
    slots: bool = True  # the launcher's host list carries `:N`
    memory: float | None = None  # GiB of one host
    declared_memory: float | None = None
    size: float | None = None  # GiB of one checkpoint
    writes: int = 10
    reads: int = 10
    claim: bool | None = None
    partial: bool = False
    accelerator: str | None = "b200"
    access: str = "file"
    same_filesystem: bool | None = False  # None: not probed
    verification: str | None = "CLOSED"
    names: str = "new"  # old: the keys of older tools
    start: datetime = START
    seconds: float = 300
    bookends: str = "both"  # both, start, none: what the tool recorded around the summary's times
    checkpoint_folder: str | None = "/ckpt"
    results_folder: str | None = "/results"
    code_image: str | None = None  # 32 hex digits
    overrides: Mapping[str, object] = field(default_factory=dict)
    metadata: Mapping[str, object] = field(default_factory=dict)  # "args.model": ..., or with slashes
    summary: Mapping[str, object] = field(default_factory=dict)
    without: tuple[str, ...] = ()  # metadata, summary, separation

    @property
    def count(self) -> int:
        """Processes."""
        return PROCESSES[self.model] if self.processes is None else self.processes

    @property
    def host_count(self) -> int:
        """Hosts, 8 accelerators on each."""
        return -(-self.count // 8) if self.hosts is None else self.hosts

    @property
    def written(self) -> float:
        """GiB of one checkpoint."""
        full = SIZES[self.model, PROCESSES[self.model]]
        return SIZES.get((self.model, self.count), full) if self.size is None else self.size

    @property
    def host_memory(self) -> float:
        """GiB of one host, small enough that no client cache holds a checkpoint."""
        return self.written / self.host_count / 4 if self.memory is None else self.memory

    @property
    def stamp(self) -> str:
        """The leaf's folder."""
        return self.start.strftime("%Y%m%d_%H%M%S") if self.timestamp is None else self.timestamp

    @property
    def path(self) -> str:
        """The leaf relative to the package."""
        workload = FOLDERS[self.model] if self.workload is None else self.workload
        return f"{self.division}/{self.org}/results/{self.system}/{self.family}/{workload}/{self.stamp}"


def write_leaf(root: Path, leaf: Leaf | None = None, /, **changes: Any) -> Path:
    """Writes a leaf below the package's root and returns its folder."""
    leaf = replace(leaf or Leaf(), **changes)
    folder = root / leaf.path
    folder.mkdir(parents=True)
    if "metadata" not in leaf.without:
        name = f"{leaf.family}_{leaf.stamp}_metadata.json"
        _write(folder / name, _changed(metadata_of(leaf), leaf.metadata))
    if "summary" not in leaf.without and leaf.command == "run":
        _write(folder / "summary.json", _changed(summary_of(leaf), leaf.summary))
    if "separation" not in leaf.without and leaf.access == "file" and leaf.same_filesystem is not None:
        _write(folder / "fs_separation.json", separation_of(leaf))
    if leaf.code_image is not None:
        (folder / ".mlps-code-image").write_text(f"md5-tree-v2:{leaf.code_image}", "utf-8")
    return folder


def write_split(
    root: Path, leaf: Leaf | None = None, /, *, gap: float = 5, **changes: Any
) -> tuple[Path, Path]:
    """Writes a run's two halves; the read half starts `gap` seconds after the write half ended."""
    first = replace(leaf or Leaf(), **{"writes": 10, "reads": 0, **changes})
    second = replace(first, writes=0, reads=10, start=first.start + timedelta(seconds=first.seconds + gap))
    return write_leaf(root, first), write_leaf(root, second)


def write_system(
    root: Path,
    *,
    division: str = "closed",
    org: str = "OrgA",
    system: str = "sys-1",
    names: str = "new",  # text: the keys as the published text spells them
    api: str = "file",
    **capabilities: object,
) -> Path:
    """Writes a system's description. DROP as a capability's value leaves it out."""
    held: dict[str, object] = {
        "multi_host": True,
        "simultaneous_write": True,
        "simultaneous_read": True,
        "remap_time_in_seconds": 0,
        **capabilities,
    }
    if names == "text":
        spelled = {"simultaneous_read": "simultaneous_read__support"}
        held = {
            spelled.get(key, key if key.startswith("remap") else f"{key}_support"): value
            for key, value in held.items()
        }
    file = root / division / org / "systems" / f"{system}.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = ["system_under_test:", "  solution:", f'    submission_name: "{system}"', "    architecture:"]
    lines += [f'      benchmark_API: "{api}"', "    capabilities:"]
    lines += [f"      {key}: {_scalar(value)}" for key, value in held.items() if value is not DROP]
    file.write_text("\n".join(["---", *lines, "  deployment: onprem", ""]), "utf-8")
    return file


def write_code_image(root: Path, digest: str, *, version: str = "3.0.46", pool: str = "code-images") -> Path:
    """Writes a code image's identity. `pool` is a folder below the root."""
    folder = root / pool / f"code-{digest[:8]}"
    folder.mkdir(parents=True)
    identity = {"hash": digest, "algorithm": "md5-tree-v2", "captured_at": "2026-07-01T10:00:00Z"}
    _write(folder / ".code-hash.json", {**identity, "mlpstorage_version": version, "git_sha": None})
    return folder


SPOILED: Mapping[str, bytes] = {
    "empty": b"",
    "blank": b" \n",
    "truncated": b'{"args": {"model": "llama3-8b", "num_pro',
    "pruned": b"PRUNED BY STAFF\n",
    "binary": bytes(range(256)),
    "list": b"[1, 2]",
    "scalar": b"3",
    "duplicate": b'{"args": {"model": "llama3-8b", "model": "llama3-70b"}}',
    "nan": b'{"metric": {"checkpoint_size_GB": NaN}}',
    "infinity": b'{"metric": {"checkpoint_size_GB": -Infinity}}',
    "huge": b'{"metric": {"checkpoint_size_GB": 1e999999999}}',
    "digits": b'{"num_processes": ' + b"9" * 10_000 + b"}",
    "deep": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
}
"""Contents of documents that cannot be used, by what is wrong with them."""


def spoil(folder: Path, document: str, kind: str) -> Path:
    """Replaces a leaf's document (`metadata`, `summary`, `fs_separation`) by an unusable one."""
    file = next(path for path in sorted(folder.iterdir()) if path.name.endswith(f"{document}.json"))
    file.write_bytes(SPOILED[kind])
    return file


def metadata_of(leaf: Leaf) -> dict[str, Any]:
    """What the tool records of a leaf's launch."""
    hosts = [f"host-{number:03}" for number in range(1, leaf.host_count + 1)]
    share, rest = divmod(leaf.count, leaf.host_count)
    listed = [f"{host}:{share + (place < rest)}" if leaf.slots else host for place, host in enumerate(hosts)]
    counts = {
        "checkpoint.num_checkpoints_read": leaf.reads,
        "checkpoint.num_checkpoints_write": leaf.writes,
    }
    model_folder = (
        None if leaf.checkpoint_folder is None else f"{leaf.checkpoint_folder}/{FOLDERS[leaf.model]}"
    )
    overrides: dict[str, object] = {**(OBJECT_KEYS if leaf.access == "object" else {}), **counts}
    overrides["checkpoint.checkpoint_folder"] = model_folder
    if leaf.partial:
        overrides |= {"checkpoint.mode": "subset", "model.parallelism.data": 1}
    overrides |= leaf.overrides
    memory = round(leaf.host_memory * leaf.host_count * 2**30)
    args: dict[str, Any] = {
        "mode": leaf.division.lower() if leaf.division.lower() in ("closed", "open", "whatif") else None,
        "benchmark": leaf.family,
        "command": leaf.command,
        "hosts": hosts,
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
    ran = f"mpirun -n {leaf.count} -host {','.join(listed)} dlio_benchmark workload={_llama(leaf)}"
    found: dict[str, Any] = {
        "benchmark_type": leaf.family,
        "model": FOLDERS[leaf.model],
        "command": leaf.command,
        "run_datetime": leaf.stamp,
        "num_processes": leaf.count,
        "accelerator": leaf.accelerator,
        "parameters": _parameters(leaf, model_folder),
        "override_parameters": overrides,
        "system_info": {"total_memory_bytes": memory, "num_hosts": leaf.host_count, "hosts": []},
        "runtime": leaf.seconds,
        "verification": leaf.verification if leaf.command == "run" else None,
        "executed_command": ran if leaf.command == "run" else None,
        "args": args,
    }
    if leaf.bookends in ("both", "start"):
        found["invocation_start_time"] = leaf.start.isoformat()
    if leaf.bookends == "both":
        found["invocation_end_time"] = (leaf.start + timedelta(seconds=leaf.seconds)).isoformat()
    if leaf.names == "old":
        mode = args.pop("mode")
        args |= {"closed": mode == "closed", "open": mode == "open", "what_if": mode == "whatif"}
        found = {OLD_NAMES.get(key, key): value for key, value in found.items()}
    return found


def summary_of(leaf: Leaf) -> dict[str, Any]:
    """What the workload records of itself: its own times lie within the invocation's.

    Where no bookend is recorded they are the leaf's start and end, so that a test can place them.
    """
    lead = timedelta(seconds=20 if leaf.bookends != "none" else 0)
    tail = timedelta(seconds=2 if leaf.bookends == "both" else 0)
    metric: dict[str, float] = {"checkpoint_size_GB": leaf.written}
    for prefix, count in (("save", leaf.writes), ("load", leaf.reads)):
        if count:
            metric |= {
                f"{prefix}_checkpoint_io_mean_GB_per_second": 48.18024515327689,
                f"{prefix}_checkpoint_io_stdev_GB_per_second": 0.503137661100349,
                f"{prefix}_checkpoint_duration_mean_seconds": 18.9146134,
                f"{prefix}_checkpoint_duration_stdev_seconds": 0.19595601231102866,
            }
    # Block-mapped runs record the memory of all hosts in the first entries and nothing in the others.
    filled = max(1, leaf.host_count // 4)
    share = leaf.host_memory * leaf.host_count / filled
    return {
        "start": (leaf.start + lead).isoformat(),
        "num_accelerators": leaf.count if leaf.accelerators is None else leaf.accelerators,
        "num_hosts": leaf.host_count,
        "hostname": "host-001",
        "metric": metric,
        "num_files_train": 8,
        "num_files_eval": 0,
        "num_samples_per_file": 1,
        "host_memory_GB": [share] * filled + [0.0] * (leaf.host_count - filled),
        "epochs": 0,
        "end": (leaf.start + timedelta(seconds=leaf.seconds) - tail).isoformat(),
    }


def separation_of(leaf: Leaf) -> dict[str, Any]:
    """What the probe of the two folders' filesystems records."""
    return {
        "version": 1,
        "method": "link_exdev",
        "data_or_chkpt_path": leaf.checkpoint_folder,
        "results_path": leaf.results_folder,
        "same_filesystem": leaf.same_filesystem,
        "probed_at": "2026-07-08T06:46:20Z",
        "probed_by_rank": 0,
        "probed_by_host": "host-001",
    }


def _llama(leaf: Leaf) -> str:
    return f"llama_{leaf.model.lower()}"


def _parameters(leaf: Leaf, model_folder: str | None) -> dict[str, Any]:
    tensor, pipeline, stage, layers, hidden, ffn, heads, kv_heads = LAYOUTS[leaf.model]
    return {
        "model": {
            "name": _llama(leaf),
            "type": "transformer",
            "num_layers": layers,
            "model_datatype": "fp16",
            "optimizer_datatype": "fp32",
            "parallelism": {"tensor": tensor, "pipeline": pipeline, "zero_stage": stage},
            "transformer": {
                "vocab_size": 128256,
                "hidden_size": hidden,
                "ffn_hidden_size": ffn,
                "num_attention_heads": heads,
                "num_kv_heads": kv_heads,
            },
        },
        "framework": "pytorch",
        "workflow": {"generate_data": False, "train": False, "checkpoint": True},
        "checkpoint": {
            "checkpoint_folder": model_folder,
            "time_between_checkpoints": 5,
            "num_checkpoints_write": leaf.writes,
            "num_checkpoints_read": leaf.reads,
            "fsync": True,
        },
    }


def _changed(held: dict[str, Any], changes: Mapping[str, object]) -> dict[str, Any]:
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


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return f'!!bool "{str(value).lower()}"'
    return f'!!int "{value}"' if isinstance(value, int) else json.dumps(value)


def _write(path: Path, content: Mapping[str, object]) -> None:
    path.write_text(json.dumps(content, indent=2), "utf-8")
