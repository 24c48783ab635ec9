"""The rendered sentence: one reading, and never the same for two statements that differ."""

from __future__ import annotations

import pytest

from rules_dsl.diagnostics import Span
from rules_dsl.english.sentence import English
from rules_dsl.format.document import breach_quote
from rules_dsl.ir import Ref, Type
from tests.rules_dsl.documents import clause, sound
from tests.rules_dsl.english.readings import readings, sentence, whole

SENTENCES = {
    "error if flag": "Breach: the flag is up.",
    "error if not flag": "Breach: the flag is down.",
    "error if flag == no": "Breach: the flag is down.",
    "error if third": "Breach: third holds.",
    "error if not third": "Breach: third does not hold.",
    "warn if flag": "Breach, a warning only: the flag is up.",
    "note if flag": "Breach, a note only: the flag is up.",
    "in closed: error if flag": "Breach of CLOSED: the flag is up.",
    "in package: error if flag": "Breach of the package: the flag is up.",
    "in closed: warn if flag": "Breach of CLOSED, a warning only: the flag is up.",
    'since "2": error if flag': "Breach: from edition 2 on, the flag is up.",
    'until "2": error if flag': "Breach: up to edition 2, the flag is up.",
    "when flag: error if other": "Breach: where the flag is up, the other is up.",
    "when flag: when third: note if n == 1": (
        "Breach, a note only: where the flag is up and third holds, its n is 1."
    ),
    "error if flag and other": "Breach: the flag is up, and the other is up.",
    "error if flag or other": "Breach: the flag is up, or the other is up.",
    "error if flag and (other or third)": "Breach: the flag is up, and the other is up or third holds.",
    "error if flag and other or third": "Breach: the flag is up and the other is up, or third holds.",
    "error if flag and other and third": "Breach: the flag is up, the other is up, and third holds.",
    "error if flag or other and third or n == 1": (
        "Breach: the flag is up, or the other is up and third holds, or its n is 1."
    ),
    "error if flag and (other or third and n == 1)": (
        "Breach: the flag is up, and the other is up or (third holds, and its n is 1)."
    ),
    "error if not (flag and other)": "Breach: the flag is down, or the other is down.",
    "error if not (flag or not other)": "Breach: the flag is down, and the other is up.",
    "error if not (n < 1)": "Breach: its n is not less than 1.",
    'error if not (fruit in {"Apple", "Fig"})': 'Breach: its fruit is none of "Apple" and "Fig".',
    'error if not (title matches "a+")': 'Breach: its title does not match "a+".',
    'error if not (title starts with "a")': 'Breach: its title does not start with "a".',
    "error if not any(x.good for x in items)": "Breach: for no x of its items, x's good is yes.",
    "error if not all(x.good for x in items)": "Breach: for not every x of its items, x's good is yes.",
    "error if any(x.good for x in items where x.size_of > 1)": (
        "Breach: for some x of its items for which x's size of is more than 1, x's good is yes."
    ),
    "error if flag or any(x.good for x in items)": (
        "Breach: the flag is up, or (for some x of its items, x's good is yes)."
    ),
    "error if (n > 1) == flag": "Breach: whether (its n is more than 1) is its flag.",
    "error if flag otherwise other": ("Breach: (its flag or, where that is not recorded, its other) holds."),
    "error if n == 1": "Breach: its n is 1.",
    "error if n != 1": "Breach: its n is not 1.",
    "error if n < 1": "Breach: its n is less than 1.",
    "error if n <= 1": "Breach: its n is at most 1.",
    "error if n > 1": "Breach: its n is more than 1.",
    "error if n >= 1": "Breach: its n is at least 1.",
    'error if fruit == "Apple"': 'Breach: its fruit is "Apple".',
    'error if fruit in {"Apple", "Fig"}': 'Breach: its fruit is one of "Apple" and "Fig".',
    'error if fruit in {"Apple"}': 'Breach: its fruit is one of "Apple" alone.',
    "error if n not in {1, 2, 3}": "Breach: its n is none of 1, 2 and 3.",
    'error if fruit not in {"Apple", "Fig"}': 'Breach: its fruit is none of "Apple" and "Fig".',
    "error if fruit in crop": "Breach: its fruit is listed in table crop.",
    'error if title matches "a+"': 'Breach: its title matches "a+".',
    'error if title starts with "a"': 'Breach: its title starts with "a".',
    "error if n is recorded": "Breach: its n is recorded.",
    "error if n is not recorded": "Breach: its n is not recorded.",
    "error if fruit is listed": "Breach: its fruit is listed.",
    "error if fruit is not listed": "Breach: its fruit is not listed.",
    "error if n + m > 1": "Breach: its n plus its m is more than 1.",
    "error if n - m > 1": "Breach: its n minus its m is more than 1.",
    "error if n * m > 1": "Breach: its n times its m is more than 1.",
    "error if n / m > 1": "Breach: its n divided by its m is more than 1.",
    "error if n mod m > 1": "Breach: its n modulo its m is more than 1.",
    "error if n - (m - 1) > 1": "Breach: its n minus (its m minus 1) is more than 1.",
    "error if heap as GB > disk": "Breach: its heap in GB is more than its disk.",
    "error if heap > 3 GiB": "Breach: its heap is more than 3 GiB.",
    "error if (n otherwise m) > 1": "Breach: (its n or, where that is not recorded, its m) is more than 1.",
    "error if min(n, m) > 1": "Breach: the least of (its n and its m) is more than 1.",
    "error if max(n, m) > 1": "Breach: the greatest of (its n and its m) is more than 1.",
    "error if abs(n) > 1": "Breach: the absolute value of its n is more than 1.",
    "error if ceil(n) > 1": "Breach: its n rounded up is more than 1.",
    "error if floor(n) > 1": "Breach: its n rounded down is more than 1.",
    "error if size(items) > 1": "Breach: the number of its items is more than 1.",
    "error if crop[fruit].weight > heap": (
        "Breach: the weight of its fruit in table crop is more than its heap."
    ),
    "error if crop[fruit].weight is valid": "Breach: the weight of its fruit in table crop is valid.",
    "error if count(x in items) > 1": "Breach: the number of x of its items is more than 1.",
    "error if count(x in items where x.good) > 1": (
        "Breach: the number of x of its items (where x's good is yes) is more than 1."
    ),
    "error if sum(x.size_of for x in items) > 1": (
        "Breach: the sum of x's size of over each x of its items is more than 1."
    ),
}


@pytest.mark.parametrize("rule", SENTENCES)
def test_the_sentence_of_each_operator(rule: str) -> None:
    assert sentence(rule) == SENTENCES[rule]


@pytest.mark.parametrize(
    "rule",
    [
        "error if flag",
        'since "2": in closed: warn if n > 1 or third',
        "for each x in items where x.good: error if x.size_of > n",
    ],
)
def test_these_tests_render_as_the_document_does(rule: str) -> None:
    found = sound(clause(rule))
    told = readings(found, rule)
    assert told is not None
    assert [f"> {r.sentence}" for r in told] == [breach_quote(found.program, found.program.clauses[0])]


def test_the_breach_quotes_of_the_rules_are_these_sentences() -> None:
    found = whole()
    for clause_ in found.program.clauses:
        for fence in found.page.of(clause_.rule, "rule"):
            told = readings(found, found.page.text[fence.body.start : fence.body.end])
            assert told is not None
            assert "\n>\n".join(f"> {r.sentence}" for r in told) == breach_quote(found.program, clause_)


def test_prefixes_of_a_loop_are_told() -> None:
    plain = sentence("for each x in items: error if x.good")
    chosen = sentence("for each x in items where x.size_of > 1: error if x.good")
    pairs = sentence("for each x then y in items: error if x.good")
    assert plain.startswith("Breach: for each x of its items, ")
    assert "for each x of its items for which x's size of is more than 1, " in chosen
    assert pairs.startswith("Breach: for each pair of neighbours x and y of its items, ")


def test_an_elements_fact_is_told_with_the_elements_name() -> None:
    told = sentence("for each r in runs: error if r.flag or r.n > 1")
    assert told == "Breach: for each r of its runs, in r the flag is up, or r's n is more than 1."
    whole_ = whole().vocabulary.words
    english = English(whole_)
    ran = Ref(Span(0, 0), Type("bool"), "first.ran", "runs")
    assert english.clause(ran) == "first was run"
    assert english.clause(ran, denied=True) == "first was not run"
