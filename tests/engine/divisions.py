"""The divisions and commands that the handmade rule sets of these tests declare."""

from __future__ import annotations

from engine.runtime.ruleset import Division

DIVISIONS = (Division("closed", "CLOSED", 2), Division("open", "OPEN", 1), Division("whatif", advice=True))

COMMANDS = {
    "checkpointing": {"datasize": "size", "run": "start", "configview": "show", "datagen": "prepare"},
}
