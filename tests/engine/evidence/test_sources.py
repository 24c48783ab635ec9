"""Facts of a leaf: order, agreement, older names, problems and origins."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from engine.evidence.sources import Reading
from engine.package.subjects import survey
from engine.runtime.origins import EvidenceProblem
from engine.runtime.values import Kind, Listing, Other, Unknown, Value
from tests.engine.evidence.vocabulary import FACTS, RULESET
from tests.packages import DROP, SPOILED, spoil, write_leaf, write_system


def reading(root: Path) -> Reading:
    (leaf,) = survey(root, RULESET).leaves
    return leaf.reading


def absent(fact: str) -> Unknown:
    return Unknown.of(fact, Kind.ABSENT)


def unreadable(fact: str) -> Unknown:
    return Unknown.of(fact, Kind.UNREADABLE)


CLEAN: dict[str, Value] = {
    "requested": "closed",
    "command": "run",
    "model": "8B",
    "processes": 8,
    "accelerators": 8,
    "hosts": 1,
    "written": Fraction("104.70452117919922"),
    "writes": 10,
    "fsync": True,
    "claim": absent("claim"),
    "checkpoint_folder": "/ckpt",
    "same_filesystem": False,
    "slots": Listing(({"count": 8},)),
}


@pytest.mark.parametrize("names", ["new", "old"])
def test_a_clean_leaf_under_new_and_old_names(tmp_path: Path, names: str) -> None:
    write_leaf(tmp_path, names=names)
    found = reading(tmp_path)
    assert {name: found.facts[name] for name in CLEAN} == CLEAN
    assert found.problems == ()
    assert set(found.facts) == {spec.name for spec in FACTS if spec.scope == "leaf"}


def test_a_trail_says_under_which_name_a_fact_was_found(tmp_path: Path) -> None:
    folder = write_leaf(tmp_path, names="old")
    (origin,) = reading(tmp_path).origins["fsync"]
    assert origin.field == "combined_params.checkpoint.fsync"
    assert origin.file == f"{folder.relative_to(tmp_path)}/checkpointing_20260708_064613_metadata.json"
    assert origin.value is True


def test_a_fact_that_is_not_recorded_says_where_it_was_looked_for(tmp_path: Path) -> None:
    folder = write_leaf(tmp_path, without=("summary",), metadata={"args.hosts": DROP})
    found = reading(tmp_path)
    assert found.facts["hosts"] == absent("hosts")
    assert [
        (origin.file.rpartition("/")[2], origin.field, origin.value) for origin in found.origins["hosts"]
    ] == [
        ("*summary.json", "num_hosts", None),
        ("checkpointing_20260708_064613_metadata.json", "args.hosts", None),
    ]
    assert found.origins["hosts"][0].file.startswith(folder.relative_to(tmp_path).as_posix())
    assert found.problems == ()


def test_an_override_wins_over_arguments_and_template(tmp_path: Path) -> None:
    write_leaf(
        tmp_path,
        metadata={
            "args.num_checkpoints_write": 0,
            "parameters.checkpoint.num_checkpoints_write": 7,
            "override_parameters/checkpoint.num_checkpoints_write": "10",
        },
    )
    assert reading(tmp_path).facts["writes"] == 10


def test_the_next_source_is_taken_where_the_first_holds_nothing(tmp_path: Path) -> None:
    write_leaf(
        tmp_path,
        metadata={
            "override_parameters": None,
            "args.num_checkpoints_write": None,
            "parameters.checkpoint.num_checkpoints_write": 7,
        },
        summary={"num_hosts": None},
    )
    found = reading(tmp_path).facts
    assert (found["writes"], found["hosts"], found["overrides"]) == (7, 1, Listing(()))


def test_overrides_of_all_fields_are_joined(tmp_path: Path) -> None:
    write_leaf(tmp_path, partial=True, metadata={"args.params": ["checkpoint.rank=3"]})
    overrides = reading(tmp_path).facts["overrides"]
    assert isinstance(overrides, Listing)
    keys = [item["key"] for item in overrides.items]
    assert keys[-3:] == ["checkpoint.mode", "model.parallelism.data", "checkpoint.rank"]


def test_sources_that_disagree_are_one_doubt_with_both_places(tmp_path: Path) -> None:
    write_leaf(tmp_path, metadata={"model": "llama3-70b"})
    found = reading(tmp_path)
    assert found.facts["model"] == unreadable("model")
    (problem,) = found.problems
    assert (problem.name, problem.facts) == ("model", ("model",))
    assert problem.message == (
        "model is 8B in args.model of checkpointing_20260708_064613_metadata.json "
        "and 70B in model of checkpointing_20260708_064613_metadata.json"
    )
    assert [place.field for place in problem.places] == ["args.model", "model", "folder workload"]


def test_a_folder_and_the_recorded_division_that_differ_are_a_doubt(tmp_path: Path) -> None:
    write_leaf(tmp_path, division="open", metadata={"args.mode": "closed"})
    found = reading(tmp_path)
    assert found.facts["requested"] == unreadable("requested")
    assert found.problems[0].message.startswith(
        "requested is open in the folder division and closed in args.mode"
    )


def test_spelling_is_no_disagreement(tmp_path: Path) -> None:
    write_leaf(
        tmp_path,
        division="Closed",
        workload="LLAMA3-8B",
        metadata={"args.mode": "CLOSED", "model": "llama_8b"},
    )
    found = reading(tmp_path)
    assert (found.facts["requested"], found.facts["model"], found.problems) == ("closed", "8B", ())


def test_a_folder_that_is_no_division_leaves_it_to_the_record(tmp_path: Path) -> None:
    write_leaf(tmp_path, division="submissions", metadata={"args.mode": "open"})
    assert reading(tmp_path).facts["requested"] == "open"


def test_a_division_recorded_nowhere_is_absent(tmp_path: Path) -> None:
    write_leaf(tmp_path, division="submissions", verification=None, metadata={"args.mode": DROP})
    found = reading(tmp_path)
    assert found.facts["requested"] == absent("requested")
    assert [origin.field for origin in found.origins["requested"]] == ["folder division", "args.mode", "args"]
    assert found.problems == ()


def test_a_model_that_is_none_stays_visible(tmp_path: Path) -> None:
    write_leaf(tmp_path, workload="llama3-13b", metadata={"args.model": "llama3-13b", "model": "LLAMA3-13B"})
    found = reading(tmp_path)
    assert (found.facts["model"], found.problems) == (Other("llama3-13b", "model"), ())


def test_a_malformed_field_is_a_doubt_of_its_own(tmp_path: Path) -> None:
    write_leaf(tmp_path, metadata={"args.num_processes": "sixty-four"})
    found = reading(tmp_path)
    assert found.facts["processes"] == unreadable("processes")
    (problem,) = found.problems
    assert problem.message == (
        "args.num_processes of checkpointing_20260708_064613_metadata.json is "
        '"sixty-four", not a whole number'
    )
    assert (problem.name, problem.places[0].field) == ("processes", "args.num_processes")


@pytest.mark.parametrize("kind", sorted(SPOILED))
def test_an_unusable_document_is_one_doubt_with_its_facts(tmp_path: Path, kind: str) -> None:
    folder = write_leaf(tmp_path)
    file = spoil(folder, "summary", kind)
    found = reading(tmp_path)
    (problem,) = found.problems
    assert problem.name == "summary"
    assert set(problem.facts) == {"accelerators", "hosts", "memory", "written", "summary_start"}
    assert problem.message.startswith("summary.json ")
    assert problem.places[0].file == file.relative_to(tmp_path).as_posix()
    assert all(found.facts[fact] == unreadable(fact) for fact in problem.facts)
    assert found.facts["processes"] == 8


def test_a_part_that_is_no_mapping_is_one_doubt(tmp_path: Path) -> None:
    write_leaf(tmp_path, metadata={"args": ["--model", "llama3-8b"]})
    (problem,) = reading(tmp_path).problems
    assert problem.name == "metadata"
    assert problem.message == "args of checkpointing_20260708_064613_metadata.json is a list, not a mapping"
    assert {"model", "processes", "claim", "checkpoint_folder"} <= set(problem.facts)
    assert "requested" not in problem.facts  # the folder says it, and comes first


@pytest.mark.parametrize("held", ["", []])
def test_an_empty_part_holds_nothing(tmp_path: Path, held: object) -> None:
    write_leaf(tmp_path, metadata={"override_parameters": held})
    found = reading(tmp_path)
    assert (found.facts["writes"], found.problems) == (10, ())


def test_two_files_for_one_document_are_ambiguous(tmp_path: Path) -> None:
    folder = write_leaf(tmp_path)
    (folder / "._summary.json").write_bytes(b"\0\5\26\7")
    assert reading(tmp_path).problems == ()
    (folder / "1_summary.json").write_text("{}")
    (problem,) = reading(tmp_path).problems
    assert problem.message == "*summary.json is ambiguous: 2 files match (1_summary.json, summary.json)"


def test_a_folder_in_a_documents_place_is_a_doubt(tmp_path: Path) -> None:
    folder = write_leaf(tmp_path, without=("separation",))
    (folder / "fs_separation.json").mkdir()
    (problem,) = reading(tmp_path).problems
    assert isinstance(problem, EvidenceProblem)
    assert (problem.name, problem.message) == ("separation", "fs_separation.json is a folder, not a file")


def test_an_older_log_says_whether_filesystems_are_the_same(tmp_path: Path) -> None:
    folder = write_leaf(tmp_path, same_filesystem=None)
    log = "Filesystem Size Used Avail Use% Mounted on\n/dev/a 1G 1G 1G 9% /\n/dev/b 1G 1G 1G 9% /ckpt\n"
    (folder / "checkpointing_run.stdout.log").write_text(log)
    found = reading(tmp_path)
    assert found.facts["same_filesystem"] is False
    assert [origin.field for origin in found.origins["same_filesystem"]] == [
        "",
        "args.checkpoint_folder",
        "args.results_dir",
    ]


def test_a_system_is_read_for_each_workload(tmp_path: Path) -> None:
    write_leaf(tmp_path)
    write_leaf(tmp_path, model="70B")
    file = write_system(tmp_path, multi_host=False, remap_time_in_seconds=90)
    for workload in survey(tmp_path, RULESET).workloads:
        assert (workload.reading.facts["multi_host"], workload.reading.facts["remap_time"]) == (False, 90)
        assert workload.reading.origins["multi_host"][0].file == file.relative_to(tmp_path).as_posix()


def test_a_system_that_is_not_described_is_unreadable_without_a_doubt(tmp_path: Path) -> None:
    write_leaf(tmp_path)
    (workload,) = survey(tmp_path, RULESET).workloads
    assert workload.reading.facts == {
        "multi_host": unreadable("multi_host"),
        "remap_time": unreadable("remap_time"),
    }
    assert workload.reading.problems == ()
    assert workload.reading.origins["multi_host"][0].file == "closed/OrgA/systems/sys-1.yaml"


def test_a_described_system_that_states_nothing_is_absent(tmp_path: Path) -> None:
    write_leaf(tmp_path)
    write_system(tmp_path, multi_host=DROP)
    (workload,) = survey(tmp_path, RULESET).workloads
    assert workload.reading.facts["multi_host"] == absent("multi_host")


def test_an_unusable_system_is_a_doubt(tmp_path: Path) -> None:
    write_leaf(tmp_path)
    write_system(tmp_path).write_text("a: 1\na: 2\n")
    (workload,) = survey(tmp_path, RULESET).workloads
    (problem,) = workload.reading.problems
    assert (problem.name, problem.facts) == ("system", ("multi_host", "remap_time"))
    assert problem.message == 'sys-1.yaml holds the key "a" twice'


def test_a_system_named_like_a_glob_is_itself(tmp_path: Path) -> None:
    write_leaf(tmp_path, system="sys[1]")
    write_system(tmp_path, system="sys[1]")
    write_system(tmp_path, system="sys1", multi_host=False)
    (workload,) = survey(tmp_path, RULESET).workloads
    assert workload.reading.facts["multi_host"] is True
