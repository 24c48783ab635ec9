"""Names and texts that try to become code stay data, or are refused with a message."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.runtime.judge import judge_statement
from rules_dsl.compile import Compiled, compile_text
from rules_dsl.emit.allowed import NotAllowed, verify
from rules_dsl.emit.modules import emit
from tests.command import run
from tests.rules_dsl.documents import HEAD, clause, fence
from tests.rules_dsl.documents import document as any_document
from tests.rules_dsl.emit.emitted import load_ruleset

SMALL = fence("documents", 'metadata: {file: "*_metadata.json"}') + fence(
    "facts",
    "n: {type: integer, meaning: a count, launch: {option: --n}, package: [metadata:n]}\n"
    "title: {type: text, meaning: a text, package: [metadata:title]}\n"
    "items: {type: list, meaning: some items, package: [metadata:items],\n"
    "  fields: {size_of: {type: integer, meaning: its size}, good: {type: bool, meaning: it is good}}}",
)

ATTACKS = [
    '"',
    "'",
    '"""',
    "'''",
    "\\",
    '\\"',
    "\\\\'",
    "a\nimport os",
    "a\r\nimport os",
    '"\nimport os\n"',
    '"""\nimport os\n"""',
    "{x} {0} {__class__}",
    "{{ 7 * 7 }}",
    "{% include 'x' %}",
    "{# x #}",
    "__import__('os').system('true')",
    "__import__",
    "__builtins__",
    "__class__",
    "eval",
    "lambda",
    "None",
    "class",
    "rеad",  # noqa: RUF001  # a Cyrillic letter: a confusable is the point
    "\u202egnp.exe\u202c",
    "\u2066x\u2069",
    "\u200b",
    "\ufeff",
    "\x00",
    "\x1b[31m",
    "\x0c",
    "\x85",
    "\u2028import os",
    "\ud800",
    "\U0001f600",
    "\\N{LATIN SMALL LETTER A}",
    "\\u0041",
    "#",
    "# noqa",
    "%s %(x)s",
    "$(true)",
    "`true`",
    "9" * 90,
]
FEW = {'"""\nimport os\n"""', "\\'", "{{ 7 * 7 }}", "__import__", "\ud800", "\u202egnp.exe\u202c"}
by_attack = pytest.mark.parametrize(
    "text",
    [pytest.param(a, id=ascii(a)[:30], marks=() if a in FEW else pytest.mark.slow) for a in ATTACKS],
)


def document(*parts: str, head: str = HEAD) -> str:
    """A document with a vocabulary that is as small as it can be: some hundreds are compiled here."""
    return any_document(*parts, head=head, vocabulary=SMALL)


def strings(source: str) -> list[str]:
    """Every text constant of a module that is no docstring."""
    tree = ast.parse(source)
    prose = {
        id(n.body[0].value)
        for n in ast.walk(tree)
        if isinstance(n, (ast.Module, ast.FunctionDef)) and n.body and isinstance(n.body[0], ast.Expr)
    }
    constants = (n for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in prose)
    return [n.value for n in constants if isinstance(n.value, str)]


def shape(source: str) -> Iterator[str]:
    """A module's syntax without its texts, names of facts and comments: what an attack must not change."""
    for node in ast.walk(ast.parse(source)):
        yield type(node).__name__
        if isinstance(node, ast.Name):
            yield node.id


def built(text: str, name: str = "Doc.md") -> dict[str, str] | None:
    """What a document compiles to; None when it is refused, which has to be in words."""
    found: Compiled = compile_text(text, name)
    if found.errors:
        assert all(d.message for d in found.errors)
        return None
    files = emit(found.program, name)
    for file, source in files.items():
        source.encode("utf-8")
        if file.endswith(".py"):
            assert source.isprintable() or all(c.isprintable() or c == "\n" for c in source)
    return files


as_usual = cache(built)


def held(text: str, plain: str, said: str | None) -> None:
    """An attack is refused, or it is a text of the same modules as a plain word gives."""
    files, usual = built(text), as_usual(plain)
    assert usual is not None
    if files is None:
        return
    for name in ("facts.py", "clauses.py", "gate.py", "validator.py"):
        assert list(shape(files[name])) == list(shape(usual[name]))
    if said is not None:
        assert any(said in s for s in strings(files["clauses.py"]))
    json.loads(files["manifest.json"])


def quoted(text: str) -> str:
    """A text as YAML of one line."""
    return json.dumps(text)


def facts(entry: str) -> str:
    return document(fence("facts", entry), clause("error if n > 1"))


def declared(text: str) -> dict[str, str]:
    """The same attack in every place where a text is only data."""
    q = quoted(text)
    row = text.replace("|", "\\|").replace("\n", " ").replace("\r", " ")
    return {
        "a title": document(
            clause("error if n > 1"), head=HEAD.replace("edition:", f"title: {q}\nedition:", 1)
        ),
        "a meaning": facts(f"p: {{type: bool, meaning: {q}, package: [metadata:p]}}"),
        "a noun": facts(f"p: {{type: bool, meaning: m, noun: {q}, package: [metadata:p]}}"),
        "a phrase": facts(f"p: {{type: bool, meaning: m, says: [{q}, no], package: [metadata:p]}}"),
        "a member": facts(f"p: {{type: enum, meaning: m, members: {{{q}: []}}, package: [metadata:p]}}"),
        "an alias": facts(f"p: {{type: enum, meaning: m, members: {{A: [{q}]}}, package: [metadata:p]}}"),
        "a file": document(fence("documents", f"other: {{file: {q}}}"), clause("error if n > 1")),
        "an older key": document(
            fence("documents", f"other: {{file: f, renamed: {{a: [{q}]}}}}"), clause("error if n > 1")
        ),
        "a cell": document(
            f"<!-- table: t key=rows(text) -->\n| K | V |\n|---|---|\n| a | {row} |\n\n",
            clause("error if n > 1"),
        ),
        "a row": document(
            f"<!-- table: t key=rows(text) -->\n| K | V |\n|---|---|\n| {row} | b |\n\n",
            clause("error if n > 1"),
        ),
        "a literal": document(clause(f'error if title == "{text}" or n > 1')),
        "a pattern": document(clause(f'error if title starts with "{text}" or n > 1')),
        "a message": document(clause(f'error if n > 1 because "{text}" fix "{text}"')),
        "a reason": document(
            clause("error if n > 1"), clause(f'informative "{text}"', number="1.1.2", name="quiet")
        ),
    }


@by_attack
def test_texts_stay_texts(text: str) -> None:
    plain = declared("plain")
    for place, attacked in declared(text).items():
        if place in {"a cell", "a row"} and not text.strip():
            continue  # that is no cell
        held(attacked, plain[place], None)


@given(st.text(max_size=30))
@settings(max_examples=8, deadline=None)
def test_any_text_stays_a_text(text: str) -> None:
    plain = declared("plain")
    for place in ("a member", "a message", "a title", "a literal"):
        held(declared(text)[place], plain[place], None)


@pytest.mark.parametrize(
    "text", [a for a in ATTACKS if a.isprintable() and '"' not in a and "{" not in a][::3]
)
def test_a_message_that_compiles_is_said_as_it_was_written(text: str) -> None:
    held(declared(text)["a message"], declared("plain")["a message"], text)


@by_attack
def test_names_are_names_or_refused(text: str) -> None:
    for attacked in (
        facts(f"{quoted(text)}: {{type: bool, meaning: m, package: [metadata:p]}}"),
        document(
            f"<!-- table: {text} key=rows(text) -->\n| a | b |\n|-|-|\n| c | d |\n\n",
            clause("error if n > 1"),
        ),
        document(fence("define", f"{text} on leaf = n + 1"), clause("error if n > 1")),
        document(clause(f"for each {text} in items: error if {text}.good")),
        document(clause(f"error if any({text}.good for {text} in items)")),
        document(clause("error if n > 1", name=text)),
        document(clause("error if n > 1", number=text)),
        document(fence("section", f"family: {quoted(text)}"), clause("error if n > 1")),
    ):
        files = built(attacked)
        if files is not None:
            names = {n.id for n in ast.walk(ast.parse(files["validator.py"])) if isinstance(n, ast.Name)}
            assert not names & {"os", "eval", "exec", "__import__", "__builtins__"}


KEYWORDS = ["lambda", "class", "None", "True", "__debug__", "__import__", "facts", "known", "read", "TABLES"]


@pytest.mark.parametrize(
    "name", [*KEYWORDS, "run", "workload", "clause_1_1_1", "CLAUSE_1_1_1", "print", "Facts", "self"]
)
def test_a_loop_may_be_called_like_anything_of_python(name: str) -> None:
    inner = f"any({name}.size_of > n and any({name}.good for {name} in items) for {name} in items)"
    files = built(document(clause(f"error if {inner}")))
    assert files is not None
    ruleset = load_ruleset(files)
    assert ruleset.clauses[0].rule == "1.1.1"
    assert judge_statement(ruleset.clauses[0].statements[0], ruleset.subject("leaf", {}))


@by_attack
def test_the_documents_own_name(text: str) -> None:
    usual = built(document(clause("error if n > 1")))
    files = built(document(clause("error if n > 1")), text)
    assert usual is not None
    assert files is not None
    for name in ("facts.py", "clauses.py", "gate.py", "validator.py"):
        assert list(shape(files[name])) == list(shape(usual[name]))
    assert json.loads(files["manifest.json"])["document"]["name"] == text


def test_a_file_whose_name_is_no_text(tmp_path: Path) -> None:
    name = b'\xff"""\nimport os.md'.decode("utf-8", "surrogateescape")
    (tmp_path / name).write_text(document(clause("error if n > 1")), "utf-8")
    told = run(["build", name, "-o", "out"], cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert sorted(p.name for p in (tmp_path / "out").iterdir())[1:] == [
        "clauses.py",
        "facts.py",
        "gate.py",
        "manifest.json",
        "reference.md",
        "validator.py",
    ]


@pytest.mark.parametrize("char", ["\x00", "\x1b", "\ud800", "\u202e", "\u200b"])
def test_what_cannot_be_seen_is_refused_in_declarations(char: str) -> None:
    found = compile_text(
        facts(f"p: {{type: bool, meaning: {quoted(f'a{char}b')}, package: [metadata:p]}}"), "D.md"
    )
    assert [d.code for d in found.errors] == ["V001"]
    assert f"U+{ord(char):04X}" in found.errors[0].message


# --- the allow-list ------------------------------------------------------------------------

CALLED = "from engine.runtime.judge import exists, read\n"
BAD = {
    "a relative import of an allowed module": "from .engine.runtime import read\n",
    "an allowed name under another": "from engine.runtime.judge import read as r\n",
    "an import inside a function": "def f():\n    import os\n    return 1\n",
    "a builtin handed to the runtime": CALLED + "def f(facts):\n    return exists(facts, eval)\n",
    "a builtin as a value": "x = __builtins__\n",
    "a dunder name": "x = __name__\n",
    "a name from nowhere": "x = os\n",
    "a call in an f-string": "x = f'{print(1)}'\n",
    "an f-string without a call": "x = f'a'\n",
    "a generator that binds a runtime name": CALLED + "x = any(read for read in (1, 2))\n",
    "a set comprehension": "x = {a for a in (1, 2)}\n",
    "a dict comprehension": "x = {a: a for a in (1, 2)}\n",
    "a comprehension that binds a runtime name": CALLED + "x = [read for read in (1, 2)]\n",
    "a walrus in a lambda": "x = lambda: (y := 1)\n",
    "a walrus that takes a runtime name": CALLED + "x = (read := 1)\n",
    "a decorator that is called": CALLED + "@read(1, 2)\ndef f():\n    return 1\n",
    "a decorated class": "@x\nclass A:\n    pass\n",
    "a default that takes a builtin": "def f(x=eval):\n    return x\n",
    "a lambda's default that calls": "x = lambda y=open('a'): y\n",
    "an annotation that calls": "def f(x: open('a')):\n    return x\n",
    "a parameter that hides the runtime's": CALLED + "def f(read):\n    return read(1, 2)\n",
    "a lambda's parameter that hides it": CALLED + "x = lambda read: read(1, 2)\n",
    "a function that hides it": CALLED + "def read():\n    return 1\n",
    "an unpacking that hides it": CALLED + "(read, y) = (1, 2)\n",
    "a parameter that hides an annotation": "def f(str):\n    return str\n",
    "a method of a text": "x = ''.join\n",
    "a method that is called": "x = 'a'.format(1)\n",
    "a subscript of a call": CALLED + "x = read(1, 2)[0](1)\n",
    "a starred call": CALLED + "x = eval(*(1, 2))\n",
    "an await": "async def f():\n    await g()\n",
    "a yield": "def f():\n    yield 1\n",
    "a match": "match 1:\n    case 1:\n        pass\n",
    "a conditional": "x = 1 if 2 else 3\n",
    "a nonlocal": "def f():\n    nonlocal x\n",
    "a try star": "try:\n    pass\nexcept* KeyError:\n    pass\n",
    "no Python": "x = = 1\n",
    "a null": "x = 1\x00\n",
    "an attribute that is set": "x.y = 1\n",
    "an augmented assignment": "x = 1\nx += 1\n",
    "a slice": "x = (1, 2)[0:1]\n",
}


@pytest.mark.parametrize("what", BAD)
def test_the_allow_list_refuses(what: str) -> None:
    with pytest.raises(NotAllowed):
        verify(BAD[what])
