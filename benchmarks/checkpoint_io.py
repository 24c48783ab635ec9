"""The workload against fio, memcpy and a writer as frameworks have them, on the same bytes in turn.

Only ratios mean something: every contestant runs once a round, each round in another order and on
quiet storage, and medians are compared. fio writes and reads without verifying, and has the blocks
of its files reserved before its clock starts; the workload makes every byte anew, reads what
another rank wrote, and verifies all of it.

No writer is faster than storage. Where fio's best is not as many times a peer as is promised of
the workload, the storage does not allow the ratio: it is printed, and not judged.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path

from bench.driver.mpi_command import find
from bench.rank.events import parse
from bench.workload.plan import FILE, Plan
from benchmarks.interleaved import in_turn
from engine.rulesets import load
from engine.sizing import GIB, Layout, find_layout, per_rank

MODEL, RANKS = "8B", 8
MIB = 1 << 20

WITHOUT_STORAGE = 16
"""How many times the bytes of a rank go where no storage is: else the start of ranks is what is measured."""

SETTLE = 1.0
"""Seconds that storage is left alone between two contestants, once all is synced."""

QUEUED = ("--ioengine=libaio", "--direct=1", "--iodepth=4")
FIO: dict[str, Sequence[str]] = {
    "fio buffered": ("--ioengine=psync", "--direct=0"),
    "fio write-back": ("--ioengine=psync", "--direct=0", "--sync_file_range=write:8"),
    "fio direct": ("--ioengine=psync", "--direct=1"),
    "fio direct, queued": QUEUED,
    "fio queued, huge pages": QUEUED,
}
HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""What gives fio buffers in huge pages, as the workload's are."""

OURS = ("rolling", "buffered", "direct")


@dataclass(frozen=True, slots=True)
class Field:
    """Where and how much."""

    folder: Path
    layout: Layout
    size: int  # bytes of a rank

    @property
    def total(self) -> int:
        """Bytes of all ranks."""
        return self.size * RANKS

    @property
    def large(self) -> Field:
        """The same ranks with enough bytes to measure what no storage slows down."""
        return replace(self, size=self.size * WITHOUT_STORAGE)

    @property
    def plan(self) -> Plan:
        """The workload on these bytes."""
        return Plan(
            model=MODEL,
            layout=self.layout,
            ranks=RANKS,
            folder=str(self.folder / "checkpoints"),
            leaf=str(self.folder),
            writes=1,
            reads=1,
            interval=0.1,
            engine="null",
            scale=str(Fraction(self.size, per_rank(self.layout, RANKS)[1])),
        )


Rates = dict[str, list[float]]


def ours(field: Field, engine: str, writes: Rates, reads: Rates) -> None:
    """One checkpoint written and read by the workload."""
    plan = replace(field.plan, engine=engine)
    (field.folder / FILE).write_text(plan.as_json(), "utf-8")
    Path(plan.folder).mkdir(exist_ok=True)
    said = [parse(line) for line in _ranks("-m", "bench", str(field.folder / FILE)).splitlines()]
    events = {event["event"]: event for event in said if event is not None}
    if "figures" not in events:
        raise SystemExit(f"{engine}: {events.get('refused', events)}")
    metric = events["figures"]["metric"]
    writes[f"ours, {engine}"].append(metric["save_checkpoint_io_mean_GB_per_second"])
    if engine != "null":
        reads[f"ours, {engine}"].append(metric["load_checkpoint_io_mean_GB_per_second"])
    shutil.rmtree(plan.folder)


def fio(field: Field, name: str, writes: Rates, reads: Rates) -> None:
    """The same files written, synced and read by fio."""
    size = field.size // 4096 * 4096  # direct I/O moves whole sectors
    environment = os.environ | (HUGE_PAGES if "huge" in name else {})
    common = ["fio", "--name=shard", f"--directory={field.folder}", f"--numjobs={RANKS}", f"--size={size}"]
    common += ["--bs=4M", "--output-format=json", *FIO[name]]
    for how, rates, more in (("write", writes, ["--end_fsync=1"]), ("read", reads, [])):
        command = [*common, f"--rw={how}", *more]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        jobs = json.loads(done.stdout[done.stdout.index("{") :])["jobs"]
        slowest = max(max(job["job_runtime"], job[how]["runtime"]) for job in jobs) / 1000
        rates[name].append(size * RANKS / GIB / slowest)
    for path in field.folder.glob("shard.*"):
        path.unlink()


def peer(field: Field, name: str, writes: Rates) -> None:
    """A peer of benchmarks/ranks.py."""
    said = _ranks(str(Path(__file__).with_name("ranks.py")), name, str(field.size), str(field.folder))
    seconds = float(said.split("seconds ")[1].split()[0])
    writes[name].append(field.total / GIB / seconds)


def _ranks(*arguments: str) -> str:
    command = find("mpiexec").command([sys.executable, "-m", "mpi4py", *arguments], RANKS, [])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return done.stdout


def contestants(field: Field, writes: Rates, reads: Rates) -> list[Callable[[], None]]:
    """Everybody who runs in a round."""
    return [
        *(partial(fio, field, name, writes, reads) for name in FIO),
        *(partial(ours, field, engine, writes, reads) for engine in OURS),
        partial(peer, field, "pickled", writes),
        partial(ours, field.large, "null", writes, reads),
        partial(peer, field.large, "memcpy", writes),
    ]


def run(field: Field, rounds: int) -> tuple[Rates, Rates]:
    """All contestants, as often as asked; the rates of writing and of reading, in GiB/s."""
    writes: Rates = defaultdict(list)
    reads: Rates = defaultdict(list)
    for number, order in enumerate(in_turn(contestants(field, writes, reads), rounds), 1):
        for contestant in order:
            os.sync()
            time.sleep(SETTLE)
            contestant()
        print(f"round {number} of {rounds}", file=sys.stderr)
    return writes, reads


@dataclass(frozen=True, slots=True)
class Promise:
    """A ratio of medians, and what it shall be at least."""

    of: str
    ratio: float
    least: float
    allowed: float | None = None  # by the storage: what fio's best would make of it

    @property
    def judged(self) -> bool:
        """False where the storage does not allow what is promised."""
        return self.allowed is None or self.allowed >= self.least

    def __str__(self) -> str:
        said = f"{self.of:<38} {self.ratio:5.2f}, at least {self.least}"
        return said if self.judged else f"{said}: not judged, fio's best is only {self.allowed:.2f}"


def promises(writes: Rates, reads: Rates) -> list[Promise]:
    """What is promised; the best of each side is by its median."""
    write = {name: statistics.median(rates) for name, rates in writes.items()}
    read = {name: statistics.median(rates) for name, rates in reads.items()}

    def best(rates: dict[str, float], who: str) -> float:
        return max(rate for name, rate in rates.items() if name.startswith(who) and "null" not in name)

    peer, fastest = write["pickled"], best(write, "fio")
    return [
        Promise("write against fio's best", best(write, "ours") / fastest, 1.0),
        Promise("read, verified, against fio's best", best(read, "ours") / best(read, "fio"), 1.0),
        Promise("null engine against memcpy", write["ours, null"] / write["memcpy"], 0.45),
        Promise("write against pickling, never synced", best(write, "ours") / peer, 3.0, fastest / peer),
    ]


def main() -> int:
    """Run the rounds, print medians and ratios, and return 1 when a promise is broken."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, help="where to write; the storage that is compared")
    parser.add_argument("--mib", type=int, default=256, help="MiB of a rank [256]")
    parser.add_argument("--rounds", type=int, default=5, help="how often [5]")
    chosen = parser.parse_args()
    if shutil.which("fio") is None:
        raise SystemExit("fio is not installed; on Debian: apt-get install fio")
    layout = find_layout(load("gate", None).tables, MODEL)
    if layout is None:
        raise SystemExit(f"the rule set holds no layout of {MODEL}")
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        writes, reads = run(Field(Path(folder), layout, chosen.mib * MIB), chosen.rounds)
    print(f"{RANKS} ranks, {chosen.mib} MiB each; medians of {chosen.rounds} rounds in turn, GiB/s")
    for title, rates in (("write", writes), ("read", reads)):
        for name, found in sorted(rates.items(), key=lambda entry: -statistics.median(entry[1])):
            spread = f"{min(found):.2f} to {max(found):.2f}"
            print(f"  {title:<6} {name:<22} {statistics.median(found):7.2f}   ({spread})")
    kept = True
    for promise in promises(writes, reads):
        kept = kept and (promise.ratio >= promise.least or not promise.judged)
        print(promise)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
