"""Prefixes of clause ids: whole parts only, and never a silent miss."""

from __future__ import annotations

import pytest

from engine.verdict.findings import natural
from engine.verdict.selection import EVERYTHING, SelectionError, choose, selects
from tests.engine.verdict.handmade import CLAUSES, RULESET

ALL = frozenset(clause.rule for clause in CLAUSES)


@pytest.mark.parametrize(
    ("prefix", "rule", "selected"),
    [
        ("4.", "4.3.5", True),
        ("4", "4.3.5", True),
        ("4", "41.1", False),
        ("4.3.5", "4.3.5", True),
        ("4.3.5", "4.3.51", False),
        ("4.3.5.", "4.3.5.1", True),
        ("4.3", "4.3.5", True),
        ("2.1.18", "2.1.18a", False),
        (".", "4.3.5", False),
        ("", "4.3.5", False),
        ("PROV-01", "PROV-01", True),
    ],
)
def test_a_prefix_ends_at_a_dot(prefix: str, rule: str, selected: bool) -> None:
    assert selects(prefix, rule) is selected


def test_nothing_asked_for_is_everything() -> None:
    assert choose(RULESET) is EVERYTHING
    assert choose(RULESET, ("4.",)).clauses == ALL


def test_ignoring_takes_away_from_what_is_selected() -> None:
    assert choose(RULESET, ("4.3",), ("4.3.5",)).clauses == frozenset({"4.3.1", "4.3.4", "4.3.51"})
    assert choose(RULESET, (), ("4.3", "evidence")).clauses == ALL - {"4.3.1", "4.3.4", "4.3.5", "4.3.51"}


@pytest.mark.parametrize(
    ("prefix", "hint"),
    [
        ("4.3.6", "did you mean 4.3. or 4.3.4 or 4.3.5?"),
        ("checkpointsubsetrunvalidation", "did you mean 4.3.5?"),
        ("evidnce", "did you mean evidence?"),
        ("zzz", "the rule set has sections 4"),
    ],
)
def test_a_prefix_that_matches_nothing_is_refused_with_what_was_meant(prefix: str, hint: str) -> None:
    with pytest.raises(SelectionError, match="no decidable clause matches") as refused:
        choose(RULESET, (prefix,))
    assert hint in str(refused.value)


def test_ids_sort_as_people_count() -> None:
    ids = ["4.3.10", "4.3.9", "2.1.18a", "2.1.18", "PROV-01", "10.1", "4.3"]
    assert sorted(ids, key=natural) == ["2.1.18", "2.1.18a", "4.3", "4.3.9", "4.3.10", "10.1", "PROV-01"]
