"""What judging costs in memory: generated clauses against the same clauses written by hand.

The leaf is read from a package as the validator reads it, and both sides get the same subject. A
subject keeps what was asked of it, so that most comparisons are of facts already looked at; the
last one makes the subject anew each time, as the validator has it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from benchmarks import by_hand
from benchmarks.interleaved import calls, compare
from engine.package.subjects import survey
from engine.runtime.values import Facts
from engine.verdict.earned import Judge, settled
from engine.verdict.selection import Selection
from examples.builder.leaf import Leaf as Recorded
from generated import clauses
from generated.facts import Leaf
from generated.validator import RULESET
from tests.packages import write_leaf, write_system

SECTION = "4."
CLAUSE_LIMIT = 2
SECTION_LIMIT = 10

SECTION_4 = frozenset(
    clause.rule for clause in RULESET.clauses if clause.rule.startswith(SECTION) and "leaf" in clause.scopes
)
JUDGE = Judge(RULESET, Selection(clauses=SECTION_4))


def facts_of(leaf: Recorded) -> Facts:
    """What is recorded of a leaf, read from a package as the validator reads it."""
    with tempfile.TemporaryDirectory() as name:
        write_system(Path(name))
        write_leaf(Path(name), leaf)
        (read,) = survey(Path(name), RULESET).leaves
    return read.reading.facts


def subject(facts: Facts) -> Leaf:
    """The subject that clauses are asked of, with its derived facts."""
    known, contradictions = settled(RULESET, "leaf", facts)
    if contradictions:
        raise ValueError(f"{contradictions[0].conflict.fact} is contradicted")
    return cast("Leaf", known)


def judged(run: Leaf) -> list[str]:
    """The clauses that the leaf breaks: what the validator asks of its judge."""
    return [
        clause.rule
        for clause, outcomes in JUDGE.outcomes("leaf", run, RULESET.edition)
        for outcome in outcomes
        if outcome.result == "violation"
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return 1 when a limit is passed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=100, help="how often [100]")
    parser.add_argument("--calls", type=int, default=1000, help="of one clause in a round [1000]")
    chosen = parser.parse_args(arguments)
    few = max(1, chosen.calls // 50)
    recorded = facts_of(Recorded())
    whole = subject(recorded)
    subset = subject(facts_of(Recorded(claim=True, partial=True)))
    found = [
        compare(
            f"Clause 4.3.5 {of}",
            ("generated", calls(clauses.clause_4_3_5, run, chosen.calls)),
            ("by hand", calls(by_hand.clause_4_3_5, run, chosen.calls)),
            rounds=chosen.rounds,
            limit=CLAUSE_LIMIT,
        )
        for of, run in (("of a run that is no subset", whole), ("of a subset run", subset))
    ]
    found.append(
        compare(
            f"Section 4, {len(SECTION_4)} clauses on one leaf",
            ("judged", calls(judged, whole, few)),
            ("by hand", calls(by_hand.section_4, whole, few)),
            rounds=chosen.rounds,
            limit=SECTION_LIMIT,
        )
    )
    compare(
        f"Section 4, {len(SECTION_4)} clauses on one leaf just read",
        ("judged", calls(lambda facts: judged(subject(facts)), recorded, few)),
        ("by hand", calls(lambda facts: by_hand.section_4(subject(facts)), recorded, few)),
        rounds=chosen.rounds,
    )
    return 0 if all(one.kept for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
