"""A small vocabulary written by hand, so that these tests do not hang on the document's."""

from __future__ import annotations

from typing import Any

from engine.runtime.ruleset import Document, FactSpec, Launch, RuleSet, Source
from tests.engine.divisions import COMMANDS, DIVISIONS

MODELS = {"8B": ("llama3-8b", "llama_8b"), "70B": ("llama3-70b",), "1T": ("llama3-1t", "1250B")}


def source(text: str, reader: str | None = None, *more: str) -> Source:
    """`metadata:args.model`; steps are parted by slashes where a key has dots itself."""
    document, _, field = text.partition(":")
    steps = tuple(step for step in field.split("/" if "/" in field else ".") if step)
    return Source(text, document, steps, reader, tuple(source(further) for further in more))


def fact(name: str, kind: str, *sources: Source | str, scope: str = "leaf", **rest: Any) -> FactSpec:
    """A fact with its sources."""
    package = tuple(source(one) if isinstance(one, str) else one for one in sources)
    return FactSpec(name=name, type=kind, scope=scope, meaning=name, package=package, **rest)


FACTS = (
    fact(
        "requested",
        "enum",
        "folder:division",
        "metadata:args.mode",
        source("metadata:args", "flag"),
        members={"closed": (), "open": (), "whatif": ("what_if",)},
        agree=True,
        launch=Launch(argument="division"),
    ),
    fact(
        "command",
        "enum",
        "metadata:command",
        "metadata:args.command",
        members={"run": (), "datasize": (), "datagen": (), "configview": ()},
        launch=Launch(argument="command"),
    ),
    fact(
        "model",
        "enum",
        "metadata:args.model",
        "metadata:model",
        "folder:workload",
        members=MODELS,
        agree=True,
    ),
    fact("processes", "integer", "metadata:args.num_processes", "metadata:num_processes", agree=True),
    fact("accelerators", "integer", "summary:num_accelerators"),
    fact("hosts", "integer", "summary:num_hosts", source("metadata:args.hosts", "hosts")),
    fact(
        "slots",
        "list",
        source("metadata:executed_command", "slots"),
        fields=(fact("count", "integer"),),
    ),
    fact("memory", "number", source("summary:host_memory_GB", "sum")),
    fact("written", "number", "summary:metric.checkpoint_size_GB"),
    fact(
        "writes",
        "integer",
        "metadata:override_parameters/checkpoint.num_checkpoints_write",
        "metadata:args.num_checkpoints_write",
        "metadata:parameters.checkpoint.num_checkpoints_write",
    ),
    fact("fsync", "bool", "metadata:parameters.checkpoint.fsync"),
    fact("claim", "bool", "metadata:args.checkpoint_subset"),
    fact("checkpoint_folder", "path", "metadata:args.checkpoint_folder"),
    fact(
        "same_filesystem",
        "bool",
        "separation:same_filesystem",
        source("stdout:", "mounts", "metadata:args.checkpoint_folder", "metadata:args.results_dir"),
    ),
    fact(
        "overrides",
        "list",
        source("metadata:override_parameters", "entries", "metadata:args.params"),
        fields=(fact("key", "text"), fact("value", "any")),
    ),
    fact("started", "time", "metadata:invocation_start_time"),
    fact("summary_start", "time", "summary:start", "summary:start_time"),
    fact("runs", "list", "tree:runs", scope="workload"),
    fact("multi_host", "bool", "system:system_under_test.solution.capabilities.multi_host", scope="workload"),
    fact(
        "remap_time",
        "number",
        "system:system_under_test.solution.capabilities.remap_time_in_seconds",
        scope="workload",
    ),
)

DOCUMENTS = (
    Document(
        "metadata",
        "leaf",
        "{family}_*_metadata.json",
        "json",
        {"parameters": ("combined_params",), "override_parameters": ("params_dict",)},
    ),
    Document("summary", "leaf", "*summary.json", "json", {}),
    Document("separation", "leaf", "fs_separation.json", "json", {}),
    Document("stdout", "leaf", "{family}_run.stdout.log", "text", {}),
    Document("system", "system", "systems/{system}.yaml", "yaml", {}),
)

RULESET = RuleSet(
    title="a small rule set",
    edition="4.0",
    editions=("2.0", "3.0", "4.0"),
    digest="",
    role="validator",
    families={"4": "checkpointing", "6": "kv_cache"},
    facts=FACTS,
    documents=DOCUMENTS,
    tables={},
    subjects={},
    clauses=(),
    conflicts=(),
    units={spec.name: spec.unit for spec in FACTS if spec.unit is not None},
    divisions=DIVISIONS,
    commands=COMMANDS,
)


def spec(name: str) -> FactSpec:
    """A fact of the vocabulary."""
    return next(one for one in FACTS if one.name == name)
