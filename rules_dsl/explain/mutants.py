"""The one-token changes of a clause as a section of its page: what notices them, and which pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rules_dsl.explain.blocks import Block, Heading, Pairs, Paragraph
from rules_dsl.loading import count
from rules_dsl.mutate.run import Result
from rules_dsl.mutate.told import changed

KILLERS = {"compiler": "the compiler", "case": "a case", "check": "a check"}
"""what notices a change -> in words"""


def mutant_blocks(results: Sequence[Result], *, level: int = 2) -> Iterator[Block]:
    """The section; nothing of a clause without statements."""
    if not results:
        return
    by = Counter(r.killer.by for r in results if r.killer is not None)
    told = [f"{by[name]} by {words}" for name, words in KILLERS.items() if by[name]]
    equivalent = [r for r in results if r.equivalent]
    survived = [r for r in results if r.survived]
    yield Heading("One word changed", level)
    yield Paragraph(
        f"Of {count(len(results), 'change')} of one word of its statements, {', '.join(told) or 'none'} "
        f"{'is' if sum(by.values()) == 1 else 'are'} noticed; {len(equivalent)} mean the same; "
        f"{len(survived)} would pass unnoticed."
    )
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
