"""A small rule set made by hand, so that the gate is tested apart from any document."""

from __future__ import annotations

from engine.launch.request import Request
from engine.runtime.judge import (
    both,
    differs,
    divide,
    either,
    equals,
    exceeds,
    exists,
    look_up,
    negate,
    reaches,
    recorded,
    when,
)
from engine.runtime.ruleset import Clause, FactSpec, Launch, RuleSet, Source, Statement, Tables, Test
from engine.runtime.values import Facts, Value, read
from tests.engine.divisions import COMMANDS, DIVISIONS

COLUMNS = (
    "hidden_dimension ffn_size attention_heads kv_heads layers vocabulary tp pp dp total_processes zero_stage"
).split()
TABLES: Tables = {
    "table2": {
        "8B": dict(zip(COLUMNS, (4096, 14336, 32, 8, 32, 128256, 1, 1, 8, 8, 3), strict=True)),
        "70B": dict(zip(COLUMNS, (8192, 28672, 128, 8, 80, 128256, 8, 1, 8, 64, 3), strict=True)),
    }
}


def option(
    name: str, kind: str, flag: str, *, more: dict[str, object] | None = None, **launch: object
) -> FactSpec:
    return FactSpec(name, kind, "leaf", name, launch=Launch(option=flag, **launch), **(more or {}))  # type: ignore[arg-type]  # keywords are the dataclasses'


FACTS = (
    FactSpec(
        "asked",
        "enum",
        "leaf",
        "the division",
        members={"closed": (), "open": (), "whatif": ()},
        launch=Launch(argument="division"),
    ),
    FactSpec(
        "reach",
        "enum",
        "leaf",
        "the access",
        members={"file": (), "object": ()},
        launch=Launch(argument="access", files="file"),
    ),
    option("claim", "bool", "--claim", commands=("run",)),
    option("size", "enum", "--model", more={"members": {"8B": ("llama3-8b",), "70B": ()}, "role": "model"}),
    option("ranks", "integer", "--num-processes", more={"role": "processes"}),
    option("hosts", "integer", "--hosts", reader="hosts", default="localhost", more={"role": "hosts"}),
    option("slots", "list", "--hosts", reader="slots"),
    option("folder", "path", "--checkpoint-folder", environment="MLPSTORAGE_CHECKPOINT_FOLDER"),
    option("results", "path", "--results-dir", more={"role": "results"}),
    option("overrides", "list", "--params", reader="entries", divisions=("open", "whatif")),
    FactSpec("planned", "number", "leaf", "planned size", unit="GiB", launch=Launch(derived="layout")),
    FactSpec("together", "bool", "leaf", "one filesystem", launch=Launch(probe="same_filesystem")),
    FactSpec("written", "number", "leaf", "the size written", unit="GiB"),
    FactSpec("runs", "list", "workload", "its runs", package=(Source("tree:runs", "tree", ("runs",)),)),
)


def count(facts: Facts) -> Value:
    total = look_up(TABLES, "table2", read(facts, "size"), "total_processes")
    return differs(read(facts, "ranks"), total)


def spread(facts: Facts) -> Value:
    few = exists(read(facts, "slots"), lambda host: reaches(4, read(host, "count")))
    mean = reaches(4, divide(read(facts, "ranks"), read(facts, "hosts")))
    return either(mean, both(recorded(read(facts, "slots")), few))


def claim(facts: Facts) -> Value:
    legal = both(equals(read(facts, "size"), "8B"), equals(read(facts, "ranks"), 8))
    return both(read(facts, "claim"), negate(legal))


def multiple(facts: Facts) -> Value:
    ranks = read(facts, "ranks")
    large = equals(read(facts, "size"), "70B")
    rest = isinstance(ranks, int) and ranks % 8 != 0
    return either(negate(exceeds(ranks, 0)), both(large, rest))


def folders(facts: Facts) -> Value:
    folder, results = read(facts, "folder"), read(facts, "results")
    unset = negate(both(recorded(folder), recorded(results)))
    return either(unset, equals(folder, results))


def apart(facts: Facts) -> Value | None:
    return when(equals(read(facts, "reach"), "file"), read(facts, "together"))


def written(facts: Facts) -> Value:
    return exceeds(read(facts, "written"), 1)


def runs(facts: Facts) -> Value:
    return exists(read(facts, "runs"), lambda run: equals(read(run, "ranks"), 13))


def other(facts: Facts) -> Value:
    return True


def clause(rule: str, category: str, facts: tuple[str, ...], test: Test, scope: str = "leaf") -> Clause:
    broken = Statement(1, f"{rule} is broken", facts, test, category=category, scope=scope)
    return Clause(rule, f"name{rule}", 1, "launch", (broken,))


RULESET = RuleSet(
    title="By hand",
    edition="4.0",
    editions=("3.0", "4.0"),
    digest="sha256:0",
    role="gate",
    families={"4": "checkpointing", "9": "another"},
    facts=FACTS,
    documents=(),
    tables=TABLES,
    subjects={},
    clauses=(
        clause("4.1", "closed", ("size", "ranks"), count),
        clause("4.2", "closed", ("ranks", "hosts", "slots"), spread),
        clause("4.3", "all", ("claim", "size", "ranks"), claim),
        clause("4.4", "all", ("size", "ranks"), multiple),
        clause("4.5", "all", ("folder", "results"), folders),
        clause("4.6", "all", ("together", "reach"), apart),
        clause("4.7", "all", ("written",), written),
        clause("4.8", "all", ("ranks", "runs"), runs, "workload"),
        clause("9.1", "all", ("ranks",), other),
    ),
    conflicts=(),
    units={spec.name: spec.unit for spec in FACTS if spec.unit is not None},
    deferred=("4.9",),
    divisions=DIVISIONS,
    commands=COMMANDS,
)


def request(division: str = "closed", access: str = "file", **texts: str | tuple[str, ...]) -> Request:
    """A run as asked for; a clean one of 8B where nothing is said. `num_processes` is --num-processes."""
    given: dict[str, str | tuple[str, ...]] = {
        "model": "8B",
        "num_processes": "8",
        "checkpoint_folder": "/ckpt",
        "results_dir": "/results",
        **texts,
    }
    return Request(
        division,
        "checkpointing",
        "run",
        access,
        {f"--{k.replace('_', '-')}": (v,) if isinstance(v, str) else v for k, v in given.items()},
    )
