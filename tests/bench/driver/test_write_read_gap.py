"""The pause between writing and reading is judged by the rules, as the validator will judge it."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bench.driver.write_read_gap import Gap, judge
from engine.launch.accepted import Accepted
from engine.launch.gate import judge as gate
from engine.launch.request import Request
from engine.rulesets import load

ENDED = datetime(2026, 7, 1, 12, 0, 0)

TYPED = {
    "--model": ("llama3-8b",),
    "--num-processes": ("8",),
    "--accelerator-type": ("b200",),
    "--client-host-memory-in-gb": ("512",),
}


def gap(seconds: float, division: str = "closed") -> Gap:
    rules = load("gate", None)
    accepted = Accepted(rules, gate(rules, Request(division, "checkpointing", "run", "file", TYPED, {})), {})
    return judge(accepted, (10, 10), ENDED, ENDED + timedelta(seconds=seconds))


@pytest.fixture
def allowed(rules: Path) -> int:
    """The seconds of the document's own sentence."""
    found = re.search(r"followed by its read invocation within (\d+) seconds", rules.read_text("utf-8"))
    assert found is not None
    return int(found[1])


def test_a_pause_as_long_as_the_rules_allow_is_no_finding(allowed: int) -> None:
    assert gap(0).findings == ()
    assert gap(allowed) == Gap(float(allowed), ())


@pytest.mark.parametrize(("division", "level"), [("closed", "error"), ("open", "error"), ("whatif", "note")])
def test_a_longer_one_is(allowed: int, division: str, level: str) -> None:
    ((found, message),) = gap(allowed + 1, division).findings
    assert found == level
    assert message.startswith("4.7.1 checkpointCacheFlushValidation: the read began 2026-07-01T12:00:31")


def test_clocks_that_disagree_are_told() -> None:
    ((level, message),) = gap(-1).findings
    assert level == "warning"
    assert message.endswith("the clocks disagree")


def test_a_rule_set_without_such_facts_judges_nothing() -> None:
    rules = load("gate", None)
    judged = gate(rules, Request("closed", "checkpointing", "run", "file", TYPED, {}))
    bare = rules._replace(facts=tuple(spec for spec in rules.facts if spec.name != "invocation_end"))
    assert judge(Accepted(bare, judged, {}), (10, 10), ENDED, ENDED + timedelta(hours=1)) == Gap(3600.0, ())
