"""What this machine lacks is refused with the figure needed and the figure found."""

from __future__ import annotations

import re
import resource
from dataclasses import replace
from pathlib import Path

import pytest

from bench.driver import leftovers, preflight
from bench.driver.existing_checkpoints import find_existing, newest_time
from bench.rank import memory
from bench.workload.plan import Plan
from engine.launch.accepted import CannotStart
from engine.sizing import human
from tests.bench.plans import small, write


def reading(tmp_path: Path, **more: object) -> Plan:
    return small(tmp_path, writes=0, **more)


def test_a_complete_folder_is_read(tmp_path: Path) -> None:
    write(small(tmp_path))
    found = preflight.prepare(reading(tmp_path), tmp_path / "results", 4)
    assert found is not None
    assert found["same_filesystem"] is True


def test_missing_and_short_files_are_named_and_counted(tmp_path: Path) -> None:
    files = write(small(tmp_path))
    files[0].unlink()
    files[1].unlink()
    with files[2].open("ab") as stream:
        stream.write(b"x")
    size = files[2].stat().st_size
    with pytest.raises(CannotStart) as refused:
        preflight.prepare(reading(tmp_path), tmp_path / "results", 4)
    assert (
        f"of {len(files)} files 2 missing, the first global_epoch1_step1/{files[0].name} and 1 of another "
        f"size, the first global_epoch1_step1/{files[2].name} ({size} bytes, not {size - 1})"
    ) in str(refused.value)


def test_a_checkpoint_that_is_not_there_is_named(tmp_path: Path) -> None:
    write(small(tmp_path))
    with pytest.raises(CannotStart, match="holds no global_epoch1_step3, and 3 checkpoints"):
        preflight.prepare(reading(tmp_path, reads=3), tmp_path / "results", 4)
    preflight.prepare(reading(tmp_path, reads=3, sources=(1, 2)), tmp_path / "results", 4)


def test_a_folder_that_is_not_empty_names_the_command_that_empties_it(tmp_path: Path) -> None:
    plan = small(tmp_path)
    write(plan)
    with pytest.raises(CannotStart, match=f"clausegate bench clean {plan.folder}$"):
        preflight.prepare(plan, tmp_path / "results", 4)


def test_the_newest_checkpoints_are_found(tmp_path: Path) -> None:
    plan = reading(tmp_path, keep=2)
    folder = Path(plan.folder)
    with pytest.raises(CannotStart, match="holds no checkpoint"):
        preflight.newest_kept(plan)
    for number in (2, 9, 10, 11):
        (folder / f"global_epoch1_step{number}").mkdir(parents=True)
    (folder / "global_epoch1_stepx").mkdir()
    assert preflight.newest_kept(plan) == (10, 11)
    assert preflight.newest_kept(replace(plan, keep=9)) == (2, 9, 10, 11)


def test_memory_is_needed_by_each_rank_of_this_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 4 * memory.RANK)
    preflight._check_memory(4, memory.RANK)
    needed = re.escape(human(5 * memory.RANK))
    with pytest.raises(CannotStart, match=rf"5 ranks on this host need {needed} of memory"):
        preflight._check_memory(5, memory.RANK)


def test_limits_are_raised_as_far_as_they_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {resource.RLIMIT_NOFILE: (100, 1000), resource.RLIMIT_NPROC: (resource.RLIM_INFINITY,) * 2}
    monkeypatch.setattr(resource, "getrlimit", lambda kind: limits[kind])
    monkeypatch.setattr(resource, "setrlimit", lambda kind, pair: limits.update({kind: pair}))
    preflight._raise_limits(6, 6)
    assert limits[resource.RLIMIT_NOFILE] == (100, 1000)  # enough as it is
    preflight._raise_limits(7, 7)
    assert limits[resource.RLIMIT_NOFILE] == (1000, 1000)
    preflight._raise_limits(0, 200)  # wherever they are started, as far as it may be
    with pytest.raises(CannotStart, match=r"200 ranks on this host need 1264 open files, and at most 1000"):
        preflight._raise_limits(200, 200)


def test_what_lies_there_is_counted(tmp_path: Path) -> None:
    plan = small(tmp_path)
    assert newest_time(plan, [1, 2]) is None
    assert find_existing(plan, [1, 2]).files == 0
    files = write(plan, range(1, 2))
    found = find_existing(plan, [1])
    assert found.complete
    assert found.bytes == sum(path.stat().st_size for path in files)
    assert newest_time(plan, [1, 2]) == max(path.stat().st_mtime for path in files)


def test_what_a_failed_run_left_is_told_with_the_command(tmp_path: Path) -> None:
    plan, leaf = small(tmp_path), tmp_path / "my leaf"
    assert leftovers.leftovers_text(plan, leaf) is None
    write(plan)[0].write_bytes(b"")
    said = leftovers.leftovers_text(plan, leaf)
    assert said is not None
    assert said.startswith("the run left 16 files of ")
    assert "1 of them not whole" in said
    assert said.endswith(f"clausegate bench clean '{leaf}'")
    assert leftovers.leftovers_text(reading(tmp_path), leaf) is None
    assert leftovers.leftovers_text(small(tmp_path, engine="null"), leaf) is None


def test_a_folder_that_does_not_answer_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from threading import Event

    forever = Event()
    monkeypatch.setattr(leftovers, "PATIENCE", 0.1)
    monkeypatch.setattr(leftovers, "find_existing", lambda plan, numbers: forever.wait(60))
    said = leftovers.leftovers_text(small(tmp_path), tmp_path)
    forever.set()
    assert said is not None
    assert "no answer within 0.1 s; what the run wrote may lie there still; to remove them" in said
