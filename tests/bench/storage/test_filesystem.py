"""Which filesystem a folder is on, and when the page cache says all about a cold read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.rank import memory
from bench.report.summary_text import warnings
from bench.storage import filesystem

MOUNTS = """\
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
22 21 0:5 / {root} rw - xfs /dev/sdb rw
23 22 0:6 / {root}/nfs rw shared:3 master:2 - nfs4 server:/x rw
24 22 0:7 / {root}/with\\040space rw - lustre mgs:/y rw
25 22 0:8 / {root}/over rw - ext4 /dev/sdc rw
26 25 0:9 / {root}/over rw - tmpfs none rw
torn line
"""


@pytest.fixture
def mounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    root = (tmp_path / "root").resolve()
    table = tmp_path / "mountinfo"
    table.write_text(MOUNTS.format(root=root))
    monkeypatch.setattr(filesystem, "MOUNTS", table)
    filesystem.kind_of.cache_clear()
    yield root
    filesystem.kind_of.cache_clear()


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("a/b", "xfs"),
        ("nfs/a", "nfs4"),
        ("nfsother", "xfs"),
        ("with space", "lustre"),
        ("over/a", "tmpfs"),
        ("../elsewhere", "ext4"),
    ],
)
def test_the_deepest_and_latest_mount_counts(mounts: Path, folder: str, kind: str) -> None:
    (mounts / folder).mkdir(parents=True, exist_ok=True)
    assert filesystem.kind_of(str(mounts / folder)) == kind


def test_a_system_that_does_not_tell(mounts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystem, "MOUNTS", mounts / "nothing")
    assert filesystem.kind_of("/") == filesystem.UNKNOWN


def test_the_page_cache_tells_of_local_disks_and_of_memory_only() -> None:
    assert all(map(filesystem.tells, ("ext4", "xfs", "btrfs", "tmpfs")))
    assert not any(map(filesystem.tells, ("nfs4", "lustre", "zfs", "gpfs", "fuse.x", filesystem.UNKNOWN)))


def summary(kind: str, cached: float | None, hosts: list[str], other: bool) -> dict[str, object]:
    held = {
        "engine": "rolling",
        "scale": 1.0,
        "phases": {},
        "stragglers": [],
        "checkpoint_filesystem": [kind],
        "cached_before_read": cached,
        "read_on_another_host": other,
        "hosts": hosts,
    }
    return {"workload": held}


@pytest.mark.parametrize(
    ("kind", "cached", "hosts", "other", "said"),
    [
        ("ext4", 0.0, ["a"], False, None),
        ("ext4", 0.4, ["a"], False, "up to 40% of a file was in the page cache"),
        ("nfs4", None, ["a", "b"], True, "from storage or from a cache cannot be told on nfs4"),
        ("tmpfs", 1.0, ["a"], False, "is on tmpfs, which is memory"),
        ("ext4", 0.0, ["a", "b"], False, "some ranks read on the host that wrote"),
    ],
)
def test_what_is_said_of_cold_reads(
    kind: str, cached: float | None, hosts: list[str], other: bool, said: str | None
) -> None:
    found = list(warnings(summary(kind, cached, hosts, other)))
    assert len(found) == (said is not None)
    assert said is None or said in found[0]


def test_memory_that_is_left_is_read_from_the_kernel(tmp_path: Path) -> None:
    table = tmp_path / "meminfo"
    table.write_text("MemTotal:  10 kB\nMemAvailable:    2048 kB\nHugePages_Total:  0\n")
    assert memory.available(table) == 2 * memory.MIB
    table.write_text("MemTotal:  10 kB\nMemAvailable:    lots kB\n")
    assert memory.available(table) is None
    assert memory.available(tmp_path / "nothing") is None
    assert memory.MIB < memory.resident() < memory.available()  # type: ignore[operator]  # it is Linux
    assert memory.needed("objects") > memory.needed("direct") == memory.needed("null")
