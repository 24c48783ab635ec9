"""Ranks of this host that outlive their launcher: ended here, or named where even that fails.

A process that waits for storage which does not answer cannot be killed. It is not waited for; the
person who reads of it can look at the mount.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

PATIENCE = 2.0
"""Seconds that a killed process gets to be gone."""

WAITS = "D"
"""The state of a process inside the kernel that no signal reaches."""


def end(pids: Mapping[int, int], word: str) -> list[str]:
    """Kill what is left of the ranks (rank -> process) of this host; a phrase for each that stays.

    Args:
        pids: as the ranks reported them; those of other hosts are none of ours.
        word: an argument of their command, by which a process of this host is known to be one.
    """
    left = {rank: pid for rank, pid in pids.items() if _is(pid, word)}
    for pid in left.values():
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE
    while left and time.monotonic() < deadline:
        left = {rank: pid for rank, pid in left.items() if _is(pid, word)}
        time.sleep(0.05)
    return [_phrase(rank, pid) for rank, pid in left.items()]


def _phrase(rank: int, pid: int) -> str:
    who = f"rank {rank} (process {pid})"
    if _state(pid) == WAITS:
        return f"{who} waits in the kernel for storage that does not answer, and cannot be ended"
    return f"{who} could not be ended"


def _is(pid: int, word: str) -> bool:
    """Whether a process of this host was started with the word. A dead one has no words."""
    try:
        return word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return ""
