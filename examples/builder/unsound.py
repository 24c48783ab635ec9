"""The packages that do not hold: each system shows one thing that is wrong."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from examples.builder.clock import varied
from examples.builder.files import Files, as_json
from examples.builder.leaf import DROP, Leaf
from examples.builder.sound import BASE, day
from examples.builder.surroundings import PRUNED, code_image, split, system_files, workload_files


def withdrawn() -> Files:
    """Large models on 8 processes, published as CLOSED; 8B beside them, which is as it should be."""
    image, held = code_image("4.0.0")
    base = replace(BASE, org="Birchtown", code_image=image)
    for number, model in enumerate(("8B", "70B", "405B", "1T")):
        short = {"processes": 8, "partial": model != "8B", "model": model}
        leaf = varied(base, system=f"one-host-{model.lower()}", **short, **day(number))
        held |= system_files(leaf) | workload_files(leaf)
    return held


def wrong() -> Files:
    """One breach a system."""
    image, held = code_image("4.0.3")
    base = replace(BASE, org="Cedarholm", code_image=image, claim=False)
    for number, (system, changes) in enumerate(SINGLE.items()):
        leaf = varied(base, system=system, **changes, **day(number))
        held |= system_files(leaf, **CAPABILITIES.get(system, {})) | workload_files(leaf)
    for number, (system, gap) in enumerate(PAIRS.items(), start=len(SINGLE)):
        first, second = split(replace(base, system=system, **day(number)), gap=gap)
        if system == "tuned-read":
            quick = {"parameters.checkpoint.time_between_checkpoints": 1}
            overrides = {"checkpoint.time_between_checkpoints": 1}
            second = replace(second, overrides=overrides, metadata=quick)
        held |= system_files(first, **CAPABILITIES.get(system, {})) | workload_files(first, second)
    return held


SINGLE: dict[str, dict[str, Any]] = {
    "claim-on-70b": {"model": "70B", "claim": True},
    "two-hosts": {"hosts": 2, "memory": 12.0},
    "no-fsync": {"metadata": {"parameters.checkpoint.fsync": False}},
    "one-filesystem": {"results_folder": "/mnt/store/results", "same_filesystem": True},
    "one-folder": {
        "checkpoint_folder": "/mnt/./store/ckpt",
        "results_folder": "/mnt/store/ckpt/",
        "same_filesystem": True,
    },
    "h100": {"accelerator": "h100"},
    "sixteen": {"processes": 16, "hosts": 2, "memory": 12.0},
    "nine-open": {"division": "open", "model": "70B", "processes": 9, "hosts": 1, "partial": True},
    "five": {"writes": 5, "reads": 5},
    "write-only": {"reads": 0},
    "cached": {"memory": 512.0},
    "remap-stated": {},
    "remap-missing": {},
    "read-unstated": {},
}
"""Single invocations by system: what each changes of a clean one."""

PAIRS = {"late-read": 31.0, "tuned-read": 12.0, "short-remap": 20.0}
"""Split runs by system: seconds between the halves."""

CAPABILITIES: dict[str, dict[str, Any]] = {
    "remap-stated": {"remap_time_in_seconds": 30},
    "remap-missing": {"without": ("remap_time_in_seconds",)},
    "read-unstated": {"without": ("simultaneous_read",)},
    "short-remap": {"simultaneous_write": False, "remap_time_in_seconds": 120},
}


def unclear() -> Files:
    """Evidence that is missing, cannot be read or contradicts itself: nobody can judge it."""
    image, held = code_image("4.0.3")
    base = replace(BASE, org="Dunmore", code_image=image, claim=False)
    for number, (system, changes) in enumerate(DOUBTFUL.items()):
        leaf = varied(base, system=system, **changes, **day(number))
        files = workload_files(leaf)
        SPOILED.get(system, _nothing)(leaf, files)
        held |= system_files(leaf) | files
    return held | _two_phases(replace(base, **day(len(DOUBTFUL))))


DOUBTFUL: dict[str, dict[str, Any]] = {
    "no-summary": {"without": ("summary",)},
    "pruned": {},
    "said-twice": {},
    "many-hosts": {"model": "405B", "hosts": 16, "memory": 64.0, "summary": {"num_hosts": 961}},
    "two-models": {"metadata": {"args.model": "llama3-70b"}},
    "other-division": {"metadata": {"args.mode": "open"}},
    "own-verdict": {"verification": "INVALID"},
    "unfinished": {
        "without": ("summary",),
        "verification": None,
        "bookends": "start",
        "metadata": {"runtime": None, "exit_status": 137},
    },
    "no-accelerator": {"accelerator": None},
    "not-probed": {"same_filesystem": None},
    "no-arguments": {"metadata": {"args": None}},
}
"""Single invocations by system, as in `SINGLE`."""


def _nothing(_: Leaf, __: Files) -> None:
    """No file is spoiled."""


def _pruned(leaf: Leaf, files: Files) -> None:
    files[f"{leaf.path}/summary.json"] = PRUNED


def _twice(leaf: Leaf, files: Files) -> None:
    """The number of processes stands twice in one document, the second time as another one."""
    path = f"{leaf.path}/{leaf.family}_{leaf.stamp}_metadata.json"
    text = files[path].decode()
    once = f'  "num_processes": {leaf.count},\n'
    files[path] = text.replace(once, f'{once}  "num_processes": 64,\n', 1).encode()


def _killed(leaf: Leaf, files: Files) -> None:
    """What a run leaves whose third write was killed."""
    path = f"{leaf.path}/0_per_epoch_stats.json"
    epoch = json.loads(files[path])["1"]
    kept = {key: epoch[key] for key in ("start", "save_ckpt1", "save_ckpt2")}
    files[path] = as_json({"1": kept})
    log = files[f"{leaf.path}/dlio.log"].splitlines(keepends=True)
    files[f"{leaf.path}/dlio.log"] = b"".join(log[:3])
    files[f"{leaf.path}/checkpointing_run.stdout.log"] = b""
    message = b"mpirun noticed that process rank 3 on node host-001 exited on signal 9 (Killed).\n"
    files[f"{leaf.path}/checkpointing_run.stderr.log"] = message
    del files[f"{leaf.folder}/results.json"]


SPOILED: dict[str, Callable[[Leaf, Files], None]] = {
    "pruned": _pruned,
    "said-twice": _twice,
    "unfinished": _killed,
}


def _two_phases(base: Leaf) -> Files:
    """Split runs: some know their summaries' times alone or none; one read half records bare NaN."""
    held: Files = {}
    for number, (system, gap) in enumerate(PHASES.items()):
        start = base.start + timedelta(days=number)
        bookends = "both" if system == "not-a-number" else "none"
        first, second = split(replace(base, system=system, bookends=bookends, start=start), gap=gap)
        if system == "timeless":
            first, second = (replace(half, summary={"start": DROP, "end": DROP}) for half in (first, second))
        if system == "not-a-number":
            second = replace(second, summary={"metric.save_checkpoint_io_mean_GB_per_second": math.nan})
        held |= system_files(first) | workload_files(first, second)
    return held


PHASES = {"bounded": 20.0, "unbounded": 100.0, "timeless": 20.0, "not-a-number": 12.0}
"""Split runs by system: seconds between the halves."""
