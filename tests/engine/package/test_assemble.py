"""A package put together from runs: where things stand, what is refused, and that nothing half-made stays."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from engine.cli.main import cli
from engine.package import assemble
from engine.rulesets import load
from tests.bench.runs import NO_WAIT, Bed, validated
from tests.packages import write_leaf, write_system


def package(*words: object) -> Result:
    return CliRunner().invoke(cli, ["package", *map(str, words)])


def tree(place: Path) -> dict[str, bytes | None]:
    """Everything below a folder, hidden names too."""
    return {
        str(path.relative_to(place)): path.read_bytes() if path.is_file() else None
        for path in place.rglob("*")
    }


@pytest.fixture
def made(tmp_path: Path) -> tuple[Path, Path]:
    """A leaf where it was made, and a new package."""
    leaf = write_leaf(tmp_path / "work")
    assert package("init", tmp_path / "mine").exit_code == 0
    return leaf, tmp_path / "mine"


def test_a_new_package_has_a_folder_for_each_division_that_is_judged(tmp_path: Path) -> None:
    done = package("init", tmp_path / "new" / "mine")
    assert done.exit_code == 0, done.stderr
    assert set(tree(tmp_path)) == {"new", "new/mine", "new/mine/closed", "new/mine/open"}
    (tmp_path / "empty").mkdir()
    assert package("init", tmp_path / "empty").exit_code == 0


@pytest.mark.parametrize("what", ["file", "folder", "link"])
def test_a_place_that_holds_something_is_no_new_package(tmp_path: Path, what: str) -> None:
    place = tmp_path / "taken"
    if what == "file":
        place.write_text("mine")
    elif what == "folder":
        place.mkdir()
        (place / "mine").write_text("mine")
    else:
        place.symlink_to(tmp_path / "nowhere")
    before = tree(tmp_path)
    done = package("init", place)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert tree(tmp_path) == before


def test_a_run_stands_where_the_tree_has_it(made: tuple[Path, Path]) -> None:
    leaf, mine = made
    done = package("add", leaf, mine, "--organisation", "Acme")
    assert done.exit_code == 0, done.stderr
    below = Path(*leaf.parts[leaf.parts.index("results") :])
    target = mine / "closed" / "Acme" / below
    assert tree(target) == tree(leaf)
    assert sorted(path.name for path in (mine / "closed" / "Acme").iterdir()) == ["results", "systems"]
    assert not [name for name in tree(mine) if assemble.PENDING in name]
    assert f"next: clausegate validate {mine}" in done.stdout


def test_a_description_that_nobody_has_written_is_left_to_be_filled_in(made: tuple[Path, Path]) -> None:
    """It holds the fields that facts read, and no value."""
    leaf, mine = made
    done = package("add", leaf, mine, "--organisation", "Acme")
    (file,) = (mine / "closed" / "Acme" / "systems").iterdir()
    held = yaml.safe_load(file.read_text("utf-8"))
    read = {s.path for spec in load("validator").facts for s in spec.package if s.document == "system"}
    fields = list(_leaves(held))
    assert fields
    assert {path for path, _ in fields} <= read
    assert all(value is None for _, value in fields)
    for path, _ in fields:
        assert f"    {'.'.join(path)}\n" in done.stdout
    found = validated(mine, "--select", "4.7.4")
    assert {finding["outcome"] for finding in found["findings"] if finding["rule"] == "4.7.4"} != {"pass"}


def _leaves(held: Any, path: tuple[str, ...] = ()) -> Any:
    if isinstance(held, dict):
        for key, value in held.items():
            yield from _leaves(value, (*path, key))
    else:
        yield path, held


def test_the_description_beside_the_run_goes_with_it(tmp_path: Path, made: tuple[Path, Path]) -> None:
    leaf, mine = made
    write_system(tmp_path / "work")
    assert package("add", leaf, mine, "--organisation", "Acme").exit_code == 0
    (source,) = (tmp_path / "work").glob("closed/*/systems/*.yaml")
    assert (mine / "closed" / "Acme" / "systems" / source.name).read_bytes() == source.read_bytes()


def test_the_description_that_is_named_is_taken(tmp_path: Path, made: tuple[Path, Path]) -> None:
    leaf, mine = made
    (tmp_path / "named.yaml").write_text("named: yes\n")
    words = ("add", leaf, mine, "--organisation", "Acme", "--system", tmp_path / "named.yaml")
    assert package(*words).exit_code == 0
    (file,) = (mine / "closed" / "Acme" / "systems").iterdir()
    assert file.read_text() == "named: yes\n"


def test_nothing_is_overwritten(tmp_path: Path, made: tuple[Path, Path]) -> None:
    leaf, mine = made
    words = ("add", leaf, mine, "--organisation", "Acme")
    assert package(*words).exit_code == 0
    before = tree(mine)
    again = package(*words)
    assert again.exit_code == 2
    assert "is there already, and nothing is overwritten" in again.stderr
    assert tree(mine) == before
    other = leaf.with_name("20270101_000000")
    shutil.copytree(leaf, other)
    (tmp_path / "named.yaml").write_text("named: yes\n")
    done = package("add", other, mine, "--organisation", "Acme", "--system", tmp_path / "named.yaml")
    assert done.exit_code == 2
    assert "says something else" in done.stderr
    assert tree(mine) == before
    assert package("add", other, mine, "--organisation", "Acme").exit_code == 0
    assert {name: tree(mine)[name] for name in before} == before


@pytest.mark.parametrize("name", ["", "..", "a/b", ".X", "Systems", "code-bead", "code-images", "a b", "-x"])
def test_a_name_under_which_nothing_would_be_judged_is_refused(made: tuple[Path, Path], name: str) -> None:
    leaf, mine = made
    before = tree(mine)
    done = package("add", leaf, mine, f"--organisation={name}")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "cannot name an organisation" in done.stderr
    assert tree(mine) == before


def test_what_is_no_finished_run_is_refused(tmp_path: Path, made: tuple[Path, Path]) -> None:
    leaf, mine = made
    unfinished = leaf.with_name(f"{leaf.name}.unfinished")
    shutil.copytree(leaf, unfinished)
    strayed = tmp_path / "elsewhere" / leaf.name
    shutil.copytree(leaf, strayed)
    before = tree(mine)
    for place, words in (
        (unfinished, "did not end well"),
        (strayed, "does not tell its"),
        (leaf.parent, "does not tell its workload and time"),
        (tmp_path / "nowhere", "is no folder of a run"),
        (leaf / "summary.json", "is no folder of a run"),
    ):
        done = package("add", place, mine, "--organisation", "Acme")
        assert (done.exit_code, words in done.stderr) == (2, True), done.stderr
    done = package("add", leaf, tmp_path / "no-package", "--organisation", "Acme")
    assert (done.exit_code, "clausegate package init" in done.stderr) == (2, True)
    done = package("add", leaf, mine, "--organisation", "Acme", "--system", tmp_path / "nowhere.yaml")
    assert (done.exit_code, "nowhere.yaml: No such file" in done.stderr) == (2, True)
    assert tree(mine) == before


@pytest.mark.parametrize("kind", ["fifo", "dangling link", "loop", "folder above"])
def test_what_cannot_be_copied_leaves_nothing(made: tuple[Path, Path], kind: str) -> None:
    leaf, mine = made
    odd = leaf / "odd"
    if kind == "fifo":
        os.mkfifo(odd)
    else:
        odd.symlink_to(leaf / {"dangling link": "nowhere", "loop": "odd", "folder above": ".."}[kind])
    before = tree(mine)
    done = package("add", leaf, mine, "--organisation", "Acme")
    assert done.exit_code == 2
    assert "odd" in done.stderr
    assert tree(mine) == before


@pytest.mark.parametrize("step", ["shutil.copytree", "os.link", "pathlib.Path.rename"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_copy_that_ends_half_way_leaves_nothing(
    made: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    leaf, mine = made
    before = tree(mine)

    def failing(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(step, failing)
    with pytest.raises(type(error)):
        assemble.add(leaf, mine, "Acme", load("validator"))
    monkeypatch.undo()
    assert tree(mine) == before


def test_a_division_keeps_the_spelling_that_the_package_has(tmp_path: Path) -> None:
    leaf = write_leaf(tmp_path / "work")
    (tmp_path / "mine" / "Closed").mkdir(parents=True)
    assert package("add", leaf, tmp_path / "mine", "--organisation", "Acme").exit_code == 0
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["Closed"]


def test_a_run_is_added_and_judged(tmp_path: Path) -> None:
    """What `run` leaves, as it leaves it; advice on a run that is scaled, never an error."""
    bed = Bed(tmp_path)
    done = bed.run(*NO_WAIT, "--orgname", "o", "--systemname", "sys-1")
    assert done.returncode == 0, done.stderr
    mine = tmp_path / "mine"
    assert package("init", mine).exit_code == 0
    assert package("add", bed.leaf(), mine, "--organisation", "Acme").exit_code == 0
    found = validated(mine)
    paths = {subject["path"] for subject in found["subjects"]}
    assert f"whatif/Acme/results/sys-1/checkpointing/llama3-8b/{bed.leaf().name}" in paths
    assert {subject["earned"] for subject in found["subjects"]} == {None}
    assert [one for one in found["findings"] if one["level"] == "error"] == []
