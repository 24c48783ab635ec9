"""What the command answers, read from its JSON: the same shape for a launch and for a package.

The command runs in this process, as the console script would run it; `tests.command.run` gives the
same answer from a process of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from engine.cli.main import cli
from tests.command import run

FOLDERS: Mapping[str, str | None] = {"MLPSTORAGE_CHECKPOINT_FOLDER": None, "MLPSTORAGE_RESULTS_DIR": None}


@dataclass(frozen=True, slots=True)
class Answer:
    """An exit code and the report that came with it."""

    code: int
    report: Mapping[str, Any]

    def findings(self, rule: str = "", *, outcome: str = "", level: str = "") -> list[dict[str, Any]]:
        """The findings of one clause, one outcome, one level; blank means every one."""
        return [
            one
            for one in self.report["findings"]
            if rule in ("", one["rule"]) and outcome in ("", one["outcome"]) and level in ("", one["level"])
        ]

    @property
    def broken(self) -> set[str]:
        """Clauses with a violation of level error."""
        return {one["rule"] for one in self.findings(outcome="violation", level="error")}

    @property
    def doubted(self) -> set[str]:
        """Clauses, or `evidence`, that an error leaves undetermined."""
        return {one["rule"] for one in self.findings(outcome="undetermined", level="error")}

    @property
    def named(self) -> set[str]:
        """Clauses that any finding is about."""
        return {one["rule"] for one in self.findings()}

    def earned(self, scope: str = "leaf") -> set[str | None]:
        """What the subjects of a scope earned."""
        return {one["earned"] for one in self.report["subjects"] if one["scope"] == scope}

    def text(self, rule: str) -> str:
        """The messages of one clause."""
        return "\n".join(one["message"] for one in self.findings(rule))


def answer(arguments: Iterable[str]) -> Answer:
    """The answer of the command in this process. What is no report is a failure of the test."""
    result = CliRunner().invoke(cli, list(arguments), env=FOLDERS)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in (0, 1), result.stderr
    return Answer(result.exit_code, json.loads(result.stdout))


def package(tree: Path, *options: str) -> Answer:
    """`validate TREE` in this process."""
    return answer(["validate", str(tree), *options, "--format", "json"])


def package_process(tree: Path, *options: str) -> Answer:
    """`validate TREE` as a process of its own."""
    done = run(["validate", str(tree), *options, "--format", "json"])
    assert "Traceback" not in done.stderr
    return Answer(done.returncode, json.loads(done.stdout))


def refused(arguments: Iterable[str]) -> str:
    """What a usage error says, on stderr alone."""
    result = CliRunner().invoke(cli, list(arguments), env=FOLDERS)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr


def launch_line(
    division: str,
    model: str,
    processes: int,
    *more: str,
    command: str = "run",
    access: str = "file",
    hosts: Iterable[str] = (),
    memory: float = 16,
    accelerator: str | None = "b200",
    checkpoint_folder: str | None = "/ckpt",
    results_folder: str | None = "/results",
) -> list[str]:
    """The arguments of a launch; by default 8 processes on a host, with too little memory for a cache."""
    named = list(hosts) or [f"h{number}" for number in range(1, -(-processes // 8) + 1)]
    line = [division, "checkpointing", command, access, "--model", model, "--num-processes", str(processes)]
    line += ["--hosts", *named, "--client-host-memory-in-gb", str(memory)]
    for flag, value in (
        ("--accelerator-type", accelerator),
        ("--checkpoint-folder", checkpoint_folder),
        ("--results-dir", results_folder),
        ("--orgname", "Acme"),
        ("--systemname", "sys-1"),
    ):
        line += [] if value is None else [flag, value]
    return [*line, *more, "--dry-run"]


def launch(division: str, model: str, processes: int, *more: str, **changes: Any) -> Answer:
    """The gate's answer in this process."""
    return answer([*launch_line(division, model, processes, *more, **changes), "--format", "json"])


def launch_text(division: str, model: str, processes: int, *more: str, **changes: Any) -> str:
    """What the gate tells people."""
    return (
        CliRunner().invoke(cli, launch_line(division, model, processes, *more, **changes), env=FOLDERS).stdout
    )
