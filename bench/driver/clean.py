"""Removes checkpoints that a run wrote, and nothing else.

A name is no proof: a training job may have used the same. What a run writes is known from the
file's place alone, so that a file is ours only when it also begins with our bytes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bench.driver.existing_checkpoints import planned_files
from bench.rank.handshake import MARK
from bench.storage.faults import name_in_errors
from bench.storage.null import Null
from bench.storage.objects import Objects
from bench.storage.separation import PROBE
from bench.workload.data import Pattern
from bench.workload.layout import identity, step_folder, step_number
from bench.workload.plan import Plan

HEAD = 1 << 16
"""Bytes at the start of a file that must be ours."""

MARKERS = re.compile(rf"(?:{re.escape(MARK)}[0-9a-f]{{16}}(?:-\d+)?|{re.escape(PROBE)}\w+)")
"""Empty files by which a run looks at folders; one that is killed may leave them."""


@dataclass(slots=True)
class CleanResult:
    """What was removed, or would be, and what stays because nothing shows that it is ours: paths, objects."""

    removed: int = 0
    bytes: int = 0
    folders: int = 0
    left: list[str] = field(default_factory=list)


def clean_plan(plan: Plan, *, dry: bool = False) -> CleanResult:
    """Remove what the ranks of a plan wrote. Raises OSError."""
    if plan.engine == Null.name:
        return CleanResult()
    return _clean_files(plan, dry=dry) if plan.in_files else _clean_objects(plan, dry=dry)


def _clean_objects(plan: Plan, *, dry: bool) -> CleanResult:
    """An object that a plan names goes when it is no larger than planned and begins with our bytes."""
    result = CleanResult()
    store = Objects()
    try:
        for number, name, size in planned_files(plan, range(1, plan.writes + 1)):
            path = f"{plan.step(number)}/{name}"
            found = store.peek(path, HEAD)
            if found is None:
                continue
            if found[0] > size or not _begins(found[1], identity(plan.model, step_folder(number), name)):
                result.left.append(path)
                continue
            result.removed, result.bytes = result.removed + 1, result.bytes + found[0]
            if not dry:
                store.remove(path)
        try:
            keys = store.unfinished_uploads(plan.folder)
            result.left += [f"{key} (an upload that never ended)" for key in keys]
        except OSError as error:  # not every store lists them, nor to everybody
            result.left.append(f"uploads that never ended, if there are any: {error.strerror}")
    finally:
        store.close()
    return result


def _clean_files(plan: Plan, *, dry: bool) -> CleanResult:
    sizes: dict[int, dict[str, int]] = {}
    for number, name, size in planned_files(plan, range(1, plan.writes + 1)):
        sizes.setdefault(number, {})[name] = size
    folder, result = Path(plan.folder), CleanResult()
    for number, names in sizes.items():
        _clean_step(folder / step_folder(number), plan.model, names, result, dry=dry)
    _clean_markers(folder, result, dry=dry)
    return result


def clean_folder(folder: Path, *, dry: bool = False) -> CleanResult:
    """Remove every file of our content in a folder of checkpoints, or of models with some. Raises OSError."""
    result = CleanResult()
    for models in (folder, *_folders(folder)):
        for step in [one for one in _folders(models) if step_number(one.name)]:
            _clean_step(step, models.name, None, result, dry=dry)
        _clean_markers(models, result, dry=dry)
    return result


def _folders(place: Path) -> Iterator[Path]:
    """The folders in a folder by name; links are not followed."""
    if place.is_dir():
        yield from sorted(Path(e.path) for e in os.scandir(place) if e.is_dir(follow_symlinks=False))


def _clean_step(
    folder: Path, model: str, names: Mapping[str, int] | None, result: CleanResult, *, dry: bool
) -> None:
    """Clean the folder of one checkpoint. `names` is what a plan says of it, None without a plan."""
    if folder.is_symlink() or not folder.is_dir():
        return
    stays, before = 0, result.removed
    for entry in sorted(os.scandir(folder), key=lambda one: one.name):
        path = Path(entry.path)
        size = entry.stat(follow_symlinks=False).st_size
        known = names is None or size <= names.get(entry.name, -1)
        content = identity(model, folder.name, entry.name)
        if (
            entry.is_file(follow_symlinks=False)
            and known
            and _is_ours(path, content, planned=names is not None)
        ):
            result.removed, result.bytes = result.removed + 1, result.bytes + size
            if not dry:
                path.unlink()
        else:
            stays += 1
            result.left.append(str(path))
    if not stays and (names is not None or result.removed > before):
        result.folders += 1
        if not dry:
            folder.rmdir()


def _is_ours(path: Path, content: str, *, planned: bool) -> bool:
    """Whether a file begins with the bytes of its identity.

    Of a file that a plan names, a beginning that was never written is enough: it was interrupted.
    """
    with name_in_errors(str(path)), path.open("rb") as stream:
        head = stream.read(HEAD)
    return _begins(head, content) if any(head) else planned


def _begins(head: bytes, content: str) -> bool:
    """Whether these are the first bytes of a file with that identity; of no bytes nobody can tell."""
    wanted = np.empty(HEAD, dtype=np.uint8)
    Pattern(content).fill(wanted, 0, HEAD)
    return bool(head) and head == wanted.tobytes()[: len(head)]


def _clean_markers(folder: Path, result: CleanResult, *, dry: bool) -> None:
    """Remove the empty files that a run which was killed left behind."""
    for entry in os.scandir(folder) if folder.is_dir() else ():
        if (
            MARKERS.fullmatch(entry.name)
            and entry.is_file(follow_symlinks=False)
            and not entry.stat().st_size
        ):
            result.removed += 1
            if not dry:
                Path(entry.path).unlink()
