"""The time between a write invocation and its read invocation, judged by the rule set that was loaded.

How long it may be stands in the rules document. The two invocations are given to the rules as the
validator will see them in the package, so that what is told right away is what will be found there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from engine.launch.accepted import Accepted
from engine.launch.facts import derived_leaf
from engine.runtime.roles import READS, WRITES, name_of
from engine.runtime.ruleset import RuleSet
from engine.runtime.values import Facts, Listing, Value
from engine.verdict.earned import Judge, settled
from engine.verdict.evidence import Evidence
from engine.verdict.selection import Selection

START, END = "invocation_start_time", "invocation_end_time"
"""Fields of a leaf's metadata, by which the rule set's facts are found."""

RUNS = ("runs",)


@dataclass(frozen=True, slots=True)
class Gap:
    """What lay between two invocations."""

    seconds: float
    findings: tuple[tuple[str, str], ...]  # level, and clause with message


def judge(accepted: Accepted, counts: tuple[int, int], ended: datetime, began: datetime) -> Gap:
    """The pause between a write invocation that ended and a read invocation that begins.

    Args:
        accepted: the launch; its facts are those of both invocations but for counts and times.
        counts: how many checkpoints the first writes, and the second reads.
        ended: when the first ended.
        began: when the second began.
    """
    rules = accepted.ruleset
    seconds = (began - ended).total_seconds()
    start, end = _fact_of_field(rules, START), _fact_of_field(rules, END)
    writes, reads = name_of(rules, WRITES), name_of(rules, READS)
    if start is None or end is None or not writes or not reads:
        return Gap(seconds, ())
    declared = accepted.gated.known.declared
    first = derived_leaf(rules, {**declared, writes: counts[0], reads: 0, end: ended})
    second = derived_leaf(rules, {**declared, writes: 0, reads: counts[1], start: began})
    return Gap(seconds, _findings(rules, accepted, (first, second), {start, end}))


def _findings(
    rules: RuleSet, accepted: Accepted, runs: tuple[Facts, Facts], times: set[str]
) -> tuple[tuple[str, str], ...]:
    about = {
        clause.rule
        for clause in rules.clauses
        if any(times <= set(s.facts) for s in clause.statements if s.scope == "workload")
    }
    lists: Mapping[str, Value] = {
        spec.name: Listing(runs)
        for spec in rules.facts
        if any(source.document == "tree" and source.path == RUNS for source in spec.package)
    }
    facts, _ = settled(rules, "workload", {**accepted.gated.known.workload, **lists})
    evidence = Evidence(
        path="launch",
        scope="workload",
        facts={"workload": facts},
        requested=accepted.request.division,
        origins={},
    )
    verdict = Judge(rules, Selection(clauses=frozenset(about))).judge(evidence, rules.edition)
    # What costs one division only is a matter of counts, which the gate has judged.
    return tuple(
        (finding.level, f"{finding.rule} {finding.name}: {finding.message}")
        for finding in verdict.findings
        if finding.outcome == "violation" and finding.category == "all"
    )


def _fact_of_field(rules: RuleSet, field: str) -> str | None:
    """The fact that is recorded under a field of its own, read as it stands."""
    return next(
        (
            spec.name
            for spec in rules.facts
            for source in spec.package
            if source.path == (field,) and source.reader is None
        ),
        None,
    )
