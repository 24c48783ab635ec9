"""The report for programs: the published schema, one finding a subject, keys in its order."""

from __future__ import annotations

import json
from typing import Any

from engine.verdict.findings import Report


def render(report: Report) -> str:
    """The report as a JSON document without a closing newline."""
    return document(report.as_json())


def document(content: Any) -> str:
    """JSON as every command prints it. ASCII, since paths may hold what is no character."""
    return json.dumps(content, indent=2, ensure_ascii=True, allow_nan=False)
