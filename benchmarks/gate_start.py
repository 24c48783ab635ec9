"""How long the gate takes as a whole cold process, as a multiple of a bare interpreter's start.

A launch waits for the gate, on every host and in every script, so its start is a promise. Both
processes are timed in turn within one run, so that a busy machine slows both alike; the medians
are compared.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 8
ROUNDS = 40
BARE = [sys.executable, "-c", "pass"]
GATE = [
    str(Path(sys.executable).parent / "clausegate"),
    *(
        "closed checkpointing run file --model llama3-8b --num-processes 8 --hosts h1"
        " --client-host-memory-in-gb 512 --accelerator-type b200 --checkpoint-folder /ckpt --results-dir /res"
        " --systemname s --dry-run --format json"
    ).split(),
]


def seconds(command: list[str], folder: str) -> float:
    """The time from the start of a process to its end, which must be a good one."""
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> int:
    """Measure, print, and return 1 when the limit is passed."""
    bare, gate = [], []
    with tempfile.TemporaryDirectory() as folder:
        for command in (BARE, GATE):  # once for compiled files and disk caches, not counted
            seconds(command, folder)
        for _ in range(ROUNDS):
            bare.append(seconds(BARE, folder))
            gate.append(seconds(GATE, folder))
    ratio = statistics.median(gate) / statistics.median(bare)
    print(f"python -c pass  {statistics.median(bare) * 1000:7.1f} ms, median of {ROUNDS}")
    print(f"the gate        {statistics.median(gate) * 1000:7.1f} ms, median of {ROUNDS}")
    print(f"ratio           {ratio:7.1f}, limit {LIMIT}")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
