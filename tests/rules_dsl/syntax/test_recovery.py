"""One run tells all it can: reading goes on behind an error, and what follows from one is not told again."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.cli.main import cli
from rules_dsl.compile import compile_text
from rules_dsl.diagnostics import Diagnostic, Span, columns, render
from rules_dsl.syntax.expected import GROUPS, LABELS, SPELLED, expected
from rules_dsl.syntax.parse import grammar
from tests.rules_dsl.documents import Told, clause, compiled, document, fence, told

CLAUSE = clause("error if flag")


def all_told(text: str) -> list[Told]:
    return [told(text, d) for d in compile_text(text, "Doc.md").errors]


def of_rule(rule: str) -> list[tuple[str, str]]:
    """Message and underlined words of every error of a rule."""
    return [(t.message, t.underlined) for t in all_told(document(clause(rule)))]


SEVERAL: dict[str, list[tuple[str, str]]] = {
    "error if flagg\nwarn if otherr": [
        ("nothing is called `flagg`", "flagg"),
        ("nothing is called `otherr`", "otherr"),
    ],
    "error if n => 3\nwarn if m => 3": [("`=>` cannot stand here", "=>"), ("`=>` cannot stand here", "=>")],
    "error if n => 3\nwarn if otherr": [
        ("`=>` cannot stand here", "=>"),
        ("nothing is called `otherr`", "otherr"),
    ],
    "warn if otherr\nerror if n => 3": [
        ("nothing is called `otherr`", "otherr"),
        ("`=>` cannot stand here", "=>"),
    ],
    "error if flag and\nwarn if otherr": [
        ("the statement ends too early", "and"),
        ("nothing is called `otherr`", "otherr"),
    ],
    "error if (flag\nwarn if\nnote if": [
        ("the statement ends too early", "flag"),
        ("the statement ends too early", "if"),
        ("the block ends too early", "if"),
    ],
    "when flag:\n  error if n >\nin closed: error if otherr": [
        ("the statement ends too early", ">"),
        ("nothing is called `otherr`", "otherr"),
    ],
    'error if flag because\nfix "x"\nwarn if otherr': [
        ("`fix` cannot stand here", "fix"),
        ("nothing is called `otherr`", "otherr"),
    ],
    "for each x items: error if x.good\nerror if otherr": [
        ("`items` cannot stand here", "items"),
        ("nothing is called `otherr`", "otherr"),
    ],
}


@pytest.mark.parametrize("rule", SEVERAL)
def test_several_errors_of_one_fence_are_told_in_one_run(rule: str) -> None:
    assert sorted(of_rule(rule)) == sorted(SEVERAL[rule])


def test_several_broken_fences_are_told_in_one_run() -> None:
    text = document(
        fence("facts", "p: {type: boolean, meaning: m, package: [metadata:p]}"),
        fence("define", "q on leaf = flagg"),
        clause("error if n => 3"),
        clause("error if otherr", number="1.1.2"),
        fence("check", "check crop[Apple].weight > 1 GiB =\n"),
    )
    # checks are run once a document compiles
    assert [t.code for t in all_told(text)] == ["V005", "N001", "P001", "N001"]


def test_a_define_that_does_not_parse_is_not_missed_where_it_is_read() -> None:
    text = document(
        fence("define", "small on leaf = n <=\nlarge on leaf = m > 3\nodd on leaf = mm > 3"),
        clause("error if small and large and odd"),
    )
    assert [(t.message, t.underlined) for t in all_told(text)] == [
        ("the statement ends too early", "<="),
        ("nothing is called `mm`", "mm"),
    ]


def test_of_facts_that_cannot_be_read_none_is_missed() -> None:
    text = document(fence("facts", "p: {type: bool"), clause("error if p and size(ps) > 1 and pp[q].r == 2"))
    assert [t.code for t in all_told(text)] == ["V001"]


def test_of_a_head_that_cannot_be_read_no_edition_is_missed() -> None:
    text = document(clause('since "2": error if flag'), head="---\nedition: [2\n---\n")
    assert [t.code for t in all_told(text)] == ["C001"]


def test_a_clause_whose_number_is_taken_is_told_once() -> None:
    text = document(CLAUSE, clause("error if other", name="again"))
    assert [t.code for t in all_told(text)] == ["C004"]


# --- what is expected ------------------------------------------------------------------


SLIPS: dict[str, str] = {
    'error if title = "a"': "equal is `==`",
    "error if n => 3": "at least is `>=`",
    "error if n <> 3": "not equal is `!=`",
    "error if flag && other": "write `and`",
    "error if flag || other": "write `or`",
    "error if !flag": "write `not`",
    "error if title == 'a'": 'a text stands in double quotes: "..."',
    "error if title == \N{LEFT DOUBLE QUOTATION MARK}a\N{RIGHT DOUBLE QUOTATION MARK}": (
        'a text stands in straight quotes: "..."'
    ),
    'error if title == "a': "a text ends on the line on which it begins",
    "error if n \N{GREATER-THAN OR EQUAL TO} 3": "at least is `>=`",
    "error if\N{NO-BREAK SPACE}flag": "this blank is a no-break space; type a plain one",
    "error if true": "write `yes`",
    "error if flag == False": "write `no`",
    "error if fl\u00e4g": "a name is made of letters without marks, digits and `_`",
    "error if heap > 3 GiBs": "did you mean `GiB`?",
    "eror if flag": "did you mean `error`?",
    "error if fruit is recoded": "did you mean `recorded`?",
    "error if not": 'expected a value such as a name, a number, a "text" or (...) or not',
    "informative": 'expected a "text"',
    "error flag": "expected if",
    "for each x items: error if x.good": "expected in or then",
}


@pytest.mark.parametrize("rule", SLIPS)
def test_a_slip_is_told_what_was_meant(rule: str) -> None:
    (found,) = all_told(document(clause(rule)))
    assert found.help == SLIPS[rule]


def test_every_terminal_has_words_of_its_own() -> None:
    """A terminal's own name is told only where it is the word that is typed."""
    for terminal in grammar().terminals:
        if terminal.name in {"COMMENT"} or terminal.name.startswith("__IGNORE"):
            continue
        for words in expected({terminal.name}):
            typed = terminal.pattern.value.removesuffix(r"\b") == words
            assert typed or terminal.name in LABELS or terminal.name in SPELLED or terminal.name == "UNIT", (
                words
            )


def test_a_long_list_is_told_by_kinds() -> None:
    assert len(GROUPS) == 4
    (found,) = all_told(document(clause("error if n 3")))
    kinds, _, words = found.help.partition(", and, ")
    assert kinds == "expected + - * / or mod, a comparison, a statement"
    assert words == "because, fix, or, otherwise or the end of the block"


# --- how it is shown -------------------------------------------------------------------


def marked(text: str, width: int = 80) -> tuple[str, str]:
    """The line and the marks of the first error, each as wide as a terminal shows it."""
    lines = render(compile_text(text, "Doc.md").errors[0], text, "Doc.md").splitlines()
    assert all(columns(line) <= width for line in lines)
    return lines[2], lines[3]


@pytest.mark.parametrize("said", ["\u6f22\u5b57", "e\u0301e\u0301", "\U0001f600", "a\u200db", "\tx"])
def test_carets_stand_under_the_words_whatever_stands_before(said: str) -> None:
    line, marks = marked(document(clause(f'error if title == "{said}" and flagg')))
    assert columns(marks[: marks.index("^")]) == columns(line[: line.index("flagg")])
    assert marks.count("^") == 5


def test_carets_are_as_wide_as_what_they_mark() -> None:
    _, marks = marked(document(clause('error if fruit == "\u6f22\u5b57"')))
    assert marks.count("^") == 6


def test_nothing_that_is_shown_moves_the_cursor() -> None:
    text = document(clause('error if title == "\x1b[31m\u202e" and flagg'))
    shown = render(compile_text(text, "Doc.md").errors[0], text, "Doc.md")
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    message = Diagnostic("N001", "nothing is called `\x1b`", Span(0, 1))
    assert "\x1b" not in render(message, text, "Doc.md")


def test_long_help_is_wrapped_under_itself() -> None:
    shown = render(
        Diagnostic("N001", "no", Span(0, 1), help="known: " + ", ".join(["word"] * 30)), "x", "Doc.md"
    )
    helps = shown.splitlines()[4:]
    assert len(helps) > 1
    assert all(columns(line) <= 80 for line in helps)
    assert all(line.startswith("          ") for line in helps[1:])


@pytest.mark.parametrize("wide", [False, True])
def test_of_a_long_line_80_columns_are_shown(wide: bool) -> None:
    word = "\u6f22" * 60 if wide else "x" * 120
    line, marks = marked(document(clause(f'error if title == "{word}" and flagg and title == "{word}"')))
    assert columns(marks[: marks.index("^")]) == columns(line[: line.index("flagg")])


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_bytes_before_and_line_ends_do_not_move_a_place(bom: bytes, end: str, tmp_path: Path) -> None:
    text = document(clause('error if title == "\u6f22" and flagg'))
    path = tmp_path / "Doc.md"
    path.write_bytes(bom + text.replace("\n", end).encode())
    shown = CliRunner().invoke(cli, ["check", str(path)])
    line = text[: text.index("flagg")].count("\n") + 1
    assert shown.exit_code == 1
    assert f"Doc.md:{line}:27\n" in shown.output
    assert "\n      |                            ^^^^^\n" in shown.output


def test_a_document_without_errors_is_read_as_before() -> None:
    assert compiled(clause('when flag:\n  error if other\nsince "2":\n\n  warn if third\n')).errors == ()
