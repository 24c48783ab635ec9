"""The shape of a compiled rule set: what generated modules hold and the engine runs.

Everything here is plain data, so that a generated module is a list of literals and one
function a statement. Nothing in it depends on the rule language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from engine.runtime.subject import Subject
from engine.runtime.values import Facts, Unknown, Value

Cell: TypeAlias = "bool | int | Fraction | str | frozenset[str]"
"""A table's cell. An `Invalid` cell is left out of its row."""

Tables: TypeAlias = Mapping[str, Mapping[str, Mapping[str, Cell]]]
"""table -> key -> column -> cell"""

Table: TypeAlias = Mapping[str, Mapping[str, Any]]
"""key -> column -> cell, for the predicates that know which type a column has"""


class Source(NamedTuple):
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


CHANGES = ("easy", "hard", "never")
"""How hard it is for a user to give an option another value: words that are merely typed, what is bought or
given, and what the run is for."""


GROUPS: Mapping[str, str] = {
    "run": "The run",
    "size": "Its size",
    "where": "Where it runs",
    "mpi": "MPI",
    "tool": "The tool",
}
"""group of an option -> the heading under which help shows it"""


class Launch(NamedTuple):
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
    files: str | None = None  # argument access: the member that reaches the storage as files
    alias: tuple[str, ...] = ()  # option: what may be typed instead, such as -m
    group: str | None = None  # option: where help shows it, of GROUPS
    change: str | None = None  # option: how hard it is for a user to change, of CHANGES


class FactSpec(NamedTuple):
    """A declared fact: its type, meaning and evidence. `scope` is leaf, workload, ..."""

    name: str
    type: str  # bool, enum, integer, number, text, path, time, any, list
    scope: str
    meaning: str
    unit: str | None = None
    members: Mapping[str, tuple[str, ...]] | None = None  # enum: member -> aliases
    role: str | None = None  # what it is to the engine, of engine.runtime.roles
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


class Document(NamedTuple):
    """A file that holds evidence: where it stands, how it is read, what older tools called its keys."""

    name: str
    scope: str  # leaf, system, ...: the folder that `file` is relative to
    file: str  # glob; {family}, {timestamp}, {system} are replaced
    format: str  # json, yaml, text
    renamed: Mapping[str, tuple[str, ...]]  # first key -> older spellings
    line: int = 0


class Division(NamedTuple):
    """A division that a run may be asked for.

    A run that breaks nothing earns the `category` of the division of highest `rank`; one whose breach
    costs a division may still earn the next lower one. Runs of a division of `advice` are never judged.
    """

    name: str
    category: str = ""  # what is earned in it; empty for advice
    rank: int = 0  # 1, 2, ...; 0 for advice
    advice: bool = False


Test: TypeAlias = "Callable[..., Value | None]"
"""What breaks a statement, asked of a subject (and of the elements that `each` binds): yes breaks it,
None is not applicable."""


class Each(NamedTuple):
    """The list that a statement runs over, element by element (one name) or neighbours (two names)."""

    names: tuple[str, ...]
    listing: str  # the list fact
    where: Callable[..., Value] | None = (
        None  # neighbours: among which elements; asked of the subject and one element
    )


class Statement(NamedTuple):
    """One `error|warn|note if` of a clause."""

    line: int
    breach: str  # the rendered sentence, without its scope
    facts: tuple[str, ...]  # every fact read, derived ones and what they rest on included
    test: Test
    number: int = 1  # 1, 2, ... within the clause
    level: str = "error"  # error, warning, note
    category: str = "all"  # all, package, or the division that it costs
    scope: str = "leaf"
    stage: str = "launch"  # launch: the gate judges it; package: only the validator
    each: Each | None = None
    because: str | None = None  # message template, {fact} in braces
    fix: str | None = None
    since: str | None = None  # first edition it holds in
    until: str | None = None  # last edition it holds in
    listed: tuple[str, ...] = ()  # facts of which it asks whether their word is one of their members


class Outcome(NamedTuple):
    """What one statement says of one subject (or of one element of a list).

    `result` is violation, undetermined, deferred, pass or not applicable.
    """

    statement: Statement
    result: str
    unknown: Unknown | None = None
    facts: Facts | None = None  # what the message may name: the subject's facts and the bound elements


class Clause(NamedTuple):
    """A decidable clause and its statements, in the document's order."""

    rule: str
    name: str
    line: int
    stage: str
    statements: tuple[Statement, ...]

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes of its statements, in their order."""
        return tuple(dict.fromkeys(statement.scope for statement in self.statements))


class Silent(NamedTuple):
    """A clause that nothing decides: what `kind` it is, and why, in the document's words."""

    rule: str
    name: str
    kind: str  # informative, undecidable (left to people), unstated
    why: str = ""


class Conflict(NamedTuple):
    """A contradiction between recorded facts of one subject: it holds when `test` says yes.

    Of a `bound` on what a fact can be at all `test` says that it is passed, `breach` what should hold.
    """

    fact: str
    scope: str
    line: int
    breach: str
    facts: tuple[str, ...]
    test: Callable[[Any], Value]
    level: str = "error"
    bound: bool = False


class RuleSet(NamedTuple):
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
    subjects: Mapping[str, type[Subject]]  # scope -> its facts as attributes, derived ones included
    clauses: tuple[Clause, ...]
    conflicts: tuple[Conflict, ...]
    units: Mapping[str, str]  # of recorded and derived facts, by name
    deferred: tuple[str, ...] = ()  # gate: clauses that only a package can decide
    divisions: tuple[Division, ...] = ()  # in the document's order
    commands: Mapping[str, Mapping[str, str]] = {}  # family -> command -> what it does, of roles.ACTIONS
    silent: tuple[Silent, ...] = ()  # clauses without a statement, in the document's order
    complete: bool = True  # no: clauses may be unstated, so that nothing can be earned
    absent: tuple[str, ...] = ()  # sections that the document does not have, by its own numbers

    def subject(self, scope: str, facts: Facts) -> Facts:
        """The facts of a subject of this scope, with those that follow from them."""
        made = self.subjects.get(scope)
        return facts if made is None else made(facts)


def rule_set(
    common: RuleSet,
    role: str,
    clauses: tuple[Clause, ...],
    conflicts: tuple[Conflict, ...] = (),
    deferred: tuple[str, ...] = (),
) -> RuleSet:
    """A gate or a validator: what both know of the document, and the clauses that this one judges."""
    return common._replace(role=role, clauses=clauses, conflicts=conflicts, deferred=deferred)
