"""No cell of a named table stands alone: every one-cell change breaks a case or a check."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from rules_dsl.compile import compile_text, read_tables, read_text
from rules_dsl.diagnostics import Collector, Span
from rules_dsl.source.document import Fence, TableBlock, read_source
from rules_dsl.verify.cases import check_cases
from rules_dsl.verify.table_checks import check_tables
from tests.command import ROOT

TEXT = read_text(ROOT / "Rules.md")
WHOLE = compile_text(TEXT, "Rules.md")
BLOCKS = {block.name: block for block in WHOLE.page.tables}
SWAPPED = {"yes": ["no"], "no": ["yes"], "Invalid": ["114 GB", "105 GB"], "-": ["4", "yes"]}


def noticed(text: str) -> bool:
    """Whether the document does not compile, or a check or a case of it breaks."""
    compiled = compile_text(text, "Doc.md")
    collect = Collector()
    parts = (compiled.page, compiled.vocabulary, compiled.program, collect)
    return bool(
        compiled.errors
        or (check_tables(*parts) and collect.errors)
        or (check_cases(*parts) and collect.errors)
    )


def noticed_alone(name: str, cell: Span, new: str) -> bool:
    """Whether the checks that speak of one table alone break: most changes need no more, and it is quick."""
    start = TEXT.rindex("<!-- table", 0, BLOCKS[name].rows[0][0].start)
    snippet = TEXT[start : cell.start] + new + TEXT[cell.end : BLOCKS[name].rows[-1][-1].end] + " |\n"
    collect = Collector()
    table = read_tables(read_source(snippet, "Table.md", collect), collect).get(name)
    if table is None or collect.errors:
        return True
    tables = {**WHOLE.vocabulary.tables, name: table}
    fences = tuple(f for f in WHOLE.page.fences if f.kind == "check" and not re.search(r"\ba run\b", body(f)))
    check_tables(
        replace(WHOLE.page, fences=tuple(f for f in fences if re.search(rf"\b{name}\b", body(f)))),
        replace(WHOLE.vocabulary, tables=tables),
        replace(WHOLE.program, tables={n: t.cells for n, t in tables.items()}),
        collect,
    )
    return bool(collect.errors)


def body(fence: Fence) -> str:
    return TEXT[fence.body.start : fence.body.end]


def words(cell: Span) -> str:
    return TEXT[cell.start : cell.end]


def changes(old: str, others: list[str]) -> Iterator[str]:
    """What a cell could say instead; `others` are the cells that hold the same kind of thing."""
    for number in re.finditer(r"\d+", old):
        for step in (1, -1):
            new = str(max(0, int(number[0]) + step)).zfill(len(number[0]))
            yield old[: number.start()] + new + old[number.end() :]
    yield from SWAPPED.get(old, ["Invalid"])
    if old in {"-", "Invalid"}:
        return
    yield next((other for other in others if other != old), old + "x")
    yield f"{old[:-1]}x`" if old.endswith("`") else f"{old}x"
    if any(", " in other for other in others):  # sets
        parts = old.split(", ")
        yield from (", ".join(p for p in parts if p != gone) for gone in parts)
        yield from (f"{old}, {p}" for p in sorted({p for o in others for p in o.split(", ")} - set(parts)))


def cells(block: TableBlock) -> Iterator[tuple[Span, list[str]]]:
    """Every cell that is read, its row's and column's names too, and its kin. The corner names nothing."""
    header, *body = block.rows
    yield from ((head, [words(h) for h in header[1:]]) for head in header[1:])
    yield from ((row[0], [words(r[0]) for r in body]) for row in body)
    for row in body:
        for column, cell in enumerate(row[1:], 1):
            kin = row[1:] if block.axis == "columns" else [r[column] for r in body]
            yield cell, [words(k) for k in kin]


@pytest.mark.slow
@pytest.mark.parametrize("name", BLOCKS)
def test_every_changed_cell_is_noticed(name: str) -> None:
    tried, unnoticed = 0, []
    for cell, kin in cells(BLOCKS[name]):
        for new in dict.fromkeys(changes(words(cell), kin)):
            if new == words(cell):
                continue
            tried += 1
            if not noticed_alone(name, cell, new) and not noticed(
                TEXT[: cell.start] + new + TEXT[cell.end :]
            ):
                unnoticed.append((words(cell), new))
    assert unnoticed == []
    assert tried > 3 * sum(len(row) - 1 for row in BLOCKS[name].rows[1:])
