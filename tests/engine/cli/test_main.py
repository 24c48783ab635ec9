"""The command itself: finding commands, and what every outcome becomes as an exit code."""

from __future__ import annotations

import sys

import click
import pytest
from click.testing import CliRunner

from engine.cli import main as entry
from engine.cli.commands import COMMANDS
from engine.cli.exits import DEBUG, ExitCode, guarded
from tests.command import LAUNCH, run


def test_help_lists_every_command_without_importing_any() -> None:
    for name in [name for name in sys.modules if name == "engine.cli.validate"]:
        del sys.modules[name]
    result = CliRunner().invoke(entry.cli, ["--help"])
    assert result.exit_code == 0
    for name, (_, text) in COMMANDS.items():
        assert name in result.stdout
        assert text in result.stdout
    assert "engine.cli.validate" not in sys.modules


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["clozed"], "Did you mean 'closed'?"),
        (["valdate"], "Did you mean 'validate'?"),
        (["closed", "chekpointing"], "Did you mean 'checkpointing'?"),
        (["closed", "checkpointing", "ran"], "Did you mean 'run'?"),
        (["closed", "checkpointing", "run", "--modle", "8B"], "--model"),
        (["zzz"], "Known are closed, open"),
    ],
)
def test_a_misspelling_is_answered_with_what_was_meant(arguments: list[str], meant: str) -> None:
    result = CliRunner().invoke(entry.cli, arguments)
    assert (result.exit_code, result.stdout) == (ExitCode.USAGE, "")
    assert meant in result.stderr


def test_a_missing_extra_is_named_with_the_command_that_mends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str) -> None:
        raise ModuleNotFoundError("No module named 'lark'", name="lark")

    monkeypatch.setattr("importlib.import_module", missing)
    result = CliRunner().invoke(entry.cli, ["build"])
    assert result.exit_code == ExitCode.USAGE
    assert "pip install 'clausegate[build]'" in result.stderr


def failing(error: BaseException) -> object:
    raise error


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (click.UsageError("no such thing"), 2, "no such thing"),
        (click.FileError("x", "unreadable"), 2, "unreadable"),
        (click.exceptions.Exit(7), 7, ""),
        (KeyboardInterrupt(), 8, "interrupted"),
        (click.Abort(), 8, "interrupted"),
        (ValueError("two\nlines"), 2, "internal error: ValueError: two lines"),
        (RecursionError(), 2, "internal error: RecursionError: no reason given"),
        (BrokenPipeError(), 8, ""),
    ],
)
def test_every_outcome_is_an_exit_code(
    error: BaseException,
    code: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(DEBUG, raising=False)
    monkeypatch.setattr("engine.cli.exits.hush", lambda: None)
    assert guarded(lambda: failing(error)) == code
    caught = capsys.readouterr()
    assert said in caught.err
    assert "Traceback" not in caught.err
    assert caught.out == ""


def test_the_traceback_is_there_for_those_who_ask(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DEBUG, "1")
    assert guarded(lambda: failing(ValueError("x"))) == ExitCode.USAGE
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(("result", "code"), [(None, 0), (ExitCode.FINDINGS, 1), (6, 6)])
def test_what_a_command_returns_is_its_exit_code(result: object, code: int) -> None:
    assert guarded(lambda: result) == code


def test_a_reader_that_leaves_does_not_change_the_verdict() -> None:
    shell = ["bash", "-c", '"$@" | true; exit ${PIPESTATUS[0]}', "bash"]
    refused = [*LAUNCH, "--model", "llama3-405b"]
    for arguments, code in ((LAUNCH, 0), (refused, 1)):
        command = [*shell, sys.executable, "-m", "engine.cli.main", *arguments]
        done = run([], command=command)
        assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("clausegate clo", "closed"),
        ("clausegate closed check", "checkpointing"),
        ("clausegate closed checkpointing con", "configview"),
        ("clausegate closed checkpointing run --num-checkpoints-w", "--num-checkpoints-write"),
        ("clausegate closed checkpointing run --accelerator-type mi", "mi355"),
    ],
)
def test_completion(words: str, expected: str) -> None:
    variables = {
        "_CLAUSEGATE_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    done = run([], variables=variables)
    assert f"plain,{expected}" in done.stdout.split()
    assert done.stderr == ""
