"""What every emitter sees: typed, normalised, names resolved, units converted, tables beside it.

Invariants: every reference names a declared fact, a bound element or a table; conversions are
multiplications by exact constants; a clause's statements are in the document's order; each
node keeps its span in the document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from engine.runtime.ruleset import Division, Document, FactSpec, Tables
from rules_dsl.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Type:
    """A kind: bool, enum and list (`of` its fact), number (of a `unit`), text, time, any, set (`of`)."""

    kind: str
    unit: str | None = None
    of: str | None = None


@dataclass(frozen=True, slots=True)
class Const:
    """A literal."""

    span: Span
    type: Type
    value: bool | int | Fraction | str


@dataclass(frozen=True, slots=True)
class Ref:
    """A fact of the subject, or (`bound`) of an element: `name` is then `run.writes`."""

    span: Span
    type: Type
    name: str
    bound: str | None = None


@dataclass(frozen=True, slots=True)
class SetOf:
    """A set literal, or a table's keys (`table`)."""

    span: Span
    type: Type
    values: tuple[bool | int | Fraction | str, ...]
    table: str | None = None


@dataclass(frozen=True, slots=True)
class Cellref:
    """`table[key].column`."""

    span: Span
    type: Type
    table: str
    key: Node
    column: Node


@dataclass(frozen=True, slots=True)
class Op:
    """and or not == != < <= > >= in not-in + - * / mod otherwise min max abs ceil floor size."""

    span: Span
    type: Type
    op: str
    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Is:
    """`is [not] recorded|listed|valid`."""

    span: Span
    type: Type
    state: str
    operand: Node
    negated: bool


@dataclass(frozen=True, slots=True)
class Like:
    """`matches`, `starts with`."""

    span: Span
    type: Type
    op: str
    operand: Node
    pattern: str


@dataclass(frozen=True, slots=True)
class Folded:
    """any all count sum mean least greatest distinct over a list fact."""

    span: Span
    type: Type
    kind: str
    name: str
    listing: Ref
    term: Node
    where: Node | None


Node: TypeAlias = Const | Ref | SetOf | Cellref | Op | Is | Like | Folded


@dataclass(frozen=True, slots=True)
class ForEach:
    """The list that a statement runs over, element by element or neighbour by neighbour."""

    names: tuple[str, ...]
    listing: Ref
    where: Node | None


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a clause, ready to be printed or run."""

    rule: str
    number: int
    line: int
    span: Span
    level: str  # error, warning, note
    category: str  # all, package, or the division that a breach costs
    scope: str
    stage: str  # launch, package
    condition: Node
    guard: Node | None
    each: ForEach | None
    since: str | None
    until: str | None
    because: str | None
    fix: str | None
    facts: tuple[str, ...]
    breach: str = ""  # its sentence, once it is described


@dataclass(frozen=True, slots=True)
class Clause:
    """A numbered clause. `kind` is decidable, informative, undecidable or unstated."""

    rule: str
    name: str
    line: int
    kind: str
    why: str
    statements: tuple[Statement, ...]
    prose_digest: str = ""  # of its words for people, and of its statements: which of them changed is told
    statement_digest: str = ""

    @property
    def stage(self) -> str:
        """Launch when the gate can judge any part of it."""
        return "launch" if any(s.stage == "launch" for s in self.statements) else "package"

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes of its statements, narrowest first."""
        return tuple(scope for scope in SCOPES if any(s.scope == scope for s in self.statements))


SCOPES = ("leaf", "workload")


@dataclass(frozen=True, slots=True)
class Define:
    """A derived fact of one scope."""

    name: str
    scope: str
    line: int
    expr: Node
    facts: tuple[str, ...]  # what it rests on, defines included


@dataclass(frozen=True, slots=True)
class Conflict:
    """An expression that, when it holds, shows that recorded facts contradict each other.

    Of a `bound`, what a fact can be at all, `expr` is its negation: it holds when the bound is passed.
    """

    fact: str
    scope: str
    line: int
    expr: Node
    facts: tuple[str, ...]
    level: str
    breach: str = ""
    bound: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled document. Defines are in the order of their dependence; spans are places in `text`."""

    title: str
    edition: str
    editions: tuple[str, ...]
    digest: str
    divisions: tuple[Division, ...]
    families: Mapping[str, str]
    commands: Mapping[str, Mapping[str, str]]  # family -> command -> what it does
    facts: Mapping[str, FactSpec]
    documents: tuple[Document, ...]
    tables: Tables
    defines: tuple[Define, ...]
    conflicts: tuple[Conflict, ...]
    clauses: tuple[Clause, ...]
    text: str
    complete: bool = True  # every clause of the document is stated, or said to be none that is decided
    absent: tuple[str, ...] = ()  # sections that its numbers skip


def children(node: Node) -> tuple[Node, ...]:
    """The nodes right below one node."""
    match node:
        case Op():
            return node.operands
        case Is() | Like():
            return (node.operand,)
        case Cellref():
            return (node.key, node.column)
        case Folded():
            return (node.listing, node.term, *((node.where,) if node.where is not None else ()))
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it."""
    yield node
    for child in children(node):
        yield from walk(child)
