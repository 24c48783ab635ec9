"""Small rules documents for tests: one vocabulary, and a clause around any statement.

Only what a test is about is written in the test; the rest of a document that compiles comes from
here. `written` finds the words that a span covers, so that tests compare text, not offsets.
"""

from __future__ import annotations

from dataclasses import dataclass

from rules_dsl.compile import Compiled, compile_text
from rules_dsl.diagnostics import Collector, Diagnostic, Span
from rules_dsl.format.document import check_breaches
from rules_dsl.verify.cases import check_cases
from rules_dsl.verify.table_checks import check_tables

HEAD = '---\nedition: "2"\neditions: ["1", "2", "3"]\n---\n\n# Rules of a test\n\n'

DOCUMENTS = """```documents
metadata:
  file: "*_metadata.json"
```

"""

DIVISIONS = """```divisions
closed: {category: CLOSED, rank: 2}
open: {category: OPEN, rank: 1}
whatif: {advice: yes}
```

"""

FACTS = """```facts
flag: {type: bool, meaning: a flag, says: [the flag is up, the flag is down], package: [metadata:flag]}
other: {type: bool, meaning: a second flag, says: [the other is up, the other is down], package: [metadata:o]}
third: {type: bool, meaning: a third flag, package: [metadata:third]}
fruit: {type: enum, meaning: a fruit, members: {Apple: [pomme], Pear: [], Fig: []}, package: [metadata:fruit]}
colour: {type: enum, meaning: a colour, members: {Red: [], Blue: []}, package: [metadata:colour]}
n: {type: integer, meaning: a count, launch: {option: --n}, package: [metadata:n]}
m: {type: integer, meaning: another count, package: [metadata:m]}
heap: {type: GiB, meaning: a size, package: [metadata:heap]}
disk: {type: GB, meaning: a decimal size, package: [metadata:disk]}
wait: {type: s, meaning: a time span, package: [metadata:wait]}
title: {type: text, meaning: a text, package: [metadata:title]}
loose: {type: any, meaning: anything, package: [metadata:loose]}
start: {type: time, meaning: an instant, package: [metadata:start]}
end: {type: time, meaning: a later instant, package: [metadata:end]}
items:
  type: list
  meaning: some items
  package: [metadata:items]
  fields: {size_of: {type: integer, meaning: its size}, good: {type: bool, meaning: it is good}}
runs: {type: list, scope: workload, meaning: the runs, package: [tree:runs]}
spare: {type: integer, scope: workload, meaning: a number of the workload, package: [metadata:spare]}
```

"""

TABLE = """<!-- table: crop key=rows(fruit) sets(seasons) -->
| Fruit | Weight  | Seasons |
|-------|---------|---------|
| Apple | 3 GiB   | a, b    |
| Pear  | 5 GiB   | b       |
| Fig   | Invalid | a       |

<!-- table: limits key=rows(text) -->
| Name | Bound |
|------|-------|
| low  | 1     |
| high | 9     |

"""

VOCABULARY = DOCUMENTS + DIVISIONS + FACTS + TABLE


def fence(kind: str, body: str) -> str:
    """A fenced block."""
    return f"```{kind}\n{body}\n```\n\n"


def clause(
    rule: str, *, cases: str = "", breach: str = "", number: str = "1.1.1", name: str = "someClause"
) -> str:
    """A numbered clause with its fences."""
    parts = [f"{number}. **{name}** -- In words.\n\n", fence("rule", rule)]
    if cases:
        parts.append(fence("cases", cases))
    if breach:
        parts.append(f"> {breach}\n\n")
    return "".join(parts)


def document(*parts: str, head: str = HEAD, vocabulary: str = VOCABULARY) -> str:
    """A document with the vocabulary above and these parts in section 1."""
    return head + vocabulary + "# 1. Section\n\n" + "".join(parts)


def compiled(*parts: str, **more: str) -> Compiled:
    """The document compiled, errors included."""
    return compile_text(document(*parts, **more), "Doc.md")


def sound(*parts: str, **more: str) -> Compiled:
    """The document compiled; its errors fail the test."""
    found = compiled(*parts, **more)
    assert [d.message for d in found.errors] == []
    return found


def examined(found: Compiled) -> list[Diagnostic]:
    """Errors of the document; if it compiles, those of its cases and checks too."""
    collect = Collector(list(found.errors))
    if not collect.found:
        check_cases(found.page, found.vocabulary, found.program, collect)
        check_tables(found.page, found.vocabulary, found.program, collect)
    return collect.errors


def breaches(found: Compiled) -> list[Diagnostic]:
    """What is wrong with the quoted breach sentences."""
    collect = Collector()
    check_breaches(found, collect)
    return collect.found


def written(text: str, span: Span) -> str:
    """The words that a span covers."""
    return text[span.start : span.end]


@dataclass(frozen=True, slots=True)
class Told:
    """One diagnostic as a test reads it."""

    code: str
    message: str
    underlined: str
    help: str = ""


def told(text: str, diagnostic: Diagnostic) -> Told:
    """The diagnostic with the words that its carets stand under."""
    underlined = written(text, diagnostic.span).rstrip("\n")  # a block is shown by its first line
    return Told(diagnostic.code, diagnostic.message, underlined, diagnostic.help)
