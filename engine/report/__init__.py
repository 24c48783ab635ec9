"""Reports of findings: one module a format, and what the formats for terminals share.

May import verdict and what lies below it; the command line imports it. It never judges: what it prints
stands in the findings.
"""

from __future__ import annotations

from engine.verdict.findings import EVIDENCE_RULE, Finding


def printable(text: str) -> str:
    """The text as one line without control characters: recorded values may hold anything."""
    folded = " ".join(text.split())
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in folded
    )


def identity(finding: Finding) -> str:
    """What the field's tools print between brackets: `4.6.1 checkpointClosedMpiProcesses`."""
    return printable(f"{finding.rule} {finding.name}")


__all__ = ["EVIDENCE_RULE", "identity", "printable"]
