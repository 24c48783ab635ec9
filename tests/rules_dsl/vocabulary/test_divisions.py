"""A document's own divisions: what its prefixes, sentences, cases and mutants are follows from the fence."""

from __future__ import annotations

from functools import cache

import pytest

from engine.runtime.ruleset import Division
from rules_dsl.compile import Compiled, compile_text
from rules_dsl.emit.modules import emit, unit_names
from rules_dsl.explain.blocks import as_text
from rules_dsl.explain.clause import explain_clause
from rules_dsl.explain.view import page_of
from rules_dsl.format.document import breach_quote, format_document
from rules_dsl.mutate.model import read_written
from rules_dsl.mutate.run import mutants
from rules_dsl.vocabulary.divisions import costed, judged, left_after, prefix_names
from tests.rules_dsl.documents import (
    DOCUMENTS,
    FACTS,
    TABLE,
    Told,
    clause,
    document,
    examined,
    fence,
    sound,
    told,
)
from tests.rules_dsl.emit.emitted import load_ruleset

GOLD, SILVER, BRONZE = (
    Division("gold", "GOLD", 30),
    Division("silver", "SILVER", 20),
    Division("bronze", "BRONZE", 10),
)
PRACTICE = Division("practice", advice=True)
METALS = """silver: {category: SILVER, rank: 20}
practice: {advice: yes}
bronze: {category: BRONZE, rank: 10}
gold: {category: GOLD, rank: 30}"""


def declaring(divisions: str) -> str:
    """The vocabulary with these divisions."""
    return DOCUMENTS + fence("divisions", divisions) + FACTS + TABLE


def metals(*parts: str) -> Compiled:
    """A document of three ranks that compiles."""
    return sound(*parts, vocabulary=declaring(METALS))


@cache
def stated(rule: str) -> Compiled:
    """A clause with one rule under three ranks."""
    return metals(clause(rule))


def errors(rule: str, divisions: str | None) -> list[Told]:
    """What is told of a rule in a document with these divisions, or with none."""
    vocabulary = DOCUMENTS + FACTS + TABLE if divisions is None else declaring(divisions)
    text = document(clause(rule), vocabulary=vocabulary)
    return [told(text, d) for d in compile_text(text, "Doc.md").errors]


def test_rank_alone_says_which_is_higher() -> None:
    declared = (SILVER, PRACTICE, BRONZE, GOLD)
    assert stated("error if flag").program.divisions == declared
    assert judged(declared) == (GOLD, SILVER, BRONZE)
    assert costed(declared) == (GOLD, SILVER)
    assert left_after(declared, "gold") == SILVER
    assert left_after(declared, "silver") == BRONZE
    assert prefix_names(declared) == ("gold", "silver", "bronze", "practice")


def test_generated_code_holds_them_in_the_order_of_the_document() -> None:
    ruleset = load_ruleset(emit(stated("in silver: error if flag").program, "Doc.md"))
    assert ruleset.divisions == (SILVER, PRACTICE, BRONZE, GOLD)
    assert [s.category for s in ruleset.clauses[0].statements] == ["silver"]


@pytest.mark.parametrize(
    ("rule", "sentence", "word", "cost"),
    [
        ("error if flag", "Breach: the flag is up.", "INVALID", "a breach makes the run INVALID"),
        (
            "in gold: error if flag",
            "Breach of GOLD: the flag is up.",
            "SILVER",
            "a breach costs GOLD, the run can still be SILVER",
        ),
        (
            "in silver: error if flag",
            "Breach of SILVER: the flag is up.",
            "BRONZE",
            "a breach costs SILVER, the run can still be BRONZE",
        ),
        (
            "in silver: warn if flag",
            "Breach of SILVER, a warning only: the flag is up.",
            "SILVER warning",
            "a breach is a SILVER warning and costs nothing",
        ),
        (
            "in gold: note if flag",
            "Breach of GOLD, a note only: the flag is up.",
            "GOLD note",
            "a breach is a GOLD note and costs nothing",
        ),
        (
            "in package: error if flag",
            "Breach of the package: the flag is up.",
            "package",
            "a breach is an error of the package and says nothing of a run's category",
        ),
    ],
)
def test_the_words_of_a_breach(rule: str, sentence: str, word: str, cost: str) -> None:
    cases = f"| flag | verdict |\n|--|--|\n| yes | {word} |\n| no | pass |"
    found = metals(clause(rule, cases=cases))
    assert examined(found) == []
    (only,) = found.program.clauses
    assert breach_quote(found.program, only) == f"> {sentence}"
    explained = explain_clause(found, only, emit(found.program, "Doc.md"))
    page = as_text(page_of(explained, unit_names(found.program), found.page.text))
    assert f"{cost}; asked of each leaf." in " ".join(page.split())


@pytest.mark.parametrize("word", ["OPEN", "CLOSED warning", "GOLD", "BRONZE warning", "silver"])
def test_the_words_of_other_documents_are_no_verdicts(word: str) -> None:
    cases = f"| flag | verdict |\n|--|--|\n| yes | {word} |"
    found = examined(metals(clause("in gold: error if flag", cases=cases)))
    assert [d.code for d in found] == ["K007"]


def test_a_case_has_a_word_for_each_division_that_is_lost() -> None:
    cases = "| flag | other | verdict |\n|--|--|--|\n| yes | yes | SILVER, BRONZE |\n| no | yes | BRONZE |"
    rule = "in gold: error if flag\nin silver: error if other"
    assert examined(metals(clause(rule, cases=cases))) == []


def test_layout() -> None:
    back = format_document(stated('in   gold :error   if flag\nin\nsilver: since  "2": warn if other'))
    assert '```rule\nin gold: error if flag\nin silver: since "2": warn if other\n```' in back
    wide = f'title == "{"x" * 90}"'
    back = format_document(stated(f"in gold: error if {wide}"))
    assert f"```rule\nin gold:\n    error if {wide}\n```" in back


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("error if flag", {("", "in gold: "), ("", "in silver: "), ("", "in package: ")}),
        (
            "in gold: error if flag",
            {("in gold: ", ""), ("in gold:", "in silver:"), ("in gold:", "in package:")},
        ),
        (
            "in silver: error if flag",
            {("in silver: ", ""), ("in silver:", "in gold:"), ("in silver:", "in package:")},
        ),
        (
            "in package: error if flag",
            {("in package: ", ""), ("in package:", "in gold:"), ("in package:", "in silver:")},
        ),
    ],
)
def test_mutants_of_the_category(rule: str, expected: set[tuple[str, str]]) -> None:
    found = [m for m in mutants(read_written(stated(rule))) if m.kind == "category"]
    assert {(m.old, m.new) for m in found} == expected
    for mutant in found:
        assert compile_text(mutant.applied(stated(rule).page.text), "Doc.md").errors == ()


def test_a_document_without_divisions_knows_the_package_alone() -> None:
    vocabulary = DOCUMENTS + FACTS + TABLE
    found = sound(clause("in package: error if flag\nerror if other"), vocabulary=vocabulary)
    assert found.program.divisions == ()
    written = mutants(read_written(found))
    assert {m.new for m in written if m.kind == "category"} == {"", "in package: "}
    assert load_ruleset(emit(found.program, "Doc.md")).divisions == ()
    (only,) = errors("in closed: error if flag", None)
    assert only == Told(
        "P001",
        "no division is called `closed`",
        "closed",
        "declare the divisions in a `divisions` fence",
    )


def test_one_division_alone_cannot_be_lost_by_itself() -> None:
    (only,) = errors("in gold: error if flag", "gold: {category: GOLD, rank: 1}")
    assert (only.code, only.underlined) == ("C018", "in gold:")
    assert only.help == "write no prefix, which costs every category or `in package:`"


@pytest.mark.parametrize(
    ("rule", "help_text"),
    [
        ("in golden: error if flag", "did you mean `gold`?"),
        ("in closed: error if flag", "known: bronze, gold, package, practice, silver"),
    ],
)
def test_what_other_documents_call_a_division_is_none(rule: str, help_text: str) -> None:
    (only,) = errors(rule, METALS)
    assert (only.code, only.help) == ("P001", help_text)


def test_the_rest_of_a_block_is_read_behind_a_prefix() -> None:
    found = errors("error if n >\nin gold: error if otherr", METALS)
    assert [(t.code, t.underlined) for t in found] == [("P001", ">"), ("N001", "otherr")]
    (twice,) = errors("in silver: in gold: error if flag", METALS)
    assert twice.message == "a statement has one prefix of the kind `in gold:`"


@pytest.mark.parametrize(
    "names", [("gold", "gold_plus"), ("gold_plus", "gold"), ("when", "if"), ("error", "in"), ("s", "g1b_")]
)
def test_names_that_look_like_others(names: tuple[str, str]) -> None:
    ranks = zip(names, "AB", (2, 3), strict=True)
    named = [f"{name}: {{category: {category}, rank: {rank}}}" for name, category, rank in ranks]
    divisions = "\n".join([*named, "low: {category: C, rank: 1}"])
    rule = "\n".join(f'in {name}: when fruit in {{"Fig"}}: error if flag' for name in names)
    found = sound(clause(rule), vocabulary=declaring(divisions))
    assert [s.category for s in found.program.clauses[0].statements] == list(names)


def test_a_guard_over_a_set_is_no_prefix() -> None:
    found = stated("in gold: when fruit in crop: error if flag")
    (only,) = found.program.clauses[0].statements
    assert only.guard is not None
    assert only.category == "gold"


@pytest.mark.parametrize(
    ("declared", "code"),
    [
        ("gold: {category: GOLD, rank: 2\nlow: {category: LOW, rank: 1}", "V001"),
        ("gold: {category: GOLD}\nlow: {category: LOW, rank: 1}", "V013"),
        ("gold: {category: GOLD, rank: no}", "V013"),
        ("gold: {category: GOLD, rank: 2}\nlow: {rank: 1}", "V013"),
        ("gold:", "V013"),
    ],
)
def test_a_declaration_that_is_broken_is_told_and_not_what_rests_on_it(declared: str, code: str) -> None:
    assert [t.code for t in errors("in gold: error if flag", declared)] == [code]


# --- commands ----------------------------------------------------------------------------------

SECTION = "family: checkpointing\ncommands: {size: size, run: start, dry: judge}"
ASKED = """verb:
  type: enum
  meaning: the command
  members: {run: [], size: [], dry: [], other: []}
  launch: {argument: command}
speed:
  type: integer
  meaning: a speed
  launch: {option: --speed, required: [run], commands: [run, dry], divisions: [gold]}"""


def test_commands_are_those_of_a_family() -> None:
    found = metals(fence("section", SECTION), fence("facts", ASKED), clause("error if flag"))
    wanted = {"checkpointing": {"size": "size", "run": "start", "dry": "judge"}}
    assert found.program.commands == wanted
    assert found.program.families == {"1": "checkpointing"}
    ruleset = load_ruleset(emit(found.program, "Doc.md"), "gate")
    assert ruleset.commands == wanted
    assert [*ruleset.commands["checkpointing"]] == ["size", "run", "dry"]


def test_a_section_without_commands_has_none_and_options_name_any() -> None:
    found = metals(fence("section", "family: checkpointing"), fence("facts", ASKED), clause("error if flag"))
    assert found.program.commands == {}
    assert load_ruleset(emit(found.program, "Doc.md")).commands == {}
