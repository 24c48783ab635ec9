"""`clausegate explain` as a working-group member uses it."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import cli
from rules_dsl.catalogue import catalogue
from rules_dsl.compile import compile_text, read_text
from rules_dsl.emit.modules import emit, unit_names
from rules_dsl.explain.blocks import as_text
from rules_dsl.explain.clause import Explanation, explain_clause, find_clause
from rules_dsl.explain.data import clause_data
from rules_dsl.explain.pages import MODULES
from rules_dsl.explain.view import page_of
from tests.command import ROOT
from tests.rules_dsl.documents import clause, document

RULES = ROOT / "Rules.md"
COMPILED = compile_text(read_text(RULES), "Rules.md")
CLAUSES = [c.rule for c in COMPILED.program.clauses]


@cache
def explain(*arguments: str, rules: Path = RULES) -> Result:
    return CliRunner().invoke(cli, ["explain", *arguments, "--document", str(rules)])


@cache
def explained(rule: str) -> Explanation:
    """What the command tells of a clause, but for its mutants, which it tries one by one."""
    clause = next(c for c in COMPILED.program.clauses if c.rule == rule)
    return explain_clause(COMPILED, clause, modules())


@cache
def modules() -> dict[str, str]:
    files = emit(COMPILED.program, "Rules.md")
    return {f"generated/{name}": files[name] for name in MODULES}


def page(rule: str) -> str:
    """The page of a clause as the command prints it, without the part on mutants."""
    return as_text(page_of(explained(rule), unit_names(COMPILED.program), COMPILED.page.text))


def rows(text: str) -> set[tuple[str, ...]]:
    """The lines of a page as their cells, wherever the columns stand."""
    return {tuple(re.split(r"\s{2,}", line.strip())) for line in text.splitlines()}


@pytest.mark.parametrize("rule", CLAUSES)
def test_every_page_has_80_columns(rule: str) -> None:
    assert page(rule).startswith(f"{rule} ")
    assert max(map(len, page(rule).splitlines())) <= 80


ONE = "4.3.5"
"""The clause that the quick tests ask the command for."""


@pytest.mark.parametrize(
    "rule", [rule if rule == ONE else pytest.param(rule, marks=pytest.mark.slow) for rule in CLAUSES]
)
def test_every_clause_is_explained_in_80_columns(rule: str) -> None:
    told = explain(rule)
    assert told.exit_code == 0, told.output
    assert told.stdout.startswith(page(rule).rstrip())
    assert max(map(len, told.stdout.splitlines())) <= 80
    assert "Traceback" not in told.output


def test_the_explanation_of_a_subset_run() -> None:
    told = explain("4.3.5").stdout
    table = rows(told)
    assert ("yes", "8", "8B", "pass") in table
    assert ("yes", "8", "70B, 405B, 1T", "INVALID") in table
    assert ("yes", "not 8", "-", "INVALID") in table
    assert "accelerators  7 INVALID, 8 pass, 9 INVALID -- with subset yes, model 8B" in told
    assert (
        'Breach: the run is a subset run, and its accelerators are not 8 or its model\n  is not "8B".' in told
    )
    assert "summary:num_accelerators" in told
    assert "--checkpoint-subset" in told
    assert re.search(r"clause_4_3_5 in generated/clauses\.py", told)
    assert "model == m.key can pass" in told


def test_the_lines_of_generated_functions_are_those_of_the_files() -> None:
    for line, name, file in re.findall(r"line (\d+)\s+(\w+) in (generated/\w+\.py)", page("4.7.1")):
        assert (ROOT / file).read_text("utf-8").splitlines()[int(line) - 1].startswith(f"def {name}(")


def test_an_inverted_word_is_in_plain_sight(tmp_path: Path) -> None:
    """The clause as it was once published: 8B on 8 is broken, and 70B on 8 passes."""
    text = RULES.read_text("utf-8")
    inverted = text.replace('accelerators != 8 or model != "8B"', 'accelerators != 8 or model == "8B"')
    assert inverted != text
    (tmp_path / "Rules.md").write_text(inverted, "utf-8")
    told = explain("4.3.5", rules=tmp_path / "Rules.md")
    assert told.exit_code == 0, told.output
    table = rows(told.stdout)
    assert ("yes", "8", "8B", "INVALID") in table
    assert ("yes", "8", "70B, 405B, 1T", "pass") in table
    assert re.search(r"model +8B INVALID, 70B pass|model +70B pass, 8B INVALID", told.stdout)


@pytest.mark.parametrize("name", ["checkpointSubsetRunValidation", "CHECKPOINTSUBSETRUNVALIDATION", "4.3.5."])
def test_a_clause_is_found_by_its_name(name: str) -> None:
    found = find_clause(COMPILED.program, name)
    assert found is not None
    assert found.rule == "4.3.5"


def test_the_command_takes_a_name() -> None:
    assert explain("checkpointSubsetRunValidation").stdout == explain("4.3.5").stdout


@pytest.mark.parametrize("code", ["N001", "n001", " N001 "])
def test_a_code_is_explained_without_a_document(code: str, tmp_path: Path) -> None:
    told = CliRunner().invoke(cli, ["explain", code, "--document", str(tmp_path / "none.md")])
    assert told.exit_code == 0
    entry = catalogue()["N001"]
    assert told.stdout.startswith(f"N001 {entry.title}\n")
    assert "error[N001]: nothing is called `subst`" in told.stdout
    assert entry.good.strip() in told.stdout


@pytest.mark.parametrize("code", catalogue())
def test_every_code_fits_80_columns(code: str) -> None:
    assert max(map(len, explain(code).stdout.splitlines())) <= 80


UNKNOWN = {
    "4.3.55": "did you mean 4.3.5?",
    "checkpointSubsetRun": "did you mean checkpointSubsetRunValidation?",
    "N0001": "did you mean N001?",
    "N777": "those of N are N001 to N008",
    "Z1": "clausegate explain lists what there is",
    "whatever": "clausegate explain lists what there is",
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_unknown_is_a_usage_error_with_what_was_meant(name: str) -> None:
    told = explain(name)
    assert told.exit_code == 2
    assert told.stdout == ""
    assert UNKNOWN[name] in " ".join(told.stderr.split())


def test_without_a_name_both_are_listed() -> None:
    told = explain()
    assert told.exit_code == 0
    for name in [*CLAUSES, *catalogue()]:
        assert re.search(rf"^  {re.escape(name)} ", told.stdout, re.MULTILINE), name


def test_in_another_folder_the_built_in_document_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    here = CliRunner().invoke(cli, ["explain", "4.3.5"])
    assert (here.exit_code, here.stderr) == (0, "")
    assert here.stdout == explain("4.3.5").stdout
    listed = CliRunner().invoke(cli, ["explain"])
    assert listed.exit_code == 0
    assert all(re.search(rf"^  {re.escape(name)} ", listed.stdout, re.MULTILINE) for name in CLAUSES)
    # One that is named is the one that is meant, and so is one that stands here.
    assert CliRunner().invoke(cli, ["explain", "4.3.5", "--document", "Rules.md"]).exit_code == 2
    (tmp_path / "Rules.md").write_text(document(clause("error if flag")), "utf-8")
    assert CliRunner().invoke(cli, ["explain", "4.3.5"]).exit_code == 2
    assert CliRunner().invoke(cli, ["explain", "1.1.1"]).exit_code == 0


def test_without_any_document_the_codes_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rules_dsl.commands.loading.BUILT_IN", "no_such_package")
    told = CliRunner().invoke(cli, ["explain"])
    assert told.exit_code == 0
    assert "There is no Rules.md here" in told.stdout
    assert CliRunner().invoke(cli, ["explain", "4.3.5"]).exit_code == 2


def test_a_clause_that_does_not_compile_is_told_instead(tmp_path: Path) -> None:
    path = tmp_path / "Doc.md"
    path.write_text(document(clause("error if flagg")), "utf-8")
    told = explain("1.1.1", rules=path)
    assert told.exit_code == 1
    assert "error[N001]: nothing is called `flagg`" in told.stderr
    assert told.stdout == ""


def test_an_error_elsewhere_does_not_hide_a_clause(tmp_path: Path) -> None:
    path = tmp_path / "Doc.md"
    path.write_text(document(clause("error if flag"), clause("error if flagg", number="1.1.2")), "utf-8")
    told = explain("1.1.1", rules=path)
    assert told.exit_code == 1
    assert "Breach: the flag is up." in told.stdout
    assert "has 1 error elsewhere" in told.stderr


def test_a_clause_without_a_rule_says_why() -> None:
    told = page("4.3.6")
    told = " ".join(told.split())
    assert "It is informative: no run can break it. Says how published figures are computed" in told


def test_json_holds_what_the_page_says() -> None:
    data = json.loads(explain("4.3.5", "--format", "json").stdout)
    assert data["schema"] == "clausegate/explain/1"
    (statement,) = data["statements"]
    assert {"answers": [["yes"], ["8"], ["8B"]], "verdict": "pass"} in statement["rows"]
    bound = next(b for b in data["bounds"] if b["fact"] == "accelerators")
    assert bound["sides"][1] == {"value": "8", "verdict": "pass"}
    assert [f["name"] for f in data["facts"]] == ["accelerators", "claim", "model", "overrides", "requested"]
    units = unit_names(COMPILED.program)
    assert data == {
        **json.loads(json.dumps(clause_data(explained("4.3.5"), units))),
        "mutants": data["mutants"],
    }
    told: Any = clause_data(explained("4.3.4"), units)["facts"]
    assert told[0]["name"] == "accelerator"
    assert told[0]["missing"] == [{"until": "3.0", "level": "note"}, {"until": None, "level": "error"}]
    assert json.loads(explain("N001", "--format", "json").stdout)["code"] == "N001"
    assert [c["id"] for c in json.loads(explain("--format", "json").stdout)["clauses"]] == CLAUSES


def test_the_policy_of_what_is_missing_is_told_by_edition() -> None:
    assert "note up to edition 3.0, else error" in page("4.3.4")


def test_markdown_is_what_the_reference_holds() -> None:
    told = explain("4.3.5", "--format", "markdown").stdout
    assert told.startswith("# 4.3.5 checkpointSubsetRunValidation\n")
    assert "| yes | 8 | 8B | pass |" in told
    assert "| yes | 8 | 8B | pass |" in (ROOT / "generated/reference.md").read_text("utf-8")


def test_wide_and_combining_characters_keep_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "Doc.md"
    rule = 'error if title == "\u6f22\u5b57" or title == "e\u0301"'
    path.write_text(document(clause(rule)), "utf-8")
    told = explain("1.1.1", rules=path)
    assert told.exit_code == 0

    def columns(text: str) -> int:
        return sum(
            0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) == "W" else 1
            for c in text
        )

    table = [line for line in told.stdout.splitlines() if line.endswith(("verdict", "INVALID", "pass"))]
    starts = {columns(re.split(r"(?:verdict|INVALID|pass)$", line)[0]) for line in table}
    assert len(starts) == 1
