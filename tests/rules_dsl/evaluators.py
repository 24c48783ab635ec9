"""Both evaluators of one rule: the interpreter, and the validator emitted from it.

Each test compiles a small rule once; what the two say of the same facts has to be the same.
"""

from __future__ import annotations

from functools import cache

from engine.runtime.judge import judge_statement
from engine.runtime.ruleset import RuleSet
from engine.runtime.values import Facts, Kind, Unknown
from rules_dsl.compile import Compiled
from rules_dsl.emit.modules import emit
from rules_dsl.evaluate.interpreter import interpret_clause
from tests.rules_dsl.documents import clause, sound
from tests.rules_dsl.emit.emitted import load_ruleset


def absent(name: str = "flag") -> Unknown:
    """Not recorded."""
    return Unknown.of(name, Kind.ABSENT)


def unreadable(name: str = "flag") -> Unknown:
    """Recorded in a source that cannot be read."""
    return Unknown.of(name, Kind.UNREADABLE)


def deferred(name: str = "flag") -> Unknown:
    """Known after the run."""
    return Unknown.of(name, Kind.DEFERRED)


UNKNOWNS = (absent(), unreadable(), deferred())
NOBODY = Unknown(frozenset())


@cache
def compiled_rule(rule: str) -> tuple[Compiled, RuleSet]:
    """A clause around the rule, and its emitted validator."""
    found = sound(clause(rule))
    return found, load_ruleset(emit(found.program, "Doc.md"))


def results(rule: str, facts: Facts, scope: str = "leaf") -> list[str]:
    """What both evaluators say of the rule's first statement, which must be the same."""
    found, ruleset = compiled_rule(rule)
    told = interpret_clause(found.program, found.program.clauses[0], {scope: facts})[1]
    (statement, *_) = ruleset.clauses[0].statements
    outcomes = [o.result for o in judge_statement(statement, ruleset.subject(scope, facts))]
    assert outcomes == told
    return told


def result(rule: str, facts: Facts) -> str:
    """The one result of a statement without a loop."""
    (found,) = results(rule, facts)
    return found
