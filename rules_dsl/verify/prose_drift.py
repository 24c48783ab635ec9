"""Prose and statement of a clause change together: a note where only one of them did since the last build.

What they were then is in the manifest beside the document, as digests. No manifest, or one of
another document, says nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rules_dsl import ir
from rules_dsl.diagnostics import Collector, Diagnostic, Span
from rules_dsl.source.document import FENCES, ClauseBlock, Document

TOKEN = re.compile(r'"[^"\n]*"|\d+|\w+|[^\s\w]')
"""A number ends where its unit begins, with a blank between them or not."""
COMMENT = re.compile(r'("[^"\n]*")|#[^\n]*')
HELP = "read one against the other; `clausegate build` takes them as they are"


def digested(page: Document, block: ClauseBlock, clause: ir.Clause) -> ir.Clause:
    """The clause with digests of its prose and of its statement, which blanks do not change."""
    prose, statement = _digest(_prose(page, block)), _digest(_statement(page, clause))
    return replace(clause, prose_digest=prose, statement_digest=statement)


Digests = Mapping[str, Mapping[str, object]]
"""clause -> half (prose, statement) -> digest"""


def digests(program: ir.Program) -> Digests:
    """The digests of each clause of a program."""
    return {c.rule: {"prose": c.prose_digest, "statement": c.statement_digest} for c in program.clauses}


def check_drift(
    page: Document, program: ir.Program, errors: Sequence[Diagnostic], built: Digests, collect: Collector
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


def _prose(page: Document, block: ClauseBlock) -> str:
    """The words above a clause's statement and below its breach sentence.

    What stands between them introduces the cases.
    """
    start = page.text.rfind("\n", 0, block.span.start) + 1
    fences = [f for kind in FENCES for f in page.of(block.rule, kind)]
    above = next((f.opening.start for f in fences if f.kind == "rule"), block.end)
    last = max((_closed(page.text, f.body.end) for f in fences), default=above)
    below = max(last, block.breach.end if block.breach is not None else above)
    return f"{page.text[start:above]} {page.text[below : block.end]}"


def _closed(text: str, at: int) -> int:
    """The end of the line that closes a fence."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _statement(page: Document, clause: ir.Clause) -> str:
    """What a clause states, in its own words: a message is no part of it, nor is a fact's wording."""
    if clause.kind != "decidable":
        return f"{clause.kind} {clause.why}"
    said = (page.text[s.span.start : s.condition.span.end] for s in clause.statements)
    return "\n".join(" ".join(TOKEN.findall(COMMENT.sub(r"\1", text))) for text in said)


def _digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()


def built_digests(manifest: Path, document: str) -> Digests:
    """The digests by clause of the last build of a document; none when it cannot be told."""
    try:
        data = json.loads(manifest.read_text(encoding="utf-8"))
        if data["document"]["name"] != document:
            return {}
        return {clause["id"]: dict(clause["digests"]) for clause in data["clauses"]}
    except (OSError, ValueError, LookupError, TypeError):
        return {}
