"""The tables and commands of examples/README.md are true, and so is what README.md shows of them."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from examples.make import PACKAGES, TREE
from tests.command import ROOT, run
from tests.vectors.answers import Answer, package

EXAMPLES = ROOT / "examples"
README = (EXAMPLES / "README.md").read_text("utf-8")
COMMANDS = re.findall(r"^\$ (clausegate .*)$", README, re.MULTILINE)
FIRST = re.findall(
    r"^\$ (clausegate validate examples/.*)$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE
)
SCRIPTS = re.findall(r"^\$ \.venv/bin/python (.*)$", README, re.MULTILINE)
SECTION = re.compile(r"^## (\S+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
RESULTS, SYSTEM = "results", 3  # the index of the system's folder in a path
HOLDING = {"clean", "edition-3.0", "advice"}
CLAUSE = re.compile(r"\b4\.\d\.\d\b")


@dataclass(frozen=True)
class Row:
    earned: str
    findings: frozenset[str]
    words: str


def tables() -> dict[str, dict[tuple[str, str], Row]]:
    """Per package the rows of its table, by system and part."""
    found: dict[str, dict[tuple[str, str], Row]] = defaultdict(dict)
    for name, text in SECTION.findall(README):
        for line in text.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not line.startswith("|") or cells[0] == "system" or set(line) <= {"|", "-"}:
                continue
            system, part, earned, findings, words = cells
            assert (system, part) not in found[name], f"{system} {part} stands twice"
            listed = frozenset() if findings == "-" else frozenset(findings.split(", "))
            found[name][system, part] = Row(earned, listed, words)
    return found


TABLES = tables()


def parts(answer: Answer) -> dict[str, tuple[str, str]]:
    """The system and the part of each subject, by its path."""
    named: dict[str, tuple[str, str]] = {}
    leaves = defaultdict(list)
    for subject in answer.report["subjects"]:
        path = subject["path"].split("/")
        assert path[SYSTEM - 1] == RESULTS
        if subject["scope"] == "workload":
            named[subject["path"]] = (path[SYSTEM], "workload")
        else:
            leaves[path[SYSTEM]].append(subject["path"])
    for system, paths in leaves.items():
        for number, path in enumerate(sorted(paths), start=1):
            named[path] = (system, f"run {number}" if len(paths) > 1 else "run")
    return named


def told(finding: dict[str, Any]) -> str:
    """A finding as the table writes it."""
    if finding["rule"] == "evidence":
        return f"evidence {finding['name']}"
    doubt = " (undetermined)" if finding["outcome"] == "undetermined" else ""
    return f"{'warning ' if finding['level'] == 'warning' else ''}{finding['rule']}{doubt}"


@pytest.fixture(scope="module", params=PACKAGES)
def judged(request: pytest.FixtureRequest, packages: Path) -> tuple[str, Answer]:
    return request.param, package(packages / request.param)


def said(answer: Answer) -> dict[tuple[str, str], tuple[str, set[str]]]:
    """What each part earned and breaks, notes left out."""
    named = parts(answer)
    findings = defaultdict(set)
    for finding in answer.report["findings"]:
        if finding["level"] != "note":
            findings[named[finding["path"]]].add(told(finding))
    return {
        named[subject["path"]]: (subject["earned"] or "-", findings[named[subject["path"]]])
        for subject in answer.report["subjects"]
    }


def test_every_package_has_a_table() -> None:
    assert {name for name, rows in TABLES.items() if rows} == set(PACKAGES)


def test_each_run_earns_and_breaks_what_its_row_says(judged: tuple[str, Answer]) -> None:
    name, answer = judged
    rows, actual = TABLES[name], said(answer)
    for (system, part), (earned, found) in list(actual.items()):
        if part == "workload" and (system, part) not in rows:
            assert not found, f"{system} breaks {found} as a workload and has no row for it"
            assert earned in {row.earned for (other, _), row in rows.items() if other == system}
            del actual[system, part]
    assert {key: (row.earned, set(row.findings)) for key, row in rows.items()} == actual


@pytest.mark.parametrize("name", TREE)
def test_what_stands_in_the_tree_is_judged_as_its_row_says(name: str) -> None:
    answer = package(EXAMPLES / name)
    runs = {key: found for key, found in said(answer).items() if key[1] != "workload"}
    [(key, (earned, found))] = runs.items()
    row = TABLES[name][key]
    assert (row.earned, set(row.findings)) == (earned, found)
    assert f"`{key[0]}`" in README.partition("\n## ")[0]
    assert answer.code == (0 if name in HOLDING else 1)


def test_words_name_no_clause_that_is_not_found(judged: tuple[str, Answer]) -> None:
    name, answer = judged
    named = parts(answer)
    found = defaultdict(set)
    for finding in answer.report["findings"]:
        found[named[finding["path"]][0]].add(finding["rule"])
    for (system, _), row in TABLES[name].items():
        assert set(CLAUSE.findall(row.words)) <= found[system]


def test_each_package_ends_as_the_page_says(judged: tuple[str, Answer]) -> None:
    name, answer = judged
    assert answer.code == (0 if name in HOLDING else 1)


def test_advice_names_its_notes(judged: tuple[str, Answer]) -> None:
    name, answer = judged
    if name != "advice":
        return
    notes = {finding["rule"] for finding in answer.report["findings"]}
    assert notes == {rule for row in TABLES[name].values() for rule in CLAUSE.findall(row.words)}


def test_edition_three_warns_of_what_edition_four_refuses(packages: Path) -> None:
    answer = package(packages / "edition-3.0", "--edition", "4.0")
    assert {"4.4.2", "4.7.1"} == answer.broken
    assert answer.earned() <= {"INVALID", "UNDETERMINED"}
    assert answer.earned("workload") <= {"INVALID", "UNDETERMINED"}


def test_the_first_page_shows_what_stands_in_the_tree() -> None:
    assert [Path(line.split()[2]).parts[1] for line in FIRST] == list(TREE)
    assert set(FIRST) < set(COMMANDS)


@pytest.mark.parametrize("line", SCRIPTS)
def test_the_scripts_of_the_page_run(line: str, clone: Path) -> None:
    done = run(shlex.split(line), command=(sys.executable,), cwd=clone)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("line", COMMANDS)
def test_the_commands_of_the_page_run(line: str, clone: Path) -> None:
    _, *arguments = shlex.split(line)
    done = run(arguments, cwd=clone)
    assert done.returncode == (0 if Path(arguments[1]).name == "clean" else 1), done.stdout
    assert done.stderr == ""
    if "json" in arguments:
        assert json.loads(done.stdout)["findings"]
    else:
        assert max(len(shown) for shown in done.stdout.splitlines()) <= 80
