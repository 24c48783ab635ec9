"""A new fact, member or clause needs the document and nothing else: no Python is changed here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import ROOT, run
from tests.packages import write_leaf, write_split, write_system
from tests.rules_dsl.verify.tables import rewritten
from tests.vectors.answers import Answer, launch_line

FACTS = """```facts
replicas:
  type: integer
  meaning: copies of each checkpoint that the system keeps
  noun: its replicas
  plural: yes
  launch: {option: --replicas, default: "1", commands: [run]}
  package:
    - metadata:override_parameters["checkpoint.replicas"]
    - metadata:args.replicas
codec:
  type: enum
  meaning: how a checkpoint is compressed
  noun: its codec
  members: {plain: [none], zstd: [zstandard], lz4: []}
  launch: {option: --codec, default: plain, commands: [run]}
  package: [metadata:args.codec]
  missing: {default: note}
failover:
  type: bool
  scope: workload
  meaning: the system fails over by itself
  says: [it fails over, it does not fail over]
  package: [system:system_under_test.solution.capabilities.failover]
  missing: {default: note}
  no_source: note
```

"""

CLAUSES = """

4.8.1. **checkpointReplicas** -- A checkpoint is kept at most twice.

```rule
error if replicas > 2
  because "{replicas} copies are kept"
  fix "use --replicas 2"
```

4.8.2. **checkpointCodec** -- A CLOSED run does not compress; zstd is on its way out.

```rule
in closed: error if codec != "plain"
  because "the checkpoint is compressed with {codec}"
until "3.0": warn if codec == "zstd"
since "4.0": error if codec == "zstd"
  because "zstd has gone"
```

4.8.3. **checkpointRepeat** -- A workload keeps the same number of copies in all its runs,
on a system that fails over.

```rule
for each first then second in runs: error if first.replicas != second.replicas
  because "{first.replicas} copies, then {second.replicas}"
warn if not failover
  because "the system does not fail over"
```
"""

PARTS = (
    ("## What follows from these", FACTS + "## What follows from these"),
    ("mi355: [mi355x]", "mi355: [mi355x], b300: [b300-ultra]"),
    ("check count(a in accelerator_types) == 4", "check count(a in accelerator_types) == 5"),
)
ROW = "| mi355 | 288 GB |"


@pytest.fixture(scope="module")
def ruleset(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder that the changed document is compiled to."""
    folder = tmp_path_factory.mktemp("rules")
    text = (ROOT / "Rules.md").read_text("utf-8")
    for old, new in PARTS:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    text = rewritten(text, ROW, f"| b300 | 270 GB | closed, open, whatif |\n{ROW}")
    copy = folder / "Rules.md"
    copy.write_text(text.rstrip("\n") + CLAUSES, "utf-8")
    done = run(["build", str(copy), "-o", str(folder / "out")])
    assert done.returncode == 0, done.stdout + done.stderr
    return str(folder / "out")


def judged(ruleset: str, *arguments: str) -> Answer:
    done = run([*arguments, "--ruleset", ruleset, "--format", "json"])
    assert done.returncode in (0, 1), done.stderr
    return Answer(done.returncode, json.loads(done.stdout))


def gated(ruleset: str, *more: str, division: str = "closed", **changes: Any) -> Answer:
    return judged(ruleset, *launch_line(division, "8B", 8, *more, **changes))


def validated(ruleset: str, tree: Path, *options: str, **changes: Any) -> Answer:
    held = {"args.replicas": 1, "args.codec": "plain", **changes.pop("metadata", {})}
    write_system(tree, division=changes.get("division", "closed"), failover=True)
    write_leaf(tree, metadata=held, **changes)
    return judged(ruleset, "validate", str(tree), *options)


def test_the_gate_takes_the_option_and_applies_the_clause(ruleset: str) -> None:
    two = gated(ruleset, "--replicas", "2")
    assert (two.code, two.broken, two.earned("launch")) == (0, set(), {"CLOSED"})
    three = gated(ruleset, "--replicas", "3")
    assert (three.code, three.broken, three.earned("launch")) == (1, {"4.8.1"}, {"INVALID"})
    [finding] = three.findings("4.8.1")
    assert (finding["name"], finding["message"]) == ("checkpointReplicas", "3 copies are kept")
    assert finding["evidence"] == [{"fact": "replicas", "file": "command line", "field": "--replicas"}]
    assert gated(ruleset).code == 0


def test_the_option_is_offered_where_it_was_declared(ruleset: str) -> None:
    line = launch_line("closed", "8B", 8, "--replicas", "2", command="configview")
    done = run([*line, "--ruleset", ruleset])
    assert (done.returncode, "--replicas is for run only" in done.stderr) == (2, True)
    done = run([*launch_line("closed", "8B", 8, "--replicas", "many"), "--ruleset", ruleset])
    assert (done.returncode, "--replicas" in done.stderr, "Traceback" in done.stderr) == (2, True, False)
    helped = run(["closed", "checkpointing", "run", "--ruleset", ruleset, "--help"])
    assert "Copies of each checkpoint that the system keeps" in " ".join(helped.stdout.split())
    without = run([*launch_line("closed", "8B", 8, "--replicas", "2")])
    assert (without.returncode, "--replicas" in without.stderr) == (2, True)


def test_the_validator_reads_the_place_and_applies_the_clause(ruleset: str, tmp_path: Path) -> None:
    clean = validated(ruleset, tmp_path / "1")
    assert (clean.code, clean.named, clean.earned()) == (0, set(), {"CLOSED"})
    three = validated(ruleset, tmp_path / "3", metadata={"args.replicas": 3})
    assert (three.code, three.broken, three.earned()) == (1, {"4.8.1"}, {"INVALID"})
    [finding] = three.findings("4.8.1")
    assert [(one["fact"], one["field"]) for one in finding["evidence"]] == [("replicas", "args.replicas")]
    text = validated(ruleset, tmp_path / "text", metadata={"args.replicas": "3"})
    assert text.broken == {"4.8.1"}


def test_the_first_place_of_the_fact_wins(ruleset: str, tmp_path: Path) -> None:
    override = {"args.replicas": 1, "override_parameters/checkpoint.replicas": 3}
    found = validated(ruleset, tmp_path, metadata=override, division="open", verification="OPEN")
    assert found.broken == {"4.8.1"}


def test_what_is_not_recorded_or_no_number_is_never_a_pass(ruleset: str, tmp_path: Path) -> None:
    absent = validated(ruleset, tmp_path / "absent", metadata={"args.replicas": None})
    assert (absent.code, absent.doubted, absent.earned()) == (1, {"4.8.1"}, {"UNDETERMINED"})
    malformed = validated(ruleset, tmp_path / "malformed", metadata={"args.replicas": "lots"})
    assert (malformed.code, malformed.doubted, malformed.earned()) == (1, {"evidence"}, {"UNDETERMINED"})
    [doubt] = malformed.findings("evidence")
    assert (doubt["name"], "4.8.1" in doubt["clauses"]) == ("replicas", True)


def test_a_closed_only_clause(ruleset: str, tmp_path: Path) -> None:
    refused = gated(ruleset, "--codec", "LZ4")
    assert (refused.code, refused.broken, refused.earned("launch")) == (1, {"4.8.2"}, {"OPEN"})
    assert refused.report["nearest"]["runs_as"] == "open"
    accepted = gated(ruleset, "--codec", "lz4", division="open")
    assert (accepted.code, accepted.broken, accepted.earned("launch")) == (0, set(), {"OPEN"})
    found = validated(ruleset, tmp_path, metadata={"args.codec": "lz4"})
    assert (found.code, found.broken, found.earned()) == (1, {"4.8.2"}, {"OPEN"})


def test_a_member_and_its_alias(ruleset: str, tmp_path: Path) -> None:
    assert gated(ruleset, accelerator="b300").code == 0
    assert gated(ruleset, accelerator="B300-Ultra").earned("launch") == {"CLOSED"}
    assert validated(ruleset, tmp_path, accelerator="b300").code == 0
    built_in = run(["validate", str(tmp_path), "--format", "json"])
    assert Answer(built_in.returncode, json.loads(built_in.stdout)).broken == {"4.3.4"}


def test_a_clause_with_editions(ruleset: str, tmp_path: Path) -> None:
    now = validated(ruleset, tmp_path, metadata={"args.codec": "zstandard"}, division="open")
    assert (now.code, now.broken, now.earned()) == (1, {"4.8.2"}, {"INVALID"})
    older = judged(ruleset, "validate", str(tmp_path), "--edition", "3.0")
    assert (older.code, older.broken, older.earned()) == (0, set(), {"OPEN"})
    assert {one["level"] for one in older.findings("4.8.2")} == {"warning", "note"}


def test_a_clause_of_a_workload(ruleset: str, tmp_path: Path) -> None:
    write_system(tmp_path, failover=False)
    folders = write_split(tmp_path, metadata={"args.codec": "plain", "args.replicas": 1})
    file = next(folders[1].glob("*_metadata.json"))
    recorded = json.loads(file.read_text("utf-8"))
    recorded["args"]["replicas"] = 2
    file.write_text(json.dumps(recorded), "utf-8")
    found = judged(ruleset, "validate", str(tmp_path))
    assert (found.code, found.broken) == (1, {"4.8.3"})
    assert (found.earned(), found.earned("workload")) == ({"CLOSED"}, {"INVALID"})
    assert {one["message"] for one in found.findings("4.8.3")} == {
        "1 copies, then 2",
        "the system does not fail over",
    }
    assert {one["path"] for one in found.findings("4.8.3")} == {
        "closed/OrgA/results/sys-1/checkpointing/llama3-8b"
    }
