"""The one-token changes of a clause as a section of its page: what notices them, and which pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rules_dsl.diagnostics import count
from rules_dsl.explain.blocks import Block, Heading, Pairs, Paragraph
from rules_dsl.mutate.report import changed
from rules_dsl.mutate.run import Result

KILLERS = {"compiler": "the compiler", "case": "a case", "check": "a check"}
"""what notices a change -> in words"""


def mutant_blocks(results: Sequence[Result], *, level: int = 2) -> Iterator[Block]:
    """The section; nothing of a clause without statements."""
    if not results:
        return
    by = Counter(r.killer.by for r in results if r.killer is not None)
    survived = [r for r in results if r.survived]
    told = [f"{words} notices {by[name]}" for name, words in KILLERS.items() if by[name]]
    if alike := sum(r.equivalent for r in results):
        told.append(f"{alike} {'means' if alike == 1 else 'mean'} the same")
    told.append(f"{len(survived)} would pass unnoticed" if survived else "none would pass unnoticed")
    yield Heading("One word changed", level)
    yield Paragraph(f"{count(len(results), 'change')} of one word of its statements: {', '.join(told)}.")
    if survived:
        yield Pairs(tuple((changed(r.mutant), "clausegate test --mutate shows the row") for r in survived))


def mutant_data(results: Sequence[Result]) -> dict[str, int]:
    """The same for machines."""
    return {
        "total": len(results),
        "killed": sum(r.killer is not None for r in results),
        "equivalent": sum(r.equivalent for r in results),
        "survived": sum(r.survived for r in results),
    }
