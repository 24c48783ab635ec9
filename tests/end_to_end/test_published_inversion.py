"""The published mistake, made again: one inverted comparison of 4.3.5 does not get through `check`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import ROOT, run

STATEMENT = 'error if subset and (accelerators != 8 or model != "8B")'


def cells(line: str) -> list[str]:
    """The cells of a table's row."""
    return [cell.strip() for cell in line.split("|")[1:-1]]


def test_the_inverted_clause_fails_on_its_own_cases(tmp_path: Path) -> None:
    text = (ROOT / "Rules.md").read_text("utf-8")
    assert text.count(STATEMENT) == 1
    copy = tmp_path / "COPY.md"
    copy.write_text(text.replace(STATEMENT, STATEMENT.replace('model != "8B"', 'model == "8B"')), "utf-8")

    stale = run(["check", str(copy)])
    assert stale.returncode == 1
    assert "4.3.5" in stale.stdout + stale.stderr

    fresh = run(["fmt", str(copy)])
    assert fresh.returncode == 0, fresh.stdout + fresh.stderr
    assert 'its accelerators are not 8 or its model is "8B".' in copy.read_text("utf-8")

    checked = run(["check", str(copy)])
    told = checked.stdout + checked.stderr
    assert checked.returncode == 1
    assert "Traceback" not in told
    # The first rows that break: 8B on 8 is refused now, and 70B on 8 gets through.
    for row in (["yes", "8", "8B", "pass"], ["yes", "8", "70B", "INVALID"]):
        [number] = [n for n, line in enumerate(copy.read_text("utf-8").splitlines(), 1) if cells(line) == row]
        [at] = [n for n, line in enumerate(told.splitlines()) if f"COPY.md:{number}:" in line]
        assert "clause 4.3.5 gives " in told.splitlines()[at - 1]
        assert cells(told.splitlines()[at + 1].partition("| ")[2]) == row


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('(accelerators != 8 or model != "8B")', '(accelerators != 8 and model != "8B")'),
        ("in closed: error if accelerators_per_host <= 4", "in closed: error if accelerators_per_host < 4"),
        ("in closed: error if accelerators_per_host <= 4", "error if accelerators_per_host <= 4"),
        ("in closed: when model is listed: error if processes != full_count", None),
    ],
)
def test_other_single_words(tmp_path: Path, old: str, new: str | None) -> None:
    text = (ROOT / "Rules.md").read_text("utf-8")
    assert text.count(old) == 1
    copy = tmp_path / "COPY.md"
    copy.write_text(text.replace(old, old.removeprefix("in closed: ") if new is None else new), "utf-8")
    assert run(["fmt", str(copy)]).returncode == 0
    checked = run(["check", str(copy)])
    assert checked.returncode == 1
    assert "its case says" in checked.stdout + checked.stderr
