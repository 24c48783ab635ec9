"""One normalisation of hosts for the command line, for evidence and for what a launcher is told."""

from __future__ import annotations

import os

import pytest

from bench.driver.mpi_command import HostRanks, Launcher
from engine.evidence import Malformed
from engine.evidence.readers import READERS
from engine.launch.accepted import CannotStart
from engine.launch.parse_value import BadValue, value_of
from engine.runtime import host_lists
from engine.runtime.ruleset import FactSpec, Launch

HERE = os.uname().nodename
HOSTS = FactSpec("hosts", "integer", "leaf", "hosts", launch=Launch(option="--hosts", reader="hosts"))


@pytest.mark.parametrize(
    ("typed", "name", "slots"),
    [
        ("h1", "h1", None),
        ("H1", "h1", None),
        ("h1.", "h1", None),
        ("Node-7.Example.ORG:12", "node-7.example.org", 12),
        ("h1:4", "h1", 4),
        ("h1:", "h1:", None),
        ("h1:x", "h1:x", None),
        ("10.0.0.1:4", "10.0.0.1", 4),
        ("2001:db8::1", "2001:db8::1", None),
        ("2001:DB8:0:0::1", "2001:db8::1", None),
        ("[2001:db8::1]", "2001:db8::1", None),
        ("[2001:DB8::0001]:16", "2001:db8::1", 16),
        ("::1", "::1", None),
        ("[::1]:2", "::1", 2),
        ("[h1]:2", "h1", 2),
        ("::ffff:10.0.0.1", "10.0.0.1", None),
        ("fe80::1%eth0", "fe80::1%eth0", None),
        ("a:b:4", "a:b:4", None),
        ("h1:1234567890", "h1", None),
    ],
)
def test_a_host_is_a_name_and_perhaps_slots(typed: str, name: str, slots: int | None) -> None:
    assert (host_lists.name(typed), host_lists.slots(typed)) == (name, slots)


ONE = [
    ["H1", "h1"],
    ["h1:2", "H1:3"],
    ["h1.", "h1"],
    ["2001:db8::1", "[2001:DB8::1]:2", "2001:db8:0::1"],
    ["localhost", "127.0.0.1", "::1", "[::1]:3", "127.0.1.1", "LOCALHOST", "::ffff:127.0.0.1"],
]


@pytest.mark.parametrize("texts", ONE, ids=" ".join)
def test_one_machine_is_one_host_before_a_run_and_after_it(texts: list[str]) -> None:
    assert value_of(HOSTS, texts) == 1
    assert value_of(HOSTS, [",".join(texts)]) == 1
    assert READERS["hosts"](texts, (), HOSTS) == 1


def test_this_machine_is_known_by_its_own_name_where_it_launches() -> None:
    assert value_of(HOSTS, ["localhost", "127.0.0.1", HERE.upper(), HERE.partition(".")[0]]) == 1
    assert value_of(HOSTS, [HERE, "another"]) == 2
    assert value_of(HOSTS, [HERE, "localhost", "another"]) == 2
    assert host_lists.names([HERE.upper(), "localhost"], host_lists.own_names()) == (HERE.lower(),)


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (["2001:db8::1", "2001:db8::2"], 2),
        (["2001:db8::1,[2001:db8::2]:4"], 2),
        (["h1", "h2", "H2"], 2),
        (["h1.a", "h1.b"], 2),
    ],
)
def test_machines_that_are_apart(texts: list[str], count: int) -> None:
    assert value_of(HOSTS, texts) == READERS["hosts"](texts, (), HOSTS) == count


@pytest.mark.parametrize(
    "texts", [["localhost", "h1"], ["127.0.0.1", "h1", "h2"], ["::1", "10.0.0.1"], ["h1", "H1.example.org"]]
)
def test_a_count_that_cannot_be_known_says_so(texts: list[str]) -> None:
    with pytest.raises(BadValue, match=r"how many hosts these are is not known: .* name each by one name"):
        value_of(HOSTS, texts)
    found = READERS["hosts"](texts, (), HOSTS)
    assert isinstance(found, Malformed)
    assert "does not tell how many hosts these are" in found.reason


def test_a_placement_adds_up_over_the_names_of_one_machine() -> None:
    assert host_lists.placement(["H1:2", "h1:2", "h2:4"], 8) == (4, 4)
    assert host_lists.placement(["[::1]:2", "localhost:6"], 8) == (8,)
    assert host_lists.placement(["2001:db8::1", "2001:db8::2"], 8) is None
    spread = host_lists.spread(["2001:db8::1", "h2"], 2, 9)
    assert spread == ("[2001:db8::1]:5", "h2:4")
    assert host_lists.placement(spread, 9) == (5, 4)


def command(kind: str, *hosts: str) -> str:
    return " ".join(Launcher("/mpi", kind, "").command(["rank"], 4, [HostRanks(host, 2) for host in hosts]))


def test_an_address_with_colons_as_each_launcher_takes_it() -> None:
    assert "--host [2001:db8::1]:2,h2:2" in command("openmpi", "2001:db8::1", "h2")
    assert "-hosts localhost:2" in command("hydra", "::1")
    assert "--nodelist=localhost" in command("slurm", "::1")
    for kind in ("hydra", "slurm"):
        with pytest.raises(CannotStart, match="2001:db8::1 cannot be told to this launcher"):
            command(kind, "2001:db8::1", "h2")
