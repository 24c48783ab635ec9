"""Public reports of checkpointing, as tests: the number in a name is the report's.

Each is a whole kind of fault. Errors are compared exactly, so that a right clause does not hide a
wrong one beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine.cli.main import cli
from tests.command import run
from tests.packages import DROP, FOLDERS, Leaf, write_leaf, write_split, write_system
from tests.vectors.answers import Answer, launch, launch_line, launch_text, package, package_process, refused

Judged = Callable[..., Answer]
LARGE = ("70B", "405B", "1T")
UNTIMED = {"start": DROP, "end": DROP}


@pytest.fixture
def leaf(tmp_path: Path) -> Judged:
    """The answer on a package of one system and one leaf."""

    def judged(*options: str, **changes: Any) -> Answer:
        write_system(tmp_path, division=changes.get("division", "closed"))
        write_leaf(tmp_path, **changes)
        return package(tmp_path, *options)

    return judged


@pytest.fixture
def split(tmp_path: Path) -> Judged:
    """The answer on a package of one system and the two leaves of a split run."""

    def judged(*options: str, **changes: Any) -> Answer:
        write_system(tmp_path)
        write_split(tmp_path, **changes)
        return package(tmp_path, *options)

    return judged


@pytest.mark.parametrize("model", LARGE)
def test_1_a_short_run_without_a_recorded_claim_is_taken_for_a_subset_run(leaf: Judged, model: str) -> None:
    found = leaf(model=model, processes=8, accelerators=8, partial=True, claim=None, verification="CLOSED")
    assert found.broken == {"4.3.5", "4.6.1"} | ({"4.6.4"} if model != "70B" else set())
    assert found.doubted == set()
    assert (found.code, found.earned()) == (1, {"INVALID"})


def test_1_in_a_process_of_its_own(tmp_path: Path) -> None:
    write_system(tmp_path)
    write_leaf(tmp_path, model="405B", processes=8, partial=True)
    found = package_process(tmp_path)
    assert (found.code, found.broken, found.earned()) == (1, {"4.3.5", "4.6.1", "4.6.4"}, {"INVALID"})


@pytest.mark.parametrize("model", LARGE)
def test_1b_a_recorded_claim_of_false_is_believed(leaf: Judged, model: str) -> None:
    found = leaf(model=model, processes=8, accelerators=8, partial=True, claim=False)
    assert found.broken == {"4.6.1"} | ({"4.6.4"} if model != "70B" else set())
    assert "4.3.5" not in found.named
    assert (found.code, found.earned()) == (1, {"OPEN"} if model == "70B" else {"INVALID"})


@pytest.mark.parametrize(
    "changes",
    [
        {"claim": True},
        {"claim": False},
        {"claim": None},
        {"partial": True},
        {"claim": True, "partial": True},
        {"claim": False, "partial": True},
    ],
    ids=str,
)
def test_2_8b_on_8_processes_is_closed_whatever_it_claims(leaf: Judged, changes: dict[str, Any]) -> None:
    found = leaf(model="8B", processes=8, **changes)
    assert (found.code, found.earned(), found.earned("workload")) == (0, {"CLOSED"}, {"CLOSED"})
    assert not found.named & {"4.3.5", "4.6.1"}
    assert found.findings(level="error") == []


def test_2_at_launch() -> None:
    for more in ((), ("--checkpoint-subset",)):
        found = launch("closed", "llama3-8b", 8, *more)
        assert (found.code, found.earned("launch"), found.findings()) == (0, {"CLOSED"}, [])


SUBSETS = [
    ("8B", 4, {"4.3.5", "4.6.1", "4.6.2"}),
    ("8B", 16, {"4.3.5", "4.6.1"}),
    ("70B", 64, {"4.3.5"}),
]


@pytest.mark.parametrize(("model", "processes", "broken"), SUBSETS)
@pytest.mark.parametrize("division", ["closed", "open"])
def test_3_another_count_or_model_is_no_subset_run(
    leaf: Judged, division: str, model: str, processes: int, broken: set[str]
) -> None:
    expected = broken if division == "closed" else {"4.3.5"}
    found = leaf(division=division, model=model, processes=processes, claim=True, verification=None)
    assert (found.code, found.broken, found.doubted) == (1, expected, set())
    assert found.earned() == {"INVALID"}
    gated = launch(division, FOLDERS[model], processes, "--checkpoint-subset")
    assert (gated.code, gated.broken, gated.earned("launch")) == (1, expected, {"INVALID"})


def test_4_open_70b_on_8_is_legal_until_it_claims_to_be_a_subset_run(tmp_path: Path) -> None:
    for claim, code, broken, earned in ((False, 0, set[str](), "OPEN"), (True, 1, {"4.3.5"}, "INVALID")):
        tree = tmp_path / str(claim)
        write_system(tree, division="open")
        write_leaf(tree, division="open", model="70B", processes=8, claim=claim, verification="OPEN")
        found = package(tree)
        assert (found.code, found.broken, found.doubted, found.earned()) == (code, broken, set(), {earned})
        gated = launch("open", "llama3-70b", 8, *(["--checkpoint-subset"] if claim else []))
        assert (gated.code, gated.broken, gated.earned("launch")) == (code, broken, {earned})


@pytest.mark.parametrize("model", ["405B", "1T"])
def test_5_open_on_8_is_no_whole_replica(leaf: Judged, model: str) -> None:
    found = leaf(division="open", model=model, processes=8, verification="INVALID", claim=False)
    assert "4.6.4" in found.broken
    assert (found.code, found.earned()) == (1, {"INVALID"})
    gated = launch("open", FOLDERS[model], 8)
    assert (gated.code, gated.broken, gated.earned("launch")) == (1, {"4.6.4"}, {"INVALID"})


@pytest.mark.parametrize("model", ["405B", "1T"])
def test_5_that_alone_when_nothing_was_recorded_as_earned(leaf: Judged, model: str) -> None:
    found = leaf(division="open", model=model, processes=8, verification=None, claim=False)
    assert (found.broken, found.doubted) == ({"4.6.4"}, set())


@pytest.mark.parametrize("spelling", ["CLOSED", "closed", "Closed"])
@pytest.mark.parametrize("slots", [True, False])
def test_6_too_few_accelerators_a_host_for_every_spelling(leaf: Judged, spelling: str, slots: bool) -> None:
    found = leaf(model="8B", hosts=4, verification=spelling, slots=slots)
    assert (found.code, found.broken, found.doubted) == (1, {"4.6.2"}, set())
    assert found.earned() == {"OPEN"}


@pytest.mark.parametrize("spelling", ["OPEN", "open", "Open"])
def test_7_no_whole_replica_for_every_spelling(leaf: Judged, spelling: str) -> None:
    found = leaf(division="open", model="70B", processes=9, verification=spelling)
    assert (found.code, found.broken, found.doubted) == (1, {"4.6.4"}, set())
    assert found.earned() == {"INVALID"}


@pytest.mark.parametrize("mode", [None, DROP])
def test_8_a_division_that_nothing_names_is_undetermined(leaf: Judged, mode: object) -> None:
    found = leaf(division="drafts", verification=None, metadata={"args.mode": mode})
    [doubt] = [one for one in found.findings("evidence") if one["name"] == "requested"]
    assert (doubt["outcome"], doubt["level"]) == ("undetermined", "error")
    assert {"4.3.4", "4.6.1", "4.6.2", "4.6.3", "4.7.1"} <= set(doubt["clauses"])
    assert (found.code, found.earned(), found.earned("workload")) == (1, {"UNDETERMINED"}, {"UNDETERMINED"})
    assert [one["requested"] for one in found.report["subjects"]] == [None, None]


@pytest.mark.parametrize(
    ("hosts", "slots", "broken"),
    [(8, True, set()), (12, False, set()), (12, True, set()), (16, True, {"4.6.2"}), (16, False, {"4.6.2"})],
)
def test_9_accelerators_per_host(leaf: Judged, hosts: int, slots: bool, broken: set[str]) -> None:
    found = leaf(model="70B", hosts=hosts, slots=slots)
    assert (found.code, found.broken, found.doubted) == (int(bool(broken)), broken, set())
    assert found.earned() == ({"OPEN"} if broken else {"CLOSED"})
    names = [f"h{number}" for number in range(1, hosts + 1)]
    gated = launch("closed", "llama3-70b", 64, hosts=names)
    assert (gated.code, gated.broken) == (int(bool(broken)), broken)
    for each in (found, gated):
        notes = each.findings("4.6.2", level="note")
        assert [("table of parameters allows 4" in one["message"]) for one in notes] == [True] * bool(broken)


@pytest.mark.parametrize(
    ("division", "processes", "broken", "earned"),
    [
        ("closed", 408, {"4.6.1", "4.6.4"}, "INVALID"),
        ("closed", 512, set(), "CLOSED"),
        ("closed", 256, {"4.6.1"}, "OPEN"),
        ("open", 256, set(), "OPEN"),
        ("open", 408, {"4.6.4"}, "INVALID"),
    ],
)
def test_10_405b(leaf: Judged, division: str, processes: int, broken: set[str], earned: str) -> None:
    found = leaf(
        division=division, model="405B", processes=processes, partial=processes < 512, verification=None
    )
    assert (found.code, found.broken, found.doubted) == (int(bool(broken)), broken, set())
    assert found.earned() == {earned}
    gated = launch(division, "llama3-405b", processes)
    assert (gated.code, gated.broken, gated.earned("launch")) == (int(bool(broken)), broken, {earned})
    told = launch_text(division, "llama3-405b", processes)
    assert "4.3.5" not in found.named | gated.named
    assert "4.3.5" not in told
    assert told.startswith("refused" if broken else "accepted")
    assert ("run it as open" in told) is (earned == "OPEN" and division == "closed")


def test_11_8b_on_16_is_refused_as_closed_and_legal_as_open(leaf: Judged) -> None:
    gated = launch("closed", "llama3-8b", 16)
    assert (gated.code, gated.broken, gated.earned("launch")) == (1, {"4.6.1"}, {"OPEN"})
    assert gated.report["nearest"]["runs_as"] == "open"
    told = launch_text("closed", "llama3-8b", 16)
    assert told.startswith("refused")
    assert "run it as open" in told
    found = leaf(model="8B", processes=16)
    assert (found.broken, found.earned()) == ({"4.6.1"}, {"OPEN"})
    accepted = launch("open", "llama3-8b", 16)
    assert (accepted.code, accepted.broken, accepted.earned("launch")) == (0, set(), {"OPEN"})


@pytest.mark.parametrize(("gap", "broken"), [(5, set()), (30, set()), (30.1, {"4.7.1"}), (31, {"4.7.1"})])
def test_12_the_pause_between_writing_and_reading(split: Judged, gap: float, broken: set[str]) -> None:
    found = split(gap=gap)
    assert (found.code, found.broken, found.doubted) == (int(bool(broken)), broken, set())
    assert found.earned() == {"CLOSED"}
    assert found.earned("workload") == ({"INVALID"} if broken else {"CLOSED"})


def test_13_summary_times_bound_a_short_pause(split: Judged) -> None:
    found = split(bookends="none", gap=20)
    assert (found.code, found.broken, found.doubted) == (0, set(), set())
    assert found.earned("workload") == {"CLOSED"}


def test_13_a_long_pause_by_summary_times_cannot_be_judged(split: Judged) -> None:
    found = split(bookends="none", gap=100)
    assert (found.code, found.broken, found.doubted) == (1, set(), {"4.7.1"})
    assert found.earned("workload") == {"UNDETERMINED"}
    [doubt] = found.findings("4.7.1", level="error")
    used = {(place["file"].rpartition("/")[2], place["field"]) for place in doubt["evidence"]}
    assert {("summary.json", "start"), ("summary.json", "end")} <= used
    assert "summary" in doubt["message"]


def test_14_without_any_times_the_pause_cannot_be_judged(split: Judged) -> None:
    found = split(bookends="none", summary=UNTIMED)
    assert (found.broken, found.doubted) == (set(), {"4.7.1"})
    assert (found.code, found.earned("workload")) == (1, {"UNDETERMINED"})


@pytest.mark.parametrize("bookends", ["both", "none"])
def test_15_one_invocation_has_no_pause(leaf: Judged, bookends: str) -> None:
    found = leaf(writes=10, reads=10, bookends=bookends)
    assert (found.code, found.earned("workload")) == (0, {"CLOSED"})
    assert "4.7.1" not in found.named


def test_15_without_any_times(leaf: Judged) -> None:
    found = leaf(writes=10, reads=10, bookends="none", summary=UNTIMED)
    assert (found.code, found.named) == (0, set())


def test_16_an_override_wins_over_argument_and_template(tmp_path: Path) -> None:
    """The template says 10 for both halves; what either half does not do is 0 in its arguments."""
    write_system(tmp_path)
    for place, other in (("write", "read"), ("read", "write")):
        start = Leaf().start.replace(hour=8 if place == "write" else 9)
        write_leaf(
            tmp_path,
            writes=10 if place == "write" else 0,
            reads=10 if place == "read" else 0,
            start=start,
            seconds=3595,
            metadata={
                f"args/num_checkpoints_{place}": 0,  # the override says 10
                f"override_parameters/checkpoint.num_checkpoints_{other}": DROP,
                f"args/num_checkpoints_{other}": 0,  # the template says 10
                "parameters/checkpoint/num_checkpoints_write": 10,
                "parameters/checkpoint/num_checkpoints_read": 10,
            },
        )
    found = package(tmp_path)
    assert (found.code, found.broken, found.doubted) == (0, set(), set())
    assert found.earned("workload") == {"CLOSED"}


def test_17_counts_of_checkpoints(leaf: Judged) -> None:
    half = launch("closed", "8B", 8, "--num-checkpoints-write", "10", "--num-checkpoints-read", "0")
    assert (half.code, half.earned("launch"), half.broken) == (0, {"CLOSED"}, set())
    five = launch("closed", "8B", 8, "--num-checkpoints-write", "5")
    assert (five.code, five.earned("launch"), five.broken) == (1, {"OPEN"}, {"4.7.1"})
    assert "run it as open" in launch_text("closed", "8B", 8, "--num-checkpoints-write", "5")
    opened = launch("open", "8B", 8, "--num-checkpoints-write", "5")
    assert (opened.code, opened.broken) == (0, set())
    found = leaf(writes=5)
    assert (found.code, found.broken, found.earned()) == (1, {"4.7.1"}, {"OPEN"})


@pytest.mark.parametrize("division", ["closed", "open", "whatif"])
@pytest.mark.parametrize("command", ["run", "configview"])
def test_17_a_run_that_does_nothing_is_a_usage_error(division: str, command: str) -> None:
    counts = ("--num-checkpoints-write", "0", "--num-checkpoints-read", "0")
    told = refused(launch_line(division, "8B", 8, *counts, command=command))
    assert "--num-checkpoints-write and --num-checkpoints-read are both 0" in told


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"model": "405B", "processes": 8, "partial": True},
        {"hosts": 2},
        {"writes": 5},
        {"metadata": {"{parameters}.checkpoint.fsync": False}},
        {"overrides": {"checkpoint.type": "rank_zero"}},
        {"division": "open", "model": "70B", "processes": 9, "verification": None},
    ],
    ids=str,
)
def test_18_old_names_are_read_as_the_new_ones(tmp_path: Path, changes: dict[str, Any]) -> None:
    answers = []
    for names, parameters in (("new", "parameters"), ("old", "combined_params")):
        tree = tmp_path / names
        write_system(tree, division=changes.get("division", "closed"))
        spelled = {key.format(parameters=parameters): v for key, v in changes.get("metadata", {}).items()}
        write_leaf(tree, **{**changes, "names": names, "metadata": spelled})
        answers.append(package(tree))
    new, old = answers
    assert (old.code, old.broken, old.doubted, old.named) == (new.code, new.broken, new.doubted, new.named)
    assert old.earned() == new.earned()
    assert old.earned("workload") == new.earned("workload")


def test_18_old_names_without_what_decides_are_not_passed(leaf: Judged) -> None:
    found = leaf(names="old", metadata={"combined_params": DROP, "params_dict": DROP})
    assert {"4.3.2", "4.6.3"} <= found.doubted
    assert found.earned() == {"UNDETERMINED"}


@pytest.mark.parametrize("accelerator", [None, DROP])
def test_19_a_leaf_without_an_accelerator(tmp_path: Path, accelerator: object) -> None:
    write_system(tmp_path)
    changes = {"accelerator": accelerator, "args.accelerator_type": accelerator}
    write_leaf(tmp_path, metadata=changes)
    found = package(tmp_path)
    assert (found.code, found.broken, found.doubted) == (1, set(), {"4.3.4"})
    assert found.earned() == {"UNDETERMINED"}
    older = package(tmp_path, "--edition", "3.0")
    assert (older.code, older.broken, older.doubted) == (0, set(), set())
    assert [one["level"] for one in older.findings("4.3.4")] == ["note"]
    assert older.earned() == {"CLOSED"}


def test_20_the_memory_of_a_host_is_the_sum_over_the_hosts(leaf: Judged) -> None:
    listed = [7212.78] * 4 + [0] * 12
    found = leaf(model="1T", hosts=16, memory=7212.78 * 4 / 16, summary={"host_memory_GB": listed})
    [warning] = found.findings("4.3.1")
    assert (found.code, warning["level"]) == (0, "warning")
    assert warning["facts"]["memory_per_host"] == pytest.approx(7212.78 * 4 / 16)
    assert warning["facts"]["written_per_host"] == pytest.approx(15426.589264154434 / 16)


def test_21_options_that_have_no_place_are_usage_errors() -> None:
    told = refused(launch_line("closed", "8B", 8, "--checkpoint-subset", command="datasize"))
    assert "--checkpoint-subset is for run only" in told
    told = refused(launch_line("closed", "8B", 8, "--params", "checkpoint.mode=subset"))
    assert "--params is for open and whatif only" in told
    for accelerator in ("h100", "a100"):
        for division in ("closed", "open"):
            told = refused(launch_line(division, "8B", 8, accelerator=accelerator))
            assert f"--accelerator-type {accelerator} is for whatif only" in told
            assert "b200, mi355" in told
        assert launch("whatif", "8B", 8, accelerator=accelerator).code == 0


def test_22_a_launch_is_sized_by_what_is_declared(leaf: Judged) -> None:
    """A host writes 1543 GiB: less than three times 750, more than three times 377."""
    names = [f"h{number}" for number in range(1, 11)]
    gated = launch("closed", "1T", 1024, hosts=names, memory=750)
    [warning] = gated.findings("4.3.1")
    assert (warning["level"], warning["facts"]["declared_memory"]) == ("warning", 750)
    assert launch("closed", "1T", 1024, hosts=names, memory=377).findings("4.3.1") == []
    found = leaf(model="1T", hosts=10, memory=377, declared_memory=750)
    [note] = found.findings("4.3.1")
    assert (note["level"], note["outcome"]) == ("note", "violation")
    assert "750" in note["message"]
    assert "377" in note["message"]
    assert (found.code, found.earned()) == (0, {"CLOSED"})


SAME = [("/ckpt", "/ckpt/"), ("/ckpt/", "/ckpt"), ("/ckpt/.", "/ckpt"), ("//ckpt//", "/ckpt")]


@pytest.mark.parametrize(("checkpoints", "results"), SAME)
def test_23_one_path_however_it_is_spelled(leaf: Judged, checkpoints: str, results: str) -> None:
    found = leaf(checkpoint_folder=checkpoints, results_folder=results)
    assert (found.code, found.broken, found.doubted, found.earned()) == (1, {"4.4.1"}, set(), {"INVALID"})
    gated = launch("closed", "8B", 8, checkpoint_folder=checkpoints, results_folder=results)
    assert (gated.code, gated.broken, gated.earned("launch")) == (1, {"4.4.1"}, {"INVALID"})


def test_24_object_access_has_no_filesystems_but_two_paths(tmp_path: Path) -> None:
    for folder, broken in (("/bucket-path", set[str]()), ("/results/", {"4.4.1"})):
        tree = tmp_path / folder.strip("/")
        write_system(tree, api="object")
        write_leaf(tree, access="object", checkpoint_folder=folder, same_filesystem=None)
        found = package(tree)
        assert (found.code, found.broken, found.doubted) == (int(bool(broken)), broken, set())
        assert "4.4.2" not in found.named
        gated = launch("closed", "8B", 8, access="object", checkpoint_folder=folder)
        assert (gated.code, gated.broken) == (int(bool(broken)), broken)
        assert "4.4.2" not in {*gated.named, *gated.report["deferred"]}


def test_24_file_access_without_a_probe_is_undetermined(leaf: Judged) -> None:
    found = leaf(same_filesystem=None)
    assert (found.code, found.broken, found.doubted) == (1, set(), {"4.4.2"})


def test_24_one_filesystem(leaf: Judged) -> None:
    found = leaf(same_filesystem=True)
    assert (found.code, found.broken, found.earned()) == (1, {"4.4.2"}, {"INVALID"})


def test_24_a_path_of_an_object_store_is_not_looked_for(tmp_path: Path) -> None:
    """configview stands for a run here: it probes as a run does, and starts nothing."""
    line = launch_line("closed", "8B", 8, command="configview", access="object", results_folder=str(tmp_path))
    result = CliRunner().invoke(cli, [part for part in line if part != "--dry-run"])
    assert (result.exit_code, result.stderr) == (0, "")
    assert "earns CLOSED" in result.stdout


def test_25_the_capacity_of_a_short_70b_run() -> None:
    told = launch_text("open", "llama3-70b", 8)
    assert "10 checkpoints of 113.9 GiB: 1.11 TiB" in told
    sized = run(
        [*launch_line("open", "llama3-70b", 8, command="datasize", accelerator=None)[:-1], "--format", "json"]
    )
    assert sized.returncode == 0
    assert '"capacity_bytes": 1223' in sized.stdout
