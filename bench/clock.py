"""Times of day of one process, as far apart as a clock that cannot be set says.

A clock that is set while a run goes on, or a night in which an hour is taken back, would put the
end of a phase before its start, and clauses are judged by such times. So the time of day is asked
for once, and all that is told later is counted on from there.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta

_ASKED, _BEFORE = datetime.now(), time.monotonic()


def now() -> datetime:
    """The local time of day."""
    return _ASKED + timedelta(seconds=time.monotonic() - _BEFORE)
