"""Times of day of one process, as far apart as a clock that cannot be set says.

A clock that is set while a run goes on would put the end of a phase before its start, and clauses
are judged by such times. So the clock is asked once, and every later time is counted on from
there. Times know their offset from UTC, which a night in spring or autumn changes, and are recorded
with it; logs show the local time alone.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

_ASKED, _BEFORE = datetime.now(UTC), time.monotonic()


def now() -> datetime:
    """The time of day, with its offset."""
    return (_ASKED + timedelta(seconds=time.monotonic() - _BEFORE)).astimezone()


def at(seconds: float) -> datetime:
    """The time of day, with its offset, of so many seconds since the epoch."""
    return datetime.fromtimestamp(seconds, UTC).astimezone()


def local(moment: datetime) -> datetime:
    """The local time alone."""
    return moment.replace(tzinfo=None)
