"""MLPerf Storage rules, checkpointing, edition 4.0.

The facts that clauses read: tables, what is known of a leaf and of its workload, and the declarations of
evidence and launch options. Generated from Rules.md by `clausegate build`; do not edit.
"""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction

from engine.runtime.judge import (
    both,
    divide,
    equals,
    exceeds,
    exists,
    fold,
    look_up,
    otherwise,
    read,
    times,
)
from engine.runtime.ruleset import (
    Division,
    Document,
    FactSpec,
    Launch,
    RuleSet,
    Silent,
    Source,
    Table,
    Tables,
)
from engine.runtime.subject import Subject
from engine.runtime.values import Value

TABLE2: Table = {
    "8B": {
        "recorded_name": "llama3-8b",
        "template_name": "llama_8b",
        "hidden_dimension": 4096,
        "ffn_size": 14336,
        "attention_heads": 32,
        "kv_heads": 8,
        "layers": 32,
        "vocabulary": 128256,
        "tp": 1,
        "pp": 1,
        "dp": 8,
        "total_processes": 8,
        "zero_stage": 3,
        "files": 16,
        "measured_size": Fraction(209409, 2000),
        "checkpoint_size": 105,
        "subset_size": 105,
    },
    "70B": {
        "recorded_name": "llama3-70b",
        "template_name": "llama_70b",
        "hidden_dimension": 8192,
        "ffn_size": 28672,
        "attention_heads": 128,
        "kv_heads": 8,
        "layers": 80,
        "vocabulary": 128256,
        "tp": 8,
        "pp": 1,
        "dp": 8,
        "total_processes": 64,
        "zero_stage": 3,
        "files": 128,
        "measured_size": Fraction(9112121, 10000),
        "checkpoint_size": 912,
    },
    "405B": {
        "recorded_name": "llama3-405b",
        "template_name": "llama_405b",
        "hidden_dimension": 16384,
        "ffn_size": 53248,
        "attention_heads": 128,
        "kv_heads": 8,
        "layers": 126,
        "vocabulary": 128256,
        "tp": 8,
        "pp": 32,
        "dp": 2,
        "total_processes": 512,
        "zero_stage": 1,
        "files": 1544,
        "measured_size": Fraction(52922487, 10000),
        "checkpoint_size": 5290,
    },
    "1T": {
        "recorded_name": "llama3-1t",
        "template_name": "llama_1t",
        "hidden_dimension": 25872,
        "ffn_size": 98304,
        "attention_heads": 192,
        "kv_heads": 32,
        "layers": 128,
        "vocabulary": 128256,
        "tp": 8,
        "pp": 64,
        "dp": 2,
        "total_processes": 1024,
        "zero_stage": 1,
        "files": 2072,
        "measured_size": Fraction(154265893, 10000),
        "checkpoint_size": 18000,
    },
}

ACCELERATOR_TYPES: Table = {
    "b200": {"memory": 180, "offered_in": frozenset({"closed", "open", "whatif"})},
    "mi355": {"memory": 288, "offered_in": frozenset({"closed", "open", "whatif"})},
    "h100": {"memory": 80, "offered_in": frozenset({"whatif"})},
    "a100": {"memory": 80, "offered_in": frozenset({"whatif"})},
}

CHANGEABLE: Table = {
    "Processes per node": {"minimum": 4, "in_closed": True, "in_open": True},
    "Total processes": {"in_closed": False, "in_open": True},
    "Checkpoint folder": {"in_closed": True, "in_open": True},
    "Checkpoints written": {"in_closed": "10 or 0", "in_open": "any"},
    "Checkpoints read": {"in_closed": "10 or 0", "in_open": "any"},
}

CHECKPOINT_OVERRIDES: Table = {
    "checkpoint.checkpoint_folder": {"set_by": "submitter", "access": "any"},
    "checkpoint.num_checkpoints_write": {"set_by": "submitter", "access": "any"},
    "checkpoint.num_checkpoints_read": {"set_by": "submitter", "access": "any"},
    "checkpoint.mode": {"set_by": "tool", "access": "any"},
    "model.parallelism.data": {"set_by": "tool", "access": "any"},
    "storage.storage_type": {"set_by": "tool", "access": "object"},
    "storage.storage_root": {"set_by": "tool", "access": "object"},
    "storage.storage_options.storage_library": {"set_by": "tool", "access": "object"},
    "storage.storage_options.uri_scheme": {"set_by": "tool", "access": "object"},
    "storage.s3_force_path_style": {"set_by": "tool", "access": "object"},
}

TEMPLATE: Table = {
    "framework": {"value": "pytorch"},
    "model.type": {"value": "transformer"},
    "model.model_datatype": {"value": "fp16"},
    "model.optimizer_datatype": {"value": "fp32"},
    "checkpoint.time_between_checkpoints": {"value": 5},
    "checkpoint.fsync": {"value": True},
    "workflow.generate_data": {"value": False},
    "workflow.train": {"value": False},
    "workflow.checkpoint": {"value": True},
}

TEMPLATE_ROWS: Table = {
    "model.name": {"row": "template_name"},
    "model.num_layers": {"row": "layers"},
    "model.parallelism.tensor": {"row": "tp"},
    "model.parallelism.pipeline": {"row": "pp"},
    "model.parallelism.zero_stage": {"row": "zero_stage"},
    "model.transformer.vocab_size": {"row": "vocabulary"},
    "model.transformer.hidden_size": {"row": "hidden_dimension"},
    "model.transformer.ffn_hidden_size": {"row": "ffn_size"},
    "model.transformer.num_attention_heads": {"row": "attention_heads"},
    "model.transformer.num_kv_heads": {"row": "kv_heads"},
}

TABLES: Tables = {
    "table2": TABLE2,
    "accelerator_types": ACCELERATOR_TYPES,
    "changeable": CHANGEABLE,
    "checkpoint_overrides": CHECKPOINT_OVERRIDES,
    "template": TEMPLATE,
    "template_rows": TEMPLATE_ROWS,
}


def derive_full_count(run: Leaf) -> Value:
    """full_count on leaf = table2[model].total_processes

    Rules.md:448
    """
    if run.model is not None:
        return TABLE2[run.model]["total_processes"]
    return look_up(TABLES, "table2", read(run, "model"), "total_processes")


def derive_group_size(run: Leaf) -> Value:
    """group_size on leaf = table2[model].tp * table2[model].pp

    Rules.md:449
    """
    if run.model is not None:
        return TABLE2[run.model]["tp"] * TABLE2[run.model]["pp"]
    return times(
        look_up(TABLES, "table2", read(run, "model"), "tp"),
        look_up(TABLES, "table2", read(run, "model"), "pp"),
    )


def derive_nominal(run: Leaf) -> Value:
    """nominal on leaf = table2[model].checkpoint_size

    Rules.md:450
    """
    if run.model is not None:
        return TABLE2[run.model]["checkpoint_size"]
    return look_up(TABLES, "table2", read(run, "model"), "checkpoint_size")


def derive_accelerator_memory(run: Leaf) -> Value:
    """accelerator_memory on leaf = accelerator_types[accelerator].memory as GiB

    Rules.md:451
    """
    if run.accelerator is not None:
        return ACCELERATOR_TYPES[run.accelerator]["memory"] * Fraction(1953125, 2097152)
    return times(
        look_up(TABLES, "accelerator_types", read(run, "accelerator"), "memory"),
        Fraction(1953125, 2097152),
    )


def derive_accelerators_per_host(run: Leaf) -> Value:
    """accelerators_per_host on leaf = least(s.count for s in slots) otherwise accelerators / hosts

    Rules.md:452
    """
    if run.slots is not None and all(s.count is not None for s in run.slots) and run.slots != ():
        return min(s.count for s in run.slots)
    return otherwise(
        fold("least", read(run, "slots"), lambda s: read(s, "count")),
        divide(read(run, "accelerators"), read(run, "hosts")),
    )


def derive_memory_per_host(run: Leaf) -> Value:
    """memory_per_host on leaf = measured_memory / hosts

    Rules.md:453
    """
    if run.measured_memory is not None and run.hosts is not None and run.hosts != 0:
        return Fraction(run.measured_memory, run.hosts)
    return divide(read(run, "measured_memory"), read(run, "hosts"))


def derive_written_per_host(run: Leaf) -> Value:
    """written_per_host on leaf = written / hosts

    Rules.md:454
    """
    if run.written is not None and run.hosts is not None and run.hosts != 0:
        return Fraction(run.written, run.hosts)
    return divide(read(run, "written"), read(run, "hosts"))


def derive_both_phases(run: Leaf) -> Value:
    """both_phases on leaf = writes > 0 and reads > 0

    Rules.md:455
    """
    if run.writes is not None and run.reads is not None:
        return run.writes > 0 and run.reads > 0
    return both(exceeds(read(run, "writes"), 0), exceeds(read(run, "reads"), 0))


def derive_ran(run: Leaf) -> Value:
    """ran on leaf = command == "run"

    Rules.md:456
    """
    if run.command is not None:
        return run.command == "run"
    return equals(read(run, "command"), "run")


def derive_writes_only(run: Leaf) -> Value:
    """writes_only on leaf = ran and writes > 0 and reads == 0

    Rules.md:457
    """
    if run.ran is False:
        return False
    if run.ran is True and run.writes is not None and run.reads is not None:
        return run.writes > 0 and run.reads == 0
    return both(read(run, "ran"), exceeds(read(run, "writes"), 0), equals(read(run, "reads"), 0))


def derive_reads_only(run: Leaf) -> Value:
    """reads_only on leaf = ran and writes == 0 and reads > 0

    Rules.md:458
    """
    if run.ran is False:
        return False
    if run.ran is True and run.writes is not None and run.reads is not None:
        return run.writes == 0 and run.reads > 0
    return both(read(run, "ran"), equals(read(run, "writes"), 0), exceeds(read(run, "reads"), 0))


def derive_partial(run: Leaf) -> Value:
    """partial on leaf = any(o.key == "checkpoint.mode" and o.value == "subset" for o in overrides)

    Rules.md:459
    """
    if run.overrides is not None and all(o.key is not None and o.value is not None for o in run.overrides):
        return any(o.key == "checkpoint.mode" and o.value == "subset" for o in run.overrides)
    return exists(
        read(run, "overrides"),
        lambda o: both(equals(read(o, "key"), "checkpoint.mode"), equals(read(o, "value"), "subset")),
    )


def derive_subset(run: Leaf) -> Value:
    """subset on leaf = claim otherwise requested == "closed" and partial and accelerators == 8

    Rules.md:461
    """
    if run.claim is not None:
        return run.claim
    return otherwise(
        read(run, "claim"),
        both(
            equals(read(run, "requested"), "closed"),
            read(run, "partial"),
            equals(read(run, "accelerators"), 8),
        ),
    )


def derive_began(run: Leaf) -> Value:
    """began on leaf = invocation_start otherwise summary_start

    Rules.md:462
    """
    if run.invocation_start is not None:
        return run.invocation_start
    return otherwise(read(run, "invocation_start"), read(run, "summary_start"))


def derive_ended(run: Leaf) -> Value:
    """ended on leaf = invocation_end otherwise snapshot_end otherwise summary_end

    Rules.md:463
    """
    if run.invocation_end is not None:
        return run.invocation_end
    return otherwise(read(run, "invocation_end"), read(run, "snapshot_end"), read(run, "summary_end"))


class SlotsElement(Subject):
    """One element of slots. An attribute is None while its fact is not known."""

    __slots__ = ("count",)
    count: int  # processes on this host


class OverridesElement(Subject):
    """One element of overrides. An attribute is None while its fact is not known."""

    __slots__ = ("key", "value")
    key: str  # the dotted name of the parameter
    value: object  # what it was set to


class ParametersElement(Subject):
    """One element of parameters. An attribute is None while its fact is not known."""

    __slots__ = ("key", "value")
    key: str  # the dotted name of the parameter
    value: object  # the value that ran


class Leaf(Subject):
    """What is known of a leaf. An attribute is None while its fact is not known."""

    __slots__ = (
        "stage", "requested", "command", "access", "arguments", "claim", "model", "verification",
        "processes", "accelerators", "hosts", "named_hosts", "collected_hosts", "slots", "accelerator",
        "declared_memory", "seen_memory", "measured_memory", "collected_memory", "planned", "written",
        "writes", "reads", "write_rate", "write_duration", "read_rate", "read_duration", "fsync",
        "checkpoint_folder", "results_folder", "same_filesystem", "overrides", "parameters",
        "invocation_start", "invocation_end", "snapshot_end", "summary_start", "summary_end", "full_count",
        "group_size", "nominal", "accelerator_memory", "accelerators_per_host", "memory_per_host",
        "written_per_host", "both_phases", "ran", "writes_only", "reads_only", "partial", "subset", "began",
        "ended",
    )
    stage: str  # whether a launch or a finished package is judged
    requested: str  # the division that the run is asked for
    command: str  # the verb that the tool was started with
    access: str  # how the client reaches the storage
    arguments: bool  # the arguments of the run were recorded
    claim: bool  # the run declares itself a subset run
    model: str  # the model whose checkpoint is written and read
    verification: str  # the category that the tool itself recorded as earned
    processes: int  # MPI processes in all
    accelerators: int  # simulated accelerators in all, one a process
    hosts: int  # client hosts
    named_hosts: int  # client hosts as the arguments name them
    collected_hosts: int  # client hosts as the cluster collector saw them
    slots: tuple[SlotsElement, ...]  # processes of each host, where the launcher's host list fixes them
    accelerator: str  # the accelerator that is simulated
    declared_memory: int | Fraction  # GiB: memory of one client host as the submitter declared it
    seen_memory: int | Fraction  # GiB: memory of the host that the launcher runs on
    measured_memory: int | Fraction  # GiB: memory of all client hosts together as measured; only the sum of the recorded list is right
    collected_memory: int | Fraction  # bytes: memory of all client hosts together as the cluster collector saw it
    planned: int | Fraction  # GiB: size of one checkpoint by the layout of the ranks
    written: int | Fraction  # GiB: size of one checkpoint as the run recorded it
    writes: int  # checkpoints that this invocation writes; an override wins over the template's value
    reads: int  # checkpoints that this invocation reads; an override wins over the template's value
    write_rate: int | Fraction  # GiB a second at which checkpoints were written, the mean of them
    write_duration: int | Fraction  # s: seconds that one checkpoint took to be written, the mean of them
    read_rate: int | Fraction  # GiB a second at which checkpoints were read, the mean of them
    read_duration: int | Fraction  # s: seconds that one checkpoint took to be read, the mean of them
    fsync: bool  # fsync is on in the recorded configuration
    checkpoint_folder: str  # where checkpoints are written and read
    results_folder: str  # where logs and results are written
    same_filesystem: bool  # checkpoint folder and results folder stand on one filesystem
    overrides: tuple[OverridesElement, ...]  # parameters that were set over the template, by the submitter or the tool
    parameters: tuple[ParametersElement, ...]  # the configuration that ran
    invocation_start: datetime  # when the command was started
    invocation_end: datetime  # when the command had ended
    snapshot_end: datetime  # when the collector looked last
    summary_start: datetime  # when the workload started
    summary_end: datetime  # when the workload ended
    full_count: int | Fraction  # derived, line 448
    group_size: int | Fraction  # derived, line 449
    nominal: int | Fraction  # derived, line 450
    accelerator_memory: int | Fraction  # derived, line 451
    accelerators_per_host: int | Fraction  # derived, line 452
    memory_per_host: int | Fraction  # derived, line 453
    written_per_host: int | Fraction  # derived, line 454
    both_phases: bool  # derived, line 455
    ran: bool  # derived, line 456
    writes_only: bool  # derived, line 457
    reads_only: bool  # derived, line 458
    partial: bool  # derived, line 459
    subset: bool  # derived, line 461
    began: datetime  # derived, line 462
    ended: datetime  # derived, line 463
    DERIVED = {
        "full_count": derive_full_count,
        "group_size": derive_group_size,
        "nominal": derive_nominal,
        "accelerator_memory": derive_accelerator_memory,
        "accelerators_per_host": derive_accelerators_per_host,
        "memory_per_host": derive_memory_per_host,
        "written_per_host": derive_written_per_host,
        "both_phases": derive_both_phases,
        "ran": derive_ran,
        "writes_only": derive_writes_only,
        "reads_only": derive_reads_only,
        "partial": derive_partial,
        "subset": derive_subset,
        "began": derive_began,
        "ended": derive_ended,
    }
    ELEMENTS = {"slots": SlotsElement, "overrides": OverridesElement, "parameters": ParametersElement}


class Workload(Subject):
    """What is known of a workload. An attribute is None while its fact is not known."""

    __slots__ = ("runs", "multi_host", "simultaneous_write", "simultaneous_read", "remap_time")
    runs: tuple[Leaf, ...]  # the run leaves of the workload by their start; datasize and datagen leaves are none
    multi_host: bool  # the system serves several hosts
    simultaneous_write: bool  # several hosts can write at once
    simultaneous_read: bool  # several hosts can read at once
    remap_time: int | Fraction  # s: seconds that the system needs to hand its data to other hosts
    ELEMENTS = {"runs": Leaf}


SUBJECTS = {"leaf": Leaf, "workload": Workload}

FACTS: tuple[FactSpec, ...] = (
    FactSpec(
        name="stage",
        type="enum",
        scope="leaf",
        meaning="whether a launch or a finished package is judged",
        members={"launch": (), "package": ()},
        launch=Launch(constant="launch"),
        package=(Source(text="constant:package", document="constant", path=("package",)),),
        line=62,
    ),
    FactSpec(
        name="requested",
        type="enum",
        scope="leaf",
        meaning="the division that the run is asked for",
        members={"closed": (), "open": (), "whatif": ("what_if", "what-if")},
        launch=Launch(argument="division"),
        package=(
            Source(text="folder:division", document="folder", path=("division",)),
            Source(text="metadata:args.mode", document="metadata", path=("args", "mode")),
            Source(text="flag(metadata:args)", document="metadata", path=("args",), reader="flag"),
        ),
        agree=True,
        line=69,
    ),
    FactSpec(
        name="command",
        type="enum",
        scope="leaf",
        meaning="the verb that the tool was started with",
        members={"run": (), "datasize": (), "datagen": (), "configview": ()},
        launch=Launch(argument="command"),
        package=(
            Source(text="metadata:command", document="metadata", path=("command",)),
            Source(text="metadata:args.command", document="metadata", path=("args", "command")),
        ),
        agree=True,
        line=77,
    ),
    FactSpec(
        name="access",
        type="enum",
        scope="leaf",
        meaning="how the client reaches the storage",
        members={"file": ("posix",), "object": ("s3",)},
        launch=Launch(argument="access", files="file"),
        package=(
            Source(
                text="metadata:args.data_access_protocol",
                document="metadata",
                path=("args", "data_access_protocol"),
            ),
        ),
        line=85,
    ),
    FactSpec(
        name="arguments",
        type="bool",
        scope="leaf",
        meaning="the arguments of the run were recorded",
        launch=Launch(constant="yes"),
        package=(
            Source(text="present(metadata:args)", document="metadata", path=("args",), reader="present"),
        ),
        line=92,
    ),
    FactSpec(
        name="claim",
        type="bool",
        scope="leaf",
        meaning="the run declares itself a subset run",
        launch=Launch(option="--checkpoint-subset", commands=("run",)),
        package=(
            Source(
                text="metadata:args.checkpoint_subset",
                document="metadata",
                path=("args", "checkpoint_subset"),
            ),
        ),
        line=98,
    ),
    FactSpec(
        name="model",
        type="enum",
        scope="leaf",
        meaning="the model whose checkpoint is written and read",
        members={
            "8B": ("llama3-8b", "llama3_8b", "llama_8b"),
            "70B": ("llama3-70b", "llama3_70b", "llama_70b"),
            "405B": ("llama3-405b", "llama3_405b", "llama_405b"),
            "1T": (
                "llama3-1t", "llama3_1t", "llama_1t", "llama3-1250b", "llama3_1250b", "llama_1250b",
                "1250B",
            ),
        },
        role="model",
        launch=Launch(
            option="--model",
            required=("run", "datasize", "configview"),
            alias=("-m",),
            group="run",
            change="never",
        ),
        package=(
            Source(text="metadata:args.model", document="metadata", path=("args", "model")),
            Source(text="metadata:model", document="metadata", path=("model",)),
            Source(text="folder:workload", document="folder", path=("workload",)),
        ),
        agree=True,
        line=104,
    ),
    FactSpec(
        name="verification",
        type="enum",
        scope="leaf",
        meaning="the category that the tool itself recorded as earned",
        members={"CLOSED": (), "OPEN": (), "INVALID": ()},
        package=(Source(text="metadata:verification", document="metadata", path=("verification",)),),
        line=117,
    ),
    FactSpec(
        name="processes",
        type="integer",
        scope="leaf",
        meaning="MPI processes in all",
        role="processes",
        launch=Launch(
            option="--num-processes",
            required=("run", "datasize", "configview"),
            alias=("-np",),
            group="size",
            change="easy",
        ),
        package=(
            Source(text="metadata:args.num_processes", document="metadata", path=("args", "num_processes")),
            Source(text="metadata:num_processes", document="metadata", path=("num_processes",)),
        ),
        agree=True,
        line=133,
    ),
    FactSpec(
        name="accelerators",
        type="integer",
        scope="leaf",
        meaning="simulated accelerators in all, one a process",
        launch=Launch(option="--num-processes"),
        package=(Source(text="summary:num_accelerators", document="summary", path=("num_accelerators",)),),
        line=143,
    ),
    FactSpec(
        name="hosts",
        type="integer",
        scope="leaf",
        meaning="client hosts",
        role="hosts",
        launch=Launch(
            option="--hosts",
            reader="hosts",
            default="localhost",
            alias=("-s",),
            group="where",
            change="hard",
        ),
        package=(Source(text="summary:num_hosts", document="summary", path=("num_hosts",)),),
        line=152,
    ),
    FactSpec(
        name="named_hosts",
        type="integer",
        scope="leaf",
        meaning="client hosts as the arguments name them",
        package=(
            Source(
                text="hosts(metadata:args.hosts)",
                document="metadata",
                path=("args", "hosts"),
                reader="hosts",
            ),
        ),
        line=162,
    ),
    FactSpec(
        name="collected_hosts",
        type="integer",
        scope="leaf",
        meaning="client hosts as the cluster collector saw them",
        package=(
            Source(
                text="metadata:system_info.num_hosts",
                document="metadata",
                path=("system_info", "num_hosts"),
            ),
        ),
        line=168,
    ),
    FactSpec(
        name="slots",
        type="list",
        scope="leaf",
        meaning="processes of each host, where the launcher's host list fixes them",
        launch=Launch(option="--hosts", reader="slots"),
        package=(
            Source(
                text="slots(metadata:executed_command)",
                document="metadata",
                path=("executed_command",),
                reader="slots",
            ),
        ),
        fields=(
            FactSpec(
                name="count",
                type="integer",
                scope="leaf",
                meaning="processes on this host",
                line=180,
            ),
        ),
        line=175,
    ),
    FactSpec(
        name="accelerator",
        type="enum",
        scope="leaf",
        meaning="the accelerator that is simulated",
        members={"b200": (), "mi355": ("mi355x",), "h100": (), "a100": ()},
        launch=Launch(
            option="--accelerator-type",
            required=("run", "configview"),
            offered={
                "b200": ("closed", "open", "whatif"),
                "mi355": ("closed", "open", "whatif"),
                "h100": ("whatif",),
                "a100": ("whatif",),
            },
        ),
        package=(
            Source(text="metadata:accelerator", document="metadata", path=("accelerator",)),
            Source(
                text="metadata:args.accelerator_type",
                document="metadata",
                path=("args", "accelerator_type"),
            ),
        ),
        agree=True,
        missing=(("3.0", "note"), (None, "error")),
        line=184,
    ),
    FactSpec(
        name="declared_memory",
        type="number",
        scope="leaf",
        meaning="memory of one client host as the submitter declared it",
        unit="GiB",
        role="memory",
        launch=Launch(
            option="--client-host-memory-in-gb",
            required=("run", "datasize", "configview"),
            alias=("-cm",),
            group="where",
            change="hard",
        ),
        package=(
            Source(
                text="metadata:args.client_host_memory_in_gb",
                document="metadata",
                path=("args", "client_host_memory_in_gb"),
            ),
        ),
        line=193,
    ),
    FactSpec(
        name="seen_memory",
        type="number",
        scope="leaf",
        meaning="memory of the host that the launcher runs on",
        unit="GiB",
        launch=Launch(probe="host_memory"),
        line=201,
    ),
    FactSpec(
        name="measured_memory",
        type="number",
        scope="leaf",
        meaning="memory of all client hosts together as measured; only the sum of the recorded list is right",
        unit="GiB",
        package=(
            Source(
                text="sum(summary:host_memory_GB)",
                document="summary",
                path=("host_memory_GB",),
                reader="sum",
            ),
        ),
        line=206,
    ),
    FactSpec(
        name="collected_memory",
        type="number",
        scope="leaf",
        meaning="memory of all client hosts together as the cluster collector saw it",
        unit="bytes",
        package=(
            Source(
                text="metadata:system_info.total_memory_bytes",
                document="metadata",
                path=("system_info", "total_memory_bytes"),
            ),
        ),
        line=212,
    ),
    FactSpec(
        name="planned",
        type="number",
        scope="leaf",
        meaning="size of one checkpoint by the layout of the ranks",
        unit="GiB",
        launch=Launch(derived="layout"),
        line=231,
    ),
    FactSpec(
        name="written",
        type="number",
        scope="leaf",
        meaning="size of one checkpoint as the run recorded it",
        unit="GiB",
        package=(
            Source(
                text="summary:metric.checkpoint_size_GB",
                document="summary",
                path=("metric", "checkpoint_size_GB"),
            ),
        ),
        line=236,
    ),
    FactSpec(
        name="writes",
        type="integer",
        scope="leaf",
        meaning="checkpoints that this invocation writes; an override wins over the template's value",
        role="writes",
        launch=Launch(
            option="--num-checkpoints-write",
            default="10",
            alias=("-ncw",),
            group="size",
            change="easy",
        ),
        package=(
            Source(
                text='metadata:override_parameters["checkpoint.num_checkpoints_write"]',
                document="metadata",
                path=("override_parameters", "checkpoint.num_checkpoints_write"),
            ),
            Source(
                text="metadata:args.num_checkpoints_write",
                document="metadata",
                path=("args", "num_checkpoints_write"),
            ),
            Source(
                text="metadata:parameters.checkpoint.num_checkpoints_write",
                document="metadata",
                path=("parameters", "checkpoint", "num_checkpoints_write"),
            ),
        ),
        line=243,
    ),
    FactSpec(
        name="reads",
        type="integer",
        scope="leaf",
        meaning="checkpoints that this invocation reads; an override wins over the template's value",
        role="reads",
        launch=Launch(
            option="--num-checkpoints-read",
            default="10",
            alias=("-ncr",),
            group="size",
            change="easy",
        ),
        package=(
            Source(
                text='metadata:override_parameters["checkpoint.num_checkpoints_read"]',
                document="metadata",
                path=("override_parameters", "checkpoint.num_checkpoints_read"),
            ),
            Source(
                text="metadata:args.num_checkpoints_read",
                document="metadata",
                path=("args", "num_checkpoints_read"),
            ),
            Source(
                text="metadata:parameters.checkpoint.num_checkpoints_read",
                document="metadata",
                path=("parameters", "checkpoint", "num_checkpoints_read"),
            ),
        ),
        line=255,
    ),
    FactSpec(
        name="write_rate",
        type="number",
        scope="leaf",
        meaning="GiB a second at which checkpoints were written, the mean of them",
        package=(
            Source(
                text="summary:metric.save_checkpoint_io_mean_GB_per_second",
                document="summary",
                path=("metric", "save_checkpoint_io_mean_GB_per_second"),
            ),
        ),
        line=267,
    ),
    FactSpec(
        name="write_duration",
        type="number",
        scope="leaf",
        meaning="seconds that one checkpoint took to be written, the mean of them",
        unit="s",
        package=(
            Source(
                text="summary:metric.save_checkpoint_duration_mean_seconds",
                document="summary",
                path=("metric", "save_checkpoint_duration_mean_seconds"),
            ),
        ),
        line=274,
    ),
    FactSpec(
        name="read_rate",
        type="number",
        scope="leaf",
        meaning="GiB a second at which checkpoints were read, the mean of them",
        package=(
            Source(
                text="summary:metric.load_checkpoint_io_mean_GB_per_second",
                document="summary",
                path=("metric", "load_checkpoint_io_mean_GB_per_second"),
            ),
        ),
        line=281,
    ),
    FactSpec(
        name="read_duration",
        type="number",
        scope="leaf",
        meaning="seconds that one checkpoint took to be read, the mean of them",
        unit="s",
        package=(
            Source(
                text="summary:metric.load_checkpoint_duration_mean_seconds",
                document="summary",
                path=("metric", "load_checkpoint_duration_mean_seconds"),
            ),
        ),
        line=288,
    ),
    FactSpec(
        name="fsync",
        type="bool",
        scope="leaf",
        meaning="fsync is on in the recorded configuration",
        package=(
            Source(
                text="metadata:parameters.checkpoint.fsync",
                document="metadata",
                path=("parameters", "checkpoint", "fsync"),
            ),
        ),
        line=295,
    ),
    FactSpec(
        name="checkpoint_folder",
        type="path",
        scope="leaf",
        meaning="where checkpoints are written and read",
        launch=Launch(
            option="--checkpoint-folder",
            environment="MLPSTORAGE_CHECKPOINT_FOLDER",
            alias=("-cf",),
            group="where",
        ),
        package=(
            Source(
                text="metadata:args.checkpoint_folder",
                document="metadata",
                path=("args", "checkpoint_folder"),
            ),
        ),
        line=300,
    ),
    FactSpec(
        name="results_folder",
        type="path",
        scope="leaf",
        meaning="where logs and results are written",
        role="results",
        launch=Launch(
            option="--results-dir",
            environment="MLPSTORAGE_RESULTS_DIR",
            alias=("-rd",),
            group="where",
        ),
        package=(
            Source(text="metadata:args.results_dir", document="metadata", path=("args", "results_dir")),
        ),
        line=306,
    ),
    FactSpec(
        name="same_filesystem",
        type="bool",
        scope="leaf",
        meaning="checkpoint folder and results folder stand on one filesystem",
        launch=Launch(probe="same_filesystem"),
        package=(
            Source(text="separation:same_filesystem", document="separation", path=("same_filesystem",)),
            Source(
                text="mounts(stdout:; metadata:args.checkpoint_folder; metadata:args.results_dir)",
                document="stdout",
                path=(),
                reader="mounts",
                more=(
                    Source(
                        text="metadata:args.checkpoint_folder",
                        document="metadata",
                        path=("args", "checkpoint_folder"),
                    ),
                    Source(
                        text="metadata:args.results_dir",
                        document="metadata",
                        path=("args", "results_dir"),
                    ),
                ),
            ),
        ),
        missing=(("3.0", "warning"), (None, "error")),
        line=313,
    ),
    FactSpec(
        name="overrides",
        type="list",
        scope="leaf",
        meaning="parameters that were set over the template, by the submitter or the tool",
        launch=Launch(option="--params", reader="entries", divisions=("open", "whatif"), alias=("-p",)),
        package=(
            Source(
                text="entries(metadata:override_parameters; metadata:args.params)",
                document="metadata",
                path=("override_parameters",),
                reader="entries",
                more=(Source(text="metadata:args.params", document="metadata", path=("args", "params")),),
            ),
        ),
        fields=(
            FactSpec(
                name="key",
                type="text",
                scope="leaf",
                meaning="the dotted name of the parameter",
                line=327,
            ),
            FactSpec(name="value", type="any", scope="leaf", meaning="what it was set to", line=328),
        ),
        line=322,
    ),
    FactSpec(
        name="parameters",
        type="list",
        scope="leaf",
        meaning="the configuration that ran",
        package=(
            Source(
                text="entries(metadata:parameters)",
                document="metadata",
                path=("parameters",),
                reader="entries",
            ),
        ),
        fields=(
            FactSpec(
                name="key",
                type="text",
                scope="leaf",
                meaning="the dotted name of the parameter",
                line=336,
            ),
            FactSpec(name="value", type="any", scope="leaf", meaning="the value that ran", line=337),
        ),
        line=331,
    ),
    FactSpec(
        name="invocation_start",
        type="time",
        scope="leaf",
        meaning="when the command was started",
        package=(
            Source(
                text="metadata:invocation_start_time",
                document="metadata",
                path=("invocation_start_time",),
            ),
        ),
        line=348,
    ),
    FactSpec(
        name="invocation_end",
        type="time",
        scope="leaf",
        meaning="when the command had ended",
        package=(
            Source(text="metadata:invocation_end_time", document="metadata", path=("invocation_end_time",)),
        ),
        line=353,
    ),
    FactSpec(
        name="snapshot_end",
        type="time",
        scope="leaf",
        meaning="when the collector looked last",
        package=(
            Source(
                text="local_time(metadata:cluster_snapshots.end; metadata:cluster_snapshots.start; metadata:invocation_start_time)",
                document="metadata",
                path=("cluster_snapshots", "end"),
                reader="local_time",
                more=(
                    Source(
                        text="metadata:cluster_snapshots.start",
                        document="metadata",
                        path=("cluster_snapshots", "start"),
                    ),
                    Source(
                        text="metadata:invocation_start_time",
                        document="metadata",
                        path=("invocation_start_time",),
                    ),
                ),
            ),
        ),
        line=359,
    ),
    FactSpec(
        name="summary_start",
        type="time",
        scope="leaf",
        meaning="when the workload started",
        package=(
            Source(text="summary:start", document="summary", path=("start",)),
            Source(text="summary:start_time", document="summary", path=("start_time",)),
        ),
        line=364,
    ),
    FactSpec(
        name="summary_end",
        type="time",
        scope="leaf",
        meaning="when the workload ended",
        package=(
            Source(text="summary:end", document="summary", path=("end",)),
            Source(text="summary:end_time", document="summary", path=("end_time",)),
        ),
        line=369,
    ),
    FactSpec(
        name="runs",
        type="list",
        scope="workload",
        meaning="the run leaves of the workload by their start; datasize and datagen leaves are none",
        package=(Source(text="tree:runs", document="tree", path=("runs",)),),
        line=380,
    ),
    FactSpec(
        name="multi_host",
        type="bool",
        scope="workload",
        meaning="the system serves several hosts",
        package=(
            Source(
                text="system:system_under_test.solution.capabilities.multi_host",
                document="system",
                path=("system_under_test", "solution", "capabilities", "multi_host"),
            ),
            Source(
                text="system:system_under_test.solution.capabilities.multi_host_support",
                document="system",
                path=("system_under_test", "solution", "capabilities", "multi_host_support"),
            ),
        ),
        no_source="note",
        line=386,
    ),
    FactSpec(
        name="simultaneous_write",
        type="bool",
        scope="workload",
        meaning="several hosts can write at once",
        package=(
            Source(
                text="system:system_under_test.solution.capabilities.simultaneous_write",
                document="system",
                path=("system_under_test", "solution", "capabilities", "simultaneous_write"),
            ),
            Source(
                text="system:system_under_test.solution.capabilities.simultaneous_write_support",
                document="system",
                path=("system_under_test", "solution", "capabilities", "simultaneous_write_support"),
            ),
        ),
        no_source="note",
        line=396,
    ),
    FactSpec(
        name="simultaneous_read",
        type="bool",
        scope="workload",
        meaning="several hosts can read at once",
        package=(
            Source(
                text="system:system_under_test.solution.capabilities.simultaneous_read",
                document="system",
                path=("system_under_test", "solution", "capabilities", "simultaneous_read"),
            ),
            Source(
                text="system:system_under_test.solution.capabilities.simultaneous_read_support",
                document="system",
                path=("system_under_test", "solution", "capabilities", "simultaneous_read_support"),
            ),
            Source(
                text="system:system_under_test.solution.capabilities.simultaneous_read__support",
                document="system",
                path=("system_under_test", "solution", "capabilities", "simultaneous_read__support"),
            ),
        ),
        no_source="note",
        line=406,
    ),
    FactSpec(
        name="remap_time",
        type="number",
        scope="workload",
        meaning="seconds that the system needs to hand its data to other hosts",
        unit="s",
        package=(
            Source(
                text="system:system_under_test.solution.capabilities.remap_time_in_seconds",
                document="system",
                path=("system_under_test", "solution", "capabilities", "remap_time_in_seconds"),
            ),
        ),
        no_source="note",
        line=417,
    ),
)

DOCUMENTS: tuple[Document, ...] = (
    Document(
        name="metadata",
        scope="leaf",
        file="{family}_*_metadata.json",
        format="json",
        renamed={
            "parameters": ("combined_params",),
            "override_parameters": ("params_dict",),
            "benchmark_type": ("program",),
        },
        line=31,
    ),
    Document(name="summary", scope="leaf", file="*summary.json", format="json", renamed={}, line=37),
    Document(
        name="separation",
        scope="leaf",
        file="fs_separation.json",
        format="json",
        renamed={},
        line=39,
    ),
    Document(
        name="stdout",
        scope="leaf",
        file="{family}_run.stdout.log",
        format="text",
        renamed={},
        line=41,
    ),
    Document(
        name="system",
        scope="system",
        file="systems/{system}.yaml",
        format="yaml",
        renamed={},
        line=44,
    ),
)

COMMON = RuleSet(
    title="MLPerf Storage rules, checkpointing",
    edition="4.0",
    editions=("0.5", "1.0", "2.0", "3.0", "4.0"),
    digest="sha256:b5c0db710c647687c66cf8cb0ab7753bced53b6f2dc1b957b386fcffb05787fa",
    role="",
    families={"4": "checkpointing"},
    facts=FACTS,
    documents=DOCUMENTS,
    tables=TABLES,
    subjects=SUBJECTS,
    clauses=(),
    conflicts=(),
    units={
        "declared_memory": "GiB",
        "seen_memory": "GiB",
        "measured_memory": "GiB",
        "collected_memory": "bytes",
        "planned": "GiB",
        "written": "GiB",
        "write_duration": "s",
        "read_duration": "s",
        "remap_time": "s",
        "nominal": "GiB",
        "accelerator_memory": "GiB",
        "memory_per_host": "GiB",
        "written_per_host": "GiB",
    },
    divisions=(
        Division(name="closed", category="CLOSED", rank=2),
        Division(name="open", category="OPEN", rank=1),
        Division(name="whatif", advice=True),
    ),
    commands={
        "checkpointing": {"datasize": "size", "run": "start", "configview": "show", "datagen": "prepare"},
    },
    silent=(
        Silent(
            rule="4.3.6",
            name="checkpointResultAggregation",
            kind="informative",
            why="says how published figures are computed; a run cannot break it",
        ),
        Silent(
            rule="4.7.2",
            name="checkpointTotalTestDuration",
            kind="informative",
            why="defines a duration; nothing compares it",
        ),
    ),
    absent=("1", "2", "3", "4.5"),
)
