"""The import directions hold, and each contract that says so is one that can be broken."""

from __future__ import annotations

import ast
import shutil
import sys
from pathlib import Path

import pytest

from tests.command import ROOT, run

LINT = (sys.executable, "-c", "from importlinter.cli import lint_imports_command as lint; lint()")
ROOTS = ("engine", "generated", "rules_dsl")
LEFT_OUT = shutil.ignore_patterns("__pycache__")

OFFENCES = [
    ("engine/runtime/ruleset.py", "import rules_dsl", "The engine knows neither"),
    ("engine/runtime/values.py", "import generated.gate", "The engine knows neither"),
    ("engine/runtime/judge.py", "def late() -> None:\n    import lark", "The engine knows neither"),
    ("generated/gate.py", "import yaml", "Generated code runs without"),
    ("generated/validator.py", "import rules_dsl.ir", "Generated code runs without"),
    ("rules_dsl/evaluate/interpreter.py", "import engine.runtime.judge", "The interpreter does not lean"),
    (
        "rules_dsl/evaluate/interpreter.py",
        "import rules_dsl.emit.modules",
        "The interpreter and the emitters",
    ),
    ("engine/launch/gate.py", "import asyncio", "The gate's path is light"),
    ("engine/cli/main.py", "def late() -> None:\n    import rich", "The gate's path is light"),
]


@pytest.mark.parametrize(("file", "line", "contract"), OFFENCES)
def test_a_contract_catches(file: str, line: str, contract: str, tmp_path: Path) -> None:
    for name in ROOTS:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=LEFT_OUT)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    offender = tmp_path / file
    offender.write_text(f"{offender.read_text('utf-8')}\n{line}\n", "utf-8")
    done = run(("--no-cache",), cwd=tmp_path, command=LINT, variables={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 1, done.stdout + done.stderr
    broken = [text for text in done.stdout.splitlines() if text.endswith("BROKEN")]
    assert any(text.startswith(contract) for text in broken), done.stdout


@pytest.mark.parametrize("path", sorted((ROOT / "generated").glob("*.py")), ids=lambda path: path.name)
def test_generated_code_imports_only_the_runtime(path: Path) -> None:
    ours = {f"engine.runtime.{name}" for name in ("judge", "ruleset", "subject", "values")} | {
        "clauses",
        "facts",
    }
    imported = set(_imports(ast.parse(path.read_text("utf-8"))))
    foreign = {name for name in imported - ours if name.partition(".")[0] not in sys.stdlib_module_names}
    assert not foreign


def _imports(tree: ast.Module) -> list[str]:
    """Every module that is imported, wherever in the file; `from engine import x` as `engine.x`."""
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or "."
            found += [f"{base}.{alias.name}" for alias in node.names] if base == "engine" else [base]
    return found
