"""`build`: the same bytes everywhere, all or nothing, and nothing but what the allow-list lets pass."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import cli
from rules_dsl.compile import compile_text, read_text
from rules_dsl.emit.modules import emit
from rules_dsl.explain.pages import reference
from tests.command import ROOT, run
from tests.rules_dsl.documents import clause, document

RULES = ROOT / "Rules.md"
NAMES = ["__init__.py", "clauses.py", "facts.py", "gate.py", "manifest.json", "reference.md", "validator.py"]
CASES = "| n | verdict |\n|---|---------|\n| 2 | INVALID |\n| 1 | pass    |"
PLAIN = document(clause("error if n > 1", cases=CASES))


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "Doc.md"
    path.write_text(PLAIN, "utf-8")
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir())} if folder.is_dir() else {}


def digest(folder: Path) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in contents(folder).items()}


SETS = document(
    clause('error if fruit in {"Fig", "Pear", "Apple"} or n in {3, 1, 2.5} or "a" in crop[fruit].seasons'),
    clause("warn if title in limits or loose in {yes, 1}", number="1.1.2", name="second"),
)


@pytest.mark.parametrize(
    "text",
    [SETS, pytest.param(RULES.read_text("utf-8"), marks=pytest.mark.slow)],
    ids=["a small document", "the rules"],
)
def test_what_is_built_does_not_depend_on_where_and_how(text: str, tmp_path: Path) -> None:
    (tmp_path / "Rules.md").write_text(text, "utf-8")
    elsewhere = tmp_path / "ein Ördner"
    elsewhere.mkdir()
    ways: list[tuple[Path, str, dict[str, str]]] = [
        (tmp_path, "Rules.md", {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}),
        (elsewhere, "../Rules.md", {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "Asia/Tokyo"}),
        (
            Path("/"),
            str(tmp_path / "Rules.md"),
            {"PYTHONHASHSEED": "4242", "LC_ALL": "POSIX", "PYTHONUTF8": "0", "TZ": "America/St_Johns"},
        ),
    ]
    found = []
    for number, (cwd, name, variables) in enumerate(ways):
        out = tmp_path / f"out{number}"
        told = run(["build", name, "-o", str(out)], cwd=cwd, variables=variables)
        assert told.returncode == 0, told.stderr
        found.append(digest(out))
    assert sorted(found[0]) == NAMES
    assert found[0] == found[1] == found[2]


@pytest.mark.slow
def test_sets_are_built_in_one_order_whatever_the_seed(tmp_path: Path) -> None:
    (tmp_path / "Doc.md").write_text(SETS, "utf-8")
    found = []
    for seed, zone in (("1", "UTC"), ("2", "Asia/Kathmandu"), ("77", "Pacific/Apia"), ("random", "")):
        told = run(
            ["build", "Doc.md", "-o", f"out{seed}"],
            cwd=tmp_path,
            variables={"PYTHONHASHSEED": seed, "TZ": zone, "LANG": "tr_TR.UTF-8", "LC_ALL": ""},
        )
        assert told.returncode == 0, told.stderr
        found.append(digest(tmp_path / f"out{seed}"))
    assert found[1:] == found[:1] * 3


def test_what_is_checked_in_is_fresh() -> None:
    compiled = compile_text(read_text(RULES), "Rules.md")
    files = emit(compiled.program, "Rules.md")
    files["reference.md"] = reference(compiled, "Rules.md", files)
    for name, text in files.items():
        assert (ROOT / "generated" / name).read_text("utf-8") == text, "mend with: clausegate build"


def test_build_writes_beside_the_document_or_where_it_is_told(plain: Path, tmp_path: Path) -> None:
    assert invoke("build", str(plain)).exit_code == 0
    assert sorted(contents(tmp_path / "generated")) == NAMES
    assert invoke("build", str(plain), "-o", str(tmp_path / "a" / "b")).exit_code == 0
    assert contents(tmp_path / "a" / "b") == contents(tmp_path / "generated")


def test_a_second_build_touches_nothing(plain: Path, tmp_path: Path) -> None:
    invoke("build", str(plain))
    stamps = {p: p.stat().st_mtime_ns for p in (tmp_path / "generated").iterdir()}
    told = invoke("build", str(plain))
    assert (told.exit_code, "nothing changed" in told.output) == (0, True)
    assert stamps == {p: p.stat().st_mtime_ns for p in (tmp_path / "generated").iterdir()}


def test_check_is_quiet_about_what_is_fresh(plain: Path) -> None:
    invoke("build", str(plain))
    assert invoke("build", "--check", str(plain)).exit_code == 0


def test_check_of_what_was_never_built(plain: Path, tmp_path: Path) -> None:
    told = invoke("build", "--check", str(plain))
    assert told.exit_code == 1
    assert "does not exist" in told.output
    assert f"clausegate build {plain}" in told.output
    assert not (tmp_path / "generated").exists()


def test_check_shows_what_is_stale_and_the_command_that_mends_it(plain: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    invoke("build", str(plain), "-o", str(out))
    before = contents(out)
    plain.write_text(PLAIN.replace("n > 1", "n > 0").replace("| 1 |", "| 0 |"), "utf-8")
    told = invoke("build", "--check", str(plain), "-o", str(out))
    assert told.exit_code == 1
    assert "-" + " " * 4 in told.output or "\n-" in told.output
    assert "\n+" in told.output
    assert f"clausegate build {plain} -o {out}" in told.output
    assert contents(out) == before
    assert invoke("build", str(plain), "-o", str(out)).exit_code == 0
    assert invoke("build", "--check", str(plain), "-o", str(out)).exit_code == 0


@pytest.mark.parametrize("name", NAMES)
def test_check_shows_what_was_edited_by_hand(plain: Path, tmp_path: Path, name: str) -> None:
    invoke("build", str(plain))
    edited = tmp_path / "generated" / name
    edited.write_text(edited.read_text("utf-8") + "# mine\n", "utf-8")
    told = invoke("build", "--check", str(plain))
    assert told.exit_code == 1
    assert "-# mine" in told.output
    assert str(edited) in told.output
    assert "mend with: clausegate build" in told.output


def test_check_shows_line_ends_that_were_changed(plain: Path, tmp_path: Path) -> None:
    invoke("build", str(plain))
    edited = tmp_path / "generated" / "gate.py"
    edited.write_bytes(edited.read_bytes().replace(b"\n", b"\r\n"))
    assert invoke("build", "--check", str(plain)).exit_code == 1


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (PLAIN.replace("n > 1", "nn > 1"), "nothing is called `nn`"),
        (PLAIN.replace("| pass ", "| note "), "its case says note"),
        (PLAIN.replace("| pass ", "| psas "), "no verdict is called `psas`"),
    ],
    ids=["a name", "a case", "a word"],
)
def test_a_document_with_errors_writes_nothing(plain: Path, tmp_path: Path, broken: str, said: str) -> None:
    invoke("build", str(plain))
    before = contents(tmp_path / "generated")
    plain.write_text(broken, "utf-8")
    told = invoke("build", str(plain))
    assert told.exit_code == 1
    assert said in told.output
    assert "nothing was written" in told.output
    assert contents(tmp_path / "generated") == before
    told = invoke("build", str(plain), "-o", str(tmp_path / "new"))
    assert told.exit_code == 1
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_written(plain: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        told = invoke("build", str(plain), "-o", str(out))
        assert told.exit_code == 2, told.output
        assert "internal error" not in told.output
    (tmp_path / "out" / "validator.py").mkdir(parents=True)
    for more in ((), ("--check",)):
        told = invoke("build", str(plain), "-o", str(tmp_path / "out"), *more)
        assert told.exit_code == 2, told.output
        assert "internal error" not in told.output
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["validator.py"]


def test_a_disk_that_is_full_half_way_leaves_the_old_set(
    plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    invoke("build", str(plain))
    before = contents(tmp_path / "generated")
    plain.write_text(PLAIN.replace("n > 1", "n > 0").replace("| 1 |", "| 0 |"), "utf-8")
    left = [2]
    sync = os.fsync

    def full(handle: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        sync(handle)

    monkeypatch.setattr(os, "fsync", full)
    told = invoke("build", str(plain))
    assert told.exit_code == 2
    assert contents(tmp_path / "generated") == before, "gate and validator must be of one document"


def test_the_manifest_says_what_tools_ask(plain: Path, tmp_path: Path) -> None:
    invoke("build", str(plain))
    manifest = json.loads((tmp_path / "generated" / "manifest.json").read_text("utf-8"))
    assert manifest["document"]["digest"] == "sha256:" + hashlib.sha256(PLAIN.encode()).hexdigest()
    (only,) = manifest["clauses"]
    assert (only["id"], only["kind"], only["stage"], only["facts"]) == ("1.1.1", "decidable", "launch", ["n"])
    assert PLAIN.splitlines()[only["line"] - 1].startswith("1.1.1. **someClause**")
    fact = next(f for f in manifest["facts"] if f["name"] == "n")
    assert (fact["launch"], fact["package"]) == ("--n", ["metadata:n"])


def test_generated_code_runs_without_the_language(plain: Path, tmp_path: Path) -> None:
    invoke("build", str(plain))
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from generated import gate as m\n"
        "assert sys.argv[1] in m.__file__\n"
        "print(m.RULESET.clauses[0].rule, sorted({n.split('.')[0] for n in sys.modules} & "
        "{'rules_dsl', 'lark', 'jinja2', 'yaml', 'markdown_it', 'click'}))\n"
    )
    told = run(["-c", code, str(tmp_path)], command=(sys.executable,))
    assert told.stdout == "1.1.1 []\n", told.stderr
