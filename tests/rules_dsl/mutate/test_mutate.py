"""`clausegate test` on small documents: what is changed, what is told of it, and what is equivalent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import cli
from rules_dsl.compile import compile_text
from rules_dsl.mutate.model import Mutant, read_written
from rules_dsl.mutate.run import examine, mutants
from rules_dsl.mutate.trial import Bench
from tests.rules_dsl.documents import clause, document, fence

PINNED = """| flag | verdict      |
|------|--------------|
| yes  | INVALID      |
| no   | pass         |
| ?    | undetermined |"""


def changes(rule: str, *, define: str = "", owner: str = "1.1.1") -> set[tuple[str, str]]:
    """What stood where, and what stands there in each mutant."""
    text = document(fence("define", define) if define else "", clause(rule))
    return {(m.old, m.new) for m in mutants(read_written(compile_text(text, "Doc.md"))) if m.owner == owner}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            "error if flag",
            {("error", "warn"), ("error", "note"), ("", "not "), ("flag", "other"), ("flag", "third")},
        ),
        (
            "error if flag",
            {("", "in closed: "), ("", "in package: "), ("", 'since "2": '), ("", 'until "2": ')},
        ),
        ("error if not flag", {("not ", "")}),
        ("error if flag and other", {("and", "or"), ("flag and ", ""), (" and other", "")}),
        ("error if flag and other or third", {("or", "and"), ("and", "or"), (" or third", "")}),
        ("error if flag and (other or third)", {("", "not "), ("or", "and"), (" and (other or third)", "")}),
        (
            "error if n > 8",
            {(">", ">="), (">", "<="), (">", "<"), (">", "!="), ("8", "9"), ("8", "7"), ("n", "m")},
        ),
        ("error if wait > 1.5 s", {("1.5", "1.6"), ("1.5", "1.4"), ("s", "minutes"), ("s", "hours")}),
        ('error if fruit == "Fig"', {("==", "!="), ("Fig", "Apple"), ("Fig", "Pear")}),
        (
            "error if n in {0, 10}",
            {("in", "not in"), ("0, ", ""), (", 10", ""), ("", ", 1"), ("", ", 9"), ("0", "1")},
        ),
        ('error if fruit not in {"Fig", "Pear"}', {("not in", "in"), ("", ', "Apple"'), ('"Fig", ', "")}),
        ("error if n is not recorded", {("not ", ""), ("recorded", "listed")}),
        ("error if n is recorded", {("", "not "), ("recorded", "valid")}),
        ("error if n + m > 1", {("+", "-"), ("n + ", ""), (" + m", "")}),
        ("error if n * m > 1", {("*", "/"), ("*", "mod")}),
        ("error if n mod 8 != 0", {("mod", "/"), ("mod", "*"), (" mod 8", "")}),
        ("error if ceil(n) > 1", {("ceil", "floor"), ("ceil(n)", "n")}),
        ("error if min(n, m) > 1", {("min", "max"), ("min(n, m)", "(n)"), ("min(n, m)", "(m)")}),
        ("error if heap as MiB > 1 MiB", {("MiB", "GiB"), ("MiB", "bytes")}),
        ("in closed: error if flag", {("in closed: ", ""), ("in closed:", "in package:")}),
        (
            'since "2": error if flag',
            {('since "2": ', ""), ("since", "until"), ('"2"', '"1"'), ('"2"', '"3"')},
        ),
        ("when other: error if flag", {("when other: ", ""), ("other", "third")}),
        ("error if any(i.good for i in items)", {("any", "all"), ("", "not ")}),
        ("error if sum(i.size_of for i in items where i.good) > 1", {("sum", "mean"), ("where i.good", "")}),
        ("error if sum(i.size_of for i in items where i.good) > 1", {("sum", "least"), ("items", "runs")}),
        ("error if crop[fruit].weight > 1 GiB and n > limits.low.bound", {("low", "high"), ("1", "2")}),
        ('error if title == "abc"', {("abc", "abcx"), ("abc", "ab")}),
    ],
)
def test_what_a_statement_is_changed_to(rule: str, expected: set[tuple[str, str]]) -> None:
    assert expected <= changes(rule)


def test_what_a_define_is_changed_to() -> None:
    found = changes("error if big", define="big on leaf = flag otherwise n > 3", owner="big")
    assert {(" otherwise n > 3", ""), ("flag otherwise ", ""), ("leaf", "workload"), ("3", "4")} <= found


def test_what_a_table_is_changed_to() -> None:
    text = document(clause("error if flag"))
    found = {
        (m.owner, m.old, m.new)
        for m in mutants(read_written(compile_text(text, "Doc.md")))
        if m.part == "table"
    }
    assert {
        ("crop", "3", "4"),
        ("crop", "3", "2"),
        ("crop", "3 GiB", "Invalid"),
        ("crop", "Invalid", "3 GiB"),
    } <= found
    assert {
        ("crop", "a, b", "a"),
        ("crop", "a, b", "b"),
        ("crop", "b", "b, a"),
        ("crop", "Apple", "Pear"),
    } <= found
    assert {("limits", "low", "lowx"), ("limits", "Bound", "Boundx"), ("limits", "9", "8")} <= found


def outcomes(rule: str, cases: str) -> dict[tuple[str, str], str]:
    """By change what became of it: the killer, `equivalent`, or the row to paste."""
    text = document(clause(rule, cases=cases))
    written = read_written(compile_text(text, "Doc.md"))
    bench = Bench(written)
    found = {}
    for mutant in mutants(written):
        if mutant.part == "rule":
            result = examine(bench, mutant)
            row = result.missing.text() if result.missing else result.reason
            found[mutant.old, mutant.new] = (
                result.killer.by if result.killer else "equivalent" if result.equivalent else row
            )
    return found


NUMBERS = """| n | verdict |
|---|---------|
| 1 | pass    |
| 3 | INVALID |"""


def test_a_bound_without_its_neighbour_survives_with_the_row_that_tells() -> None:
    found = outcomes("error if n > 1", NUMBERS)
    assert found[">", ">="] == "case"
    assert found["1", "2"] == "| 2 | INVALID |"


def test_what_says_the_same_in_other_words_is_equivalent() -> None:
    found = outcomes("error if n > 1 or n == 2", NUMBERS)
    assert found[" or n == 2", ""] == "equivalent"
    assert found["n > 1 or ", ""] != "equivalent"


def test_what_another_statement_hides_is_equivalent() -> None:
    rule = "error if fruit is not listed\nerror if fruit is listed and crop[fruit].weight is valid and n > 1"
    cases = """| fruit   | n | verdict      |
|---------|---|--------------|
| Apple   | 2 | INVALID      |
| Apple   | 1 | pass         |
| Fig     | 2 | pass         |
| "grape" | 2 | INVALID      |
| ?       | 2 | undetermined |"""
    found = outcomes(rule, cases)
    assert found["fruit is listed and ", ""] == "equivalent"
    assert found["n", "m"] == "case"


def test_types_and_names_kill() -> None:
    found = outcomes("error if heap > 1 GiB", "| heap | verdict |\n|---|---|\n| 2 | INVALID |")
    assert found["GiB", "MiB"] == "compiler"


def unread() -> Mutant:
    text = document(clause("error if flag", cases=PINNED))
    return next(m for m in mutants(read_written(compile_text(text, "Doc.md"))) if m.old == "9")


def test_a_cell_that_nothing_reads_survives_and_says_so() -> None:
    text = document(clause("error if flag", cases=PINNED))
    result = examine(Bench(read_written(compile_text(text, "Doc.md"))), unread())
    assert (result.survived, result.reason) == (True, "no clause or define reads it, and no check tells")


# --- the command ---------------------------------------------------------------------------


def invoke(folder: Path, text: str, *arguments: str) -> Result:
    path = folder / "Doc.md"
    path.write_text(text, "utf-8")
    return CliRunner().invoke(cli, ["test", str(path), *arguments])


def test_without_mutants_cases_and_checks_are_counted(tmp_path: Path) -> None:
    told = invoke(tmp_path, document(clause("error if flag", cases=PINNED)))
    assert told.exit_code == 0
    assert "3 cases, all as stated" in told.output


def test_a_case_that_does_not_hold_stops_it(tmp_path: Path) -> None:
    told = invoke(tmp_path, document(clause("error if not flag", cases=PINNED)), "--mutate")
    assert told.exit_code == 1
    assert "error[K001]" in told.output
    assert "mutants are tried of a document without errors" in told.output


def test_a_survivor_is_shown_under_its_words_with_the_row(tmp_path: Path) -> None:
    told = invoke(
        tmp_path, document(clause("error if n > 1", cases=NUMBERS)), "--mutate", "--select", "1.1.1"
    )
    assert told.exit_code == 1
    shown = told.output.splitlines()
    at = shown.index("error[M001]: no case or check tells `1` from `2`")
    assert shown[at + 2].endswith("| error if n > 1")
    assert shown[at + 3].index("^") == shown[at + 2].rindex("1")
    assert shown[at + 4] == "  = help: a case of 1.1.1 does, in its table:"
    assert shown[at + 5] == " " * len("  = help: ") + "| 2 | INVALID |"


def test_what_is_selected_is_all_that_is_tried(tmp_path: Path) -> None:
    text = document(clause("error if flag", cases=PINNED), clause("error if other", number="1.1.2", name="b"))
    told = json.loads(
        invoke(tmp_path, text, "--mutate", "--select", "1.1.2,limits", "--format", "json").output
    )
    assert {e["clause"] for e in told["mutants"]["survived"]} == {"1.1.2", "limits"}
    wrong = invoke(tmp_path, text, "--mutate", "--select", "1.1.3")
    assert wrong.exit_code == 2
    assert "nothing is called 1.1.3; did you mean `1.1.2`?" in wrong.output


def test_as_json(tmp_path: Path) -> None:
    text = document(clause("error if n > 1", cases=NUMBERS))
    told = json.loads(invoke(tmp_path, text, "--mutate", "--select", "1.1.1", "--format", "json").output)
    assert told["schema"] == "clausegate/test/1"
    found = told["mutants"]
    assert found["total"] == found["killed"] + found["equivalent"] + len(found["survived"])
    assert sum(found["killed_by"].values()) == found["killed"] == len(found["kills"])
    entry = next(e for e in found["survived"] if (e["old"], e["new"]) == ("1", "2"))
    line = text[: text.index("error if n > 1")].count("\n") + 1
    assert (entry["clause"], entry["line"], entry["column"], entry["kind"]) == ("1.1.1", line, 14, "number")
    assert entry["missing"]["rows"] == [["2", "INVALID"]]
    killed = next(e for e in found["kills"] if (e["old"], e["new"]) == (">", ">="))
    assert killed["killed_by"]["by"] == "case"
    assert json.loads(invoke(tmp_path, text, "--format", "json").output)["mutants"] is None
