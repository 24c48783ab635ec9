"""The packages that hold: a clean one with the oddities of real trees, one of edition 3.0, advice."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from examples.builder.clock import varied
from examples.builder.files import Files
from examples.builder.leaf import Leaf
from examples.builder.surroundings import (
    APPLE_DOUBLE,
    DS_STORE,
    code_image,
    split,
    system_files,
    workload_files,
)

BOM = b"\xef\xbb\xbf"

DF = (
    b"Filesystem      Size  Used Avail Use% Mounted on\n"
    b"/dev/sda2       894G  121G  774G  14% /\n"
    b"store:/export   120T   31T   90T  26% /mnt/store\n"
)
"""How older tools recorded on which filesystems the folders stand: a table in the log."""

BASE = Leaf(
    checkpoint_folder="/mnt/store/ckpt",
    results_folder="/home/bench/results",
    memory=24.0,
    start=datetime(2026, 9, 14, 8, 30, 12, 418205),
)
"""The memory of a host is so small that no checkpoint fits a client's cache."""


def day(number: int) -> dict[str, Any]:
    """The start of a system's runs, one system a day."""
    return {"start": BASE.start + timedelta(days=number, minutes=37 * number)}


def clean() -> Files:
    """Two organisations, nothing wrong, and much that a reader of packages may stumble over."""
    image, held = code_image("4.0.3")
    first = replace(BASE, org="Ashgrove", code_image=image)
    second = replace(BASE, org="Birchtown", code_image=image)

    plain = varied(first, system="nvme-1", metadata={"args.hosts": ["host-001:8"]})
    held |= system_files(plain) | workload_files(plain, ranks=8)
    held[f"{plain.path}/._summary.json"] = APPLE_DOUBLE
    held[f"{plain.folder}/.DS_Store"] = DS_STORE

    # Between two invocations the cache is dropped, so that the hosts may have any memory.
    halves = split(replace(first, system="nvme-8", model="70B", memory=512.0, **day(1)))
    write = replace(halves[0], verification="closed", results_folder="/home/bench/results/")
    read = replace(halves[1], results_folder="/home/bench/results/", checkpoint_folder="/mnt/store/ckpt/")
    held |= system_files(write, simultaneous_write=True) | workload_files(write, read)

    claimed = varied(first, system="nvme-subset", claim=True, **day(2))
    held |= system_files(claimed) | workload_files(claimed)

    short: dict[str, Any] = {
        "model": "70B",
        "processes": 8,
        "partial": True,
        "claim": False,
        "verification": "OPEN",
    }
    opened = varied(first, division="open", system="nvme-open", **short, **day(3))
    held |= system_files(opened) | workload_files(opened)

    held |= _object(second) | _old_tool(second)
    held[".DS_Store"] = DS_STORE
    held["closed/.DS_Store"] = DS_STORE
    return held


def _object(base: Leaf) -> Files:
    folder = {"checkpoint_folder": "s3://bucket-1/run-1", "access": "object"}
    leaf = varied(base, system="object-1", **folder, **day(4))
    return system_files(leaf) | workload_files(leaf)


def _old_tool(base: Leaf) -> Files:
    """Old names of keys, numbers and truths as texts, a byte-order mark before every document."""
    leaf = varied(
        base,
        system="old-tool",
        names="old",
        metadata={
            "args.num_processes": "8",
            "num_processes": "8",
            "args.client_host_memory_in_gb": "24.0",
            "args.model": "LLAMA3_8B",
            "args.checkpoint_subset": "False",
            "args/closed": "True",
            "accelerator": "B200",
        },
        summary={"num_accelerators": "8", "num_hosts": "1"},
        **day(5),
    )
    texts = {
        "multi_host": "multi_host_support",
        "simultaneous_write": "simultaneous_write_support",
        "simultaneous_read": "simultaneous_read__support",
    }
    held = workload_files(leaf)
    marked = {name: BOM + content for name, content in held.items() if name.endswith(".json")}
    return {**held, **marked, **system_files(leaf, spelled=texts)}


def edition_three() -> Files:
    """What edition 3.0 warned of and 4.0 refuses; its tool recorded no accelerator and no claim."""
    org = "Elmfield"
    image, held = code_image("3.0.46", pool=org)
    base = replace(BASE, org=org, code_image=image, accelerator=None, without=("separation",))

    cached = varied(base, system="flash-1", memory=377.0, **day(6))
    shared = varied(base, system="flash-shared", results_folder="/mnt/store/results", **day(7))
    for leaf in (cached, shared):
        held |= system_files(leaf) | workload_files(leaf)
        held[f"{leaf.path}/checkpointing_run.stdout.log"] += DF

    halves = split(replace(base, system="flash-8", model="70B", memory=512.0, **day(8)), gap=40)
    held |= system_files(halves[0]) | workload_files(*halves)
    for leaf in halves:
        held[f"{leaf.path}/checkpointing_run.stdout.log"] += DF
    return held


def advice() -> Files:
    """Trials in whatif/: a reader is told what they would break, and nothing is held against them."""
    image, held = code_image("4.0.3")
    base = replace(BASE, division="whatif", org="Fernley", code_image=image, verification=None)
    trial = {"model": "405B", "processes": 8, "partial": True, "claim": True, "accelerator": "h100"}
    short = varied(base, system="trial-405b", **trial, **day(9))
    counts = {"writes": 3, "reads": 3, "overrides": {"checkpoint.time_between_checkpoints": 0}}
    quick = varied(base, system="trial-quick", **counts, **day(10))
    for leaf in (short, quick):
        held |= system_files(leaf) | workload_files(leaf)
    return held
