"""How long the gate takes as a whole cold process, as a multiple of a bare interpreter's start.

A launch waits for the gate, on every host and in every script, so its start is a promise.
"""

from __future__ import annotations

import compileall
import sys
import tempfile
from pathlib import Path

from benchmarks.interleaved import compare, process

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 6
ROUNDS = 40
BARE = [sys.executable, "-c", "pass"]
GATE = [
    str(Path(sys.executable).parent / "clausegate"),
    *(
        "closed checkpointing run file --model llama3-8b --num-processes 8 --hosts h1"
        " --client-host-memory-in-gb 512 --accelerator-type b200 --checkpoint-folder /ckpt --results-dir /res"
        " --orgname o --systemname s --dry-run --format json"
    ).split(),
]


def main() -> int:
    """Measure, print, and return 1 when the limit is passed. Modules are compiled before, as `pip` does."""
    for package in ("engine", "generated"):
        compileall.compile_dir(ROOT / package, quiet=1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = compare(
            "The gate, as a whole cold process",
            ("the gate", process(GATE, folder)),
            ("python -c pass", process(BARE, folder)),
            rounds=ROUNDS,
            limit=LIMIT,
        )
    return 0 if found.kept else 1


if __name__ == "__main__":
    sys.exit(main())
