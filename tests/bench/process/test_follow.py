"""What ranks say reaches the end, and what they leave behind does not hold it up."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from bench.process import follow


def test_what_is_left_behind_and_never_falls_silent_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(follow, "GRACE", 0.2)
    note = tmp_path / "pid"
    script = f"(while :; do echo x; done) & echo $! > {note}; exit 0"
    try:
        assert follow.follow(["sh", "-c", script], lambda _: None, lambda *_: None, None).code == 0
    finally:
        os.kill(int(note.read_text()), signal.SIGKILL)


def test_what_was_said_before_the_end_counts_however_slow_the_listener_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(follow, "GRACE", 0.1)
    script = "i=0; while [ $i -lt 300 ]; do echo line; i=$((i+1)); done; "
    script += 'echo \'@clausegate {"event": "done", "rank": 0}\''
    heard = []

    def keep(_: str, line: str) -> None:
        time.sleep(0.003)  # a terminal that takes its time
        heard.append(line)

    end = follow.follow(["sh", "-c", script], lambda _: None, keep, None)
    assert len(heard) == 300
    assert end.done
