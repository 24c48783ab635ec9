"""The four models of the published table, for tests that need no rule set."""

from __future__ import annotations

from engine.sizing import Layout

LAYOUTS = {
    "8B": Layout(4096, 14336, 32, 8, 32, 128256, 1, 1, 8, 8, 3),
    "70B": Layout(8192, 28672, 128, 8, 80, 128256, 8, 1, 8, 64, 3),
    "405B": Layout(16384, 53248, 128, 8, 126, 128256, 8, 32, 2, 512, 1),
    "1T": Layout(25872, 98304, 192, 32, 128, 128256, 8, 64, 2, 1024, 1),
}
