"""Two outputs side by side: what counts as the same finding, and what is passed over aloud."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.report import disagreement, lines
from engine.report.compare_with_log import NotComparable, compare, parse
from engine.verdict.selection import EVERYTHING, choose
from tests.engine.report.test_formats import COUNT, GOLDEN, REPORT, ROOT
from tests.engine.verdict.handmade import RULESET

OURS = REPORT._replace(findings=(COUNT, COUNT._replace(rule="4.3.1", name="ratio", level="warning")))
RUN = f"{ROOT}/20260101_000000"
SAME = lines.render(OURS)


def test_an_output_agrees_with_itself() -> None:
    found = compare(OURS, SAME, RULESET, EVERYTHING)
    assert found.agree
    assert found.agreed == 2


@pytest.mark.parametrize("root", ["/data/round 3/", "./", "pkg/"])
def test_a_leading_root_and_trailing_slashes_do_not_count(root: str) -> None:
    saved = SAME.replace(RUN, f"{root}{RUN}/")
    assert compare(OURS, saved, RULESET, EVERYTHING).agree


def test_the_side_with_the_shorter_paths_may_be_theirs() -> None:
    saved = SAME.replace("closed/OrgA/", "")
    assert compare(OURS, saved, RULESET, EVERYTHING).agree


def test_notes_are_no_claim() -> None:
    noted = OURS._replace(findings=(COUNT._replace(level="note"),))
    found = compare(noted, f"[NOTE] [4.3.5 x] {RUN}: only a remark", RULESET, EVERYTHING)
    assert found.agree


def test_messages_and_names_may_differ() -> None:
    saved = f"[ERROR] [4.6.1 otherName] {RUN}: other words: here\n[WARNING] [4.3.1] {RUN}: x"
    assert compare(OURS, saved, RULESET, EVERYTHING).agree


def test_what_is_not_selected_or_not_decided_is_counted() -> None:
    saved = f"{SAME}\n[ERROR] [2.1.7 systems] closed: x\nchecking ...\n\ndone"
    found = compare(OURS, saved, RULESET, EVERYTHING)
    assert (found.not_compared, found.other_lines, found.agree) == (1, 2, True)
    narrow = OURS._replace(findings=(COUNT,))
    assert compare(narrow, saved, RULESET, choose(RULESET, ("4.6.1",))).not_compared == 2


def test_an_output_without_a_single_finding_line_cannot_be_compared() -> None:
    with pytest.raises(NotComparable, match="no line of the form"):
        parse("all is well\n")


@pytest.mark.parametrize("form", ["text", "lines", "json"])
def test_disagreements_in_each_format(form: str, golden: Callable[[Path, str], None]) -> None:
    saved = f"[ERROR] [4.3.5 subset] /x/{RUN}: model is not 8B\n[ERROR] [4.3.1 ratio] /x/{RUN}: small\nhello"
    found = compare(OURS, saved, RULESET, EVERYTHING)
    assert not found.agree
    golden(GOLDEN / f"against.{form}", disagreement.render(found, form) + "\n")


def test_the_summary_of_an_agreement_is_json_too() -> None:
    shown = json.loads(disagreement.render(compare(OURS, SAME, RULESET, EVERYTHING), "json"))
    assert shown["summary"]["agreed"] == 2
