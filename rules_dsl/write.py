"""Writes what the emitters made, whole or not at all, and tells what is stale."""

from __future__ import annotations

import difflib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path


def write_files(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Write the files that differ and return their names. Raises OSError; no file is left half-written."""
    folder.mkdir(parents=True, exist_ok=True)
    changed = [name for name, text in files.items() if _read(folder / name) != text]
    for name in changed:
        replace_file(folder / name, files[name])
    return changed


def replace_file(path: Path, text: str) -> None:
    """Put a text in place of a file in one step; the file's mode is kept."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def stale(folder: Path, files: Mapping[str, str]) -> list[str]:
    """One unified diff for every file that is not what the document compiles to."""
    found = []
    for name, text in files.items():
        here = _read(folder / name)
        if here == text:
            continue
        lines = difflib.unified_diff(
            (here or "").splitlines(keepends=True),
            text.splitlines(keepends=True),
            f"{folder / name}",
            f"{name} as compiled",
        )
        found.append("".join(lines) if here is not None else f"{folder / name} does not exist\n")
    return found


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return None
