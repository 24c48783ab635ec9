"""Clauses of section 4 as a person would write them where every fact is known.

They read the same subject as the generated functions and the same tables, and say nothing of what
is missing: what judging costs beyond them is the price of doubt, of findings, of each clause on its own.
"""

from __future__ import annotations

from fractions import Fraction

from generated.facts import (
    ACCELERATOR_TYPES,
    CHANGEABLE,
    CHECKPOINT_OVERRIDES,
    TABLE2,
    TEMPLATE,
    TEMPLATE_ROWS,
    Leaf,
)

DECLARED_MARGIN = Fraction(11, 10)
COUNTS = {0, 10}


def clause_4_3_5(run: Leaf) -> bool:
    """Whether a subset run is another than 8B on 8 accelerators."""
    return run.subset and (run.accelerators != 8 or run.model != "8B")


def section_4(run: Leaf) -> list[str]:
    """The clauses of edition 4.0 that one leaf breaks, once for each of its parameters that does."""
    room = run.accelerators * run.accelerator_memory
    broken = [
        rule
        for rule, holds in (
            ("4.3.1", run.both_phases and run.written_per_host <= 3 * run.memory_per_host),
            ("4.3.1", run.stage == "launch" and run.both_phases and _may_be_cached(run)),
            ("4.3.1", run.declared_memory > DECLARED_MARGIN * run.memory_per_host),
            ("4.3.2", not run.fsync),
            ("4.3.3", run.model not in TABLE2),
            ("4.3.4", run.accelerator not in ACCELERATOR_TYPES),
            ("4.3.4", run.requested not in ACCELERATOR_TYPES[run.accelerator]["offered_in"]),
            ("4.3.4", room < run.written or (run.processes == run.full_count and room < run.nominal)),
            ("4.3.5", clause_4_3_5(run)),
            ("4.4.1", run.arguments and not (run.checkpoint_folder and run.results_folder)),
            ("4.4.1", run.checkpoint_folder == run.results_folder),
            ("4.4.2", run.access == "file" and run.same_filesystem),
            ("4.6.1", run.processes != run.full_count),
            ("4.6.2", run.accelerators_per_host <= 4),
            ("4.6.2", run.accelerators_per_host == CHANGEABLE["Processes per node"]["minimum"]),
            ("4.6.4", run.processes <= 0 or run.processes % run.group_size != 0),
            ("4.7.1", run.writes not in COUNTS or run.reads not in COUNTS),
        )
        if holds
    ]
    for override in run.overrides:
        allowed = CHECKPOINT_OVERRIDES.get(override.key)
        if allowed is None or (allowed["access"] == "object" and run.access != "object"):
            broken.append("4.6.3")
    for parameter in run.parameters:
        if parameter.key in TEMPLATE:
            wanted = TEMPLATE[parameter.key]["value"]
        elif parameter.key in TEMPLATE_ROWS:
            wanted = TABLE2[run.model][TEMPLATE_ROWS[parameter.key]["row"]]
        else:
            continue
        if parameter.value != wanted:
            broken.append("4.6.3")
    return broken


def _may_be_cached(run: Leaf) -> bool:
    """Whether the hosts of a launch may hold its checkpoint in memory."""
    share = Fraction(run.planned, run.hosts)
    return share <= 3 * run.declared_memory or share <= 3 * run.seen_memory
