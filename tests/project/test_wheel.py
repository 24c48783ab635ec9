"""The wheel itself: what is in it, and that a new environment with nothing else runs `clausegate`."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from engine import __version__
from tests.command import LAUNCH, ROOT, run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = (sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(folder))
    done = run((str(ROOT),), command=build, variables={"PYTHONPATH": ""})
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of an environment that holds the wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    _install(folder / "bin", str(wheel))
    return folder / "bin"


def _install(commands: Path, what: str) -> None:
    pip = [str(commands / "python"), "-m", "pip", "install", "--quiet", "--no-warn-script-location", what]
    done = subprocess.run(pip, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _run(commands: Path, arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    command = (str(commands / "clausegate"),)
    return run(arguments, cwd=folder, command=command, variables={"PYTHONPATH": ""})


ROOTS = ("bench", "engine", "generated", "rules_dsl")


def test_holds_the_packages_and_the_document(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert tops == {*ROOTS, f"clausegate-{__version__}.dist-info"}
    data = {
        "engine/py.typed",
        "generated/Rules.md",
        "generated/manifest.json",
        "rules_dsl/syntax/grammar.lark",
    }
    assert data <= set(names)
    files = (ROOT / "rules_dsl/catalogue").iterdir()
    catalogue = {str(p.relative_to(ROOT)) for p in files if p.suffix in {".md", ".yaml"}}
    assert {"generated/reference.md", *catalogue} <= set(names)
    pages = {f"engine/docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}
    assert pages == {name for name in names if name.startswith("engine/docs/")}
    assert f"clausegate-{__version__}.dist-info/licenses/LICENSE" in names
    packaged = {name for name in names if name.endswith((".py", ".j2")) and "dist-info" not in name}
    written = {
        str(path.relative_to(ROOT))
        for top in ROOTS
        for path in (ROOT / top).rglob("*")
        if path.suffix in (".py", ".j2")
    }
    assert packaged == written


def test_says_its_version(installed: Path, tmp_path: Path) -> None:
    done = _run(installed, ["--version"], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert __version__ in done.stdout


def test_judges_a_launch(installed: Path, tmp_path: Path) -> None:
    done = _run(installed, LAUNCH, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    refused = _run(installed, [*LAUNCH, "--model", "llama3-405b", "--format", "json"], tmp_path)
    assert (refused.returncode, refused.stderr) == (1, "")
    assert {"4.6.1", "4.6.4"} <= {finding["rule"] for finding in json.loads(refused.stdout)["findings"]}


def test_refuses_to_validate_nothing(installed: Path, tmp_path: Path) -> None:
    done = _run(installed, ["validate", str(tmp_path)], tmp_path)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr


def test_offers_its_rule_set(installed: Path) -> None:
    code = "from importlib.metadata import entry_points as found; print(*found(group='clausegate.rulesets'))"
    done = run(("-I", "-c", code), command=(str(installed / "python"),))
    assert "mlperf-storage" in done.stdout


# The last of the file: it adds the extra to the environment that the tests above share.
def test_the_rule_language_is_an_extra(installed: Path, wheel: Path, tmp_path: Path) -> None:
    (document,) = installed.parent.glob("lib/python*/site-packages/generated/Rules.md")
    assert document.read_bytes() == (ROOT / "Rules.md").read_bytes()
    without = _run(installed, ["rules", str(document)], tmp_path)
    assert without.returncode == 2
    assert "clausegate[build]" in without.stderr
    _install(installed, f"{wheel}[build]")
    rules = _run(installed, ["rules", "--format", "json", str(document)], tmp_path)
    assert (rules.returncode, rules.stderr) == (0, "")
    assert json.loads(rules.stdout)
    compiled = _run(installed, ["build", str(document), "-o", str(tmp_path / "compiled")], tmp_path)
    assert compiled.returncode == 0, compiled.stderr
    for name in ("gate.py", "validator.py", "manifest.json", "reference.md"):
        assert (tmp_path / "compiled" / name).read_bytes() == (document.parent / name).read_bytes()
    for name in ("4.3.5", "N001"):
        told = _run(installed, ["explain", name], tmp_path)
        assert (told.returncode, told.stderr) == (0, "")
        assert told.stdout.startswith(f"{name} ")
        told = _run(installed, ["explain", name, "--document", str(document)], tmp_path)
        assert (told.returncode, told.stderr) == (0, "")
        assert told.stdout.startswith(f"{name} ")
