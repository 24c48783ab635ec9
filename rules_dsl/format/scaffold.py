"""A new clause: its place among the numbers of a document, and a text that compiles as it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt

from engine.runtime.ruleset import FactSpec
from rules_dsl.compile import Compiled, compile_text
from rules_dsl.format.document import breach_quote
from rules_dsl.format.table_columns import aligned
from rules_dsl.source.document import CLAUSE, ClauseBlock, Page
from rules_dsl.source.head import HEAD

Order = tuple[tuple[int, str], ...]
SAMPLES = {
    "bool": "yes",
    "integer": "1",
    "number": "1",
    "text": "some text",
    "path": "/some/folder",
    "time": "12:00:00",
    "any": "1",
}
"""A value of each type, for the case that passes."""
PROSE = "Say here, for people, what a run has to do and why."
SILENT = 'informative "say here why no program decides this clause"\n'


@dataclass(frozen=True, slots=True)
class Scaffold:
    """The clause's own text, and the whole document with it in its place."""

    text: str
    document: str


def is_clause(rule: str, name: str) -> bool:
    """Whether an id and a name are read as the beginning of a clause."""
    found = CLAUSE.match(f"{rule}. **{name}**")
    return found is not None and (found["id"], found["name"]) == (rule, name) and rule.isascii()


def order(rule: str) -> Order:
    """What ids are sorted by: number by number, a letter behind the number that it stands at."""
    parts = re.findall(r"\d+|[A-Za-z]+", rule)
    return tuple((int(p), "") if p.isdigit() else (-1, p) for p in parts)


def scaffold(compiled: Compiled, rule: str, name: str) -> Scaffold | None:
    """The new clause in a document that compiles; None when no text of ours compiles there."""
    page = compiled.page
    at, lead = _place(page, rule)
    for fact in [*_askable(compiled), None]:
        text = f"{lead}{rule}. **{name}** -- {PROSE}\n\n```rule\n{_statement(fact)}```\n"
        if fact is not None:
            text += f"\n```cases\n{_cases(fact)}```\n"
        tried = compile_text(_put(page.text, at, text), page.path)
        if tried.errors:
            continue
        clause = next((c for c in tried.program.clauses if c.rule == rule), None)
        if clause is None:  # it stands in a comment or code block that is never closed
            return None
        if clause.statements:
            text += f"\n{breach_quote(tried.program, clause)}\n"
        return Scaffold(text, _put(page.text, at, text))
    return None


def _askable(compiled: Compiled) -> list[FactSpec]:
    """Facts that a statement may ask for: recorded, single, and not one thing at launch and another later.

    A few are enough; the author puts what is meant in their place.
    """
    facts = compiled.program.facts.values()
    single = (f for f in facts if f.type in {*SAMPLES, "enum"} and f.package)
    return [f for f in single if f.launch is None or f.launch.constant is None][:3]


def _statement(fact: FactSpec | None) -> str:
    if fact is None:
        return SILENT
    return (
        f"error if {fact.name} is not recorded\n"
        f'  because "say here what is wrong; {{{fact.name}}} is put in"\n'
        '  fix "say here what to do next"\n'
    )


def _cases(fact: FactSpec) -> str:
    value = next(iter(fact.members)) if fact.members else SAMPLES[fact.type]
    return aligned(f"| {fact.name} | verdict |\n|-|-|\n| {value} | pass |\n| ? | INVALID |")


def _put(text: str, at: int, new: str) -> str:
    """A text with a paragraph put at a place, one blank line before and behind it."""
    before, after = text[:at].rstrip("\n"), text[at:].lstrip("\n")
    return (before + "\n\n" if before else "") + new + (f"\n{after}" if after else "")


def _place(page: Page, rule: str) -> tuple[int, str]:
    """Where a clause belongs, and the marks of a heading where its neighbour has them."""
    clauses = sorted(page.clauses, key=lambda c: order(c.rule))
    before = next((c for c in reversed(clauses) if order(c.rule) < order(rule)), None)
    after = next((c for c in clauses if order(c.rule) > order(rule)), None)
    parts = re.findall(r"[^.]+", rule)
    for depth in range(len(parts) - 1, 0, -1):
        if before is not None and _shares(before, parts, depth):
            return before.end, _marks(page, before)
        if after is not None and _shares(after, parts, depth):
            return _line(page.text, after), _marks(page, after)
        section = _section(page.text, ".".join(parts[:depth]))
        if section is not None:
            return section, _marks(page, before or after)
    if before is not None:
        return before.end, _marks(page, before)
    return (_line(page.text, after), _marks(page, after)) if after is not None else (len(page.text), "")


def _shares(clause: ClauseBlock, parts: list[str], depth: int) -> bool:
    """Whether a clause begins with the same numbers."""
    return re.findall(r"[^.]+", clause.rule)[:depth] == parts[:depth]


def _line(text: str, clause: ClauseBlock) -> int:
    return text.rfind("\n", 0, clause.span.start) + 1


def _marks(page: Page, clause: ClauseBlock | None) -> str:
    """The `### ` before a neighbour's id; the new clause is written in the same way."""
    if clause is None:
        return ""
    return page.text[_line(page.text, clause) : clause.span.start].lstrip()


def _section(text: str, number: str) -> int | None:
    """The end of what stands below the heading of a section, up to the next heading."""
    blank = HEAD.sub(lambda m: "\n" * m[0].count("\n"), text, count=1)
    tokens = MarkdownIt("commonmark").parse(blank)
    starts = [0, *(m.end() for m in re.finditer("\n", text)), len(text)]
    heads = [
        (t.map[0], tokens[i + 1].content) for i, t in enumerate(tokens) if t.type == "heading_open" and t.map
    ]
    for index, (_, title) in enumerate(heads):
        if re.match(rf"{re.escape(number)}\.?(?: |$)", title):
            return starts[heads[index + 1][0]] if index + 1 < len(heads) else len(text)
    return None
