"""What is written survives into the tree: every keyword, and precedence."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from rules_dsl.syntax import ast
from rules_dsl.syntax.parse import grammar
from tests.rules_dsl.trees import DIVISIONS, parsed, refused, short, statements

EXPRESSIONS = {
    # leaves
    "8": "8",
    "0.5": "0.5",
    "30 s": "30 s",
    "3 GiB": "3 GiB",
    "3 minutes": "3 minutes",
    '"8B"': '"8B"',
    "yes": "yes",
    "no": "no",
    "model": "model",
    "run.writes": "run.writes",
    "t[model].tp": "t[model].tp",
    't["a b"][x]': 't["a b"][x]',
    # connectives
    "a and b": "(and a b)",
    "a and b and c": "(and a b c)",
    "a or b": "(or a b)",
    "a or b or c": "(or a b c)",
    "not a": "(not a)",
    "not not a": "(not (not a))",
    "a otherwise b": "(otherwise a b)",
    "a otherwise b otherwise c": "(otherwise a b c)",
    # comparison
    "a == b": "(== a b)",
    "a != b": "(!= a b)",
    "a < b": "(< a b)",
    "a <= b": "(<= a b)",
    "a > b": "(> a b)",
    "a >= b": "(>= a b)",
    # membership, patterns, states
    "a in b": "(in a b)",
    "a not in b": "(not-in a b)",
    'a in {"x", "y"}': '(in a (set "x" "y"))',
    'a matches "x+"': '(matches a "x+")',
    'a starts with "x"': '(starts with a "x")',
    "a is recorded": "(is recorded a)",
    "a is not recorded": "(is-not recorded a)",
    "a is listed": "(is listed a)",
    "a is not listed": "(is-not listed a)",
    "t[k].c is valid": "(is valid t[k].c)",
    "t[k].c is not valid": "(is-not valid t[k].c)",
    # arithmetic
    "a + b": "(+ a b)",
    "a - b": "(- a b)",
    "a * b": "(* a b)",
    "a / b": "(/ a b)",
    "a mod b": "(mod a b)",
    "-a": "(neg a)",
    "a as GiB": "(as GiB a)",
    "min(a, b)": "(min a b)",
    "max(a, b, c)": "(max a b c)",
    "abs(a)": "(abs a)",
    "ceil(a)": "(ceil a)",
    "floor(a)": "(floor a)",
    "size(xs)": "(size xs)",
    # folds
    "any(x.p for x in xs)": "(any x.p for x in xs)",
    "any(x.p for x in xs where x.q)": "(any x.p for x in xs where x.q)",
    "all(x.p for x in xs)": "(all x.p for x in xs)",
    "sum(x.p for x in xs)": "(sum x.p for x in xs)",
    "mean(x.p for x in xs)": "(mean x.p for x in xs)",
    "least(x.p for x in xs)": "(least x.p for x in xs)",
    "greatest(x.p for x in xs)": "(greatest x.p for x in xs)",
    "distinct(x.p for x in xs)": "(distinct x.p for x in xs)",
    "count(x in xs)": "(count for x in xs)",
    "count(x in xs where x.q)": "(count for x in xs where x.q)",
}

PRECEDENCE = {
    "a or b and c": "(or a (and b c))",
    "(a or b) and c": "(and (or a b) c)",
    "a and b or c and d": "(or (and a b) (and c d))",
    "not a and b": "(and (not a) b)",
    "not (a and b)": "(not (and a b))",
    "not a == b": "(not (== a b))",
    "not a in b": "(not (in a b))",
    "a otherwise b and c": "(otherwise a (and b c))",
    "a and b otherwise c": "(otherwise (and a b) c)",
    "(a otherwise b) > c": "(> (otherwise a b) c)",
    "a + b * c": "(+ a (* b c))",
    "(a + b) * c": "(* (+ a b) c)",
    "a - b - c": "(- (- a b) c)",
    "a - (b - c)": "(- a (- b c))",
    "a / b / c": "(/ (/ a b) c)",
    "a * b mod c": "(mod (* a b) c)",
    "a + b < c - d": "(< (+ a b) (- c d))",
    "-a * b": "(* (neg a) b)",
    "a - -b": "(- a (neg b))",
    "a * b as GiB": "(* a (as GiB b))",
    "(a * b) as GiB": "(as GiB (* a b))",
    "-a as GiB": "(neg (as GiB a))",
    "a + b is recorded": "(is recorded (+ a b))",
    "a + b in c": "(in (+ a b) c)",
    "a <= 3 * b": "(<= a (* 3 b))",
}

LOOKS_LIKE_A_KEYWORD = (
    "andy ordinary notable inside island yes_or_no noted errors warning count sum_of minimum s sizes as_is"
).split()


def test_grammar_has_no_conflict_and_no_terminals_that_overlap() -> None:
    grammar(strict=True)
    grammar(DIVISIONS, strict=True)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_each_construct_survives(text: str) -> None:
    assert short(parsed(text)) == EXPRESSIONS[text]


@pytest.mark.parametrize("text", PRECEDENCE)
def test_precedence(text: str) -> None:
    assert short(parsed(text)) == PRECEDENCE[text]


CHECKED = {"check", "except"}
"""Keywords of `check` fences, which have tests of their own."""


def test_every_keyword_of_the_grammar_has_a_test_above() -> None:
    text = (files("rules_dsl.syntax") / "grammar.lark").read_text("utf-8")
    body = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
    words = set(re.findall(r'"([a-z]+)"', body)) - {
        "if",
        "for",
        "each",
        "because",
        "fix",
        "then",
        "on",
        *CHECKED,
    }
    tried = set(re.findall(r"[a-z]+", " ".join([*EXPRESSIONS, *map(str, STATEMENTS)])))
    assert words <= tried
    folds = re.search(r"^FOLD\.2: /\(([a-z|]+)\)", text, re.MULTILINE)
    functions = re.search(r"^FUNCTION\.2: /\(([a-z|]+)\)", text, re.MULTILINE)
    assert folds
    assert functions
    assert {*folds[1].split("|"), *functions[1].split("|")} <= tried


@pytest.mark.parametrize("name", LOOKS_LIKE_A_KEYWORD)
def test_a_name_that_begins_like_a_keyword_is_a_name(name: str) -> None:
    assert short(parsed(f"{name} == x.{name}")) == f"(== {name} x.{name})"


@pytest.mark.parametrize("word", ["not", "yes", "no"])
def test_a_keyword_that_begins_an_operand_is_no_name(word: str) -> None:
    message, _, _ = refused(f"error if a == b and {word}.x == 1")
    assert "cannot stand here" in message


def test_line_breaks_and_comments_are_blanks() -> None:
    assert short(parsed("a\n  and # why\n\tnot\n b")) == "(and a (not b))"


STATEMENTS = (
    'in closed: error if a because "b" fix "c"',
    'since "1": until "2": when p: for each x in xs where x.q: warn if x.r',
    "in package: note if a",
    'informative "why"',
    'undecidable "why"',
)


@pytest.mark.parametrize(("word", "level"), [("error", "error"), ("warn", "warn"), ("note", "note")])
def test_level(word: str, level: str) -> None:
    (found,) = statements(f"{word} if a")
    assert found.level == level


@pytest.mark.parametrize(
    ("prefix", "category"),
    [
        ("", "all"),
        ("in closed: ", "closed"),
        ("in package: ", "package"),
        ("in  closed :", "closed"),
        ("in\nclosed: ", "closed"),
    ],
)
def test_category(prefix: str, category: str) -> None:
    (found,) = statements(f"{prefix}error if a in b")
    assert found.category == category
    assert short(found.condition) == "(in a b)"


def test_all_parts_of_a_statement() -> None:
    (found,) = statements(
        'in closed: since "1": until "2": when p: when not q: for each a then b in xs where a.q: '
        'error if a.r because "why {a.r}" fix "how"'
    )
    assert (found.category, found.since, found.until) == ("closed", "1", "2")
    assert [short(g) for g in found.guards] == ["p", "(not q)"]
    assert found.each is not None
    assert (found.each.names, found.each.listing) == (("a", "b"), "xs")
    assert found.each.where is not None
    assert short(found.each.where) == "a.q"
    assert short(found.condition) == "a.r"
    assert found.because is not None
    assert found.fix is not None
    assert (found.because.value, found.fix.value) == ("why {a.r}", "how")


def test_optional_parts_are_none_when_they_are_not_written() -> None:
    (found,) = statements("error if a")
    assert (found.each, found.since, found.until, found.because, found.fix, found.guards) == (
        None,
        None,
        None,
        None,
        None,
        (),
    )
    (found,) = statements("for each x in xs: error if x.a")
    assert found.each is not None
    assert (found.each.names, found.each.where) == (("x",), None)


def test_because_and_fix_stay_apart() -> None:
    (found,) = statements('error if a fix "how"')
    assert found.because is None, "a lone `fix` must not be taken for a `because`"
    assert found.fix is not None
    assert found.fix.value == "how"


def test_statements_of_one_fence_stay_in_order() -> None:
    found = statements("error if a\nin closed: warn if b\n# c\nnote if c")
    assert [(s.level, s.category, short(s.condition)) for s in found] == [
        ("error", "all", "a"),
        ("warn", "closed", "b"),
        ("note", "all", "c"),
    ]


@pytest.mark.parametrize("kind", ["informative", "undecidable"])
def test_silence(kind: str) -> None:
    (found,) = statements(f'{kind} "why so"')
    assert isinstance(found, ast.Silence)
    assert (found.kind, found.why) == (kind, "why so")


def test_defines() -> None:
    found = parsed("a on leaf = b and c\nd on workload = any(r.a for r in runs)", "defines")
    assert isinstance(found, tuple)
    assert [(d.name, d.scope, short(d.expr)) for d in found] == [
        ("a", "leaf", "(and b c)"),
        ("d", "workload", "(any r.a for r in runs)"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "in closed: in package: error if a",
        "in closed: in closed: error if a",
        'since "1": since "2": error if a',
        'until "1": until "2": error if a',
        "for each x in xs: for each y in ys: error if x.a",
    ],
)
def test_a_prefix_that_stands_twice_is_refused(text: str) -> None:
    refused(text)
