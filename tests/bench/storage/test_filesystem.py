"""Which filesystem a folder is on, and when the page cache says all about a cold read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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
    assert all(map(filesystem.page_cache_tells, ("ext4", "xfs", "btrfs", "tmpfs")))
    assert not any(
        map(filesystem.page_cache_tells, ("nfs4", "lustre", "zfs", "gpfs", "fuse.x", filesystem.UNKNOWN))
    )
