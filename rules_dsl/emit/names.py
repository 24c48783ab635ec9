"""Names of generated code: of facts, tables, clauses and loops, none of which hides another."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Collection

from engine.runtime import judge, ruleset
from engine.runtime.subject import Subject
from rules_dsl import ir

PARAMETERS = {"leaf": "run", "workload": "workload"}
"""scope -> the name of its subject in a predicate"""

OURS = ("clause_", "derive_", "conflict_", "implausible_", "CLAUSE_")
TAKEN = {
    *PARAMETERS.values(),
    *judge.__all__,
    *dir(builtins),
    *dir(ruleset),
    "COMMON",
    "DOCUMENTS",
    "FACTS",
    "RULESET",
    "SUBJECTS",
    "TABLES",
    "Value",
    "annotations",
    "ceil",
    "datetime",
}
WORDS = re.compile(r"[a-z][a-z0-9]*(_[a-z][a-z0-9]*)*")
"""Names whose words a capital can part."""
ATTRIBUTES = {*dir(Subject), *keyword.kwlist}


def conflict_function(conflict: ir.Conflict) -> str:
    """The function that says whether a fact contradicts others, or passes its bound."""
    return f"{'implausible' if conflict.bound else 'conflict'}_{conflict.fact}"


def scope_class(scope: str) -> str:
    """The class that holds the facts of a scope."""
    return scope.capitalize()


def element_class(listing: str) -> str:
    """The class of the elements of a list that declares them."""
    if not WORDS.fullmatch(listing):
        return f"Element_{listing}"
    return "".join(word.capitalize() for word in listing.split("_")) + "Element"


def elements_of(program: ir.Program, listing: str) -> str:
    """The class of a list's elements: its own, or that of the runs of a workload."""
    return element_class(listing) if program.facts[listing].fields else scope_class("leaf")


def attribute(fact: str) -> str:
    """The attribute that holds a fact: its name, unless Python or a mapping uses that otherwise."""
    return f"{fact}_" if fact.rstrip("_") in ATTRIBUTES else fact


def table_constant(table: str) -> str:
    """The constant that holds a table: its name in capitals, where that is a name and no other table's."""
    if not table.isascii():
        return f"TABLE_u_{table.encode().hex()}"  # Python takes some letters for others
    name = table.upper()
    plain = table.islower() and table[0].isalpha() and not table.startswith("table_")
    return name if plain and name not in TAKEN and not name.startswith(OURS) else f"TABLE_{table}"


def loop_name(name: str, taken: Collection[str]) -> str:
    """A loop's name as a Python name that hides nothing of the module and no loop around it."""
    if name.startswith(OURS):
        name = f"each_{name}"
    while keyword.iskeyword(name) or name in TAKEN or name in taken:
        name += "_"
    return name


def identifier(rule: str) -> str:
    """A clause id as part of a Python name."""
    return re.sub(r"\W", "_", rule)


def clause_constant(clause: ir.Clause) -> str:
    """The constant that holds a clause."""
    return f"CLAUSE_{identifier(clause.rule)}"


def predicate(clause: ir.Clause, statement: ir.Statement) -> str:
    """The function that tells whether a statement is broken."""
    name = f"clause_{identifier(clause.rule)}"
    return name if len(clause.statements) == 1 else f"{name}_statement_{statement.number}"
