"""What must hold on this machine before a single byte is written.

A run that fails after hours for want of space, or that reads what an older run left, is refused
here, with what is needed and what was found. What only ranks can see is `bench.rank.handshake`'s.
"""

from __future__ import annotations

import os
import resource
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.driver.existing_checkpoints import checkpoint_numbers, find_existing
from bench.rank import memory
from bench.storage import kernel
from bench.storage.null import Null
from bench.storage.objects import Objects
from bench.storage.separation import probe
from bench.workload.layout import step_folder, step_number
from bench.workload.plan import Plan
from engine.launch.accepted import CannotStart
from engine.sizing import human

FOLDER = "--checkpoint-folder"

DESCRIPTORS = 6
"""Open files that a launcher needs for each rank of this host: its streams and its control connection."""

THREADS = 8
"""Processes and threads of a rank: its own, those of its storage, of MPI and of numpy."""

SPARE = 64
"""Of either, what the launcher and its helpers need themselves."""


def prepare(plan: Plan, results: Path, local: int, *, written: bool = False) -> dict[str, Any] | None:
    """Make the folders, and refuse those that cannot serve; how they stand apart. Raises CannotStart.

    The answer is the record of the probe of both filesystems, None where nothing is written.

    Args:
        plan: the run.
        results: the folder of results.
        local: how many of the ranks are started on this host.
        written: whether what is read was written by this launch a moment ago.
    """
    _check_memory(local, memory.rank_bytes(plan.engine))
    _raise_limits(local, plan.ranks)
    if plan.engine == Null.name:
        return None
    if plan.engine == Objects.name:
        _check_store(plan, written=written)
        return None
    folder = Path(plan.folder)
    try:
        results.mkdir(parents=True, exist_ok=True)
        if plan.writes:
            kernel.make_folder(folder)
            _check_empty(folder)
            _check_room(plan, folder)
        elif not written:
            _check_checkpoints(plan, folder)
        return probe(folder, results)
    except OSError as error:
        raise CannotStart(f"{error.filename or folder}: {error.strerror}; nothing was started.") from error


@contextmanager
def _as_refusal(place: str) -> Iterator[None]:
    """Storage that cannot be asked is told as a refusal."""
    try:
        yield
    except OSError as error:
        raise CannotStart(f"{FOLDER}: {error.filename or place}: {error.strerror}.") from error


@contextmanager
def _store(place: str) -> Iterator[Objects]:
    """The object store, for a few questions."""
    with _as_refusal(place):
        store = Objects()
        try:
            yield store
        finally:
            store.close()


def _check_store(plan: Plan, *, written: bool) -> None:
    """Hold the object store to what a folder is held to; how much room it has, it does not tell."""
    with _store(plan.folder) as store:
        if plan.writes:
            names = store.object_names(plan.folder, 3)
            if names:
                raise CannotStart(
                    f"{FOLDER}: {plan.folder} is not empty ({', '.join(names)}). "
                    "A run that writes needs a place of its own: name another one, or remove what is there."
                )
        elif not written:
            wanted = sorted({plan.reads_from(number) for number in range(1, plan.reads + 1)})
            missing = [number for number in wanted if not store.object_names(plan.step(number), 1)]
            if missing:
                raise CannotStart(f"{FOLDER}: {plan.folder} holds no {step_folder(missing[0])} to be read.")


def _check_memory(local: int, each: int) -> None:
    needed, found = local * each, memory.available()
    if found is not None and needed > found:
        raise CannotStart(
            f"{local} ranks on this host need {human(needed)} of memory, {human(each)} each; "
            f"{human(found)} are left. Use more hosts, or fewer ranks."
        )


def _raise_limits(local: int, ranks: int) -> None:
    """Raise this process's own limits as far as it may; what it starts inherits them.

    They are raised for all ranks, since schedulers hand them on to hosts that are not known here;
    only what the ranks of this host need is insisted on.
    """
    for kind, each, what, option in (
        (resource.RLIMIT_NOFILE, DESCRIPTORS, "open files", "n"),
        (resource.RLIMIT_NPROC, THREADS, "processes", "u"),
    ):
        soft, hard = resource.getrlimit(kind)
        needed = local * each + SPARE
        if hard != resource.RLIM_INFINITY and hard < needed:
            raise CannotStart(
                f"{local} ranks on this host need {needed} {what}, and at most {hard} are allowed. "
                f"Let an administrator raise the limit (ulimit -{option}), or use more hosts."
            )
        wanted = ranks * each + SPARE
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(kind, (wanted if hard == resource.RLIM_INFINITY else hard, hard))


def _check_empty(folder: Path) -> None:
    names = sorted(path.name for path in folder.iterdir())
    if names:
        raise CannotStart(
            f"{FOLDER}: {folder} is not empty ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''}). "
            "A run that writes needs a folder of its own: name another one, or remove what an earlier run "
            f"wrote: clausegate bench clean {shlex.quote(str(folder))}"
        )


def _check_room(plan: Plan, folder: Path) -> None:
    count = len(plan.kept_numbers)
    filesystem = os.statvfs(folder)
    needed, free = plan.total() * count, filesystem.f_bavail * filesystem.f_frsize
    what = f"{count} checkpoint{'' if count == 1 else 's'} of {human(plan.total())}"
    if needed > free:
        raise CannotStart(
            f"{FOLDER}: {folder} has {human(free)} free; {what}: {human(needed)} needed."
            + ("" if plan.keep == 1 or count == 1 else " --keep N has older ones make room.")
        )
    files = count * sum(len(plan.files(rank)) for rank in range(plan.ranks)) + count
    if filesystem.f_files > 0 and filesystem.f_favail < files:
        raise CannotStart(
            f"{FOLDER}: {folder} has room for {filesystem.f_favail} more files; "
            f"{what} are {files} with folders."
        )


def _check_checkpoints(plan: Plan, folder: Path) -> None:
    wanted = sorted({plan.reads_from(number) for number in range(1, plan.reads + 1)})
    gone = [number for number in wanted if not (folder / step_folder(number)).is_dir()]
    if gone:
        raise CannotStart(
            f"{FOLDER}: {folder} holds no {step_folder(gone[0])}, and {plan.reads} "
            f"checkpoint{'' if plan.reads == 1 else 's'} are to be read. "
            "A run that only reads needs the folder that an earlier invocation wrote; what one with "
            "--keep left is read with the same --keep."
        )
    found = find_existing(plan, wanted)
    if found.complete:
        return
    parts = []
    if found.missing:
        parts.append(f"{len(found.missing)} missing, the first {found.missing[0]}")
    if found.short:
        name, size, expected = found.short[0]
        parts.append(f"{len(found.short)} of another size, the first {name} ({size} bytes, not {expected})")
    raise CannotStart(
        f"{FOLDER}: {folder} does not hold what is to be read: of {found.files + len(found.missing)} files "
        f"{' and '.join(parts)}. Read with the model, ranks and scale that wrote it, or write it anew."
    )


def newest_kept(plan: Plan) -> tuple[int, ...]:
    """The newest checkpoints that lie in a plan's folder, as many as it keeps, by number.

    Raises CannotStart.
    """
    if plan.in_files:
        with _as_refusal(plan.folder):
            numbers = checkpoint_numbers(plan)
    else:
        with _store(plan.folder) as store:
            numbers = sorted(filter(None, map(step_number, store.folders(plan.folder))))
    if not numbers:
        raise CannotStart(f"{FOLDER}: {plan.folder} holds no checkpoint, so there is nothing to read.")
    return tuple(numbers[-plan.keep :])
