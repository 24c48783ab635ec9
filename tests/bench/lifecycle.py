"""Runs of the workload as processes: small ones, on a folder of their own, with a hard timeout."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.runs import alone
from tests.command import COMMAND, ROOT, environment, run

TIMEOUT = 90
"""Seconds after which a run is taken for one that hangs."""

SMALL = (
    "checkpointing run file --model llama3-8b --num-processes 4 --accelerator-type b200"
    " --client-host-memory-in-gb 24 --num-checkpoints-write 2 --num-checkpoints-read 2"
    " --params checkpoint.time_between_checkpoints=0.02"
).split()

CLIQUES = {"MPIR_CVAR_NUM_CLIQUES": "2"}
"""Makes MPICH take one machine for two hosts: the even ranks are on one, the odd ones on the other."""


@dataclass(frozen=True)
class Sandbox:
    """The folders of a run."""

    root: Path

    @property
    def checkpoints(self) -> Path:
        return self.root / "ckpt" / "llama3-8b"

    @property
    def leaves(self) -> list[Path]:
        """Folders of runs, finished or not, by their time."""
        return sorted(self.root.glob("res/*/*/results/*/checkpointing/*/*_*"))

    def arguments(self, *more: str, division: str = "whatif", scale: str | None = "0.0005") -> list[str]:
        folders = ["--checkpoint-folder", str(self.root / "ckpt"), "--results-dir", str(self.root / "res")]
        return [division, *SMALL, *folders, *(["--scale", scale] if scale else []), *more]

    def run(self, *more: str, variables: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        with alone():
            return run(self.arguments(*more), variables=variables, timeout=TIMEOUT)

    def files(self) -> set[str]:
        """Every file below the checkpoint folder, relative to it."""
        place = self.checkpoints
        return {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()}

    def metadata(self, leaf: Path) -> dict[str, Any]:
        (path,) = leaf.glob("*_metadata.json")
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return found

    def summary(self, leaf: Path) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((leaf / "summary.json").read_text("utf-8"))
        return found

    def ranks(self) -> list[int]:
        """Processes of this host that were started for this folder: launchers, proxies, ranks."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal() and int(entry.name) != os.getpid():
                try:
                    words = (entry / "cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if any(
                    word.startswith(f"{self.root}/res".encode()) and b"plan.json" in word for word in words
                ):
                    found.append(int(entry.name))
        return found


class Running:
    """A run that is under way, followed until its ranks write."""

    def __init__(self, place: Sandbox, *more: str) -> None:
        self.place = place
        self.alone = ExitStack()
        self.alone.enter_context(alone())
        self.errors = (place.root / "stderr").open("w+")
        self.process = subprocess.Popen(
            [*COMMAND, *place.arguments("--time-limit", str(TIMEOUT), *more, scale="0.05")],
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self.errors,
            cwd=ROOT,
        )

    def __enter__(self) -> Running:
        until(lambda: any(self.place.root.glob("ckpt/*/*/*")))
        return self

    def __exit__(self, *_: object) -> None:
        for pid in [self.process.pid, *self.place.ranks()]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait(TIMEOUT)
        self.errors.close()
        self.alone.close()

    def end(self) -> tuple[int, str]:
        """The exit code and what was said."""
        code = self.process.wait(TIMEOUT)
        self.errors.seek(0)
        return code, self.errors.read()


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come about in time"
        time.sleep(0.05)


def sabotage(folder: Path, lines: Sequence[str]) -> dict[str, str]:
    """Variables by which every Python of a run first executes these lines; `rank` is the rank, or -1."""
    folder.mkdir()
    text = ["import os", "rank = int(os.environ.get('PMI_RANK', '-1'))", *lines]
    (folder / "sitecustomize.py").write_text("\n".join(text) + "\n")
    return {"PYTHONPATH": f"{folder}:{ROOT}"}
