"""Memory of a host and of a rank, as the kernel tells it."""

from __future__ import annotations

from pathlib import Path

from bench.rank import memory


def test_memory_that_is_left_is_read_from_the_kernel(tmp_path: Path) -> None:
    table = tmp_path / "meminfo"
    table.write_text("MemTotal:  10 kB\nMemAvailable:    2048 kB\nHugePages_Total:  0\n")
    assert memory.available(table) == 2 * memory.MIB
    table.write_text("MemTotal:  10 kB\nMemAvailable:    lots kB\n")
    assert memory.available(table) is None
    assert memory.available(tmp_path / "nothing") is None
    assert memory.MIB < memory.resident() < memory.available()  # type: ignore[operator]  # it is Linux
    assert memory.rank_bytes("objects") > memory.rank_bytes("direct") == memory.rank_bytes("null")
