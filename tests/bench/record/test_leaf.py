"""A leaf has its name only at the end, and its documents are whole or not there."""

from __future__ import annotations

import errno
import json
import os
from datetime import datetime
from pathlib import Path

import pytest

from bench.record.leaf import LeafFolder
from bench.storage import kernel
from engine.evidence.layout import TIMESTAMP

AT = datetime(2026, 7, 8, 23, 59, 59)


def test_until_the_end_the_folder_is_no_timestamp(tmp_path: Path) -> None:
    leaf = LeafFolder(tmp_path / "llama3-8b", AT)
    leaf.write("a.txt", "x")
    assert [path.name for path in leaf.folder.parent.iterdir()] == ["20260708_235959.unfinished"]
    assert not TIMESTAMP.fullmatch(leaf.folder.name)
    assert leaf.finish() == tmp_path / "llama3-8b" / "20260708_235959"
    assert TIMESTAMP.fullmatch(leaf.final_folder.name)
    assert [path.name for path in leaf.final_folder.parent.iterdir()] == ["20260708_235959"]
    assert (leaf.final_folder / "a.txt").read_text() == "x"


def test_runs_of_one_second_get_folders_of_their_own(tmp_path: Path) -> None:
    first, second = LeafFolder(tmp_path, AT), LeafFolder(tmp_path, AT)
    assert (first.stamp, second.stamp) == ("20260708_235959", "20260709_000000")
    first.finish()
    third = LeafFolder(tmp_path, AT)
    assert third.stamp == "20260709_000001"
    assert len({leaf.folder for leaf in (first, second, third)}) == 3


def test_a_document_is_replaced_whole_and_leaves_no_pieces(tmp_path: Path) -> None:
    leaf = LeafFolder(tmp_path, AT)
    leaf.write("dlio_config/config.yaml", "one")
    leaf.write("dlio_config/config.yaml", "two")
    assert [path.name for path in (leaf.folder / "dlio_config").iterdir()] == ["config.yaml"]
    assert (leaf.folder / "dlio_config/config.yaml").read_text() == "two"
    assert (leaf.folder / "dlio_config/config.yaml").stat().st_mode & 0o777 == 0o644


def test_a_document_that_cannot_be_written_leaves_the_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaf = LeafFolder(tmp_path, AT)
    leaf.write("a.json", "one")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        leaf.write("a.json", "two")
    assert (leaf.folder / "a.json").read_text() == "one"


def test_json_is_strict(tmp_path: Path) -> None:
    leaf = LeafFolder(tmp_path, AT)
    with pytest.raises(ValueError, match="not JSON compliant"):
        leaf.write_json("a.json", {"x": float("nan")})
    assert not (leaf.folder / "a.json").exists()
    leaf.write_json("a.json", {"x": 1})
    assert json.loads((leaf.folder / "a.json").read_text()) == {"x": 1}


def test_a_name_that_may_not_last_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leaf = LeafFolder(tmp_path, AT)
    leaf.write("a.json", "one")

    def sync(path: str) -> None:
        if path == str(tmp_path):
            raise OSError(errno.EIO, "Input/output error", path)

    monkeypatch.setattr(kernel, "sync", sync)
    with pytest.raises(OSError, match="Input/output error"):
        leaf.finish()
    leaf.write("b.json", "two")
    assert [path.name for path in tmp_path.iterdir()] == [leaf.folder.name]
    assert sorted(path.name for path in leaf.folder.iterdir()) == ["a.json", "b.json"]


def test_a_folder_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    leaf = LeafFolder(tmp_path, AT)
    leaf.folder.rmdir()
    with pytest.raises(FileNotFoundError):
        leaf.write("a.json", "one")
    assert not leaf.folder.exists()
