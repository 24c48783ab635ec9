"""Pass 2's result: what the author wrote, as a tree. Names are not resolved yet.

Invariant: every node's span covers its own words in the document and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from rules_dsl.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Number:
    """`8`, `0.5`, `30 s`."""

    span: Span
    text: str
    unit: str | None


@dataclass(frozen=True, slots=True)
class Text:
    """`"8B"`."""

    span: Span
    value: str


@dataclass(frozen=True, slots=True)
class Truth:
    """`yes`, `no`."""

    span: Span
    value: bool


@dataclass(frozen=True, slots=True)
class Path:
    """`subset`, `run.writes`, `table2[model].tp`: a name, then fields and keys."""

    span: Span
    name: str
    steps: tuple[Field | Key, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """`.name` after a path."""

    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class Key:
    """`[expr]` after a path."""

    span: Span
    expr: Expr


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator or function and its operands.

    `op` is: and or not == != < <= > >= in not-in + - * / mod neg otherwise set
    min max abs ceil floor size.
    """

    span: Span
    op: str
    operands: tuple[Expr, ...]
    mark: Span  # the operator's own words


@dataclass(frozen=True, slots=True)
class Match:
    """`matches` (whole text) or `starts with`."""

    span: Span
    op: str
    operand: Expr
    pattern: str


@dataclass(frozen=True, slots=True)
class State:
    """`is [not] recorded|listed|valid`."""

    span: Span
    operand: Expr
    state: str
    negated: bool


@dataclass(frozen=True, slots=True)
class Convert:
    """`expr as UNIT`."""

    span: Span
    operand: Expr
    unit: str
    mark: Span


@dataclass(frozen=True, slots=True)
class Fold:
    """`any(expr for x in xs where c)` and its kin; `count` has no term."""

    span: Span
    kind: str
    term: Expr | None
    name: str
    listing: str
    where: Expr | None
    mark: Span  # of the listing's name
    named: Span  # the loop's own name


Expr: TypeAlias = Number | Text | Truth | Path | Apply | Match | State | Convert | Fold


@dataclass(frozen=True, slots=True)
class Each:
    """`for each a [then b] in xs [where c]:`."""

    span: Span
    names: tuple[str, ...]
    listing: str
    where: Expr | None
    mark: Span
    named: tuple[Span, ...]  # each of `names`


@dataclass(frozen=True, slots=True)
class Statement:
    """One `error|warn|note if`, with its prefixes in the order of reading."""

    span: Span
    level: str
    condition: Expr
    category: str  # all, package, or the name of a division
    guards: tuple[Expr, ...]
    each: Each | None
    since: str | None
    until: str | None
    because: Text | None
    fix: Text | None
    named: Span | None  # where the category stands


@dataclass(frozen=True, slots=True)
class Silence:
    """`informative "why"` or `undecidable "why"`."""

    span: Span
    kind: str
    why: str


@dataclass(frozen=True, slots=True)
class Define:
    """`NAME on SCOPE = expr`."""

    span: Span
    name: str
    scope: str
    expr: Expr
    mark: Span


@dataclass(frozen=True, slots=True)
class Over:
    """`for each m in table where c:`."""

    span: Span
    name: str
    table: str
    where: Expr | None
    mark: Span


@dataclass(frozen=True, slots=True)
class Promise:
    """`a run [with expr] can|cannot|always pass|break "4.3.5"`."""

    span: Span
    given: Expr | None
    mode: str
    outcome: str
    rule: Text


@dataclass(frozen=True, slots=True)
class Check:
    """What must hold between tables and clauses: a condition, a promise, or each exactly when the other."""

    span: Span
    over: Over | None
    condition: Expr | None
    promise: Promise | None
    excepted: tuple[Text, ...]
    because: str | None
