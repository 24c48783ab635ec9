"""The launch commands, as users type them, with the built-in rule set."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cli.main import cli
from engine.cli.options import expand

REST = (
    "--client-host-memory-in-gb 512 --accelerator-type b200"
    " --checkpoint-folder /ckpt --results-dir /res --orgname o --systemname s --dry-run"
)


def launch(line: str, variables: Mapping[str, str] | None = None) -> Result:
    cleared: dict[str, str | None] = {"MLPSTORAGE_CHECKPOINT_FOLDER": None, "MLPSTORAGE_RESULTS_DIR": None}
    return CliRunner().invoke(cli, line.replace("REST", REST).split(), env={**cleared, **(variables or {})})


def judged(line: str) -> tuple[int, dict[str, Any]]:
    result = launch(f"{line} REST --format json")
    assert result.stdout, result.stderr
    return result.exit_code, json.loads(result.stdout)


def errors(report: dict[str, Any]) -> list[str]:
    return [finding["rule"] for finding in report["findings"] if finding["level"] == "error"]


@pytest.mark.parametrize(
    ("line", "code", "earned", "broken", "nearest"),
    [
        ("closed checkpointing run file --model llama3-8b --num-processes 8", 0, "CLOSED", [], None),
        (
            "closed checkpointing run file --model 8B --num-processes 8 --checkpoint-subset",
            0,
            "CLOSED",
            [],
            None,
        ),
        (
            "closed checkpointing run file --model llama3-405b --num-processes 8",
            1,
            "INVALID",
            ["4.6.1", "4.6.4"],
            {"requested": "closed", "processes": 512, "accelerators": 512},
        ),
        (
            "closed checkpointing run file --model llama3-70b --num-processes 8",
            1,
            "OPEN",
            ["4.6.1"],
            {"requested": "closed", "processes": 64, "accelerators": 64, "runs_as": "open"},
        ),
        (
            "closed checkpointing run file --model 70B --num-processes 64 --checkpoint-subset",
            1,
            "INVALID",
            ["4.3.5"],
            {"requested": "closed", "claim": False},
        ),
        (
            "closed checkpointing run file --model 8B --num-processes 16",
            1,
            "OPEN",
            ["4.6.1"],
            {"requested": "closed", "processes": 8, "accelerators": 8, "runs_as": "open"},
        ),
        ("closed checkpointing run file --model 405B --num-processes 512", 0, "CLOSED", [], None),
        (
            "closed checkpointing run file --model 405B --num-processes 408",
            1,
            "INVALID",
            ["4.6.1", "4.6.4"],
            {"requested": "closed", "processes": 512, "accelerators": 512},
        ),
        ("open checkpointing run file --model 405B --num-processes 256", 0, "OPEN", [], None),
        (
            "open checkpointing run file --model 405B --num-processes 8",
            1,
            "INVALID",
            ["4.6.4"],
            {"requested": "open", "processes": 256, "accelerators": 256},
        ),
        ("open checkpointing run file --model 70B --num-processes 8", 0, "OPEN", [], None),
        (
            "closed checkpointing run file --model 8B --num-processes 8 --num-checkpoints-write 5",
            1,
            "OPEN",
            ["4.7.1"],
            {"requested": "closed", "writes": 10, "runs_as": "open"},
        ),
        (
            "closed checkpointing run file --model 8B --num-processes 8 --num-checkpoints-read 0",
            0,
            "CLOSED",
            [],
            None,
        ),
        ("whatif checkpointing run file --model 405B --num-processes 8", 0, None, [], None),
    ],
)
def test_verdicts(line: str, code: int, earned: str | None, broken: list[str], nearest: object) -> None:
    found, report = judged(line)
    assert found == code
    assert report["subjects"] == [
        {"path": "launch", "scope": "launch", "requested": line.split(maxsplit=1)[0], "earned": earned}
    ]
    assert errors(report) == broken
    assert report.get("nearest") == nearest
    assert ("nearest" in report) == (code == 1)
    assert "4.3.2" in report["deferred"]


@pytest.mark.parametrize("hosts", ["8", "12"])
def test_more_than_four_accelerators_a_host_are_accepted(hosts: str) -> None:
    names = " ".join(f"h{number}" for number in range(int(hosts)))
    code, report = judged(f"closed checkpointing run --model 70B --num-processes 64 --hosts {names} file")
    assert (code, report["subjects"][0]["earned"]) == (0, "CLOSED")


def test_sixteen_hosts_are_refused_and_twelve_proposed() -> None:
    names = ",".join(f"h{number}" for number in range(16))
    code, report = judged(f"closed checkpointing run file --model 70B --num-processes 64 --hosts {names}")
    assert (code, errors(report)) == (1, ["4.6.2"])
    assert report["nearest"] == {"requested": "closed", "hosts": 12, "runs_as": "open"}


def test_one_folder_for_both_is_refused_in_any_spelling_and_access() -> None:
    for access in ("file", "object"):
        line = f"closed checkpointing run {access} --model 8B --num-processes 8 REST --results-dir /ckpt/"
        result = launch(f"{line} --format json")
        report = json.loads(result.stdout)
        assert (result.exit_code, errors(report), report["nearest"]) == (1, ["4.4.1"], None)


BASE = "checkpointing run file --model 8B --num-processes 8 REST"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (f"closed {BASE} --params a=1", "--params is for open and whatif only"),
        (f"closed {BASE} --loops 2", "--loops is for open and whatif only"),
        (f"closed {BASE} --allow-invalid-params", "--allow-invalid-params is for open and whatif only"),
        (
            f"closed {BASE} --accelerator-type h100",
            "h100 is for whatif only: a run asked for as closed takes b200",
        ),
        (f"open {BASE} --accelerator-type A100", "a100 is for whatif only"),
        (f"open {BASE} --loops 0", "--loops"),
        (f"closed {BASE} file", "unexpected extra argument"),
        (
            "closed checkpointing datasize --model 8B --num-processes 8 REST --checkpoint-subset",
            "is for run only",
        ),
        ("closed checkpointing run --model 8B --num-processes 8 REST", "needs 'file' or 'object'"),
        ("closed checkpointing run fil --model 8B --num-processes 8 REST", "Did you mean 'file'?"),
        ("closed checkpointing run file", "run needs --model, --num-processes, --accelerator-type"),
        ("closed checkpointing run object --model 8B --num-processes 8 REST --o-direct", "needs file access"),
        (
            "closed checkpointing run file --model 8B --num-processes -8 REST",
            "--num-processes: -8 is negative",
        ),
        ("closed checkpointing run file --model 8B --num-processes 8.5 REST", "'8.5' is not a whole number"),
        (f"closed checkpointing run file --model 8B --num-processes {'9' * 5000} REST", "too long"),
        (f"closed {BASE} --ruleset /no/such/folder", "/no/such/folder does not exist"),
        (f"closed {BASE} --format xml", "--format"),
        ("closed checkpointing datasize --model 13B --num-processes 8 REST", "no layout is known for '13B'"),
        ("closed checkpointing datasize --model 8B --num-processes 0 REST", "nothing to size"),
    ],
)
def test_usage_errors_say_why_and_print_no_report(line: str, reason: str) -> None:
    result = launch(line)
    assert (result.exit_code, result.stdout) == (2, "")
    assert reason in " ".join(result.stderr.split())
    assert "internal error" not in result.stderr


@pytest.mark.parametrize("division", ["closed", "open", "whatif"])
def test_a_run_that_does_nothing_is_a_usage_error_everywhere(division: str) -> None:
    result = launch(f"{division} {BASE} --num-checkpoints-write 0 --num-checkpoints-read 0")
    assert result.exit_code == 2
    assert "are both 0" in result.stderr


def test_no_process_at_all_is_judged() -> None:
    code, report = judged("closed checkpointing run file --model 8B --num-processes 0")
    assert code == 1
    assert "4.6.4" in errors(report)


def test_a_foreign_model_is_refused_with_what_was_meant() -> None:
    result = launch("closed checkpointing run file --model llama3-70bb --num-processes 64 REST")
    assert result.exit_code == 1
    assert "4.3.3" in result.stdout
    assert "did you mean 70B?" in result.stdout


def test_capacity_is_planned_from_the_layout_of_the_ranks() -> None:
    line = "checkpointing datasize --model 70B --num-processes 8 --client-host-memory-in-gb 512"
    result = launch(f"closed {line}")
    assert result.exit_code == 0
    assert "10 checkpoints of 113.9 GiB: 1.11 TiB" in result.stdout
    report = json.loads(launch(f"closed {line} --format json").stdout)
    assert report["subjects"][0]["earned"] is None
    assert report["sizes"]["capacity_bytes"] == 10 * report["sizes"]["checkpoint_bytes"]
    run = launch("open checkpointing run file --model 70B --num-processes 8 REST")
    assert "10 checkpoints of 113.9 GiB: 1.11 TiB" in run.stdout


def test_configview_prints_every_fact_and_where_it_comes_from() -> None:
    variables = {"MLPSTORAGE_CHECKPOINT_FOLDER": "/mnt/my checkpoints"}
    line = "closed checkpointing configview file --model 8B --num-processes 8 --results-dir /res --dry-run"
    result = launch(f"{line} --client-host-memory-in-gb 512 --accelerator-type b200", variables)
    assert result.exit_code == 0
    rows = {line.split()[0]: line for line in result.stdout.splitlines() if line.strip()}
    assert "/mnt/my checkpoints" in rows["checkpoint_folder"]
    assert rows["checkpoint_folder"].endswith("MLPSTORAGE_CHECKPOINT_FOLDER")
    assert rows["model"].split() == ["model", "8B", "--model"]
    assert rows["writes"].endswith("--num-checkpoints-write (default)")
    assert rows["written"].endswith("after the run")


class Lacking(EntryPoint):
    """A workload whose library is not installed."""

    def load(self) -> object:
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")


@pytest.mark.parametrize(
    ("installed", "said"),
    [
        ([], "no checkpointing workload is installed"),
        (["training"], "no checkpointing workload is installed"),
        (["checkpointing"], "needs numpy, which is not installed: pip install 'clausegate[bench]'"),
    ],
)
def test_an_accepted_run_without_a_workload_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: list[str], said: str
) -> None:
    points = [Lacking(name, "nowhere:run", "clausegate.workloads") for name in installed]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: points)
    line = f"closed {BASE}".replace("file", "object").replace("REST", REST.replace(" --dry-run", ""))
    result = launch(f"{line} --results-dir {tmp_path / 'results'}")
    assert result.exit_code == 2
    assert said in result.stderr
    assert not (tmp_path / "results").exists()


def test_a_folder_that_cannot_be_used_stops_an_accepted_run(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    line = f"closed {BASE}".replace("file", "object").replace("REST", REST.replace(" --dry-run", ""))
    result = launch(f"{line} --results-dir {tmp_path / 'taken'}")
    assert result.exit_code == 2
    assert "is not a folder" in result.stderr


NEW_FACT = """
from engine.runtime.ruleset import Clause, FactSpec, Launch, Statement
from engine.runtime.judge import exceeds, read
from tests.engine.launch.handmade import RULESET as OLD

def depth(facts):
    return exceeds(read(facts, "depth"), 32)

DEPTH = Statement(1, "too deep", ("depth",), depth)

RULESET = OLD._replace(
    facts=(
        *OLD.facts,
        FactSpec("depth", "integer", "leaf", "depth", launch=Launch(option="--queue-depth", default="8")),
    ),
    clauses=(*OLD.clauses, Clause("4.99", "depth", 1, "launch", (DEPTH,))),
)
"""


def test_a_new_fact_brings_its_own_option(tmp_path: Path) -> None:
    (tmp_path / "gate.py").write_text(NEW_FACT)
    line = f"closed checkpointing configview file --ruleset {tmp_path} --dry-run --model 8B --num-processes 8"
    line += " --checkpoint-folder /ckpt --results-dir /res --orgname o --systemname s"
    assert launch(line).exit_code == 0
    refused = launch(f"{line} --queue-depth 64 --format json")
    report = json.loads(refused.stdout)
    assert (refused.exit_code, errors(report)) == (1, ["4.99"])
    assert report["nearest"]["requested"] == "closed"
    assert 0 <= report["nearest"]["depth"] <= 32
    assert launch(f"{line} --queue-depth deep").exit_code == 2
    assert "--queue-depth" in launch(f"{line} --help").stdout
    assert "--queue-depth" not in launch("closed checkpointing run --help").stdout


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("file --hosts a b --x 1", "file --hosts a --hosts b --x 1"),
        ("--hosts a b file", "--hosts a --hosts b file"),
        ("--hosts a,b FILE", "--hosts a,b FILE"),
        ("--hosts=a b --hosts c --flag object", "--hosts a --hosts b --hosts c --flag object"),
        ("--hosts a b file --x 1", "--hosts a --hosts b file --x 1"),
        ("--hosts file", "--hosts file"),
        ("--hosts", "--hosts"),
        ("--x --hosts a", "--x --hosts a"),
        ("--params a=1 b=2 -- file", "--params a=1 --params b=2 -- file"),
    ],
)
def test_several_values_after_one_flag(typed: str, read: str) -> None:
    parameters = [click.Option(["--x"]), click.Option(["--flag"], is_flag=True)]
    several = frozenset({"--hosts", "--params"})
    assert " ".join(expand(typed.split(), parameters, several, ("file", "object"))) == read


WORDS = st.sampled_from(
    (
        "file object --model 8B 70B --num-processes 8 64 -1 0 --hosts a:4 b --checkpoint-subset --params k=v"
        " --dry-run --format json --accelerator-type b200 h100 --client-host-memory-in-gb 1e3"
        " --num-checkpoints-write 10 --"
    ).split()
)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["closed", "open", "whatif"]),
    st.sampled_from(["datasize", "configview"]),
    st.lists(WORDS),
)
def test_no_command_line_is_an_internal_error(division: str, command: str, words: list[str]) -> None:
    result = CliRunner().invoke(cli, [division, "checkpointing", command, *words, "--dry-run"])
    assert result.exit_code in (0, 1, 2)
    assert "internal error" not in result.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            "closed checkpointing datasize --model 8B --num-processes 8 REST --accelerator-type b300",
            "did you mean b200?",
        ),
        ("closed checkpointing run nfs --model 8B --num-processes 8 REST", "the access is file or object"),
        ("closed checkpointing run s4 --model 8B --num-processes 8 REST", "Did you mean 's3'?"),
    ],
)
def test_a_word_that_nothing_speaks_of_is_a_usage_error(words: str, told: str) -> None:
    result = launch(words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in " ".join(result.stderr.split())


@pytest.mark.parametrize(("typed", "access"), [("posix", "file"), ("POSIX", "file"), ("s3", "object")])
def test_an_alias_of_an_access_is_typed_as_well(typed: str, access: str) -> None:
    line = "closed checkpointing configview {} --model 8B --num-processes 8 REST"
    found = launch(line.format(typed))
    assert found.exit_code == 0, found.stderr
    assert found.stdout == launch(line.format(access)).stdout


def test_a_word_of_a_new_option_that_no_clause_asks_for_is_a_usage_error(tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "Rules.md").read_text("utf-8")
    fact = """fabric:
  type: enum
  meaning: how hosts reach the storage
  noun: its fabric
  members: {infiniband: [ib], ethernet: [roce]}
  launch: {option: --fabric, default: ib}
  package: [metadata:args.fabric]
accelerators:
  type: integer"""
    (tmp_path / "Rules.md").write_text(
        text.replace("accelerators:\n  type: integer", fact, 1).replace("complete: yes", "complete: no"),
        "utf-8",
    )
    built = CliRunner().invoke(cli, ["build", str(tmp_path / "Rules.md"), "-o", str(tmp_path / "compiled")])
    assert built.exit_code == 0, built.output
    line = (
        f"closed checkpointing run file --model 8B --num-processes 8 REST --ruleset {tmp_path / 'compiled'}"
    )
    assert launch(f"{line} --fabric IB").exit_code == 0
    result = launch(f"{line} --fabric infini")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--fabric: 'infini'; did you mean infiniband?" in " ".join(result.stderr.split())
