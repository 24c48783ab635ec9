"""Sizes of checkpoints, against the published figures of real runs."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.sizing import (
    COLUMNS,
    GIB,
    Layout,
    checkpoint,
    find_layout,
    first_ranks,
    human,
    of_ranks,
    parameters,
    per_rank,
)

LAYOUTS = {
    "8B": Layout(4096, 14336, 32, 8, 32, 128256, 1, 1, 8, 8, 3),
    "70B": Layout(8192, 28672, 128, 8, 80, 128256, 8, 1, 8, 64, 3),
    "405B": Layout(16384, 53248, 128, 8, 126, 128256, 8, 32, 2, 512, 1),
    "1T": Layout(25872, 98304, 192, 32, 128, 128256, 8, 64, 2, 1024, 1),
}


@pytest.mark.parametrize(
    ("model", "ranks", "total", "model_gib", "optimizer_gib", "files", "rank"),
    [
        ("8B", 8, 104.70452117919922, "14.96", "89.75", 16, ("13.088", "13.088")),
        ("70B", 64, 911.2121276855469, "130.18", "781.03", 128, ("14.238", "14.238")),
        ("70B", 8, None, "16.27", "97.63", 16, ("14.238", "14.238")),
        ("405B", 512, 5292.248718261719, "756.01", "4536.23", 1544, ("8.860", "12.318")),
        ("1T", 1024, 15426.589264154434, "2203.66", "13222.93", 2072, ("12.913", "17.966")),
    ],
)
def test_published_sizes_to_the_digit(
    model: str,
    ranks: int,
    total: float | None,
    model_gib: str,
    optimizer_gib: str,
    files: int,
    rank: tuple[str, str],
) -> None:
    layout = LAYOUTS[model]
    size = checkpoint(layout, ranks)
    if total is not None:
        assert size.total / GIB == total
    assert f"{size.model / GIB:.2f}" == model_gib
    assert f"{size.optimizer / GIB:.2f}" == optimizer_gib
    assert size.files == files
    low, high = per_rank(layout, ranks)
    assert (f"{low / GIB:.3f}", f"{high / GIB:.3f}") == rank


@pytest.mark.parametrize(
    ("model", "ranks", "total", "files"),
    [
        ("8B", 1, "13.09", 2),
        ("8B", 4, "52.35", 8),
        ("8B", 16, "104.71", 32),
        ("70B", 16, "227.80", 32),
        ("70B", 128, "911.24", 256),
        ("405B", 8, "98.54", 48),
        ("405B", 256, "3024.13", 1288),
        ("405B", 768, "5292.48", 1800),
        ("1T", 8, "143.72", 32),
        ("1T", 512, "8815.13", 1560),
        ("1T", 1536, "15427.33", 2584),
    ],
)
def test_sizes_at_other_rank_counts(model: str, ranks: int, total: str, files: int) -> None:
    size = checkpoint(LAYOUTS[model], ranks)
    assert (f"{size.total / GIB:.2f}", size.files) == (total, files)


@pytest.mark.parametrize(
    ("model", "count"),
    [("8B", 8030261248), ("70B", 69882617856), ("405B", 405853388800), ("1T", 1183035102480)],
)
def test_parameters(model: str, count: int) -> None:
    assert parameters(LAYOUTS[model]) == count


@given(st.sampled_from(sorted(LAYOUTS)), st.integers(1, 1600), st.data())
def test_the_parts_of_a_run_add_up(model: str, ranks: int, data: st.DataObject) -> None:
    layout = LAYOUTS[model]
    cut = data.draw(st.integers(0, ranks))
    head, tail = of_ranks(layout, ranks, 0, cut), of_ranks(layout, ranks, cut, ranks)
    whole = checkpoint(layout, ranks)
    assert head.total + tail.total == whole.total
    assert head.files + tail.files == whole.files
    low, high = per_rank(layout, ranks)
    assert low * ranks <= whole.total <= high * ranks


@given(st.sampled_from(sorted(LAYOUTS)), st.integers(1, 40))
def test_closed_form_counts_what_the_ranks_write_one_by_one(model: str, ranks: int) -> None:
    layout = LAYOUTS[model]
    each = [first_ranks(layout, rank + 1) - first_ranks(layout, rank) for rank in range(ranks)]
    assert sum(size.total for size in each) == first_ranks(layout, ranks).total
    assert all(size.total > 0 for size in each)


def test_a_layout_is_found_by_its_columns_wherever_the_table_stands() -> None:
    layout = LAYOUTS["70B"]
    row = {column: getattr(layout, column) for column in COLUMNS}
    assert find_layout({"other": {"70B": {"memory": 1}}, "any": {"70B": row}}, "70B") == layout
    assert find_layout({"any": {"70B": {**row, "tp": "eight"}}}, "70B") is None
    assert find_layout({"any": {"70B": row}}, "13B") is None


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (checkpoint(LAYOUTS["70B"], 8).total, "113.9 GiB"),
        (10 * checkpoint(LAYOUTS["70B"], 8).total, "1.11 TiB"),
        (int(Fraction(19, 2) * GIB), "9.50 GiB"),
    ],
)
def test_sizes_for_people(size: int, text: str) -> None:
    assert human(size) == text
