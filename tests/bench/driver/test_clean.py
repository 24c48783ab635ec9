"""Cleaning removes what a run wrote and nothing else, whatever it is called and wherever it lies."""

from __future__ import annotations

import fcntl
import os
from dataclasses import replace
from pathlib import Path

import pytest

from bench.driver.clean import clean_folder, clean_plan
from bench.driver.in_use import InUse, lock
from bench.rank.handshake import MARK
from bench.workload.plan import FILE, Plan
from tests.bench.plans import small, write
from tests.command import run


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return small(tmp_path)


def left(plan: Plan) -> list[str]:
    folder = Path(plan.folder)
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.parametrize("by", ["plan", "folder", "parent"])
def test_everything_that_a_run_wrote_goes(plan: Plan, by: str) -> None:
    files = write(plan)
    size = sum(path.stat().st_size for path in files)
    place = Path(plan.folder) if by == "folder" else Path(plan.folder).parent
    dry = clean_plan(plan, dry=True) if by == "plan" else clean_folder(place, dry=True)
    assert (dry.removed, dry.bytes, dry.folders, dry.left) == (len(files), size, 2, [])
    assert all(path.is_file() for path in files)
    done = clean_plan(plan) if by == "plan" else clean_folder(place)
    assert (done.removed, done.bytes, done.folders, done.left) == (len(files), size, 2, [])
    assert left(plan) == []


@pytest.mark.parametrize("by_plan", [True, False])
def test_what_others_put_there_stays(plan: Plan, by_plan: bool, tmp_path: Path) -> None:
    files = write(plan)
    folder = files[0].parent
    outside = tmp_path / "precious"
    outside.write_bytes(files[1].read_bytes())
    strange = {
        folder / "notes.txt": b"mine",
        folder / "global_epoch1_step1.pt": files[0].read_bytes(),  # our bytes, another name
        files[0]: b"\x01" + files[0].read_bytes()[1:],  # our name, other bytes
        folder.parent / "global_epoch1_step2.bak" / files[0].name: files[0].read_bytes(),
    }
    for path, content in strange.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    files[1].unlink()
    files[1].symlink_to(outside)
    done = clean_plan(plan) if by_plan else clean_folder(Path(plan.folder))
    assert {path: path.read_bytes() for path in strange} == strange
    assert outside.is_file()
    assert set(done.left) == {str(p) for p in (*strange, files[1]) if p.parent == folder}
    assert done.removed == len(files) - 2


def test_a_linked_folder_is_not_followed(plan: Plan, tmp_path: Path) -> None:
    files = write(plan)
    folder = files[0].parent
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    for done in (clean_folder(Path(plan.folder)), clean_plan(plan)):
        assert all((tmp_path / "elsewhere" / path.name).is_file() for path in files if path.parent == folder)
        assert str(folder) not in done.left


def test_a_larger_file_of_a_planned_name_stays(plan: Plan) -> None:
    path = write(plan)[0]
    with path.open("ab") as stream:
        stream.write(b"more")
    assert clean_plan(plan).left == [str(path)]


def test_interrupted_files_go_with_their_plan_only(plan: Plan) -> None:
    half, empty, hole = write(plan)[:3]
    half.write_bytes(half.read_bytes()[:1000])
    empty.write_bytes(b"")
    hole.write_bytes(bytes(4096))
    done = clean_folder(Path(plan.folder))
    assert set(done.left) == {str(empty), str(hole)}
    assert not half.exists()
    assert clean_plan(plan).left == []
    assert left(plan) == []


def test_signs_of_a_killed_run_go(plan: Plan) -> None:
    folder = Path(plan.folder)
    folder.mkdir(parents=True)
    for name in (f"{MARK}{'0' * 16}", f"{MARK}{'0' * 16}-77", ".clausegate-probe-ab_c", f"{MARK}mine"):
        (folder / name).touch()
    (folder / f"{MARK}{'1' * 16}").write_text("not empty")
    clean_folder(folder)
    assert left(plan) == [f"{MARK}{'1' * 16}", f"{MARK}mine"]


def test_a_run_that_is_under_way_is_left_alone(plan: Plan) -> None:
    files = write(plan)
    leaf = Path(plan.leaf)
    leaf.mkdir()
    (leaf / FILE).write_text(plan.as_json())
    with lock(leaf / FILE):
        done = run(["bench", "clean", str(leaf)])
        with pytest.raises(InUse), lock(leaf / FILE):
            pass
    assert done.returncode == 2
    assert "a run is still under way there; nothing was removed" in done.stderr
    assert all(path.is_file() for path in files)


@pytest.mark.parametrize("by", ["leaf of another run", "folder", "parent"])
@pytest.mark.parametrize("reads", [False, True])
def test_the_folder_of_a_run_that_is_under_way_is_left_alone(plan: Plan, by: str, reads: bool) -> None:
    files = write(plan)
    leaf, folder = Path(plan.leaf), Path(plan.folder)
    leaf.mkdir()
    (leaf / FILE).write_text(plan.as_json())
    place = {"leaf of another run": leaf, "folder": folder, "parent": folder.parent}[by]
    with lock(folder, shared=reads):
        done = run(["bench", "clean", str(place)])
    assert done.returncode == 2
    assert "a run is still under way there" in done.stderr
    assert all(path.is_file() for path in files)


def test_runs_that_only_read_share_a_folder(tmp_path: Path) -> None:
    with lock(tmp_path, shared=True), lock(tmp_path, shared=True), pytest.raises(InUse), lock(tmp_path):
        pass


def test_a_run_that_wrote_nothing_has_nothing_to_be_removed(plan: Plan) -> None:
    files = write(plan)
    leaf = Path(plan.leaf)
    leaf.mkdir()
    (leaf / FILE).write_text(replace(plan, engine="null").as_json())
    done = run(["bench", "clean", str(leaf)])
    assert done.returncode == 2
    assert "wrote nothing" in done.stderr
    assert all(path.is_file() for path in files)


def test_the_command_lists_what_it_leaves(plan: Plan) -> None:
    files = write(plan)
    (files[0].parent / "mine").touch()
    leaf = Path(plan.leaf)
    leaf.mkdir()
    (leaf / FILE).write_text(plan.as_json())
    dry = run(["bench", "clean", str(leaf), "--dry-run"])
    assert f"{len(files)} files" in dry.stdout
    assert "would be removed" in dry.stdout
    done = run(["bench", "clean", str(leaf)])
    assert done.returncode == 0
    assert f"  {files[0].parent / 'mine'}" in done.stdout.splitlines()
    assert left(plan) == ["global_epoch1_step1", "global_epoch1_step1/mine"]


@pytest.mark.parametrize("name", ["nowhere", "file"])
def test_what_is_no_folder_is_said(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    done = run(["bench", "clean", str(tmp_path / name)])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"Error: {tmp_path / name}: there is no such folder.\n"


def test_a_misspelt_command_is_suggested() -> None:
    assert "Did you mean 'clean'" in run(["bench", "claen"]).stderr


def test_a_lock_can_be_had_where_one_for_reading_alone_is_none(tmp_path: Path) -> None:
    """NFS gives a descriptor that cannot write no lock for one alone."""
    file = tmp_path / "plan.json"
    file.touch()
    with lock(file):
        (fd,) = [
            int(link.name)
            for link in Path("/proc/self/fd").iterdir()
            if link.is_symlink() and os.path.realpath(link) == str(file)
        ]
        assert fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDWR
