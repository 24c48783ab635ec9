"""The gate: facts of a launch, its verdict, and the nearest legal configuration."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from click import unstyle
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.launch.facts import OptionError, gather
from engine.launch.gate import judge
from engine.launch.probes import same_filesystem, unusable
from engine.launch.request import Request
from engine.launch.sizes import sizes
from engine.launch.text import gate_text
from engine.runtime.values import Kind, Listing, Other, Unknown
from tests.engine.launch.handmade import RULESET, request

SIXTEEN = tuple(f"h{number}" for number in range(1, 17))


def outcome(asked: Request) -> tuple[str | None, bool, list[str], object]:
    gated = judge(RULESET, asked)
    rules = [f.rule for f in gated.report.findings]
    return (
        gated.verdict.subject.earned,
        gated.accepted,
        rules,
        (gated.report.further or {}).get("nearest"),
    )


def test_facts_come_from_where_they_say() -> None:
    known = gather(RULESET, request(model="LLAMA3-8b", hosts=("a:4,b:4",)))
    assert known.leaf["size"] == "8B"
    assert known.leaf["hosts"] == 2
    assert known.leaf["slots"] == Listing(({"count": 4}, {"count": 4}))
    assert known.leaf["claim"] is False
    assert known.leaf["overrides"] == Listing(())
    assert known.leaf["planned"] == Fraction(112425623552, 2**30)
    assert known.leaf["written"] == Unknown.of("written", Kind.DEFERRED)
    assert known.leaf["together"] == Unknown.of("together", Kind.DEFERRED)
    assert known.workload["runs"] == Listing((known.leaf,), more=Unknown.of("runs", Kind.DEFERRED))
    assert known.ways["size"] == "--model"
    assert known.ways["hosts"] == "--hosts"
    assert gather(RULESET, request()).ways["hosts"] == "--hosts (default)"


def test_a_bad_value_names_its_own_option() -> None:
    with pytest.raises(OptionError, match="--num-processes: -8 is negative"):
        gather(RULESET, request(num_processes="-8", hosts="a:4"))


def test_an_unknown_model_stays_visible_and_has_no_planned_size() -> None:
    known = gather(RULESET, request(model="13B"))
    assert known.leaf["size"] == Other("13B", "size")
    assert known.leaf["planned"] == Unknown.of("planned", Kind.DEFERRED)


def test_a_clean_run_is_accepted_and_says_what_waits_for_the_package() -> None:
    gated = judge(RULESET, request())
    assert gated.accepted
    assert gated.report.further == {"deferred": ["4.6", "4.7", "4.8", "4.9"]}
    assert [subject.scope for subject in gated.report.subjects] == ["launch"]


@pytest.mark.parametrize(
    ("asked", "earned", "accepted", "rules", "nearest"),
    [
        (
            request(model="70B"),
            "OPEN",
            False,
            ["4.1"],
            {"requested": "closed", "ranks": 64, "runs_as": "open"},
        ),
        (request("open", model="70B"), "OPEN", True, ["4.1"], None),
        (request("open"), "CLOSED", True, [], None),
        (
            request("open", model="70B", num_processes="9"),
            "INVALID",
            False,
            ["4.1", "4.4"],
            {"requested": "open", "ranks": 8},
        ),
        (
            request(model="70B", num_processes="64", hosts=SIXTEEN),
            "OPEN",
            False,
            ["4.2"],
            {"requested": "closed", "hosts": 12, "runs_as": "open"},
        ),
        (
            request(model="70B", num_processes="64", claim="yes"),
            "INVALID",
            False,
            ["4.3"],
            {"requested": "closed", "claim": False},
        ),
        (
            request(model="70B", num_processes="9", hosts=SIXTEEN),
            "INVALID",
            False,
            ["4.1", "4.2", "4.4"],
            {"requested": "closed", "ranks": 64, "hosts": 12},
        ),
        (
            request(claim="yes", num_processes="16"),
            "INVALID",
            False,
            ["4.1", "4.3"],
            {"requested": "closed", "ranks": 8},
        ),
        (request(results_dir="/ckpt/"), "INVALID", False, ["4.5"], None),
        (request("whatif", model="70B"), None, True, ["4.1"], None),
        (request(num_processes="13"), "INVALID", False, ["4.1", "4.8"], {"requested": "closed", "ranks": 8}),
    ],
)
def test_verdicts(
    asked: Request, earned: str | None, accepted: bool, rules: list[str], nearest: dict[str, object] | None
) -> None:
    assert outcome(asked) == (earned, accepted, rules, nearest)


def test_clauses_of_another_family_are_not_asked() -> None:
    assert "9.1" not in judge(RULESET, request()).verdict.outcomes


@settings(max_examples=40, deadline=None)
@example("open", "8B", 13, 1, False)  # refused by what is said of a workload alone
@given(
    st.sampled_from(["closed", "open"]),
    st.sampled_from(["8B", "70B"]),
    st.integers(0, 300),
    st.integers(1, 20),
    st.booleans(),
)
def test_a_proposal_is_accepted_when_it_is_typed(
    division: str, model: str, ranks: int, hosts: int, claim: bool
) -> None:
    asked = request(
        division,
        model=model,
        num_processes=str(ranks),
        hosts=tuple(f"h{n}" for n in range(hosts)),
        claim=("yes",) if claim else (),
    )
    gated = judge(RULESET, asked)
    if gated.accepted:
        assert gated.proposal is None
        return
    assert gated.proposal is not None
    assert judge(RULESET, asked.changed(gated.proposal.texts)).accepted


def test_what_people_read_fits_the_terminal_and_says_the_way_out() -> None:
    gated = judge(RULESET, request(model="70B", hosts=SIXTEEN))
    text = unstyle(gate_text(RULESET, gated, sizes(RULESET, gated.request, gated.known)))
    assert max(map(len, text.splitlines())) <= 80
    assert "  - --num-processes 8\n  + --num-processes 64\n" in text
    assert "run it as open" in text


def test_no_proposal_is_said_in_a_sentence() -> None:
    gated = judge(RULESET, request(results_dir="/ckpt"))
    assert "No legal closed configuration was found" in gate_text(RULESET, gated, None)


def test_sizes_by_rank_and_host() -> None:
    asked = request(model="70B", hosts=("a:6", "b:2"))
    planned = sizes(RULESET, asked, gather(RULESET, asked))
    assert planned is not None
    assert planned.files == 16
    assert planned.host == (planned.rank[0] * 2, planned.rank[0] * 6)
    assert planned.total == planned.rank[0] * 8


def test_folders_are_probed_by_what_exists(tmp_path: Path) -> None:
    here = (str(tmp_path / "a" / "b"), str(tmp_path / "c"))
    assert same_filesystem("together", here) is True
    assert same_filesystem("together", here[:1]) == Unknown.of("together", Kind.ABSENT)
    assert unusable(here[0]) is None
    (tmp_path / "file").write_text("")
    assert unusable(str(tmp_path / "file")) == f"{tmp_path / 'file'} is not a folder"
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    assert unusable(str(tmp_path / "link" / "x")) == f"{tmp_path / 'link'} is a link to nothing"
    assert not list(tmp_path.glob("a"))


def test_probes_run_only_when_asked_and_for_files(tmp_path: Path) -> None:
    folders = {"checkpoint_folder": str(tmp_path / "a"), "results_dir": str(tmp_path / "b")}
    deferred = Unknown.of("together", Kind.DEFERRED)
    assert gather(RULESET, request(**folders), probe=True).leaf["together"] is True
    assert gather(RULESET, request(**folders)).leaf["together"] == deferred
    assert gather(RULESET, request(access="object", **folders), probe=True).leaf["together"] == deferred
    assert not judge(RULESET, request(**folders), probe=True).accepted
