"""Nothing that stands where a subject could stand is passed over without a word."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from engine.package.subjects import NothingToValidate, Package, survey
from engine.package.validate import validate
from engine.report import text
from engine.runtime.ruleset import Document
from generated.validator import RULESET as PUBLISHED
from tests.engine.evidence.vocabulary import RULESET
from tests.packages import write_leaf

LEAF = "closed/OrgA/results/sys-1/checkpointing/llama3-8b/20260708_064613"
WORKLOAD = LEAF.rpartition("/")[0]
MARKERS = (".git", "setup.py", "pyproject.toml", ".code-hash.json")
DEPTHS = (2, 4, 5, 6, 7)
"""Steps below the package: organisation, system, family, workload, leaf."""


def skipped(package: Package) -> dict[str, str]:
    return {one.path: one.why for one in package.skipped}


def leaves(package: Package) -> list[str]:
    return [leaf.path for leaf in package.leaves]


@pytest.mark.parametrize("marker", MARKERS)
@pytest.mark.parametrize("kind", ["file", "folder"])
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 6])
def test_no_part_of_a_package_is_skipped_for_what_it_holds(
    tmp_path: Path, marker: str, kind: str, depth: int
) -> None:
    folder = write_leaf(tmp_path)
    place = folder.parents[6 - depth] / marker
    if kind == "file":
        place.touch()
    else:
        place.mkdir()
    assert leaves(survey(tmp_path, RULESET)) == [LEAF]


@pytest.mark.parametrize(
    "name", ["code-bead", "code-images", "Systems", "systems", ".X", ".git", "results.old", "closed"]
)
def test_no_organisation_is_skipped_for_its_name(tmp_path: Path, name: str) -> None:
    write_leaf(tmp_path, org="OrgB", division="open")
    write_leaf(tmp_path, org=name)
    expected = LEAF.replace("OrgA", name)
    for tree in (tmp_path, tmp_path / "closed", tmp_path / "closed" / name, tmp_path / expected):
        assert expected in leaves(survey(tree, RULESET)), tree


@pytest.mark.parametrize("name", ["code-feed", "code-images", "systems", "Systems"])
def test_no_system_is_skipped_for_its_name(tmp_path: Path, name: str) -> None:
    write_leaf(tmp_path, system=name)
    expected = LEAF.replace("sys-1", name)
    for tree in (tmp_path, tmp_path / "closed", tmp_path / "closed/OrgA", tmp_path / "closed/OrgA/results"):
        assert leaves(survey(tree, RULESET)) == [expected], tree


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(
    "name", ["OrgZ.tar.gz", "OrgZ.zip", "x.tgz", "X.TAR", "s.7z", "notes.txt", ".DS_Store", "README"]
)
def test_a_file_where_a_subject_could_be_is_named(tmp_path: Path, depth: int, name: str) -> None:
    folder = write_leaf(tmp_path)
    file = folder.parents[7 - depth] / name
    file.touch()
    told = skipped(survey(tmp_path, RULESET))[file.relative_to(tmp_path).as_posix()]
    archive = name not in ("notes.txt", ".DS_Store", "README")
    assert told == ("is an archive that was not unpacked" if archive else told)
    assert told in (
        "is an archive that was not unpacked",
        "is a file that no clause reads",
        "is a hidden file",
    )


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("to", ["nothing", "out", "within", "back"])
def test_a_link_where_a_subject_could_be_is_a_finding(tmp_path: Path, depth: int, to: str) -> None:
    root = tmp_path / "pkg"
    folder = write_leaf(root)
    write_leaf(tmp_path / "other")
    link = folder.parents[7 - depth] / "linked"
    inside = folder.parents[7 - depth - 1] if depth < 7 else folder
    goals = {"nothing": tmp_path / "gone", "out": tmp_path / "other", "within": inside, "back": root}
    link.symlink_to(goals[to])
    package = survey(root, RULESET)
    shown = link.relative_to(root).as_posix()
    told = {
        problem.places[0].file: level
        for level, some in (("error", package.problems), ("warning", package.warnings))
        for problem in some
    }
    assert told[shown] == ("error" if to in ("nothing", "out") else "warning")
    assert shown in skipped(package)
    assert all("/other/" not in path for path in leaves(package))


@pytest.mark.parametrize("name", ["closed", "results"])
def test_a_link_above_all_subjects_is_a_finding(tmp_path: Path, name: str) -> None:
    root = tmp_path / "pkg"
    write_leaf(root, division="open")
    folder = write_leaf(root)
    link = next(place for place in folder.parents if place.name == name)
    shutil.move(link, tmp_path / "elsewhere")
    link.symlink_to(tmp_path / "elsewhere")
    package = survey(root, RULESET)
    (doubt,) = package.problems
    assert "out of the package" in doubt.message


def test_a_link_to_an_organisation_alone_says_why_nothing_is_judged(tmp_path: Path) -> None:
    write_leaf(tmp_path / "other")
    (tmp_path / "pkg" / "closed").mkdir(parents=True)
    (tmp_path / "pkg" / "closed" / "OrgA").symlink_to(tmp_path / "other" / "closed" / "OrgA")
    with pytest.raises(NothingToValidate, match=r"OrgA is a link .* out of the package"):
        survey(tmp_path / "pkg", RULESET)


def test_copies_of_a_program_are_named_and_not_searched(tmp_path: Path) -> None:
    write_leaf(tmp_path)
    for place in (f"{WORKLOAD}/copy", "closed/OrgA/code", "closed/OrgA/results/sys-1/tool"):
        (tmp_path / place / "tests" / "20260101_000000").mkdir(parents=True)
        (tmp_path / place / "setup.py").touch()
        told = skipped(survey(tmp_path, RULESET))
        assert told[place] == "holds the code of a program (setup.py) and was not searched"
    assert leaves(survey(tmp_path, RULESET)) == [LEAF]


def test_an_unfinished_run_and_what_is_no_run_are_among_the_skipped(tmp_path: Path) -> None:
    folder = write_leaf(tmp_path)
    shutil.copytree(folder, folder.parent / "20260708_070000.unfinished")
    (folder.parent / "20260708_080000").touch()
    told = skipped(survey(tmp_path, RULESET))
    assert told[f"{WORKLOAD}/20260708_080000"] == "is named like a run's folder and is none"
    assert "did not finish" in told[f"{WORKLOAD}/20260708_070000.unfinished"]


def test_the_report_names_all_and_the_text_the_first_few(tmp_path: Path) -> None:
    write_leaf(tmp_path)
    for number in range(5):
        (tmp_path / "closed" / f"Empty{number}").mkdir()
    (tmp_path / WORKLOAD / "results.json").touch()
    report = validate(tmp_path, PUBLISHED)
    held = report.as_json()["skipped"]
    assert [one["path"] for one in held] == [
        *(f"closed/Empty{number}" for number in range(5)),
        f"{WORKLOAD}/results.json",
    ]
    assert held[0] == {"path": "closed/Empty0", "why": "holds no run"}
    shown = text.render(report)
    assert "skipped where a subject could stand: 5 places and 1 file\n" in shown
    assert "\n  closed/Empty0 holds no run (and 4 more like it)\n" in shown


def test_leaves_of_families_that_were_not_asked_for_are_among_the_skipped(tmp_path: Path) -> None:
    write_leaf(tmp_path)
    write_leaf(tmp_path, family="training", system="sys-2")
    report = validate(tmp_path, PUBLISHED, select=("4.",))
    told = {one["path"]: one["why"] for one in report.as_json()["skipped"]}
    path = LEAF.replace("sys-1/checkpointing", "sys-2/training")
    assert told == {path: "is of family training: no clause of it was asked for"}


def test_a_document_whose_name_starts_with_a_dot_makes_a_leaf(tmp_path: Path) -> None:
    hidden = Document("hidden", "leaf", ".run.json", "json", {})
    ruleset = RULESET._replace(documents=(*RULESET.documents, hidden))
    place = tmp_path / "case" / "mine"
    place.mkdir(parents=True)
    (place / ".run.json").write_text("{}")
    assert len(survey(tmp_path / "case", ruleset).leaves) == 1
    (place / ".run.json").rename(place / "._run.json")
    with pytest.raises(NothingToValidate):
        survey(tmp_path / "case", ruleset)


# --- 500 generated trees -----------------------------------------------------------------

NAMES = (
    *("code-bead", "code-feed", "Systems", "systems", ".X", "._y", "new", "notes", "a b", "results", "run"),
    *("20260101_000000", "20260101_000001", ".20260101_000002", "20260101_000003.unfinished", "latest"),
    *("closed", "checkpointing", "training", "datasize", "llama3-8b", "code-images", "é"),
)


def grown(root: Path, seed: int) -> None:
    """A package, then folders of it added, linked, renamed, hidden, copied and given files."""
    draw = random.Random(seed)  # a seed names a tree
    for organisation in range(draw.randint(1, 2)):
        for system in range(draw.randint(1, 2)):
            write_leaf(root, org=f"Org{organisation}", system=f"sys-{system}", without=("summary",))
    write_leaf(root, org="Whole", division="open")
    for _ in range(draw.randint(1, 7)):
        folders = sorted(
            path
            for path in root.rglob("*")
            if path.is_dir() and not path.is_symlink() and "open" not in path.relative_to(root).parts
        )
        place = draw.choice(folders)
        other = place / draw.choice(NAMES)
        free = not (other.exists() or other.is_symlink())
        match draw.choice(("add", "link", "out", "dangle", "rename", "copy", "mark", "file")):
            case "add" if free:
                (other / draw.choice(NAMES)).mkdir(parents=True)
            case "link" if free:
                other.symlink_to(draw.choice(folders))
            case "out" if free:
                other.symlink_to("/usr")
            case "dangle" if free:
                other.symlink_to("gone")
            case "rename":
                to = place.with_name(draw.choice((f".{place.name}", *NAMES)))
                if place.parent != root and not (to.exists() or to.is_symlink()):
                    place.rename(to)
            case "copy" if free and len(place.relative_to(root).parts) > 3:
                shutil.copytree(place, other, symlinks=True)
            case "mark":
                (place / draw.choice(MARKERS)).mkdir(exist_ok=True)
            case "file" if free:
                other.touch()


def standing(root: Path) -> list[Path]:
    """Every folder or link at the depth of an organisation, a system, a family, a workload or a leaf.

    Of what lies in a division; beside `results` an organisation keeps what is none of these.
    """
    found = []
    for division in ("closed", "open"):
        for path in sorted((root / division).rglob("*")):
            steps = path.relative_to(root).parts
            inside = len(steps) < 3 or steps[2].casefold() == "results"
            if len(steps) in DEPTHS and inside and (path.is_dir() or path.is_symlink()):
                found.append(path)
    return found


@pytest.mark.parametrize("seed", range(500))
def test_subjects_and_skipped_account_for_every_folder(tmp_path: Path, seed: int) -> None:
    grown(tmp_path, seed)
    package = survey(tmp_path, RULESET)
    subjects = {*leaves(package), *(workload.path for workload in package.workloads)}
    told = skipped(package)
    for path in standing(tmp_path):
        shown = path.relative_to(tmp_path).as_posix()
        above = {shown, *(parent.as_posix() for parent in Path(shown).parents)}
        holds = any(one == shown or one.startswith(f"{shown}/") for one in subjects)
        assert holds or above & (told.keys() | subjects), shown
    assert not (told.keys() & set(leaves(package))) or any(
        (tmp_path / path).is_symlink() for path in told.keys() & set(leaves(package))
    )
    for entry in told:
        assert (tmp_path / entry).is_symlink() or (tmp_path / entry).exists()
