"""Any text in, a program or messages out: never a traceback, and never more than linear work."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine.cli.main import cli
from rules_dsl.compile import read_text
from rules_dsl.diagnostics import Collector, Span
from rules_dsl.syntax.parse import parse
from tests.command import ROOT
from tests.rules_dsl.documents import HEAD, VOCABULARY, clause, document, fence
from tests.rules_dsl.syntax.fuzzing import sentences, steps, survived
from tests.rules_dsl.trees import DIVISIONS

RULES = read_text(ROOT / "Rules.md")
WHOLE = document(
    fence("define", "twice on leaf = n * 2\nbusy on leaf = any(x.good for x in items)"),
    fence("check", 'check for each k in crop: k.weight is valid\ncheck a run with n == 1 can pass "1.1.1"'),
    clause(
        'since "2": when flag: error if n > 1 or busy\n  because "{n} is too many"\n  fix "take one"',
        cases="| flag | n | verdict |\n|--|--|--|\n| yes | 2 | INVALID |\n| no | 2 | n/a |",
        breach="Breach: from edition 2 on, where the flag is up, its n is more than 1.",
    ),
    clause(
        "in closed: for each x then y in items where x.good: warn if x.size_of < y.size_of", number="1.1.2"
    ),
    clause('informative "says how"', number="1.1.3", name="quiet"),
)
quick = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
long = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))

# --- text that has nothing to do with rules -----------------------------------------------

PIECES = [
    *"\n\t |#>`*-_:.,;()[]{}<>=!+/\\\"'0123abcXY\x00\x0b\x0c\x85\u2028\u202e\ufeffé\U0001f600",
    "\r\n", "---\n", "```", "```rule\n", "```cases\n", "```facts\n", "```define\n", "```check\n", "```\n",
    "<!-- table: t key=rows(text) -->\n", "<!--", "-->", "| a | b |\n", "|-|-|\n", "> Breach: x.\n",
    "1.1.1. **a** -- b\n\n", "# 1. T\n\n", "error if ", "for each x in items: ", "because ", "any(", "n",
    "flag",    " and ", " or ", " not ", "yes", "a: {type: bool}\n", "&x ", "*x", "!!python/name:os.system ",
]  # fmt: skip
texts = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=60).map("".join))


@example("\r0")
@example("a\r\n\r> Breach: x.\r")
@given(texts)
@quick
def test_any_text(text: str) -> None:
    survived(text)


@given(texts)
@quick
def test_any_text_behind_a_vocabulary(text: str) -> None:
    survived(HEAD + text + "\n\n" + clause("error if flag"))


@given(st.binary(max_size=200))
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("bytes") / "Doc.md"
    path.write_bytes(data)
    for command in (["check"], ["fmt"], ["build"], ["rules", "--format", "json"]):
        told = CliRunner().invoke(cli, [*command, str(path)])
        assert told.exit_code in {0, 1, 2}
        assert "internal error" not in told.output


# --- text that is nearly a document -----------------------------------------------------------


def mutated(text: str, edits: list[tuple[int, int, str]]) -> str:
    """A document with pieces cut out and others put in."""
    for at, length, new in edits:
        place = at % (len(text) + 1)
        text = text[:place] + new + text[place + length :]
    return text


edits = st.lists(
    st.tuples(
        st.integers(0, 10**6),
        st.sampled_from([0, 0, 1, 1, 2, 5, 30]),
        st.one_of(st.just(""), st.sampled_from(PIECES), st.text(max_size=3)),
    ),
    min_size=1,
    max_size=5,
)


@given(edits)
@quick
def test_a_document_that_was_damaged(changes: list[tuple[int, int, str]]) -> None:
    survived(mutated(WHOLE, changes))


@pytest.mark.slow
@given(edits)
@long
def test_a_document_that_was_damaged_many_times(changes: list[tuple[int, int, str]]) -> None:
    survived(mutated(WHOLE, changes))


@pytest.mark.slow
@given(edits)
@settings(long, max_examples=60)
def test_the_rules_damaged(changes: list[tuple[int, int, str]]) -> None:
    survived(mutated(RULES, changes))


@given(st.permutations(range(len(re.findall(r"[^\n]*\n", WHOLE)))), st.integers(2, 40))
@settings(quick, max_examples=10)
def test_a_document_whose_lines_were_mixed(order: list[int], kept: int) -> None:
    lines = re.findall(r"[^\n]*\n", WHOLE)
    mixed = dict(zip(order[:kept], sorted(order[:kept]), strict=True))
    survived("".join(lines[mixed.get(i, i)] for i in range(len(lines))))


# --- text of the grammar -----------------------------------------------------------------------

# How terminals are written that are no plain words.
WORDS = {
    "FOLD": st.sampled_from(["any", "all", "sum", "least"]),
    "COUNT": st.just("count"),
    "FUNCTION": st.sampled_from(["min", "max", "abs", "size"]),
    "NAME": st.sampled_from(
        ["n", "m", "flag", "x", "items", "runs", "crop", "fruit", "heap", "strange", "s"]
    ),
    "STRING": st.sampled_from(['"Fig"', '"a"', '"2"', '"1.1.1"', '"{n}"', '"("', '""']),
    "NUMBER": st.sampled_from(["0", "1", "2.5", "10"]),
    "IN_CATEGORY": st.sampled_from(["in closed:", "in package:", "in open:"]),
    "A_RUN": st.just("a run"),
    "EXACTLY": st.just("exactly when"),
    "CAN": st.sampled_from(["can", "cannot", "always"]),
    "DOES": st.sampled_from(["pass", "break"]),
    "STARTS": st.just("starts with"),
    "LEVEL": st.sampled_from(["error", "warn", "note"]),
    "SILENT": st.sampled_from(["informative", "undecidable"]),
    "STATE": st.sampled_from(["recorded", "listed", "valid"]),
    "YES": st.just("yes"),
    "NO": st.just("no"),
    "UNIT": st.sampled_from(["GiB", "s", "minutes"]),
    "COMPARE": st.sampled_from(["==", "!=", "<=", ">"]),
    "OF_ROW": st.sampled_from(["layout_size", "member"]),
    "COLON": st.sampled_from([":", ": # c\n"]),
}


def drawn(start: str) -> st.SearchStrategy[str]:
    return sentences(start, WORDS)


@pytest.mark.parametrize("examples", [40, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("start", ["rule", "defines", "checks"])
def test_texts_of_the_grammar_parse_or_are_told(start: str, examples: int) -> None:
    found = {True: 0, False: 0}

    @given(drawn(start))
    @settings(quick, max_examples=examples)
    def one(text: str) -> None:
        collect = Collector()
        tree = parse(text, Span(0, len(text)), start, collect, DIVISIONS)
        assert (tree is None) == bool(collect.found)
        found[tree is not None] += 1

    one()
    assert found[True], "some of what the grammar makes has to parse"


@given(drawn("rule"), drawn("defines"), drawn("checks"))
@settings(quick, max_examples=10)
def test_texts_of_the_grammar_compile_or_are_told(rule: str, define: str, check: str) -> None:
    survived(document(fence("define", define), fence("check", check), clause(rule)))


@pytest.mark.slow
@given(drawn("rule"), drawn("defines"), drawn("checks"))
@long
def test_many_texts_of_the_grammar(rule: str, define: str, check: str) -> None:
    survived(document(fence("define", define), fence("check", check), clause(rule)))


# --- large and deep texts ----------------------------------------------------------------------


def clauses(n: int, rule: str = "error if n > 1", more: str = "") -> str:
    cases = "| n | verdict |\n|--|--|\n| 2 | INVALID |"
    return document(
        *(more + clause(rule, number=f"1.{i}.1", name=f"c{i}", cases=cases) for i in range(1, n + 1))
    )


def entries(n: int) -> str:
    lines = (f"f{i}: {{type: bool, meaning: m, package: [metadata:f{i}]}}" for i in range(n))
    return document(fence("facts", "\n".join(lines)), clause("error if flag"))


def table(n: int) -> str:
    rows = "".join(f"| k{i} | {i} |\n" for i in range(n))
    return document(f"<!-- table: t key=rows(text) -->\n| a | b |\n|-|-|\n{rows}\n", clause("error if flag"))


LARGE: dict[str, tuple[int, Callable[[int], str]]] = {
    "clauses": (12, clauses),
    "clauses under headings": (12, lambda n: clauses(n, more="## Part\n\n")),
    "clauses with an error each": (12, lambda n: clauses(n, "error if nn > 1")),
    "fences of others": (60, lambda n: document(fence("text", "x") * n, clause("error if flag"))),
    "statements": (20, lambda n: document(clause("\n".join(["error if n > 1"] * n)))),
    "one long line": (40, lambda n: document(clause("error if " + " or ".join(["n > 1"] * n)))),
    "a large set": (60, lambda n: document(clause(f"error if n in {{{', '.join(map(str, range(n)))}}}"))),
    "rows of cases": (
        30,
        lambda n: document(
            clause("error if n > 1", cases="| n | verdict |\n|-|-|\n" + "| 2 | INVALID |\n" * n)
        ),
    ),
    "rows of a table": (40, table),
    "facts": (15, entries),
    "defines": (
        15,
        lambda n: document(
            fence("define", "\n".join(f"d{i} on leaf = n + {i}" for i in range(n))), clause("error if flag")
        ),
    ),
    "comments": (60, lambda n: document(clause("error if flag\n" + "# c\n" * n))),
    "open brackets": (60, lambda n: document(clause("error if " + "(" * n))),
    "fences that are never closed": (60, lambda n: document("```rule\n" * n)),
    "bars": (60, lambda n: document(clause("error if flag", cases="|" * n))),
    "braces of a message": (60, lambda n: document(clause(f'error if flag because "{"{" * n}"'))),
    "quotes": (30, lambda n: document(clause("error if flag"), "> Breach: x\n\nword\n\n" * (n + 1))),
    "named tables without a table": (30, lambda n: document("<!-- table: t -->\n\nword\n\n" * n)),
}


@pytest.mark.parametrize("what", LARGE)
def test_work_grows_no_faster_than_the_text(what: str) -> None:
    size, text = LARGE[what]
    once, thrice = (steps(partial(survived, text(n))) for n in (size, 3 * size))
    assert thrice < 3.4 * once


@pytest.mark.slow
@pytest.mark.parametrize("what", LARGE)
def test_large_documents_are_survived(what: str) -> None:
    size, text = LARGE[what]
    survived(text(size * 20))


def test_deep_and_long_texts() -> None:
    for text in (
        "1.1. **a** -- " + "x" * 300_000 + "\n",
        ">" * 2000 + " x\n",
        document(clause("error if " + "(" * 400 + "flag" + ")" * 400)),
        document(clause("error if " + "not " * 800 + "flag")),
        document(clause("error if " + "any(" * 100 + "flag")),
        document(clause("error if " + "crop[" * 300)),
        document(clause("error if " + "-" * 500 + "n > 1")),
        document(clause("when flag: " * 300 + "error if flag")),
        document(fence("facts", "a: " + "[" * 300)),
        document(fence("facts", "a: " + "{b: " * 300)),
        VOCABULARY * 3,
        "- " * 500 + "```rule\n",
        "[" * 3000,
        "*" * 3000 + "a",
        "|" * 3000 + "\n" + "|-" * 1500,
    ):
        survived(text)
