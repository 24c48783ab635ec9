"""The document's tables as data: a named Markdown table -> key -> column -> cell.

Cells are numbers with units, names, yes/no, tuples such as `8x32x2` (one column each), sets
(where the comment says so) or `Invalid`, which is kept as no cell at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from engine.runtime.ruleset import Cell
from rules_dsl.diagnostics import Collector, Span, suggest
from rules_dsl.source.document import TableBlock, cell_text
from rules_dsl.units import DIGITS, UNITS

NUMBER = re.compile(r"(?P<number>-?\d[\d,]*(?:\.\d+)?)(?:\s*(?P<unit>[A-Za-z%]+))?")
OPTIONS = ("units", "sets")
NO_CELL = {"invalid", "-", ""}
NO_NUMBER = "write the number, or `Invalid` where there is none"
TIMES = re.compile(r"\s*[x\u00d7X]\s*")


@dataclass(frozen=True, slots=True)
class Column:
    """What the cells of one column are: number (with a unit), text, bool, set or any."""

    kind: str
    unit: str | None


@dataclass(frozen=True, slots=True)
class Table:
    """A table's data. `spans` says where each cell stands; an Invalid cell has only a span."""

    name: str
    key: str  # the enumeration that keys it, or text
    columns: dict[str, Column]
    cells: dict[str, dict[str, Cell]]
    spans: dict[tuple[str, str], Span]
    keys: dict[str, Span]
    span: Span


def slug(label: str) -> str:
    """A label as a name: `Checkpoint size` is `checkpoint_size`."""
    return re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")


def read_table(block: TableBlock, text: str, collect: Collector) -> Table | None:
    """The data of one table, or None when it has no rows."""
    options = dict(block.options)
    for name in options:
        if name not in OPTIONS:
            message = f"a table's comment has no `{name}(...)`"
            collect.error("T001", message, block.span, help=suggest(name, OPTIONS))
    units = _units(options.get("units", ""), block.span, collect)
    sets = {slug(name) for name in options.get("sets", "").split(",") if name.strip()}
    if len(block.rows) < 2:
        collect.error("T001", f"table {block.name} has no rows", block.span)
        return None
    table = Table(block.name, block.key, {}, {}, {}, {}, block.span)
    kinds: dict[str, set[tuple[str, str | None]]] = {}
    _told_twice(block, text, collect)
    for key, at, column, part, span in _named_cells(block, text, collect):
        table.keys.setdefault(key, at)
        if (key, column) in table.spans:
            if any(d.code == "T008" for d in collect.found):
                continue  # its row or column is told already
            first = (table.spans[key, column], "first here")
            collect.error("T003", f"{key} has two cells called `{column}`", span, second=first)
            continue
        table.spans[key, column] = span
        table.cells.setdefault(key, {})
        kinds.setdefault(column, set())
        if part.lower() not in NO_CELL:
            if sum(c.isdigit() for c in part) > DIGITS and NUMBER.fullmatch(part):
                collect.error("P004", f"a number has at most {DIGITS} digits", span)
                continue
            value, unit = _cell(part, units, column in sets)
            kinds[column].add((_kind(value), unit))
            table.cells[key][column] = value
    _numbers(table, kinds, collect)
    for column, found in kinds.items():
        place = next(s for (_, c), s in table.spans.items() if c == column)
        table.columns[column] = _column(column, found, place, collect)
    return table


def _told_twice(block: TableBlock, text: str, collect: Collector) -> None:
    """Two rows or two columns of one name: which of them is meant cannot be said."""
    header, *body = block.rows
    for what, places in (("columns", header[1:]), ("rows", tuple(row[0] for row in body))):
        first: dict[str, Span] = {}
        for place in places:
            label = cell_text(text, place)
            name = slug(label) if (what == "rows") is (block.axis == "columns") else _name(label)
            if name in first:
                message = f"two {what} of table {block.name} are called `{name}`"
                collect.error("T008", message, place, second=(first[name], "first here"))
            first.setdefault(name, place)


def _numbers(table: Table, kinds: dict[str, set[tuple[str, str | None]]], collect: Collector) -> None:
    """A text among the numbers of a column is a number that does not parse.

    A column may hold both, so only one that has a unit elsewhere, or begins like a number, is told.
    """
    for (key, column), span in table.spans.items():
        value, found = table.cells[key].get(column), kinds[column]
        numbers = {unit for kind, unit in found if kind == "number"}
        if not isinstance(value, str) or not numbers or {k for k, _ in found} != {"number", "text"}:
            continue
        if numbers != {None} or value[:1].isdigit():
            strange = NUMBER.fullmatch(value)
            message, help_text = f"`{value}` is no number, the other cells of `{column}` are", NO_NUMBER
            if strange is not None:
                message, help_text = f"no unit is called `{strange['unit']}`", suggest(strange["unit"], UNITS)
            collect.error("T009", message, span, help=help_text)
            kinds[column] = {(kind, unit) for kind, unit in found if kind == "number"}


def _named_cells(
    block: TableBlock, text: str, collect: Collector
) -> Iterator[tuple[str, Span, str, str, Span]]:
    """Every cell as key and its span, column, text, span, whichever axis holds the keys."""
    header, *body = block.rows
    for row in body:
        if len(row) != len(header):
            span = Span(row[0].start, row[-1].end)
            collect.error("T002", f"this row has {len(row)} cells, the header {len(header)}", span)
            continue
        first = cell_text(text, row[0])
        for head, cell in zip(header[1:], row[1:], strict=True):
            top = cell_text(text, head)
            key, label = (_name(top), first) if block.axis == "columns" else (_name(first), top)
            for column, part, span in _parts(label, text, cell, collect):
                yield key, head if block.axis == "columns" else row[0], column, part, span


def _column(name: str, found: set[tuple[str, str | None]], place: Span, collect: Collector) -> Column:
    """What the cells of a column have in common."""
    if len(found) == 1:
        return Column(*next(iter(found)))
    if {kind for kind, _ in found} == {"number"}:
        collect.error("T004", f"the cells of `{name}` have different units", place)
        return Column("number", None)
    return Column("any", None)


def _units(spec: str, span: Span, collect: Collector) -> dict[str, tuple[str, Fraction]]:
    """`GB=GiB, TB=1000 GiB`: what a printed unit stands for in this table."""
    found: dict[str, tuple[str, Fraction]] = {}
    for part in filter(None, (p.strip() for p in spec.split(","))):
        match = re.fullmatch(r"(\w+)\s*=\s*(?:(\d{1,18})\s+)?(\w+)", part)
        if match is None or match[3] not in UNITS:
            collect.error("T001", f"units read `GB=GiB, TB=1000 GiB`, not `{part}`", span)
            continue
        found[match[1]] = (match[3], Fraction(match[2] or 1))
    return found


def _parts(label: str, text: str, cell: Span, collect: Collector) -> list[tuple[str, str, Span]]:
    """One cell as (column, text, span); `TP x PP x DP` over `8x32x2` is three."""
    raw = cell_text(text, cell).strip().strip("`*")
    bare = re.sub(r"^.*\(|\).*$", "", label) if re.search(r"\(.*[x\u00d7].*\)", label) else label
    names = TIMES.split(bare.strip())
    if len(names) < 2 or not all(re.fullmatch(r"\w+", n) for n in names):
        return [(slug(label), raw, cell)]
    values = TIMES.split(raw)
    if len(values) != len(names):
        collect.error("T005", f"`{raw}` has {len(values)} parts, `{label}` {len(names)}", cell)
        return []
    return [(slug(name), value, cell) for name, value in zip(names, values, strict=True)]


def _cell(raw: str, units: dict[str, tuple[str, Fraction]], is_set: bool) -> tuple[Cell, str | None]:
    if is_set:
        return frozenset(_name(part) for part in raw.split(",") if part.strip()), None
    if raw in {"yes", "no", "true", "false"}:
        return raw in {"yes", "true"}, None
    match = NUMBER.fullmatch(raw)
    if match is None or (match["unit"] and match["unit"] not in UNITS and match["unit"] not in units):
        return _name(raw), None
    number = Fraction(match["number"].replace(",", ""))
    unit = match["unit"]
    if unit in units:
        unit, scale = units[unit]
        number *= scale
    return (int(number) if number.denominator == 1 else number), unit


def _kind(value: Cell) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, frozenset):
        return "set"
    return "text" if isinstance(value, str) else "number"


def _name(raw: str) -> str:
    return raw.strip().strip('`*"')
