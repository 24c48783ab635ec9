"""A rule set written by hand, small enough to see the right verdict, with every kind of statement."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.runtime.judge import (
    among,
    both,
    differs,
    equals,
    exceeds,
    judge,
    judge_each,
    judge_pairs,
    minus,
    read,
)
from engine.runtime.ruleset import Clause, Conflict, FactSpec, Launch, RuleSet, Source, Statement
from engine.runtime.values import Facts, Other, Value

DIVISIONS = {"closed": (), "open": (), "whatif": ("what_if",)}
MODELS = {"8B": ("llama3-8b",), "70B": ("llama3-70b",), "405B": (), "1T": ()}


def source(text: str) -> Source:
    document, _, field = text.partition(":")
    return Source(text, document, tuple(field.split(".")))


FACTS = (
    FactSpec(
        "requested",
        "enum",
        "leaf",
        "the division asked for",
        members=DIVISIONS,
        launch=Launch(argument="division"),
        package=(source("folder:division"), source("metadata:args.mode")),
    ),
    FactSpec("model", "enum", "leaf", "the model", members=MODELS, package=(source("metadata:args.model"),)),
    FactSpec("processes", "integer", "leaf", "processes", package=(source("metadata:args.num_processes"),)),
    FactSpec("claim", "bool", "leaf", "the claim", package=(source("metadata:args.checkpoint_subset"),)),
    FactSpec("size", "number", "leaf", "written size", unit="GiB", package=(source("summary:metric.size"),)),
    FactSpec(
        "accelerator",
        "text",
        "leaf",
        "the accelerator",
        package=(source("metadata:accelerator"),),
        missing=(("3.0", "note"), (None, "error")),
    ),
    FactSpec("verification", "text", "leaf", "as recorded", package=(source("metadata:verification"),)),
    FactSpec(
        "overrides",
        "list",
        "leaf",
        "options set",
        package=(source("metadata:override_parameters"),),
        fields=(
            FactSpec("key", "text", "leaf", "its key"),
            FactSpec("value", "any", "leaf", "its value"),
        ),
    ),
    FactSpec("start", "number", "leaf", "start", unit="s", package=(source("summary:start"),)),
    FactSpec("runs", "list", "workload", "its runs", package=(source("tree:runs"),)),
    FactSpec(
        "remap", "integer", "workload", "remap time", package=(source("system:remap"),), no_source="note"
    ),
)


def statement(rule: str, name: str, number: int = 1, **given: Any) -> Statement:
    fields: dict[str, Any] = {
        "line": 100,
        "level": "error",
        "category": "all",
        "scope": "leaf",
        "stage": "launch",
        "breach": "something breaks",
        "facts": (),
    }
    return Statement(rule=rule, name=name, number=number, **{**fields, **given})


SUBSET = statement(
    "4.3.5",
    "checkpointSubsetRunValidation",
    facts=("claim", "model", "processes"),
    breach='the run is a subset run, and its model is not "8B" or its processes are not 8',
    fix="drop the claim from {processes} processes",
)
COUNT = statement(
    "4.6.1",
    "checkpointClosedMpiProcesses",
    category="closed",
    facts=("model", "processes"),
    because="{model} runs on 64 processes in CLOSED, this run on {processes}",
)
LISTED = statement("4.3.51", "neighbour", facts=("model",), because="{model} is none")
ACCELERATOR = statement("4.3.4", "accelerator", facts=("accelerator",), because="{accelerator} is wrong")
SIZE = statement("4.3.1", "ratio", level="warning", facts=("size",), because="{size} is too much")
PACKAGE = statement("4.8.1", "packaging", category="package", facts=("size",), because="bad package")
OVERRIDES = statement(
    "4.6.3",
    "overrides",
    category="closed",
    facts=("overrides",),
    because="{o.key} may not be set in CLOSED",
)
RECENT = statement("4.9.1", "recent", facts=("size",), since="4.0", because="since 4.0")
EARLIER = statement("4.9.1", "recent", 2, facts=("size",), until="3.0", level="warning", because="until 3.0")
GAP = statement(
    "4.7.1", "gap", scope="workload", facts=("runs", "start"), because="{b.start} is late after {a.start}"
)
REMAP = statement("4.7.3", "remap", scope="workload", facts=("remap",), because="remap {remap}")


def below(facts: Facts, name: str) -> Value:
    return exceeds(0, read(facts, name))


def clause(said: Statement, condition: Any, *more: tuple[Statement, Any]) -> Clause:
    parts = ((said, condition), *more)
    return Clause(
        said.rule,
        said.name,
        said.line,
        said.stage,
        {said.scope: lambda facts: [judge(part, facts, test(facts)) for part, test in parts]},
    )


CLAUSES = (
    clause(SIZE, lambda f: below(f, "size")),
    clause(ACCELERATOR, lambda f: equals(read(f, "accelerator"), "wrong")),
    clause(
        SUBSET,
        lambda f: both(
            read(f, "claim"),
            # De Morgan, written out: neither half alone settles it.
            differs(both(equals(read(f, "model"), "8B"), equals(read(f, "processes"), 8)), True),
        ),
    ),
    clause(LISTED, lambda f: isinstance(read(f, "model"), Other)),
    clause(COUNT, lambda f: both(equals(read(f, "model"), "70B"), differs(read(f, "processes"), 64))),
    Clause(
        "4.6.3",
        "overrides",
        100,
        "launch",
        {
            "leaf": lambda facts: judge_each(
                OVERRIDES,
                facts,
                read(facts, "overrides"),
                "o",
                lambda bound: (True, among(read(bound, "o.key"), frozenset({"x", "y"}))),
            )
        },
    ),
    Clause(
        "4.7.1",
        "gap",
        100,
        "launch",
        {
            "workload": lambda facts: judge_pairs(
                GAP,
                facts,
                read(facts, "runs"),
                ("a", "b"),
                lambda bound: (True, exceeds(minus(read(bound, "b.start"), read(bound, "a.start")), 30)),
            )
        },
    ),
    clause(REMAP, lambda f: exceeds(read(f, "remap"), 5)),
    clause(PACKAGE, lambda f: below(f, "size")),
    clause(RECENT, lambda f: below(f, "size"), (EARLIER, lambda f: below(f, "size"))),
)

CONFLICT = Conflict(
    "verification",
    "leaf",
    50,
    "the run is asked for closed and was recorded as another category",
    ("requested", "verification"),
    lambda facts: both(
        equals(read(facts, "requested"), "closed"), equals(read(facts, "verification"), "OPEN")
    ),
)

RULESET = RuleSet(
    title="by hand",
    edition="4.0",
    editions=("2.0", "3.0", "4.0"),
    digest="sha256:0",
    role="validator",
    families={"4": "checkpointing"},
    facts=FACTS,
    documents=(),
    tables={},
    derive={},
    clauses=CLAUSES,
    conflicts=(CONFLICT,),
    units={spec.name: spec.unit for spec in FACTS if spec.unit is not None},
)

CLEAN: dict[str, Value] = {
    "requested": "closed",
    "model": "70B",
    "processes": 64,
    "claim": False,
    "size": 912,
    "accelerator": "b200",
    "verification": "CLOSED",
    "start": 0,
}
"""A leaf that breaks nothing; `overrides` is added by `leaf`."""


def only(*rules: str) -> RuleSet:
    """The rule set with these clauses alone."""
    return replace(RULESET, clauses=tuple(clause for clause in CLAUSES if clause.rule in rules))
