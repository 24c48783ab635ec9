"""MLPerf Storage rules, checkpointing, edition 4.0.

The validator: every decidable clause, all scopes.
Generated from Rules.md by `clausegate build`; do not edit.
"""

from __future__ import annotations

from engine.runtime.ruleset import RuleSet, rule_set

from .clauses import (
    CLAUSE_4_3_1,
    CLAUSE_4_3_2,
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
    CLAUSE_4_7_3,
    CLAUSE_4_7_4,
    CONFLICT_ACCELERATORS,
    CONFLICT_COLLECTED_MEMORY,
    CONFLICT_HOSTS,
    CONFLICT_VERIFICATION,
    IMPLAUSIBLE_ACCELERATORS,
    IMPLAUSIBLE_COLLECTED_HOSTS,
    IMPLAUSIBLE_COLLECTED_MEMORY,
    IMPLAUSIBLE_DECLARED_MEMORY,
    IMPLAUSIBLE_HOSTS,
    IMPLAUSIBLE_INVOCATION_END,
    IMPLAUSIBLE_MEASURED_MEMORY,
    IMPLAUSIBLE_PROCESSES,
    IMPLAUSIBLE_READS,
    IMPLAUSIBLE_READ_DURATION,
    IMPLAUSIBLE_READ_RATE,
    IMPLAUSIBLE_REMAP_TIME,
    IMPLAUSIBLE_SLOTS,
    IMPLAUSIBLE_SUMMARY_END,
    IMPLAUSIBLE_WRITES,
    IMPLAUSIBLE_WRITE_DURATION,
    IMPLAUSIBLE_WRITE_RATE,
    IMPLAUSIBLE_WRITTEN,
)
from .facts import COMMON

RULESET: RuleSet = rule_set(
    COMMON,
    "validator",
    clauses=(
        CLAUSE_4_3_1,  # leaf
        CLAUSE_4_3_2,  # leaf
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
        CLAUSE_4_7_3,  # workload
        CLAUSE_4_7_4,  # workload
    ),
    conflicts=(
        CONFLICT_VERIFICATION,
        CONFLICT_ACCELERATORS,
        CONFLICT_HOSTS,
        CONFLICT_COLLECTED_MEMORY,
        IMPLAUSIBLE_PROCESSES,
        IMPLAUSIBLE_ACCELERATORS,
        IMPLAUSIBLE_HOSTS,
        IMPLAUSIBLE_COLLECTED_HOSTS,
        IMPLAUSIBLE_SLOTS,
        IMPLAUSIBLE_DECLARED_MEMORY,
        IMPLAUSIBLE_MEASURED_MEMORY,
        IMPLAUSIBLE_COLLECTED_MEMORY,
        IMPLAUSIBLE_WRITTEN,
        IMPLAUSIBLE_WRITES,
        IMPLAUSIBLE_READS,
        IMPLAUSIBLE_WRITE_RATE,
        IMPLAUSIBLE_WRITE_DURATION,
        IMPLAUSIBLE_READ_RATE,
        IMPLAUSIBLE_READ_DURATION,
        IMPLAUSIBLE_INVOCATION_END,
        IMPLAUSIBLE_SUMMARY_END,
        IMPLAUSIBLE_REMAP_TIME,
    ),
)
