"""A clause with a new fact needs the document and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import cli
from engine.rulesets import Role, load
from engine.runtime.judge import judge_statement
from rules_dsl.compile import compile_text, read_text
from tests.command import ROOT

RULES = ROOT / "Rules.md"

FACT = """```facts
replicas:
  type: integer
  meaning: copies of each checkpoint that the system keeps
  noun: its replicas
  plural: yes
  launch: {option: --replicas, default: "1", commands: [run]}
  package:
    - metadata:override_parameters["checkpoint.replicas"]
    - metadata:args.replicas
  missing: {default: error, until "3.0": note}
```

"""

CLAUSE = """
4.8.1. **checkpointReplicas** -- A checkpoint is kept at most twice.

```rule
in closed: error if replicas > 2
  because "{replicas} copies are kept"
```

```cases
| replicas | verdict      |
|----------|--------------|
| 2        | pass         |
| 3        | OPEN         |
| ?        | undetermined |
```

> Breach of CLOSED: its replicas are more than 2.
"""


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    text = read_text(RULES)
    at = text.index("## What follows from these")
    path = tmp_path / "Rules.md"
    path.write_text(text[:at] + FACT + text[at:].rstrip("\n") + "\n" + CLAUSE, "utf-8")
    return path


def test_the_copy_is_sound(copy: Path) -> None:
    told = invoke("check", str(copy))
    assert told.exit_code == 0, told.output
    assert invoke("fmt", "--check", str(copy)).exit_code == 0


def test_rules_shows_the_clause(copy: Path) -> None:
    shown = json.loads(invoke("rules", "--format", "json", str(copy)).stdout)
    (entry,) = [r for r in shown["rules"] if r["id"] == "4.8.1"]
    line = copy.read_text("utf-8").splitlines().index(next(x for x in CLAUSE.splitlines() if x)) + 1
    assert entry == {
        "id": "4.8.1",
        "name": "checkpointReplicas",
        "kind": "decidable",
        "scope": ["leaf"],
        "stage": "launch",
        "facts": ["replicas"],
        "line": line,
        "why": None,
        "breach": ["its replicas are more than 2"],
    }


def test_gate_and_validator_hold_fact_and_clause(copy: Path, tmp_path: Path) -> None:
    assert invoke("build", str(copy), "-o", str(tmp_path / "out")).exit_code == 0
    roles: tuple[Role, ...] = ("gate", "validator")
    for role in roles:
        ruleset = load(role, str(tmp_path / "out"))
        (clause,) = [c for c in ruleset.clauses if c.rule == "4.8.1"]
        (statement,) = clause.statements
        for facts, result in (
            ({"replicas": 3}, "violation"),
            ({"replicas": 2}, "pass"),
            ({}, "undetermined"),
        ):
            assert [o.result for o in judge_statement(statement, ruleset.subject("leaf", facts))] == [result]
        (fact,) = [f for f in ruleset.facts if f.name == "replicas"]
        assert fact.launch is not None
        assert (fact.launch.option, fact.launch.default, fact.launch.commands) == (
            "--replicas",
            "1",
            ("run",),
        )
        assert [(s.document, s.path) for s in fact.package] == [
            ("metadata", ("override_parameters", "checkpoint.replicas")),
            ("metadata", ("args", "replicas")),
        ]
        assert fact.missing == (("3.0", "note"), (None, "error"))


def test_a_wrong_case_of_the_new_clause_is_told(copy: Path) -> None:
    copy.write_text(copy.read_text("utf-8").replace("| 3        | OPEN ", "| 3        | INVALID "), "utf-8")
    told = invoke("check", str(copy))
    assert told.exit_code == 1
    assert "clause 4.8.1 gives OPEN here, its case says INVALID" in told.output


def test_no_error_may_rest_on_the_stage() -> None:
    """What the gate says of an error has to survive in the package, whoever judges."""
    text = read_text(RULES).replace(
        'when stage == "launch" and both_phases: warn if', 'when stage == "launch" and both_phases: error if'
    )
    found = [d for d in compile_text(text, "Rules.md").diagnostics if d.level == "error"]
    assert [d.code for d in found] == ["C015"]
    assert "stage" in found[0].message
