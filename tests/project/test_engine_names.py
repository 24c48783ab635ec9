"""The engine names no division, category, model, family, option or clause of Rules.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from engine.runtime.roles import MODEL
from rules_dsl.compile import compile_file
from rules_dsl.ir import Program
from tests.command import ROOT

ENGINE = ROOT / "engine"

OF_OTHERS = {"--hosts": "engine/evidence/readers.py"}
"""MPI has options of the same name; the file that reads an MPI command line."""


def names(program: Program) -> set[str]:
    """What only this document knows."""
    facts = program.facts.values()
    members = (spec.members or {} for spec in facts if spec.role == MODEL)
    return (
        {name for division in program.divisions for name in (division.name, division.category) if name}
        | {name for known in members for member, aliases in known.items() for name in (member, *aliases)}
        | {*program.families.values()}
        | {spec.launch.option for spec in facts if spec.launch is not None and spec.launch.option is not None}
        | {name for clause in program.clauses for name in (clause.rule, clause.name)}
    )


def texts(source: str) -> Iterator[tuple[int, str]]:
    """The text constants of a module, parts of formatted ones included, without its docstrings."""
    tree = ast.parse(source)
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.lineno, node.value


def named(source: str, known: set[str]) -> list[tuple[int, str]]:
    """Where a module names one of these, as a word of a text."""
    words = re.compile("|".join(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\d)" for name in sorted(known)))
    return [(line, found[0]) for line, text in texts(source) for found in words.finditer(text)]


@pytest.fixture(scope="module")
def known() -> set[str]:
    return names(compile_file(ROOT / "Rules.md").program)


def test_the_engine_names_nothing_of_the_document(known: set[str]) -> None:
    found = [
        f"{place}:{line} names {name}"
        for path in sorted(ENGINE.rglob("*.py"))
        for place in [path.relative_to(ROOT).as_posix()]
        for line, name in named(path.read_text("utf-8"), known)
        if OF_OTHERS.get(name) != place
    ]
    assert found == []


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ('if division == "closed": pass', "closed"),
        ('raise ValueError(f"run it as open, {reason}")', "open"),
        ('COSTS = {"all": "costs CLOSED"}', "CLOSED"),
        ('MODELS = ("70B",)', "70B"),
        ('FLAG = "--num-processes"', "--num-processes"),
        ('def f():\n    return "checkpointing"', "checkpointing"),
        ('help = "such as 4.3.5, evidence"', "4.3.5"),
    ],
)
def test_it_would_be_seen(known: set[str], source: str, name: str) -> None:
    assert [found for _, found in named(source, known)] == [name]


def test_other_words_and_docstrings_are_not(known: set[str]) -> None:
    source = '"""A closed form of 4.3.5."""\nx = open("closed_fd", "rb"), "4.3.51", "--models", "reopen"'
    assert named(source, known) == []
