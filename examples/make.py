"""Writes the example packages: `python -m examples.make [FOLDER]`, by default into build/examples.

The same files come out every time. A part of them stands beside this script, for those who want to
read before they run anything: `--tree` writes that part, `--check` tells whether it is stale. A package
that was edited by hand, or a folder that was never written from here, is not overwritten: `made.txt`
holds the digest of each package as it was written.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import sys
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
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
TREE: Mapping[str, tuple[str, ...]] = {
    "clean": ("code-images/*", "closed/Ashgrove/*/nvme-subset*"),
    "withdrawn": ("code-images/*", "closed/Birchtown/*/one-host-405b*"),
    "wrong": ("closed/Cedarholm/results/no-fsync/checkpointing/*/*/*",),
}
"""What stands beside this script: of two packages one system each, of a third a single leaf."""

HERE = Path(__file__).resolve().parent
BUILT = HERE.parent / "build" / "examples"
MADE = "made.txt"


class ForeignError(Exception):
    """A folder that this script did not write; the message says which and what to do."""


def whole() -> dict[str, Files]:
    """Every package with all its files."""
    return {name: build() for name, build in PACKAGES.items()}


def in_tree() -> dict[str, Files]:
    """What stands beside this script."""
    return {
        name: {
            path: content
            for path, content in PACKAGES[name]().items()
            if any(fnmatchcase(path, pattern) for pattern in patterns)
        }
        for name, patterns in TREE.items()
    }


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


def make(root: Path, packages: Mapping[str, Files]) -> int:
    """Writes packages below the root and returns the number of files. Raises ForeignError."""
    recorded = _recorded(root / MADE)
    for name in packages:
        if (root / name).exists() and recorded.get(name) != digest(found(root / name)):
            raise ForeignError(
                f"{root / name} holds something that this script did not write, or that was edited since; "
                "move it away or remove it, then run this again"
            )
    for name, files in packages.items():
        shutil.rmtree(root / name, ignore_errors=True)
        for path, content in files.items():
            file = root / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    (root / MADE).write_bytes(_digests(packages))
    return sum(len(files) for files in packages.values())


def stale(root: Path, packages: Mapping[str, Files]) -> list[str]:
    """The files below the root that are missing, too many, or not as they would be written."""
    wanted, there = {MADE: _digests(packages)}, dict[str, bytes]()
    for name, files in packages.items():
        wanted |= {f"{name}/{path}": content for path, content in files.items()}
        there |= {f"{name}/{path}": content for path, content in found(root / name).items()}
    if (root / MADE).is_file():
        there[MADE] = (root / MADE).read_bytes()
    return sorted(path for path in wanted.keys() | there.keys() if wanted.get(path) != there.get(path))


def _digests(packages: Mapping[str, Files]) -> bytes:
    return "".join(f"{digest(files)}  {name}\n" for name, files in packages.items()).encode()


def _recorded(file: Path) -> dict[str, str]:
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    return {name: number for number, _, name in (line.partition("  ") for line in lines)}


def _check(root: Path) -> int:
    paths = stale(root, in_tree())
    for path in paths:
        print(f"{root / path} is stale", file=sys.stderr)
    if paths:
        print("`python -m examples.make --tree` writes what should stand there.", file=sys.stderr)
    return 1 if paths else 0


def main() -> int:
    """The script."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.make", description="Write the example packages."
    )
    parser.add_argument(
        "folder", nargs="?", type=Path, help="by default build/examples; with an option, examples"
    )
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--tree", action="store_true", help="write only what stands in examples")
    modes.add_argument("--check", action="store_true", help="tell whether what stands in examples is stale")
    asked = parser.parse_args()
    root: Path = asked.folder or (HERE if asked.tree or asked.check else BUILT)
    try:
        if asked.check:
            return _check(root)
        packages = in_tree() if asked.tree else whole()
        count = make(root, packages)
    except ForeignError as error:
        print(f"Error: {error}.", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"Error: {error.filename or root} cannot be written: {error.strerror}.", file=sys.stderr)
        return 2
    print(f"{count} files of {len(packages)} packages in {root}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
