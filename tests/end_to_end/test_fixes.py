"""What a finding says to do next names the option and the value, not the clause's idea of them."""

from __future__ import annotations

from pathlib import Path

from tests.packages import write_leaf, write_split, write_system
from tests.vectors.answers import Answer, launch, package


def fixes(found: Answer, rule: str) -> set[str]:
    return {one["fix"] for one in found.findings(rule) if one.get("fix")}


def test_a_subset_claim_is_shown_the_run_that_needs_none() -> None:
    (fix,) = fixes(launch("closed", "70B", 8, "--checkpoint-subset"), "4.3.5")
    assert "drop --checkpoint-subset" in fix
    assert "70B runs in CLOSED on 64 processes" in fix


def test_an_override_is_named_with_its_value(tmp_path: Path) -> None:
    write_system(tmp_path)
    write_leaf(tmp_path, overrides={"checkpoint.type": "rank_zero"})
    assert "leave out --params checkpoint.type=rank_zero, or run it as open" in fixes(
        package(tmp_path), "4.6.3"
    )


def test_remapping_is_told_with_both_figures(tmp_path: Path) -> None:
    write_system(tmp_path, simultaneous_read=False, remap_time_in_seconds=600)
    first, second = write_split(tmp_path)
    (fix,) = fixes(package(tmp_path), "4.7.3")
    assert "in place of 600 s" in fix
    assert fix.count("2026-") == 2, (fix, first, second)
