"""Pass 1: the document's text -> its parts (head, clauses, fences, tables, breach quotes).

markdown-it finds fences and tables; every part is then sliced from the text itself, so that
its span stays true. Prose is never interpreted, apart from the published shape of a clause:
`4.3.5. **name** -- ...`.

Invariants of `Page`: parts are in the document's order; spans lie inside the text; a
fence belongs to the last clause before it, if no heading stands between.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from rules_dsl.diagnostics import Collector, Span, suggest
from rules_dsl.source.head import HEAD, Head, read_head
from rules_dsl.source.table_rows import is_rule_line, split_row

CLAUSE = re.compile(
    r"^[ ]{0,3}(?:\#{1,6}[ ]+)?"
    r"(?P<id>\d+(?:\.\d+)+(?:\.?[a-z])?|[A-Z]{2,5}-\d\d)\.?[ ]+\*\*(?P<name>[A-Za-z]\w*)\*\*",
    re.MULTILINE,
)
CAPTION = re.compile(r"^[ ]{0,3}\*\*(Table \d+[a-z]?)\b", re.MULTILINE)
FENCES = ("rule", "cases", "facts", "documents", "define", "section", "check", "divisions")
QUOTE = re.compile(r"^ {0,3}>[ \t]*Breach[^:\n]*:.*\n?(?:^ {0,3}>.*\n?)*", re.MULTILINE)
NUMBER = re.compile(r"(\d+(?:\.\d+)*)\.? ", re.ASCII)
TABLE_COMMENT = re.compile(r"<!--\s*table:\s*(?P<spec>.*?)\s*-->")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block in the rule language; `body` is the span of what stands inside."""

    kind: str
    opening: Span
    body: Span
    clause: str | None
    section: str | None


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A Markdown table named by the comment before it. Cells are spans, stripped."""

    name: str
    axis: str  # columns or rows
    key: str  # the enumeration or `text` that the key is of
    options: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Span, ...], ...]  # header first
    span: Span


@dataclass(frozen=True, slots=True)
class ClauseBlock:
    """A numbered clause: where its id stands and where its text ends."""

    rule: str
    name: str
    span: Span
    end: int
    breach: Span | None  # the whole quoted paragraph, if there is one
    section: str


@dataclass(frozen=True, slots=True)
class Page:
    """Everything of the document that the compiler reads."""

    path: str
    text: str
    head: Head
    clauses: tuple[ClauseBlock, ...]
    fences: tuple[Fence, ...]
    tables: tuple[TableBlock, ...]
    captions: tuple[Span, ...] = ()  # `Table 2` of `**Table 2.** ...`, outside of code
    numbered: tuple[tuple[int, str], ...] = ()  # where a numbered heading stands, and its number
    _owned: dict[tuple[str, str], list[Fence]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        owned: dict[tuple[str, str], list[Fence]] = {}
        for fence in self.fences:
            owned.setdefault((fence.clause or "", fence.kind), []).append(fence)
        object.__setattr__(self, "_owned", owned)

    def of(self, rule: str, kind: str) -> list[Fence]:
        """The fences of one kind that belong to one clause."""
        return list(self._owned.get((rule, kind), ()))


def line_ends(text: str) -> str:
    """The text with newlines as line ends: Markdown ends a line at any of them, and so do places in it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_source(text: str, path: str, collect: Collector) -> Page:
    """Split a document. Line ends are newlines; the caller folds others."""
    head = read_head(text, collect)
    lines = _line_starts(text)
    tokens = (
        MarkdownIt("commonmark")
        .enable("table")
        .parse(HEAD.sub(lambda m: "\n" * m[0].count("\n"), text, count=1))
    )
    covered = _covered(text, tokens, lines)
    titles = [
        (lines[t.map[0]], t.tag, inline.content)
        for t, inline in pairwise(tokens)
        if t.type == "heading_open" and t.map
    ]
    headings = [at for at, _, content in titles if not CLAUSE.match(content)]
    numbers = [
        (at, m[1]) for at, tag, name in titles if tag in {"h1", "h2"} and (m := re.match(r"(\d+)\. ", name))
    ]
    hidden = sorted(covered)
    marks = [m for m in CLAUSE.finditer(text) if not _within(m.start(), hidden)]
    clauses, again = _clauses(text, marks, headings, hidden, collect)
    begun = [c.span.start for c in clauses]
    fences: list[Fence] = []
    tables: list[TableBlock] = []
    for index, token in enumerate(tokens):
        if token.map is None:
            continue
        start = lines[token.map[0]]
        if token.type == "fence" and _is_ours(token, text, start, collect):
            if any(span.start <= start < span.end for span in again):
                continue  # of a clause whose number is taken, which is told
            before = bisect_right(begun, start)
            owner = clauses[before - 1] if before and start < clauses[before - 1].end else None
            above = bisect_left(numbers, (start, ""))
            section = numbers[above - 1][1] if above else None
            opening, body = _fence_spans(token, text, lines, collect)
            fences.append(Fence(token.info.strip(), opening, body, owner.rule if owner else None, section))
        elif token.type == "html_block" and token.content.lstrip().startswith("<!-- table"):
            table = _named_table(text, tokens, index, lines, collect)
            if table is not None:
                tables.append(table)
    captions = tuple(
        Span(m.start(1), m.end(1))
        for m in CAPTION.finditer(text)
        if not any(a <= m.start() < b for a, b in covered)
    )
    numbered = tuple((at, m[1]) for at, _, name in titles if (m := NUMBER.match(name)))
    return Page(path, text, head, tuple(clauses), tuple(fences), tuple(tables), captions, numbered)


def _covered(text: str, tokens: list[Token], lines: list[int]) -> list[tuple[int, int]]:
    """Where code blocks and comments stand: what looks like a clause in them is none."""
    found = []
    for token in tokens:
        if token.map is None:
            continue
        start, end = lines[token.map[0]], lines[token.map[1]]
        comment = token.type == "html_block" and token.content.lstrip().startswith("<!--")
        if token.type in {"fence", "code_block"} or comment:
            found.append((start, end))
        for child in token.children or ():
            if child.type == "html_inline" and child.content.startswith("<!--"):
                at = text.find(child.content, start, end)
                found.append((at, at + len(child.content)))
    return found


def _within(at: int, covered: list[tuple[int, int]]) -> bool:
    """Whether a place lies in one of some ranges, which are sorted; comments lie in no code block."""
    before = bisect_right(covered, (at, len(covered) and covered[-1][1]))
    return before > 0 and at < covered[before - 1][1]


def _is_ours(token: Token, text: str, start: int, collect: Collector) -> bool:
    """Whether a fence is in the rule language; one that only nearly is, or cannot be read, is told."""
    kind = token.info.strip()
    at = text.find(kind, start)
    mark = Span(at, at + len(kind))
    if kind in FENCES and token.level:
        message = f"this `{kind}` fence stands in a list or a quote, where it is not read"
        collect.error("C012", message, mark, help="begin its lines at the margin")
    elif kind not in FENCES and _near(kind.split(" ")[0]):
        collect.error("C002", f"no fence is called `{kind}`", mark, help=suggest(kind, FENCES))
    return kind in FENCES and not token.level


def _near(word: str) -> bool:
    """Whether a fence's word is one of ours in other letters; `css` is not `cases`."""
    folded = word.lower()
    return any(
        sorted(folded) == sorted(name) or difflib.SequenceMatcher(None, folded, name).ratio() >= 0.8
        for name in FENCES
    )


def _fence_spans(token: Token, text: str, lines: list[int], collect: Collector) -> tuple[Span, Span]:
    """The opening line and the body of a fence; one that is never closed is told."""
    first, stop = token.map or (0, 0)
    opening = Span(lines[first], lines[first] + len(text[lines[first] : lines[first + 1]].rstrip()))
    last = text[lines[stop - 1] : lines[stop]].strip()
    if stop - first > 1 and last.startswith(token.markup) and not last.strip(token.markup[0]):
        return opening, Span(lines[first + 1], lines[stop - 1])
    collect.error("C013", f"this `{token.info.strip()}` fence is never closed", opening)
    return opening, Span(lines[first + 1], lines[stop])


def _named_table(
    text: str, tokens: list[Token], index: int, lines: list[int], collect: Collector
) -> TableBlock | None:
    """The table right below the comment that one token is."""
    token = tokens[index]
    first, stop = token.map or (0, 0)
    nearby = next((t for t in tokens[index + 1 : index + 2] if t.type == "table_open"), None)
    comment = TABLE_COMMENT.search(text, lines[first], lines[stop])
    if (
        comment is None
        or nearby is None
        or nearby.map is None
        or text[comment.end() : lines[nearby.map[0]]].strip()
    ):
        where = Span(lines[first], lines[first] + len(token.content.strip()))
        collect.error("C003", "this comment names a table, but no table stands right below it", where)
        return None
    return _table(text, comment, lines[nearby.map[0]], lines[nearby.map[1]], collect)


def _line_starts(text: str) -> list[int]:
    starts = [0, *(m.end() for m in re.finditer("\n", text))]
    return [*starts, len(text)]


def _clauses(
    text: str,
    marks: list[re.Match[str]],
    headings: list[int],
    covered: list[tuple[int, int]],
    collect: Collector,
) -> tuple[list[ClauseBlock], list[Span]]:
    """The clauses, and where the text of those stands whose number is taken already."""
    found: list[ClauseBlock] = []
    again: list[Span] = []
    seen: dict[str, Span] = {}
    for index, mark in enumerate(marks):
        span = Span(mark.start("id"), mark.end("id"))
        rule = mark["id"]
        after = headings[bisect_right(headings, mark.start()) :][:1]
        limits = [marks[index + 1].start() if index + 1 < len(marks) else len(text), *after]
        end = min(limits)
        if rule in seen:
            collect.error("C004", f"clause {rule} stands twice", span, second=(seen[rule], "first here"))
            again.append(Span(mark.start(), end))
            continue
        if not rule.isascii():  # Python and a reader take one digit for the other
            collect.error("C017", f"the id {rule} is not written in the digits 0 to 9", span)
        seen[rule] = span
        breach = _breach(text, Span(mark.start(), end), rule, covered, collect)
        section = rule.split(".")[0] if rule[0].isdigit() else ""
        found.append(ClauseBlock(rule, mark["name"], span, end, breach, section))
    return found, again


def _breach(
    text: str, clause: Span, rule: str, covered: list[tuple[int, int]], collect: Collector
) -> Span | None:
    """The quoted sentences of a clause: one paragraph, or several with nothing between."""
    found: Span | None = None
    for quote in QUOTE.finditer(text, clause.start, clause.end):
        if _within(quote.start(), covered):
            continue
        here = Span(quote.start(), quote.start() + len(quote[0].rstrip("\n")))
        if found is None:
            found = here
        elif not text[found.end : here.start].strip():
            found = Span(found.start, here.end)
        else:
            message = f"clause {rule} has breach sentences in two places"
            collect.error("C014", message, here, second=(found, "first here"), help="remove one")
    return found


def cell_text(text: str, cell: Span) -> str:
    """What a cell says: an escaped bar is a bar."""
    return text[cell.start : cell.end].replace("\\|", "|")


def table_rows(text: str, start: int, end: int) -> list[list[Span]]:
    """The rows of a Markdown table between two offsets, header first, the rule line below it left out."""
    rows: list[list[Span]] = []
    ruled = False
    at = start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        line = text[at:stop]
        if len(rows) == 1 and not ruled and is_rule_line(line):
            ruled = True
        elif line.strip():
            rows.append(split_row(text, at, stop))
        at = stop + 1
    return rows


def _table(text: str, comment: re.Match[str], start: int, end: int, collect: Collector) -> TableBlock | None:
    spec = comment["spec"]
    span = Span(comment.start("spec"), comment.end("spec"))
    shape = re.fullmatch(r"(\w+) key=(columns|rows)\((\w+)\)((?: \w+\([^)]*\))*)", spec)
    if shape is None:
        collect.error(
            "C003",
            "a table's comment reads `table: NAME key=columns(FACT)` or `key=rows(FACT)`, then units(...)",
            span,
        )
        return None
    options = tuple((m[1], m[2]) for m in re.finditer(r"(\w+)\(([^)]*)\)", shape[4]))
    rows = tuple(tuple(row) for row in table_rows(text, start, end))
    return TableBlock(shape[1], shape[2], shape[3], options, rows, span)
