"""The shape of a compiled rule set: what generated modules hold and the engine runs.

Everything here is plain data, so that a generated module is a list of literals and one
function a clause. Nothing in it depends on the rule language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from engine.runtime.values import Facts, Unknown, Value

Cell: TypeAlias = "bool | int | Fraction | str | frozenset[str]"
"""A table's cell. An `Invalid` cell is left out of its row."""

Tables: TypeAlias = Mapping[str, Mapping[str, Mapping[str, Cell]]]
"""table -> key -> column -> cell"""


@dataclass(frozen=True, slots=True)
class Source:
    """One place where a package records a fact.

    `document` is a name declared in the ruleset's documents (`metadata`, `summary`, ...) or
    `folder`; `path` the field in it, as its steps; `reader` the evidence function applied to
    what stands there (None: the value itself); `more` further fields the reader takes.
    """

    text: str  # as declared, e.g. metadata:args.model
    document: str
    path: tuple[str, ...]
    reader: str | None = None
    more: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Launch:
    """How a fact is known before the run.

    Exactly one of `option` (a command-line option such as `--model`), `argument` (`division`,
    `command`, `access`), `probe` (a named function of the engine that touches the machine;
    deferred on --dry-run), `derived` (a named function of the other launch facts and tables),
    `constant`, is set.
    """

    option: str | None = None
    argument: str | None = None
    probe: str | None = None
    derived: str | None = None
    constant: str | None = None
    reader: str | None = None  # evidence function applied to the option's value, e.g. hosts
    default: str | None = None  # as it would be typed
    required: tuple[str, ...] = ()  # commands that demand it
    commands: tuple[str, ...] = ()  # commands that have it; () is all
    divisions: tuple[str, ...] = ()  # divisions that have it; () is all
    offered: Mapping[str, tuple[str, ...]] | None = None  # member -> divisions that may name it
    environment: str | None = None  # variable read when the option is not given


@dataclass(frozen=True, slots=True)
class FactSpec:
    """A declared fact: its type, meaning and evidence. `scope` is leaf, workload, ..."""

    name: str
    type: str  # bool, enum, integer, number, text, path, time, any, list
    scope: str
    meaning: str
    unit: str | None = None
    members: Mapping[str, tuple[str, ...]] | None = None  # enum: member -> aliases
    launch: Launch | None = None
    package: tuple[Source, ...] = ()
    agree: bool = False
    missing: tuple[tuple[str | None, str], ...] = ((None, "error"),)
    """(last edition it holds for or None, level), in order; the first that fits applies."""
    no_source: str | None = (
        None  # level when the source itself is missing and that is another clause's finding
    )
    fields: tuple[FactSpec, ...] = ()  # list: what each element holds
    line: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """A file that holds evidence: where it stands, how it is read, what older tools called its keys."""

    name: str
    scope: str  # leaf, system, ...: the folder that `file` is relative to
    file: str  # glob; {family}, {timestamp}, {system} are replaced
    format: str  # json, yaml, text
    renamed: Mapping[str, tuple[str, ...]]  # first key -> older spellings
    line: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """One `error|warn|note if` of a clause, without its condition."""

    rule: str
    name: str
    number: int  # 1, 2, ... within the clause
    line: int
    level: str  # error, warning, note
    category: str  # all, closed, package
    scope: str
    stage: str  # launch: the gate judges it; package: only the validator
    breach: str  # the rendered sentence, without its scope
    facts: tuple[str, ...]  # every fact read, derived ones and what they rest on included
    because: str | None = None  # message template, {fact} in braces
    fix: str | None = None
    since: str | None = None  # first edition it holds in
    until: str | None = None  # last edition it holds in


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What one statement says of one subject (or of one element of a list).

    `result` is violation, undetermined, deferred, pass or not applicable.
    """

    statement: Statement
    result: str
    unknown: Unknown | None = None
    facts: Facts | None = None  # what the message may name: the subject's facts and the bound elements


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """A decidable clause: `judge` gives one or more outcomes for a subject, a scope at a time."""

    rule: str
    name: str
    line: int
    stage: str
    judges: Mapping[str, Callable[[Facts], list[Outcome]]]  # scope -> function


@dataclass(frozen=True, slots=True, eq=False)
class Conflict:
    """A contradiction between recorded facts of one subject, found by an expression."""

    fact: str
    scope: str
    line: int
    breach: str
    facts: tuple[str, ...]
    condition: Callable[[Facts], Value]
    level: str = "error"


@dataclass(frozen=True, slots=True, eq=False)
class RuleSet:
    """A compiled document, as a gate or a validator module holds it (`RULESET`)."""

    title: str
    edition: str
    editions: tuple[str, ...]  # oldest first
    digest: str
    role: str  # gate or validator
    families: Mapping[str, str]  # section -> family, e.g. "4" -> "checkpointing"
    facts: tuple[FactSpec, ...]
    documents: tuple[Document, ...]
    tables: Tables
    derive: Mapping[str, Callable[[Facts], Facts]]  # scope -> adds that scope's derived facts
    clauses: tuple[Clause, ...]
    conflicts: tuple[Conflict, ...]
    units: Mapping[str, str]  # of recorded and derived facts, by name
    deferred: tuple[str, ...] = ()  # gate: clauses that only a package can decide
