"""The help of a launch: headings, aliases, 80 columns."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from engine.cli.main import cli
from engine.cli.options import TOOL_OPTIONS, ToolOption
from engine.launch.request import Declared, declared
from engine.rulesets import load
from engine.runtime.ruleset import GROUPS

EVERY: list[Declared | ToolOption] = [*declared(load("gate")).values(), *TOOL_OPTIONS]


def helped(division: str, command: str = "run") -> str:
    return CliRunner().invoke(cli, [division, "checkpointing", command, "--help"]).stdout


@pytest.mark.parametrize("division", ["closed", "open", "whatif"])
def test_options_stand_under_their_headings_in_80_columns(division: str) -> None:
    text = helped(division)
    lines = text.splitlines()
    assert [line[:-1] for line in lines if line.endswith(":") and not line.startswith(" ")] == [
        *GROUPS.values()
    ]
    assert max(map(len, lines)) <= 80
    where = {group: text.index(f"\n{heading}:\n") for group, heading in GROUPS.items()}
    for option in EVERY:
        at = text.find(f"{option.flag} ")
        if at < 0:
            continue
        assert max(place for place in where.values() if place < at) == where[option.group], option.flag
        assert text.count(f" {option.flag} ") <= 2


def test_every_option_of_a_command_is_in_its_help_once() -> None:
    text = helped("whatif")
    for option in EVERY:
        assert f"{option.flag} " in text, option.flag


@pytest.mark.parametrize("command", ["datasize", "configview"])
def test_a_heading_without_an_option_is_left_out(command: str) -> None:
    text = helped("closed", command)
    assert "The run:" in text
    assert ":\n\n" not in text.partition("The run:")[2]


def test_what_the_field_types_is_understood() -> None:
    short = "-m 70B -np 64 -s h1 h2 -cm 512 -cf /ckpt -rd /res -ncw 10 -ncr 0"
    long = "--model 70B --num-processes 64 --hosts h1 h2 --client-host-memory-in-gb 512 "
    long += "--checkpoint-folder /ckpt --results-dir /res --num-checkpoints-write 10 --num-checkpoints-read 0"
    rest = "--accelerator-type b200 --orgname o --systemname s --dry-run --format json"
    start = "closed checkpointing run"
    outs = {
        CliRunner().invoke(cli, f"{start} {words} {rest} file".split()).stdout
        for words in (
            short,
            long,
            short.replace("-s h1 h2", "-s h1 -s h2"),
            short.replace("-np 64", "-np=64"),
        )
    }
    assert len(outs) == 1
    assert '"earned": "CLOSED"' in outs.pop()
