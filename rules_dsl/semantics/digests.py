"""Digests of the two halves of a clause: its prose and its statement. Blanks do not change them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace

from rules_dsl import ir
from rules_dsl.source.document import FENCES, ClauseBlock, Page

TOKEN = re.compile(r'"[^"\n]*"|\d+|\w+|[^\s\w]')
"""A number ends where its unit begins, with a blank between them or not."""
COMMENT = re.compile(r'("[^"\n]*")|#[^\n]*')


def digested(page: Page, block: ClauseBlock, clause: ir.Clause) -> ir.Clause:
    """The clause with digests of its prose and of its statement, which blanks do not change."""
    prose, statement = _digest(_prose(page, block)), _digest(_statement(page, clause))
    return replace(clause, prose_digest=prose, statement_digest=statement)


Digests = Mapping[str, Mapping[str, object]]
"""clause -> half (prose, statement) -> digest"""


def digests(program: ir.Program) -> Digests:
    """The digests of each clause of a program."""
    return {c.rule: {"prose": c.prose_digest, "statement": c.statement_digest} for c in program.clauses}


def _prose(page: Page, block: ClauseBlock) -> str:
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


def _statement(page: Page, clause: ir.Clause) -> str:
    """What a clause states, in its own words: a message is no part of it, nor is a fact's wording."""
    if clause.kind != "decidable":
        return f"{clause.kind} {clause.why}"
    said = (page.text[s.span.start : s.condition.span.end] for s in clause.statements)
    return "\n".join(" ".join(TOKEN.findall(COMMENT.sub(r"\1", text))) for text in said)


def _digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()
