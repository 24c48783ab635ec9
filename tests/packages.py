"""Small packages with the shapes and quirks of real ones, for tests.

Values that a test does not name are those of a clean run of the model, so that a test says only
what is wrong. `write_leaf` writes one leaf, `write_split` the two of a split run, `write_system` a
system's description, `write_code_image` a code image; `spoil` makes a document unusable. What a
leaf records comes from the builder of the examples, of which a test writes the judged documents.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from examples.builder.leaf import DROP, FOLDERS, PROCESSES, START, Leaf
from examples.builder.records import finished, metadata_of, separation_of, summary_of

__all__ = [
    "DROP",
    "FOLDERS",
    "PROCESSES",
    "SPOILED",
    "START",
    "Leaf",
    "spoil",
    "write_code_image",
    "write_leaf",
    "write_split",
    "write_system",
]


def write_leaf(root: Path, leaf: Leaf | None = None, /, **changes: Any) -> Path:
    """Writes a leaf below the package's root and returns its folder."""
    leaf = replace(leaf or Leaf(), **changes)
    folder = root / leaf.path
    folder.mkdir(parents=True)
    if "metadata" not in leaf.without:
        name = f"{leaf.family}_{leaf.stamp}_metadata.json"
        _write(folder / name, finished(metadata_of(leaf), leaf))
    if "summary" not in leaf.without and leaf.command == "run":
        _write(folder / "summary.json", summary_of(leaf))
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


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return f'!!bool "{str(value).lower()}"'
    return f'!!int "{value}"' if isinstance(value, int) else json.dumps(value)


def _write(path: Path, content: Mapping[str, object]) -> None:
    path.write_text(json.dumps(content, indent=2), "utf-8")
