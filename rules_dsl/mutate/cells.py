"""Every one-cell change of the document's named tables, keys and labels included."""

from __future__ import annotations

from collections.abc import Iterator

from engine.runtime.ruleset import Cell
from rules_dsl.diagnostics import Span
from rules_dsl.mutate.expressions import neighbours
from rules_dsl.mutate.model import Mutant, Written
from rules_dsl.mutate.tokens import Edit
from rules_dsl.source.document import TableBlock
from rules_dsl.vocabulary.tables import NUMBER, TIMES, Table

MARKS = "`*"


def table_mutants(written: Written) -> Iterator[Mutant]:
    """The mutants of every named table."""
    for block in written.compiled.page.tables:
        table = written.compiled.vocabulary.tables[block.name]
        work = _Cells(written.text, block, table)
        for edit in dict.fromkeys(work.edits()):
            old = written.text[edit.span.start : edit.span.end]
            yield Mutant(edit.span, old, edit.new, edit.kind, "table", table.name)


class _Cells:
    """The changes of one table."""

    def __init__(self, text: str, block: TableBlock, table: Table) -> None:
        self._text, self._block, self._table = text, block, table
        self._columns: dict[Span, list[tuple[str, str]]] = {}
        for (key, column), span in table.spans.items():
            self._columns.setdefault(span, []).append((key, column))

    def edits(self) -> Iterator[Edit]:
        """Header, first column, then the cells row by row."""
        header, *body = self._block.rows
        keys, labels = header[1:], tuple(row[0] for row in body)
        if self._block.axis == "rows":
            keys, labels = labels, keys
        yield from (Edit(self._bare(span), self._other_key(span), "key") for span in keys)
        yield from (Edit(self._bare(span), self._words(span) + "x", "label") for span in labels)
        for row in body:
            for span in row[1:]:
                yield from self._cell(span)

    def _cell(self, span: Span) -> Iterator[Edit]:
        places = self._columns.get(span, [])
        if len(places) > 1:
            yield from self._parts(span)
            return
        for key, column in places:
            value = self._table.cells[key].get(column)
            if value is None:
                yield Edit(span, self._filled(column), "cell")
                continue
            yield from self._changed(span, value, column)
            yield Edit(span, "Invalid", "cell")

    def _changed(self, span: Span, value: Cell, column: str) -> Iterator[Edit]:
        bare = self._bare(span)
        if isinstance(value, bool):
            yield Edit(span, "no" if value else "yes", "yes or no")
        elif isinstance(value, frozenset):
            yield from self._sets(span, value, column)
        elif isinstance(value, str):
            yield Edit(bare, self._other(value, column), "name")
        else:
            yield from self._numbers(bare)

    def _numbers(self, bare: Span) -> Iterator[Edit]:
        match = NUMBER.match(self._text, bare.start, bare.end)
        if match is not None:
            at = Span(match.start("number"), match.end("number"))
            for new in neighbours(match["number"].replace(",", "")):
                yield Edit(at, new, "number")

    def _parts(self, span: Span) -> Iterator[Edit]:
        """`8x32x2` with one part changed."""
        at = span.start
        for cross in [*TIMES.finditer(self._text, span.start, span.end), None]:
            end = span.end if cross is None else cross.start()
            if self._text[at:end].strip().isdigit():
                yield from self._numbers(Span(at, end))
            at = end if cross is None else cross.end()

    def _sets(self, span: Span, value: frozenset[str], column: str) -> Iterator[Edit]:
        """Each name left out, and each name of the column's other sets taken in."""
        words = [w.strip() for w in self._text[span.start : span.end].split(",")]
        for index in range(len(words)):
            yield Edit(span, ", ".join(words[:index] + words[index + 1 :]) or "-", "set")
        named = sorted(
            {
                n
                for row in self._table.cells.values()
                if isinstance(c := row.get(column), frozenset)
                for n in c
            }
        )
        for name in [n for n in named if n not in value] or [f"{words[-1]}x"]:
            yield Edit(span, ", ".join([*words, name]), "set")

    def _other(self, value: str, column: str) -> str:
        """The name that follows in the column, or one that nothing is called."""
        names = [str(c) for row in self._table.cells.values() if isinstance(c := row.get(column), str)]
        at = names.index(value)
        return next((n for n in [*names[at:], *names[:at]] if n != value), f"{value}x")

    def _filled(self, column: str) -> str:
        """A value for a cell that holds none: another key's."""
        for (key, name), span in self._table.spans.items():
            if name == column and column in self._table.cells[key]:
                return self._text[span.start : span.end]
        return "1"

    def _other_key(self, span: Span) -> str:
        word = self._words(span)
        if self._table.key == "text":
            return f"{word}x"
        keys = list(self._table.cells)
        return next(k for k in [*keys[keys.index(word) + 1 :], *keys] if k != word or len(keys) == 1)

    def _words(self, span: Span) -> str:
        return self._text[self._bare(span).start : self._bare(span).end]

    def _bare(self, span: Span) -> Span:
        """A cell without the marks of emphasis or code around its words."""
        start, end = span.start, span.end
        while start < end and self._text[start] in MARKS:
            start += 1
        while end > start and self._text[end - 1] in MARKS:
            end -= 1
        return Span(start, end)
