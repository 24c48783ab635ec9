"""`fmt`: refreshes what is the tool's in a document: breach sentences, layout of fences and tables.

The author's words are never touched. Only the quoted `> Breach` lines below a clause, and the blanks
and line breaks of statements, cases and named tables are the tool's.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from rules_dsl.compile import Compiled
from rules_dsl.diagnostics import Collector, Span
from rules_dsl.english.sentence import sentence
from rules_dsl.format.fences import STARTS, laid_out
from rules_dsl.format.table_columns import aligned
from rules_dsl.ir import Clause, Program
from rules_dsl.source.document import ClauseBlock, Page, TableBlock


def breach_quote(program: Program, clause: Clause) -> str:
    """The quoted paragraph(s) of a clause: one line a statement."""
    return "\n>\n".join(f"> {sentence(program, statement)}" for statement in clause.statements)


def check_breaches(compiled: Compiled, collect: Collector) -> None:
    """An error for every clause whose quoted sentence is not the rendered one."""
    blocks = {block.rule: block for block in compiled.page.clauses}
    broken = sorted(d.span.start for d in compiled.errors)
    for clause in compiled.program.clauses:
        block = blocks[clause.rule]
        if bisect_left(broken, block.span.start) < bisect_left(broken, block.end):
            continue  # it did not compile, which is told already
        wanted = breach_quote(compiled.program, clause) if clause.kind == "decidable" else ""
        found = compiled.page.text[block.breach.start : block.breach.end] if block.breach else ""
        if _folded(found) == _folded(wanted):
            continue
        if block.breach is None:
            lead = quote_lines(wanted)[0]
            message = f"clause {clause.rule} has no breach sentence"
            collect.error("B001", message, block.span, help=f"`clausegate fmt` writes it: {lead}")
            continue
        span, fresh = _first_stale(compiled.page.text, block.breach, wanted)
        help_text = f"`clausegate fmt` writes it: {fresh}" if fresh else "`clausegate fmt` removes it"
        message = f"the breach sentence of {clause.rule} is not what its statement says"
        collect.error("B002", message, span, help=help_text)


def quote_lines(quote: str) -> list[str]:
    """The sentences of a quote, without its marks."""
    return [line.removeprefix(">").strip() for line in quote.split("\n") if line.removeprefix(">").strip()]


def _first_stale(text: str, quote: Span, wanted: str) -> tuple[Span, str]:
    """Where the first sentence stands that is not the rendered one, and what it ought to be."""
    fresh = quote_lines(wanted)
    at = quote.start
    index = 0
    for line in text[quote.start : quote.end].split("\n"):
        said = line.removeprefix(">").strip()
        if said and (index >= len(fresh) or said != fresh[index]):
            return Span(at, at + len(line)), fresh[index] if index < len(fresh) else ""
        index += bool(said)
        at += len(line) + 1
    return quote, fresh[index] if index < len(fresh) else ""


def _folded(text: str) -> str:
    return re.sub(r"\s*\n>[ \t]*(?=\S)", " ", text).strip()


def format_document(compiled: Compiled) -> str:
    """The document with fresh breach sentences, statements in canonical layout and aligned tables."""
    page = compiled.page
    edits: list[tuple[Span, str]] = []
    blocks = {block.rule: block for block in page.clauses}
    for clause in compiled.program.clauses:
        block = blocks[clause.rule]
        quote = breach_quote(compiled.program, clause) if clause.kind == "decidable" else ""
        if clause.kind == "decidable" and not clause.statements:
            continue
        if block.breach is not None:
            if _folded(page.text[block.breach.start : block.breach.end]) != _folded(quote):
                edits.append((block.breach, quote))
        elif quote:
            at = _after_fences(page, block)
            lead = "\n" if page.text[:at].endswith("\n") else "\n\n"
            edits.append((Span(at, at), f"{lead}{quote}\n"))
    for fence in page.fences:
        if fence.kind == "cases":
            edits.append((fence.body, aligned(page.text[fence.body.start : fence.body.end])))
        elif fence.kind in STARTS:
            edits.append((fence.body, laid_out(page.text, fence, compiled.vocabulary.prefixes)))
    for table in page.tables:
        lines = _whole_lines(page.text, table)
        edits.append((lines, aligned(page.text[lines.start : lines.end])))
    parts, at = [], 0
    for span, new in sorted(edits, key=lambda e: e[0].start):
        parts += [page.text[at : span.start], new]
        at = span.end
    return "".join([*parts, page.text[at:]])


def _after_fences(page: Page, block: ClauseBlock) -> int:
    """Right behind the clause's last rule or cases fence, its closing line included."""
    last = max(f.body.end for kind in ("rule", "cases") for f in page.of(block.rule, kind))
    end = page.text.find("\n", last)
    return len(page.text) if end < 0 else end + 1


def _whole_lines(text: str, table: TableBlock) -> Span:
    """The lines of a named table, the last line's end included."""
    end = text.find("\n", table.rows[-1][-1].end)
    return Span(text.rfind("\n", 0, table.rows[0][0].start) + 1, len(text) if end < 0 else end + 1)
