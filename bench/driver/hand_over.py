"""The site's own command between the write invocation and the read invocation: started, timed, kept."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.process.follow import LOOK, catch_signals, start_process, stop
from engine.launch.accepted import CannotStart

OPTION = "--hand-over"
LOG = "hand_over.log"

NOT_STARTED = 127
"""The exit status of a command that could not be started, as shells have it."""

KEPT = 1 << 20
"""Bytes of the command's output that are kept, the last ones."""


@dataclass(frozen=True, slots=True)
class HandOver:
    """How the command went."""

    command: str
    code: int
    seconds: float
    output: str
    signal: str | None = None  # the signal that ended it, through us
    out_of_time: bool = False

    @property
    def failure(self) -> str | None:
        """Why the read invocation cannot follow; None when it can."""
        if self.signal is not None:
            return f"interrupted by {self.signal} during {OPTION}"
        if self.out_of_time:
            return f"the time limit was reached during {OPTION}"
        if not self.code:
            return None
        last = next((line.strip() for line in reversed(self.output.splitlines()) if line.strip()), "")
        return f"{OPTION} {self.command}: it ended with {self.code}" + (
            f"; it said last: {last}" if last else ""
        )


def words(text: str) -> list[str]:
    """The command as a shell would split it; no shell runs it. Raises CannotStart."""
    try:
        found = shlex.split(text)
    except ValueError as error:
        raise CannotStart(f"{OPTION} {text}: it is no command ({error}).") from error
    if not found:
        raise CannotStart(f"{OPTION} is empty: name the command that hands the data over.")
    if shutil.which(found[0]) is None:
        raise CannotStart(f"{OPTION}: there is no program {found[0]}.")
    return [str(Path(found[0]).absolute()) if "/" in found[0] else found[0], *found[1:]]


def call(command: Sequence[str], limit: float | None) -> HandOver:
    """Run the command to its end; one that cannot be started has failed, as in a shell."""
    shown = shlex.join(command)
    with tempfile.TemporaryFile() as output, catch_signals() as caught:
        before, late = time.monotonic(), False
        try:
            process = start_process(command, stdout=output.fileno(), stderr=subprocess.STDOUT)
        except OSError as error:
            return HandOver(shown, NOT_STARTED, 0.0, f"{command[0]}: {error.strerror}\n")
        try:
            while process.poll() is None and not caught and not late:
                time.sleep(LOOK / 4)
                late = limit is not None and time.monotonic() - before > limit
        finally:
            gone = process.poll()
            if gone is None:  # what one that ended well left running, it may have meant to: a mount's helper
                stop(process, caught)
        seconds = time.monotonic() - before
        size = output.seek(0, 2)
        output.seek(max(0, size - KEPT))
        text = output.read().decode("utf-8", "replace")
    return HandOver(
        shown,
        -1 if gone is None else gone,
        seconds,
        text,
        signal=caught[0] if gone is None and caught else None,
        out_of_time=gone is None and late,
    )
