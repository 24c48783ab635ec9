"""The canonical layout of statements and tables: one for each text, and it means what was written."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules_dsl.compile import compile_text, read_text
from rules_dsl.diagnostics import Span
from rules_dsl.format.document import format_document
from rules_dsl.format.fences import laid_out
from rules_dsl.source.document import Fence
from tests.command import ROOT
from tests.rules_dsl.bare import meaning
from tests.rules_dsl.catalogue.test_diagnostics import SNIPPETS, around
from tests.rules_dsl.documents import clause, document, fence
from tests.rules_dsl.english.test_sentence import SENTENCES
from tests.rules_dsl.trees import DIVISIONS

RULES = read_text(ROOT / "Rules.md")
LONG = "a name that is long enough to fill half of a line, as names are"

RULES_LAID_OUT = {
    "a statement": ("error   if flag\n and\tother", "error if flag and other"),
    "brackets and marks": (
        'error if not(flag or( fruit in{"Fig" ,"Pear"} ))',
        'error if not (flag or (fruit in {"Fig", "Pear"}))',
    ),
    "arithmetic": ("error if - n*( m+1 )-2>-1", "error if -n * (m + 1) - 2 > -1"),
    "two signs": ("error if n- - m>1", "error if n - -m > 1"),
    "calls and folds": (
        "error if min ( n,m )+count ( x  in items where x . good )>1",
        "error if min(n, m) + count(x in items where x.good) > 1",
    ),
    "cells and units": (
        "error if crop [ fruit ] . weight>3GiB or heap   as GB>disk",
        "error if crop[fruit].weight > 3 GiB or heap as GB > disk",
    ),
    "prefixes": (
        'in   closed : since"1" :when flag :for  each x  in items where x.good:error if other',
        'in closed: since "1": when flag: for each x in items where x.good: error if other',
    ),
    "message and fix": (
        'error if flag because "why  not" fix "do  it"',
        'error if flag\n  because "why  not"\n  fix "do  it"',
    ),
    "two statements in a line": ("error if flag warn if other", "error if flag\nwarn if other"),
    "one blank line is kept": (
        "\n\nerror if flag\n\n\n\nwarn if other\n\n",
        "error if flag\n\nwarn if other",
    ),
    "words for patterns": (
        'error if title   starts\n with "a" or title matches "b" or n is  not\nrecorded',
        'error if title starts with "a" or title matches "b" or n is not recorded',
    ),
    "comments above": (
        "#first\n\n#second\nerror if flag\n   # between\nwarn if other\n# last",
        "#first\n\n#second\nerror if flag\n# between\nwarn if other\n# last",
    ),
    "comments beside": (
        'error if flag    # one\n  because "x" # two\nwarn if other # three',
        'error if flag\n    # one\n  because "x"  # two\nwarn if other  # three',
    ),
    "a comment inside": (
        "error if flag and # why\n other",
        "error if flag and\n    # why\n    other",
    ),
    "informative": ('informative     "a  b"', 'informative "a  b"'),
    "too long": (
        f'error if flag and title == "{LONG}" or other and title != "{LONG}" or third',
        f'error if flag and title == "{LONG}"\n    or other and title != "{LONG}"\n    or third',
    ),
    "too long behind a prefix": (
        f'when title == "{LONG}": error if title starts with "{LONG}"',
        f'when title == "{LONG}":\n    error if title starts with "{LONG}"',
    ),
    "too long in brackets": (
        f'error if flag and (title == "{LONG}" and third or title != "{LONG}")',
        f'error if flag\n    and (title == "{LONG}" and third\n        or title != "{LONG}")',
    ),
}


def formatted(text: str) -> str:
    found = compile_text(text, "Doc.md")
    assert [d.message for d in found.errors] == []
    return format_document(found)


def bodies(text: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("what", RULES_LAID_OUT)
def test_how_a_rule_is_laid_out(what: str) -> None:
    written, wanted = RULES_LAID_OUT[what]
    back = formatted(document(clause(written)))
    assert bodies(back, "rule") == [wanted + "\n"]
    assert formatted(back) == back
    assert meaning(back) == meaning(document(clause(written)))


CHECKED = """\
check for each k in crop: k.weight is valid
    exactly when a run with fruit == k.key and title == "a name that is long enough" can break "1.1.1"
    except {"Fig"} because "why"
"""


def test_how_defines_and_checks_are_laid_out() -> None:
    text = document(
        fence("define", "a on leaf=n+ 1 # why\n\n\nb on leaf = a\n otherwise m"),
        fence("check", CHECKED.replace("\n    ", " ").replace(": ", ":").replace(" {", "{")),
        clause("error if fruit is listed and a > b"),
    )
    back = formatted(text)
    assert bodies(back, "define") == ["a on leaf = n + 1  # why\n\nb on leaf = a otherwise m\n"]
    assert bodies(back, "check") == [CHECKED]
    assert formatted(back) == back
    assert meaning(back) == meaning(text)


TABLE = """\
<!-- table: sizes key=rows(text) -->
|Name|Size|Said|
|:-|-:|:---:|
|a|10|x\\|y|
|  a longer name  |2|-|
| - | - | - |
"""
TABLE_LAID_OUT = """\
<!-- table: sizes key=rows(text) -->
| Name          | Size | Said |
|:--------------|-----:|:----:|
| a             | 10   | x\\|y |
| a longer name | 2    | -    |
| -             | -    | -    |
"""


def test_named_tables_are_aligned_and_keep_their_sides() -> None:
    back = formatted(document(TABLE, "\n", clause("error if flag")))
    assert TABLE_LAID_OUT in back
    assert formatted(back) == back


def test_a_row_of_dashes_is_a_row() -> None:
    cases = "| items.good | verdict |\n|--|--|\n| - | pass |\n|-|-|"
    text = document(clause("error if any(x.good for x in items)", cases=cases))
    assert "|------------|---------|\n| -          | pass    |\n| -          | -       |\n" in formatted(text)


def test_a_table_without_bars_at_its_ends() -> None:
    text = document(
        "<!-- table: t key=rows(text) -->\nName | Size\n-|-\na | 1", "\n\n", clause("error if flag")
    )
    assert "| Name | Size |\n|------|------|\n| a    | 1    |\n\n" in formatted(text)


def test_tables_without_a_name_are_the_authors() -> None:
    text = document("| a | b |\n|-|-|\n| long cell | c |\n\n", clause("error if flag"))
    assert "| a | b |\n|-|-|\n| long cell | c |\n" in formatted(text)


# --- any blanks come back ------------------------------------------------------------------

TOKEN = re.compile(
    r'"[^"\n]*"|#[^\n]*\n|in (?:closed|package):|starts with|exactly when|a run'
    r"|[A-Za-z_]\w*|\d+(?:\.\d+)?|[<>=!]=|[^\s\w]"
)
OWN = re.compile(r"^```(rule|define|check)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FUSED = re.compile(r"\w\w")


def loosened(body: str, gaps: list[str]) -> str:
    """A fence's body with other blanks between its tokens; lines of comments stay lines."""
    out: list[str] = ["\n"]
    for index, token in enumerate(TOKEN.findall(body)):
        gap = "" if out[-1].endswith("\n") else gaps[index % len(gaps)]
        if token.startswith("#"):
            out.append(f"\n{token}")
        else:
            out.append((gap or (" " if FUSED.fullmatch(out[-1][-1:] + token[0]) else "")) + token)
    return "".join(out)[1:] + "\n"


@given(st.lists(st.sampled_from(["", " ", "  ", "\n", "\n   ", "\t"]), min_size=1, max_size=40))
@settings(max_examples=5, deadline=None)
def test_any_blanks_of_the_rules_come_back(gaps: list[str]) -> None:
    tried = 0
    for kind, body in OWN.findall(RULES):
        changed = loosened(body, gaps)
        whole = Fence(kind, Span(0, 0), Span(0, len(changed)), None, None)
        assert laid_out(changed, whole, DIVISIONS) == body
        tried += 1
    assert tried > 15


words = st.sampled_from(sorted(SENTENCES))
comments = st.lists(st.sampled_from(["# why", "#", '# a "b" c', "# error if x", "# 'é\u2028"]), max_size=3)


def commented(rule: str, where: list[int], said: list[str]) -> str:
    """A rule with comments put between its tokens."""
    tokens = [m.span() for m in TOKEN.finditer(rule)]
    places = sorted({tokens[w % len(tokens)][0] for w in where}, reverse=True)
    for place, comment in zip(places, said, strict=False):
        rule = f"{rule[:place]} {comment}\n{rule[place:]}"
    return rule


@given(st.lists(words, min_size=1, max_size=3), st.lists(st.integers(0, 60), max_size=3), comments)
@settings(max_examples=25, deadline=None)
def test_comments_survive_and_nothing_changes_its_meaning(
    rules: list[str], where: list[int], said: list[str]
) -> None:
    written = commented("\n".join(rules), where, said)
    text = document(clause(written))
    back = formatted(text)
    assert meaning(back) == meaning(text)
    assert formatted(back) == back
    found = [c.rstrip() for c in re.findall(r"#[^\n]*", written)]
    assert re.findall(r"#[^\n]*", bodies(back, "rule")[0]) == found


SOUND = [around(k, s.text) for k, s in SNIPPETS if not compile_text(around(k, s.text), "Doc.md").errors]


@pytest.mark.parametrize("text", SOUND)
def test_snippets_that_compile_mean_the_same(text: str) -> None:
    back = formatted(text)
    assert meaning(back) == meaning(text)
    assert formatted(back) == back


def test_the_rules_mean_the_same() -> None:
    changed = re.sub(r"^(\||error|warn|note|in closed)", r"\1  ", RULES, flags=re.MULTILINE)
    assert changed != RULES
    assert meaning(formatted(changed)) == meaning(changed)


def test_a_check_that_does_not_parse_stays_as_it_is() -> None:
    body = "check  for each k in crop k.weight is valid"
    text = document(fence("check", body), clause("error if flag"))
    assert bodies(format_document(compile_text(text, "Doc.md")), "check") == [f"{body}\n"]
