"""Emitted modules: texts are only texts, and nothing passes that the allow-list does not name."""

from __future__ import annotations

import json

import pytest

from rules_dsl.compile import compile_text, read_text
from rules_dsl.emit.allowed import NotAllowed, verify
from rules_dsl.emit.modules import emit
from tests.command import ROOT
from tests.rules_dsl.documents import HEAD, clause, document, sound
from tests.rules_dsl.emit.emitted import load_modules, load_ruleset

RULES = ROOT / "Rules.md"
PACKAGE_ONLY = document(clause("error if flag"))


def emitted(text: str, name: str = "Doc.md") -> dict[str, str]:
    found = compile_text(text, name)
    assert [d.message for d in found.errors] == []
    return emit(found.program, name)


def test_a_document_that_a_launch_cannot_break_has_an_empty_gate() -> None:
    files = emitted(PACKAGE_ONLY)
    assert load_ruleset(files, "gate").clauses == ()
    assert load_ruleset(files, "gate").deferred == ("1.1.1",)
    assert [c.rule for c in load_ruleset(files).clauses] == ["1.1.1"]


def test_a_document_without_any_decidable_clause_builds() -> None:
    files = emitted(document(clause('informative "x"')))
    assert load_ruleset(files).clauses == ()


def test_a_document_without_facts_builds() -> None:
    load_ruleset(emitted('# T\n\n1.1. **a** -- b\n\n```rule\ninformative "x"\n```\n'), "gate")


@pytest.mark.parametrize(
    "title",
    [
        'a """ quote',
        'ends in a quote"',
        "back\\slash \\d \\n",
        "ends in a backslash\\",
        "x\nimport os",
        "{{ 7 * 7 }} {% if %}",
        "ünï \u2028 code",
    ],
)
def test_a_title_is_only_text(title: str) -> None:
    head = HEAD.replace("edition:", f"title: {json.dumps(title)}\nedition:", 1)
    ruleset = load_ruleset(emitted(document(clause("error if n > 1"), head=head)), "gate")
    assert ruleset.title == title


@pytest.mark.parametrize("name", ['a"""b.md', "back\\slash.md", "line\nimport os.md", "{{ x }}.md"])
def test_the_documents_name_is_only_text(name: str) -> None:
    found = sound(clause("error if n > 1"))
    for module in load_modules(emit(found.program, name)).values():
        assert not hasattr(module, "os")


@pytest.mark.parametrize("text", ['say \\"x\\" \\\\ {n}', "it's", "a\\nb", "{{ n }}", "# no comment", "'''"])
def test_messages_are_only_text(text: str) -> None:
    if '"' in text:
        text = text.replace('\\"', "'")
    files = emitted(document(clause(f'error if n > 1 because "{text.replace("{{ n }}", "{n}")}"')))
    (found,) = load_ruleset(files, "gate").clauses
    assert found.statements[0].because == text.replace("{{ n }}", "{n}")


@pytest.mark.parametrize("role", ["facts.py", "clauses.py", "gate.py", "validator.py"])
def test_emitted_modules_pass_the_allow_list(role: str) -> None:
    text = emit(compile_text(read_text(RULES), "Rules.md").program, "Rules.md")[role]
    verify(text)


GOOD = "from engine.runtime.judge import equals\n\ndef f(facts):\n    return equals(1, 2)\n"
BAD = {
    "an import": "import os\n",
    "an import of another module": "from os import path\n",
    "an import of the language": "from rules_dsl.evaluate.interpreter import Interpreter\n",
    "an import of what the runtime imports": "from engine.runtime.judge import math\n",
    "a relative import": "from . import gate\n",
    "a star import": "from engine.runtime.judge import *\n",
    "a call of a builtin": "print(1)\n",
    "a call of eval": "eval('1')\n",
    "a call by attribute": GOOD + "equals.__globals__['x']\n",
    "an attribute": "from engine.runtime.judge import equals\nx = equals.__doc__\n",
    "a call of a call": "from engine.runtime.judge import equals\nequals(1, 2)(3)\n",
    "a call of a subscript": "x = {}\nx['a'](1)\n",
    "a call of a local name": "def f(g):\n    return g(1)\n",
    "a call of a lambda": "(lambda: 1)()\n",
    "a class": "class A:\n    pass\n",
    "a class of another base": "from engine.runtime.ruleset import RuleSet\nclass A(RuleSet):\n    x = 1\n",
    "a loop": "for x in (1, 2):\n    pass\n",
    "a while": "while True:\n    pass\n",
    "a comprehension": "x = [a for a in (1, 2)]\n",
    "a power": "x = 9 ** 9\n",
    "a shift": "x = 1 << 9\n",
    "an attribute of a class": "from engine.runtime.subject import Subject\nx = Subject.FACTS\n",
    "a hidden attribute": "def f(run):\n    return run.__class__\n",
    "an attribute that is called": "def f(run):\n    return run.pop(1)\n",
    "an attribute that is set": "def f(run):\n    run.x = 1\n",
    "an f-string": "x = f'{1}'\n",
    "a global": "def f():\n    global x\n",
    "a raise": "raise KeyError\n",
    "a try": "try:\n    pass\nexcept KeyError:\n    pass\n",
    "a with": "with x:\n    pass\n",
    "a delete": "del x\n",
    "an assert": "assert 1\n",
    "a walrus": "(x := 1)\n",
    "a decorator": "from engine.runtime.judge import equals\n@equals\ndef f():\n    return 1\n",
    "a name that hides the runtime's": "from engine.runtime.judge import equals\nequals = 1\n",
    "a default that calls": "def f(x=open('a')):\n    return x\n",
}


def test_the_allow_list_lets_the_good_pass() -> None:
    verify(GOOD)


@pytest.mark.parametrize("what", BAD)
def test_the_allow_list_refuses(what: str) -> None:
    with pytest.raises(NotAllowed):
        verify(BAD[what])
