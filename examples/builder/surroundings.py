"""What stands around the leaves of a package: results, systems, code images, and what strays in."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import PurePosixPath

import yaml

from examples.builder.clock import figures, timed
from examples.builder.files import Files, as_json, leaf_files
from examples.builder.leaf import Leaf
from examples.builder.records import CPUS

APPLE_DOUBLE = bytes.fromhex("0005160700020000") + b"Mac OS X        " + bytes(60) + b"This resource fork"
DS_STORE = bytes.fromhex("0000000142756431") + bytes(120)
PRUNED = b"PRUNED BY STAFF\n"

SOURCE: Mapping[str, bytes] = {
    "pyproject.toml": b'[project]\nname = "mlpstorage"\n',
    "mlpstorage/README.md": b"The benchmark tool.\n",
    "tests/data/summary.json": b'{"num_accelerators": 3, "num_hosts": 3}\n',
}
"""A copy of the tool's code; its tests have a summary that is no run's."""

UNHASHED = frozenset({"tests", "test", "build", "dist", "__pycache__"})
"""Folders that a code image's digest leaves out."""


def split(leaf: Leaf, *, gap: float = 12) -> tuple[Leaf, Leaf]:
    """The halves of a split run; the read half starts `gap` seconds after the write half ended."""
    first = timed(replace(leaf, writes=10, reads=0))
    start = first.start + timedelta(seconds=first.seconds + gap)
    return first, timed(replace(first, writes=0, reads=10, start=start))


def workload_files(*leaves: Leaf, ranks: int = 1) -> Files:
    """The leaves of one workload and its results.json."""
    held: Files = {}
    rows = {"Organization": leaves[0].org, "Division": leaves[0].division, "Name": leaves[0].system}
    published: dict[str, object] = {**rows, "Benchmark Type": "checkpointing", "Model": leaves[0].model}
    for leaf in leaves:
        held |= leaf_files(leaf, ranks=ranks)
        figure = figures(leaf)
        for phase, word in (("save", "Write"), ("load", "Read")):
            if f"{phase}_checkpoint_io_mean_GB_per_second" in figure:
                mean = figure[f"{phase}_checkpoint_io_mean_GB_per_second"]
                published[f"Checkpointing - {word} B/W (GiB/s)"] = round(mean, 3)
                mean = figure[f"{phase}_checkpoint_duration_mean_seconds"]
                published[f"Checkpointing - {word} Duration (secs)"] = round(mean, 3)
    held[f"{leaves[0].folder}/results.json"] = as_json(published)
    return held


def system_files(
    leaf: Leaf,
    *,
    without: Sequence[str] = (),
    spelled: Mapping[str, str] | None = None,
    **capabilities: object,
) -> Files:
    """The description of a leaf's system; `spelled` renames its keys, `without` leaves some out."""
    held = {
        "multi_host": leaf.host_count > 1,
        "simultaneous_write": True,
        "simultaneous_read": True,
        "remap_time_in_seconds": 0,
        **capabilities,
    }
    stated = {(spelled or {}).get(key, key): value for key, value in held.items() if key not in without}
    content = yaml.safe_dump({"system_under_test": _system(leaf, stated)}, sort_keys=False, width=1000)
    place = f"{leaf.division}/{leaf.org}/systems/{leaf.system}"
    return {f"{place}.yaml": f"---\n{content}".encode(), f"{place}.pdf": pdf(leaf.system)}


def _system(leaf: Leaf, capabilities: Mapping[str, object]) -> dict[str, object]:
    supply = {
        "unit_count": 2,
        "inlet_voltage": 230,
        "nameplate_power_watts": 1600,
        "efficiency": "Platinum",
    }
    power = {"min_psus_active": 1, "psus_configured": [supply]}
    node = {
        "rack_units": 2,
        "cpu_model": "Example CPU",
        "cpu_qty": 2,
        "cpu_cores": CPUS // 2,
        "power": power,
    }
    software = {"name": "Ubuntu", "version": "24.04"}
    port = {"type": "ethernet", "unit_count": 2, "state": "up", "speed": 200, "traffic": ["data"]}
    drive = {"unit_count": 24, "vendor_name": "Vendor", "model_name": "NVME-7T", "interface": "nvme"}
    drive |= {"media_type": "TLC", "capacity_in_GB": 7680}
    return {
        "solution": {
            "submission_name": leaf.system,
            "friendly_description": "An invented system",
            "architecture": {
                "storage_location": "remote",
                "benchmark_API": leaf.access,
                "product_API": leaf.access,
                "client_footprint": "open_source",
                "client_installation": "in_box",
            },
            "capabilities": dict(capabilities),
            "usable_capacity_tib": 120,
            "availability": "available",
        },
        "deployment": "onprem",
        "total_rack_units": 2,
        "clients": [
            {
                "friendly_description": "client",
                "quantity": leaf.host_count,
                "chassis": {"model_name": "Host 2U", "memory_capacity": round(leaf.host_memory), **node},
                "operating_system": software,
                "networking": [port],
            }
        ],
        "product_nodes": [
            {
                "friendly_description": "storage node",
                "quantity": 1,
                "chassis": {"model_name": "Store 2U", "memory_capacity": 512, **node},
                "operating_system": software,
                "networking": [port],
                "drives": [drive],
            }
        ],
    }


def pdf(title: str) -> bytes:
    """One page with the system's name."""
    text = f"BT /F1 18 Tf 60 760 Td ({title}) Tj ET"
    fonts = "<< /Font << /F1 5 0 R >> >>"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources {fonts} >>",
        f"<< /Length {len(text)} >>\nstream\n{text}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    body, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    trailer = f"trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode()


def digest(source: Mapping[str, bytes] = SOURCE) -> str:
    """The md5-tree-v2 of a code tree: paths and contents in the order of the paths."""
    sums = hashlib.md5(usedforsecurity=False)
    for path in sorted(source, key=str.encode):
        if not UNHASHED & set(PurePosixPath(path).parts):
            sums.update(path.encode() + source[path])
    return sums.hexdigest()


def code_image(version: str, *, pool: str = "code-images") -> tuple[str, Files]:
    """A code image of a tool's version: its digest, and its files below the pool."""
    source = {**SOURCE, "mlpstorage/VERSION": f"{version}\n".encode()}
    found = digest(source)
    identity = {
        "hash": found,
        "algorithm": "md5-tree-v2",
        "captured_at": "2026-07-01T10:00:00Z",
        "mlpstorage_version": version,
        "git_sha": None,
    }
    folder = f"{pool}/code-{found[:8]}"
    held = {f"{folder}/{name}": content for name, content in source.items()}
    held[f"{folder}/.code-hash.json"] = as_json(identity)
    held[f"{pool}/.mlps-image-pool"] = f"mlpstorage_version={version}\n".encode()
    return found, held
