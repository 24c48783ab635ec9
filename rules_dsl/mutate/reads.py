"""Whether any statement or define reads a table's cell: what nothing reads cannot be pinned by a case."""

from __future__ import annotations

from rules_dsl import ir
from rules_dsl.mutate.model import Mutant, Written
from rules_dsl.mutate.trial import nodes_of


def reads_cell(written: Written, mutant: Mutant) -> bool:
    """Whether something reads the column of a mutant of a table, or for a key any of the table."""
    table = written.compiled.vocabulary.tables[mutant.owner]
    read = columns_read(written.compiled.program).get(mutant.owner, set())
    if mutant.kind == "key":
        return bool(read)
    inside = {
        c for (_, c), s in table.spans.items() if s.start <= mutant.span.start and mutant.span.end <= s.end
    }
    return bool(inside & read)


def columns_read(program: ir.Program) -> dict[str, set[str]]:
    """By table the columns that statements and defines read; the empty name stands for its keys."""
    found: dict[str, set[str]] = {}
    tops = [d.expr for d in program.defines]
    tops += [n for c in program.clauses for s in c.statements for n in nodes_of(s)]
    for node in (n for top in tops for n in ir.walk(top)):
        if isinstance(node, ir.SetOf) and node.table is not None:
            found.setdefault(node.table, set()).add("")
        elif isinstance(node, ir.Cellref):
            found.setdefault(node.table, set()).update(_columns(program, node.column))
    return found


def _columns(program: ir.Program, column: ir.Node) -> set[str]:
    """The columns that a look-up may name: one, or all that another table's cells say."""
    if isinstance(column, ir.Const):
        return {str(column.value)}
    if isinstance(column, ir.Cellref) and isinstance(column.column, ir.Const):
        name = str(column.column.value)
        return {str(row[name]) for row in program.tables[column.table].values() if name in row}
    return {name for table in program.tables.values() for row in table.values() for name in row}
