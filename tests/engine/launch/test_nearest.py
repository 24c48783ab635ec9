"""What the gate proposes where one change of one option is not enough."""

from __future__ import annotations

from tests.vectors.answers import launch, launch_text


def test_many_wrong_options_are_mended_one_after_the_other() -> None:
    gated = launch("closed", "llama3-1t", 100, "--num-checkpoints-write", "5", "--num-checkpoints-read", "3")
    nearest = gated.report["nearest"]
    assert (nearest["processes"], nearest["writes"]) == (1024, 10)
    assert nearest["reads"] in (0, 10)


def test_what_no_option_mends_does_not_hide_the_rest() -> None:
    gated = launch("closed", "llama3-405b", 8, checkpoint_folder=None)
    assert gated.broken == {"4.4.1", "4.6.1", "4.6.4"}
    nearest = gated.report["nearest"]
    assert (nearest["processes"], nearest["besides"]) == (512, ["4.4.1"])
    assert "besides, mend 4.4.1" in launch_text("closed", "llama3-405b", 8, checkpoint_folder=None)


def test_where_nothing_can_be_proposed() -> None:
    gated = launch("closed", "llama3-8b", 8, checkpoint_folder="/results/.")
    assert (gated.broken, gated.report["nearest"]) == ({"4.4.1"}, None)


def test_the_model_stays_where_anything_else_can_change() -> None:
    """What is bought changes before what the run is for: 8B on 512 accelerators stays 8B."""
    for hosts in (1, 8, 64):
        for division, model in (("closed", "8B"), ("closed", "70B"), ("open", "1T")):
            gated = launch(
                division, model, 500 if division == "open" else 512, hosts=[f"h{n}" for n in range(hosts)]
            )
            assert gated.code == 1
            nearest = gated.report["nearest"]
            assert nearest["requested"] == division
            assert "model" not in nearest
            assert nearest["processes"] == {"8B": 8, "70B": 64, "1T": 512}[model]


def test_hosts_stay_where_the_processes_can_change() -> None:
    gated = launch("closed", "8B", 512, hosts=["h1"])
    assert gated.report["nearest"].keys() & {"hosts", "model"} == set()
    gated = launch("closed", "8B", 512, hosts=[f"h{n}" for n in range(64)])
    assert gated.report["nearest"]["hosts"] == 1


def test_what_changes_and_what_stays_is_said() -> None:
    text = launch_text("closed", "8B", 512, hosts=[f"h{n}" for n in range(64)])
    assert "- --num-processes 512" in text
    assert "+ --num-processes 8" in text
    assert "kept: --model" in text


def test_two_configurations_are_shown_where_there_are_two() -> None:
    gated = launch("closed", "8B", 8, "--num-checkpoints-write", "5")
    assert (gated.report["nearest"]["writes"], gated.report["second_nearest"]["writes"]) == (10, 0)
    text = launch_text("closed", "8B", 8, "--num-checkpoints-write", "5")
    assert (
        text.index("+ --num-checkpoints-write 10")
        < text.index("Or:")
        < text.index("+ --num-checkpoints-write 0")
    )
    assert "second_nearest" not in launch("closed", "70B", 8).report
