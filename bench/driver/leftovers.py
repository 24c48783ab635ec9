"""What a person is told when a run did not end well: figures that found no place, files that lie about."""

from __future__ import annotations

import json
import shlex
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from bench.driver.existing_checkpoints import checkpoint_numbers, find_existing
from bench.progress.terminal import tell
from bench.storage.null import Null
from bench.workload.plan import Plan
from engine.sizing import human

PATIENCE = 5.0
"""Seconds in which a folder must answer. One on a mount that is lost never does."""

T = TypeVar("T")


def leftovers_text(plan: Plan, leaf: Path) -> str | None:
    """What a run that failed leaves in the checkpoint folder, and how to remove it; None when nothing."""
    if not plan.writes or plan.engine == Null.name:
        return None
    remove = f"to remove them:\n  clausegate bench clean {shlex.quote(str(leaf))}"
    if not plan.in_files:
        return f"the run may have left objects below {plan.folder}; {remove}"
    found = _within(lambda: find_existing(plan, checkpoint_numbers(plan)), PATIENCE)
    if isinstance(found, OSError) or found is None:
        why = found.strerror if found is not None else f"no answer within {PATIENCE:g} s"
        return f"{plan.folder}: {why}; what the run wrote may lie there still; {remove}"
    if not found.files:
        return None
    files = f"{found.files} file{'' if found.files == 1 else 's'}"
    whole = f", {len(found.short)} of them not whole" if found.short else ""
    return f"the run left {files} of {human(found.bytes)} in {plan.folder}{whole}; {remove}"


def print_figures(figures: Mapping[str, Any]) -> None:
    """Print the figures of a run whose record could not be written: nobody else has them."""
    tell(json.dumps({"metric": dict(figures)}, indent=2))


def _within(ask: Callable[[], T], seconds: float) -> T | OSError | None:
    """The answer, the error, or None when neither comes in time."""
    found: list[T | OSError] = []

    def run() -> None:
        try:
            found.append(ask())
        except OSError as error:
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    return found[0] if found else None
