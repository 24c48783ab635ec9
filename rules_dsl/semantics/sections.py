"""The sections of a document by their numbers: judging has to say which of them are not there."""

from __future__ import annotations

from collections import defaultdict

from rules_dsl.source.document import Page

LARGEST = 100
"""A number beyond it is no section, but a year in a heading."""


def absent(page: Page) -> tuple[str, ...]:
    """The numbers below the highest of their level that no heading and no clause has, such as 1 and 4.5."""
    below: dict[tuple[int, ...], set[int]] = defaultdict(set)
    for number in (*(number for _, number in page.numbered), *(block.rule for block in page.clauses)):
        steps = [int(step) for step in number.split(".")[:2] if step.isascii() and step.isdigit()]
        for depth in range(len(steps) if all(step < LARGEST for step in steps) else 0):
            below[tuple(steps[:depth])].add(steps[depth])
    return tuple(
        ".".join(map(str, (*above, number)))
        for above, held in sorted(below.items())
        for number in range(1, max(held))
        if number not in held
    )
