"""Pass 3a: `divisions` fences -> the divisions of a document, and what a breach of each leaves.

Rank alone orders them: that the categories of a document come in this or that order, or how many there
are, is said nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from engine.cli.commands import COMMANDS
from engine.runtime.ruleset import Division
from engine.verdict.category import ALL, INVALID, PACKAGE, UNDETERMINED
from rules_dsl.diagnostics import Collector, Span
from rules_dsl.source.document import Page
from rules_dsl.source.marked_yaml import Marked, known_keys, load_marked
from rules_dsl.vocabulary.fact_fields import is_yes

NAME = re.compile(r"[a-z][a-z0-9_]*")
BEGUN = re.compile(rf"^[ \t]*(?P<name>{NAME.pattern})[ \t]*:", re.MULTILINE)
"""How a declaration begins, even in a fence that cannot be read."""
CATEGORY = re.compile(r"[A-Z]+")
RANK = re.compile(r"[1-9][0-9]{0,3}")
RESERVED = (ALL, PACKAGE, *COMMANDS)
"""Words that name no division: they say something else in a statement, or on the command line."""
OUTCOMES = (INVALID, UNDETERMINED)
"""What a run can come to beside the category of a division."""
DECLARED = "a division has `category` and `rank`, or `advice: yes`"


def judged(divisions: Iterable[Division]) -> tuple[Division, ...]:
    """The divisions whose runs are judged, the highest first."""
    return tuple(sorted((d for d in divisions if not d.advice), key=lambda d: -d.rank))


def costed(divisions: Iterable[Division]) -> tuple[Division, ...]:
    """The divisions that a breach can cost, the highest first.

    The lowest is none of them: without it nothing is left, which is what a breach of all costs.
    """
    return judged(divisions)[:-1]


def left_after(divisions: Iterable[Division], name: str) -> Division:
    """The division that a run may still earn when a breach costs it one: the next lower."""
    order = judged(divisions)
    return order[[d.name for d in order].index(name) + 1]


def prefix_names(divisions: Iterable[Division]) -> tuple[str, ...]:
    """What may stand in a prefix `in NAME:`, the highest first; that some cost nothing is told later."""
    declared = tuple(divisions)
    return tuple(d.name for d in (*judged(declared), *(d for d in declared if d.advice)))


def is_sound(division: Division) -> bool:
    """Whether a declaration says all that it has to; what it lacks is told where it stands."""
    return division.advice or bool(division.category and division.rank)


def read_divisions(page: Page, collect: Collector) -> tuple[dict[str, Division], dict[str, Span]]:
    """The divisions in the document's order, and where each is named."""
    found: dict[str, Division] = {}
    spans: dict[str, Span] = {}
    for fence in page.fences:
        if fence.kind != "divisions":
            continue
        declared = load_marked(page.text, fence.body, "a divisions fence", collect)
        if not any(True for _ in declared.items()):  # it cannot be read, which is told: its names are meant
            for begun in BEGUN.finditer(page.text, fence.body.start, fence.body.end):
                found.setdefault(begun["name"], Division(begun["name"]))
                spans.setdefault(begun["name"], Span(*begun.span("name")))
        for name, entry in declared.items():
            if name in found:
                second = (spans[name], "first here")
                collect.error("V002", f"division `{name}` is declared twice", entry.key, second=second)
            elif not NAME.fullmatch(name):
                message = f"a division is named in small letters, digits and `_`, not `{name}`"
                collect.error("V013", message, entry.key)
            else:
                found[name] = _division(name, entry, collect)
                spans[name] = entry.key
                _distinct(found, spans, name, collect)
    return found, spans


def _division(name: str, entry: Marked, collect: Collector) -> Division:
    known_keys(entry, ("category", "rank", "advice"), f"division `{name}`", collect)
    if name in RESERVED:
        collect.error("V013", f"`{name}` is a word of the tools and names no division", entry.key)
    category, rank = entry.get("category"), entry.get("rank")
    advice = is_yes(entry, "advice", collect)
    if advice:
        if category is not None or rank is not None:
            message = f"division `{name}` is advice, in which nothing is earned"
            collect.error("V013", message, entry.key, help=DECLARED)
        return Division(name, advice=True)
    if category is None or rank is None:
        lacking = " and ".join(k for k, v in (("category", category), ("rank", rank)) if v is None)
        collect.error("V013", f"division `{name}` has no {lacking}", entry.key, help=DECLARED)
        return Division(name)
    if not CATEGORY.fullmatch(category.text) or category.text in OUTCOMES:
        message = f"`{category.text}` is no category: capital letters, and neither {' nor '.join(OUTCOMES)}"
        collect.error("V013", message, category.span)
    if not RANK.fullmatch(rank.text):
        collect.error("V013", f"a rank is a whole number from 1 on, not `{rank.text}`", rank.span)
        return Division(name, category.text)
    return Division(name, category.text, int(rank.text))


def _distinct(
    found: Mapping[str, Division], spans: Mapping[str, Span], name: str, collect: Collector
) -> None:
    """No two divisions have one rank or one category: none would be the higher, or the two be one."""
    new = found[name]
    for key, value in (("rank", new.rank), ("category", new.category)):
        first = next((d for d in found.values() if d.name != name and getattr(d, key) == value), None)
        if value and first is not None:
            second = (spans[first.name], "the other division")
            message = f"`{first.name}` and `{name}` both have the {key} {value}"
            collect.error("V013", message, spans[name], second=second)


def check_divisions(
    spans: Mapping[str, Span], facts: Mapping[str, Span], tables: Collection[str], collect: Collector
) -> None:
    """No division is called like a fact or a table: `when a in NAME:` would read two ways."""
    for name, span in spans.items():
        if name in facts:
            second = (facts[name], "the fact")
            collect.error("V013", f"division `{name}` is called like a fact", span, second=second)
        elif name in tables:
            collect.error("V013", f"division `{name}` is called like a table", span)
