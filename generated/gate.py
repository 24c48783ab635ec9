"""MLPerf Storage rules, checkpointing: gate of edition 4.0.

The launch gate: every clause of which a run can break something before it starts.
Generated from Rules.md by `clausegate build`; do not edit. Each function cites its line there.
"""

from __future__ import annotations

from fractions import Fraction


from engine.runtime.ruleset import (
    Clause,
    Document,
    FactSpec,
    Launch,
    Outcome,
    RuleSet,
    Source,
    Statement,
    Tables,
)
from engine.runtime.judge import (
    among,
    both,
    differs,
    divide,
    either,
    equals,
    exceeds,
    exists,
    fold,
    judge,
    judge_each,
    judge_pairs,
    listed,
    look_up,
    minus,
    modulo,
    negate,
    otherwise,
    reaches,
    read,
    recorded,
    tally,
    times,
)
from engine.runtime.values import Facts, Value

TABLES: Tables = {
    "table2": {
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
    },
    "accelerator_types": {
        "b200": {"memory": 180, "offered_in": frozenset({"closed", "open", "whatif"})},
        "mi355": {"memory": 288, "offered_in": frozenset({"closed", "open", "whatif"})},
        "h100": {"memory": 80, "offered_in": frozenset({"whatif"})},
        "a100": {"memory": 80, "offered_in": frozenset({"whatif"})},
    },
    "changeable": {
        "Processes per node": {"minimum": 4, "in_closed": True, "in_open": True},
        "Total processes": {"in_closed": False, "in_open": True},
        "Checkpoint folder": {"in_closed": True, "in_open": True},
        "Checkpoints written": {"in_closed": "10 or 0", "in_open": "any"},
        "Checkpoints read": {"in_closed": "10 or 0", "in_open": "any"},
    },
    "checkpoint_overrides": {
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
    },
    "template": {
        "framework": {"value": "pytorch"},
        "model.type": {"value": "transformer"},
        "model.model_datatype": {"value": "fp16"},
        "model.optimizer_datatype": {"value": "fp32"},
        "checkpoint.time_between_checkpoints": {"value": 5},
        "checkpoint.fsync": {"value": True},
        "workflow.generate_data": {"value": False},
        "workflow.train": {"value": False},
        "workflow.checkpoint": {"value": True},
    },
    "template_rows": {
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
    },
}

FACTS: tuple[FactSpec, ...] = (
    FactSpec(
        name="stage",
        type="enum",
        scope="leaf",
        meaning="whether a launch or a finished package is judged",
        members={"launch": (), "package": ()},
        launch=Launch(constant="launch"),
        package=(Source(text="constant:package", document="constant", path=("package",)),),
        line=53,
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
        line=60,
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
        line=68,
    ),
    FactSpec(
        name="access",
        type="enum",
        scope="leaf",
        meaning="how the client reaches the storage",
        members={"file": (), "object": ()},
        launch=Launch(argument="access"),
        package=(
            Source(
                text="metadata:args.data_access_protocol",
                document="metadata",
                path=("args", "data_access_protocol"),
            ),
        ),
        line=76,
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
        line=83,
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
        line=89,
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
                "llama3-1t",
                "llama3_1t",
                "llama_1t",
                "llama3-1250b",
                "llama3_1250b",
                "llama_1250b",
                "1250B",
            ),
        },
        launch=Launch(option="--model", required=("run", "datasize", "configview")),
        package=(
            Source(text="metadata:args.model", document="metadata", path=("args", "model")),
            Source(text="metadata:model", document="metadata", path=("model",)),
            Source(text="folder:workload", document="folder", path=("workload",)),
        ),
        agree=True,
        line=95,
    ),
    FactSpec(
        name="verification",
        type="enum",
        scope="leaf",
        meaning="the category that the tool itself recorded as earned",
        members={"CLOSED": (), "OPEN": (), "INVALID": ()},
        package=(Source(text="metadata:verification", document="metadata", path=("verification",)),),
        line=107,
    ),
    FactSpec(
        name="processes",
        type="integer",
        scope="leaf",
        meaning="MPI processes in all",
        launch=Launch(option="--num-processes", required=("run", "datasize", "configview")),
        package=(
            Source(text="metadata:args.num_processes", document="metadata", path=("args", "num_processes")),
            Source(text="metadata:num_processes", document="metadata", path=("num_processes",)),
        ),
        agree=True,
        line=123,
    ),
    FactSpec(
        name="accelerators",
        type="integer",
        scope="leaf",
        meaning="simulated accelerators in all, one a process",
        launch=Launch(option="--num-processes"),
        package=(Source(text="summary:num_accelerators", document="summary", path=("num_accelerators",)),),
        line=131,
    ),
    FactSpec(
        name="hosts",
        type="integer",
        scope="leaf",
        meaning="client hosts",
        launch=Launch(option="--hosts", reader="hosts", default="localhost"),
        package=(Source(text="summary:num_hosts", document="summary", path=("num_hosts",)),),
        line=139,
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
        line=147,
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
        line=153,
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
                line=164,
            ),
        ),
        line=159,
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
        line=167,
    ),
    FactSpec(
        name="declared_memory",
        type="number",
        scope="leaf",
        meaning="memory of one client host as the submitter declared it",
        unit="GiB",
        launch=Launch(option="--client-host-memory-in-gb", required=("run", "datasize", "configview")),
        package=(
            Source(
                text="metadata:args.client_host_memory_in_gb",
                document="metadata",
                path=("args", "client_host_memory_in_gb"),
            ),
        ),
        line=176,
    ),
    FactSpec(
        name="seen_memory",
        type="number",
        scope="leaf",
        meaning="memory of the host that the launcher runs on",
        unit="GiB",
        launch=Launch(probe="host_memory"),
        line=182,
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
        line=187,
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
        line=192,
    ),
    FactSpec(
        name="planned",
        type="number",
        scope="leaf",
        meaning="size of one checkpoint by the layout of the ranks",
        unit="GiB",
        launch=Launch(derived="layout"),
        line=207,
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
        line=212,
    ),
    FactSpec(
        name="writes",
        type="integer",
        scope="leaf",
        meaning="checkpoints that this invocation writes; an override wins over the template's value",
        launch=Launch(option="--num-checkpoints-write", default="10"),
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
        line=217,
    ),
    FactSpec(
        name="reads",
        type="integer",
        scope="leaf",
        meaning="checkpoints that this invocation reads; an override wins over the template's value",
        launch=Launch(option="--num-checkpoints-read", default="10"),
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
        line=227,
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
        line=237,
    ),
    FactSpec(
        name="checkpoint_folder",
        type="path",
        scope="leaf",
        meaning="where checkpoints are written and read",
        launch=Launch(option="--checkpoint-folder", environment="MLPSTORAGE_CHECKPOINT_FOLDER"),
        package=(
            Source(
                text="metadata:args.checkpoint_folder",
                document="metadata",
                path=("args", "checkpoint_folder"),
            ),
        ),
        line=242,
    ),
    FactSpec(
        name="results_folder",
        type="path",
        scope="leaf",
        meaning="where logs and results are written",
        launch=Launch(option="--results-dir", environment="MLPSTORAGE_RESULTS_DIR"),
        package=(
            Source(text="metadata:args.results_dir", document="metadata", path=("args", "results_dir")),
        ),
        line=248,
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
        line=254,
    ),
    FactSpec(
        name="overrides",
        type="list",
        scope="leaf",
        meaning="parameters that were set over the template, by the submitter or the tool",
        launch=Launch(option="--params", reader="entries", divisions=("open", "whatif")),
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
                line=268,
            ),
            FactSpec(name="value", type="any", scope="leaf", meaning="what it was set to", line=269),
        ),
        line=263,
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
                line=277,
            ),
            FactSpec(name="value", type="any", scope="leaf", meaning="the value that ran", line=278),
        ),
        line=272,
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
        line=288,
    ),
    FactSpec(
        name="invocation_end",
        type="time",
        scope="leaf",
        meaning="when the command had ended",
        package=(
            Source(text="metadata:invocation_end_time", document="metadata", path=("invocation_end_time",)),
        ),
        line=293,
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
        line=298,
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
        line=303,
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
        line=308,
    ),
    FactSpec(
        name="runs",
        type="list",
        scope="workload",
        meaning="the run leaves of the workload by their start; datasize and datagen leaves are none",
        package=(Source(text="tree:runs", document="tree", path=("runs",)),),
        line=318,
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
        line=324,
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
        line=334,
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
        line=344,
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
        line=355,
    ),
)

DOCUMENTS: tuple[Document, ...] = ()


def derive_leaf(facts: Facts) -> Facts:
    """The facts of a leaf with those that follow from them."""
    known: dict[str, Value] = {**facts}
    if "full_count" not in known:  # Rules.md line 385
        known["full_count"] = look_up(TABLES, "table2", read(known, "model"), "total_processes")
    if "group_size" not in known:  # Rules.md line 386
        known["group_size"] = times(
            look_up(TABLES, "table2", read(known, "model"), "tp"),
            look_up(TABLES, "table2", read(known, "model"), "pp"),
        )
    if "nominal" not in known:  # Rules.md line 387
        known["nominal"] = look_up(TABLES, "table2", read(known, "model"), "checkpoint_size")
    if "accelerator_memory" not in known:  # Rules.md line 388
        known["accelerator_memory"] = times(
            look_up(TABLES, "accelerator_types", read(known, "accelerator"), "memory"),
            Fraction(1953125, 2097152),
        )
    if "accelerators_per_host" not in known:  # Rules.md line 389
        known["accelerators_per_host"] = otherwise(
            fold("least", read(known, "slots"), lambda s: read(s, "count")),
            divide(read(known, "accelerators"), read(known, "hosts")),
        )
    if "memory_per_host" not in known:  # Rules.md line 390
        known["memory_per_host"] = divide(read(known, "measured_memory"), read(known, "hosts"))
    if "written_per_host" not in known:  # Rules.md line 391
        known["written_per_host"] = divide(read(known, "written"), read(known, "hosts"))
    if "both_phases" not in known:  # Rules.md line 392
        known["both_phases"] = both(exceeds(read(known, "writes"), 0), exceeds(read(known, "reads"), 0))
    if "ran" not in known:  # Rules.md line 393
        known["ran"] = equals(read(known, "command"), "run")
    if "writes_only" not in known:  # Rules.md line 394
        known["writes_only"] = both(
            read(known, "ran"),
            exceeds(read(known, "writes"), 0),
            equals(read(known, "reads"), 0),
        )
    if "reads_only" not in known:  # Rules.md line 395
        known["reads_only"] = both(
            read(known, "ran"),
            equals(read(known, "writes"), 0),
            exceeds(read(known, "reads"), 0),
        )
    if "partial" not in known:  # Rules.md line 396
        known["partial"] = exists(
            read(known, "overrides"),
            lambda o: both(equals(read(o, "key"), "checkpoint.mode"), equals(read(o, "value"), "subset")),
        )
    if "subset" not in known:  # Rules.md line 398
        known["subset"] = otherwise(
            read(known, "claim"),
            both(
                equals(read(known, "requested"), "closed"),
                read(known, "partial"),
                equals(read(known, "accelerators"), 8),
            ),
        )
    if "began" not in known:  # Rules.md line 399
        known["began"] = otherwise(read(known, "invocation_start"), read(known, "summary_start"))
    if "ended" not in known:  # Rules.md line 400
        known["ended"] = otherwise(
            read(known, "invocation_end"),
            read(known, "snapshot_end"),
            read(known, "summary_end"),
        )
    return known


S_4_3_1_1 = Statement(
    rule="4.3.1",
    name="checkpointDataSizeRatio",
    number=1,
    line=648,
    level="warning",
    category="all",
    scope="leaf",
    stage="launch",
    breach="where it writes and reads, its written size per host is at most 3 times its measured memory per host",
    facts=(
        "both_phases",
        "hosts",
        "measured_memory",
        "memory_per_host",
        "reads",
        "writes",
        "written",
        "written_per_host",
    ),
    because="one checkpoint is {written_per_host} per host, the host has {memory_per_host}; reads may come from its cache",
    fix="write and read in two invocations and drop the cache between them",
)
S_4_3_1_2 = Statement(
    rule="4.3.1",
    name="checkpointDataSizeRatio",
    number=2,
    line=651,
    level="warning",
    category="all",
    scope="leaf",
    stage="launch",
    breach='where its stage is "launch" and it writes and reads, its planned size divided by its hosts is at most 3 times its declared memory, or its planned size divided by its hosts is at most 3 times the memory seen at its launch',
    facts=("both_phases", "declared_memory", "hosts", "planned", "reads", "seen_memory", "stage", "writes"),
    because="a checkpoint of {planned} may fit the caches of its hosts: {hosts} with {declared_memory} each are declared",
    fix="write and read in two invocations and drop the cache between them",
)
S_4_3_1_3 = Statement(
    rule="4.3.1",
    name="checkpointDataSizeRatio",
    number=3,
    line=655,
    level="note",
    category="all",
    scope="leaf",
    stage="launch",
    breach="its declared memory is more than 1.1 times its measured memory per host",
    facts=("declared_memory", "hosts", "measured_memory", "memory_per_host"),
    because="{declared_memory} of memory is declared for a host, {memory_per_host} was measured, and that is what a package is judged by",
)


def clause_4_3_1_leaf(facts: Facts) -> list[Outcome]:
    """4.3.1 checkpointDataSizeRatio (Rules.md line 640)."""
    return [
        judge(
            S_4_3_1_1,
            facts,
            reaches(times(3, read(facts, "memory_per_host")), read(facts, "written_per_host")),
            read(facts, "both_phases"),
        ),
        judge(
            S_4_3_1_2,
            facts,
            either(
                reaches(
                    times(3, read(facts, "declared_memory")),
                    divide(read(facts, "planned"), read(facts, "hosts")),
                ),
                reaches(
                    times(3, read(facts, "seen_memory")),
                    divide(read(facts, "planned"), read(facts, "hosts")),
                ),
            ),
            both(equals(read(facts, "stage"), "launch"), read(facts, "both_phases")),
        ),
        judge(
            S_4_3_1_3,
            facts,
            exceeds(
                read(facts, "declared_memory"),
                times(Fraction(11, 10), read(facts, "memory_per_host")),
            ),
        ),
    ]


S_4_3_3_1 = Statement(
    rule="4.3.3",
    name="checkpointModelConfigurationReq",
    number=1,
    line=738,
    level="error",
    category="all",
    scope="leaf",
    stage="launch",
    breach="its model is not listed",
    facts=("model",),
    because="{model} is none of the models of Table 2",
    fix="choose a model of Table 2",
)


def clause_4_3_3_leaf(facts: Facts) -> list[Outcome]:
    """4.3.3 checkpointModelConfigurationReq (Rules.md line 735)."""
    return [judge(S_4_3_3_1, facts, negate(listed(read(facts, "model"))))]


S_4_3_4_1 = Statement(
    rule="4.3.4",
    name="checkpointAggregateAcceleratorMemory",
    number=1,
    line=769,
    level="error",
    category="all",
    scope="leaf",
    stage="launch",
    breach="from edition 4.0 on, its accelerator is not listed",
    facts=("accelerator",),
    because="{accelerator} is no accelerator of this document",
    since="4.0",
)
S_4_3_4_2 = Statement(
    rule="4.3.4",
    name="checkpointAggregateAcceleratorMemory",
    number=2,
    line=771,
    level="error",
    category="all",
    scope="leaf",
    stage="launch",
    breach="from edition 4.0 on, its accelerator is listed, and the division it is asked for is not among the offered_in of its accelerator in table accelerator_types",
    facts=("accelerator", "requested"),
    because="{accelerator} is not offered in {requested}",
    since="4.0",
)
S_4_3_4_3 = Statement(
    rule="4.3.4",
    name="checkpointAggregateAcceleratorMemory",
    number=3,
    line=773,
    level="error",
    category="all",
    scope="leaf",
    stage="launch",
    breach="from edition 4.0 on, its accelerator is listed, and its accelerators times its accelerator's memory is less than its written size or (its processes are Table 2's total, and its accelerators times its accelerator's memory is less than Table 2's size)",
    facts=(
        "accelerator",
        "accelerator_memory",
        "accelerators",
        "full_count",
        "model",
        "nominal",
        "processes",
        "written",
    ),
    because="{accelerators} accelerators of {accelerator_memory} each cannot hold the checkpoint of {model}",
    since="4.0",
)
S_4_3_4_4 = Statement(
    rule="4.3.4",
    name="checkpointAggregateAcceleratorMemory",
    number=4,
    line=777,
    level="warning",
    category="all",
    scope="leaf",
    stage="launch",
    breach="up to edition 3.0, its accelerator is not listed, or the division it is asked for is not among the offered_in of its accelerator in table accelerator_types, or its accelerators times its accelerator's memory is less than its written size, or its processes are Table 2's total and its accelerators times its accelerator's memory is less than Table 2's size",
    facts=(
        "accelerator",
        "accelerator_memory",
        "accelerators",
        "full_count",
        "model",
        "nominal",
        "processes",
        "requested",
        "written",
    ),
    because="{accelerator} is not offered in {requested}, or {accelerators} of it cannot hold the checkpoint of {model}",
    until="3.0",
)


def clause_4_3_4_leaf(facts: Facts) -> list[Outcome]:
    """4.3.4 checkpointAggregateAcceleratorMemory (Rules.md line 762)."""
    return [
        judge(S_4_3_4_1, facts, negate(listed(read(facts, "accelerator")))),
        judge(
            S_4_3_4_2,
            facts,
            both(
                listed(read(facts, "accelerator")),
                negate(
                    among(
                        read(facts, "requested"),
                        look_up(TABLES, "accelerator_types", read(facts, "accelerator"), "offered_in"),
                    ),
                ),
            ),
        ),
        judge(
            S_4_3_4_3,
            facts,
            both(
                listed(read(facts, "accelerator")),
                either(
                    exceeds(
                        read(facts, "written"),
                        times(read(facts, "accelerators"), read(facts, "accelerator_memory")),
                    ),
                    both(
                        equals(read(facts, "processes"), read(facts, "full_count")),
                        exceeds(
                            read(facts, "nominal"),
                            times(read(facts, "accelerators"), read(facts, "accelerator_memory")),
                        ),
                    ),
                ),
            ),
        ),
        judge(
            S_4_3_4_4,
            facts,
            either(
                negate(listed(read(facts, "accelerator"))),
                negate(
                    among(
                        read(facts, "requested"),
                        look_up(TABLES, "accelerator_types", read(facts, "accelerator"), "offered_in"),
                    ),
                ),
                exceeds(
                    read(facts, "written"),
                    times(read(facts, "accelerators"), read(facts, "accelerator_memory")),
                ),
                both(
                    equals(read(facts, "processes"), read(facts, "full_count")),
                    exceeds(
                        read(facts, "nominal"),
                        times(read(facts, "accelerators"), read(facts, "accelerator_memory")),
                    ),
                ),
            ),
        ),
    ]


S_4_3_5_1 = Statement(
    rule="4.3.5",
    name="checkpointSubsetRunValidation",
    number=1,
    line=900,
    level="error",
    category="all",
    scope="leaf",
    stage="launch",
    breach='the run is a subset run, and its accelerators are not 8 or its model is not "8B"',
    facts=("accelerators", "claim", "model", "overrides", "partial", "requested", "subset"),
    because="a subset run is 8B on exactly 8 accelerators; this is {model} on {accelerators}",
    fix="drop --checkpoint-subset, or run 8B on 8 processes",
)


def clause_4_3_5_leaf(facts: Facts) -> list[Outcome]:
    """4.3.5 checkpointSubsetRunValidation (Rules.md line 894)."""
    return [
        judge(
            S_4_3_5_1,
            facts,
            both(
                read(facts, "subset"),
                either(differs(read(facts, "accelerators"), 8), differs(read(facts, "model"), "8B")),
            ),
        ),
    ]


S_4_4_1_1 = Statement(
    rule="4.4.1",
    name="checkpointPathArgs",
    number=1,
    line=964,
    level="error",
    category="all",
    scope="leaf",
    stage="launch",
    breach="its arguments were recorded, and its checkpoint folder is not recorded or its results folder is not recorded",
    facts=("arguments", "checkpoint_folder", "results_folder"),
    because="the checkpoint folder or the results folder is not set",
    fix="give both --checkpoint-folder and --results-dir",
)
S_4_4_1_2 = Statement(
    rule="4.4.1",
    name="checkpointPathArgs",
    number=2,
    line=967,
    level="error",
    category="all",
    scope="leaf",
    stage="launch",
    breach="its checkpoint folder is recorded, its results folder is recorded, and its checkpoint folder is its results folder",
    facts=("checkpoint_folder", "results_folder"),
    because="checkpoints and results go to one folder, {checkpoint_folder}",
    fix="put the results on another filesystem",
)


def clause_4_4_1_leaf(facts: Facts) -> list[Outcome]:
    """4.4.1 checkpointPathArgs (Rules.md line 960)."""
    return [
        judge(
            S_4_4_1_1,
            facts,
            both(
                read(facts, "arguments"),
                either(
                    negate(recorded(read(facts, "checkpoint_folder"))),
                    negate(recorded(read(facts, "results_folder"))),
                ),
            ),
        ),
        judge(
            S_4_4_1_2,
            facts,
            both(
                recorded(read(facts, "checkpoint_folder")),
                recorded(read(facts, "results_folder")),
                equals(read(facts, "checkpoint_folder"), read(facts, "results_folder")),
            ),
        ),
    ]


S_4_4_2_1 = Statement(
    rule="4.4.2",
    name="checkpointFilesystemCheck",
    number=1,
    line=1004,
    level="error",
    category="all",
    scope="leaf",
    stage="launch",
    breach='from edition 4.0 on, where its access is "file", both folders are on one filesystem',
    facts=("access", "same_filesystem"),
    because="checkpoints and results share one filesystem",
    fix="put --results-dir on another filesystem",
    since="4.0",
)
S_4_4_2_2 = Statement(
    rule="4.4.2",
    name="checkpointFilesystemCheck",
    number=2,
    line=1007,
    level="warning",
    category="all",
    scope="leaf",
    stage="launch",
    breach='up to edition 3.0, where its access is "file", both folders are on one filesystem',
    facts=("access", "same_filesystem"),
    because="checkpoints and results share one filesystem",
    until="3.0",
)


def clause_4_4_2_leaf(facts: Facts) -> list[Outcome]:
    """4.4.2 checkpointFilesystemCheck (Rules.md line 1000)."""
    return [
        judge(S_4_4_2_1, facts, read(facts, "same_filesystem"), equals(read(facts, "access"), "file")),
        judge(S_4_4_2_2, facts, read(facts, "same_filesystem"), equals(read(facts, "access"), "file")),
    ]


S_4_6_1_1 = Statement(
    rule="4.6.1",
    name="checkpointClosedMpiProcesses",
    number=1,
    line=1037,
    level="error",
    category="closed",
    scope="leaf",
    stage="launch",
    breach="where its model is listed, its processes are not Table 2's total",
    facts=("full_count", "model", "processes"),
    because="{model} runs on {full_count} processes in CLOSED, this run on {processes}",
    fix="use --num-processes {full_count}",
)


def clause_4_6_1_leaf(facts: Facts) -> list[Outcome]:
    """4.6.1 checkpointClosedMpiProcesses (Rules.md line 1033)."""
    return [
        judge(
            S_4_6_1_1,
            facts,
            differs(read(facts, "processes"), read(facts, "full_count")),
            listed(read(facts, "model")),
        ),
    ]


S_4_6_2_1 = Statement(
    rule="4.6.2",
    name="checkpointClosedAcceleratorsPerHost",
    number=1,
    line=1072,
    level="error",
    category="closed",
    scope="leaf",
    stage="launch",
    breach="its accelerators per host are at most 4",
    facts=("accelerators", "accelerators_per_host", "hosts", "slots"),
    because="a host has {accelerators_per_host} of the {accelerators} accelerators (hosts: {hosts}); more than 4 are needed",
    fix="place more than 4 accelerators on every host",
)
S_4_6_2_2 = Statement(
    rule="4.6.2",
    name="checkpointClosedAcceleratorsPerHost",
    number=2,
    line=1075,
    level="note",
    category="all",
    scope="leaf",
    stage="launch",
    breach='its accelerators per host are the minimum of "Processes per node" in table changeable',
    facts=("accelerators", "accelerators_per_host", "hosts", "slots"),
    because="the table of parameters allows {accelerators_per_host} per node, the text of this clause does not; the text decides",
)


def clause_4_6_2_leaf(facts: Facts) -> list[Outcome]:
    """4.6.2 checkpointClosedAcceleratorsPerHost (Rules.md line 1068)."""
    return [
        judge(S_4_6_2_1, facts, reaches(4, read(facts, "accelerators_per_host"))),
        judge(
            S_4_6_2_2,
            facts,
            equals(
                read(facts, "accelerators_per_host"),
                look_up(TABLES, "changeable", "Processes per node", "minimum"),
            ),
        ),
    ]


S_4_6_3_1 = Statement(
    rule="4.6.3",
    name="checkpointClosedCheckpointParameters",
    number=1,
    line=1123,
    level="error",
    category="closed",
    scope="leaf",
    stage="launch",
    breach='for each o of its overrides, o\'s key is not listed in table checkpoint_overrides, or the access of o\'s key in table checkpoint_overrides is "object" and its access is not "object"',
    facts=("access", "overrides"),
    because="{o.key} may not be set in CLOSED",
    fix="leave out {o.key}, or run it as open",
)
S_4_6_3_2 = Statement(
    rule="4.6.3",
    name="checkpointClosedCheckpointParameters",
    number=2,
    line=1127,
    level="error",
    category="closed",
    scope="leaf",
    stage="package",
    breach="for each p of its parameters for which p's key is listed in table template, p's value is not the value of p's key in table template",
    facts=("parameters",),
    because="{p.key} is {p.value}, which is not the template's value",
)
S_4_6_3_3 = Statement(
    rule="4.6.3",
    name="checkpointClosedCheckpointParameters",
    number=3,
    line=1129,
    level="error",
    category="closed",
    scope="leaf",
    stage="launch",
    breach="for each p of its parameters for which p's key is listed in table template_rows, where its model is listed, p's value is not the column that is named by (the row of p's key in table template_rows) of its model in table table2",
    facts=("model", "parameters"),
    because="{p.key} is {p.value}, which is not what Table 2 gives {model}",
)


def clause_4_6_3_leaf(facts: Facts) -> list[Outcome]:
    """4.6.3 checkpointClosedCheckpointParameters (Rules.md line 1118)."""
    return [
        *judge_each(
            S_4_6_3_1,
            facts,
            read(facts, "overrides"),
            "o",
            lambda facts: (
                True,
                either(
                    negate(
                        among(
                            read(facts, "o.key"),
                            frozenset({
                                "checkpoint.checkpoint_folder",
                                "checkpoint.mode",
                                "checkpoint.num_checkpoints_read",
                                "checkpoint.num_checkpoints_write",
                                "model.parallelism.data",
                                "storage.s3_force_path_style",
                                "storage.storage_options.storage_library",
                                "storage.storage_options.uri_scheme",
                                "storage.storage_root",
                                "storage.storage_type",
                            }),
                        ),
                    ),
                    both(
                        equals(
                            look_up(TABLES, "checkpoint_overrides", read(facts, "o.key"), "access"),
                            "object",
                        ),
                        differs(read(facts, "access"), "object"),
                    ),
                ),
            ),
        ),
        *judge_each(
            S_4_6_3_2,
            facts,
            read(facts, "parameters"),
            "p",
            lambda facts: (
                True,
                differs(read(facts, "p.value"), look_up(TABLES, "template", read(facts, "p.key"), "value")),
            ),
            lambda facts: among(
                read(facts, "p.key"),
                frozenset({
                    "checkpoint.fsync",
                    "checkpoint.time_between_checkpoints",
                    "framework",
                    "model.model_datatype",
                    "model.optimizer_datatype",
                    "model.type",
                    "workflow.checkpoint",
                    "workflow.generate_data",
                    "workflow.train",
                }),
            ),
        ),
        *judge_each(
            S_4_6_3_3,
            facts,
            read(facts, "parameters"),
            "p",
            lambda facts: (
                listed(read(facts, "model")),
                differs(
                    read(facts, "p.value"),
                    look_up(
                        TABLES,
                        "table2",
                        read(facts, "model"),
                        look_up(TABLES, "template_rows", read(facts, "p.key"), "row"),
                    ),
                ),
            ),
            lambda facts: among(
                read(facts, "p.key"),
                frozenset({
                    "model.name",
                    "model.num_layers",
                    "model.parallelism.pipeline",
                    "model.parallelism.tensor",
                    "model.parallelism.zero_stage",
                    "model.transformer.ffn_hidden_size",
                    "model.transformer.hidden_size",
                    "model.transformer.num_attention_heads",
                    "model.transformer.num_kv_heads",
                    "model.transformer.vocab_size",
                }),
            ),
        ),
    ]


S_4_6_4_1 = Statement(
    rule="4.6.4",
    name="checkpointOpenSubmissionScaling",
    number=1,
    line=1285,
    level="error",
    category="all",
    scope="leaf",
    stage="launch",
    breach="where its model is listed, its processes are at most 0, or its processes modulo the replica size is not 0",
    facts=("group_size", "model", "processes"),
    because="{model} needs a positive multiple of {group_size} processes, this run has {processes}",
    fix="use a multiple of {group_size}",
)


def clause_4_6_4_leaf(facts: Facts) -> list[Outcome]:
    """4.6.4 checkpointOpenSubmissionScaling (Rules.md line 1281)."""
    return [
        judge(
            S_4_6_4_1,
            facts,
            either(
                reaches(0, read(facts, "processes")),
                differs(modulo(read(facts, "processes"), read(facts, "group_size")), 0),
            ),
            listed(read(facts, "model")),
        ),
    ]


S_4_7_1_1 = Statement(
    rule="4.7.1",
    name="checkpointCacheFlushValidation",
    number=1,
    line=1328,
    level="error",
    category="closed",
    scope="leaf",
    stage="launch",
    breach="its checkpoints written are none of 0 and 10, or its checkpoints read are none of 0 and 10",
    facts=("reads", "writes"),
    because="{writes} checkpoints are written and {reads} read; CLOSED has 10 or 0 of each",
    fix="use --num-checkpoints-write 10 and --num-checkpoints-read 10",
)
S_4_7_1_2 = Statement(
    rule="4.7.1",
    name="checkpointCacheFlushValidation",
    number=2,
    line=1331,
    level="error",
    category="closed",
    scope="workload",
    stage="launch",
    breach="where the number of r of its runs (where r was run) is 1, the sum of r's checkpoints written over each r of its runs (where r was run) is not 10, or the sum of r's checkpoints read over each r of its runs (where r was run) is not 10",
    facts=("command", "ran", "reads", "runs", "writes"),
    because="the one invocation of a CLOSED workload writes 10 checkpoints and reads 10",
    fix="add the invocation that is missing",
)
S_4_7_1_3 = Statement(
    rule="4.7.1",
    name="checkpointCacheFlushValidation",
    number=3,
    line=1335,
    level="error",
    category="closed",
    scope="workload",
    stage="package",
    breach="for each pair of neighbours first and second of its runs, where first was run and second was run, first's checkpoints written are not 10, first's checkpoints read are not 0, second's checkpoints written are not 0, or second's checkpoints read are not 10",
    facts=("command", "ran", "reads", "runs", "writes"),
    because="the first invocation wrote {first.writes} and read {first.reads}, the second wrote {second.writes} and read {second.reads}; CLOSED writes 10, then reads 10",
)
S_4_7_1_4 = Statement(
    rule="4.7.1",
    name="checkpointCacheFlushValidation",
    number=4,
    line=1340,
    level="error",
    category="all",
    scope="workload",
    stage="package",
    breach="from edition 4.0 on, for each pair of neighbours first and second of its runs, where first only writes and second only reads, second's start minus first's end is more than 30 s, second's start is second's invocation start, and first's end is (first's invocation end or, where that is not recorded, first's last snapshot)",
    facts=(
        "began",
        "command",
        "ended",
        "invocation_end",
        "invocation_start",
        "ran",
        "reads",
        "reads_only",
        "runs",
        "snapshot_end",
        "summary_end",
        "summary_start",
        "writes",
        "writes_only",
    ),
    because="the read began {second.began}, the write had ended {first.ended}; at most 30 seconds may lie between",
    since="4.0",
)
S_4_7_1_5 = Statement(
    rule="4.7.1",
    name="checkpointCacheFlushValidation",
    number=5,
    line=1345,
    level="warning",
    category="all",
    scope="workload",
    stage="package",
    breach="up to edition 3.0, for each pair of neighbours first and second of its runs, where first only writes and second only reads, second's start minus first's end is more than 30 s, second's start is second's invocation start, and first's end is (first's invocation end or, where that is not recorded, first's last snapshot)",
    facts=(
        "began",
        "command",
        "ended",
        "invocation_end",
        "invocation_start",
        "ran",
        "reads",
        "reads_only",
        "runs",
        "snapshot_end",
        "summary_end",
        "summary_start",
        "writes",
        "writes_only",
    ),
    because="the read began {second.began}, the write had ended {first.ended}; at most 30 seconds may lie between",
    until="3.0",
)
S_4_7_1_6 = Statement(
    rule="4.7.1",
    name="checkpointCacheFlushValidation",
    number=6,
    line=1350,
    level="warning",
    category="all",
    scope="workload",
    stage="package",
    breach="for each pair of neighbours first and second of its runs, where first only writes and second only reads, second's start minus first's end is less than 0 s",
    facts=(
        "began",
        "command",
        "ended",
        "invocation_end",
        "invocation_start",
        "ran",
        "reads",
        "reads_only",
        "runs",
        "snapshot_end",
        "summary_end",
        "summary_start",
        "writes",
        "writes_only",
    ),
    because="the read began {second.began}, before the write had ended {first.ended}: the clocks disagree",
)
S_4_7_1_7 = Statement(
    rule="4.7.1",
    name="checkpointCacheFlushValidation",
    number=7,
    line=1353,
    level="error",
    category="all",
    scope="workload",
    stage="package",
    breach="for each pair of neighbours first and second of its runs, where first only writes and second only reads, first's summary's end is recorded, second's summary's start is recorded, and second's summary's start is less than first's summary's end",
    facts=(
        "command",
        "ran",
        "reads",
        "reads_only",
        "runs",
        "summary_end",
        "summary_start",
        "writes",
        "writes_only",
    ),
    because="reading started {second.summary_start} while writing went on until {first.summary_end}",
)


def clause_4_7_1_leaf(facts: Facts) -> list[Outcome]:
    """4.7.1 checkpointCacheFlushValidation (Rules.md line 1321)."""
    return [
        judge(
            S_4_7_1_1,
            facts,
            either(
                negate(among(read(facts, "writes"), frozenset({0, 10}))),
                negate(among(read(facts, "reads"), frozenset({0, 10}))),
            ),
        ),
    ]


def clause_4_7_1_workload(facts: Facts) -> list[Outcome]:
    """4.7.1 checkpointCacheFlushValidation (Rules.md line 1321)."""
    return [
        judge(
            S_4_7_1_2,
            facts,
            either(
                differs(
                    fold("sum", read(facts, "runs"), lambda r: read(r, "writes"), lambda r: read(r, "ran")),
                    10,
                ),
                differs(
                    fold("sum", read(facts, "runs"), lambda r: read(r, "reads"), lambda r: read(r, "ran")),
                    10,
                ),
            ),
            equals(tally(read(facts, "runs"), lambda r: read(r, "ran")), 1),
        ),
        *judge_pairs(
            S_4_7_1_3,
            facts,
            read(facts, "runs"),
            ("first", "second"),
            lambda facts: (
                both(read(facts, "first.ran"), read(facts, "second.ran")),
                either(
                    differs(read(facts, "first.writes"), 10),
                    differs(read(facts, "first.reads"), 0),
                    differs(read(facts, "second.writes"), 0),
                    differs(read(facts, "second.reads"), 10),
                ),
            ),
        ),
        *judge_pairs(
            S_4_7_1_4,
            facts,
            read(facts, "runs"),
            ("first", "second"),
            lambda facts: (
                both(read(facts, "first.writes_only"), read(facts, "second.reads_only")),
                both(
                    exceeds(minus(read(facts, "second.began"), read(facts, "first.ended")), 30),
                    equals(read(facts, "second.began"), read(facts, "second.invocation_start")),
                    equals(
                        read(facts, "first.ended"),
                        otherwise(read(facts, "first.invocation_end"), read(facts, "first.snapshot_end")),
                    ),
                ),
            ),
        ),
        *judge_pairs(
            S_4_7_1_5,
            facts,
            read(facts, "runs"),
            ("first", "second"),
            lambda facts: (
                both(read(facts, "first.writes_only"), read(facts, "second.reads_only")),
                both(
                    exceeds(minus(read(facts, "second.began"), read(facts, "first.ended")), 30),
                    equals(read(facts, "second.began"), read(facts, "second.invocation_start")),
                    equals(
                        read(facts, "first.ended"),
                        otherwise(read(facts, "first.invocation_end"), read(facts, "first.snapshot_end")),
                    ),
                ),
            ),
        ),
        *judge_pairs(
            S_4_7_1_6,
            facts,
            read(facts, "runs"),
            ("first", "second"),
            lambda facts: (
                both(read(facts, "first.writes_only"), read(facts, "second.reads_only")),
                exceeds(0, minus(read(facts, "second.began"), read(facts, "first.ended"))),
            ),
        ),
        *judge_pairs(
            S_4_7_1_7,
            facts,
            read(facts, "runs"),
            ("first", "second"),
            lambda facts: (
                both(read(facts, "first.writes_only"), read(facts, "second.reads_only")),
                both(
                    recorded(read(facts, "first.summary_end")),
                    recorded(read(facts, "second.summary_start")),
                    exceeds(read(facts, "first.summary_end"), read(facts, "second.summary_start")),
                ),
            ),
        ),
    ]


RULESET = RuleSet(
    title="MLPerf Storage rules, checkpointing",
    edition="4.0",
    editions=("0.5", "1.0", "2.0", "3.0", "4.0"),
    digest="sha256:48e1a269cafbc7147f91adc89254a268f679a447c6a3f88b2606d57194fa6c47",
    role="gate",
    families={"4": "checkpointing"},
    facts=FACTS,
    documents=DOCUMENTS,
    tables=TABLES,
    derive={
        "leaf": derive_leaf,
    },
    clauses=(
        Clause(
            "4.3.1",
            "checkpointDataSizeRatio",
            640,
            "launch",
            {"leaf": clause_4_3_1_leaf},
        ),
        Clause(
            "4.3.3",
            "checkpointModelConfigurationReq",
            735,
            "launch",
            {"leaf": clause_4_3_3_leaf},
        ),
        Clause(
            "4.3.4",
            "checkpointAggregateAcceleratorMemory",
            762,
            "launch",
            {"leaf": clause_4_3_4_leaf},
        ),
        Clause(
            "4.3.5",
            "checkpointSubsetRunValidation",
            894,
            "launch",
            {"leaf": clause_4_3_5_leaf},
        ),
        Clause(
            "4.4.1",
            "checkpointPathArgs",
            960,
            "launch",
            {"leaf": clause_4_4_1_leaf},
        ),
        Clause(
            "4.4.2",
            "checkpointFilesystemCheck",
            1000,
            "launch",
            {"leaf": clause_4_4_2_leaf},
        ),
        Clause(
            "4.6.1",
            "checkpointClosedMpiProcesses",
            1033,
            "launch",
            {"leaf": clause_4_6_1_leaf},
        ),
        Clause(
            "4.6.2",
            "checkpointClosedAcceleratorsPerHost",
            1068,
            "launch",
            {"leaf": clause_4_6_2_leaf},
        ),
        Clause(
            "4.6.3",
            "checkpointClosedCheckpointParameters",
            1118,
            "launch",
            {"leaf": clause_4_6_3_leaf},
        ),
        Clause(
            "4.6.4",
            "checkpointOpenSubmissionScaling",
            1281,
            "launch",
            {"leaf": clause_4_6_4_leaf},
        ),
        Clause(
            "4.7.1",
            "checkpointCacheFlushValidation",
            1321,
            "launch",
            {"leaf": clause_4_7_1_leaf, "workload": clause_4_7_1_workload},
        ),
    ),
    conflicts=(
    ),
    units={
        "declared_memory": "GiB",
        "seen_memory": "GiB",
        "measured_memory": "GiB",
        "collected_memory": "bytes",
        "planned": "GiB",
        "written": "GiB",
        "remap_time": "s",
        "nominal": "GiB",
        "accelerator_memory": "GiB",
        "memory_per_host": "GiB",
        "written_per_host": "GiB",
    },
    deferred=("4.3.2", "4.7.3", "4.7.4"),
)
