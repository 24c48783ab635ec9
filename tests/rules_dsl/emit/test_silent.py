"""A rule set knows the clauses that it does not decide, and the sections that its document skips."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.rulesets import load
from engine.runtime.ruleset import RuleSet
from rules_dsl.emit.files import write_files
from rules_dsl.emit.modules import emit
from tests.rules_dsl.documents import HEAD, clause, sound

OPEN_HEAD = HEAD.replace("---\n\n#", "complete: no\n---\n\n#")


def built(folder: Path, text_of: str, head: str = HEAD) -> RuleSet:
    program = sound(text_of, head=head).program
    write_files(folder, emit(program, "Doc.md"))
    return load("validator", str(folder))


def test_clauses_that_nothing_decides_are_known_with_their_reason(tmp_path: Path) -> None:
    text = (
        clause("error if flag")
        + clause('informative "it tells"', number="1.1.2", name="second")
        + clause('undecidable "nobody records it"', number="1.1.3", name="third")
    )
    rules = built(tmp_path, text)
    assert rules.complete
    assert [(one.rule, one.name, one.kind, one.why) for one in rules.silent] == [
        ("1.1.2", "second", "informative", "it tells"),
        ("1.1.3", "third", "undecidable", "nobody records it"),
    ]


def test_clauses_without_a_rule_are_known_as_unstated(tmp_path: Path) -> None:
    text = clause("error if flag") + "1.1.2. **second** -- In words.\n\n1.1.3. **third** -- In words.\n"
    rules = built(tmp_path, text, OPEN_HEAD)
    assert not rules.complete
    assert [(one.rule, one.kind) for one in rules.silent] == [("1.1.2", "unstated"), ("1.1.3", "unstated")]


@pytest.mark.parametrize(
    ("parts", "absent"),
    [
        (["# 1. One\n\n", "# 2. Two\n\n"], ()),
        (["# 2. Two\n\n", "# 4. Four\n\n"], ("3",)),
        (["# 2. Two\n\n", "## 2.1. A\n\n", "## 2.4. B\n\n"], ("2.2", "2.3")),
        (["# 2026 in numbers\n\n"], ()),
        (["# 3. Three\n\n", "3.2.1. **late** -- Words.\n\n```rule\nnote if flag\n```\n\n"], ("2", "3.1")),
    ],
)
def test_sections_that_the_numbers_skip_are_absent(parts: list[str], absent: tuple[str, ...]) -> None:
    assert sound(clause("error if flag"), *parts).program.absent == absent
