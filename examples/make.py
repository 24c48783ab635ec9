"""Writes the packages beside this script: `python -m examples.make [FOLDER]`.

The same files come out every time. A package that was edited by hand, or a folder that was never
written from here, is not overwritten: `made.txt` holds the digest of each package as it was written.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from examples.builder.files import Files
from examples.builder.sound import advice, clean, edition_three
from examples.builder.unsound import unclear, withdrawn, wrong

PACKAGES: Mapping[str, Callable[[], Files]] = {
    "clean": clean,
    "withdrawn": withdrawn,
    "wrong": wrong,
    "unclear": unclear,
    "edition-3.0": edition_three,
    "advice": advice,
}
MADE = "made.txt"


class ForeignError(Exception):
    """A folder that this script did not write; the message says which and what to do."""


def digest(files: Mapping[str, bytes]) -> str:
    """One number for a package: paths and contents."""
    sums = hashlib.sha256()
    for path in sorted(files):
        sums.update(f"{path}\0{len(files[path])}\0".encode() + files[path])
    return sums.hexdigest()


def found(folder: Path) -> Files:
    """The files of a folder as they stand."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() or path.is_symlink()
    }


def make(root: Path) -> int:
    """Writes every package below the root and returns the number of files. Raises ForeignError."""
    recorded = _recorded(root / MADE)
    for name in PACKAGES:
        if (root / name).exists() and recorded.get(name) != digest(found(root / name)):
            raise ForeignError(
                f"{root / name} holds something that this script did not write, or that was edited since; "
                "move it away or remove it, then run this again"
            )
    packages = {name: build() for name, build in PACKAGES.items()}
    for name, files in packages.items():
        shutil.rmtree(root / name, ignore_errors=True)
        for path, content in files.items():
            file = root / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    lines = [f"{digest(files)}  {name}\n" for name, files in packages.items()]
    (root / MADE).write_text("".join(lines), "utf-8")
    return sum(len(files) for files in packages.values())


def _recorded(file: Path) -> dict[str, str]:
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    return {name: number for number, _, name in (line.partition("  ") for line in lines)}


def main() -> int:
    """The script."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.make", description="Write the example packages."
    )
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).resolve().parent)
    root = parser.parse_args().folder
    try:
        count = make(root)
    except ForeignError as error:
        print(f"Error: {error}.", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"Error: {error.filename or root} cannot be written: {error.strerror}.", file=sys.stderr)
        return 2
    print(f"{count} files of {len(PACKAGES)} packages in {root}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
