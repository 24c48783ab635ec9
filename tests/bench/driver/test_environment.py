from __future__ import annotations

import pytest

from bench.driver.environment import parse_variables, recorded_variables, refuse_secrets
from bench.driver.mpi_command import HostRanks, Launcher
from engine.launch.accepted import CannotStart

RANK = ["python", "rank"]


def command(kind: str, env: list[str], **more: object) -> list[str]:
    given = parse_variables(env, {"HERE": "x", "AWS_PROFILE": "p"})
    return Launcher("mpi", kind, "").command(RANK, 4, more.pop("hosts", []), env=given, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("hydra", ["-genv", "A", "1=2"]),
        ("openmpi", ["-x", "A=1=2", "-x", "HERE"]),
        ("slurm", ["--kill-on-bad-exit=1", "--export=ALL,A=1=2,HERE"]),
    ],
)
def test_each_launcher_has_its_own_words(kind: str, words: list[str]) -> None:
    assert command(kind, ["A=1=2", "HERE"]) == ["mpi", "-n", "4", *words, *RANK]


def test_words_of_the_site_stand_before_the_rank() -> None:
    assert command("hydra", [], more=["-bind-to", "core"])[-4:] == ["-bind-to", "core", *RANK]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("hydra", ["-ppn", "2"]),
        ("openmpi", ["--map-by", "ppr:2:node"]),
        ("slurm", ["--kill-on-bad-exit=1", "--ntasks-per-node=2"]),
    ],
)
def test_ranks_per_host_are_said_where_no_host_is_named(kind: str, words: list[str]) -> None:
    assert command(kind, [], ppn=2) == ["mpi", "-n", "4", *words, *RANK]
    assert "-ppn" not in command("hydra", [], ppn=2, hosts=[HostRanks("a", 2), HostRanks("b", 2)])


@pytest.mark.parametrize(
    "text",
    [
        "AWS_SECRET_ACCESS_KEY=x",
        "MY_TOKEN=x",
        "DB_PASS=x",
        "APIKEY=x",
        "MYSQL_PWD=x",
        "HF_AUTH=x",
        "1A=2",
        "",
        "MISSING",
    ],
)
def test_what_cannot_be_handed_over_is_refused(text: str) -> None:
    with pytest.raises(CannotStart) as caught:
        parse_variables([text], {})
    assert "=x" not in str(caught.value)


def test_slurm_would_split_a_comma() -> None:
    with pytest.raises(CannotStart, match="comma"):
        command("slurm", ["A=1,2"])


def test_what_matters_is_recorded_and_secrets_are_not() -> None:
    here = {"UCX_TLS": "tcp", "AWS_PROFILE": "p", "S3DLIO_SECRET": "s", "HOME": "/", "X": "1"}
    assert recorded_variables(["X", "Y=2"], here) == {
        "AWS_PROFILE": "set",
        "S3DLIO_SECRET": "set",
        "UCX_TLS": "tcp",
        "X": "1",
        "Y": "2",
    }


@pytest.mark.parametrize(
    "words", ["-x DB_PASS=x", "--export=ALL,AWS_SECRET_ACCESS_KEY=x", "-genv MY_TOKEN x", "-env API_KEY x"]
)
def test_a_secret_among_the_words_for_the_launcher_is_refused(words: str) -> None:
    with pytest.raises(
        CannotStart, match=r"--mpi-params: the value of [A-Z_]+ may be secret.*give --env [A-Z_]+\."
    ):
        refuse_secrets("--mpi-params", words.split())


@pytest.mark.parametrize(
    "words", ["-x AWS_PROFILE", "--mca oob_tcp_key=1", "-genv UCX_TLS tcp", "-genvlist DB_PASS"]
)
def test_other_words_for_the_launcher_are_taken(words: str) -> None:
    refuse_secrets("--mpi-params", words.split())
