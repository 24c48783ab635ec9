"""`clausegate bench clean`: removes the checkpoints of a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path

import click

from bench.driver.clean import CleanResult, clean_folder, clean_plan
from bench.driver.in_use import InUse, lock
from bench.storage.null import Null
from bench.workload.plan import FILE, Plan
from engine.cli.exits import ExitCode, say
from engine.sizing import human

SHOWN = 10
"""Paths that are listed; of more the number is told."""


@click.command(short_help="Remove the checkpoints that a run wrote.")
@click.argument("place", type=click.Path(path_type=Path), metavar="LEAF|FOLDER")
@click.option("--dry-run", is_flag=True, help="Say what would be removed; remove nothing.")
def clean(place: Path, dry_run: bool) -> int:
    """Remove the checkpoints that a run wrote, and nothing else.

    LEAF is the folder that a run left, finished or not: of what its plan names, files or objects,
    that is removed which begins with the run's own bytes. FOLDER is a folder of checkpoints: what
    begins with such bytes is removed. Everything else stays and is listed. The leaf itself is not touched.
    """
    try:
        result, where = _clean(place, dry=dry_run)
    except InUse as error:
        raise click.ClickException(f"{place}: {error}; nothing was removed.") from error
    except ValueError as error:
        raise click.ClickException(f"{place}: {error}.") from error
    except OSError as error:
        raise click.ClickException(f"{error.filename or place}: {error.strerror}.") from error
    say("\n".join(_lines(result, where, dry=dry_run)))
    return ExitCode.CLEAN


def _clean(place: Path, *, dry: bool) -> tuple[CleanResult, str]:
    file = place / FILE
    if file.is_file():
        plan = Plan.read(file)
        if plan.engine == Null.name:
            raise ValueError("its run wrote nothing")
        with lock(file), _lock_all(Path(plan.folder)) if plan.in_files else nullcontext():
            return clean_plan(plan, dry=dry), plan.folder
    if not place.is_dir():
        raise ValueError("there is no such folder")
    with _lock_all(place):
        return clean_folder(place.absolute(), dry=dry), str(place)


@contextmanager
def _lock_all(folder: Path) -> Iterator[None]:
    """Hold a folder of checkpoints and those in it, which may be a model's each. Raises InUse."""
    with ExitStack() as stack:
        for place in (folder, *sorted(folder.iterdir())) if folder.is_dir() else ():
            if place.is_dir() and not place.is_symlink():
                stack.enter_context(lock(place))
        yield


def _lines(result: CleanResult, where: str, *, dry: bool) -> Iterator[str]:
    verb = "would be removed" if dry else "removed"
    files = f"{result.removed} file{'' if result.removed == 1 else 's'}"
    folders = f"{result.folders} folder{'' if result.folders == 1 else 's'}"
    yield f"{where}: {files} of {human(result.bytes)} and {folders} {verb}"
    if result.left:
        yield f"left, since nothing shows that a run wrote it ({len(result.left)}):"
        yield from (f"  {path}" for path in result.left[:SHOWN])
        if len(result.left) > SHOWN:
            yield f"  and {len(result.left) - SHOWN} more"
