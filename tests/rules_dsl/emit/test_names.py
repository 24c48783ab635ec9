"""Names of generated code are Python names, and no two of the document's become one."""

from __future__ import annotations

import keyword
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules_dsl.emit.names import ATTRIBUTES, TAKEN, attribute, element_class, table_constant

FACT = st.one_of(
    st.from_regex(r"[a-z][a-z0-9_]{0,3}", fullmatch=True),
    st.sampled_from(sorted(name for name in ATTRIBUTES if name.islower() and name[0] != "_")).flatmap(
        lambda name: st.sampled_from([name, f"{name}_", f"{name}__"])
    ),
)
TABLE = st.one_of(
    st.from_regex(r"\w{1,3}", fullmatch=True),
    st.sampled_from(["a", "A", "table_a", "TABLE_A", "9", "facts", "TABLES", "ß", "ss", "clause_1", "read"]),
)
NAMING = [
    pytest.param(attribute, FACT, id="attribute"),
    pytest.param(element_class, FACT, id="element class"),
    pytest.param(table_constant, TABLE, id="table"),
]


@pytest.mark.parametrize(("naming", "names"), NAMING)
def test_no_two_names_become_one(naming: Callable[[str], str], names: st.SearchStrategy[str]) -> None:
    @given(names, names)
    def differ(one: str, other: str) -> None:
        assert (naming(one) == naming(other)) == (one == other)

    differ()


@pytest.mark.parametrize(("naming", "names"), NAMING)
def test_each_is_a_name_that_hides_nothing(
    naming: Callable[[str], str], names: st.SearchStrategy[str]
) -> None:
    @given(names)
    def is_name(name: str) -> None:
        made = naming(name)
        assert made.isidentifier()
        assert not keyword.iskeyword(made)
        assert made not in (ATTRIBUTES if naming is attribute else TAKEN)

    is_name()


@pytest.mark.parametrize(
    ("table", "constant"),
    [("table2", "TABLE2"), ("template_rows", "TEMPLATE_ROWS"), ("facts", "TABLE_facts")],
)
def test_an_ordinary_table_is_its_name_in_capitals(table: str, constant: str) -> None:
    assert table_constant(table) == constant
