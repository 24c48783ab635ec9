"""What one entry of a folder is: a link and where it leads, an archive, a program's code, a file."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

SOURCE_TREE = frozenset({".code-hash.json", ".git", "pyproject.toml", "setup.py"})
"""What a copy of a program's code holds. Its tests hold leaves that are no runs."""

NOWHERE, OUT, BACK = "to nothing", "out of the package", "back to a folder that it stands in"
"""Where a link leads that is not followed."""

_ARCHIVE = re.compile(
    r".+\.(?:7z|rar|zip|cpio|tar|tgz|tbz2?|txz|tzst|(?:tar\.)?(?:bz2|gz|lz4?|lzma|xz|zst|Z))", re.IGNORECASE
)


def is_archive(name: str) -> bool:
    """Whether a file of this name is something to unpack."""
    return _ARCHIVE.fullmatch(name) is not None


def is_folder(entry: Path) -> bool:
    """Whether the entry is a folder, or a link to one."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def source_marker(entries: Iterable[Path]) -> str | None:
    """The first entry that tells of a copy of a program's code."""
    return next((entry.name for entry in entries if entry.name in SOURCE_TREE), None)


def astray(link: Path, root: Path) -> str | None:
    """Where a link leads that must not be followed; None for one that stays within the package."""
    try:
        target = link.resolve(strict=True)
        if any(target == above for above in _above(link.parent.resolve())):
            return BACK
        return None if target.is_relative_to(root.resolve()) else OUT
    except FileNotFoundError:
        return NOWHERE
    except (OSError, RuntimeError):  # a loop of links
        return NOWHERE


def target(link: Path) -> str:
    """What is written in a link."""
    try:
        return os.readlink(link)  # noqa: PTH115  # the text as it is, which a Path would change
    except OSError:
        return "?"


def describe(entry: Path) -> str:
    """What a file is that stands where a folder could stand."""
    try:
        mode = entry.lstat().st_mode
    except OSError as error:
        return f"cannot be looked at ({(error.strerror or 'error').lower()})"
    if stat.S_ISREG(mode):
        return "is a hidden file" if entry.name.startswith(".") else "is a file that no clause reads"
    return "is a link" if stat.S_ISLNK(mode) else "is neither a file nor a folder"


def _above(place: Path) -> Iterator[Path]:
    yield place
    yield from place.parents
