"""Judges a launch: the same clauses and the same verdict as a package gets, before there is one.

The gate adds two things to a report: which clauses wait for the package, and, when it refuses,
the nearest configuration that it would accept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.category import ADVICE
from engine.findings import Earned, Report, natural
from engine.launch.facts import LaunchFacts, gather
from engine.launch.nearest import Proposal, nearest
from engine.launch.request import Request, argument
from engine.ruleset import Clause, RuleSet
from engine.selection import Selection
from engine.values import Kind, Unknown
from engine.verdict import Evidence, Judge, Verdict

PLACE = "launch"
"""The path of the one subject of a gate's report: there is no file yet."""


@dataclass(frozen=True, slots=True)
class Gated:
    """A judged launch."""

    request: Request
    known: LaunchFacts
    verdict: Verdict
    report: Report
    proposal: Proposal | None
    deferred: tuple[str, ...]

    @property
    def accepted(self) -> bool:
        """Whether the run may start. A run for advice always may."""
        return self.verdict.subject.accepted is not False

    @property
    def runs_as(self) -> str | None:
        """The lesser division that would accept the run as it is."""
        refused = not self.accepted and self.verdict.subject.requested == "closed"
        return "open" if refused and self.verdict.interval.worst is Earned.OPEN else None


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
    proposal = None
    further: dict[str, object] = {"deferred": list(deferred)}
    if verdict.subject.accepted is False:
        proposal = _propose(bench, request, known, verdict)
        further["nearest"] = None if proposal is None else proposal.as_json()
    report = Report(
        edition=ruleset.edition,
        digest=ruleset.digest,
        subjects=(verdict.subject,),
        findings=verdict.findings,
        further=further,
    )
    return Gated(request, known, verdict, report, proposal, deferred)


def decide(bench: Judge, known: LaunchFacts) -> Verdict:
    """The verdict of the rule set on the facts of a launch."""
    division = bench.index.division or ""
    evidence = Evidence(
        path=PLACE,
        scope=PLACE,
        facts={"leaf": known.leaf, "workload": known.workload},
        requested=known.leaf.get(division, Unknown.of(division, Kind.ABSENT)),
        trails=known.told,
    )
    return bench.judge(evidence, bench.ruleset.edition)


def _propose(bench: Judge, request: Request, known: LaunchFacts, verdict: Verdict) -> Proposal | None:
    """The nearest legal configuration; a run that the lesser division takes is one already."""
    runs_as = "open" if request.division != ADVICE and verdict.interval.worst is Earned.OPEN else None
    broken = [
        clause
        for clause in bench.ruleset.clauses
        if verdict.outcomes.get(clause.rule) in ("violation", "undetermined")
    ]
    found = nearest(bench.ruleset, request, known, broken, lambda tried: accepts(bench, tried, broken))
    if found is None:
        return None if runs_as is None else Proposal(runs_as, {}, {}, runs_as)
    return Proposal(found.division, found.texts, found.facts, runs_as)


def accepts(bench: Judge, known: LaunchFacts, broken: Iterable[Clause]) -> bool:
    """Whether a proposal is legal: the broken clauses first, since they refuse most proposals."""
    edition = bench.ruleset.edition
    for clause in broken:
        for scope, facts in (("leaf", known.leaf), ("workload", known.workload)):
            for said in clause.judges[scope](facts) if scope in clause.judges else ():
                holds = said.result == "violation" and bench.index.holds(said.statement, edition)
                if holds and said.statement.level == "error" and _costs(bench, known, said.statement.category):
                    return False
    return decide(bench, known).subject.accepted is True


def _costs(bench: Judge, known: LaunchFacts, category: str) -> bool:
    """Whether a breach of this category is one that the division asked for does not bear."""
    asked = known.leaf.get(bench.index.division or "")
    return category == "all" or (category == "closed" and asked == "closed")


def spec_named(ruleset: RuleSet, role: str) -> str:
    """The name of the fact that is typed as this argument; the role itself when none declares it."""
    spec = argument(ruleset, role)
    return role if spec is None else spec.name
