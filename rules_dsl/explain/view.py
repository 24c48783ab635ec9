"""An explanation of a clause as a page: the sections that a reader sees, in their order.

`SECTIONS` is that order. A section that has nothing to say of a clause is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from string import ascii_lowercase

from engine.runtime.ruleset import Division
from rules_dsl import ir
from rules_dsl.diagnostics import position
from rules_dsl.explain.blocks import WIDTH, Block, Code, Heading, Pairs, Paragraph, Rows
from rules_dsl.explain.bounds import Bound
from rules_dsl.explain.clause import Derived, Example, Explanation, FactEvidence, Stated, recorded, value_text
from rules_dsl.verify.words import words
from rules_dsl.vocabulary.divisions import costed, left_after

LEGEND = "A table holds every run, each in one row; `-` is any answer, known or not."
FEW = 6
"""Facts of a run that are told one by one; a run of more is told by the line of its case."""
KINDS = {
    "informative": "It is informative: no run can break it.",
    "undecidable": "No program can decide it.",
    "unstated": "It states no rule yet.",
}


def page_of(
    found: Explanation, units: Mapping[str, str], text: str, *, level: int = 1, whole: bool = True
) -> list[Block]:
    """The page of one clause. `text` is the document's, for the lines of cases.

    What is not `whole` is part of a page of all clauses: facts are named there, and cases are left to the
    document.
    """
    clause = found.clause
    blocks: list[Block] = [Heading(f"{clause.rule} {clause.name}", level)]
    blocks += [Paragraph(p) for p in found.prose]
    if clause.kind != "decidable":
        why = f" {clause.why[:1].upper()}{clause.why[1:]}." if clause.why else ""
        return [*blocks, Paragraph(f"{KINDS[clause.kind]}{why} ({found.document}, line {clause.line})")]
    if whole:
        blocks.append(Paragraph(LEGEND))
    for title, section in SECTIONS if whole else BRIEF:
        inner = list(section(found, units, text))
        if inner:
            blocks += [Heading(title, level + 1)] if title else []
            blocks += inner
    return blocks


def _statements(found: Explanation, _: Mapping[str, str], __: str) -> Iterator[Block]:
    several = len(found.stated) > 1
    for number, stated in enumerate(found.stated, 1):
        lead = f"Statement {number} of {len(found.stated)}" if several else "Statement"
        yield Paragraph(
            f"{lead}, line {stated.statement.line}: {_effect(stated.statement, found.divisions)}."
        )
        yield Code(stated.text, "rule")
        yield Paragraph(stated.breach)
        yield from _truth(stated)


def _effect(statement: ir.Statement, divisions: tuple[Division, ...]) -> str:
    """What a breach costs, of what and when, in words."""
    costs = {
        "all": "a breach makes the run INVALID",
        "package": "a breach is an error of the package and says nothing of a run's category",
    }
    for d in costed(divisions):
        left = left_after(divisions, d.name).category
        costs[d.name] = f"a breach costs {d.category}, the run can still be {left}"
    cost = costs[statement.category]
    if statement.level != "error":
        cost = f"a breach is a {words(divisions)[statement.level, statement.category]} and costs nothing"
    since = f"from edition {statement.since} on, " if statement.since else ""
    until = f"up to edition {statement.until}, " if statement.until else ""
    return f"{since}{until}{cost}; asked of each {statement.scope}{_elements(statement)}"


def _elements(statement: ir.Statement) -> str:
    if statement.each is None:
        return ""
    names, listing = statement.each.names, statement.each.listing.name
    if len(names) == 2:
        return f", for each {names[0]} of its {listing} and the {names[1]} after it"
    return f", for each {names[0]} of its {listing}"


def _truth(stated: Stated) -> Iterator[Block]:
    if not stated.table.rows:
        yield Paragraph("It asks too much for a table of its answers to be short.")
        return
    labels = [c.label for c in stated.table.columns]
    rows = tuple(stated.table.cells())
    header = _headers(labels, rows)
    keys = tuple((short, full) for short, full in zip(header, labels, strict=True) if short != full)
    if keys:
        yield Pairs(keys)
    yield Rows((*header, "verdict"), rows)


def _headers(labels: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The labels of a table, the longest by a letter each until the table fits."""
    header = list(labels)
    letters = (f"({letter})" for letter in ascii_lowercase)
    under = [max(len(row[n]) for row in rows) for n in range(len(labels) + 1)]

    def width() -> int:
        return sum(max(len(h), u) + 2 for h, u in zip([*header, "verdict"], under, strict=True))

    for number in sorted(range(len(labels)), key=lambda n: -len(labels[n])):
        if len(labels[number]) > LONG or (width() > WIDTH and len(labels[number]) > under[number]):
            header[number] = f"({number})"
    return [next(letters) if h == f"({n})" else h for n, h in enumerate(header)]


LONG = 24
"""A label longer than this is told above its table."""


def _bounds(found: Explanation, units: Mapping[str, str], text: str) -> Iterator[Block]:
    items = tuple((b.fact, _sides(b, units, text)) for b in found.bounds)
    if items:
        yield Paragraph("One value of a case is moved until the verdict changes; all else stays.")
        yield Pairs(items)


def _sides(bound: Bound, units: Mapping[str, str], text: str) -> str:
    unit = units.get(bound.column)
    sides = ", ".join(f"{value_text(s.value, unit)} {s.verdict.replace(', ', ' and ')}" for s in bound.sides)
    if bound.rest and len(bound.rest) <= FEW:
        return f"{sides} -- with {recorded(bound.rest, units)}"
    return f"{sides} -- in the case of line {position(text, bound.case.span.start)[0]}"


def _judged(found: Explanation, _: Mapping[str, str], __: str) -> Iterator[Block]:
    launch = [s for s in found.stated if s.statement.stage == "launch"]
    several = len(found.stated) > 1
    if not launch:
        before = "deferred: nothing that it reads of this run alone is known then"
    elif len(launch) < len(found.stated):
        numbers = ", ".join(str(s.statement.number) for s in launch)
        before = f"statement{'s' if len(launch) > 1 else ''} {numbers}; the rest is deferred"
    else:
        before = "every statement is asked" if several else "the statement is asked"
    late = sorted({f for s in launch for f in s.late})
    if late:
        before += f"; deferred where it rests on {', '.join(late)}, known only after the run"
    yield Pairs(
        (
            ("at launch", before),
            ("in a package", "every statement is asked" if several else "the statement is asked"),
        )
    )
    yield Pairs(tuple((f"line {f.line}", f"{f.name} in {f.file}") for f in found.functions))


def _facts(found: Explanation, _: Mapping[str, str], __: str) -> Iterator[Block]:
    yield from facts_blocks(found.derived, found.evidence)


def facts_blocks(derived: Iterable[Derived], evidence: Iterable[FactEvidence]) -> Iterator[Block]:
    """What follows from other facts, then what is recorded and where."""
    follows = tuple(
        (d.name, f"{d.meaning + ': ' if d.meaning else ''}{d.text} (line {d.line})") for d in derived
    )
    if follows:
        yield Pairs(follows)
    for fact in evidence:
        yield Paragraph(f"{fact.name} ({fact.kind}, line {fact.line}): {fact.meaning}")
        yield Pairs(tuple(_places(fact)))


def _names(found: Explanation, _: Mapping[str, str], __: str) -> Iterator[Block]:
    names = sorted([*(d.name for d in found.derived), *(e.name for e in found.evidence)])
    yield Paragraph(", ".join(names) + ".")


def _places(fact: FactEvidence) -> Iterator[tuple[str, str]]:
    yield "at launch", fact.launch or "not known"
    if fact.package:
        order = "; then ".join(fact.package)
        yield "in a package", order + ("; all that are recorded have to agree" if fact.agree else "")
    else:
        yield "in a package", "not recorded"
    yield "not recorded", _missing(fact)
    if fact.no_source is not None:
        yield "no such file", f"{fact.no_source}; the missing file is another clause's finding"
    if fact.conflict is not None:
        yield "in doubt when", fact.conflict
    if fact.plausible is not None:
        yield "possible where", fact.plausible


def _missing(fact: FactEvidence) -> str:
    """The level of an undetermined clause by edition, oldest first."""
    return ", ".join(
        f"{level} up to edition {edition}"
        if edition is not None
        else level
        if len(fact.missing) == 1
        else f"else {level}"
        for edition, level in fact.missing
    )


def _examples(found: Explanation, _: Mapping[str, str], __: str) -> Iterator[Block]:
    if not found.examples:
        yield Paragraph("None yet.")
        return
    yield Pairs(tuple((f"line {e.line}", f"{e.verdict}: {_recorded(e)}") for e in found.examples))


def _recorded(example: Example) -> str:
    rows = [", ".join(f"{name} {raw}" for name, raw in row) for row in example.rows]
    if len(rows) == 1:
        return rows[0] or "nothing is recorded"
    return "; ".join(f"row {number}: {row}" for number, row in enumerate(rows, 1))


def _checks(found: Explanation, _: Mapping[str, str], __: str) -> Iterator[Block]:
    for check in found.checks:
        yield Paragraph(f"line {check.line}:")
        yield Code(check.text, "check")


Section = Callable[[Explanation, Mapping[str, str], str], Iterator[Block]]

SECTIONS: tuple[tuple[str, Section], ...] = (
    ("", _statements),
    ("At its bounds", _bounds),
    ("Where it is judged", _judged),
    ("What it reads", _facts),
    ("Its cases", _examples),
    ("Checks that mention it", _checks),
)
"""title -> what it says, in the order of the page"""

BRIEF: tuple[tuple[str, Section], ...] = (
    ("", _statements),
    ("At its bounds", _bounds),
    ("Where it is judged", _judged),
    ("What it reads", _names),
    ("Checks that mention it", _checks),
)
"""The same of a page that holds all clauses."""
