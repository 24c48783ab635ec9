"""Loading a rule set: the built-in one, a folder's, an installed one; and every way to refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.rulesets import Role, RuleSetError, load

GOOD = "from tests.engine.verdict.handmade import RULESET as HAND\n"


@pytest.mark.parametrize("role", ["gate", "validator"])
def test_the_built_in_rule_set_is_found_by_name(role: Role) -> None:
    assert load(role).role == role


def test_an_installed_rule_set_is_found_by_its_name() -> None:
    assert load("validator", "mlperf-storage").digest == load("validator").digest


def test_a_folder_holds_a_rule_set(tmp_path: Path) -> None:
    (tmp_path / "validator.py").write_text(f"{GOOD}RULESET = HAND\n")
    assert load("validator", str(tmp_path)).title == "by hand"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("RULESET = HAND", None),
        ("RULESET = HAND._replace(role='gate')", "the rule set of a gate, not of a validator"),
        ("RULESET = HAND._replace(edition='9.9')", "its list of editions lacks"),
        ("RULESET = 3", "holds no RULESET"),
        ("", "holds no RULESET"),
        ("RULESET = (", "cannot be loaded: SyntaxError"),
        ("raise SystemExit(3)", "cannot be loaded: SystemExit"),
        ("import nothing_of_this_name", "cannot be loaded: ModuleNotFoundError"),
    ],
)
def test_what_cannot_judge_is_refused_where_it_is_loaded(
    tmp_path: Path, content: str, reason: str | None
) -> None:
    (tmp_path / "validator.py").write_text(f"{GOOD}{content}\n")
    if reason is None:
        load("validator", str(tmp_path))
        return
    with pytest.raises(RuleSetError, match=reason):
        load("validator", str(tmp_path))


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for where, reason in [
        (tmp_path, "holds no validator.py"),
        (tmp_path / "absent", "does not exist"),
        (tmp_path / "file", "is not a folder"),
        (Path("nobody"), "neither a folder nor an installed rule set"),
    ]:
        with pytest.raises(RuleSetError, match=reason):
            load("validator", str(where))
