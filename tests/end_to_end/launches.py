"""One launch written twice: as the arguments that the gate gets, and as the leaf that it would write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.rulesets import load
from engine.sizing import GIB, checkpoint, find_layout
from tests.packages import FOLDERS, PROCESSES, Leaf, write_leaf, write_system
from tests.vectors.answers import Answer, answer, package


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What a submitter types. A host list without `:N` leaves the placement to the launcher."""

    division: str = "closed"
    model: str = "8B"
    name: str | None = None  # how the model is spelled
    processes: int | None = None
    hosts: int | None = None
    slots: bool = False
    writes: int = 10
    reads: int = 10
    claim: bool = False
    access: str = "file"
    accelerator: str = "b200"
    memory: float = 1
    checkpoint_folder: str | None = "/ckpt"
    results_folder: str | None = "/results"
    params: Mapping[str, str] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Processes."""
        return PROCESSES[self.model] if self.processes is None else self.processes

    @property
    def host_count(self) -> int:
        """Hosts, by default with 8 processes each."""
        return max(1, -(-self.count // 8)) if self.hosts is None else self.hosts

    @property
    def spelled(self) -> str:
        """The model as it is typed."""
        return FOLDERS[self.model] if self.name is None else self.name

    def arguments(self) -> list[str]:
        """The command line."""
        share, rest = divmod(self.count, self.host_count)
        names = [f"host-{number:03}" for number in range(1, self.host_count + 1)]
        named = [f"{host}:{share + (place < rest)}" for place, host in enumerate(names)]
        line = [self.division, "checkpointing", "run", self.access, "--model", self.spelled]
        line += ["--num-processes", str(self.count), "--hosts", *(named if self.slots else names)]
        line += ["--client-host-memory-in-gb", str(self.memory), "--accelerator-type", self.accelerator]
        line += ["--num-checkpoints-write", str(self.writes), "--num-checkpoints-read", str(self.reads)]
        line += ["--checkpoint-subset"] if self.claim else []
        line += [] if self.checkpoint_folder is None else ["--checkpoint-folder", self.checkpoint_folder]
        line += [] if self.results_folder is None else ["--results-dir", self.results_folder]
        line += [part for key, value in self.params.items() for part in ("--params", f"{key}={value}")]
        line += ["--allow-invalid-params"] if self.params else []  # none of the workload's own
        return [*line, "--orgname", "Acme", "--systemname", "sys-1", "--dry-run", "--format", "json"]

    def leaf(self) -> Leaf:
        """The leaf that the run would write, when all goes well and the memory is as declared."""
        metadata: dict[str, object] = {}
        if self.name is not None:
            metadata = {"args.model": self.name, "model": self.name}
        if self.params:
            metadata["args.params"] = [f"{key}={value}" for key, value in self.params.items()]
        return Leaf(
            division=self.division,
            model=self.model,
            workload=self.name,
            processes=self.count,
            hosts=self.host_count,
            slots=self.slots,
            writes=self.writes,
            reads=self.reads,
            claim=self.claim,
            partial=self.count < PROCESSES[self.model],
            access=self.access,
            accelerator=self.accelerator,
            memory=self.memory,
            size=planned(self.model, self.count),
            verification=None,
            checkpoint_folder=self.checkpoint_folder,
            results_folder=self.results_folder,
            overrides=self.params,
            metadata=metadata,
        )


def planned(model: str, processes: int) -> float:
    """GiB of a checkpoint that so many processes write."""
    layout = find_layout(load("gate").tables, model)
    assert layout is not None
    return checkpoint(layout, processes).total / GIB


Said = frozenset[tuple[str, str, str, str]]


def said(found: Answer) -> dict[str, Said]:
    """What each clause says: clause -> its findings' outcomes, levels, categories."""
    rules: dict[str, set[tuple[str, str, str, str]]] = {}
    for one in found.findings():
        entry = (one["rule"], one["outcome"], one["level"], one["category"])
        rules.setdefault(one["rule"], set()).add(entry)
    return {rule: frozenset(entries) for rule, entries in rules.items()}


def decided(gated: Answer) -> list[str]:
    """The clauses that the gate did not leave to the package."""
    rules = [clause.rule for clause in load("validator").clauses]
    return [rule for rule in rules if rule not in gated.report["deferred"]]


def both(launch: Launch, tree: Path, **completion: Any) -> tuple[Answer, Answer]:
    """The gate's answer, and the validator's on the leaf. `completion` changes what the run recorded."""
    write_system(tree, division=launch.division, api=launch.access, **completion.pop("system", {}))
    write_leaf(tree, launch.leaf(), **completion)
    return answer(launch.arguments()), package(tree)
