"""Writes what the emitters made, whole or not at all, and tells what is stale."""

from __future__ import annotations

import difflib
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

BOM = b"\xef\xbb\xbf"


def write_files(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Write the files that differ and return their names: all of them, or none at all. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    changed = [name for name, text in files.items() if _read(folder / name) != text]
    ready: list[tuple[Path, Path]] = []
    try:
        for path in (folder / name for name in changed):
            ready += [(_beside(path, files[path.name].encode()), path)]
        for temporary, path in ready:
            temporary.replace(path)
    finally:
        for temporary, _ in ready:
            temporary.unlink(missing_ok=True)
    return changed


def replace_file(path: Path, text: str) -> None:
    """Put a text in place of a file in one step; mode, line ends, byte-order mark and links stay."""
    real = path.resolve()
    old = real.read_bytes() if real.exists() else b""
    data = text.replace("\n", "\r\n").encode() if b"\r\n" in old else text.encode()
    temporary = _beside(real, (BOM if old.startswith(BOM) else b"") + data)
    try:
        temporary.replace(real)
    finally:
        temporary.unlink(missing_ok=True)


def _beside(path: Path, data: bytes) -> Path:
    """The data in a new file beside `path`, on the disk, ready to be put in its place."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def stale(folder: Path, files: Mapping[str, str]) -> list[str]:
    """One unified diff for every file that is not what the document compiles to."""
    found = []
    for name, text in files.items():
        here = _read(folder / name)
        if here == text:
            continue
        shown = f"{folder / name} does not exist\n"
        if here is not None:
            shown = difference(here, text, f"{folder / name}", f"{name} as compiled")
        found.append(shown)
    return found


def difference(old: str, new: str, old_name: str, new_name: str) -> str:
    """The unified diff of two texts; a last line without an end is said to be one."""
    lines = difflib.unified_diff(_lines(old), _lines(new), old_name, new_name)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _lines(text: str) -> list[str]:
    """The lines of a text with their ends; only a newline ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return None
