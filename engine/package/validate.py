"""Judges everything below TREE: each leaf, then each workload, into one report.

What is read comes from `package.subjects`, what is judged from `verdict.earned`; this module joins the two.
A workload sees its runs as a list of their facts, and earns no more than the least of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from functools import reduce
from pathlib import Path

from engine.package.asked import unasked
from engine.package.hint import hint, undeclared
from engine.package.subjects import NothingToValidate, Package, RecordedSubject, survey
from engine.runtime.origins import EvidenceProblem, Origin
from engine.runtime.ruleset import RuleSet
from engine.runtime.values import Facts, Listing, Other, Unknown, Value, read
from engine.verdict.category import Interval, Scale
from engine.verdict.earned import Judge, Verdict, settled
from engine.verdict.evidence import Evidence, division
from engine.verdict.findings import EVIDENCE_RULE, Finding, Place, Report, Skipped, SubjectVerdict, arrange
from engine.verdict.judged import ASKED, DECLARED, OWN, EditionUsed, Judged, judged
from engine.verdict.selection import Selection, choose
from engine.verdict.words import unlisted

TREE = "tree"
RUNS = ("runs",)
"""Document and field of the list fact that holds a workload's runs."""


class EditionError(ValueError):
    """An edition that the rule set does not know; the message lists those that it does."""


def check_edition(ruleset: RuleSet, edition: str | None) -> None:
    """Raises EditionError when an edition is asked for that the rule set does not know."""
    if edition is None or edition in ruleset.editions:
        return
    near = get_close_matches(edition, ruleset.editions, n=1, cutoff=0.5)
    meant = f"; did you mean {near[0]}?" if near else ""
    known = ", ".join(ruleset.editions)
    raise EditionError(f"the rule set knows no edition {edition!r}, only {known}{meant}")


def validate(
    tree: Path,
    ruleset: RuleSet,
    *,
    edition: str | None = None,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    progress: Callable[[int], None] | None = None,
) -> Report:
    """The report on TREE. Raises NothingToValidate, EditionError or SelectionError."""
    check_edition(ruleset, edition)
    selection = choose(ruleset, select, ignore)
    package = survey(tree, ruleset, progress)

    def judged_by(asked: str | None) -> Report:
        return _PackageJudge(ruleset, selection, asked, partial=bool(select)).report(tree, package)

    report = judged_by(edition)
    unnamed = {leaf.path for leaf in package.leaves if leaf.judged and leaf.edition is None}
    unnamed &= {one.path for one in report.subjects if one.earned is not None or one.accepted is not None}
    if edition is not None or not unnamed:
        return report
    own = ruleset.edition
    older = ruleset.editions[: ruleset.editions.index(own)]
    found = hint(report, unnamed, older, judged_by)
    told = report.judged and report.judged._replace(suggested=found and found.edition)
    remarks = [undeclared(unnamed, own), *([found.sentence(own)] if found else [])]
    return report._replace(judged=told, remarks=(*report.remarks, *remarks))


class _PackageJudge:
    """The judging of one package. `partial`: only some clauses were asked for."""

    def __init__(self, ruleset: RuleSet, selection: Selection, edition: str | None, *, partial: bool) -> None:
        self.ruleset = ruleset
        self.selection = selection
        self.edition = edition
        self.partial = partial
        self.scale = Scale(ruleset.divisions)
        self.rules = frozenset(clause.rule for clause in ruleset.clauses)
        self.judges = {family: self._judge(family) for family in ruleset.families.values()}
        self.verdicts: dict[str, tuple[Facts, Verdict]] = {}  # of the leaves judged, by path
        self.asked: dict[str, Value] = {}  # the division that each of them asks for
        self.doubted: dict[str, set[str]] = {}  # facts that an evidence finding of theirs is about
        self.subjects: list[SubjectVerdict] = []
        self.findings: list[Finding] = []
        self.editions: set[EditionUsed] = set()
        self.asked_of: set[tuple[str, str, str]] = set()  # family, scope and edition of what was judged
        self.unjudged: Counter[str] = Counter()
        self.unasked: list[Skipped] = []  # leaves of families of which no clause was asked for
        self.partly = 0  # workloads of which TREE holds a leaf alone

    def _judge(self, family: str) -> Judge:
        """A judge by the selected clauses that govern a family: those of its sections and of none."""
        families = self.ruleset.families
        sections = ((clause.rule, clause.rule.partition(".")[0]) for clause in self.ruleset.clauses)
        governing = frozenset(rule for rule, section in sections if families.get(section, family) == family)
        return Judge(self.ruleset, self.selection.within(governing))

    def report(self, tree: Path, package: Package) -> Report:
        """The report on everything that was found. Raises NothingToValidate when no clause governs it."""
        if not any(self._concerned(leaf) for leaf in package.leaves):
            families = ", ".join(sorted({leaf.family or "unknown" for leaf in package.leaves}))
            count = f"{len(package.leaves)} {'leaf' if len(package.leaves) == 1 else 'leaves'}"
            raise NothingToValidate(
                f"{tree} holds nothing to validate: no clause that is asked for governs its "
                f"{count} of family {families}"
            )
        for leaf in package.leaves:
            self._leaf(leaf)
        for workload in package.workloads:
            if not workload.whole:
                self.partly += 1
            elif workload.judged and self._concerned(workload):
                self._workload(workload)
        if self.selection.evidence:
            levels = {"error": package.problems, "warning": package.warnings, "note": package.notes}
            for level, problems in levels.items():
                self.findings += [_problem(one, _file(one), level) for one in problems]
        told = self._judged()
        return Report(
            edition=self.ruleset.edition,
            digest=self.ruleset.digest,
            subjects=tuple(
                one if one.basis else one._replace(basis=told.basis())
                for one in sorted(self.subjects, key=lambda one: (one.path, one.scope))
            ),
            findings=arrange(self.findings),
            categories=self.scale.categories,
            remarks=(told.sentence(), *self._remarks()),
            judged=told,
            skipped=tuple(sorted((*package.skipped, *self.unasked))),
        )

    def _concerned(self, subject: RecordedSubject) -> bool:
        """Whether a clause or an evidence finding that was asked for may speak of the subject."""
        judge = self.judges.get(subject.family or "")
        return judge is not None and bool(judge.selection.clauses or judge.selection.listed)

    def _leaf(self, leaf: RecordedSubject) -> None:
        if not self._concerned(leaf):
            family = leaf.family or "unknown"
            if self.partial:
                self.unasked.append(
                    Skipped(leaf.path, f"is of family {family}: no clause of it was asked for")
                )
            else:
                self.unjudged[f"of family {family}"] += 1
                why = f"no clause governs family {family}"
                self.subjects.append(SubjectVerdict(leaf.path, "leaf", None, None, basis=why))
            return
        judge = self.judges[leaf.family or ""]
        facts, contradictions = settled(self.ruleset, "leaf", leaf.reading.facts)
        requested = _requested(leaf, facts, judge.index.division or "", self.scale.advice)
        if not leaf.judged:
            self.unjudged[f"of {leaf.phase}" if leaf.phase else "that ran nothing"] += 1
            why = f"{leaf.phase} is no run" if leaf.phase else "nothing was run"
            self.subjects.append(SubjectVerdict(leaf.path, "leaf", division(requested), None, basis=why))
            if self.selection.evidence and self.selection.whole:
                self.findings += [_problem(one, leaf.path, "note") for one in leaf.reading.problems]
            return
        evidence = Evidence(
            path=leaf.path,
            scope="leaf",
            facts={"leaf": facts},
            requested=requested,
            origins=leaf.reading.origins,
            problems=leaf.reading.problems,
            contradictions=contradictions,
        )
        verdict = judge.judge(evidence, self._edition(leaf))
        self.verdicts[leaf.path] = (facts, verdict)
        self.asked[leaf.path] = requested
        self.doubted[leaf.path] = {fact for problem in leaf.reading.problems for fact in problem.facts}
        self.doubted[leaf.path] |= {found.conflict.fact for found in contradictions}
        self.doubted[leaf.path] |= unlisted(self.ruleset.facts, facts).keys()
        self.subjects.append(verdict.subject)
        self.findings += verdict.findings

    def _workload(self, workload: RecordedSubject) -> None:
        judge = self.judges[workload.family or ""]
        runs = [(run, *self.verdicts[run.path]) for run in workload.runs if run.path in self.verdicts]
        asked = judge.index.division or ""
        requested = _common([self.asked[run.path] for run, _, _ in runs])
        lists = {
            spec.name: Listing(tuple(facts for _, facts, _ in runs))
            for spec in self.ruleset.facts
            if any(source.document == TREE and source.path == RUNS for source in spec.package)
        }
        facts, contradictions = settled(self.ruleset, "workload", {**workload.reading.facts, **lists})
        doubted = {fact for run, _, _ in runs for fact in self.doubted[run.path]}
        evidence = Evidence(
            path=workload.path,
            scope="workload",
            facts={"workload": facts},
            requested=requested,
            origins=_origins(workload, [run for run, _, _ in runs]),
            problems=workload.reading.problems,
            contradictions=contradictions,
            covered=frozenset(doubted | ({asked} if isinstance(requested, Unknown) else set())),
        )
        verdict = judge.judge(evidence, self._edition(workload))
        left = reduce(Interval.meet, (leaf.interval for _, _, leaf in runs), verdict.interval)
        named = verdict.subject.requested
        earned = None if verdict.subject.earned is None else self.scale.earned(left)
        accepted = None if verdict.subject.accepted is None else self.scale.grants(left, named)
        self.subjects.append(SubjectVerdict(workload.path, "workload", named, earned, accepted))
        self.findings += verdict.findings

    def _edition(self, subject: RecordedSubject) -> str:
        """The edition that governs a subject: asked for, declared, or the rule set's own."""
        edition = self.edition or subject.edition or self.ruleset.edition
        origin = ASKED if self.edition else DECLARED if subject.edition else OWN
        self.editions.add(EditionUsed(edition, origin))
        self.asked_of.add((subject.family or "", subject.scope, edition))
        return edition

    def _judged(self) -> Judged:
        """What was judged, and why the rest was not."""
        order = self.ruleset.editions
        return judged(
            self.ruleset,
            self.selection.clauses if self.selection.clauses is not None else self.rules,
            sorted(self.editions, key=lambda used: (order.index(used.edition), used.origin)),
            narrowed=self.selection.clauses is not None,
            left=dict(unasked(self.judges, self.asked_of)),
        )

    def _remarks(self) -> Iterator[str]:
        """What a reader must know to read the verdicts."""
        if self.partly:
            yield "not judged: the workload of this leaf; give its folder or the package for that"
        for kind, count in sorted(self.unjudged.items()):
            yield f"not judged: {count} {'leaf' if count == 1 else 'leaves'} {kind}"


def _requested(leaf: RecordedSubject, facts: Facts, fact: str, advice: frozenset[str]) -> Value:
    """The division that a run asks for. One that lies in the folder of advice is only advised on."""
    folders = (origin.value for origin in leaf.reading.origins.get(fact, ()) if not origin.file)
    advised = next((name for name in folders if isinstance(name, str) and name in advice), None)
    return advised or read(facts, fact)


def _common(requested: Sequence[Value]) -> Value:
    """The division that all runs of a workload ask for; what they ask for together names none."""
    unknown = next((value for value in requested if isinstance(value, Unknown)), None)
    if unknown is not None:
        return unknown
    if all(value == requested[0] for value in requested):
        return requested[0]
    return Other(" and ".join(sorted({division(value) or "" for value in requested})))


def _origins(workload: RecordedSubject, runs: Sequence[RecordedSubject]) -> dict[str, tuple[Origin, ...]]:
    """Where a workload's facts were read: its own, and those of its runs."""
    origins: dict[str, tuple[Origin, ...]] = dict(workload.reading.origins)
    for run in runs:
        for fact, found in run.reading.origins.items():
            if fact not in workload.reading.origins:
                origins[fact] = (*origins.get(fact, ()), *found)
    return origins


def _file(problem: EvidenceProblem) -> str:
    return next((place.file for place in problem.places if place.file), "")


def _problem(problem: EvidenceProblem, path: str, level: str) -> Finding:
    """The finding of a problem that no clause depends on: of the tree itself, or of a leaf not judged."""
    return Finding(
        rule=EVIDENCE_RULE,
        name=problem.name,
        outcome="undetermined",
        level=level,
        category="package",
        path=path,
        message=problem.message,
        facts={},
        evidence=tuple(Place(place.fact, place.file, place.field) for place in problem.places),
    )
