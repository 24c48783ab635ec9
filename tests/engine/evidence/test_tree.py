"""Finding subjects: whatever folder is handed over, whatever stands around, no leaf is lost."""

from __future__ import annotations

import json
import shutil
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.package.subjects import NothingToValidate, Package, survey
from engine.package.validate import validate
from engine.runtime.values import Kind, Unknown
from generated.validator import RULESET as PUBLISHED
from tests.engine.evidence.vocabulary import RULESET
from tests.packages import DROP, START, Leaf, write_code_image, write_leaf, write_split, write_system

LEAF = "closed/OrgA/results/sys-1/checkpointing/llama3-8b/20260708_064613"


def paths(tree: Path) -> list[str]:
    return [leaf.path for leaf in survey(tree, RULESET).leaves]


@pytest.mark.parametrize("depth", range(8))
def test_any_folder_of_a_package_can_be_handed_over(tmp_path: Path, depth: int) -> None:
    root = tmp_path / "pkg"
    write_leaf(root)
    write_system(root)
    package = survey(root.joinpath(*LEAF.split("/")[:depth]), RULESET)
    (leaf,), (workload,) = package.leaves, package.workloads
    assert (leaf.path, leaf.family, leaf.phase, leaf.judged) == (LEAF, "checkpointing", "run", True)
    assert leaf.reading.facts["requested"] == "closed"
    assert (workload.path, workload.children, workload.runs) == (LEAF.rpartition("/")[0], (leaf,), (leaf,))
    assert workload.reading.facts["multi_host"] is True
    assert package.root == root
    assert package.problems == ()


def test_a_relative_tree_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_leaf(tmp_path / "pkg")
    monkeypatch.chdir(tmp_path / "pkg" / "closed" / "OrgA")
    assert paths(Path()) == paths(Path("results")) == paths(Path("../../closed")) == [LEAF]


def test_a_leaf_copied_out_of_its_package(tmp_path: Path) -> None:
    copy = tmp_path / "case" / "20260708_064613"
    shutil.copytree(write_leaf(tmp_path / "pkg"), copy)
    for tree in (copy, copy.parent):
        (leaf,) = survey(tree, RULESET).leaves
        assert leaf.path == "case/20260708_064613"
        assert (leaf.family, leaf.judged) == ("checkpointing", True)
        assert leaf.reading.facts["requested"] == "closed"  # by its own record
        assert leaf.reading.facts["model"] == "8B"


def test_a_folder_that_holds_a_runs_documents_is_a_leaf(tmp_path: Path) -> None:
    copy = tmp_path / "case" / "mine"
    shutil.copytree(write_leaf(tmp_path / "pkg"), copy)
    (leaf,) = survey(copy, RULESET).leaves
    assert (leaf.path, leaf.family) == ("case/mine", "checkpointing")


@pytest.mark.parametrize("top", ["system", "checkpointing", "llama3-8b"])
def test_a_part_of_a_package_without_results_above(tmp_path: Path, top: str) -> None:
    write_leaf(tmp_path / "pkg")
    shutil.copytree(tmp_path / "pkg" / "closed/OrgA/results/sys-1", tmp_path / "system")
    tree = next(path for path in [tmp_path / "system", *(tmp_path / "system").rglob("*")] if path.name == top)
    (leaf,) = survey(tree, RULESET).leaves
    assert leaf.path == "system/checkpointing/llama3-8b/20260708_064613"
    assert leaf.family == "checkpointing"


@pytest.mark.parametrize("division", ["Closed", "OPEN", "whatif", "submissions", "what-if"])
def test_divisions_in_any_spelling_are_walked(tmp_path: Path, division: str) -> None:
    write_leaf(tmp_path, division=division)
    write_leaf(tmp_path, division="open", org="OrgB")
    assert paths(tmp_path) == sorted(
        [LEAF.replace("closed", division), LEAF.replace("closed/OrgA", "open/OrgB")]
    )


def test_only_a_division_of_another_name(tmp_path: Path) -> None:
    write_leaf(tmp_path / "pkg", division="submissions")
    expected = LEAF.replace("closed", "submissions")
    for tree in ("pkg", "pkg/submissions", "pkg/submissions/OrgA", f"pkg/{expected}"):
        assert paths(tmp_path / tree) == [expected]


def test_a_leaf_outside_results_is_not_lost(tmp_path: Path) -> None:
    write_leaf(tmp_path)
    stray = tmp_path / "closed" / "OrgA" / "sys-9" / "checkpointing" / "llama3-8b" / "20260709_000000"
    shutil.copytree(tmp_path / LEAF, stray)
    found = survey(tmp_path, RULESET).leaves
    assert [leaf.path for leaf in found] == [LEAF, stray.relative_to(tmp_path).as_posix()]
    assert [leaf.family for leaf in found] == ["checkpointing", "checkpointing"]
    assert found[1].reading.facts["requested"] == "closed"


def test_what_is_no_part_of_the_results_is_not_walked(tmp_path: Path) -> None:
    folder = write_leaf(tmp_path)
    for place in (
        "code-images/code-73abf5ff/tests/20260101_000000",
        "closed/OrgA/code-73abf5ff/20260101_000000",
        "OrgA/code-73abf5ff/20260101_000000",
        "closed/OrgA/systems/20260101_000000",
        "closed/OrgA/results/.snapshot/20260101_000000",
        "closed/OrgA/results/sys-1/checkpointing/llama3-8b/copy/tests/20260101_000000",
    ):
        shutil.copytree(folder, tmp_path / place)
    (tmp_path / "closed/OrgA/results/sys-1/checkpointing/llama3-8b/copy/pyproject.toml").touch()
    assert paths(tmp_path) == [LEAF]


def test_documents_inside_a_leaf_make_no_further_leaf(tmp_path: Path) -> None:
    folder = write_leaf(tmp_path)
    (folder / "option_1").mkdir()
    (folder / "option_1" / "summary.json").write_text("{}")
    (folder.parent / "summary.json").write_text("{}")
    assert paths(tmp_path) == [LEAF]


def test_families_fold_and_unknown_ones_are_counted(tmp_path: Path) -> None:
    write_leaf(tmp_path, family="kvcache")
    write_leaf(tmp_path, family="Checkpointing", system="sys-2")
    write_leaf(tmp_path, family="training", system="sys-3")
    found = {
        leaf.family: (leaf.judged, bool(leaf.reading.facts)) for leaf in survey(tmp_path, RULESET).leaves
    }
    assert found == {"kv_cache": (True, True), "checkpointing": (True, True), "training": (False, False)}
    assert {workload.family for workload in survey(tmp_path, RULESET).workloads} == {
        "kv_cache",
        "checkpointing",
    }


def test_a_leaf_without_any_file_is_a_leaf(tmp_path: Path) -> None:
    (tmp_path / LEAF).mkdir(parents=True)
    (leaf,) = survey(tmp_path, RULESET).leaves
    assert leaf.judged
    assert leaf.reading.facts["processes"] == Unknown.of("processes", Kind.ABSENT)
    assert leaf.reading.facts["model"] == "8B"  # by the folder
    assert leaf.started == datetime(2026, 7, 8, 6, 46, 13)


@pytest.mark.parametrize("command", ["datasize", "datagen", "configview"])
def test_a_leaf_that_is_no_run_is_surveyed_and_not_judged(tmp_path: Path, command: str) -> None:
    write_leaf(tmp_path, command=command)
    run = write_leaf(tmp_path, start=START + timedelta(hours=1))
    package = survey(tmp_path, RULESET)
    assert [leaf.judged for leaf in package.leaves] == [False, True]
    (workload,) = package.workloads
    assert [child.path for child in workload.runs] == [run.relative_to(tmp_path).as_posix()]
    assert len(workload.children) == 2


def test_phase_folders_belong_to_one_workload(tmp_path: Path) -> None:
    folder = tmp_path / LEAF
    for phase in ("datagen", "run"):
        (folder.parent / phase / folder.name).mkdir(parents=True)
    package = survey(tmp_path, RULESET)
    assert [leaf.judged for leaf in package.leaves] == [False, True]
    assert [workload.path for workload in package.workloads] == [LEAF.rpartition("/")[0]]


def test_runs_are_ordered_by_their_start(tmp_path: Path) -> None:
    write_leaf(tmp_path, timestamp="20260709_000003", start=START)
    write_leaf(tmp_path, timestamp="20260709_000002", start=START + timedelta(hours=1), bookends="none")
    write_leaf(
        tmp_path, timestamp="20260708_074700", bookends="none", summary={"start": DROP}
    )  # only its folder says when
    (workload,) = survey(tmp_path, RULESET).workloads
    assert [run.path[-15:] for run in workload.runs] == [
        "20260709_000003",
        "20260709_000002",
        "20260708_074700",
    ]


def test_two_halves_come_in_order(tmp_path: Path) -> None:
    first, second = write_split(tmp_path)
    (workload,) = survey(tmp_path, RULESET).workloads
    assert [run.path for run in workload.runs] == [
        half.relative_to(tmp_path).as_posix() for half in (first, second)
    ]
    assert [run.reading.facts["writes"] for run in workload.runs] == [10, 0]


def test_what_looks_like_a_leaf_and_is_none_is_a_doubt(tmp_path: Path) -> None:
    folder = write_leaf(tmp_path)
    (folder.parent / "20260708_070000").write_text("")
    (folder.parent / "20260708_080000").symlink_to(tmp_path / "nowhere")
    package = survey(tmp_path, RULESET)
    assert len(package.leaves) == 1
    assert [doubt.message for doubt in package.problems] == [
        f"{LEAF.rpartition('/')[0]}/20260708_070000 is named like a run's folder and is none",
        f"{LEAF.rpartition('/')[0]}/20260708_080000 is named like a run's folder and is none",
    ]


def test_an_unfinished_run_is_told_once_with_its_reason(tmp_path: Path) -> None:
    folder = write_leaf(tmp_path)
    for name, failure in (("20260708_070000", "rank 3 on h died"), ("20260708_080000", None)):
        left = shutil.copytree(folder, folder.parent / f"{name}.unfinished")
        (metadata,) = left.glob("*_metadata.json")
        metadata.write_text(json.dumps({**json.loads(metadata.read_text()), "failure": failure}))
    package = survey(tmp_path, RULESET)
    assert [leaf.path for leaf in package.leaves] == [LEAF]
    workload = LEAF.rpartition("/")[0]
    unsaid = "it is still under way, or was ended before it could say why"
    told = "is a run that did not finish and counts for nothing"
    assert [doubt.message for doubt in package.problems] == [
        f"{workload}/20260708_070000.unfinished {told}: rank 3 on h died",
        f"{workload}/20260708_080000.unfinished {told}: {unsaid}",
    ]


@pytest.mark.parametrize("depth", [0, 1, 3, 6])
def test_an_unfinished_run_is_a_finding_and_a_note_in_whatif(tmp_path: Path, depth: int) -> None:
    """Each division holds a run that ended and one that did not; any folder may be handed over."""
    for division in ("closed", "whatif"):
        folder = write_leaf(tmp_path, Leaf(division=division))
        shutil.copytree(folder, folder.parent / "20260708_070000.unfinished")
        tree = tmp_path.joinpath(*folder.relative_to(tmp_path).parts[:depth])
        told = [f for f in validate(tree, PUBLISHED).findings if "did not finish" in f.message]
        levels = {f.message.partition("/")[0]: f.level for f in told}
        assert len(told) == len(levels)
        assert levels[division] == ("note" if division == "whatif" else "error")


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (None, []),
        (0, []),
        ("0", []),
        (0.0, []),
        (6, [6]),
        (-9, [-9]),
        ("6", [6]),
        (137.0, [137]),
        (0.5, [Fraction(1, 2)]),
        (True, ["true"]),
        (False, ["false"]),
        ("killed", ['"killed"']),
        ("", ['""']),
        ([1], ["a list"]),
        (10**500, [10**500]),
    ],
)
def test_a_failure_that_is_recorded_in_a_leaf_with_a_finished_name_is_a_doubt(
    tmp_path: Path, status: object, told: list[object]
) -> None:
    folder = write_leaf(tmp_path)
    (metadata,) = folder.glob("*_metadata.json")
    metadata.write_text(json.dumps({**json.loads(metadata.read_text()), "exit_status": status}))
    (leaf,) = survey(tmp_path, RULESET).leaves
    assert [doubt.places[0].value for doubt in leaf.reading.problems if doubt.name == "exit_status"] == told
    findings = [f for f in validate(tmp_path, PUBLISHED).findings if f.name == "exit_status"]
    assert [(f.path, f.level) for f in findings] == [(LEAF, "error")] * len(told)
    earned = {s.earned for s in validate(tmp_path, PUBLISHED).subjects if s.scope == "leaf"}
    assert earned == {"UNDETERMINED" if told else "CLOSED"}


@pytest.mark.parametrize("status", [None, 0, "0"])
@pytest.mark.parametrize("failure", ["rank 3 was killed\nby signal 9", 3, True, {"rank": 3}, []])
def test_a_failure_beside_no_code_or_a_good_one_is_one_as_well(
    tmp_path: Path, status: object, failure: object
) -> None:
    write_leaf(tmp_path, metadata={"exit_status": status, "failure": failure})
    report = validate(tmp_path, PUBLISHED)
    (finding,) = [f for f in report.findings if f.name == "failure"]
    assert (finding.level, "\n" in finding.message) == ("error", False)
    assert {s.earned for s in report.subjects if s.scope == "leaf"} == {"UNDETERMINED"}


@pytest.mark.parametrize("failure", [None, ""])
def test_no_failure_is_none(tmp_path: Path, failure: object) -> None:
    write_leaf(tmp_path, metadata={"exit_status": 0, "failure": failure})
    assert [f for f in validate(tmp_path, PUBLISHED).findings if f.name == "failure"] == []


def test_a_tree_of_unfinished_runs_alone_is_nothing_to_validate(tmp_path: Path) -> None:
    folder = write_leaf(tmp_path)
    left = folder.rename(folder.parent / f"{folder.name}.unfinished")
    shutil.copytree(left, folder.parent / "20270101_000000.unfinished")
    with pytest.raises(NothingToValidate, match=r"unfinished is a run that did not .* \(1 more like it\)$"):
        survey(tmp_path, RULESET)
    with pytest.raises(NothingToValidate, match=r"unfinished is a run that did not finish"):
        survey(left, RULESET)


def test_loops_of_links_are_harmless(tmp_path: Path) -> None:
    folder = write_leaf(tmp_path)
    (folder.parent / "back").symlink_to(tmp_path)
    (folder.parent.parent / "self").symlink_to("self")
    (folder.parent.parent / "here").symlink_to(".")
    (tmp_path / "closed" / "OrgA" / "results" / "up").symlink_to("../../..")
    (folder / "inside").symlink_to("..")
    assert paths(tmp_path) == [LEAF]


def test_a_link_within_the_package_is_walked_and_told(tmp_path: Path) -> None:
    folder = write_leaf(tmp_path)
    (folder.parents[3] / "sys-2").symlink_to("sys-1")
    (folder.parent / "latest").symlink_to(folder)
    (folder.parent / "20260709_000000").symlink_to(folder.name)
    package = survey(tmp_path, RULESET)
    second = LEAF.replace("20260708_064613", "20260709_000000")
    assert [leaf.path for leaf in package.leaves] == [
        *(LEAF, second),
        LEAF.replace("sys-1", "sys-2"),  # behind a link no further link is followed
    ]
    links = {f"{LEAF.rpartition('/')[0]}/latest", second, "closed/OrgA/results/sys-2"}
    assert {doubt.places[0].file for doubt in package.warnings} >= links
    assert package.problems == ()


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 6, 7])
def test_a_link_out_of_the_package_is_an_error_and_is_not_followed(tmp_path: Path, depth: int) -> None:
    write_leaf(tmp_path / "pkg", org="OrgB", division="open")
    folder = write_leaf(tmp_path / "pkg")
    link = folder.parents[7 - depth - 1] if depth < 7 else folder
    shutil.move(link, tmp_path / "elsewhere")
    link.symlink_to(tmp_path / "elsewhere")
    package = survey(tmp_path / "pkg", RULESET)
    assert [leaf.path for leaf in package.leaves] == [LEAF.replace("closed/OrgA", "open/OrgB")]
    (doubt,) = package.problems
    shown = link.relative_to(tmp_path / "pkg").as_posix()
    assert doubt.message == (
        f"{shown} is a link ({tmp_path / 'elsewhere'}) out of the package and was not followed"
    )
    assert shown in [one.path for one in package.skipped]


def test_fifty_levels_are_searched_and_a_bottomless_tree_is_said(tmp_path: Path) -> None:
    folder = write_leaf(tmp_path)
    deep = folder.parent.joinpath(*["d"] * 50) / "20260709_000000"
    shutil.copytree(folder, deep)
    folder.parents[1].joinpath(*["d"] * 80).mkdir(parents=True)
    package = survey(tmp_path, RULESET)
    assert len(package.leaves) == 2
    (doubt,) = package.problems
    assert doubt.message.endswith("is nested more than 64 folders deep and was not searched")


def test_a_folder_that_cannot_be_listed_is_a_doubt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_leaf(tmp_path)
    locked = tmp_path / "closed" / "OrgA" / "results" / "sys-2"
    locked.mkdir()
    listed = Path.iterdir

    def refuse(self: Path) -> object:
        if self == locked:
            raise PermissionError(13, "Permission denied")
        return listed(self)

    monkeypatch.setattr(Path, "iterdir", refuse)
    (doubt,) = survey(tmp_path, RULESET).problems
    assert doubt.message == "closed/OrgA/results/sys-2 cannot be listed (permission denied)"


def test_long_paths(tmp_path: Path) -> None:
    write_leaf(tmp_path, org="o" * 200, system="s" * 200)
    assert len(paths(tmp_path)[0]) > 340


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda root: None, "holds nothing to validate: no run folder (YYYYMMDD_HHMMSS) and no folder with"),
        (
            lambda root: (root / "closed" / "OrgA" / "results").mkdir(parents=True),
            "holds nothing to validate",
        ),
        (lambda root: root.rmdir(), "does not exist, so there is nothing to validate"),
        (lambda root: (root.rmdir(), root.write_text("")), "is a file; a package"),
    ],
)
def test_nothing_to_validate(tmp_path: Path, make: object, message: str) -> None:
    root = tmp_path / "pkg"
    root.mkdir()
    make(root)  # type: ignore[operator]  # the table's functions
    with pytest.raises(NothingToValidate) as caught:
        survey(root, RULESET)
    assert message in str(caught.value)
    assert str(root) in str(caught.value)


def edition(package: Package) -> list[str | None]:
    return [leaf.edition for leaf in package.leaves]


DIGEST = "73abf5ff65f4bb83f17d246e18dfcbd9"


@pytest.mark.parametrize("pool", ["code-images", "OrgA", "closed/OrgA"])
def test_the_edition_by_the_code_image_that_a_leaf_points_at(tmp_path: Path, pool: str) -> None:
    write_leaf(tmp_path, code_image=DIGEST)
    write_leaf(tmp_path, org="OrgB")
    write_code_image(tmp_path, DIGEST, version="3.0.38", pool=pool)
    package = survey(tmp_path, RULESET)
    assert edition(package) == ["3.0", None]
    assert package.edition is None


@pytest.mark.parametrize(
    ("manifest", "declared"),
    [
        ('rules_edition: "3.0"', "3.0"),
        ("edition: 3.0", "3.0"),
        ("rules_edition: 4", "4.0"),
        ("organisation: OrgA", "2.0"),
    ],
)
def test_the_edition_that_an_organisation_declares_comes_first(
    tmp_path: Path, manifest: str, declared: str
) -> None:
    write_leaf(tmp_path, code_image=DIGEST)
    write_code_image(tmp_path, DIGEST, version="2.0.1")
    (tmp_path / "closed" / "OrgA" / "submission.yaml").write_text(manifest)
    package = survey(tmp_path, RULESET)
    assert (edition(package), package.edition, package.problems) == ([declared], declared, ())


def test_the_packages_own_manifest_serves_all_organisations(tmp_path: Path) -> None:
    write_leaf(tmp_path)
    write_leaf(tmp_path, org="OrgB")
    (tmp_path / "submission.yaml").write_text('edition: "2.0"')
    (tmp_path / "closed" / "OrgB" / "submission.yaml").write_text('edition: "3.0"')
    assert edition(survey(tmp_path, RULESET)) == ["2.0", "3.0"]


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ('edition: "9.9"', 'declares edition "9.9"; known are 2.0, 3.0, 4.0'),
        ("a: 1\na: 2", 'holds the key "a" twice'),
    ],
)
def test_a_manifest_that_cannot_be_used_is_a_doubt(tmp_path: Path, manifest: str, message: str) -> None:
    write_leaf(tmp_path)
    (tmp_path / "closed" / "OrgA" / "submission.yaml").write_text(manifest)
    package = survey(tmp_path, RULESET)
    assert edition(package) == [None]
    assert [doubt.message for doubt in package.problems] == [f"closed/OrgA/submission.yaml {message}"]


@pytest.mark.parametrize("version", ["3.1.0", "", "new", 3])
def test_a_tool_of_no_known_edition_says_nothing(tmp_path: Path, version: str) -> None:
    write_leaf(tmp_path, code_image=DIGEST)
    write_code_image(tmp_path, DIGEST, version=version)
    assert edition(survey(tmp_path, RULESET)) == [None]


def test_progress_counts_leaves(tmp_path: Path) -> None:
    write_split(tmp_path)
    seen: list[int] = []
    survey(tmp_path, RULESET, seen.append)
    assert seen == [1, 2]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(
        st.builds(
            Leaf,
            division=st.sampled_from(["closed", "open", "Open", "odd"]),
            org=st.sampled_from(["OrgA", "OrgB", "closed"]),
            system=st.sampled_from(["sys-1", "checkpointing"]),
            family=st.sampled_from(["checkpointing", "kv_cache", "training"]),
            start=st.integers(0, 3).map(lambda hours: START + timedelta(hours=hours)),
        ),
        min_size=1,
        max_size=5,
        unique_by=lambda leaf: leaf.path,
    )
)
def test_every_leaf_that_was_written_is_found_once(
    tmp_path_factory: pytest.TempPathFactory, leaves: list[Leaf]
) -> None:
    root = tmp_path_factory.mktemp("pkg")
    for leaf in leaves:
        write_leaf(root, leaf)
    assert paths(root) == sorted((leaf.path for leaf in leaves), key=lambda path: Path(path).parts)


@pytest.mark.corpus
def test_real_packages(corpus: Path) -> None:
    package = survey(corpus / "v3.0", PUBLISHED)
    checkpointing = [leaf for leaf in package.leaves if leaf.family == "checkpointing"]
    assert len(checkpointing) == 40
    assert all(leaf.judged for leaf in checkpointing)
    assert package.problems == ()
    doubts = [doubt for leaf in checkpointing for doubt in leaf.reading.problems]
    assert doubts == []
    read = [leaf for leaf in checkpointing if isinstance(leaf.reading.facts["processes"], int)]
    assert len(read) == 37  # three leaves hold no metadata


@pytest.mark.corpus
def test_a_real_leaf_handed_over_alone_reads_the_same(corpus: Path) -> None:
    whole = {leaf.path: leaf.reading for leaf in survey(corpus / "v3.0", PUBLISHED).leaves}
    path = "closed/OrgD/results/sys-10/checkpointing/llama3-70b/20260721_214534"
    (alone,) = survey(corpus / "v3.0" / path, PUBLISHED).leaves
    assert (alone.path, alone.reading) == (path, whole[path])
