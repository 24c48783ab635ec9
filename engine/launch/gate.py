"""Judges a launch: the same clauses and the same verdict as a package gets, before there is one.

The gate adds two things to a report: which clauses wait for the package, and, when it refuses,
the nearest configuration that it would accept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from engine.launch.facts import LaunchFacts, gather, workload_of
from engine.launch.request import Request
from engine.runtime.judge import judge_statement
from engine.runtime.ruleset import CHANGES, Clause, RuleSet
from engine.runtime.values import Facts, Kind, Unknown, read
from engine.verdict.category import Scale
from engine.verdict.earned import Judge, Verdict
from engine.verdict.evidence import Evidence, division
from engine.verdict.findings import Report, SubjectVerdict, natural
from engine.verdict.judged import OWN, EditionUsed, Judged, judged
from engine.verdict.selection import Selection

if TYPE_CHECKING:
    from engine.launch.nearest import Proposal

PLACE = "launch"
"""The path of the one subject of a gate's report: there is no file yet."""


class Gated(NamedTuple):
    """A judged launch."""

    request: Request
    known: LaunchFacts
    verdict: Verdict
    report: Report
    proposal: Proposal | None
    deferred: tuple[str, ...]
    judged: Judged
    second: Proposal | None = None  # as near as the first, or next to it

    @property
    def accepted(self) -> bool:
        """Whether the run may start. A run for advice always may."""
        return self.verdict.subject.accepted is not False

    @property
    def runs_as(self) -> str | None:
        """The lesser division that would accept the run as it is."""
        return self.verdict.runs_as


def of_family(ruleset: RuleSet, family: str) -> Selection:
    """The clauses that govern a family: those of its sections, and those of no family's section."""
    sections = ruleset.families
    return Selection(
        clauses=frozenset(
            clause.rule
            for clause in ruleset.clauses
            if sections.get(clause.rule.partition(".")[0], family) == family
        )
    )


def judge(ruleset: RuleSet, request: Request, *, probe: bool = False) -> Gated:
    """The verdict on a launch. Raises OptionError for a text that is no value of its option."""
    known = gather(ruleset, request, probe=probe)
    bench = Judge(ruleset, of_family(ruleset, request.family))
    verdict = decide(bench, known)
    wait = {*ruleset.deferred, *(rule for rule, said in verdict.outcomes.items() if said == "deferred")}
    deferred = tuple(sorted(wait, key=natural))
    proposal = second = None
    further: dict[str, object] = {"deferred": list(deferred)}
    if verdict.subject.accepted is False:
        proposal, second = (*_propose(bench, request, known, verdict), None, None)[:2]
        further["nearest"] = None if proposal is None else proposal.as_json()
        if second is not None:
            further["second_nearest"] = second.as_json()
    governing = bench.selection.clauses or frozenset()
    others = {clause.rule for clause in ruleset.clauses} - governing
    told = judged(
        ruleset,
        governing,
        [EditionUsed(ruleset.edition, OWN)],
        deferred=deferred,
        left=dict.fromkeys(others, f"does not govern {request.family}"),
    )
    report = Report(
        edition=ruleset.edition,
        digest=ruleset.digest,
        subjects=(verdict.subject._replace(basis=told.basis()),),
        findings=verdict.findings,
        categories=bench.index.scale.categories,
        further=further,
        judged=told,
    )
    return Gated(request, known, verdict, report, proposal, deferred, told, second)


def decide(bench: Judge, known: LaunchFacts) -> Verdict:
    """The verdict of the rule set on the facts of a launch."""
    asked = bench.index.division or ""
    evidence = Evidence(
        path=PLACE,
        scope=PLACE,
        facts={"leaf": known.leaf, "workload": known.workload},
        requested=known.leaf.get(asked, Unknown.of(asked, Kind.ABSENT)),
        origins=known.origins(),
    )
    return bench.judge(evidence, bench.ruleset.edition)


def _propose(bench: Judge, request: Request, known: LaunchFacts, verdict: Verdict) -> tuple[Proposal, ...]:
    """The nearest legal configurations; a run that the lesser division takes is one already.

    Where it does, what never changes does not: another division is nearer.
    """
    from engine.launch.nearest import Proposal, mendable, nearest  # an accepted run does not wait for it

    runs_as = verdict.runs_as
    broken = [clause for clause in bench.ruleset.clauses if breaks(bench, clause, known.leaf)]
    stuck = [clause for clause in broken if not mendable(bench.ruleset, request, clause)]

    def still(clause: Clause, leaf: Facts) -> bool:
        return clause not in stuck and breaks(bench, clause, leaf)

    def legal(tried: LaunchFacts) -> bool:
        if not stuck:
            return decide(bench, tried).subject.accepted is True
        return not any(still(clause, tried.leaf) for clause in bench.ruleset.clauses)

    rest = [clause for clause in broken if clause not in stuck]
    keep = CHANGES[-1:] if runs_as is not None else ()
    found = nearest(bench.ruleset, request, known, rest, still, legal, keep=keep) if rest or not stuck else ()
    if not found:
        return () if runs_as is None else (Proposal(runs_as, {}, {}, runs_as),)
    besides = tuple(clause.rule for clause in stuck)
    return tuple(Proposal(one.division, one.texts, one.facts, runs_as, besides) for one in found)


def breaks(bench: Judge, clause: Clause, leaf: Facts) -> bool:
    """Whether the clause certainly costs a run the division that it is asked for."""
    asked = division(read(leaf, bench.index.division or ""))
    if not bench.selection.keeps(clause.rule):
        return False
    subjects = {"leaf": leaf, "workload": workload_of(bench.ruleset, leaf)}
    return any(
        outcome.result == "violation"
        for statement in clause.statements
        if statement.level == "error"
        and bench.index.scale.concerns(statement.category, asked)
        and bench.index.holds(statement, bench.ruleset.edition)
        for outcome in judge_statement(statement, subjects[statement.scope])
    )


def unjudged(ruleset: RuleSet, request: Request, further: Mapping[str, object]) -> Report:
    """The report of a command that judges nothing: one subject that earns nothing."""
    return Report(
        edition=ruleset.edition,
        digest=ruleset.digest,
        subjects=(SubjectVerdict(PLACE, PLACE, request.division, None),),
        findings=(),
        categories=Scale(ruleset.divisions).categories,
        further=further,
    )
