"""Writing and reading in two invocations, with the site's own command between them."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.driver.hand_over import call, words
from engine.launch.accepted import CannotStart
from tests.bench.lifecycle import TIMEOUT, Sandbox
from tests.bench.runs import alone
from tests.command import COMMAND, environment, run


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_words_are_split_as_a_shell_splits_them_and_no_shell_runs() -> None:
    assert words("env 'a b' c\\ d $HOME ; x") == ["env", "a b", "c d", "$HOME", ";", "x"]


@pytest.mark.parametrize("text", ["", "  ", "echo 'open", "/no/such/program now", "no-such-program-here"])
def test_what_is_no_command_is_refused(text: str) -> None:
    with pytest.raises(CannotStart, match="--hand-over"):
        words(text)


def test_output_and_time_are_kept() -> None:
    done = call(python("import sys; print('out'); print('err', file=sys.stderr)"), None)
    assert (done.code, done.failure) == (0, None)
    assert sorted(done.output.split()) == ["err", "out"]
    assert done.seconds > 0


def test_a_command_that_cannot_be_started_has_failed(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"\x7fNOT")
    program.chmod(0o755)
    done = call([str(program)], None)
    assert done.code != 0
    assert done.failure is not None
    assert "program" in done.output


def test_of_much_output_the_end_is_kept() -> None:
    done = call(python("print('x' * 3_000_000); print('last')"), None)
    assert len(done.output) == 1 << 20
    assert done.output.endswith("x\nlast\n")


def test_a_failure_says_what_was_said_last() -> None:
    done = call(python("print('no such mount\\n'); raise SystemExit(3)"), None)
    assert done.code == 3
    assert done.failure is not None
    assert done.failure.endswith("it ended with 3; it said last: no such mount")


def test_the_time_limit_ends_it() -> None:
    done = call(python("import time; time.sleep(600)"), 0.5)
    assert done.out_of_time
    assert done.failure == "the time limit was reached during --hand-over"
    assert done.seconds < 60


def test_what_it_leaves_running_stays(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    child = f"import os, time; open({str(note)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    started = (
        "import pathlib, subprocess, sys, time; subprocess.Popen([sys.executable, '-c', sys.argv[1]])\n"
        f"while not (p := pathlib.Path({str(note)!r})).exists() or not p.read_text(): time.sleep(0.05)"
    )
    done = call([*python(started), child], 60)
    assert done.code == 0
    os.kill(int(note.read_text()), signal.SIGKILL)  # it is there to be killed


def test_two_halves_and_what_lay_between(tmp_path: Path) -> None:
    place = Sandbox(tmp_path)
    seen = tmp_path / "seen"
    command = shlex.join(python(f"import os; print('moved'); open({str(seen)!r}, 'w').write('x')"))
    done = place.run("--hand-over", command)
    assert done.returncode == 0, done.stderr
    assert seen.exists()
    first, second = place.leaves
    wrote, read = place.metadata(first), place.metadata(second)
    counts = [
        [held["override_parameters"][f"checkpoint.num_checkpoints_{what}"] for what in ("write", "read")]
        for held in (wrote, read)
    ]
    assert counts == [[2, 0], [0, 2]]
    assert [held["args"]["num_checkpoints_write"] for held in (wrote, read)] == [2, 0]
    assert wrote["hand_over"] is None
    assert (second / "hand_over.log").read_text() == "moved\n"
    between = read["hand_over"]
    assert between["exit_status"] == 0
    assert between["measured_from"] == "end of the write invocation"
    assert 0 < between["seconds"] <= between["interval_seconds"] + 0.1
    assert between["findings"] == []
    metrics = [set(place.summary(leaf)["metric"]) for leaf in (first, second)]
    assert not any(name.startswith("load") for name in metrics[0])
    assert not any(name.startswith("save") for name in metrics[1])
    assert read["cold_reads"]["cached_before_read"] == place.summary(second)["workload"]["cached_before_read"]
    report = run(["validate", str(tmp_path / "res"), "--select", "evidence", "--format", "lines"])
    assert "ERROR" not in report.stdout


def test_a_hand_over_that_fails_ends_the_run(tmp_path: Path) -> None:
    place = Sandbox(tmp_path)
    done = place.run("--hand-over", shlex.join(python("print('stuck'); raise SystemExit(9)")))
    assert done.returncode == 6
    assert "it ended with 9; it said last: stuck; nothing was read" in " ".join(done.stderr.split())
    first, second = place.leaves
    assert (first / "summary.json").is_file()
    assert second.name.endswith(".unfinished")
    assert (second / "hand_over.log").read_text() == "stuck\n"
    assert place.metadata(second)["exit_status"] == 6


def test_a_run_of_one_phase_has_nothing_to_hand_over(tmp_path: Path) -> None:
    done = Sandbox(tmp_path).run("--hand-over", "true", "--num-checkpoints-read", "0")
    assert done.returncode == 2
    assert "--hand-over stands between writing and reading" in done.stderr


@pytest.fixture(params=[[], ["--keep", "1"]], ids=["all", "kept"])
def losing(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[str], tuple[Sandbox, str]]:
    """Makes a run whose hand-over removes the checkpoints, and goes on as told; it must fail."""

    def run(then: str) -> tuple[Sandbox, str]:
        place = Sandbox(tmp_path)
        code = f"import shutil; shutil.rmtree({str(tmp_path / 'ckpt')!r}); {then}"
        done = place.run("--hand-over", shlex.join(python(code)), *request.param)
        assert done.returncode == 6
        return place, " ".join(done.stderr.split())

    return run


def test_a_hand_over_that_loses_the_folder_is_told_by_its_own_words(
    losing: Callable[[str], tuple[Sandbox, str]],
) -> None:
    place, said = losing("print('no mount'); raise SystemExit(9)")
    assert "it ended with 9; it said last: no mount; nothing was read" in said
    _, second = place.leaves
    assert (second / "hand_over.log").read_text() == "no mount\n"
    assert place.metadata(second)["exit_status"] == 6


def test_what_is_gone_after_the_hand_over_fails_the_run(losing: Callable[[str], tuple[Sandbox, str]]) -> None:
    _, said = losing("pass")
    assert "what was written could not be read" in said


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_reader_that_has_left_changes_neither_the_run_nor_its_exit_code(
    tmp_path: Path, stream: str
) -> None:
    place = Sandbox(tmp_path)
    reader, writer = os.pipe()
    os.close(reader)
    out, err = (writer if stream == name else subprocess.DEVNULL for name in ("stdout", "stderr"))
    with alone():
        words = [*COMMAND, *place.arguments("--hand-over", "true")]
        done = subprocess.run(words, check=False, timeout=TIMEOUT, env=environment(), stdout=out, stderr=err)
    os.close(writer)
    assert done.returncode == 0
    assert [leaf.name.endswith(".unfinished") for leaf in place.leaves] == [False, False]


def test_a_verdict_that_finds_no_room_starts_no_run(tmp_path: Path) -> None:
    place = Sandbox(tmp_path)
    with alone(), Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, *place.arguments("--format", "json")],
            check=False,
            timeout=TIMEOUT,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 2
    assert "Standard output cannot be written: No space left on device" in done.stderr


def test_a_result_that_finds_no_room_changes_no_exit_code() -> None:
    """It stands in the leaf as well."""
    code = "from bench.progress.terminal import tell; tell('figures')"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*python(code)], check=False, stdout=full, env=environment())
    assert done.returncode == 0
