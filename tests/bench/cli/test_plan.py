from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import pytest

from tests.command import run

COMMAND = [sys.executable, "-m", "engine.cli.main", "bench"]


def bench(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=60, check=False)


def test_json_has_the_published_total() -> None:
    done = bench("plan", "--model", "llama3-1t", "--num-processes", "1024", "--format", "json")
    held = json.loads(done.stdout)
    assert done.returncode == 0
    assert (held["checkpoint"]["GiB"], held["checkpoint"]["files"]) == (15426.589264154434, 2072)
    assert [round(gib, 3) for gib in held["rank"]["GiB"]] == [12.913, 17.966]


def test_text_fits_a_terminal() -> None:
    done = bench("plan", "--model", "1t", "--hosts", "a:512,b:512", "--keep", "2", "--rate", "1,1000")
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "--keep 2" in done.stdout


def test_object_access_needs_more_memory() -> None:
    words = ("plan", "--model", "8b", "--hosts", "2", "--format", "json")
    files, objects = (json.loads(bench(*words, "--access", access).stdout) for access in ("file", "object"))
    assert objects["rank"]["memory_bytes"] > files["rank"]["memory_bytes"]
    for held in (files, objects):
        assert [host["memory_bytes"] for host in held["hosts"]] == [4 * held["rank"]["memory_bytes"]] * 2


def test_csv_has_a_line_for_each_rank() -> None:
    rows = list(csv.DictReader(io.StringIO(bench("plan", "--model", "8b", "--format", "csv").stdout)))
    assert [row["rank"] for row in rows] == [str(rank) for rank in range(8)]
    assert all(int(row["model_bytes"]) + int(row["optimizer_bytes"]) == int(row["bytes"]) for row in rows)


def test_datasize_and_the_plan_part_by_less_than_a_byte_a_file_when_scaled() -> None:
    words = ["whatif", "checkpointing", "datasize", "file", "--model", "8b", "--num-processes", "8"]
    words += ["--client-host-memory-in-gb", "24", "--scale", "0.000123"]
    sizes = json.loads(run([*words, "--format", "json"]).stdout)["sizes"]
    held = json.loads(bench("plan", "--model", "8b", "--scale", "0.000123", "--format", "json").stdout)
    assert 0 <= sizes["checkpoint_bytes"] - held["checkpoint"]["bytes"] < sizes["files"]
    assert "one checkpoint   about 13.2 MiB in 16 files" in run(words).stdout


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys, bench.cli.plan, bench.cli.report\n"
        "sys.exit(bool({'numpy', 'mpi4py', 'rich', 'yaml'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--model", "lama3-8b"], "Did you mean 'llama3-8b'"),
        (["--model", "8b", "--num-proceses", "8"], "--num-processes"),
        (["--model", "8b", "--num-processes", "0"], "a whole number of 1 or more"),
        (["--model", "70b", "--num-processes", "67"], "the nearest are 64 and 72"),
        (["--model", "8b", "--rate", "0"], "a number above 0"),
        (["--model", "8b", "--rank", "8"], "ranks are 0 to 7"),
        (["--model", "8b", "--hosts", "9"], "9 hosts for 8 ranks"),
        (["--model", "8b", "--hosts", "a:3,b:3"], "do not add up to 8"),
        (["--model", "405b", "--zero", "3"], "add --pp 1"),
    ],
)
def test_what_cannot_be_planned_is_said(words: list[str], said: str) -> None:
    done = bench("plan", *words)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
