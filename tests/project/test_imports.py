"""The gate starts light: what a launch imports, whatever it decides and however it says so."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.command import LAUNCH, run

HEAVY = {"asyncio", "jinja2", "lark", "markdown_it", "msgspec", "numpy", "rich", "rules_dsl", "yaml"}

WATCHED = (
    sys.executable,
    "-c",
    """
import os, sys
from engine.cli.main import main
sys.argv[0] = "clausegate"
try:
    code = main()
except SystemExit as stop:
    code = stop.code
with open(os.environ["IMPORTED"], "w") as file:
    file.write("\\n".join(sorted(sys.modules)))
sys.exit(code)
""",
)

ON_TOO_FEW_PROCESSES = [*LAUNCH, "--model", "llama3-405b"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (LAUNCH, 0),
        ([*LAUNCH, "--format", "json"], 0),
        (ON_TOO_FEW_PROCESSES, 1),
        ([*ON_TOO_FEW_PROCESSES, "--format", "json"], 1),
        (["--version"], 0),
        (["--help"], 0),
        ([*LAUNCH, "--no-such-option"], 2),
    ],
    ids=["accepted", "accepted-json", "refused", "refused-json", "version", "help", "usage-error"],
)
def test_the_gate_imports_nothing_heavy(arguments: list[str], code: int, tmp_path: Path) -> None:
    record = tmp_path / "imported"
    done = run(arguments, cwd=tmp_path, command=WATCHED, variables={"IMPORTED": str(record)})
    assert done.returncode == code, done.stdout + done.stderr
    imported = {name.partition(".")[0] for name in record.read_text().splitlines()}
    assert not imported & HEAVY
