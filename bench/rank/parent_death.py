"""Ties a process to the one that started it: when that one dies, so does this one.

A rank whose launcher was killed would otherwise write on for hours, for nobody.
"""

from __future__ import annotations

import ctypes
import functools
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

PR_SET_PDEATHSIG = 1

EVERY = 0.5
"""Seconds between two looks at who the parent is."""


@functools.cache
def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def death_signal(number: signal.Signals) -> Callable[[], None]:
    """What a child runs before it becomes another program, to get a signal when this process ends.

    The kernel means the thread that starts the child: it must be the main one. The library is
    loaded now, since little can be done safely between fork and exec.
    """
    libc, parent = _libc(), os.getpid()

    def tie() -> None:
        libc.prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(number), 0, 0, 0)
        if os.getppid() != parent:  # it ended before the kernel knew
            os.kill(os.getpid(), number)

    return tie


def end_with_parent(code: int) -> None:
    """End this process with `code` when its parent has ended; looked at from a thread.

    The kernel's own signal would come too early where a launcher starts ranks from threads.
    """
    parent = os.getppid()

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(EVERY)
        os._exit(code)

    threading.Thread(target=look, name="parent-death", daemon=True).start()
