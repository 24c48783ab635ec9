"""Which rank writes which files: held against the published totals and a second way to count."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.workload.layout import RankCoordinates, ShardFile, rank_files, step_folder
from bench.workload.plan import SCHEMA, Plan
from engine.sizing import GIB, Layout, checkpoint, of_ranks, per_rank
from tests.bench.models import LAYOUTS


def files_of_all(layout: Layout, ranks: int) -> list[ShardFile]:
    return [file for rank in range(ranks) for file in rank_files(layout, ranks, rank)]


@pytest.mark.parametrize(
    ("model", "ranks", "total", "files"),
    [
        ("8B", 8, 104.70452117919922, 16),
        ("70B", 64, 911.2121276855469, 128),
        ("405B", 512, 5292.248718261719, 1544),
        ("1T", 1024, 15426.589264154434, 2072),
    ],
)
def test_files_of_all_ranks_add_up_to_what_published_runs_recorded(
    model: str, ranks: int, total: float, files: int
) -> None:
    written = files_of_all(LAYOUTS[model], ranks)
    assert sum(file.size for file in written) / GIB == total
    assert len(written) == files


@pytest.mark.parametrize(
    ("model", "ranks", "total", "files"),
    [
        ("8B", 1, "13.09", 2), ("8B", 4, "52.35", 8), ("8B", 16, "104.71", 32),
        ("70B", 8, "113.90", 16), ("70B", 16, "227.80", 32), ("70B", 128, "911.24", 256),
        ("405B", 8, "98.54", 48), ("405B", 256, "3024.13", 1288), ("405B", 768, "5292.48", 1800),
        ("1T", 8, "143.72", 32), ("1T", 512, "8815.13", 1560), ("1T", 1536, "15427.33", 2584),
    ],
)  # fmt: skip
def test_files_of_all_ranks_at_other_counts(model: str, ranks: int, total: str, files: int) -> None:
    written = files_of_all(LAYOUTS[model], ranks)
    assert (f"{sum(file.size for file in written) / GIB:.2f}", len(written)) == (total, files)


@pytest.mark.parametrize("model", sorted(LAYOUTS))
def test_smallest_and_largest_rank_are_those_that_the_gate_counts_with(model: str) -> None:
    layout = LAYOUTS[model]
    ranks = layout.total_processes
    sizes = [sum(file.size for file in rank_files(layout, ranks, rank)) for rank in range(ranks)]
    assert (min(sizes), max(sizes)) == per_rank(layout, ranks)


@pytest.mark.parametrize(
    ("model", "rank", "names"),
    [
        ("8B", 3, ["zero_pp_rank_3_mp_rank_0_model_states.pt", "zero_pp_rank_3_mp_rank_0_optim_states.pt"]),
        ("70B", 13, ["zero_pp_rank_1_mp_rank_5_model_states.pt", "zero_pp_rank_1_mp_rank_5_optim_states.pt"]),
        ("405B", 300, ["zero_pp_rank_1_mp_rank_44_optim_states.pt"]),
        (
            "405B",
            255,  # the last stage of the first replica: blocks 124 to 126, the head and the final norm
            [f"layer_{layer}-model_255_model_states.pt" for layer in (124, 125, 126, 127, 128)]
            + ["zero_pp_rank_0_mp_rank_255_optim_states.pt"],
        ),
        (
            "1T",
            0,
            [f"layer_{layer}-model_0_model_states.pt" for layer in (0, 1, 2)]
            + ["zero_pp_rank_0_mp_rank_0_optim_states.pt"],
        ),
    ],
)
def test_names_are_those_of_the_field(model: str, rank: int, names: list[str]) -> None:
    layout = LAYOUTS[model]
    assert [file.name for file in rank_files(layout, layout.total_processes, rank)] == names


def test_zero_1_without_a_pipeline_has_one_model_file_a_group() -> None:
    layout = Layout(64, 128, 8, 4, 4, 1000, 2, 1, 3, 6, 1)
    assert [file.name for file in rank_files(layout, 6, 1)] == [
        "model_1_model_states.pt",
        "zero_pp_rank_0_mp_rank_1_optim_states.pt",
    ]
    assert [file.name for file in rank_files(layout, 6, 3)] == ["zero_pp_rank_1_mp_rank_1_optim_states.pt"]


def test_zero_0_is_written_by_the_first_replica_alone_under_the_names_of_zero_3() -> None:
    layout = Layout(64, 128, 8, 4, 4, 1000, 2, 1, 3, 6, 0)
    assert [file.name for file in rank_files(layout, 6, 1)] == [
        "zero_pp_rank_0_mp_rank_1_model_states.pt",
        "zero_pp_rank_0_mp_rank_1_optim_states.pt",
    ]
    assert [rank_files(layout, 6, rank) for rank in (2, 3, 4, 5)] == [(), (), (), ()]


def test_step_folders_count_from_one() -> None:
    assert [step_folder(step) for step in (1, 10)] == ["global_epoch1_step1", "global_epoch1_step10"]


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """Any model over any legal split; ZeRO 3 has no pipeline."""
    heads = draw(st.sampled_from([4, 8, 12, 32]))
    stage = draw(st.sampled_from([0, 1, 2, 3]))
    layers = draw(st.integers(1, 13))
    pipeline = 1 if stage == 3 else draw(st.integers(1, layers))
    tensor, replicas = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    return Layout(
        hidden_dimension=heads * draw(st.integers(1, 40)),
        ffn_size=draw(st.integers(1, 3000)),
        attention_heads=heads,
        kv_heads=draw(st.sampled_from([1, 2, 4])),
        layers=layers,
        vocabulary=draw(st.integers(1, 5000)),
        tp=tensor,
        pp=pipeline,
        dp=replicas,
        total_processes=tensor * pipeline * replicas,
        zero_stage=stage,
    )


def counted(layout: Layout, rank: int) -> int:
    """Bytes of a rank, array by array, written down a second time and as plainly as can be."""
    width = layout.tp * layout.pp
    stage, replica = rank % width // layout.tp, rank // width
    shards = layout.dp if layout.zero_stage == 3 else 1
    hidden, ffn = layout.hidden_dimension, layout.ffn_size
    kv = hidden // layout.attention_heads * layout.kv_heads
    matrices = [hidden * (hidden + 2 * kv), hidden * hidden, 2 * hidden * ffn, ffn * hidden]
    of_a_block = [size // layout.tp for size in matrices] + [hidden, hidden]
    owner = [
        s
        for s in range(layout.pp)
        for _ in range(layout.layers // layout.pp + (s < layout.layers % layout.pp))
    ]
    arrays = [array for s in owner if s == stage for array in of_a_block]
    wide = hidden * layout.vocabulary // layout.tp
    arrays += [wide] if stage == 0 else []
    arrays += [wide, hidden] if stage == layout.pp - 1 else []
    model = 2 * sum(array // shards for array in arrays)
    block = 2 * hidden + hidden * (hidden + 2 * kv) + hidden * hidden + 3 * hidden * ffn
    whole = 2 * layout.vocabulary * hidden + layout.layers * block + hidden
    groups = width * (layout.dp if layout.zero_stage else 1)
    optimizer = 4 * 3 * (whole // groups + 5 * hidden)
    if replica and layout.zero_stage == 0:
        return 0
    return (model if replica == 0 or layout.zero_stage == 3 else 0) + optimizer


@settings(deadline=None)
@given(layouts())
def test_every_rank_of_any_layout_writes_its_arrays(layout: Layout) -> None:
    ranks = layout.total_processes
    for rank in range(ranks):
        written = sum(file.size for file in rank_files(layout, ranks, rank))
        assert written == counted(layout, rank)
        assert written == of_ranks(layout, ranks, rank, rank + 1).total


@settings(deadline=None)
@given(layouts(), st.data())
def test_any_number_of_ranks_adds_up_to_what_the_gate_counts_and_no_two_share_a_name(
    layout: Layout, data: st.DataObject
) -> None:
    ranks = data.draw(st.integers(1, 3 * layout.total_processes))
    written, size = files_of_all(layout, ranks), checkpoint(layout, ranks)
    assert (sum(file.size for file in written), len(written)) == (size.total, size.files)
    names = [file.name for file in written]
    assert len(set(names)) == len(names)
    assert len({RankCoordinates.of(layout.on(ranks), rank) for rank in range(ranks)}) == ranks


@settings(deadline=None)
@given(st.integers(1, 10**12), st.fractions(min_value=Fraction(1, 10**9), max_value=1))
def test_a_scaled_file_has_a_byte_and_never_more_than_the_whole(size: int, scale: Fraction) -> None:
    scaled = ShardFile("any", size).scaled(scale)
    assert 1 <= scaled.size <= size
    assert scaled.size == size or scale < 1
    assert abs(scaled.size - size * scale) < 1 or scaled.size == 1


@settings(deadline=None)
@given(layouts(), st.sampled_from(["1", "0.5", "0.001", "1/3"]))
def test_a_plan_knows_the_total_of_its_files(layout: Layout, scale: str) -> None:
    plan = _plan(layout, scale)
    files = [file for rank in range(plan.ranks) for file in plan.files(rank)]
    assert plan.total() == sum(file.size for file in files)


def test_a_plan_is_read_by_the_name_that_its_leaf_gets_and_knows_the_one_that_it_has(tmp_path: Path) -> None:
    plan = _plan(LAYOUTS["70B"], "0.01")
    final, folder = tmp_path / "20260708_064613", tmp_path / "20260708_064613.unfinished"
    folder.mkdir()
    (folder / "plan.json").write_text(plan.as_json(), "utf-8")
    held = Plan.read(final / "plan.json")
    assert held == replace(plan, leaf=str(folder))
    assert held.leaves_record
    folder.rename(final)
    held = Plan.read(final / "plan.json")
    assert held == replace(plan, leaf=str(final))
    assert not held.leaves_record, "a leaf that has its name is not changed"
    file = final / "plan.json"
    file.write_text(plan.as_json().replace(SCHEMA, "clausegate/plan/0"), "utf-8")
    with pytest.raises(ValueError, match="is no plan of this version"):
        Plan.read(file)


def _plan(layout: Layout, scale: str) -> Plan:
    return Plan(
        model="llama3-8b",
        layout=layout,
        ranks=layout.total_processes,
        folder="/ckpt/llama3-8b",
        leaf="/results/leaf",
        writes=10,
        reads=10,
        interval=5.0,
        engine="rolling",
        scale=scale,
    )
