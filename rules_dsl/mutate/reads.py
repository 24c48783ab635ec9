"""Whether any statement or define reads a table's cell: what nothing reads cannot be pinned by a case."""

from __future__ import annotations

from rules_dsl import ir
from rules_dsl.mutate.model import Mutant, Written
from rules_dsl.mutate.trial import nodes_of


def reads_cell(written: Written, mutant: Mutant) -> bool:
    """Whether something reads the cell of a mutant of a table, the key or the column that it renames."""
    table = written.compiled.vocabulary.tables[mutant.owner]
    read = {
        (key, column) for name, key, column in cells_read(written.compiled.program) if name == mutant.owner
    }
    at = mutant.span
    if mutant.kind == "key":
        keys = {k for k, s in table.keys.items() if s.start <= at.start and at.end <= s.end}
        return any(key is None or key in keys for key, _ in read)
    inside = {place for place, s in table.spans.items() if s.start <= at.start and at.end <= s.end}
    return any(column == c and key in {None, k} for key, column in read for k, c in inside)


def cells_read(program: ir.Program) -> set[tuple[str, str | None, str]]:
    """Table, key (None: whichever) and column of every look-up; the empty column stands for the keys."""
    found: set[tuple[str, str | None, str]] = set()
    tops = [d.expr for d in program.defines]
    tops += [n for c in program.clauses for s in c.statements for n in nodes_of(s)]
    for node in (n for top in tops for n in ir.walk(top)):
        if isinstance(node, ir.SetOf) and node.table is not None:
            found.add((node.table, None, ""))
        elif isinstance(node, ir.Cellref):
            key = str(node.key.value) if isinstance(node.key, ir.Const) else None
            found.update((node.table, key, column) for column in _columns(program, node.column))
    return found


def _columns(program: ir.Program, column: ir.Node) -> set[str]:
    """The columns that a look-up may name: one, or all that another table's cells say."""
    if isinstance(column, ir.Const):
        return {str(column.value)}
    if isinstance(column, ir.Cellref) and isinstance(column.column, ir.Const):
        name = str(column.column.value)
        return {str(row[name]) for row in program.tables[column.table].values() if name in row}
    return {name for table in program.tables.values() for row in table.values() for name in row}
