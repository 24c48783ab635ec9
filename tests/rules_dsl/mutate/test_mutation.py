"""No word of a statement or define, and no cell of a table that is read, can change unnoticed."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.cli.main import cli
from rules_dsl.compile import compile_text, read_text
from rules_dsl.diagnostics import Collector
from rules_dsl.mutate.model import Mutant, Written, read_written
from rules_dsl.mutate.run import Result, examine, mutants, run
from rules_dsl.mutate.trial import Bench
from rules_dsl.verify.cases import check_cases
from rules_dsl.verify.table_checks import check_tables
from tests.command import ROOT
from tests.rules_dsl.verify.tables import rewritten

RULES = ROOT / "Rules.md"
TEXT = read_text(RULES)
UNREAD = "no clause or define reads it, and no check tells"


@cache
def written(text: str = TEXT) -> Written:
    return read_written(compile_text(text, "Rules.md"))


@cache
def every() -> tuple[Mutant, ...]:
    return tuple(mutants(written()))


@cache
def bench() -> Bench:
    return Bench(written())


def shown(result: Result) -> str:
    m = result.mutant
    return f"{m.owner}: {m.old!r} -> {m.new!r} {result.reason}"


def killed_in_full(mutant: Mutant) -> str | None:
    """What kills a mutant when everything is compiled and run anew: the code of the first error."""
    compiled = compile_text(mutant.applied(TEXT), "Rules.md")
    if compiled.errors:
        return "compiler"
    collect = Collector()
    parts = (compiled.page, compiled.vocabulary, compiled.program, collect)
    check_cases(*parts)
    if collect.errors:
        return "case" if collect.errors[0].code == "K001" else "compiler"
    check_tables(*parts)
    if collect.errors:
        return "check" if collect.errors[0].code[0] == "X" else "compiler"
    return None


def test_there_are_mutants_of_every_kind() -> None:
    kinds = {m.kind for m in every()}
    assert kinds >= {"not", "connective", "comparison", "number", "member", "set", "operand", "category"}
    assert kinds >= {
        "edition",
        "when",
        "level",
        "fact",
        "unit",
        "fold",
        "arithmetic",
        "where",
        "list",
        "state",
    }
    assert kinds >= {"cell", "name", "key", "label", "yes or no", "column", "table", "row", "scope", "text"}
    assert len([m for m in every() if m.part == "rule" and m.owner.startswith("4.")]) > 1000


def test_a_mutant_is_one_edit_at_its_place() -> None:
    for mutant in every():
        assert TEXT[mutant.span.start : mutant.span.end] == mutant.old
        assert mutant.applied(TEXT) != TEXT
    assert len({(m.span, m.new) for m in every()}) == len(every())


@pytest.mark.parametrize(
    "start", [3, pytest.param(11, marks=pytest.mark.slow), pytest.param(20, marks=pytest.mark.slow)]
)
def test_deriving_in_part_gives_what_deriving_all_gives(start: int) -> None:
    step = 500 if start == 3 else 29
    for mutant in every()[start::step]:
        killer = bench().killer(mutant)
        assert (killer.by if killer else None) == killed_in_full(mutant), mutant


def test_a_sample_of_the_document_survives_nowhere() -> None:
    found = [examine(bench(), m) for m in every()[::101]]
    assert [shown(r) for r in found if r.survived and r.reason != UNREAD] == []


@pytest.mark.slow
def test_no_word_changes_unnoticed() -> None:
    found = run(written(), every())
    assert [shown(r) for r in found if r.survived and r.reason != UNREAD] == []
    same = [r for r in found if r.equivalent]
    assert len(same) <= 0.05 * len(found)
    assert all(re.match(r"the same outcome on all [\d,]+ cells of ", r.reason) for r in same)


# --- a row that is missing -----------------------------------------------------------------


def rows_of(text: str, rule: str) -> list[str]:
    """The lines of the first cases table of a clause, without its header."""
    page = compile_text(text, "Rules.md").page
    body = page.of(rule, "cases")[0].body
    return text[body.start : body.end].splitlines()[2:]


def without(row: str) -> str:
    at = TEXT.index(row, TEXT.index("**checkpointSubsetRunValidation**"))
    return TEXT[:at] + TEXT[at + len(row) + 1 :]


SUBSET = rows_of(TEXT, "4.3.5")


@pytest.mark.parametrize(
    "row", [r if n in {5, 7} else pytest.param(r, marks=pytest.mark.slow) for n, r in enumerate(SUBSET)]
)
def test_a_row_that_is_left_out_is_proposed_again(row: str) -> None:
    text = without(row)
    document = written(text)
    chosen = [m for m in mutants(document) if m.owner == "4.3.5"]
    found = [r for r in run(document, chosen) if r.survived]
    for result in found:
        missing = result.missing
        assert missing is not None, shown(result)
        assert missing.rule == "4.3.5"
        if missing.below is None:
            at = text.index("\n> Breach: the run is a subset run")
            pasted = f"{text[:at]}\n```cases\n{missing.text()}\n```\n{text[at:]}"
        else:
            pasted = f"{text[: missing.below.end]}{missing.text()}\n{text[missing.below.end :]}"
        again = Bench(written(pasted))
        assert again.killer(moved(result.mutant, text, pasted)) is not None, missing.text()
        assert not [d for d in judged(pasted) if d], "the row is true of the document as it is"


def moved(mutant: Mutant, text: str, pasted: str) -> Mutant:
    """The mutant in the document with the row: what stands before the row is where it was."""
    assert pasted[: mutant.span.end] == text[: mutant.span.end]
    return mutant


def judged(text: str) -> list[str]:
    compiled = compile_text(text, "Rules.md")
    collect = Collector()
    check_cases(compiled.page, compiled.vocabulary, compiled.program, collect)
    return [d.message for d in [*compiled.errors, *collect.errors]]


def test_some_row_of_4_3_5_is_needed() -> None:
    """Without the row of a foreign model the clause could be told to speak of listed models alone."""
    document = written(without(next(r for r in SUBSET if "llama3-13b" in r)))
    chosen = [m for m in mutants(document) if m.owner == "4.3.5"]
    found = [r for r in run(document, chosen) if r.survived]
    assert [r.mutant.new for r in found] == ["when model is listed: "]
    assert found[0].missing is not None
    assert '"' in found[0].missing.text()


# --- edits of the text, as an author would make them -----------------------------------------

EDITS = (
    ('(accelerators != 8 or model != "8B")', '(accelerators != 8 or model == "8B")'),
    ('(accelerators != 8 or model != "8B")', '(accelerators != 8 and model != "8B")'),
    ('(accelerators != 8 or model != "8B")', '(accelerators > 8 or model != "8B")'),
    ('(accelerators != 8 or model != "8B")', '(processes != 8 or model != "8B")'),
    ("error if subset and (", "error if not subset and ("),
    ("error if subset and (", "in closed: error if subset and ("),
    ("error if subset and (", "warn if subset and ("),
    ("error if subset and (", "error if claim and ("),
    ("error if not fsync", "error if fsync"),
    ("error if not fsync", "note if not fsync"),
    ("error if model is not listed", "error if model is listed"),
    ("error if model is not listed", "error if model is not recorded"),
    ("<= 3 * memory_per_host", "< 3 * memory_per_host"),
    ("<= 3 * memory_per_host", "<= 2 * memory_per_host"),
    ("<= 3 * memory_per_host", "<= 3 * declared_memory"),
    ("when both_phases: warn", "warn"),
    ("1.1 * memory_per_host", "1.2 * memory_per_host"),
    ("<= 3 * seen_memory", ">= 3 * seen_memory"),
    ('since "4.0": when access == "file": error', 'since "3.0": when access == "file": error'),
    ('since "4.0": when access == "file": error', 'since "4.0": when access == "object": error'),
    ("error if arguments and (", "error if ("),
    ("checkpoint_folder == results_folder", "checkpoint_folder != results_folder"),
    ("error if processes != full_count", "error if processes < full_count"),
    ("in closed: when model is listed: error", "when model is listed: error"),
    ("error if accelerators_per_host <= 4", "error if accelerators_per_host < 4"),
    ("error if accelerators_per_host <= 4", "error if accelerators_per_host <= 5"),
    ("processes mod group_size != 0", "processes mod full_count != 0"),
    ("error if processes <= 0 or", "error if"),
    ("writes not in {0, 10}", "writes not in {0, 9}"),
    ("writes not in {0, 10}", "writes not in {10}"),
    ("error if first.writes != 10\n    or first.reads != 0", "error if first.writes != 10"),
    ("second.began - first.ended > 30 s", "second.began - first.ended > 30 minutes"),
    ("second.began - first.ended > 30 s", "second.began - first.ended > 31 s"),
    ("second.began - first.ended < 0 s", "second.began - first.ended <= 0 s"),
    ("< remap_time / 2", "< remap_time"),
    ("not (simultaneous_write and simultaneous_read)", "not (simultaneous_write or simultaneous_read)"),
    ("multi_host is not recorded or ", ""),
    ("least(s.count for s in slots)", "greatest(s.count for s in slots)"),
    ("subset on leaf = claim otherwise", "subset on leaf = claim and"),
    ("| Total processes | 8 | 64 |", "| Total processes | 8 | 65 |"),
    ("| Subset size | 105 GB | Invalid |", "| Subset size | 105 GB | 912 GB |"),
    ("| TP x PP x DP | 1x1x8 | 8x1x8 |", "| TP x PP x DP | 1x1x8 | 8x2x8 |"),
    ("| h100 | 80 GB | whatif |", "| h100 | 80 GB | open, whatif |"),
    ("| b200 | 180 GB |", "| b200 | 181 GB |"),
    ("| Processes per node | 4 |", "| Processes per node | 5 |"),
    ("| `storage.storage_root` | tool | object |", "| `storage.storage_root` | tool | any |"),
    ("| `checkpoint.fsync` | yes |", "| `checkpoint.fsync` | no |"),
    ("| `model.num_layers` | layers |", "| `model.num_layers` | kv_heads |"),
)


@pytest.mark.parametrize(
    ("old", "new"),
    [e if n % 24 == 0 else pytest.param(*e, marks=pytest.mark.slow) for n, e in enumerate(EDITS)],
)
def test_an_edit_is_told_after_fmt(old: str, new: str, tmp_path: Path) -> None:
    copy = tmp_path / "Rules.md"
    assert old.startswith("|") or old in TEXT
    text = rewritten(TEXT, old, new) if old.startswith("|") else TEXT.replace(old, new, 1)
    copy.write_text(text, encoding="utf-8")
    CliRunner().invoke(cli, ["fmt", str(copy)])
    assert CliRunner().invoke(cli, ["check", str(copy)]).exit_code == 1


def test_the_published_inversion_is_caught_with_its_row(tmp_path: Path) -> None:
    copy = tmp_path / "Rules.md"
    copy.write_text(TEXT.replace('model != "8B")', 'model == "8B")'), encoding="utf-8")
    assert CliRunner().invoke(cli, ["fmt", str(copy)]).exit_code == 0
    checked = CliRunner().invoke(cli, ["check", str(copy)])
    assert checked.exit_code == 1
    assert "clause 4.3.5 gives INVALID here, its case says pass" in checked.output
    row = next(line for line in checked.output.splitlines() if "the row:" in line)
    assert [cell.strip() for cell in row.split("|")[1:-1]] == ["yes", "8", "8B", "pass"]
