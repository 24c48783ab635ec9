"""`fmt`: refreshes what the tool writes into the document: breach sentences and table alignment.

The author's words are never touched. Only the quoted `> Breach` lines below a clause and the
blanks inside `cases` tables are the tool's.
"""

from __future__ import annotations

import re

from rules_dsl.compile import Compiled
from rules_dsl.diagnostics import Collector, Span
from rules_dsl.english import sentence
from rules_dsl.ir import Clause
from rules_dsl.source import ClauseBlock, Document, Fence, split_row


def breach_quote(clause: Clause) -> str:
    """The quoted paragraph(s) of a clause: one line a statement."""
    return "\n>\n".join(f"> {sentence(statement)}" for statement in clause.statements)


def check_breaches(compiled: Compiled, collect: Collector) -> None:
    """An error for every clause whose quoted sentence is not the rendered one."""
    blocks = {block.rule: block for block in compiled.page.clauses}
    for clause in compiled.program.clauses:
        block = blocks[clause.rule]
        if any(block.span.start <= d.span.start < block.end for d in compiled.errors):
            continue  # it did not compile, which is told already
        wanted = breach_quote(clause) if clause.kind == "decidable" else ""
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
    """The document with fresh breach sentences and aligned cases tables."""
    page = compiled.page
    edits: list[tuple[Span, str]] = []
    blocks = {block.rule: block for block in page.clauses}
    for clause in compiled.program.clauses:
        block = blocks[clause.rule]
        quote = breach_quote(clause) if clause.kind == "decidable" else ""
        if clause.kind == "decidable" and not clause.statements:
            continue
        if block.breach is not None:
            if _folded(page.text[block.breach.start : block.breach.end]) != _folded(quote):
                edits.append((block.breach, quote))
        elif quote:
            at = _after_fences(page, block)
            lead = "\n" if page.text[:at].endswith("\n") else "\n\n"
            edits.append((Span(at, at), f"{lead}{quote}\n"))
    edits += [(fence.body, _aligned(page, fence)) for fence in page.fences if fence.kind == "cases"]
    text = page.text
    for span, new in sorted(edits, key=lambda e: e[0].start, reverse=True):
        text = text[: span.start] + new + text[span.end :]
    return text


def _after_fences(page: Document, block: ClauseBlock) -> int:
    """Right behind the clause's last rule or cases fence, its closing line included."""
    last = max(f.body.end for f in page.fences if f.clause == block.rule and f.kind in {"rule", "cases"})
    end = page.text.find("\n", last)
    return len(page.text) if end < 0 else end + 1


def _aligned(page: Document, fence: Fence) -> str:
    """A cases table with columns of one width."""
    text = page.text
    lines = [line for line in text[fence.body.start : fence.body.end].split("\n") if line.strip()]
    at = fence.body.start
    rows: list[list[str] | None] = []
    for line in lines:
        at = text.index(line, at)
        rule = re.fullmatch(r"[\s|:\-]+", line) is not None
        rows.append(None if rule else [text[c.start : c.end] for c in split_row(text, at, at + len(line))])
        at += len(line)
    widths: dict[int, int] = {}
    for row in rows:
        for index, cell in enumerate(row or ()):
            widths[index] = max(widths.get(index, 3), len(cell))
    out = []
    for row in rows:
        if row is None:
            out.append("|" + "|".join("-" * (w + 2) for w in widths.values()) + "|")
        else:
            out.append("| " + " | ".join(cell.ljust(widths[i]) for i, cell in enumerate(row)) + " |")
    return "\n".join(out) + "\n"
