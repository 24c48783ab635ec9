"""What is known of one subject before it is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.runtime.origins import EvidenceProblem, Origins
from engine.runtime.ruleset import Conflict
from engine.runtime.values import Facts, Other, Value


class Contradiction(NamedTuple):
    """A conflict of the rule set that holds, and the facts as they are recorded."""

    conflict: Conflict
    facts: Facts


NOWHERE: Origins = {}


class Evidence(NamedTuple):
    """What is known of one subject. `facts` is by scope, derived facts included.

    A launch has facts of several scopes, a subject of a package those of one. `requested` is the
    division asked for; `covered` names facts whose problem is reported with another subject (a
    workload's leaves).
    """

    path: str
    scope: str
    facts: Mapping[str, Facts]
    requested: Value
    origins: Origins = NOWHERE
    problems: Sequence[EvidenceProblem] = ()
    contradictions: Sequence[Contradiction] = ()
    covered: frozenset[str] = frozenset()


def division(requested: Value) -> str | None:
    """The division asked for, as recorded; None when it is not known."""
    if isinstance(requested, Other):
        return requested.text
    return requested if isinstance(requested, str) else None
