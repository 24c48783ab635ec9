"""A rule set written by hand, small enough to see the right verdict, with every kind of statement."""

from __future__ import annotations

from typing import Any

from engine.runtime.judge import (
    among,
    both,
    differs,
    equals,
    exceeds,
    minus,
    read,
)
from engine.runtime.ruleset import Clause, Conflict, Each, FactSpec, Launch, RuleSet, Source, Statement, Test
from engine.runtime.values import Facts, Other, Value
from tests.engine.divisions import COMMANDS, DIVISIONS

NAMES = {"closed": (), "open": (), "whatif": ("what_if",)}
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
        members=NAMES,
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


def below(facts: Facts, name: str) -> Value:
    return exceeds(0, read(facts, name))


def statement(test: Test, **given: Any) -> Statement:
    fields: dict[str, Any] = {"line": 100, "breach": "something breaks", "facts": ()}
    return Statement(test=test, **{**fields, **given})


def clause(rule: str, name: str, *statements: Statement) -> Clause:
    return Clause(rule, name, 100, "launch", statements)


CLAUSES = (
    clause(
        "4.3.1",
        "ratio",
        statement(lambda f: below(f, "size"), level="warning", facts=("size",), because="{size} is too much"),
    ),
    clause(
        "4.3.4",
        "accelerator",
        statement(
            lambda f: equals(read(f, "accelerator"), "wrong"),
            facts=("accelerator",),
            because="{accelerator} is wrong",
        ),
    ),
    clause(
        "4.3.5",
        "checkpointSubsetRunValidation",
        statement(
            lambda f: both(
                read(f, "claim"),
                # De Morgan, written out: neither half alone settles it.
                differs(both(equals(read(f, "model"), "8B"), equals(read(f, "processes"), 8)), True),
            ),
            facts=("claim", "model", "processes"),
            breach='the run is a subset run, and its model is not "8B" or its processes are not 8',
            fix="drop the claim from {processes} processes",
        ),
    ),
    clause(
        "4.3.51",
        "neighbour",
        statement(lambda f: isinstance(read(f, "model"), Other), facts=("model",), because="{model} is none"),
    ),
    clause(
        "4.6.1",
        "checkpointClosedMpiProcesses",
        statement(
            lambda f: both(equals(read(f, "model"), "70B"), differs(read(f, "processes"), 64)),
            category="closed",
            facts=("model", "processes"),
            because="{model} runs on 64 processes in CLOSED, this run on {processes}",
        ),
    ),
    clause(
        "4.6.3",
        "overrides",
        statement(
            lambda _, o: among(read(o, "key"), frozenset({"x", "y"})),
            each=Each(("o",), "overrides"),
            category="closed",
            facts=("overrides",),
            because="{o.key} may not be set in CLOSED",
        ),
    ),
    clause(
        "4.7.1",
        "gap",
        statement(
            lambda _, a, b: exceeds(minus(read(b, "start"), read(a, "start")), 30),
            each=Each(("a", "b"), "runs"),
            scope="workload",
            facts=("runs", "start"),
            because="{b.start} is late after {a.start}",
        ),
    ),
    clause(
        "4.7.3",
        "remap",
        statement(
            lambda f: exceeds(read(f, "remap"), 5),
            scope="workload",
            facts=("remap",),
            because="remap {remap}",
        ),
    ),
    clause(
        "4.8.1",
        "packaging",
        statement(lambda f: below(f, "size"), category="package", facts=("size",), because="bad package"),
    ),
    clause(
        "4.9.1",
        "recent",
        statement(lambda f: below(f, "size"), facts=("size",), since="4.0", because="since 4.0"),
        statement(
            lambda f: below(f, "size"),
            number=2,
            facts=("size",),
            until="3.0",
            level="warning",
            because="until 3.0",
        ),
    ),
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
    subjects={},
    clauses=CLAUSES,
    conflicts=(CONFLICT,),
    units={spec.name: spec.unit for spec in FACTS if spec.unit is not None},
    divisions=DIVISIONS,
    commands=COMMANDS,
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
    return RULESET._replace(clauses=tuple(clause for clause in CLAUSES if clause.rule in rules))
