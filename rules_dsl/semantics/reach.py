"""Whether every statement can be asked of something: each clause is of a section that names its family.

A clause that nothing is judged by reads like one that holds, so what can never be reached does not compile.
"""

from __future__ import annotations

from rules_dsl import ir
from rules_dsl.diagnostics import Collector, Span
from rules_dsl.source.document import Fence, Page
from rules_dsl.vocabulary.families import EVERY


def check_reach(page: Page, program: ir.Program, collect: Collector) -> None:
    """Tells what can never be reached; of a document with other errors nothing: they may be the cause."""
    fences = [fence for fence in page.fences if fence.kind == "section"]
    if collect.errors or not fences:
        return
    first: dict[str, Fence] = {}
    for fence in fences:
        if fence.section is None:
            message = "this `section` fence stands under no numbered heading, so that it is no section's"
            collect.error("C021", message, fence.opening, help="number the heading: `# 4. Name`")
        elif fence.section in first:
            message = f"section {fence.section} has two `section` fences"
            second = (first[fence.section].opening, "first here")
            collect.error("C020", message, fence.opening, second=second, help="keep one")
        else:
            first[fence.section] = fence
    held = {block.section for block in page.clauses}
    for section, fence in first.items():
        if section not in held:
            message = f"no clause of section {section} follows, so that this fence is about nothing"
            collect.error("C021", message, fence.opening, second=_heading(page, section, fence))
    _unfamiliar(page, program, first, collect)


def _unfamiliar(page: Page, program: ir.Program, first: dict[str, Fence], collect: Collector) -> None:
    """Decidable clauses of a section that names no family; one error a section."""
    decidable = {clause.rule for clause in program.clauses if clause.kind == "decidable"}
    named = next(iter(first.values()), None)
    told = set(first)
    for block in page.clauses:
        if named is None or not block.section or block.section in told or block.rule not in decidable:
            continue
        told.add(block.section)
        count = sum(one.section == block.section and one.rule in decidable for one in page.clauses)
        rest = f" ({count} clauses)" if count > 1 else ""
        collect.error(
            "C019",
            f"section {block.section} names no family, so that clause {block.rule} is asked of none{rest}",
            block.span,
            second=(named.opening, "a family is named here"),
            help=f"add a `section` fence with `family: NAME`, or `family: {EVERY}` for a clause of all",
        )
    if named is not None and not program.families:
        message = f"`family: {EVERY}` is every family that the document names, and it names none"
        collect.error("C019", message, named.body)


def _heading(page: Page, section: str, fence: Fence) -> tuple[Span, str] | None:
    """Where the section begins that a fence is of."""
    above = [at for at, number in page.numbered if number == section and at < fence.opening.start]
    if not above:
        return None
    at = above[-1]
    return Span(at, at + len(page.text[at:].split("\n", 1)[0].rstrip())), "the section"
