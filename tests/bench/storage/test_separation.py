"""Whether two folders stand on one filesystem, asked of the kernel."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from bench.storage.separation import probe


def folders(root: Path) -> tuple[Path, Path]:
    found = root / "ckpt", root / "results"
    for folder in found:
        folder.mkdir()
    return found


def test_folders_of_one_filesystem(tmp_path: Path) -> None:
    checkpoints, results = folders(tmp_path)
    held = probe(checkpoints, results)
    assert (held["method"], held["same_filesystem"]) == ("link_exdev", True)
    assert list(checkpoints.iterdir()) == list(results.iterdir()) == []


def test_one_folder_under_two_names(tmp_path: Path) -> None:
    checkpoints = tmp_path / "ckpt"
    checkpoints.mkdir()
    (tmp_path / "results").symlink_to(checkpoints)
    held = probe(checkpoints, tmp_path / "results")
    assert held["same_filesystem"] is True
    assert held["results_path"] != held["results_realpath"] == held["data_or_chkpt_realpath"]
    assert list(checkpoints.iterdir()) == []


def test_folders_of_two_filesystems(tmp_path: Path) -> None:
    other = Path("/dev/shm")
    if not os.access(other, os.W_OK) or other.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip(f"{other} is no other filesystem than {tmp_path}")
    assert probe(tmp_path, other)["same_filesystem"] is False
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("code", [errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS])
def test_where_links_are_not_to_be_had_devices_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    checkpoints, results = folders(tmp_path)
    _refuse(monkeypatch, code)
    held = probe(checkpoints, results)
    assert (held["method"], held["same_filesystem"]) == ("st_dev", True)
    assert list(checkpoints.iterdir()) == []


def test_the_kernel_is_believed_before_the_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoints, results = folders(tmp_path)
    _refuse(monkeypatch, errno.EXDEV)
    assert probe(checkpoints, results)["same_filesystem"] is False


def test_another_fault_is_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoints, results = folders(tmp_path)
    _refuse(monkeypatch, errno.EACCES)
    with pytest.raises(PermissionError):
        probe(checkpoints, results)
    assert list(checkpoints.iterdir()) == []


def _refuse(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    def link(source: str, target: Path) -> None:
        raise OSError(code, os.strerror(code), str(source), None, str(target))

    monkeypatch.setattr(os, "link", link)
