"""Prose and statement of a clause change together: a note where only one of them did since the last build.

What they were then is in the manifest beside the document, as digests. No manifest, or one of
another document, says nothing.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path

from rules_dsl import ir
from rules_dsl.diagnostics import Collector, Diagnostic, Span
from rules_dsl.semantics.digests import Digests, digests
from rules_dsl.source.document import Page

HELP = "read one against the other; `clausegate build` takes them as they are"


def check_drift(
    page: Page, program: ir.Program, errors: Sequence[Diagnostic], built: Digests, collect: Collector
) -> None:
    """A note for every clause of which one half changed since it was built, and not the other.

    One that did not compile, as `errors` say, is left out.
    """
    now = digests(program)
    told = sorted(d.span.start for d in errors)
    blocks = {block.rule: block for block in page.clauses}
    for clause in program.clauses:
        block = blocks[clause.rule]
        broken = bisect_left(told, block.span.start) < bisect_left(told, block.end)
        if broken or clause.rule not in built:
            continue
        changed = [
            half for half in now[clause.rule] if now[clause.rule][half] != built[clause.rule].get(half)
        ]
        if len(changed) != 1:
            continue
        fences = page.of(clause.rule, "rule")
        stated = Span(fences[0].body.start, fences[0].body.end - 1) if fences else block.span
        if changed == ["prose"]:
            message = f"the prose of {clause.rule} changed since it was built, its statement did not"
            collect.note("B004", message, block.span, second=(stated, "the statement"), help=HELP)
        else:
            message = f"the statement of {clause.rule} changed since it was built, its prose did not"
            collect.note("B005", message, stated, second=(block.span, "the prose"), help=HELP)


def built_digests(manifest: Path, document: str) -> Digests:
    """The digests by clause of the last build of a document; none when it cannot be told."""
    try:
        data = json.loads(manifest.read_text(encoding="utf-8"))
        if data["document"]["name"] != document:
            return {}
        return {clause["id"]: dict(clause["digests"]) for clause in data["clauses"]}
    except (OSError, ValueError, LookupError, TypeError):
        return {}
