"""What clausegate does, in two minutes: `make demo`.

Each step is a command that a user would type, run as it stands and held to the exit code that it
must have: a demonstration that shows something else than what it says would be worse than none.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from examples.make import make, whole

ROOT = Path(__file__).resolve().parent.parent
RULES = ROOT / "Rules.md"
PLACE = ROOT / "build" / "demo"
"""Everything that the demonstration writes; it is made anew each time."""
PACKAGES = PLACE / "packages"

INVERTED = ('model != "8B")', 'model == "8B")')
"""The word that was once lost from clause 4.3.5, as it stands and as it was read."""

RANKS = 8
SCALE = "0.001"
GIB = 2**30
CLEAN, FOUND = 0, 1
SHOWN = 14
"""Lines of a long answer that are shown; the rest is in a file."""


class Wrong(Exception):
    """A step that did not do what it is there to show."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command said."""

    code: int
    text: str


class Demo:
    """The steps, and what they showed."""

    def __init__(self) -> None:
        self.console = Console(highlight=False, width=min(80, Console().width))
        self.started = time.monotonic()
        self.learnt: list[tuple[str, str]] = []
        self.step = 0

    def title(self, words: str) -> None:
        """Begin a step."""
        self.step += 1
        self.console.print()
        self.console.rule(Text(f"{self.step}. {words}", style="bold"), align="left")

    def tell(self, words: str) -> None:
        """Say what follows."""
        self.console.print(Text(words))

    def run(
        self, command: str, expected: int, *, lines: int | None = SHOWN, keep: str | None = None
    ) -> Answer:
        """Run a command of clausegate, show it and its answer. Raises Wrong for another exit code."""
        self.console.print(Text(f"$ {_wrapped(command)}", style="cyan"))
        done = subprocess.run(
            _argv(command), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        answer = Answer(done.returncode, done.stdout)
        said = answer.text.rstrip().splitlines()
        if keep is not None:
            (PLACE / keep).write_text(answer.text, "utf-8")
        for line in said[:lines]:
            self.console.print(Text(f"  {line}"), soft_wrap=True)
        if lines is not None and len(said) > lines:
            where = f": {_shown(PLACE / keep)}" if keep is not None else ""
            self.console.print(Text(f"  ... and {len(said) - lines} more lines{where}", style="dim"))
        self.hold(command, answer.code, expected)
        return answer

    def follow(self, command: str, expected: int) -> None:
        """Run a command whose progress is to be watched."""
        self.console.print(Text(f"$ {_wrapped(command)}", style="cyan"))
        sys.stdout.flush()  # the command writes to the same place by itself
        done = subprocess.run(_argv(command), cwd=ROOT, check=False)
        self.hold(command, done.returncode, expected)

    def hold(self, command: str, code: int, expected: int) -> None:
        """Hold a command to its exit code."""
        if code != expected:
            raise Wrong(f"exit code {code} instead of {expected}: clausegate {command}")
        meaning = {CLEAN: "clean", FOUND: "refused, as it should be"}[code]
        self.console.print(Text(f"  exit code {code}: {meaning}", style="green"))


def compile_the_document(demo: Demo) -> None:
    """The one source, compiled."""
    demo.title("The document is compiled")
    demo.tell("Every clause of Rules.md is stated once; gate and validator are made from it.")
    demo.run(f"check {_shown(RULES)}", CLEAN)
    demo.run(f"build {_shown(RULES)} -o {_shown(PLACE / 'generated')}", CLEAN)
    demo.learnt.append(("Rules.md", "compiled into a gate and a validator"))


def lose_the_word(demo: Demo) -> None:
    """The change that once went unnoticed."""
    demo.title("A word goes missing from clause 4.3.5")
    demo.tell(
        'In a copy, "the model is not 8B" becomes "the model is 8B", the change that once went into '
        "the published rules; even the sentence that the tool itself writes is refreshed."
    )
    text = RULES.read_text("utf-8")
    if text.count(INVERTED[0]) != 1:
        raise Wrong(f"{RULES} does not hold {INVERTED[0]} once")
    copy = PLACE / "Rules-inverted.md"
    copy.write_text(text.replace(*INVERTED), "utf-8")
    demo.run(f"fmt {_shown(copy)}", CLEAN)
    answer = demo.run(f"check {_shown(copy)}", FOUND, keep="inverted.txt")
    if "4.3.5" not in answer.text:
        raise Wrong("the answer does not name clause 4.3.5")
    demo.learnt.append(("one lost word", "found by the document's own cases and tables"))


def refuse_a_run(demo: Demo) -> None:
    """A day of cluster time that is not lost."""
    demo.title("A launch that could only be withdrawn later is refused")
    demo.tell("405B on 8 processes, claimed as a subset run, asked for as CLOSED:")
    answer = demo.run(
        "closed checkpointing run file --model llama3-405b --num-processes 8 --checkpoint-subset"
        " --accelerator-type b200 --client-host-memory-in-gb 512 --hosts h1"
        " --checkpoint-folder /ckpt --results-dir /results --orgname Acme --systemname sys-1 --dry-run",
        FOUND,
        lines=None,
    )
    for rule in ("4.3.5", "4.6.1"):
        if rule not in answer.text:
            raise Wrong(f"the refusal does not name clause {rule}")
    demo.learnt.append(("405B on 8, CLOSED", "refused before the first byte (4.3.5, 4.6.1, 4.6.4)"))


def run_a_checkpoint(demo: Demo) -> Path:
    """A real run; its leaf."""
    demo.title(f"A real run: 8B on {RANKS} MPI ranks, scaled to fit here")
    demo.tell(
        "Each rank writes its shards, syncs them, and reads and verifies those of another rank. "
        "It is for advice (whatif): the gate says what a submission would need."
    )
    results, folder = PLACE / "results", PLACE / "checkpoints"
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // GIB
    demo.follow(
        f"whatif checkpointing run file --model llama3-8b --num-processes {RANKS} --scale {SCALE}"
        f" --accelerator-type b200 --client-host-memory-in-gb {max(1, memory)} --orgname Demo"
        f" --systemname this-machine --checkpoint-folder {_shown(folder)} --results-dir {_shown(results)}"
        " --params checkpoint.time_between_checkpoints=0.2 --oversubscribe --time-limit 90",
        CLEAN,
    )
    leaf = next(iter(results.glob("whatif/Demo/results/*/checkpointing/llama3-8b/*/summary.json"))).parent
    summary: dict[str, Any] = json.loads((leaf / "summary.json").read_text("utf-8"))
    if summary["num_accelerators"] != RANKS:
        raise Wrong(f"the leaf records {summary['num_accelerators']} accelerators instead of {RANKS}")
    demo.run(f"validate {_shown(results)}", CLEAN, keep="run.txt")
    shutil.rmtree(folder)
    metric = summary["metric"]
    rates = [metric[f"{phase}_checkpoint_io_mean_GB_per_second"] for phase in ("save", "load")]
    demo.learnt.append(
        (f"8B on {RANKS} ranks", f"wrote {rates[0]:.2f} GiB/s, read {rates[1]:.2f} GiB/s, verified")
    )
    return leaf


def judge_packages(demo: Demo) -> None:
    """Packages right and wrong."""
    demo.title("Packages are judged")
    demo.tell("What is wrong with each, and why, stands in examples/README.md.")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("package", "runs", "earned", "broken clauses"):
        table.add_column(heading, overflow="fold")
    packages = whole()
    make(PACKAGES, packages)
    for name in sorted(packages):
        report = _report(PACKAGES / name)
        table.add_row(name, *_judged(report))
    demo.console.print(table)
    demo.learnt.append(("packages", f"{len(packages)} judged, each finding with clause, file and field"))


def _report(package: Path) -> dict[str, Any]:
    done = subprocess.run(
        _argv(f"validate {_shown(package)} --format json"),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (CLEAN, FOUND):
        raise Wrong(f"{package.name} could not be judged: {done.stderr.strip()}")
    held: dict[str, Any] = json.loads(done.stdout)
    return held


def _judged(report: dict[str, Any]) -> tuple[str, str, str]:
    leaves = [subject for subject in report["subjects"] if subject["scope"] == "leaf"]
    counts: dict[str, int] = {}
    for leaf in leaves:
        earned = leaf["earned"] or "advice"
        counts[earned] = counts.get(earned, 0) + 1
    errors = {finding["rule"] for finding in report["findings"] if finding["level"] == "error"}
    ordered = sorted(errors, key=lambda rule: [(part.isalpha(), part.zfill(4)) for part in rule.split(".")])
    earned_text = ", ".join(f"{count} {earned}" for earned, count in sorted(counts.items()))
    return str(len(leaves)), earned_text, ", ".join(ordered) or "none"


def sum_up(demo: Demo, leaf: Path) -> None:
    """What was shown and where it is."""
    demo.console.print()
    demo.console.rule(Text("What you saw", style="bold"), align="left")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for what, outcome in demo.learnt:
        table.add_row(what, outcome)
    demo.console.print(table)
    demo.console.print()
    for what, path in (("the run's leaf", leaf), ("everything else", PLACE), ("the packages", PACKAGES)):
        demo.console.print(Text(f"{what:<16}{_shown(path)}"), soft_wrap=True)
    demo.console.print(
        Text(f"{time.monotonic() - demo.started:.0f} seconds, all as it should be", style="green")
    )


def _argv(command: str) -> Sequence[str]:
    return [str(Path(sys.executable).with_name("clausegate")), *shlex.split(command)]


def _shown(path: Path) -> str:
    """A path as it is typed from the project's folder."""
    return shlex.quote(str(path.relative_to(ROOT)))


def _wrapped(command: str) -> str:
    """A command as it can be pasted, its options on further lines when it is long."""
    words, lines = ["clausegate", *command.split()], [""]
    for word in words:
        if len(lines[-1]) + len(word) > 68:
            lines.append("   ")
        lines[-1] += (" " if lines[-1] else "") + word
    return " \\\n".join(lines)


def main() -> int:
    """Show everything; 0 when all was as it should be."""
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir(parents=True)
    demo = Demo()
    try:
        compile_the_document(demo)
        lose_the_word(demo)
        refuse_a_run(demo)
        leaf = run_a_checkpoint(demo)
        judge_packages(demo)
        sum_up(demo, leaf)
    except Wrong as error:
        demo.console.print(Text(f"this is not as it should be: {error}", style="bold red"), soft_wrap=True)
        return 1
    except KeyboardInterrupt:
        demo.console.print(Text("interrupted; make demo begins anew", style="yellow"))
        return 8
    return 0


if __name__ == "__main__":
    sys.exit(main())
