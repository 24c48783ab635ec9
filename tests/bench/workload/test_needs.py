from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.workload.arrays import rank_arrays
from bench.workload.layout import rank_files
from bench.workload.needs import Needs
from engine.rulesets import load
from engine.sizing import GIB, Layout, checkpoint, find_layout, per_rank

MODELS = ("8B", "70B", "405B", "1T")


def layout(model: str) -> Layout:
    found = find_layout(load("gate").tables, model)
    assert found is not None
    return found


def needs(model: str, ranks: int, hosts: int = 1, part: Fraction = Fraction(1), keep: int = 0) -> Needs:
    share, rest = divmod(ranks, hosts)
    return Needs(
        model=model,
        layout=layout(model),
        ranks=ranks,
        hosts=[(f"h{place}", share + (place < rest)) for place in range(hosts)],
        writes=10,
        reads=10,
        interval=Fraction(5),
        part=part,
        keep=keep,
    )


@pytest.mark.parametrize(
    ("model", "ranks", "gib", "files"),
    [
        ("8B", 8, 104.70452117919922, 16),
        ("70B", 64, 911.2121276855469, 128),
        ("405B", 512, 5292.248718261719, 1544),
        ("1T", 1024, 15426.589264154434, 2072),
    ],
)
def test_published_totals(model: str, ranks: int, gib: float, files: int) -> None:
    total = needs(model, ranks).total()
    assert (total.total / GIB, total.files) == (gib, files)


def test_ranks_of_the_largest_model() -> None:
    low, high = needs("1T", 1024).rank_range()
    assert (round(low / GIB, 3), round(high / GIB, 3)) == (12.913, 17.966)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("ranks", [1, 8, 48, 64, 128])
def test_agrees_with_the_sizes_of_the_gate(model: str, ranks: int) -> None:
    found, size = needs(model, ranks), checkpoint(layout(model), ranks)
    total = found.total()
    assert (total.model, total.optimizer, total.files) == (size.model, size.optimizer, size.files)
    assert found.rank_range() == per_rank(layout(model), ranks)


@settings(deadline=None, max_examples=40)
@given(
    model=st.sampled_from(MODELS),
    ranks=st.integers(1, 80),
    hosts=st.integers(1, 7),
    part=st.fractions(Fraction(1, 10**6), 1),
)
def test_groups_and_hosts_add_up_to_the_files_of_all_ranks(
    model: str, ranks: int, hosts: int, part: Fraction
) -> None:
    found = needs(model, ranks, min(hosts, ranks), part)
    written = [file for rank in range(ranks) for file in rank_files(found.layout, ranks, rank, part)]
    total = found.total()
    assert (total.total, total.files) == (sum(file.size for file in written), len(written))
    assert sum(group.count for group in found.groups()) == ranks
    assert sum(host.share.total for host in found.per_host()) == total.total
    assert sum(host.share.arrays for host in found.per_host()) == total.arrays


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("rank", [0, 3, 7])
def test_arrays_of_a_file_fill_it(model: str, rank: int) -> None:
    for file, arrays in rank_arrays(layout(model), 8, rank):
        assert sum(array.bytes for array in arrays) == file.size


def test_keeping_needs_less_disk_but_never_more_than_is_written() -> None:
    assert [needs("8B", 8, keep=keep).at_once() for keep in (0, 1, 3, 99)] == [10, 1, 3, 10]


def test_time_counts_every_interval() -> None:
    one = needs("8B", 8).timing(Fraction(2), 4 * GIB)
    assert (one.checkpoint, one.run) == (Fraction(2), Fraction(20 * (2 + 5)))
