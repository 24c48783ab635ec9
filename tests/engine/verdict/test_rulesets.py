"""Loading a rule set: the built-in one, a folder's, an installed one; and every way to refuse."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.rulesets import Role, RuleSetError, load
from tests.command import LAUNCH, ROOT, run

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


def built(folder: Path) -> Path:
    """A copy of the built-in rule set, as a folder of its own."""
    shutil.copytree(ROOT / "generated", folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


MODULES = ("__init__.py", "facts.py", "clauses.py", "gate.py", "validator.py")


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("role", ["gate", "validator"])
def test_a_module_that_is_not_what_was_built_is_refused(tmp_path: Path, role: Role, name: str) -> None:
    folder = built(tmp_path / "rules")
    assert load(role, str(folder)).role == role
    file = folder / name
    text = file.read_text("utf-8")
    file.write_text(text.replace("clausegate build", "clausegate  build"), "utf-8")
    other = {"gate": "validator.py", "validator": "gate.py"}[role]
    if name == other:  # nobody executes it
        load(role, str(folder))
        return
    with pytest.raises(RuleSetError) as refused:
        load(role, str(folder))
    assert f"{file} is not what was built" in str(refused.value)
    assert f"mend with: clausegate build DOCUMENT -o {folder}" in str(refused.value)


def test_every_character_of_a_module_counts(tmp_path: Path) -> None:
    folder = built(tmp_path / "rules")
    file = folder / "clauses.py"
    text = file.read_bytes()
    for place in range(0, len(text), len(text) // 40):
        file.write_bytes(text[:place] + bytes([text[place] ^ 1]) + text[place + 1 :])
        with pytest.raises(RuleSetError, match="is not what was built"):
            load("gate", str(folder))
    file.write_bytes(text)
    load("gate", str(folder))


def test_a_changed_module_is_refused_before_any_of_it_is_executed(tmp_path: Path) -> None:
    folder = built(tmp_path / "rules")
    file = folder / "facts.py"
    file.write_text(f"{file.read_text('utf-8')}\nopen({str(tmp_path / 'done')!r}, 'w')\n", "utf-8")
    with pytest.raises(RuleSetError):
        load("gate", str(folder))
    assert not (tmp_path / "done").exists()


@pytest.mark.parametrize("content", [None, "", "{", "{}"])
def test_generated_modules_need_their_manifest(tmp_path: Path, content: str | None) -> None:
    folder = built(tmp_path / "rules")
    (folder / "manifest.json").unlink()
    if content is not None:
        (folder / "manifest.json").write_text(content)
    shutil.copy(ROOT / "Rules.md", folder)
    with pytest.raises(RuleSetError, match=r"mend with: clausegate build .*Rules\.md -o "):
        load("gate", str(folder))


def test_the_built_in_one_and_the_commands_say_the_same(tmp_path: Path) -> None:
    for name in ("bench", "engine", "rules_dsl"):
        (tmp_path / name).symlink_to(ROOT / name)
    folder = built(tmp_path / "generated")
    shutil.copy(ROOT / "Rules.md", tmp_path)
    variables = {"PYTHONPATH": str(tmp_path)}
    assert run(LAUNCH, variables=variables, cwd=tmp_path).returncode == 0
    file = folder / "clauses.py"
    text = file.read_text("utf-8")
    file.write_text(text.replace("= 30", "= 31", 1) if "= 30" in text else f"{text} ", "utf-8")
    for words in ([*LAUNCH], ["validate", str(ROOT / "examples" / "clean")]):
        done = run(words, variables=variables, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert "clauses.py is not what was built" in " ".join(done.stderr.split())
        assert f"clausegate build {tmp_path}/Rules.md -o {folder}" in " ".join(done.stderr.split())
    mended = run(["build", f"{tmp_path}/Rules.md", "-o", str(folder)], variables=variables, cwd=tmp_path)
    assert mended.returncode == 0, mended.stderr
    assert run(LAUNCH, variables=variables, cwd=tmp_path).returncode == 0
