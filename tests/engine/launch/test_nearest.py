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
