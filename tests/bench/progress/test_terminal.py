"""A run goes on when nobody looks any more: a terminal that is gone is no fault of the storage."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import pytest

from bench.progress.progress import Display, LineDisplay, LiveDisplay
from bench.progress.terminal import note
from engine.sizing import GIB


def goes_nowhere(stream: TextIO) -> bool:
    """Whether a stream is not asked again: what it still holds would fail when the process ends."""
    return str(Path(f"/proc/self/fd/{stream.fileno()}").readlink()) == os.devnull


@pytest.mark.parametrize("kind", [LineDisplay, LiveDisplay])
def test_a_terminal_that_closes_during_a_run_is_no_fault(
    kind: type[Display], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = os.openpty()
    stream = os.fdopen(theirs, "w")
    monkeypatch.setattr(sys, "stderr", stream)
    shown = kind()
    shown.say("starts")
    shown.begin("write", 1, 10, GIB)
    os.close(ours)
    shown.update(GIB // 2, (1.0, 2.0), 8)
    time.sleep(0.3)  # the moving line is drawn by a thread
    shown.end("wrote  1/10")
    shown.say("ends")
    shown.close()
    monkeypatch.undo()
    assert goes_nowhere(stream)
    stream.close()


def test_a_pipe_whose_reader_has_left_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    stream = os.fdopen(writer, "w")
    monkeypatch.setattr(sys, "stderr", stream)
    LineDisplay().say("starts")
    LineDisplay().end("wrote  1/10")
    monkeypatch.undo()
    assert goes_nowhere(stream)
    stream.close()


def test_a_stream_that_is_busy_for_a_moment_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    os.set_blocking(reader, False)
    with suppress(BlockingIOError):
        while True:
            os.write(writer, b"x" * 4096)
    with os.fdopen(writer, "w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        note("failed: the reason")
        with suppress(BlockingIOError):
            while os.read(reader, 1 << 16):
                pass
        note("what is left")
        monkeypatch.undo()
    assert os.read(reader, 1 << 16) == b"failed: the reason\nwhat is left\n"
    os.close(reader)
