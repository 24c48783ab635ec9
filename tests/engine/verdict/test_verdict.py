"""Outcomes to findings: levels, categories, messages, and who explains what is not known."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from engine.runtime.ruleset import RuleSet
from engine.runtime.values import Facts, Kind, Listing, Other, Unknown, Value, read
from engine.verdict.earned import Judge, Verdict, settled
from engine.verdict.evidence import Evidence
from engine.verdict.findings import Finding, Place
from engine.verdict.selection import EVERYTHING, Selection, choose
from tests.engine.verdict.handmade import CLEAN, RULESET, only

LEAF = "closed/OrgA/results/sys-1/checkpointing/llama3-70b/20260101_000000"


@dataclass(frozen=True)
class Origin:
    fact: str
    file: str
    field: str
    value: object = None
    missing: bool = False


@dataclass(frozen=True)
class EvidenceProblem:
    name: str
    facts: tuple[str, ...]
    message: str
    places: tuple[Origin, ...] = ()


def leaf(**changed: Value | Kind) -> dict[str, Value]:
    facts: dict[str, Value | Kind] = {**CLEAN, "overrides": Listing(()), **changed}
    return {
        name: Unknown.of(name, value) if isinstance(value, Kind) else value for name, value in facts.items()
    }


def judged(
    facts: Facts,
    ruleset: RuleSet = RULESET,
    *,
    edition: str = "4.0",
    selection: Selection = EVERYTHING,
    scope: str = "leaf",
    **further: Any,
) -> Verdict:
    requested = further.pop("requested", read(facts, "requested"))
    known, found = settled(ruleset, scope, facts)
    evidence = Evidence(
        path=LEAF, scope=scope, facts={scope: known}, requested=requested, contradictions=found, **further
    )
    return Judge(ruleset, selection).judge(evidence, edition)


def brief(verdict: Verdict) -> list[tuple[str, str, str]]:
    return [(finding.level, finding.outcome, finding.rule) for finding in verdict.findings]


def sole(verdict: Verdict) -> Finding:
    assert len(verdict.findings) == 1, verdict.findings
    return verdict.findings[0]


def test_a_clean_leaf_earns_what_it_asks_for() -> None:
    verdict = judged(leaf())
    assert verdict.findings == ()
    assert verdict.subject.earned == "CLOSED"
    assert verdict.subject.accepted is True


def test_a_breach_of_all_divisions_is_invalid_and_speaks_the_rendered_sentence() -> None:
    verdict = judged(leaf(claim=True))
    finding = sole(verdict)
    assert (finding.rule, finding.level, finding.category) == ("4.3.5", "error", "all")
    assert finding.message.startswith("the run is a subset run")
    assert finding.fix == "drop the claim from 64 processes"
    assert finding.facts == {"claim": True, "model": "70B", "processes": 64}
    assert finding.clause_line == 100
    assert verdict.subject.earned == "INVALID"


def test_a_breach_of_closed_alone_earns_open() -> None:
    verdict = judged(leaf(processes=8))
    assert sole(verdict).message == "70B runs on 64 processes in CLOSED, this run on 8"
    assert verdict.subject.earned == "OPEN"
    assert verdict.subject.accepted is False


def test_a_breach_of_closed_alone_is_a_note_on_a_run_asked_open_and_still_counts() -> None:
    verdict = judged(leaf(processes=8, requested="open"))
    assert brief(verdict) == [("note", "violation", "4.6.1")]
    assert verdict.subject.earned == "OPEN"
    assert verdict.subject.accepted is True


def test_advice_is_notes_and_no_category() -> None:
    verdict = judged(leaf(processes=8, claim=True, requested="whatif", size=Kind.ABSENT))
    assert {finding.level for finding in verdict.findings} == {"note"}
    assert len(verdict.findings) == 5
    assert verdict.subject.earned is None
    assert verdict.subject.accepted is None


@pytest.mark.parametrize(
    ("requested", "shown", "outcome"),
    [
        (Kind.ABSENT, None, "cannot be judged: requested is not recorded (looked for args.mode in m.json)"),
        (Other("secret"), "secret", "requested is 'secret', which is no division"),
    ],
)
def test_a_division_that_is_not_known_is_one_evidence_finding(
    requested: Kind | Other, shown: str | None, outcome: str
) -> None:
    facts = leaf(requested=requested)
    verdict = judged(facts, origins={"requested": [Origin("requested", "a/m.json", "args.mode")]})
    finding = sole(verdict)
    assert (finding.rule, finding.name, finding.outcome) == ("evidence", "requested", "undetermined")
    assert finding.level == "error"
    assert finding.message == outcome
    assert finding.clauses == ("4.6.1", "4.6.3"), "what costs CLOSED depends on what was asked"
    assert verdict.subject.requested == shown
    assert verdict.subject.earned == "UNDETERMINED"
    assert verdict.subject.accepted is False


def test_a_division_that_is_not_known_cannot_make_an_invalid_run_better() -> None:
    assert judged(leaf(requested=Kind.ABSENT, claim=True)).subject.earned == "INVALID"


def test_what_is_not_recorded_is_undetermined_at_the_statements_level() -> None:
    origins = {"accelerator": [Origin("accelerator", "a/x_20260101_000000_metadata.json", "accelerator")]}
    verdict = judged(leaf(accelerator=Kind.ABSENT), origins=origins)
    finding = sole(verdict)
    assert (finding.level, finding.outcome, finding.rule) == ("error", "undetermined", "4.3.4")
    assert finding.message == (
        "cannot be judged: accelerator is not recorded (looked for accelerator in x_*_metadata.json)"
    )
    assert verdict.subject.earned == "UNDETERMINED"


def test_a_file_that_is_not_there_is_said_to_be_missing() -> None:
    gone = Origin("accelerator", "a/*_metadata.json", "accelerator", missing=True)
    there = Origin("accelerator", "a/summary.json", "kind")
    verdict = judged(leaf(accelerator=Kind.ABSENT), origins={"accelerator": [gone, there]})
    assert sole(verdict).message == (
        "cannot be judged: accelerator is not recorded (looked for accelerator in *_metadata.json, "
        "which is missing; kind in summary.json)"
    )


def test_an_edition_that_lets_a_fact_be_missing_lowers_the_level() -> None:
    verdict = judged(leaf(accelerator=Kind.ABSENT), edition="3.0")
    assert brief(verdict) == [("note", "undetermined", "4.3.4")]
    assert verdict.subject.earned == "CLOSED"


def test_a_source_that_is_another_clauses_finding_has_its_own_level() -> None:
    runs = Listing(())
    unread: Facts = {"remap": Unknown.of("remap", Kind.UNREADABLE), "runs": runs}
    absent: Facts = {"remap": Unknown.of("remap", Kind.ABSENT), "runs": runs}
    assert brief(judged(unread, scope="workload", requested="closed")) == [("note", "undetermined", "4.7.3")]
    assert brief(judged(absent, scope="workload", requested="closed")) == [("error", "undetermined", "4.7.3")]


def test_a_warning_that_cannot_be_judged_stays_a_warning() -> None:
    verdict = judged(leaf(size=Kind.ABSENT), only("4.3.1"))
    assert brief(verdict) == [("warning", "undetermined", "4.3.1")]
    assert verdict.subject.earned == "CLOSED"


def test_warnings_and_package_findings_cost_no_category() -> None:
    verdict = judged(leaf(size=-1), only("4.3.1", "4.8.1"))
    assert brief(verdict) == [("warning", "violation", "4.3.1"), ("error", "violation", "4.8.1")]
    assert verdict.subject.earned == "CLOSED"


def test_statements_of_other_editions_are_dropped() -> None:
    assert [finding.message for finding in judged(leaf(size=-1), only("4.9.1")).findings] == ["since 4.0"]
    older = judged(leaf(size=-1), only("4.9.1"), edition="3.0")
    assert [finding.message for finding in older.findings] == ["until 3.0"]


def test_each_element_that_breaks_a_clause_is_a_finding() -> None:
    listing = Listing(tuple({"key": key, "value": 1} for key in ("x", "ok", "y")))
    verdict = judged(leaf(overrides=listing))
    assert [f.message for f in verdict.findings] == [
        "x may not be set in CLOSED",
        "y may not be set in CLOSED",
    ]
    assert verdict.findings[0].facts["overrides"] == [
        {"key": "x", "value": 1},
        {"key": "ok", "value": 1},
        {"key": "y", "value": 1},
    ]


def test_values_of_bound_elements_fill_the_message_with_their_unit() -> None:
    runs = Listing(({"start": 0}, {"start": Fraction(61, 2)}))
    verdict = judged({"runs": runs, "remap": 0}, scope="workload", requested="closed")
    finding = sole(verdict)
    assert finding.message == "30.50 s is late after 0 s"
    assert finding.facts == {"runs": 2, "a.start": 0, "b.start": 30.5}


def test_one_undetermined_finding_names_every_fact_that_is_not_known() -> None:
    verdict = judged(leaf(model=Kind.ABSENT, claim=True, processes=Kind.UNREADABLE), only("4.3.5"))
    assert sole(verdict).message == ("cannot be judged: model is not recorded; processes is not readable")


def test_a_doubt_is_one_finding_and_its_clauses_say_nothing_more() -> None:
    places = (Origin("model", "m.json", "args.model", "70B"), Origin("model", "", "folder", "8B"))
    problem = EvidenceProblem("model", ("model",), "model is 70B and 8B", places)
    verdict = judged(leaf(model=Kind.UNREADABLE, claim=True, processes=8), problems=[problem])
    finding = sole(verdict)
    assert (finding.rule, finding.name, finding.level) == ("evidence", "model", "error")
    assert finding.clauses == ("4.3.5", "4.3.51", "4.6.1")
    assert finding.evidence == (Place("model", "m.json", "args.model"), Place("model", "", "folder"))
    assert verdict.subject.earned == "UNDETERMINED"
    assert verdict.outcomes["4.3.5"] == "undetermined"


def test_a_doubt_elsewhere_does_not_hide_what_else_is_missing() -> None:
    problem = EvidenceProblem("model", ("model",), "model is 70B and 8B")
    verdict = judged(
        leaf(model=Kind.UNREADABLE, claim=True, processes=Kind.ABSENT),
        only("4.3.5"),
        problems=[problem],
    )
    assert [finding.rule for finding in verdict.findings] == ["4.3.5", "evidence"]


def test_with_evidence_findings_ignored_each_clause_speaks_for_itself() -> None:
    problem = EvidenceProblem("model", ("model",), "model is 70B and 8B")
    facts = leaf(model=Kind.UNREADABLE, claim=True, processes=8)
    verdict = judged(facts, problems=[problem], selection=choose(RULESET, (), ("evidence",)))
    assert [finding.rule for finding in verdict.findings] == ["4.3.5", "4.6.1"]


def test_an_evidence_finding_is_cut_to_the_selected_clauses_or_left_out() -> None:
    problem = EvidenceProblem("model", ("model",), "model is 70B and 8B")
    facts = leaf(model=Kind.UNREADABLE, claim=True, processes=8)
    cut = judged(facts, problems=[problem], selection=choose(RULESET, ("4.3.5",)))
    assert sole(cut).clauses == ("4.3.5",)
    gone = judged(facts, problems=[problem], selection=choose(RULESET, ("4.3.4",)))
    assert gone.findings == ()
    asked = judged(facts, problems=[problem], selection=choose(RULESET, ("evidence",)))
    assert sole(asked).clauses == ("4.3.5", "4.3.51", "4.6.1")


def test_a_contradiction_of_a_fact_that_no_clause_reads_is_a_finding_without_cost() -> None:
    verdict = judged(leaf(verification="OPEN"))
    finding = sole(verdict)
    assert (finding.rule, finding.name, finding.outcome) == ("evidence", "verification", "violation")
    assert (finding.level, finding.category, finding.clause_line) == ("error", "package", 50)
    assert finding.message == (
        "the run is asked for closed and was recorded as another category "
        "(recorded: requested closed, verification OPEN)"
    )
    assert finding.facts == {"requested": "closed", "verification": "OPEN"}
    assert verdict.subject.earned == "CLOSED"


def test_what_is_known_only_later_is_deferred_and_costs_nothing() -> None:
    verdict = judged(leaf(accelerator=Kind.DEFERRED))
    assert verdict.findings == ()
    assert verdict.outcomes["4.3.4"] == "deferred"
    assert verdict.subject.earned == "CLOSED"


def test_a_number_of_any_size_is_reported() -> None:
    verdict = judged(leaf(processes=10**5000))
    assert sole(verdict).message.endswith("this run on more than 1e300")
    assert sole(verdict).facts["processes"] == "more than 1e300"
