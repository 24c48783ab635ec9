"""A document of another field is compiled, launched, validated and explained with no Python of its own.

Its divisions, commands, options, family and clauses are declared in `cooking/Rules.md` alone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import run

RULES = Path(__file__).parent / "cooking" / "Rules.md"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contest") / "rules"
    done = run(["build", str(RULES), "-o", str(folder)])
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def launch(built: Path, *words: str) -> tuple[int, dict[str, Any]]:
    done = run([*words, "--ruleset", str(built), "--format", "json"])
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(done.stdout)


def cook(built: Path, division: str, dish: str, oven: int = 0, cooks: int = 1) -> tuple[int, dict[str, Any]]:
    options = f"--dish {dish} --oven-minutes {oven} --cooks {cooks}".split()
    return launch(built, division, "dinner", "cook", *options)


def card(package: Path, division: str, stamp: str, **fields: object) -> None:
    leaf = package / division / "TeamA" / "results" / "kitchen" / "dinner" / "evening" / stamp
    leaf.mkdir(parents=True)
    plain = {"verb": "cook", "dish": "Stew", "oven_minutes": 90, "cooks": 3, "served": True}
    (leaf / f"dinner_{stamp}_card.json").write_text(json.dumps({**plain, **fields}), "utf-8")


def judged(built: Path, package: Path) -> dict[str, Any]:
    done = run(["validate", str(package), "--ruleset", str(built), "--format", "json"])
    assert done.returncode in (0, 1), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_the_document_is_sound() -> None:
    for command in (["check"], ["test"], ["fmt", "--check"]):
        done = run([*command, str(RULES)])
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_launch_is_accepted(built: Path) -> None:
    code, report = cook(built, "professional", "Stew", 90, 3)
    assert (code, report["subjects"][0]["earned"], report["findings"]) == (0, "STAR", [])
    assert report["deferred"] == ["1.2.1", "1.2.2"]
    assert report["summary"]["earned"] == {"STAR": 1, "HOMEMADE": 0, "INVALID": 0, "UNDETERMINED": 0}


def test_a_launch_is_refused_with_the_nearest_legal_one(built: Path) -> None:
    code, report = cook(built, "professional", "Souffle", 24, 2)
    assert (code, report["subjects"][0]["earned"]) == (1, "INVALID")
    assert [finding["rule"] for finding in report["findings"]] == ["1.1.2"]
    assert report["nearest"] == {"requested": "professional", "oven": 25}


def test_a_launch_that_the_lesser_division_takes(built: Path) -> None:
    code, report = cook(built, "professional", "Souffle", 25, 1)
    assert (code, report["subjects"][0]["earned"]) == (1, "HOMEMADE")
    assert report["nearest"]["runs_as"] == "amateur"
    words = "professional dinner cook --dish Souffle --oven-minutes 25"
    said = run([*words.split(), "--ruleset", str(built)]).stdout
    assert "costs STAR" in said
    assert "run it as amateur" in said
    code, report = cook(built, "amateur", "Souffle", 25, 1)
    assert (code, report["subjects"][0]["earned"]) == (0, "HOMEMADE")
    assert [finding["level"] for finding in report["findings"]] == ["note"]


def test_a_launch_for_advice_is_not_judged(built: Path) -> None:
    code, report = cook(built, "tasting", "Pizza")
    assert (code, report["subjects"][0]["earned"]) == (0, None)
    assert {finding["level"] for finding in report["findings"]} == {"note"}


def test_the_command_line_speaks_of_the_contest(built: Path) -> None:
    overview = run(["professional", "dinner", "--help", "--ruleset", str(built)])
    assert overview.returncode == 0
    assert "cook" in overview.stdout
    assert "shop" not in overview.stdout  # another tool does it
    options = run(["professional", "dinner", "cook", "--help", "--ruleset", str(built)]).stdout
    assert "Souffle|Stew|Omelette" in options
    assert "[file|object]" not in options
    assert "--oven-minutes" in options
    shown = run(
        ["amateur", "dinner", "menu", "--dish", "Stew", "--oven-minutes", "95", "--ruleset", str(built)]
    )
    assert "oven" in shown.stdout
    assert "95 minutes" in shown.stdout
    for word, known in (("closed", "professional"), ("amatuer", "amateur")):
        wrong = run([word, "dinner", "cook", "--ruleset", str(built)])
        assert (wrong.returncode, known in wrong.stderr) == (2, True), wrong.stderr


def test_a_package_is_validated(built: Path, tmp_path: Path) -> None:
    card(tmp_path, "professional", "20260101_180000")
    card(tmp_path, "professional", "20260101_170000", verb="shop")
    report = judged(built, tmp_path)
    assert {(one["scope"], one["earned"]) for one in report["subjects"]} == {
        ("leaf", "STAR"),
        ("leaf", None),  # what was bought is no dish
        ("workload", "STAR"),
    }
    assert report["findings"] == []


@pytest.mark.parametrize(
    ("fields", "rule", "earned"),
    [
        ({"served": False}, "1.2.1", "INVALID"),
        ({"served": None}, "1.2.1", "UNDETERMINED"),
        ({"cooks": 1}, "1.1.3", "HOMEMADE"),
        ({"oven_minutes": 89}, "1.1.2", "INVALID"),
        ({"dish": "Pizza"}, "1.1.1", "INVALID"),
    ],
)
def test_what_a_package_breaks(
    built: Path, tmp_path: Path, fields: dict[str, object], rule: str, earned: str
) -> None:
    card(tmp_path, "professional", "20260101_180000", **fields)
    report = judged(built, tmp_path)
    assert rule in {finding["rule"] for finding in report["findings"]}
    assert {one["earned"] for one in report["subjects"]} == {earned}


def test_two_dishes_of_one_team(built: Path, tmp_path: Path) -> None:
    card(tmp_path, "amateur", "20260101_180000")
    card(tmp_path, "amateur", "20260102_180000", dish="Omelette")
    report = judged(built, tmp_path)
    assert "1.2.2" in {finding["rule"] for finding in report["findings"]}
    (workload,) = (one for one in report["subjects"] if one["scope"] == "workload")
    assert workload["earned"] == "INVALID"


def test_a_folder_and_a_card_that_disagree(built: Path, tmp_path: Path) -> None:
    card(tmp_path, "amateur", "20260101_180000", entered="pro")
    report = judged(built, tmp_path)
    (finding,) = (one for one in report["findings"] if one["rule"] == "evidence" and one["name"] == "entered")
    assert "1.1.3" in finding["clauses"]
    assert {one["earned"] for one in report["subjects"]} == {"UNDETERMINED"}


def test_a_clause_is_explained() -> None:
    done = run(["explain", "1.1.3", "--document", str(RULES)])
    assert done.returncode == 0, done.stderr
    assert "starCrew" in done.stdout
    assert "HOMEMADE" in done.stdout
    assert "CLOSED" not in done.stdout


@pytest.mark.slow
def test_every_mutant_is_killed() -> None:
    done = run(["test", "--mutate", str(RULES)], timeout=600)
    assert done.returncode == 0, done.stdout
    assert "0 survived" in done.stdout
