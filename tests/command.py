"""The `clausegate` command as a process, in the environment that every test gives it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

COMMAND = (
    sys.executable,
    "-c",
    "import sys; sys.argv[0] = 'clausegate'; from engine.cli.main import main; sys.exit(main())",
)
"""What the console script does; it needs no installed script and runs the code beside the tests."""

LAUNCH = (
    "closed checkpointing run file --model llama3-8b --num-processes 8 --hosts h1"
    " --client-host-memory-in-gb 512 --accelerator-type b200 --checkpoint-folder /ckpt"
    " --results-dir /res --orgname o --systemname s --dry-run"
).split()
"""A launch that the gate accepts."""


def environment(**more: str) -> dict[str, str]:
    """The caller's environment less what would change the output, plus `more`."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CLAUSEGATE_", "MLPSTORAGE_", "PYTHON", "FORCE_COLOR"))
    }
    fixed = {"PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "80", "LC_ALL": "C.UTF-8", "TERM": "dumb"}
    return {**kept, **fixed, **more}


def run(
    arguments: Sequence[str],
    *,
    cwd: Path | None = None,
    command: Sequence[str] = COMMAND,
    variables: Mapping[str, str] | None = None,
    timeout: float = 120,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; stdout and stderr apart."""
    return subprocess.run(
        [*command, *arguments],
        cwd=cwd,
        env=environment(**(variables or {})),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
    )
