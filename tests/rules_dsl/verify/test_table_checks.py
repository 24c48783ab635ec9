"""`check` fences: a table and a clause that part are told with the cell, the clause and a run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.cli.main import cli
from engine.sizing import COLUMNS
from rules_dsl.compile import compile_text, read_text
from rules_dsl.diagnostics import Collector, Diagnostic
from rules_dsl.verify.cases import check_cases
from rules_dsl.verify.table_checks import check_tables
from tests.command import ROOT
from tests.rules_dsl.verify.tables import rewritten

RULES = ROOT / "Rules.md"
TEXT = read_text(RULES)
NOMINAL = "| Checkpoint size | 105 GB | 912 GB | 5.29 TB | 18 TB |"
SUBSET_ROW = re.compile(r"^\| Subset size .*$", re.MULTILINE)

SMALL = """---
complete: no
---

```facts
fruit: {{type: enum, meaning: a fruit, members: {{Apple: [pomme], Pear: []}}, package: [constant:Apple]}}
n: {{type: integer, meaning: how many, package: [constant:Apple]}}
items: {{type: list, meaning: a list, fields: {{k: {{type: integer, meaning: k}}}}, package: [tree:runs]}}
```

<!-- table: crop key=rows(fruit) -->
| Fruit | Most | Sold |
|---|---|---|
| Apple | 3 | yes |
| Pear | 5 | no |

1.1. **most** -- Not too many.

```rule
error if n > crop[fruit].most
```

1.2. **listed** -- Over a list.

```rule
for each i in items: error if i.k > 1
```

```check
{check}
```
"""


SWAPPED = 'check for each f in crop: f.sold exactly when a run with fruit == f.key and n > 3 can pass "1.1"'


def checked(text: str) -> tuple[int, list[Diagnostic]]:
    """How many checks ran, and what they told. The document itself has to compile."""
    compiled = compile_text(text, "Doc.md")
    assert compiled.errors == ()
    collect = Collector()
    return check_tables(compiled.page, compiled.vocabulary, compiled.program, collect), collect.found


def told(check: str) -> tuple[str, str, str, str]:
    """Code, message, underlined words and help of the one thing that a check of the small document tells."""
    text = SMALL.format(check=check)
    _, [found] = checked(text)
    return found.code, found.message, text[found.span.start : found.span.end], found.help


def test_the_document_keeps_its_promises() -> None:
    ran, found = checked(TEXT)
    assert found == []
    assert ran > 30


def test_a_check_that_breaks_shows_the_cell_the_check_and_both_values() -> None:
    text = rewritten(TEXT, "| Measured size | 104.7045 GiB |", "| Measured size | 104.7046 GiB |")
    found = checked(text)[1][0]
    assert (found.code, found.message) == ("X003", "this does not hold for 8B")
    assert text[found.span.start : found.span.end] == "104.7046 GiB"
    assert found.second is not None
    assert text[found.second[0].start : found.second[0].end].startswith(
        "check for each m in table2: m.measured_size"
    )
    assert found.help == "it says 104.7046 GiB == 104.7045 GiB"


def test_the_known_overestimate_is_excepted_by_name_and_still_bound() -> None:
    def told(size: str) -> set[str]:
        row = NOMINAL.replace("18 TB", size)
        return {d.code for d in checked(rewritten(TEXT, NOMINAL, row))[1]}

    assert told("15.43 TB") == {"X003", "X005"}
    assert "X003" in told("17 TB")
    assert "X003" in told("19 TB")


def test_the_published_inversion_contradicts_the_table() -> None:
    _, found = checked(TEXT.replace('model != "8B")', 'model == "8B")'))
    assert {d.code for d in found} == {"X004"}
    assert [re.search(r"for (\w+):", d.message)[1] for d in found] == ["8B", "70B", "405B", "1T"]  # type: ignore[index]  # it is there
    assert "`m.subset_size is valid` is yes, but a run as described cannot pass 4.3.5" in found[0].message
    assert "such a run: accelerators 8, model 70B, subset yes" in found[1].help


def test_the_published_table_contradicts_the_clause() -> None:
    text = SUBSET_ROW.sub("| Subset size | 105 GB | 114 GB | 94 GB | 161 GB |", TEXT)
    _, found = checked(text)
    parted = [d for d in found if d.code == "X004"]
    assert [text[d.span.start : d.span.end] for d in parted] == ["114 GB", "94 GB", "161 GB"]
    assert all(d.second is not None and d.second[1] == "clause 4.3.5" for d in parted)


def test_clause_and_table_wrong_together_are_what_no_check_can_see_but_the_cases() -> None:
    """The original accident: both were wrong and agreed. The clause's own examples tell it."""
    text = SUBSET_ROW.sub("| Subset size | Invalid | 912 GB | 5.29 TB | 18 TB |", TEXT)
    text = text.replace('model != "8B")', 'model == "8B")')
    compiled = compile_text(text, "Doc.md")
    assert not [d for d in checked(text)[1] if d.code == "X004"]
    collect = Collector()
    check_cases(compiled.page, compiled.vocabulary, compiled.program, collect)
    assert any("4.3.5" in d.message for d in collect.errors)


INVERTED = ('model != "8B")', 'model == "8B")')
PUBLISHED_ROW = "| Subset size | 105 GB | 114 GB | 94 GB | 161 GB |"


@pytest.mark.parametrize(
    ("inverted", "row", "parted"),
    [
        (True, False, {"8B": "105 GB", "70B": "Invalid", "405B": "Invalid", "1T": "Invalid"}),
        (False, True, {"70B": "114 GB", "405B": "94 GB", "1T": "161 GB"}),
        (True, True, {"8B": "105 GB"}),
    ],
    ids=["the clause", "the table", "both"],
)
def test_the_published_text_is_refused_with_cell_clause_and_run(
    tmp_path: Path, inverted: bool, row: bool, parted: dict[str, str]
) -> None:
    text = TEXT.replace(*INVERTED) if inverted else TEXT
    text = SUBSET_ROW.sub(PUBLISHED_ROW, text) if row else text
    path = tmp_path / "Published.md"
    path.write_text(text, "utf-8")
    told = CliRunner().invoke(cli, ["check", str(path)])
    assert told.exit_code == 1
    blocks = [b for b in told.output.split("\n\n") if b.startswith("error[X")]
    assert len(blocks) == len(parted)
    for block, (model, cell) in zip(blocks, parted.items(), strict=True):
        assert block.startswith(f"error[X004]: table and clause part for {model}: ")
        _, _, shown, carets, _, dashes, run = block.split("\n")
        at = carets.index("^")
        assert shown[at : at + carets.count("^")] == cell
        assert dashes.endswith("-- clause 4.3.5")
        assert run == f"  = help: such a run: accelerators 8, model {model}, subset yes"


@pytest.mark.parametrize(
    "check",
    [
        'check crop["Apple"].most == 3',
        "check for each f in crop: f.most > 2",
        "check for each f in crop where f.sold: f.most == 3",
        'check for each f in crop: a run with fruit == f.key and n == f.most always pass "1.1"',
        'check for each f in crop: a run with fruit == f.key and n == f.most + 1 cannot pass "1.1"',
        'check a run can break "1.1"',
        "check count(f in crop) == 2 and count(f in crop where f.sold) == 1",
        "check sum(f.most for f in crop) == 8 and mean(f.most for f in crop) == 4",
        "check least(f.most for f in crop) == 3 and greatest(f.most for f in crop where f.sold) == 3",
        "check any(f.most > 4 for f in crop) and not all(f.most > 4 for f in crop)",
        "check distinct(f.sold for f in crop) == 2 and distinct(f.most > 1 for f in crop) == 1",
        "check all(f.sold for f in crop where f.most > 9) and not any(f.sold for f in crop where f.most > 9)",
        "check for each f in crop: any(g.key == f.key and g.most == f.most for g in crop)",
        'check member(fruit, "pomme") == "Apple" and member(fruit, "plum") == ""',
        "check for each f in crop: member(fruit, f.key) == f.key",
        SWAPPED + ' except {"Apple", "Pear"} because "both are sold otherwise"',
    ],
)
def test_what_holds(check: str) -> None:
    ran, found = checked(SMALL.format(check=check))
    assert (ran > 0, [d.message for d in found]) == (True, [])


@pytest.mark.parametrize(
    ("check", "code", "message", "underlined"),
    [
        ('check crop["Apple"].most == 4', "X003", "this does not hold", "3"),
        ("check for each f in crop: f.most < 5", "X003", "this does not hold for Pear", "5"),
        ("check for each f in corp: f.most < 5", "X001", "no table is called `corp`", "corp"),
        ('check a run can pass "1.9"', "X001", "no decidable clause is called 1.9", '"1.9"'),
        (
            'check for each f in crop: f.most > 0 except {"Aple"} because "x"',
            "X001",
            "table crop has no key Aple",
            '"Aple"',
        ),
        (
            'check a run with n > 3 and n < 3 can pass "1.1"',
            "X002",
            "no run is as described here",
            'a run with n > 3 and n < 3 can pass "1.1"',
        ),
        (
            'check a run can pass "1.2"',
            "X002",
            "clause 1.2 runs over a list; a promise is of clauses of single facts",
            '"1.2"',
        ),
        ("check n > 3", "X002", "this cannot be told: it reads what no table says", "n > 3"),
        (
            'check for each f in crop: f.most > 2 except {"Pear"} because "x"',
            "X005",
            "this holds for Pear; it is no exception any more",
            '"Pear"',
        ),
        (
            "check for each f in crop where f.sold and f.most > n: f.sold",
            "X002",
            "this cannot be told for Apple: it reads what no table says",
            "f.sold and f.most > n",
        ),
        (
            "check sum(f.most for f in crop where f.most > 9) == 0",
            "X002",
            "`sum` is of no row of crop",
            "sum(f.most for f in crop where f.most > 9)",
        ),
        ("check for each f in crop: f == 2", "N002", "`f` is a row of crop: name a cell, as `f.column`", "f"),
        ("check count(n in crop) == 2", "N008", "`n` is a fact already; the loop needs another name", "n"),
        (
            "check layout_size(crop) > 1 GiB",
            "X006",
            "`layout_size` is of one row: name the loop's row in it",
            "l",
        ),
        ('check member(n, "3") == ""', "X006", "`member` is of an enumeration and a text", 'member(n, "3")'),
        (
            "check for each f in crop where f.sold: layout_files(f) == 2",
            "X006",
            f"no layout for Apple: it needs whole numbers in {', '.join(COLUMNS)}",
            "layout_files(f)",
        ),
        ("check for each f in crop: f.mots > 2", "N001", "table crop has no `mots`", "f.mots"),
        (
            'check a run always pass "1.1"',
            "X004",
            "table and clause part: a run as described does not always pass 1.1",
            'check a run always pass "1.1"',
        ),
    ],
)
def test_what_does_not_hold(check: str, code: str, message: str, underlined: str) -> None:
    found = told(check)
    assert found[:2] == (code, message)
    assert underlined in found[2] or found[2] in underlined
