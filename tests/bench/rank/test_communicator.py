"""Who reads whose files: everybody somebody else's, on another host where there is one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.rank.communicator import partner


@st.composite
def placements(draw: st.DrawFn) -> list[int]:
    """The host of each rank, hosts counted as the ranks meet them."""
    drawn = draw(st.lists(st.integers(0, 5), min_size=1, max_size=40))
    order = {host: number for number, host in enumerate(dict.fromkeys(drawn))}
    return [order[host] for host in drawn]


@settings(deadline=None)
@given(placements())
def test_every_rank_is_read_by_exactly_one_and_none_reads_its_own(hosts: list[int]) -> None:
    read = [partner(rank, hosts) for rank in range(len(hosts))]
    assert sorted(read) == list(range(len(hosts)))
    if len(hosts) > 1:
        assert all(rank != other for rank, other in enumerate(read))


@settings(deadline=None)
@given(st.integers(2, 6), st.integers(1, 8), st.booleans())
def test_hosts_of_equal_size_read_from_another_host(count: int, each: int, cyclic: bool) -> None:
    hosts = [r % count for r in range(count * each)] if cyclic else [r // each for r in range(count * each)]
    assert all(hosts[partner(rank, hosts)] != hosts[rank] for rank in range(len(hosts)))


@settings(deadline=None)
@given(placements())
def test_as_many_as_can_be_read_from_another_host(hosts: list[int]) -> None:
    """A host with more than half of the ranks must read some of its own; no other has to."""
    largest = max(hosts.count(host) for host in set(hosts))
    at_home = sum(hosts[partner(rank, hosts)] == hosts[rank] for rank in range(len(hosts)))
    assert at_home == max(0, 2 * largest - len(hosts))


@pytest.mark.parametrize(
    ("hosts", "read"),
    [([0], [0]), ([0, 0, 0], [1, 2, 0]), ([0, 0, 1, 1], [2, 3, 0, 1]), ([0, 1, 0, 1], [1, 0, 3, 2])],
)
def test_examples(hosts: list[int], read: list[int]) -> None:
    assert [partner(rank, hosts) for rank in range(len(hosts))] == read
