"""IR -> `manifest.json`: what tools ask of a rule set, and one clause as `rules` lists it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import engine
from engine.rulesets import module_digest
from engine.runtime import ruleset
from rules_dsl import ir
from rules_dsl.compile import PASSES


def emit_manifest(program: ir.Program, document: str, modules: Mapping[str, str]) -> str:
    """What tools ask of a rule set, as JSON; by the digests of its `modules` a changed one is found."""
    data = {
        "schema": "clausegate/manifest/1",
        "generator": {"name": "clausegate", "version": engine.__version__},
        "document": {
            "name": document,
            "title": program.title,
            "edition": program.edition,
            "complete": program.complete,
            "absent": list(program.absent),
            "digest": program.digest,
        },
        "passes": list(PASSES),
        "modules": {name: module_digest(text.encode()) for name, text in modules.items()},
        "clauses": [
            {**rule_entry(c), "digests": {"prose": c.prose_digest, "statement": c.statement_digest}}
            for c in program.clauses
        ],
        "facts": [
            {
                "name": f.name,
                "type": f.type,
                "unit": f.unit,
                "scope": f.scope,
                "meaning": f.meaning,
                "launch": launch_text(f.launch),
                "package": [s.text for s in f.package],
                "line": f.line,
            }
            for f in program.facts.values()
        ],
        "derived": [
            {"name": d.name, "scope": d.scope, "line": d.line, "facts": list(d.facts)}
            for d in program.defines
        ],
    }
    shown = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    return shown.encode("utf-8", "backslashreplace").decode()  # a file name may hold half characters


def launch_text(launch: ruleset.Launch | None) -> str | None:
    """How a fact is known at launch, in a word."""
    if launch is None:
        return None
    return launch.option or next(f"{k}:{v}" for k, v in _ways(launch) if v is not None)


def _ways(launch: ruleset.Launch) -> Iterable[tuple[str, str | None]]:
    return (
        ("argument", launch.argument),
        ("probe", launch.probe),
        ("derived", launch.derived),
        ("constant", launch.constant),
    )


def rule_entry(clause: ir.Clause) -> dict[str, object]:
    """One clause as `rules --format json` and the manifest show it."""
    return {
        "id": clause.rule,
        "name": clause.name,
        "kind": clause.kind,
        "scope": list(clause.scopes),
        "stage": clause.stage if clause.kind == "decidable" else None,
        "facts": sorted({f for s in clause.statements for f in s.facts}),
        "line": clause.line,
        "why": clause.why or None,
        "breach": [s.breach for s in clause.statements],
    }
