"""The named readers: a value of one subject, without threshold or verdict."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evidence import MISSING, Malformed
from engine.evidence.readers import READERS
from tests.engine.evidence.vocabulary import fact, spec

ANY = fact("it", "any")


def read(name: str, value: object, *more: object) -> object:
    return READERS[name](value, more, ANY)


@pytest.mark.parametrize(
    ("value", "total"),
    [
        ([Fraction("376.18")] * 7 + [Fraction("187.90")] + [0] * 7, Fraction("2821.16")),
        ([Fraction("7212.78")] * 4 + [0] * 12, Fraction("28851.12")),
        (["1.5", 2], Fraction(7, 2)),
        ([], MISSING),
        (5, Malformed("is 5, not a list of numbers")),
        ([1, "lots"], Malformed('has "lots" in it, which is not a number')),
    ],
)
def test_sum(value: object, total: object) -> None:
    assert read("sum", value) == total


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (["host-1:4", "host-2:4"], 2),
        (["host-1", "HOST-1:8"], 1),
        ("a:4,b:4", 2),
        ("a b  c", 3),
        (["a,b", "c"], 3),
        ([], MISSING),
        ("", MISSING),
        ([1], Malformed("is a list, not a list of host names")),
        (4, Malformed("is 4, not a list of host names")),
    ],
)
def test_hosts(value: object, count: object) -> None:
    assert read("hosts", value) == count


@pytest.mark.parametrize(
    ("command", "counts"),
    [
        ("mpirun -n 8 -host a:4,b:4 --bind-to none dlio workload=llama_8b", [4, 4]),
        ("/usr/bin/mpirun -np 64 --host a:7,b:7,c:50 x", [7, 7, 50]),
        ("mpirun --np=8 -H a:8 x", [8]),
        ("mpiexec -n 8 -hosts a:4,b:4 x", [4, 4]),
        ("mpirun -n 8 --host=a:4,a:4 x", [8]),
        ("mpirun -host a:4,b:4 -n 8 x workload=y -n 9 -host c:9", [4, 4]),
        ("mpirun -n 64 -host a:4,b:4 x", MISSING),
        ("mpirun -n 8 -host a:4,b x", MISSING),
        ("mpiexec -n 1024 --ppn 32 --hosts 192.0.2.38,192.0.2.39 x", MISSING),
        ("mpirun -host a:4,b:4 x", MISSING),
        ("mpirun -n 8 dlio_benchmark", MISSING),
        ("mpirun -n many -host a:4 x", MISSING),
        ("mpirun -n", MISSING),
        ("", MISSING),
    ],
)
def test_slots_of_a_command(command: str, counts: object) -> None:
    assert read("slots", command) == (counts if counts is MISSING else [{"count": n} for n in counts])  # type: ignore[attr-defined]  # the table's lists


def test_slots_of_a_host_list() -> None:
    assert read("slots", ["a:4", "b:4"], 8) == [{"count": 4}, {"count": 4}]
    assert read("slots", ["a:4", "b:4"], "8") == [{"count": 4}, {"count": 4}]
    assert read("slots", ["a:4", "b:4"], 9) is MISSING
    assert read("slots", ["a:4", "b:4"]) is MISSING
    assert read("slots", {"a": 4}, 8) == Malformed("is a mapping, not a list of host names")


@pytest.mark.parametrize(
    ("value", "member"),
    [
        ({"closed": True, "open": False, "model": "x"}, "closed"),
        ({"what_if": "True", "closed": "False"}, "whatif"),
        ({"closed": False}, MISSING),
        ({"mode": "closed"}, MISSING),
        ({"closed": True, "open": True}, Malformed("has more than one switch on: closed, open")),
        ("closed", Malformed('is "closed", not a mapping')),
    ],
)
def test_flag(value: object, member: object) -> None:
    assert READERS["flag"](value, (), spec("requested")) == member


def test_entries_of_every_shape() -> None:
    nested = {"checkpoint": {"fsync": True, "num": {"write": 10}}, "framework": "pytorch", "nothing": None}
    assert read("entries", nested) == [
        {"key": "checkpoint.fsync", "value": True},
        {"key": "checkpoint.num.write", "value": 10},
        {"key": "framework", "value": "pytorch"},
    ]
    assert read("entries", {"checkpoint.mode": "subset"}, ["a=1", "b=x=y"]) == [
        {"key": "checkpoint.mode", "value": "subset"},
        {"key": "a", "value": "1"},
        {"key": "b", "value": "x=y"},
    ]
    assert read("entries", [{"key": "a", "value": 3}]) == [{"key": "a", "value": 3}]
    assert read("entries", "a=1 b=2") == [{"key": "a", "value": "1"}, {"key": "b", "value": "2"}]


def test_entries_that_are_missing_are_empty_beside_others() -> None:
    assert read("entries", MISSING, "") == []
    assert read("entries", {"a": 1}, MISSING) == [{"key": "a", "value": 1}]
    assert read("entries", MISSING, MISSING) is MISSING


def test_an_entry_that_two_fields_repeat_counts_once() -> None:
    assert read("entries", {"a": 4}, ["a=4"]) == [{"key": "a", "value": 4}]
    assert len(read("entries", {"a": 4}, ["a=5"])) == 2  # type: ignore[arg-type]  # a list


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (3, "is 3, neither a mapping nor a list of key=value"),
        (["a"], 'has "a" in it, which is not of the form key=value'),
        (["=1"], 'has "=1" in it, which is not of the form key=value'),
        ([3], "has 3 in it, which is not of the form key=value"),
    ],
)
def test_malformed_entries(value: object, reason: str) -> None:
    assert read("entries", value) == Malformed(reason)


def test_entries_do_not_recurse() -> None:
    deep: dict[str, object] = {"leaf": 1}
    for _ in range(5000):
        deep = {"a": deep}
    assert read("entries", deep) == [{"key": "a." * 5000 + "leaf", "value": 1}]
    assert read("entries", {str(n): n for n in range(20_001)}) == Malformed("holds more than 20000 entries")


@given(st.dictionaries(st.text("ab", min_size=1), st.integers(), max_size=5))
def test_a_flat_mapping_keeps_its_entries(mapping: dict[str, int]) -> None:
    assert read("entries", mapping) == [{"key": key, "value": value} for key, value in mapping.items()]


def test_present() -> None:
    assert read("present", {}) is True
    assert read("present", "x") == Malformed('is "x", not a mapping')


DF = """some line
Filesystem      Size  Used Avail Use% Mounted on
/dev/sda1       100G   50G   50G  50% /
/dev/nvme0n1    100T    1T   99T   1% /mnt
server:/ex port 100T    1T   99T   1% /mnt/with space
INFO done at 50% /else
"""


@pytest.mark.parametrize(
    ("log", "folders", "same"),
    [
        (DF, ("/mnt/ckpt", "/results"), False),
        (DF, ("/mnt/ckpt/", "/mnt/results"), True),
        (DF, ("/mntx", "/results"), True),
        (DF, ("/mnt/with space/a", "/mnt/b"), False),
        (DF, ("/mnt", MISSING), MISSING),
        (DF, ("bucket/ckpt", "/results"), MISSING),
        ("no table, 50% /", ("/a", "/b"), MISSING),
        (MISSING, ("/a", "/b"), MISSING),
    ],
)
def test_mounts(log: object, folders: tuple[object, ...], same: object) -> None:
    assert read("mounts", log, *folders) == same


def snapshot(*times: str) -> dict[str, object]:
    return {"num_hosts": 2, "hosts": [{"collection_timestamp": time} for time in times]}


@pytest.mark.parametrize(
    ("started", "local"),
    [
        ("2026-07-14T12:14:44", datetime(2026, 7, 14, 12, 30, 8)),
        ("2026-07-14T14:14:44", datetime(2026, 7, 14, 14, 30, 8)),
        ("2026-07-14T17:59:30", datetime(2026, 7, 14, 18, 15, 8)),
        ("2026-07-14T05:14:50", datetime(2026, 7, 14, 5, 30, 8)),
    ],
)
def test_a_snapshot_on_the_clock_of_the_host(started: str, local: datetime) -> None:
    begun = {"collection_timestamp": "2026-07-14T12:15:08Z"}
    end = snapshot("2026-07-14T12:29:00Z", "2026-07-14T12:30:08Z")
    assert read("local_time", end, begun, started) == local


@pytest.mark.parametrize(
    ("end", "begun", "started"),
    [
        (snapshot("2026-07-14T12:30:00Z"), MISSING, "2026-07-14T12:14:44"),
        (snapshot("2026-07-14T12:30:00Z"), snapshot("2026-07-14T12:15:00Z"), MISSING),
        (snapshot(), snapshot("2026-07-14T12:15:00Z"), "2026-07-14T12:14:44"),
        (snapshot("2026-07-14T12:15:00Z"), snapshot("2026-07-14T12:15:00Z"), "2026-07-14T12:14:44"),
        (snapshot("2026-07-14T12:30:00Z"), snapshot("2026-07-14T12:15:00Z"), "2026-07-16T12:14:44"),
        (snapshot("soon"), snapshot("2026-07-14T12:15:00Z"), "2026-07-14T12:14:44"),
    ],
)
def test_a_snapshot_that_cannot_be_placed_says_nothing(end: object, begun: object, started: object) -> None:
    assert read("local_time", end, begun, started) is MISSING


@given(
    st.sampled_from(sorted(READERS)),
    st.recursive(
        st.sampled_from([MISSING, None]) | st.integers() | st.text() | st.booleans(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    ),
    st.lists(st.sampled_from([MISSING, None]) | st.integers() | st.text(), max_size=2),
)
def test_readers_are_total(name: str, value: object, more: list[object]) -> None:
    READERS[name](value, tuple(more), spec("requested"))
