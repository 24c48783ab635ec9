"""Whole runs as processes: started as a person starts them, and looked for afterwards.

Every process of a run has a path below the test's own folder on its command line, so that what
is left behind is found, and only that is ended.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from tests.command import COMMAND, environment

PATIENCE = 120
"""Seconds after which a run is a failure, whatever it does."""

ENDS_WITHIN = 30
"""Seconds that a run may take to end once it is told to, on a machine that others use too."""

NO_WAIT = ("--params", "checkpoint.time_between_checkpoints=0")


@dataclass(frozen=True, slots=True)
class Bed:
    """Folders of one test."""

    root: Path

    @property
    def checkpoints(self) -> Path:
        return self.root / "ckpt"

    @property
    def results(self) -> Path:
        return self.root / "results"

    def words(
        self,
        *more: str,
        division: str = "whatif",
        model: str = "llama3-8b",
        ranks: int = 2,
        scale: str | None = "0.0002",
        writes: int = 2,
        reads: int = 2,
    ) -> list[str]:
        """The arguments of a run in these folders."""
        found = [division, "checkpointing", "run", "file", "--model", model, "--num-processes", str(ranks)]
        found += ["--accelerator-type", "b200", "--client-host-memory-in-gb", "24"]
        found += ["--checkpoint-folder", str(self.checkpoints), "--results-dir", str(self.results)]
        found += ["--num-checkpoints-write", str(writes), "--num-checkpoints-read", str(reads)]
        found += [*NO_WAIT] if division == "whatif" else []
        found += ["--scale", scale] if scale is not None else []
        return [*found, *more]

    def run(
        self, *more: str, variables: Mapping[str, str] | None = None, **changes: Any
    ) -> subprocess.CompletedProcess[str]:
        """Run to the end."""
        with self.started(*more, variables=variables, **changes) as process:
            out, err = process.communicate(timeout=PATIENCE)
            return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    @contextmanager
    def started(
        self, *more: str, variables: Mapping[str, str] | None = None, **changes: Any
    ) -> Iterator[subprocess.Popen[str]]:
        """Start a run, when no other test of this checkout has one; whatever is left of it is ended."""
        with alone():
            yield from self._started(more, variables, changes)

    def _started(
        self, more: Sequence[str], variables: Mapping[str, str] | None, changes: Mapping[str, Any]
    ) -> Iterator[subprocess.Popen[str]]:
        process = subprocess.Popen(
            [*COMMAND, *self.words(*more, **changes)],
            env=environment(**(variables or {})),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        try:
            with process:
                try:
                    yield process
                finally:
                    if process.poll() is None:
                        process.kill()
        finally:
            for pid in processes(self.root):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def leaves(self) -> list[Path]:
        """Folders of runs, finished or not."""
        return sorted(self.results.glob("*/*/results/*/checkpointing/*/*"))

    def leaf(self) -> Path:
        """The folder of the only run."""
        (found,) = self.leaves()
        return found

    def metadata(self) -> dict[str, Any]:
        (file,) = self.leaf().glob("*_metadata.json")
        return strict(file)

    def files(self) -> dict[str, Path]:
        """Files of checkpoints by their names below the folder."""
        found = (path for path in self.checkpoints.rglob("*") if path.is_file())
        return {str(path.relative_to(self.checkpoints)): path for path in found}


@contextmanager
def alone() -> Iterator[None]:
    """One run at a time, whichever workers the tests are spread over."""
    with Path(__file__).open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def strict(file: Path) -> dict[str, Any]:
    """A JSON document without NaN, Infinity or a name that stands twice."""

    def refuse(constant: str) -> NoReturn:
        raise AssertionError(f"{file} holds {constant}")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len({name for name, _ in pairs}) == len(pairs), file
        return dict(pairs)

    held = json.loads(file.read_text("utf-8"), parse_constant=refuse, object_pairs_hook=once)
    assert isinstance(held, dict)
    return held


def command_line(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:
        return []


def processes(root: Path) -> list[int]:
    """Launchers and ranks of runs in a folder, and whatever else names it, but this process."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    mine = {os.getpid(), os.getppid()}
    return [pid for pid in pids if pid not in mine and any(str(root) in w for w in command_line(pid))]


def ranks(root: Path) -> list[int]:
    """Processes of ranks."""
    return [pid for pid in processes(root) if command_line(pid)[1:6] == ["-P", "-m", "mpi4py", "-m", "bench"]]


def assert_nothing_left(root: Path) -> None:
    """No process of a run is there any more, or only one that is just ending."""
    until = time.monotonic() + 5
    while (left := processes(root)) and time.monotonic() < until:
        time.sleep(0.1)
    assert left == [], [command_line(pid) for pid in left]


def await_path(path: Path, process: subprocess.Popen[str]) -> None:
    """Return when a path is there."""
    until = time.monotonic() + PATIENCE
    while not path.exists():
        assert process.poll() is None, f"the run has ended: {process.communicate()}"
        assert time.monotonic() < until, f"{path} does not appear"
        time.sleep(0.02)


def fake_launcher(folder: Path, script: str) -> Path:
    """A launcher of the site's that says it is MPICH's and then does what the script says."""
    path = folder / "mpi-of-the-site"
    version = 'if [ "$1" = --version ]; then echo "HYDRA 9.9"; exit 0; fi'
    path.write_text(f"#!/bin/sh\n{version}\n{script}\n", "utf-8")
    path.chmod(0o755)
    return path


def validated(tree: Path, *more: str) -> dict[str, Any]:
    """The findings of `validate`."""
    done = subprocess.run(
        [*COMMAND, "validate", str(tree), "--format", "json", *more],
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    held: dict[str, Any] = json.loads(done.stdout)
    return held


def as_closed(bed: Bed, changes: Mapping[str, Any] | None = None) -> Path:
    """The results with what was run for advice relabelled as closed: what a cheat would hand in."""
    source = bed.results / "whatif"
    target = bed.results / "closed"
    source.rename(target)
    for file in target.rglob("*_metadata.json"):
        held = strict(file)
        held["args"]["mode"] = "closed"
        change(held, changes or {})
        file.write_text(json.dumps(held), "utf-8")
    return bed.results


def change(held: dict[str, Any], changes: Mapping[str, Any]) -> None:
    """Set values at places, steps parted by slashes."""
    for key, value in changes.items():
        *steps, last = key.split("/")
        place = held
        for step in steps:
            place = place[step]
        place[last] = value


def errors(findings: Mapping[str, Any], *, rules: Sequence[str] = ("",)) -> list[tuple[str, str]]:
    """Rule and message of each error of rules that begin so."""
    return [
        (finding["rule"], finding["message"])
        for finding in findings["findings"]
        if finding["level"] == "error" and finding["rule"].startswith(tuple(rules))
    ]
