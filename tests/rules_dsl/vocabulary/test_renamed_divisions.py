"""The rules with other names for their divisions and categories mean what they meant before."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from rules_dsl import ir
from rules_dsl.compile import compile_text, read_text
from tests.command import ROOT
from tests.rules_dsl.bare import bare
from tests.rules_dsl.documents import breaches, examined

TEXT = read_text(ROOT / "Rules.md")
NAMES = ("closed", "open", "whatif")
CATEGORIES = ("CLOSED", "OPEN")
WORDS = frozenset(word.lower() for word in re.findall(r"[A-Za-z]+", TEXT)) | {"all", "package"}


def renamed(text: str, names: dict[str, str]) -> str:
    """The text with these words in the place of others."""
    return re.sub(rf"(?<![A-Za-z])({'|'.join(names)})(?![A-Za-z])", lambda m: names[m[0]], text)


def clauses(program: ir.Program) -> str:
    """The clauses of a program, as text without places and without digests of words."""
    plain = [replace(c, prose_digest="", statement_digest="") for c in program.clauses]
    return repr(bare((plain, program.divisions, program.commands)))


AS_WRITTEN = clauses(compile_text(TEXT, "Rules.md").program)


def test_the_names_are_said_in_the_rules() -> None:
    assert examined(compile_text(TEXT, "Rules.md")) == []
    assert all(re.search(rf"\b{name}\b", TEXT) for name in (*NAMES, *CATEGORIES))


# Sorted, since the members of a set and the divisions of an option are told in the order of the alphabet;
# without an x, which parts the label of a table's column in two.
@given(
    st.lists(st.from_regex(r"[a-wyz]{3,12}", fullmatch=True), min_size=3, max_size=3, unique=True).map(sorted)
)
@settings(
    max_examples=4,
    deadline=None,
    phases=[Phase.generate],  # each example compiles the rules, and any names fail alike
    suppress_health_check=[HealthCheck.filter_too_much],
)
def test_other_names_change_nothing_but_the_words(names: list[str]) -> None:
    assume(not WORDS & set(names))
    there = dict(zip(NAMES, names, strict=True))
    there |= {old: there[old.lower()].upper() for old in CATEGORIES}
    back = {new: old for old, new in there.items()}
    found = compile_text(renamed(TEXT, there), "Rules.md")
    assert [d.message for d in found.errors] == []
    assert examined(found) == []
    assert breaches(found) == []
    assert clauses(found.program) != AS_WRITTEN
    assert renamed(clauses(found.program), back) == AS_WRITTEN
