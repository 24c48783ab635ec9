"""How fast `clausegate validate` judges a large package, as a whole process.

It is compared with a plain loop that reads the same files with json and yaml, or, with `--before`,
with another revision of itself on the same package. Neither ratio is judged: the first is the price
of a verdict over reading, the second is what a change made faster or slower.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path

from benchmarks.interleaved import Timed, compare, process
from examples.builder.leaf import MODELS
from tests.command import COMMAND, ROOT, environment
from tests.packages import write_split, write_system

SYSTEMS = 10
"""Systems of one organisation."""


def write_package(root: Path, leaves: int) -> None:
    """Writes a clean package of so many leaves: systems that ran every model, each in two halves."""
    for org, system, model in islice(_workloads(), -(-leaves // 2)):
        if model == MODELS[0]:
            write_system(root, org=org, system=system)
        write_split(root, org=org, system=system, model=model)


def _workloads() -> Iterator[tuple[str, str, str]]:
    for number in count():
        for model in MODELS:
            yield f"Org{number // SYSTEMS}", f"sys-{number % SYSTEMS}", model


@contextmanager
def code_of(before: str, folder: Path) -> Iterator[Path]:
    """The folder with the code of a revision; a folder that is named is it."""
    if Path(before).is_dir():
        yield Path(before).resolve()
        return
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(folder), before], check=True)
    try:
        yield folder
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=True)


def validation(code: Path, package: Path) -> Timed:
    """The time to validate the package by the code in a folder."""
    command = [*COMMAND, "validate", str(package), "--format", "json"]
    # A command line that is no script has the current folder before PYTHONPATH.
    return process(command, code, environment(PYTHONPATH=str(code)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the package, measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--leaves", type=int, default=2000, help="leaves of the package [2000]")
    parser.add_argument("--rounds", type=int, default=5, help="how often [5]")
    parser.add_argument(
        "--before", metavar="REV_OR_FOLDER", help="a revision, or a folder with one, to compare with"
    )
    chosen = parser.parse_args(arguments)
    leaves = chosen.leaves + chosen.leaves % 2
    title = f"clausegate validate, {leaves} leaves"
    with tempfile.TemporaryDirectory() as name:
        package = Path(name) / "package"
        write_package(package, leaves)
        now = ("this code", validation(ROOT, package))
        if chosen.before is None:
            peer = [sys.executable, str(Path(__file__).with_name("read_documents.py")), str(package)]
            read = ("json and yaml, read only", process(peer, Path(name)))
            found = compare(title, now, read, rounds=chosen.rounds)
            print(f"  {'leaves judged per second':<48} {leaves / found.seconds:7.0f}")
            print(f"  {'leaves read per second':<48} {leaves / found.against:7.0f}")
            return 0
        with code_of(chosen.before, Path(name) / "before") as code:
            before = (f"before, {chosen.before}", validation(code, package))
            found = compare(title, now, before, rounds=chosen.rounds)
            print(f"  {'leaves judged per second':<48} {leaves / found.seconds:7.0f}")
            print(f"  {'before':<48} {leaves / found.against:7.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
