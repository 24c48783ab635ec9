"""Every node covers its own words, and what does not parse is told at its place."""

from __future__ import annotations

import pytest

from rules_dsl.diagnostics import Collector, Span
from rules_dsl.syntax import ast
from rules_dsl.syntax.parse import parse
from tests.rules_dsl.trees import covered, marked, parsed, refused, statements

SPANS = {
    'subset and (accelerators != 8 or model != "8B")': [
        ("Apply", 'subset and (accelerators != 8 or model != "8B")'),
        ("Path", "subset"),
        ("Apply", 'accelerators != 8 or model != "8B"'),
        ("Apply", "accelerators != 8"),
        ("Path", "accelerators"),
        ("Number", "8"),
        ("Apply", 'model != "8B"'),
        ("Path", "model"),
        ("Text", '"8B"'),
    ],
    "not a otherwise -b  as  GiB": [
        ("Apply", "not a otherwise -b  as  GiB"),
        ("Apply", "not a"),
        ("Path", "a"),
        ("Apply", "-b  as  GiB"),
        ("Convert", "b  as  GiB"),
        ("Path", "b"),
    ],
    "t[a + 1].c == 30  s": [
        ("Apply", "t[a + 1].c == 30  s"),
        ("Path", "t[a + 1].c"),
        ("Key", "[a + 1]"),
        ("Apply", "a + 1"),
        ("Path", "a"),
        ("Number", "1"),
        ("Field", ".c"),
        ("Number", "30  s"),
    ],
    'a not in {1, 2} or b matches "x"': [
        ("Apply", 'a not in {1, 2} or b matches "x"'),
        ("Apply", "a not in {1, 2}"),
        ("Path", "a"),
        ("Apply", "{1, 2}"),
        ("Number", "1"),
        ("Number", "2"),
        ("Match", 'b matches "x"'),
        ("Path", "b"),
    ],
    "any(x.p for x in xs where not x.q) and a is not recorded": [
        ("Apply", "any(x.p for x in xs where not x.q) and a is not recorded"),
        ("Fold", "any(x.p for x in xs where not x.q)"),
        ("Path", "x.p"),
        ("Field", ".p"),
        ("Apply", "not x.q"),
        ("Path", "x.q"),
        ("Field", ".q"),
        ("State", "a is not recorded"),
        ("Path", "a"),
    ],
    "count(x in xs) > min(1, yes)": [
        ("Apply", "count(x in xs) > min(1, yes)"),
        ("Fold", "count(x in xs)"),
        ("Apply", "min(1, yes)"),
        ("Number", "1"),
        ("Truth", "yes"),
    ],
}


@pytest.mark.parametrize("text", SPANS)
def test_every_node_covers_its_own_words(text: str) -> None:
    assert covered(text, parsed(text)) == SPANS[text]


MARKS = {
    "a and b": ["and"],
    "a or b": ["or"],
    "a otherwise b": ["otherwise"],
    "not a": ["not"],
    "a <= b": ["<="],
    "a in b": ["in"],
    "a not in b": ["not"],
    "a  mod  b": ["mod"],
    "-a": ["-"],
    "a as GiB": ["GiB"],
    "ceil(a)": ["ceil"],
    "any(x.p for x in xs)": ["xs"],
    "(a) and (b)": ["and"],
    "(orca) or (b)": ["or"],
    "(a) # the word and\n and b": ["and"],
}


@pytest.mark.parametrize("text", MARKS)
def test_marks_are_the_operators_own_words(text: str) -> None:
    assert [words for _, words in marked(text, parsed(text))] == MARKS[text]


def test_a_mark_is_not_found_in_a_comment() -> None:
    text = "a # this and that\n and b"
    (_, words), *_ = marked(text, parsed(text))
    tree = parsed(text)
    assert isinstance(tree, ast.Apply)
    assert (words, tree.mark.start) == ("and", text.rindex("and"))


def test_statement_spans() -> None:
    text = '  when p: error if a == 1\n    because "b"\n\n# end\nnote if c\n'
    first, second = statements(text)
    assert text[first.span.start : first.span.end] == 'when p: error if a == 1\n    because "b"'
    assert text[second.span.start : second.span.end] == "note if c"
    assert first.because is not None
    assert text[first.because.span.start : first.because.span.end] == '"b"'


def test_positions_are_those_of_the_whole_document() -> None:
    text = "prose\n\n```rule\nerror if a < b\n```\nmore"
    start = text.index("error")
    (found,) = parse(text, Span(start, text.index("\n```\nmore")), "rule", Collector())
    assert text[found.span.start : found.span.end] == "error if a < b"
    assert ("Apply", "<") in marked(text, found)


REFUSED = {
    "error if": ("the block ends too early", "if"),
    "error if (a": ("the block ends too early", "a"),
    "error if a)": ("`)` cannot stand here", ")"),
    "error if a @ b": ("`@` cannot stand here", "@"),
    "error if 1 < a < 3": ("`<` cannot stand here", "<"),
    "errr if a": ("`errr` cannot stand here", "errr"),
    "error if min()": ("`)` cannot stand here", ")"),
    "error if a == 'x'": ("`'` cannot stand here", "'"),
    'error if a == "x': ('`"` cannot stand here', '"'),
    "error if a in {}": ("`}` cannot stand here", "}"),
    "error a": ("`a` cannot stand here", "a"),
    "in closed error if a": ("`in` cannot stand here", "in"),
    "informative": ("the block ends too early", "informative"),
    "informative why": ("`why` cannot stand here", "why"),
    "": ("this block is empty", ""),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_does_not_parse_is_told_at_its_place(text: str) -> None:
    message, underlined, _ = refused(text)
    assert (message, underlined) == REFUSED[text]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("error if a andd b", "and"),
        ("error if a orr b", "or"),
        ("error if a otherwize b", "otherwise"),
        ('error if a becuase "x"', "because"),
        ("wen a: error if b", "when"),
        ("errr if a", "error"),
        ('error if a matchs "x"', "matches"),
    ],
)
def test_a_misspelled_keyword_is_told_its_spelling(text: str, wanted: str) -> None:
    _, _, help_text = refused(text)
    assert wanted in help_text
