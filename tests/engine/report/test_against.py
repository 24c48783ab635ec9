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


# --- the places that the field's validator names --------------------------------------------


def of(path: str, rule: str = "4.6.1", level: str = "ERROR") -> str:
    return f"[{level}] [{rule} name] {path}: why"


LOGS = ("checkpointing_run.stdout.log", "summary.json", "dlio_config/config.yaml")


@pytest.mark.parametrize("root", ["", "/data/v3.0/", "./", "pkg/"])
@pytest.mark.parametrize("place", [ROOT, *(f"{RUN}/{name}" for name in LOGS), RUN, f"{ROOT}/"])
def test_a_workload_a_run_and_a_file_of_it_are_one_place(root: str, place: str) -> None:
    ours = REPORT._replace(findings=(COUNT,))
    found = compare(ours, of(f"{root}{place}"), RULESET, EVERYTHING)
    assert found.agree
    assert [(here.path, there.rule) for here, there in found.both] == [(RUN, "4.6.1")]


@pytest.mark.parametrize("place", [ROOT, f"{RUN}/{LOGS[0]}"])
def test_where_their_paths_begin_below_the_organisation(place: str) -> None:
    ours = REPORT._replace(findings=(COUNT,))
    saved = of(place.removeprefix("closed/OrgA/"))
    assert compare(ours, saved, RULESET, EVERYTHING).agree


def test_one_finding_of_a_workload_is_that_of_all_its_runs() -> None:
    other = COUNT._replace(path=f"{ROOT}/20260102_000000")
    found = compare(REPORT._replace(findings=(COUNT, other)), of(ROOT), RULESET, EVERYTHING)
    assert found.agree
    assert found.agreed == 2


def test_a_finding_of_a_workload_is_met_by_those_of_its_runs() -> None:
    ours = REPORT._replace(findings=(COUNT._replace(path=ROOT),))
    saved = "\n".join(of(f"{ROOT}/2026010{day}_000000/{LOGS[0]}") for day in (1, 2))
    found = compare(ours, saved, RULESET, EVERYTHING)
    assert (found.agree, found.agreed) == (True, 1)


def test_another_run_another_workload_and_what_holds_them_all_are_other_places() -> None:
    ours = REPORT._replace(findings=(COUNT,))
    for place in (
        f"{ROOT}/20260102_000000/{LOGS[0]}",
        ROOT.replace("70b", "8b"),
        f"{ROOT}x",
        "closed/OrgA",
        "closed/OrgA/results",
    ):
        found = compare(ours, of(place), RULESET, EVERYTHING)
        assert ([one.path for one in found.ours], [one.path for one in found.theirs]) == ([RUN], [place])


def test_another_level_at_the_place_around_is_told() -> None:
    found = compare(REPORT._replace(findings=(COUNT,)), of(ROOT, level="WARNING"), RULESET, EVERYTHING)
    assert [(here.level, there.level) for here, there in found.levels] == [("error", "warning")]


def test_times_and_colours_of_a_logger_are_read_over() -> None:
    saved = f"2026-07-08 06:46:13,123 {of(ROOT)}\n\x1b[31m{of(ROOT, '4.3.1', 'WARNING')}\x1b[0m\n"
    found = compare(OURS, saved, RULESET, EVERYTHING)
    assert (found.agree, found.unread) == (True, ())


def test_everything_is_listed_and_counted() -> None:
    saved = "\n".join([of(ROOT), of(RUN, "4.3.5"), of("closed", "2.1.7"), "Summary: 3", *"abcdef"])
    found = compare(OURS, saved, RULESET, EVERYTHING)
    shown = disagreement.render(found, "text")
    assert max(map(len, shown.splitlines())) <= 80
    for title in (
        "in both (1)\n  error 4.6.1 checkpointClosedMpiProcesses:",
        "only here (1)",
        "only in the saved output (1)",
        "lines that could not be read (7)\n  Summary: 3\n  a\n",
        "  and 2 more in --format json",
    ):
        assert title in shown
    held = json.loads(disagreement.render(found, "json"))
    assert held["unread"] == ["Summary: 3", *"abcdef"]
    assert [one["rule"] for one in held["both"]] == ["4.6.1"]
    assert [one["rule"] for one in held["not_compared"]] == ["2.1.7"]
    marks = [line[0] for line in disagreement.render(found, "lines").splitlines()]
    assert marks == ["-", "+"]
