"""The report in the field's own form: `[LEVEL] [id name] path: message`, one line a finding.

Scripts and earlier tools read this form, so nothing else is printed and a message never breaks
its line.
"""

from __future__ import annotations

from engine.report import identity, printable
from engine.verdict.findings import Finding, Report


def render(report: Report) -> str:
    """One line a finding, in the report's order."""
    return "\n".join(line(finding) for finding in report.findings)


def line(finding: Finding) -> str:
    """The line of one finding."""
    path = printable(finding.path) or "."
    return f"[{finding.level.upper()}] [{identity(finding)}] {path}: {printable(finding.message)}"
