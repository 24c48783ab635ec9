"""What of a plan's checkpoints lies in its folder: before it is read, and after a run that failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.workload.layout import step_number
from bench.workload.plan import Plan


@dataclass(frozen=True, slots=True)
class ExistingFiles:
    """Files of some checkpoints. Names are relative to the plan's folder."""

    files: int  # that are there, whatever their size
    bytes: int
    missing: tuple[str, ...]
    short: tuple[tuple[str, int, int], ...]  # of another size: name, found, expected

    @property
    def complete(self) -> bool:
        """Whether every file is there with exactly its size."""
        return not self.missing and not self.short


def planned_files(plan: Plan, numbers: Iterable[int]) -> Iterator[tuple[int, str, int]]:
    """(checkpoint, name of the file in its folder, size) of every file of these checkpoints."""
    files = [file for rank in range(plan.ranks) for file in plan.files(rank)]
    for number in numbers:
        for file in files:
            yield number, file.name, file.size


def checkpoint_numbers(plan: Plan) -> list[int]:
    """The checkpoints that have a folder, by number. Raises OSError."""
    folder = Path(plan.folder)
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    return sorted(filter(None, map(step_number, names)))


def find_existing(plan: Plan, numbers: Iterable[int]) -> ExistingFiles:
    """What is there of these checkpoints. Raises OSError for a folder that cannot be read."""
    missing: list[str] = []
    short: list[tuple[str, int, int]] = []
    files = total = 0
    for number, name, size in planned_files(plan, numbers):
        path = Path(plan.step(number), name)
        try:
            found = path.stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            missing.append(f"{path.parent.name}/{name}")
            continue
        files, total = files + 1, total + found
        if found != size:
            short.append((f"{path.parent.name}/{name}", found, size))
    return ExistingFiles(files, total, tuple(missing), tuple(short))


def newest_time(plan: Plan, numbers: Iterable[int]) -> float | None:
    """When the newest file of these checkpoints was written, in seconds since the epoch; None of none."""
    times = []
    for number, name, _ in planned_files(plan, numbers):
        try:
            times.append(Path(plan.step(number), name).stat().st_mtime)
        except OSError:
            continue
    return max(times, default=None)
