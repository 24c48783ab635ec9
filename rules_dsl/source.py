"""Pass 1: the document's text -> its parts (head, clauses, fences, tables, breach quotes).

markdown-it finds fences and tables; every part is then sliced from the text itself, so that
its span stays true. Prose is never interpreted, apart from the published shape of a clause:
`4.3.5. **name** -- ...`.

Invariants of `Document`: parts are in the document's order; spans lie inside the text; a
fence belongs to the last clause before it, if no heading stands between.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import yaml
from markdown_it import MarkdownIt

from rules_dsl.diagnostics import Collector, Span, suggest

CLAUSE = re.compile(
    r"^[ ]{0,3}(?:\#{1,6}[ ]+)?"
    r"(?P<id>\d+(?:\.\d+)+[a-z]?|[A-Z]{2,5}-\d\d)\.?[ ]+\*\*(?P<name>[A-Za-z]\w*)\*\*",
    re.MULTILINE,
)
FENCES = ("rule", "cases", "facts", "documents", "define", "section")
RESERVED = "check"
"""A fence that other versions of the language run; leaving it unread would pass it silently."""
TABLE_COMMENT = re.compile(r"<!--\s*table:\s*(?P<spec>.*?)\s*-->")
HEAD = re.compile(r"\A---\n(?P<body>.*?)^---\n", re.DOTALL | re.MULTILINE)
HEAD_KEYS = ("title", "edition", "editions", "complete")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block in the rule language; `body` is the span of what stands inside."""

    kind: str
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
class Head:
    """The document's front matter."""

    title: str
    edition: str
    editions: tuple[str, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Document:
    """Everything of the document that the compiler reads."""

    path: str
    text: str
    head: Head
    clauses: tuple[ClauseBlock, ...]
    fences: tuple[Fence, ...]
    tables: tuple[TableBlock, ...]

    def of(self, rule: str, kind: str) -> list[Fence]:
        """The fences of one kind that belong to one clause."""
        return [f for f in self.fences if f.clause == rule and f.kind == kind]


def read_source(text: str, path: str, collect: Collector) -> Document:
    """Split a document. Line ends are newlines; the caller folds others."""
    head = _head(text, collect)
    lines = _line_starts(text)
    tokens = (
        MarkdownIt("commonmark")
        .enable("table")
        .parse(HEAD.sub(lambda m: "\n" * m[0].count("\n"), text, count=1))
    )
    covered = [
        (lines[t.map[0]], lines[t.map[1]]) for t in tokens if t.type in {"fence", "code_block"} and t.map
    ]
    headings = [
        lines[t.map[0]]
        for t, inline in pairwise(tokens)
        if t.type == "heading_open" and t.map and not CLAUSE.match(inline.content)
    ]
    marks = [m for m in CLAUSE.finditer(text) if not any(a <= m.start() < b for a, b in covered)]
    clauses = _clauses(text, marks, headings, covered, collect)
    fences: list[Fence] = []
    tables: list[TableBlock] = []
    for index, token in enumerate(tokens):
        if token.map is None:
            continue
        start = lines[token.map[0]]
        owner = next((c for c in clauses if c.span.start <= start < c.end), None)
        if token.type == "fence" and token.level == 0:
            kind = token.info.strip()
            if kind in FENCES:
                body = Span(lines[token.map[0] + 1], lines[token.map[1] - 1])
                fences.append(Fence(kind, body, owner.rule if owner else None, _section_at(text, start)))
            elif kind == RESERVED or suggest(kind.split(" ")[0], FENCES).startswith("did you"):
                mark = Span(start + 3, start + 3 + len(kind))
                collect.error("C002", f"no fence is called `{kind}`", mark, help=suggest(kind, FENCES))
        elif token.type == "html_block" and token.content.lstrip().startswith("<!-- table"):
            nearby = next((t for t in tokens[index + 1 :] if t.type == "table_open"), None)
            comment = TABLE_COMMENT.search(text, start, lines[token.map[1]])
            if (
                comment is None
                or nearby is None
                or nearby.map is None
                or text[comment.end() : lines[nearby.map[0]]].strip()
            ):
                where = Span(start, start + len(token.content.strip()))
                collect.error("C003", "this comment names a table, but no table stands right below it", where)
                continue
            table = _table(text, comment, lines[nearby.map[0]], lines[nearby.map[1]], collect)
            if table is not None:
                tables.append(table)
    return Document(path, text, head, tuple(clauses), tuple(fences), tuple(tables))


def _line_starts(text: str) -> list[int]:
    starts = [0, *(m.end() for m in re.finditer("\n", text))]
    return [*starts, len(text)]


def _section_at(text: str, offset: int) -> str | None:
    """The number of the top section that a place lies in, from its `# N.` heading."""
    found = re.findall(r"^#{1,2} (\d+)\. ", text[:offset], re.MULTILINE)
    return found[-1] if found else None


def _head(text: str, collect: Collector) -> Head:
    match = HEAD.match(text)
    data: dict[str, object] = {}
    if match is not None:
        span = Span(match.start("body"), match.end("body"))
        try:
            loaded = yaml.load(match["body"], Loader=yaml.BaseLoader)  # noqa: S506  # BaseLoader makes texts only
        except yaml.YAMLError as error:
            collect.error("C001", f"the document's head is no YAML: {error}", span)
            loaded = {}
        data = loaded if isinstance(loaded, dict) else {}
        for key in data:
            if key not in HEAD_KEYS:
                at = text.find(str(key), span.start)
                collect.error(
                    "C001",
                    f"the head has no key `{key}`",
                    Span(at, at + len(str(key))),
                    help=suggest(str(key), HEAD_KEYS),
                )
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    edition = str(data.get("edition", "0"))
    editions = data.get("editions")
    known = tuple(str(e) for e in editions) if isinstance(editions, list) else (edition,)
    if edition not in known and match is not None:
        collect.error(
            "C001",
            f"edition {edition} is not among the editions",
            Span(match.start("body"), match.end("body")),
        )
    complete = str(data.get("complete", "yes"))
    if complete not in {"yes", "no"} and match is not None:
        collect.error("C001", "complete is yes or no", Span(match.start("body"), match.end("body")))
    return Head(
        str(data.get("title") or (title[1] if title else "untitled")), edition, known, complete == "yes"
    )


def _clauses(
    text: str,
    marks: list[re.Match[str]],
    headings: list[int],
    covered: list[tuple[int, int]],
    collect: Collector,
) -> list[ClauseBlock]:
    found: list[ClauseBlock] = []
    seen: dict[str, Span] = {}
    for index, mark in enumerate(marks):
        span = Span(mark.start("id"), mark.end("id"))
        rule = mark["id"]
        if rule in seen:
            collect.error("C004", f"clause {rule} stands twice", span, second=(seen[rule], "first here"))
            continue
        seen[rule] = span
        after = [h for h in headings if h > mark.start()]
        limits = [marks[index + 1].start() if index + 1 < len(marks) else len(text), *after[:1]]
        end = min(limits)
        breach = None
        for quote in re.finditer(
            r"^> Breach[^:\n]*:.*\n?(?:^>.*\n?)*", text[mark.start() : end], re.MULTILINE
        ):
            start = mark.start() + quote.start()
            if not any(a <= start < b for a, b in covered):
                breach = Span(start, start + len(quote[0].rstrip("\n")))
                break
        section = rule.split(".")[0] if rule[0].isdigit() else ""
        found.append(ClauseBlock(rule, mark["name"], span, end, breach, section))
    return found


def split_row(text: str, start: int, end: int) -> list[Span]:
    """The cells of one table line, stripped; an escaped bar does not part cells."""
    while start < end and text[start] in " \t":
        start += 1
    while end > start and text[end - 1] in " \t\n":
        end -= 1
    if start < end and text[start] == "|":
        start += 1
    if end > start and text[end - 1] == "|" and text[end - 2] != "\\":
        end -= 1
    cells: list[Span] = []
    begin = start
    for at in range(start, end + 1):
        if at == end or (text[at] == "|" and text[at - 1] != "\\"):
            left, right = begin, at
            while left < right and text[left] == " ":
                left += 1
            while right > left and text[right - 1] == " ":
                right -= 1
            cells.append(Span(left, right))
            begin = at + 1
    return cells


def table_rows(text: str, start: int, end: int) -> list[list[Span]]:
    """The rows of a Markdown table between two offsets, header first, the rule line left out."""
    rows = []
    at = start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        line = text[at:stop]
        if line.strip() and not re.fullmatch(r"[\s|:\-]+", line):
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
