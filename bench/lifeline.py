"""Ties a process to the one that started it: when that one dies, so does this one.

A rank whose launcher was killed would otherwise write on for hours, for nobody.
"""

from __future__ import annotations

import ctypes
import functools
import os
import signal
from collections.abc import Callable
from typing import Any

PR_SET_PDEATHSIG = 1


@functools.cache
def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def tie(number: signal.Signals, parent: int | None = None) -> None:
    """Ask the kernel to send this process a signal when its parent ends.

    Args:
        number: the signal.
        parent: who the parent was when it was decided to tie; when it is gone already, the signal
            comes at once.
    """
    parent = os.getppid() if parent is None else parent
    _libc().prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(number), 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def tied(number: signal.Signals) -> Callable[[], None]:
    """What a child runs before it becomes another program. The library is loaded now, not in the child."""
    _libc()
    parent = os.getpid()
    return lambda: tie(number, parent)
