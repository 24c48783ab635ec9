"""A run goes on when nobody looks any more: a terminal that is gone is no fault of the storage."""

from __future__ import annotations

import io
import sys

import pytest

from bench.progress import Quiet


class Gone(io.StringIO):
    """A standard error whose reader has left."""

    def write(self, text: str) -> int:
        raise BrokenPipeError(32, "Broken pipe")


def test_lines_that_nobody_takes_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Gone())
    shown = Quiet()
    shown.say("starts")
    shown.end("wrote  1/10")
