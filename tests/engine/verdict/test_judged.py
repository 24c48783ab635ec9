"""What is judged is always said: clauses, editions, and what was left out with its reason."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click import unstyle

from engine.launch.gate import Gated, judge
from engine.launch.request import Request, declared
from engine.launch.text import gate_text
from engine.package.validate import validate
from engine.report import json as machine
from engine.report import text
from engine.runtime.ruleset import RuleSet, Silent
from generated.gate import RULESET as GATE
from generated.validator import RULESET as RULES
from tests.command import run
from tests.packages import START, write_leaf, write_system

UNSTATED = tuple(Silent(f"7.1.{number}", f"clause{number}", "unstated") for number in range(1, 102))
PEOPLE = Silent("7.2.1", "asPeopleSee", "undecidable", "no field says so")


def one_of_102(rules: RuleSet) -> RuleSet:
    """A rule set that states one clause and has 101 to come."""
    (clause,) = (clause for clause in rules.clauses if clause.rule == "4.6.1")
    return rules._replace(clauses=(clause,), deferred=(), silent=UNSTATED, complete=False, absent=())


def told(tree: Path, rules: RuleSet = RULES, **asked: Any) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(machine.render(validate(tree, rules, **asked)))
    return report


def words(tree: Path, rules: RuleSet = RULES, **asked: Any) -> str:
    return " ".join(text.render(validate(tree, rules, **asked)).split())


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    write_system(tmp_path)
    write_leaf(tmp_path)
    return tmp_path


def launched(rules: RuleSet, *, processes: str = "8") -> tuple[Gated, str]:
    texts = dict.fromkeys(declared(rules), ()) | {
        "--model": ("8B",),
        "--num-processes": (processes,),
        "--accelerator-type": ("b200",),
    }
    gated = judge(rules, Request("closed", "checkpointing", "run", "file", texts, {}))
    return gated, unstyle(gate_text(rules, gated, None))


# --- the rule set knows its own gaps -------------------------------------------------------


def test_the_rule_set_knows_every_clause_of_its_document() -> None:
    judged = {clause.rule for clause in RULES.clauses}
    silent = {one.rule: one.kind for one in RULES.silent}
    assert not judged & silent.keys()
    assert {*GATE.deferred, *(clause.rule for clause in GATE.clauses)} == judged
    assert (GATE.silent, GATE.complete, GATE.absent) == (RULES.silent, RULES.complete, RULES.absent)
    assert set(silent.values()) == {"informative"}
    assert RULES.complete
    assert set(RULES.absent) >= {"1", "2", "3"}


def test_every_clause_is_stated_or_has_a_reason(clean: Path) -> None:
    judged = told(clean)["judged"]
    reasons = {one["rule"]: one["reason"] for one in judged["not_judged"]}
    assert judged["stated"] == judged["selected"]
    assert judged["clauses"] == len(judged["stated"]) + len(judged["informative"])
    assert set(reasons) == set(judged["informative"])
    assert all(reason.startswith("informative: ") for reason in reasons.values())
    assert judged["sections_absent"] == list(RULES.absent)


def test_clauses_that_are_left_to_people_are_named(clean: Path) -> None:
    rules = RULES._replace(silent=(*RULES.silent, PEOPLE))
    judged = told(clean, rules)["judged"]
    assert judged["undecidable"] == ["7.2.1"]
    assert {"rule": "7.2.1", "reason": "left to people: no field says so"} in judged["not_judged"]
    assert "left to people: 7.2.1" in words(clean, rules)


# --- where the edition comes from ----------------------------------------------------------


@pytest.mark.parametrize(("edition", "origin"), [("3.0", "asked"), (None, "ruleset")])
def test_the_edition_says_who_named_it(clean: Path, edition: str | None, origin: str) -> None:
    judged = told(clean, edition=edition)["judged"]
    assert judged["editions"] == [{"edition": edition or RULES.edition, "origin": origin}]


def test_a_package_may_name_it_and_two_may_differ(clean: Path) -> None:
    (clean / "closed/OrgA/submission.yaml").write_text('rules_edition: "3.0"\n')
    write_system(clean, org="OrgB")
    write_leaf(clean, org="OrgB")
    assert told(clean)["judged"]["editions"] == [
        {"edition": "3.0", "origin": "declared"},
        {"edition": RULES.edition, "origin": "ruleset"},
    ]
    assert "edition 3.0 (as the package declares) and edition 4.0 (the rule set's own)" in words(clean)


# --- selections ----------------------------------------------------------------------------


@pytest.mark.parametrize("asked", [{"select": ("4.6",)}, {"ignore": ("4.3",)}])
def test_what_was_not_selected_is_listed_and_qualifies_what_is_earned(clean: Path, asked: Any) -> None:
    report = told(clean, **asked)
    judged = report["judged"]
    assert set(judged["selected"]) | set(judged["ignored"]) == set(judged["stated"])
    assert judged["ignored"]
    reasons = {one["rule"]: one["reason"] for one in judged["not_judged"]}
    assert {reasons[rule] for rule in judged["ignored"]} == {"not selected"}
    assert {one["basis"] for one in report["subjects"]} == {"by the selected clauses alone"}
    shown = words(clean, **asked)
    assert "earned by runs, by the selected clauses alone: 1 CLOSED" in shown
    assert shown.endswith("Nothing of what was judged has to be mended.")


def test_nothing_has_to_be_mended_where_everything_was_judged(clean: Path) -> None:
    assert words(clean).endswith("Nothing has to be mended.")
    assert all("basis" not in one for one in told(clean)["subjects"])


def test_where_something_was_skipped_or_not_judged_it_is_said_of_the_rest_alone(clean: Path) -> None:
    rest = "Nothing of what was judged has to be mended."
    (clean / "closed" / "Empty").mkdir()
    assert words(clean).endswith(rest)
    (clean / "closed" / "Empty").rmdir()
    (clean / "closed" / "README.md").touch()
    assert words(clean).endswith("Nothing has to be mended.")
    write_leaf(clean, family="training", system="sys-2")
    assert words(clean).endswith(rest)


# --- clauses that were asked of nothing ----------------------------------------------------


def test_of_a_leaf_alone_the_clauses_of_its_workload_are_not_judged(clean: Path) -> None:
    leaf = next(clean.rglob("2026*"))
    reasons = {one["rule"]: one["reason"] for one in told(leaf)["judged"]["not_judged"]}
    assert reasons["4.7.4"] == "it is asked of a workload, and none was judged whole"
    assert "4.6.1" not in reasons


def test_a_clause_that_holds_in_another_edition_only_is_not_judged(clean: Path) -> None:
    def dated(rule: str) -> RuleSet:
        return RULES._replace(
            clauses=tuple(
                clause._replace(statements=tuple(s._replace(until="2.0") for s in clause.statements))
                if clause.rule == rule
                else clause
                for clause in RULES.clauses
            )
        )

    reasons = {one["rule"]: one["reason"] for one in told(clean, dated("4.6.1"))["judged"]["not_judged"]}
    assert reasons["4.6.1"] == "it holds in no edition that was judged"


def test_a_clause_of_a_family_without_runs_is_not_judged(clean: Path) -> None:
    (training,) = (clause for clause in RULES.clauses if clause.rule == "4.6.1")
    rules = RULES._replace(
        clauses=(*RULES.clauses, training._replace(rule="3.1.1")),
        families={**RULES.families, "3": "training"},
    )
    reasons = {one["rule"]: one["reason"] for one in told(clean, rules)["judged"]["not_judged"]}
    assert reasons["3.1.1"] == "nothing of family training was judged"


def test_a_leaf_that_is_not_judged_says_why(clean: Path) -> None:
    write_leaf(clean, family="training", system="sys-2")
    write_leaf(clean, command="datasize", start=START + timedelta(hours=1))
    why = {one["basis"] for one in told(clean)["subjects"] if one["earned"] is None}
    assert why == {"no clause governs family training", "datasize is no run"}


# --- a rule set that is not complete -------------------------------------------------------


def test_an_incomplete_rule_set_earns_nothing(clean: Path) -> None:
    rules = one_of_102(RULES)
    report = told(clean, rules)
    assert {one["earned"] for one in report["subjects"]} == {None}
    reason = "nothing is earned: the rule set states 1 of 102 clauses"
    assert {one["basis"] for one in report["subjects"]} == {reason}
    assert len(report["judged"]["unstated"]) == 101
    assert not report["judged"]["complete"]
    assert sum(report["summary"]["earned"].values()) == 0
    shown = words(clean, rules)
    assert f"earned by runs: {reason}" in shown
    assert "CLOSED" not in shown
    assert shown.endswith("Nothing of what was judged has to be mended.")


def test_a_breach_of_what_is_stated_is_found_all_the_same(tmp_path: Path) -> None:
    write_system(tmp_path)
    write_leaf(tmp_path, processes=16, accelerators=16, hosts=2)
    report = told(tmp_path, one_of_102(RULES))
    assert [one["rule"] for one in report["findings"] if one["level"] == "error"] == ["4.6.1"]
    assert {one["earned"] for one in report["subjects"]} == {None}


def test_the_gate_of_an_incomplete_rule_set_says_how_much_is_stated() -> None:
    gated, shown = launched(one_of_102(GATE))
    assert gated.accepted
    assert gated.report.subjects[0].earned is None
    assert "nothing stated is broken (1 of 102 clauses)" in shown
    assert "CLOSED" not in shown
    gated, shown = launched(one_of_102(GATE), processes="16")
    assert not gated.accepted
    assert "refused: what is stated is broken (1 of 102 clauses)" in shown
    assert gated.report.subjects[0].earned is None


# --- the gate ------------------------------------------------------------------------------


def test_the_gate_lists_what_waits_for_the_package() -> None:
    line = "closed checkpointing run file --model 8B --num-processes 8 --accelerator-type b200 --dry-run"
    line += " --client-host-memory-in-gb 512 --hosts h1 --checkpoint-folder /c --results-dir /r"
    line += " --orgname o --systemname s"
    report = json.loads(run([*line.split(), "--format", "json"]).stdout)
    judged = report["judged"]
    reasons = {one["rule"]: one["reason"] for one in judged["not_judged"]}
    assert judged["deferred"] == report["deferred"]
    assert {reasons[rule] for rule in report["deferred"]} == {"decided only from the package"}
    assert set(judged["selected"]) == set(judged["stated"]) - set(judged["deferred"])
    assert judged["editions"] == [{"edition": GATE.edition, "origin": "ruleset"}]
    assert "judged: edition 4.0 (the rule set's own)" in launched(GATE)[1]
