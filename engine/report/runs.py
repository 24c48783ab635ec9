"""The table of runs for people: what each workload asked for and earned, and what costs it, worst first.

A workload earns no more than its runs, and may earn less; so its own verdict has a row, and is never
folded into what its runs earned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.report import printable
from engine.report.layout import WIDTH, broken, wrapped
from engine.verdict.category import ALL, INVALID, PACKAGE, UNDETERMINED
from engine.verdict.findings import EVIDENCE_RULE, Finding, Report, SubjectVerdict, natural

CLEAN_ROWS = 12
"""Rows without an error that are shown; every row with one is."""

TITLES = ("earned", "asked", "runs", "errors", "costs it", "workload")
NUMBERS = ("runs", "errors")


class Row(NamedTuple):
    """One workload, or a run whose workload is not in view."""

    subject: SubjectVerdict
    runs: int
    errors: tuple[Finding, ...]

    @property
    def costs(self) -> str:
        """The first clause that costs what was asked for: by what is certain, else by what is not known."""
        wanted = "undetermined" if self.subject.earned == UNDETERMINED else "violation"
        first = min(self.errors, key=lambda f: _weight(f, wanted), default=None)
        if first is None:
            return "-"
        return f"{first.rule} {first.name}" if first.rule == EVIDENCE_RULE else first.rule

    def badness(self) -> tuple[object, ...]:
        """Sorting key, worst first."""
        earned = self.subject.earned
        ranks = (
            earned == INVALID,
            earned == UNDETERMINED,
            self.subject.accepted is False,
            bool(self.errors),
            earned is not None,
        )
        return (ranks.index(True) if True in ranks else len(ranks), -len(self.errors), self.subject.path)


def _weight(finding: Finding, wanted: str) -> tuple[object, ...]:
    costly = {ALL: 0, PACKAGE: 2}.get(finding.category, 1)
    return (finding.outcome != wanted, costly, finding.rule == EVIDENCE_RULE, natural(finding.rule))


def rows(report: Report) -> list[Row]:
    """The rows of a report, worst first. What was not judged has none."""
    judged = [one for one in report.subjects if one.earned is not None or one.accepted is not None]
    advised = [one for one in report.subjects if one.earned is None and one.basis is None]
    counted = sorted({*judged, *advised}, key=lambda one: (one.path, one.scope))
    wholes = [one for one in counted if one.scope == "workload"]
    owners = {one.path for one in wholes}
    leaves = [one for one in counted if one.scope != "workload"]
    lone = [one for one in leaves if not any(_below(one.path, owner) for owner in _above(one.path, owners))]
    errors = [finding for finding in report.findings if finding.level == "error"]
    found = []
    for subject in (*wholes, *lone):
        mine = tuple(f for f in errors if f.path == subject.path or _below(f.path, subject.path))
        runs = sum(one.path == subject.path or _below(one.path, subject.path) for one in leaves)
        found.append(Row(subject, runs, mine))
    return sorted(found, key=Row.badness)


def _above(path: str, owners: set[str]) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        if path in owners:
            yield path


def _below(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/") or folder == "."


def lines(report: Report) -> Iterator[str]:
    """The table; nothing where nothing was judged."""
    listed = rows(report)
    if not listed:
        return
    mended = [row for row in listed if row.errors or row.subject.accepted is False]
    clean = [row for row in listed if row not in mended]
    shown = [*mended, *clean[:CLEAN_ROWS]]
    short, pattern = _shortened([printable(row.subject.path) for row in listed])
    names = dict(zip((row.subject for row in listed), short, strict=True))
    yield from wrapped(f"runs by workload, worst first{pattern}:", "", "  ")
    cells = [TITLES, *((*_cells(row), names[row.subject]) for row in shown)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(TITLES) - 1)]
    for line in cells:
        yield from _line(line, widths)
    if len(clean) > CLEAN_ROWS:
        yield f"  and {len(clean) - CLEAN_ROWS} more without an error, in --format json"
    basis = None if report.judged is None else report.judged.basis()
    if basis is not None:
        yield from wrapped(f"* {basis}", "  ", "    ")


def _cells(row: Row) -> tuple[str, ...]:
    subject = row.subject
    mark = "*" if subject.basis else ""
    return (
        f"{subject.earned or '-'}{mark}",
        printable(subject.requested or "?"),
        str(row.runs),
        str(len(row.errors)),
        printable(row.costs),
    )


def _line(cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    aligned = [
        cell.rjust(width) if title in NUMBERS else cell.ljust(width)
        for title, cell, width in zip(TITLES, cells, widths, strict=False)
    ]
    head = f"  {'  '.join(aligned)}  "
    if len(head) + 16 > WIDTH:
        yield head.rstrip()
        head = " " * 6
    yield from broken(head, cells[-1])


def _shortened(paths: list[str]) -> tuple[list[str], str]:
    """The paths without the steps that all share, and what stands for them."""
    steps = [path.split("/") for path in paths]
    if len(paths) < 2 or len({len(one) for one in steps}) > 1:
        return paths, ""
    differing = [at for at in range(len(steps[0])) if len({one[at] for one in steps}) > 1]
    if len(differing) in (0, len(steps[0])):
        return paths, ""
    pattern = "/".join("*" if at in differing else step for at, step in enumerate(steps[0]))
    return ["/".join(one[at] for at in differing) for one in steps], f", of {pattern}"
