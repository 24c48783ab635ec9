"""What is broken is told with code, sentence, the words it is about, and help.

`broken/*.txt` hold a snippet each, then `=== CODE`, the message, the underlined words and the help.
`=== any` leaves code and message open: the snippet must be refused at those words. A help of `*` is any.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from rules_dsl.catalogue import catalogue
from rules_dsl.compile import compile_text
from rules_dsl.diagnostics import Collector, Diagnostic, Span, render
from rules_dsl.verify.cases import check_cases
from tests.rules_dsl.documents import Told, breaches, clause, compiled, document, examined, fence, told

BROKEN = Path(__file__).parent / "broken"
CLAUSE = clause("error if flag")


@dataclass(frozen=True, slots=True)
class Snippet:
    """One broken snippet and what has to be told first."""

    name: str
    text: str
    wanted: Told


def snippets(kind: str) -> Iterator[Snippet]:
    for block in re.split(r"^### ", (BROKEN / f"{kind}.txt").read_text("utf-8"), flags=re.MULTILINE)[1:]:
        name, rest = block.split("\n", 1)
        text, rest = re.split(r"^=== ", rest, maxsplit=1, flags=re.MULTILINE)
        code, message, underlined, *help_text = rest.rstrip("\n").split("\n")
        yield Snippet(name, text, Told(code, message, underlined, *help_text))


def around(kind: str, text: str) -> str:
    """The document that a snippet of one kind stands in."""
    if kind == "rules":
        return document(clause(text.rstrip("\n")))
    if kind in {"facts", "divisions"}:
        return document(fence(kind, text.rstrip("\n")), CLAUSE)
    if kind == "defines":
        return document(fence("define", text.rstrip("\n")), CLAUSE)
    if kind == "checks":
        rule, checks = text.split("\n", 1)
        return document(clause(rule), fence("check", checks.rstrip("\n")))
    if kind == "cases":
        at = text.index("|")
        return document(clause(text[:at].rstrip("\n"), cases=text[at:].rstrip("\n")))
    return document(text)


KINDS = ("rules", "divisions", "facts", "defines", "cases", "parts", "checks")
SNIPPETS = [(kind, s) for kind in KINDS for s in snippets(kind)]


@pytest.mark.parametrize(("kind", "snippet"), [pytest.param(k, s, id=f"{k}: {s.name}") for k, s in SNIPPETS])
def test_what_is_broken_is_told(kind: str, snippet: Snippet) -> None:
    text = around(kind, snippet.text)
    found = [told(text, d) for d in examined(compile_text(text, "Doc.md"))]
    assert found, "nothing was told"
    if snippet.wanted.code == "any":
        assert snippet.wanted.underlined in [t.underlined for t in found]
    elif snippet.wanted.help == "*":
        assert replace(found[0], help="*") == snippet.wanted
        assert found[0].help
    else:
        assert found[0] == snippet.wanted


def test_every_code_of_the_compiler_has_a_snippet() -> None:
    told_here = {s.wanted.code for _, s in SNIPPETS} | {
        "B001",
        "B002",
        "B004",
        "B005",
        "C001",
        "C010",
        "C011",
        "M001",
    }
    assert set(catalogue()) == told_here


def test_the_vocabulary_of_these_tests_is_sound() -> None:
    assert examined(compiled(CLAUSE)) == []


def test_clauses_without_a_rule_are_counted_in_a_note() -> None:
    text = document(
        "1.1.1. **silent** -- Only words.\n\n",
        CLAUSE.replace("1.1.1", "1.1.2"),
        head="---\ncomplete: no\n---\n",
    )
    found = [d for d in compile_text(text, "Doc.md").diagnostics if d.level == "note"]
    assert [told(text, d) for d in found] == [Told("C010", "1 of 2 clauses state no rule yet", "1.1.1")]


def test_a_clause_without_a_case_is_a_note() -> None:
    compiled_text = document(CLAUSE)
    found = compile_text(compiled_text, "Doc.md")
    collect = Collector()
    check_cases(found.page, found.vocabulary, found.program, collect)
    assert [(d.level, told(compiled_text, d)) for d in collect.found] == [
        ("note", Told("C011", "clause 1.1.1 has no case yet", "1.1.1"))
    ]


HEADS = {
    "edtion: '1'": ("the head has no key `edtion`", "edtion", "did you mean `edition`?"),
    "complete: maybe": ("complete is yes or no", "complete: maybe", ""),
    "edition: '2'\neditions: ['1']": (
        "edition 2 is not among the editions",
        "edition: '2'\neditions: ['1']",
        "",
    ),
}


@pytest.mark.parametrize("head", HEADS)
def test_a_broken_head(head: str) -> None:
    text = document(CLAUSE, head=f"---\n{head}\n---\n\n")
    message, underlined, help_text = HEADS[head]
    assert told(text, compile_text(text, "Doc.md").errors[0]) == Told("C001", message, underlined, help_text)


@pytest.mark.parametrize(
    "head",
    [
        "---\n- a list\n---\n",
        "---\nedition: '1'\nedition: '2'\neditions: ['1', '2']\n---\n",
        "---\neditions: 4\n---\n",
    ],
    ids=["a list", "a key twice", "editions that are no list"],
)
def test_a_head_that_would_be_half_read_is_refused(head: str) -> None:
    assert "C001" in [d.code for d in compile_text(document(CLAUSE, head=head), "Doc.md").errors]


def test_a_head_that_is_no_yaml_is_told_in_one_line() -> None:
    (found,) = compile_text(document(CLAUSE, head="---\na: [\n---\n"), "Doc.md").errors
    assert found.code == "C001"
    assert "\n" not in found.message


def test_a_breach_sentence_that_is_missing_or_stale() -> None:
    text = document(CLAUSE, clause("error if other", breach="Breach: the flag is up.", number="1.1.2"))
    found = [told(text, d) for d in breaches(compile_text(text, "Doc.md"))]
    assert found == [
        Told(
            "B001",
            "clause 1.1.1 has no breach sentence",
            "1.1.1",
            "`clausegate fmt` writes it: Breach: the flag is up.",
        ),
        Told(
            "B002",
            "the breach sentence of 1.1.2 is not what its statement says",
            "> Breach: the flag is up.",
            "`clausegate fmt` writes it: Breach: the other is up.",
        ),
    ]


def test_a_breach_sentence_of_a_clause_that_states_nothing() -> None:
    text = document(clause('informative "x"', breach="Breach: the flag is up."))
    (found,) = breaches(compile_text(text, "Doc.md"))
    assert told(text, found) == Told(
        "B002",
        "the breach sentence of 1.1.1 is not what its statement says",
        "> Breach: the flag is up.",
        "`clausegate fmt` removes it",
    )


def test_a_second_breach_sentence_that_is_stale_is_told() -> None:
    text = document(
        clause("error if flag", breach="Breach: the flag is up."), "> Breach: something of old.\n\n"
    )
    assert [d.code for d in breaches(compile_text(text, "Doc.md"))] == ["B002"]


def test_a_breach_sentence_may_be_wrapped() -> None:
    text = document(
        clause("error if flag and other", breach="Breach: the flag is up,\n> and the other\n>   is up.")
    )
    assert breaches(compile_text(text, "Doc.md")) == []


@pytest.mark.parametrize(
    "body",
    [
        "error if n > 1\nwarn if other",
        "error if n > 1\nwarn if other\n",
        "error if n > 1\nwarn if other\n``\n",
    ],
)
def test_a_fence_that_is_never_closed_loses_no_line(body: str) -> None:
    found = compile_text(document(f"1.1.1. **open** -- Words.\n\n```rule\n{body}"), "Doc.md")
    assert found.errors or len(found.program.clauses[0].statements) == 2


def test_a_fence_inside_a_list_or_a_quote_is_not_passed_over() -> None:
    for inside in ("- item\n\n  ```rule\n  error if flag\n  ```\n", "> ```rule\n> error if flag\n> ```\n"):
        text = document(f"1.1.1. **inside** -- Words.\n\n{inside}", head="---\ncomplete: no\n---\n")
        found = compile_text(text, "Doc.md")
        assert found.errors or found.program.clauses[0].kind == "decidable"


def test_a_clause_in_a_comment_is_none() -> None:
    found = compile_text(document(CLAUSE, "<!--\n1.1.2. **hidden** -- Not yet.\n-->\n"), "Doc.md")
    assert [c.rule for c in found.program.clauses] == ["1.1.1"]


def test_a_cell_that_cannot_be_read_is_told_once() -> None:
    text = document(clause("error if flag", cases="| flag | verdict |\n|--|--|\n| maybe | INVALID |"))
    assert [d.code for d in examined(compile_text(text, "Doc.md"))] == ["K008"]


def test_a_quoted_cell_cannot_be_a_member() -> None:
    cases = '| fruit | verdict |\n|--|--|\n| "Apple" | INVALID |'
    assert examined(compiled(clause("error if fruit is not listed", cases=cases)))


@pytest.mark.parametrize("cell", ["24:00:00", "12:60:00", "12:00:61", "99:99:99"])
def test_a_clock_that_does_not_exist_is_told(cell: str) -> None:
    cases = f"| start | end | verdict |\n|--|--|--|\n| {cell} | 12:00:00 | pass |"
    assert "K008" in [d.code for d in examined(compiled(clause("error if start > end", cases=cases)))]


def test_a_pattern_that_is_no_pattern_does_not_reach_a_case() -> None:
    cases = "| title | verdict |\n|--|--|\n| a | pass |"
    assert examined(compiled(clause('error if title matches "("', cases=cases)))


def test_a_field_may_be_called_like_the_define_that_reads_it() -> None:
    define = fence("define", "good on leaf = any(x.good for x in items)")
    assert [d.message for d in compiled(define, clause("error if good")).errors] == []


def test_a_misspelled_unit_is_told_its_spelling() -> None:
    text = document(clause("error if heap > 3 GiBi"))
    assert "GiB" in compile_text(text, "Doc.md").errors[0].help


def test_a_circle_is_told_once() -> None:
    define = fence("define", "a on leaf = b\nb on leaf = a")
    assert [d.code for d in compiled(define, CLAUSE).errors] == ["N004"]


def first(text: str) -> Diagnostic:
    return compile_text(text, "Doc.md").errors[0]


def test_rendered() -> None:
    text = document(clause("error if flagg"))
    line = text[: text.index("error if flagg")].count("\n") + 1
    assert render(first(text), text, "Doc.md") == (
        "error[N001]: nothing is called `flagg`\n"
        f"  --> Doc.md:{line}:10\n"
        f"{line:>5} | error if flagg\n"
        "      |          ^^^^^\n"
        "  = help: did you mean `flag`?"
    )


DECLARED = {
    'error if fruit == "aple"': ("Y003", "fruit", "declared here"),
    "error if any(n.good for n in items)": ("N008", "n", "declared here"),
    "error if any(crop.good for crop in items)": ("N008", "crop key=rows(fruit) sets(seasons)", "the table"),
    "error if crop[n].weight > heap": ("Y004", "crop key=rows(fruit) sets(seasons)", "the table"),
}


@pytest.mark.parametrize("rule", DECLARED)
def test_what_a_message_speaks_of_is_shown_where_it_is_declared(rule: str) -> None:
    text = document(clause(rule))
    found = first(text)
    assert found.second is not None
    span, label = found.second
    assert (found.code, text[span.start : span.end], label) == DECLARED[rule]


def test_a_define_of_what_has_evidence_is_shown_its_declaration() -> None:
    text = document(fence("define", "flag on leaf = other"), CLAUSE)
    found = first(text)
    assert found.second is not None
    assert (text[found.second[0].start : found.second[0].end], found.second[1]) == ("flag", "declared here")


def test_rendered_with_a_second_place() -> None:
    text = document(clause("error if flag"), fence("rule", "error if other"))
    second = text[: text.index("error if other")].count("\n") + 1
    assert render(first(text), text, "Doc.md") == (
        "error[C006]: clause 1.1.1 has two rule fences\n"
        f"  --> Doc.md:{second}:1\n"
        f"{second:>5} | error if other\n"
        "      | ^^^^^^^^^^^^^^\n"
        f"{second - 4:>5} | error if flag\n"
        "      | ------------- first here"
    )


def test_rendered_at_the_end_and_with_tabs_and_wide_lines() -> None:
    text = document(clause("error if\n\tflagg"))
    shown = render(first(text), text, "Doc.md").splitlines()
    assert shown[2].endswith("|  flagg")
    assert shown[3].endswith("|  ^^^^^")
    text = document("1.1.1. **open** -- Words.\n\n```rule\nerror if flagg\n```")
    assert "^^^^^" in render(first(text), text, "Doc.md")


def test_a_span_over_lines_is_underlined_on_its_first() -> None:
    text = document(clause("error if spare > 1\n  and n > 1"))
    shown = render(first(text), text, "Doc.md").splitlines()
    assert shown[2].endswith("| error if spare > 1")
    assert shown[3].endswith("| ^^^^^^^^^^^^^^^^^^")


def test_of_a_long_line_the_words_that_are_wrong_are_shown() -> None:
    line = "error if " + " and ".join(["flag"] * 30) + " and flagg and " + " and ".join(["flag"] * 30)
    at = line.index("flagg")
    shown = render(Diagnostic("N001", "no", Span(at, at + 5)), f"{line}\n", "Doc.md")
    first, marks = shown.splitlines()[2:4]
    assert max(len(first), len(marks)) <= 104
    assert first[marks.index("^") : marks.rindex("^") + 1] == "flagg"
