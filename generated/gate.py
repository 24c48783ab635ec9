"""MLPerf Storage rules, checkpointing, edition 4.0.

The launch gate: every clause of which a run can break something before it starts.
Generated from Rules.md by `clausegate build`; do not edit.
"""

from __future__ import annotations

from engine.runtime.ruleset import RuleSet, rule_set

from .clauses import (
    CLAUSE_4_3_1,
    CLAUSE_4_3_3,
    CLAUSE_4_3_4,
    CLAUSE_4_3_5,
    CLAUSE_4_4_1,
    CLAUSE_4_4_2,
    CLAUSE_4_6_1,
    CLAUSE_4_6_2,
    CLAUSE_4_6_3,
    CLAUSE_4_6_4,
    CLAUSE_4_7_1,
)
from .facts import COMMON

RULESET: RuleSet = rule_set(
    COMMON,
    "gate",
    clauses=(
        CLAUSE_4_3_1,  # leaf
        CLAUSE_4_3_3,  # leaf
        CLAUSE_4_3_4,  # leaf
        CLAUSE_4_3_5,  # leaf
        CLAUSE_4_4_1,  # leaf
        CLAUSE_4_4_2,  # leaf
        CLAUSE_4_6_1,  # leaf
        CLAUSE_4_6_2,  # leaf
        CLAUSE_4_6_3,  # leaf
        CLAUSE_4_6_4,  # leaf
        CLAUSE_4_7_1,  # leaf, workload
    ),
    deferred=("4.3.2", "4.7.3", "4.7.4"),
)
