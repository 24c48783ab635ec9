"""The report for people: equal findings once, with the places, in 80 columns.

Fifty copies of one finding are one thing to mend. Everything that is said here stands in the
JSON too; only the grouping, the summary and the advice on what to do next are for people.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import click

from engine.report import identity, runs, skipped
from engine.report.layout import broken, counted, wrapped
from engine.verdict.findings import EVIDENCE_RULE, LEVELS, Finding, Report, natural
from engine.verdict.messages import TIMESTAMP

FACTS = 10
"""Facts of one finding that people are shown; two runs side by side have dozens."""

PLACES = 4
"""Places of a warning or note that are shown, where there are more; those of an error all are."""

COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


def render(report: Report, *, colour: bool = False) -> str:
    """The report; `colour` only where a terminal shows it."""
    blocks = [_block(group, colour) for group in grouped(report.findings)]
    table = "\n".join(runs.lines(report))
    return "\n\n".join([*blocks, *filter(None, [table]), "\n".join(_closing(report, colour))])


def grouped(findings: tuple[Finding, ...]) -> list[list[Finding]]:
    """Findings that say the same of several subjects together; errors first, then by clause."""
    groups: dict[tuple[Any, ...], list[Finding]] = {}
    for finding in findings:
        same = (finding.rule, finding.name, finding.outcome, finding.level, _alike(finding), finding.fix)
        groups.setdefault(same, []).append(finding)
    return sorted(groups.values(), key=lambda group: _weight(group[0]))


def _alike(finding: Finding) -> str:
    """The message with `*` for what names the subject in a file's name: its time, its system."""
    message = re.sub(TIMESTAMP, "*", finding.message)
    for folder in filter(None, finding.path.split("/")):
        message = re.sub(rf"(?<![\w.-]){re.escape(folder)}(?=\.(?:json|ya?ml|log)\b)", "*", message)
    return message


def _weight(finding: Finding) -> tuple[Any, ...]:
    last = finding.rule == EVIDENCE_RULE
    return (-LEVELS.index(finding.level), last, natural(finding.rule), finding.name, finding.message)


def _block(group: list[Finding], colour: bool) -> str:
    first = group[0]
    head = f"{first.level} {identity(first)}"
    if first.outcome == "undetermined":
        head += " (undetermined)"
    if len(group) > 1:
        head += f", {len(group)} times"
    lines = [_styled(head, colour, COLOURS[first.level])]
    one_message = len({finding.message for finding in group}) == 1
    lines += wrapped(first.message if one_message else _alike(first), "  ")
    facts = _facts(group)
    if facts and first.rule != EVIDENCE_RULE:  # whose message says what is recorded
        lines += wrapped(f"recorded: {facts}", "  ", "    ")
    if first.fix:
        lines += wrapped(f"fix: {first.fix}", "  ", "    ")
    if first.clauses:
        lines += wrapped(f"clauses that depend on it: {', '.join(first.clauses)}", "  ", "    ")
    if first.rule == EVIDENCE_RULE and len(group) == 1:
        for place in first.evidence:
            file = place.file.removeprefix(f"{first.path}/")  # `at` names the folder
            lines += broken("  read: ", " in ".join(filter(None, (place.field, file))))
    if first.clause_line is not None:
        lines += wrapped(f"see Rules.md line {first.clause_line}", "  ")
    paths = list(dict.fromkeys(finding.path for finding in group))
    shown = len(paths) if first.level == "error" or len(paths) <= PLACES + 1 else PLACES
    for path in paths[:shown]:
        lines += broken("  at ", path or ".")
    if len(paths) > shown:
        lines.append(f"  and at {len(paths) - shown} more, in --format json")
    return "\n".join(lines)


def _facts(group: list[Finding]) -> str:
    """The facts that all findings of the group share."""
    first = group[0].facts
    shared = {
        name: value
        for name, value in first.items()
        if not isinstance(value, list) and all(finding.facts.get(name) == value for finding in group)
    }
    told = [f"{name} {_plain(value)}" for name, value in shared.items()]
    if len(told) > FACTS:
        told[FACTS:] = [f"and {len(told) - FACTS} more in --format json"]
    return ", ".join(told)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _closing(report: Report, colour: bool) -> Iterator[str]:
    """The summary, what was left out, and what to do next."""
    yield from wrapped(_earned(report), "")
    wholes = _counts(report.earned("workload"))
    if wholes:
        yield from wrapped(f"earned by workloads{_by(report)}: {wholes}", "")
    counts = ", ".join(counted(report.count(level), level) for level in reversed(LEVELS))
    summary = f"{counted(len(report.subjects), 'subject')}: {counts}"
    shade = "green" if report.clean else "red"
    yield from (_styled(text, colour, shade) for text in wrapped(summary, ""))
    for remark in report.remarks:
        yield from wrapped(remark, "")
    yield from skipped.lines(report.skipped or ())
    yield from wrapped(_next(report), "")


def _earned(report: Report) -> str:
    """What runs earned, and by what alone where that was not everything."""
    if report.judged is not None and not report.judged.complete:
        return f"earned by runs: {report.judged.basis()}"
    return f"earned by runs{_by(report)}: {_counts(report.earned()) or 'none'}"


def _by(report: Report) -> str:
    """What qualifies the categories that are earned."""
    basis = None if report.judged is None else report.judged.basis()
    return "" if basis is None else f", {basis}"


def _counts(earned: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {category}" for category, count in earned.items() if count)


def _whole(report: Report) -> bool:
    """Whether everything that is there was judged by everything that is stated."""
    judged = report.judged is None or report.judged.whole
    return (
        judged
        and not skipped.places(report.skipped or ())
        and all(one.basis is None for one in report.subjects)
    )


def _next(report: Report) -> str:
    errors = [finding for finding in report.findings if finding.level == "error"]
    if not errors:
        return f"Nothing {'' if _whole(report) else 'of what was judged '}has to be mended."
    if all(finding.outcome == "undetermined" for finding in errors):
        return "Next: supply the evidence that is missing or cannot be read, then validate again."
    if all(finding.rule == EVIDENCE_RULE for finding in errors):
        return "Next: settle what the evidence contradicts, then validate again."
    return "Next: mend the errors above, then validate again; --format json has the evidence of each."


def _styled(text: str, colour: bool, shade: str) -> str:
    return click.style(text, fg=shade, bold=True) if colour else text
