"""An explanation as JSON: the same facts as the page, unworded, for tools."""

from __future__ import annotations

from collections.abc import Mapping

from rules_dsl.catalogue import Entry
from rules_dsl.explain.bounds import Bound
from rules_dsl.explain.clause import Explanation, FactEvidence, Stated, value_text

SCHEMA = "clausegate/explain/1"


def entry_data(entry: Entry, said: str) -> dict[str, object]:
    """One diagnostic."""
    return {
        "schema": SCHEMA,
        "code": entry.code,
        "title": entry.title,
        "family": entry.family,
        "about": entry.about,
        "bad": entry.bad,
        "said": said,
        "good": entry.good,
    }


def clause_data(found: Explanation, units: Mapping[str, str]) -> dict[str, object]:
    """One clause."""
    clause = found.clause
    return {
        "schema": SCHEMA,
        "document": found.document,
        "id": clause.rule,
        "name": clause.name,
        "line": clause.line,
        "kind": clause.kind,
        "why": clause.why or None,
        "stage": clause.stage if clause.kind == "decidable" else None,
        "prose": list(found.prose),
        "statements": [_stated(s) for s in found.stated],
        "bounds": [_bound(b, units) for b in found.bounds],
        "derived": [{"name": d.name, "text": d.text, "line": d.line} for d in found.derived],
        "facts": [_evidence(e) for e in found.evidence],
        "functions": [{"file": f.file, "name": f.name, "line": f.line} for f in found.functions],
        "cases": [
            {"line": e.line, "rows": [dict(row) for row in e.rows], "verdict": e.verdict}
            for e in found.examples
        ],
        "checks": [{"line": c.line, "text": c.text} for c in found.checks],
    }


def _stated(stated: Stated) -> dict[str, object]:
    statement = stated.statement
    return {
        "number": statement.number,
        "line": statement.line,
        "text": stated.text,
        "level": statement.level,
        "category": statement.category,
        "scope": statement.scope,
        "stage": statement.stage,
        "since": statement.since,
        "until": statement.until,
        "breach": stated.breach,
        "columns": [
            {"label": c.label, "answers": [a.label for a in c.answers]} for c in stated.table.columns
        ],
        "rows": [
            {
                "answers": [
                    None if numbers is None else [column.answers[n].label for n in sorted(numbers)]
                    for column, numbers in zip(stated.table.columns, row.answers, strict=True)
                ],
                "verdict": row.verdict,
            }
            for row in stated.table.rows
        ],
        "known_after_the_run": list(stated.late),
    }


def _bound(bound: Bound, units: Mapping[str, str]) -> dict[str, object]:
    return {
        "fact": bound.fact,
        "sides": [
            {"value": value_text(s.value, units.get(bound.column)), "verdict": s.verdict} for s in bound.sides
        ],
        "rest": {name: value_text(value, units.get(name)) for name, value in bound.rest},
    }


def _evidence(fact: FactEvidence) -> dict[str, object]:
    return {
        "name": fact.name,
        "meaning": fact.meaning,
        "type": fact.kind,
        "line": fact.line,
        "launch": fact.launch,
        "package": list(fact.package),
        "agree": fact.agree,
        "missing": [{"until": edition, "level": level} for edition, level in fact.missing],
        "no_source": fact.no_source,
        "conflict": fact.conflict,
        "plausible": fact.plausible,
    }
