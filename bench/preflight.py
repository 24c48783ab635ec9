"""What must hold on this machine before a single byte is written.

A run that fails after hours for want of space, or that reads what an older run left, is refused
here, with what is needed and what was found.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from bench.layout import step_folder
from bench.plan import Plan
from bench.separation import probe
from bench.storage.null import Null
from bench.storage.objects import Objects
from engine.launch.accepted import CannotStart
from engine.sizing import human

FOLDER = "--checkpoint-folder"


def prepare(plan: Plan, results: Path) -> dict[str, Any] | None:
    """Make the folders, and refuse those that cannot serve; how they stand apart. Raises CannotStart.

    The answer is the record of the probe of both filesystems, None where nothing is written.
    """
    if plan.engine == Null.name:
        return None
    if plan.engine == Objects.name:
        _store(plan)
        return None
    folder = Path(plan.folder)
    try:
        results.mkdir(parents=True, exist_ok=True)
        if plan.writes:
            folder.mkdir(parents=True, exist_ok=True)
            _empty(folder)
            _room(plan, folder)
        else:
            _there(plan, folder)
        return probe(folder, results)
    except OSError as error:
        raise CannotStart(f"{error.filename or folder}: {error.strerror}; nothing was started.") from error


def _store(plan: Plan) -> None:
    """Hold the object store to what a folder is held to; how much room it has, it does not tell."""
    try:
        store = Objects()
        wanted = range(1, plan.reads + 1)
        if plan.writes:
            held = store.held(plan.folder, 3)
            if held:
                raise CannotStart(
                    f"{FOLDER}: {plan.folder} is not empty ({', '.join(held)}). "
                    "A run that writes needs a place of its own: name another one, or remove what is there."
                )
        else:
            missing = [number for number in wanted if not store.held(plan.step(number), 1)]
            if missing:
                raise CannotStart(f"{FOLDER}: {plan.folder} holds no {step_folder(missing[0])} to be read.")
        store.close()
    except ModuleNotFoundError as error:
        raise CannotStart(f"Object access needs {error.name}: pip install 'clausegate[s3]'.") from error
    except OSError as error:
        raise CannotStart(f"{FOLDER}: {error.filename}: {error.strerror}.") from error


def _empty(folder: Path) -> None:
    held = sorted(path.name for path in folder.iterdir())
    if held:
        raise CannotStart(
            f"{FOLDER}: {folder} is not empty ({', '.join(held[:3])}{', ...' if len(held) > 3 else ''}). "
            "A run that writes needs a folder of its own: name another one, or remove what is there."
        )


def _room(plan: Plan, folder: Path) -> None:
    needed, free = plan.total() * plan.writes, shutil.disk_usage(folder).free
    if needed > free:
        raise CannotStart(
            f"{FOLDER}: {folder} has {human(free)} free; {plan.writes} checkpoint"
            f"{'' if plan.writes == 1 else 's'} of {human(plan.total())}: {human(needed)} needed."
        )


def _there(plan: Plan, folder: Path) -> None:
    missing = [n for n in range(1, plan.reads + 1) if not (folder / step_folder(n)).is_dir()]
    if missing:
        raise CannotStart(
            f"{FOLDER}: {folder} holds no {step_folder(missing[0])}, and {plan.reads} "
            f"checkpoint{'' if plan.reads == 1 else 's'} are to be read. "
            "A run that only reads needs the folder that an earlier invocation wrote."
        )
