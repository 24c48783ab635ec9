"""MLPerf Storage rules, checkpointing, edition 4.0.

The clauses, each once: what breaks a statement, where everything is known and where something is not,
and what is said of it. Generated from Rules.md by `clausegate build`; do not edit.
"""

from __future__ import annotations

from fractions import Fraction

from engine.runtime.judge import (
    absolute,
    among,
    both,
    differs,
    divide,
    either,
    elapsed,
    equals,
    every,
    exceeds,
    exists,
    fold,
    listed,
    look_up,
    minus,
    modulo,
    negate,
    otherwise,
    reaches,
    read,
    recorded,
    same,
    starts_with,
    tally,
    times,
    when,
)
from engine.runtime.ruleset import Clause, Conflict, Each, Statement
from engine.runtime.values import Value

from .facts import (
    ACCELERATOR_TYPES,
    CHANGEABLE,
    CHECKPOINT_OVERRIDES,
    Leaf,
    OverridesElement,
    ParametersElement,
    TABLE2,
    TABLES,
    TEMPLATE,
    TEMPLATE_ROWS,
    Workload,
)


def conflict_verification(run: Leaf) -> Value:
    """requested == "closed" and verification in {"OPEN", "INVALID"} or requested == "open" and verification == "INVALID"

    Rules.md:123
    """
    if run.requested is not None and run.verification is not None:
        return (
            (run.requested == "closed" and run.verification in {"INVALID", "OPEN"})
            or (run.requested == "open" and run.verification == "INVALID")
        )
    return either(
        both(
            equals(read(run, "requested"), "closed"),
            among(read(run, "verification"), frozenset({"INVALID", "OPEN"})),
        ),
        both(equals(read(run, "requested"), "open"), equals(read(run, "verification"), "INVALID")),
    )


CONFLICT_VERIFICATION = Conflict(
    fact="verification",
    scope="leaf",
    line=123,
    breach='the division it is asked for is "closed" and its recorded verification is one of "OPEN" and "INVALID", or the division it is asked for is "open" and its recorded verification is "INVALID"',
    facts=("requested", "verification"),
    test=conflict_verification,
)


def conflict_accelerators(run: Leaf) -> Value:
    """accelerators != processes

    Rules.md:150
    """
    if run.accelerators is not None and run.processes is not None:
        return run.accelerators != run.processes
    return differs(read(run, "accelerators"), read(run, "processes"))


CONFLICT_ACCELERATORS = Conflict(
    fact="accelerators",
    scope="leaf",
    line=150,
    breach="its accelerators are not its processes",
    facts=("accelerators", "processes"),
    test=conflict_accelerators,
)


def conflict_hosts(run: Leaf) -> Value:
    """hosts != named_hosts or hosts != collected_hosts

    Rules.md:160
    """
    if run.hosts is not None and run.named_hosts is not None and run.collected_hosts is not None:
        return run.hosts != run.named_hosts or run.hosts != run.collected_hosts
    return either(
        differs(read(run, "hosts"), read(run, "named_hosts")),
        differs(read(run, "hosts"), read(run, "collected_hosts")),
    )


CONFLICT_HOSTS = Conflict(
    fact="hosts",
    scope="leaf",
    line=160,
    breach="its hosts are not its hosts as named, or its hosts are not its hosts as collected",
    facts=("collected_hosts", "hosts", "named_hosts"),
    test=conflict_hosts,
)


def conflict_collected_memory(run: Leaf) -> Value:
    """abs(collected_memory as GiB - measured_memory) > 1 GiB

    Rules.md:217
    """
    if run.collected_memory is not None and run.measured_memory is not None:
        return abs(run.collected_memory * Fraction(1, 1073741824) - run.measured_memory) > 1
    return exceeds(
        absolute(
            minus(
                times(read(run, "collected_memory"), Fraction(1, 1073741824)),
                read(run, "measured_memory"),
            ),
        ),
        1,
    )


CONFLICT_COLLECTED_MEMORY = Conflict(
    fact="collected_memory",
    scope="leaf",
    line=217,
    breach="the absolute value of (its collected memory in GiB minus its measured memory) is more than 1 GiB",
    facts=("collected_memory", "measured_memory"),
    test=conflict_collected_memory,
    level="warning",
)


def implausible_processes(run: Leaf) -> Value:
    """processes > 0

    Rules.md:142
    """
    if run.processes is not None:
        return run.processes <= 0
    return negate(exceeds(read(run, "processes"), 0))


IMPLAUSIBLE_PROCESSES = Conflict(
    fact="processes",
    scope="leaf",
    line=142,
    breach="its processes are more than 0",
    facts=("processes",),
    test=implausible_processes,
    bound=True,
)


def implausible_accelerators(run: Leaf) -> Value:
    """accelerators > 0

    Rules.md:151
    """
    if run.accelerators is not None:
        return run.accelerators <= 0
    return negate(exceeds(read(run, "accelerators"), 0))


IMPLAUSIBLE_ACCELERATORS = Conflict(
    fact="accelerators",
    scope="leaf",
    line=151,
    breach="its accelerators are more than 0",
    facts=("accelerators",),
    test=implausible_accelerators,
    bound=True,
)


def implausible_hosts(run: Leaf) -> Value:
    """hosts > 0

    Rules.md:161
    """
    if run.hosts is not None:
        return run.hosts <= 0
    return negate(exceeds(read(run, "hosts"), 0))


IMPLAUSIBLE_HOSTS = Conflict(
    fact="hosts",
    scope="leaf",
    line=161,
    breach="its hosts are more than 0",
    facts=("hosts",),
    test=implausible_hosts,
    bound=True,
)


def implausible_collected_hosts(run: Leaf) -> Value:
    """collected_hosts > 0

    Rules.md:174
    """
    if run.collected_hosts is not None:
        return run.collected_hosts <= 0
    return negate(exceeds(read(run, "collected_hosts"), 0))


IMPLAUSIBLE_COLLECTED_HOSTS = Conflict(
    fact="collected_hosts",
    scope="leaf",
    line=174,
    breach="its hosts as collected are more than 0",
    facts=("collected_hosts",),
    test=implausible_collected_hosts,
    bound=True,
)


def implausible_slots(run: Leaf) -> Value:
    """all(s.count > 0 for s in slots)

    Rules.md:183
    """
    if run.slots is not None and all(s.count is not None for s in run.slots):
        return not all(s.count > 0 for s in run.slots)
    return negate(every(read(run, "slots"), lambda s: exceeds(read(s, "count"), 0)))


IMPLAUSIBLE_SLOTS = Conflict(
    fact="slots",
    scope="leaf",
    line=183,
    breach="for every s of its host slots, s's count is more than 0",
    facts=("slots",),
    test=implausible_slots,
    bound=True,
)


def implausible_declared_memory(run: Leaf) -> Value:
    """declared_memory > 0 GiB

    Rules.md:200
    """
    if run.declared_memory is not None:
        return run.declared_memory <= 0
    return negate(exceeds(read(run, "declared_memory"), 0))


IMPLAUSIBLE_DECLARED_MEMORY = Conflict(
    fact="declared_memory",
    scope="leaf",
    line=200,
    breach="its declared memory is more than 0 GiB",
    facts=("declared_memory",),
    test=implausible_declared_memory,
    bound=True,
)


def implausible_measured_memory(run: Leaf) -> Value:
    """measured_memory > 0 GiB

    Rules.md:211
    """
    if run.measured_memory is not None:
        return run.measured_memory <= 0
    return negate(exceeds(read(run, "measured_memory"), 0))


IMPLAUSIBLE_MEASURED_MEMORY = Conflict(
    fact="measured_memory",
    scope="leaf",
    line=211,
    breach="its measured memory is more than 0 GiB",
    facts=("measured_memory",),
    test=implausible_measured_memory,
    bound=True,
)


def implausible_collected_memory(run: Leaf) -> Value:
    """collected_memory > 0 bytes

    Rules.md:219
    """
    if run.collected_memory is not None:
        return run.collected_memory <= 0
    return negate(exceeds(read(run, "collected_memory"), 0))


IMPLAUSIBLE_COLLECTED_MEMORY = Conflict(
    fact="collected_memory",
    scope="leaf",
    line=219,
    breach="its collected memory is more than 0 bytes",
    facts=("collected_memory",),
    test=implausible_collected_memory,
    bound=True,
)


def implausible_written(run: Leaf) -> Value:
    """written > 0 GiB and (written >= 0.99 * planned and written <= 1.01 * planned or requested == "whatif"
        or any(o.key starts with "model." and o.key != "model.parallelism.data" for o in overrides))

    Rules.md:241
    """
    if (
        run.written is not None
        and run.planned is not None
        and run.requested is not None
        and run.overrides is not None
        and all(o.key is not None for o in run.overrides)
    ):
        return not (
            run.written > 0
            and (
                (
                    run.written >= Fraction(99, 100) * run.planned
                    and run.written <= Fraction(101, 100) * run.planned
                )
                or run.requested == "whatif"
                or any(
                    starts_with(o.key, "model.") is True and o.key != "model.parallelism.data"
                    for o in run.overrides
                )
            )
        )
    return negate(
        both(
            exceeds(read(run, "written"), 0),
            either(
                both(
                    reaches(read(run, "written"), times(Fraction(99, 100), read(run, "planned"))),
                    reaches(times(Fraction(101, 100), read(run, "planned")), read(run, "written")),
                ),
                equals(read(run, "requested"), "whatif"),
                exists(
                    read(run, "overrides"),
                    lambda o: both(
                        starts_with(read(o, "key"), "model."),
                        differs(read(o, "key"), "model.parallelism.data"),
                    ),
                ),
            ),
        ),
    )


IMPLAUSIBLE_WRITTEN = Conflict(
    fact="written",
    scope="leaf",
    line=241,
    breach='its written size is more than 0 GiB, and (its written size is at least 0.99 times its planned size, and its written size is at most 1.01 times its planned size) or the division it is asked for is "whatif" or (for some o of its overrides, o\'s key starts with "model.", and o\'s key is not "model.parallelism.data")',
    facts=("overrides", "planned", "requested", "written"),
    test=implausible_written,
    bound=True,
)


def implausible_writes(run: Leaf) -> Value:
    """writes >= 0

    Rules.md:254
    """
    if run.writes is not None:
        return run.writes < 0
    return negate(reaches(read(run, "writes"), 0))


IMPLAUSIBLE_WRITES = Conflict(
    fact="writes",
    scope="leaf",
    line=254,
    breach="its checkpoints written are at least 0",
    facts=("writes",),
    test=implausible_writes,
    bound=True,
)


def implausible_reads(run: Leaf) -> Value:
    """reads >= 0

    Rules.md:266
    """
    if run.reads is not None:
        return run.reads < 0
    return negate(reaches(read(run, "reads"), 0))


IMPLAUSIBLE_READS = Conflict(
    fact="reads",
    scope="leaf",
    line=266,
    breach="its checkpoints read are at least 0",
    facts=("reads",),
    test=implausible_reads,
    bound=True,
)


def implausible_write_rate(run: Leaf) -> Value:
    """(write_rate otherwise 0) >= 0
        and (writes == 0 or written is not recorded or (write_rate otherwise 0) > 0)

    Rules.md:272
    """
    if run.write_rate is not None and run.writes is not None and run.written is not None:
        return not (run.write_rate >= 0 and (run.writes == 0 or run.write_rate > 0))
    return negate(
        both(
            reaches(otherwise(read(run, "write_rate"), 0), 0),
            either(
                equals(read(run, "writes"), 0),
                negate(recorded(read(run, "written"))),
                exceeds(otherwise(read(run, "write_rate"), 0), 0),
            ),
        ),
    )


IMPLAUSIBLE_WRITE_RATE = Conflict(
    fact="write_rate",
    scope="leaf",
    line=272,
    breach="(its write rate or, where that is not recorded, 0) is at least 0, and its checkpoints written are 0 or its written size is not recorded or (its write rate or, where that is not recorded, 0) is more than 0",
    facts=("write_rate", "writes", "written"),
    test=implausible_write_rate,
    bound=True,
)


def implausible_write_duration(run: Leaf) -> Value:
    """(write_duration otherwise 0 s) >= 0 s
        and (writes == 0 or written is not recorded or (write_duration otherwise 0 s) > 0 s)

    Rules.md:279
    """
    if run.write_duration is not None and run.writes is not None and run.written is not None:
        return not (run.write_duration >= 0 and (run.writes == 0 or run.write_duration > 0))
    return negate(
        both(
            reaches(otherwise(read(run, "write_duration"), 0), 0),
            either(
                equals(read(run, "writes"), 0),
                negate(recorded(read(run, "written"))),
                exceeds(otherwise(read(run, "write_duration"), 0), 0),
            ),
        ),
    )


IMPLAUSIBLE_WRITE_DURATION = Conflict(
    fact="write_duration",
    scope="leaf",
    line=279,
    breach="(its write duration or, where that is not recorded, 0 s) is at least 0 s, and its checkpoints written are 0 or its written size is not recorded or (its write duration or, where that is not recorded, 0 s) is more than 0 s",
    facts=("write_duration", "writes", "written"),
    test=implausible_write_duration,
    bound=True,
)


def implausible_read_rate(run: Leaf) -> Value:
    """(read_rate otherwise 0) >= 0
        and (reads == 0 or written is not recorded or (read_rate otherwise 0) > 0)

    Rules.md:286
    """
    if run.read_rate is not None and run.reads is not None and run.written is not None:
        return not (run.read_rate >= 0 and (run.reads == 0 or run.read_rate > 0))
    return negate(
        both(
            reaches(otherwise(read(run, "read_rate"), 0), 0),
            either(
                equals(read(run, "reads"), 0),
                negate(recorded(read(run, "written"))),
                exceeds(otherwise(read(run, "read_rate"), 0), 0),
            ),
        ),
    )


IMPLAUSIBLE_READ_RATE = Conflict(
    fact="read_rate",
    scope="leaf",
    line=286,
    breach="(its read rate or, where that is not recorded, 0) is at least 0, and its checkpoints read are 0 or its written size is not recorded or (its read rate or, where that is not recorded, 0) is more than 0",
    facts=("read_rate", "reads", "written"),
    test=implausible_read_rate,
    bound=True,
)


def implausible_read_duration(run: Leaf) -> Value:
    """(read_duration otherwise 0 s) >= 0 s
        and (reads == 0 or written is not recorded or (read_duration otherwise 0 s) > 0 s)

    Rules.md:293
    """
    if run.read_duration is not None and run.reads is not None and run.written is not None:
        return not (run.read_duration >= 0 and (run.reads == 0 or run.read_duration > 0))
    return negate(
        both(
            reaches(otherwise(read(run, "read_duration"), 0), 0),
            either(
                equals(read(run, "reads"), 0),
                negate(recorded(read(run, "written"))),
                exceeds(otherwise(read(run, "read_duration"), 0), 0),
            ),
        ),
    )


IMPLAUSIBLE_READ_DURATION = Conflict(
    fact="read_duration",
    scope="leaf",
    line=293,
    breach="(its read duration or, where that is not recorded, 0 s) is at least 0 s, and its checkpoints read are 0 or its written size is not recorded or (its read duration or, where that is not recorded, 0 s) is more than 0 s",
    facts=("read_duration", "reads", "written"),
    test=implausible_read_duration,
    bound=True,
)


def implausible_invocation_end(run: Leaf) -> Value:
    """invocation_end >= invocation_start

    Rules.md:358
    """
    if run.invocation_end is not None and run.invocation_start is not None:
        return run.invocation_end < run.invocation_start
    return negate(reaches(read(run, "invocation_end"), read(run, "invocation_start")))


IMPLAUSIBLE_INVOCATION_END = Conflict(
    fact="invocation_end",
    scope="leaf",
    line=358,
    breach="its invocation end is at least its invocation start",
    facts=("invocation_end", "invocation_start"),
    test=implausible_invocation_end,
    bound=True,
)


def implausible_summary_end(run: Leaf) -> Value:
    """summary_end >= summary_start

    Rules.md:374
    """
    if run.summary_end is not None and run.summary_start is not None:
        return run.summary_end < run.summary_start
    return negate(reaches(read(run, "summary_end"), read(run, "summary_start")))


IMPLAUSIBLE_SUMMARY_END = Conflict(
    fact="summary_end",
    scope="leaf",
    line=374,
    breach="its summary's end is at least its summary's start",
    facts=("summary_end", "summary_start"),
    test=implausible_summary_end,
    bound=True,
)


def implausible_remap_time(workload: Workload) -> Value:
    """remap_time >= 0 s

    Rules.md:424
    """
    if workload.remap_time is not None:
        return workload.remap_time < 0
    return negate(reaches(read(workload, "remap_time"), 0))


IMPLAUSIBLE_REMAP_TIME = Conflict(
    fact="remap_time",
    scope="workload",
    line=424,
    breach="its remap time is at least 0 s",
    facts=("remap_time",),
    test=implausible_remap_time,
    bound=True,
)


def clause_4_3_1_statement_1(run: Leaf) -> Value | None:
    """when both_phases: warn if written_per_host <= 3 * memory_per_host

    Rules.md:712
    """
    if run.both_phases is not None and run.written_per_host is not None and run.memory_per_host is not None:
        if not run.both_phases:
            return None
        return run.written_per_host <= 3 * run.memory_per_host
    return when(
        read(run, "both_phases"),
        reaches(times(3, read(run, "memory_per_host")), read(run, "written_per_host")),
    )


def clause_4_3_1_statement_2(run: Leaf) -> Value | None:
    """when stage == "launch" and both_phases: warn if planned / hosts <= 3 * declared_memory
        or planned / hosts <= 3 * seen_memory

    Rules.md:715
    """
    if (
        run.stage is not None
        and run.both_phases is not None
        and run.planned is not None
        and run.hosts is not None
        and run.hosts != 0
        and run.declared_memory is not None
        and run.seen_memory is not None
    ):
        if run.stage != "launch":
            return None
        if not run.both_phases:
            return None
        return (
            Fraction(run.planned, run.hosts) <= 3 * run.declared_memory
            or Fraction(run.planned, run.hosts) <= 3 * run.seen_memory
        )
    return when(
        both(equals(read(run, "stage"), "launch"), read(run, "both_phases")),
        either(
            reaches(
                times(3, read(run, "declared_memory")),
                divide(read(run, "planned"), read(run, "hosts")),
            ),
            reaches(times(3, read(run, "seen_memory")), divide(read(run, "planned"), read(run, "hosts"))),
        ),
    )


def clause_4_3_1_statement_3(run: Leaf) -> Value:
    """note if declared_memory > 1.1 * memory_per_host

    Rules.md:719
    """
    if run.declared_memory is not None and run.memory_per_host is not None:
        return run.declared_memory > Fraction(11, 10) * run.memory_per_host
    return exceeds(read(run, "declared_memory"), times(Fraction(11, 10), read(run, "memory_per_host")))


CLAUSE_4_3_1 = Clause(
    rule="4.3.1",
    name="checkpointDataSizeRatio",
    line=704,
    stage="launch",
    statements=(
        Statement(
            line=712,
            breach="where it writes and reads, its written size per host is at most 3 times its measured memory per host",
            facts=(
                "both_phases", "hosts", "measured_memory", "memory_per_host", "reads", "writes", "written",
                "written_per_host",
            ),
            test=clause_4_3_1_statement_1,
            level="warning",
            because="one checkpoint is {written_per_host} per host, the host has {memory_per_host}; reads may come from its cache",
            fix="write and read in two invocations and drop the cache between them",
        ),
        Statement(
            line=715,
            breach='where its stage is "launch" and it writes and reads, its planned size divided by its hosts is at most 3 times its declared memory, or its planned size divided by its hosts is at most 3 times the memory seen at its launch',
            facts=(
                "both_phases", "declared_memory", "hosts", "planned", "reads", "seen_memory", "stage",
                "writes",
            ),
            test=clause_4_3_1_statement_2,
            number=2,
            level="warning",
            because="a checkpoint of {planned} may fit the caches of its hosts: {hosts} with {declared_memory} each are declared",
            fix="write and read in two invocations and drop the cache between them",
        ),
        Statement(
            line=719,
            breach="its declared memory is more than 1.1 times its measured memory per host",
            facts=("declared_memory", "hosts", "measured_memory", "memory_per_host"),
            test=clause_4_3_1_statement_3,
            number=3,
            level="note",
            because="{declared_memory} of memory is declared for a host, {memory_per_host} was measured, and that is what a package is judged by",
        ),
    ),
)


def clause_4_3_2(run: Leaf) -> Value:
    """error if not fsync

    Rules.md:777
    """
    if run.fsync is not None:
        return not run.fsync
    return negate(read(run, "fsync"))


CLAUSE_4_3_2 = Clause(
    rule="4.3.2",
    name="checkpointFsyncVerification",
    line=773,
    stage="package",
    statements=(
        Statement(
            line=777,
            breach="fsync is not enabled",
            facts=("fsync",),
            test=clause_4_3_2,
            stage="package",
            because="fsync is off in the recorded configuration",
        ),
    ),
)


def clause_4_3_3(run: Leaf) -> Value:
    """error if model is not listed

    Rules.md:802
    """
    if run.model is not None:
        return False
    return negate(listed(read(run, "model")))


CLAUSE_4_3_3 = Clause(
    rule="4.3.3",
    name="checkpointModelConfigurationReq",
    line=799,
    stage="launch",
    statements=(
        Statement(
            line=802,
            breach="its model is not listed",
            facts=("model",),
            test=clause_4_3_3,
            because="{model} is none of the models of Table 2",
            fix="choose a model of Table 2",
            listed=("model",),
        ),
    ),
)


def clause_4_3_4_statement_1(run: Leaf) -> Value:
    """since "4.0": error if accelerator is not listed

    Rules.md:833
    """
    if run.accelerator is not None:
        return False
    return negate(listed(read(run, "accelerator")))


def clause_4_3_4_statement_2(run: Leaf) -> Value:
    """since "4.0": error if accelerator is listed and requested not in accelerator_types[accelerator].offered_in

    Rules.md:835
    """
    if run.accelerator is not None and run.requested is not None:
        return run.requested not in ACCELERATOR_TYPES[run.accelerator]["offered_in"]
    return both(
        listed(read(run, "accelerator")),
        negate(
            among(
                read(run, "requested"),
                look_up(TABLES, "accelerator_types", read(run, "accelerator"), "offered_in"),
            ),
        ),
    )


def clause_4_3_4_statement_3(run: Leaf) -> Value:
    """since "4.0": error if accelerator is listed
        and (accelerators * accelerator_memory < written
            or processes == full_count and accelerators * accelerator_memory < nominal)

    Rules.md:837
    """
    if (
        run.accelerator is not None
        and run.accelerators is not None
        and run.accelerator_memory is not None
        and run.written is not None
        and run.processes is not None
        and run.full_count is not None
        and run.nominal is not None
    ):
        return (
            run.accelerators * run.accelerator_memory < run.written
            or (
                run.processes == run.full_count and run.accelerators * run.accelerator_memory < run.nominal
            )
        )
    return both(
        listed(read(run, "accelerator")),
        either(
            exceeds(
                read(run, "written"),
                times(read(run, "accelerators"), read(run, "accelerator_memory")),
            ),
            both(
                equals(read(run, "processes"), read(run, "full_count")),
                exceeds(
                    read(run, "nominal"),
                    times(read(run, "accelerators"), read(run, "accelerator_memory")),
                ),
            ),
        ),
    )


def clause_4_3_4_statement_4(run: Leaf) -> Value:
    """until "3.0": warn if accelerator is not listed
        or requested not in accelerator_types[accelerator].offered_in
        or accelerators * accelerator_memory < written
        or processes == full_count and accelerators * accelerator_memory < nominal

    Rules.md:841
    """
    if (
        run.accelerator is not None
        and run.requested is not None
        and run.accelerators is not None
        and run.accelerator_memory is not None
        and run.written is not None
        and run.processes is not None
        and run.full_count is not None
        and run.nominal is not None
    ):
        return (
            run.requested not in ACCELERATOR_TYPES[run.accelerator]["offered_in"]
            or run.accelerators * run.accelerator_memory < run.written
            or (
                run.processes == run.full_count and run.accelerators * run.accelerator_memory < run.nominal
            )
        )
    return either(
        negate(listed(read(run, "accelerator"))),
        negate(
            among(
                read(run, "requested"),
                look_up(TABLES, "accelerator_types", read(run, "accelerator"), "offered_in"),
            ),
        ),
        exceeds(read(run, "written"), times(read(run, "accelerators"), read(run, "accelerator_memory"))),
        both(
            equals(read(run, "processes"), read(run, "full_count")),
            exceeds(
                read(run, "nominal"),
                times(read(run, "accelerators"), read(run, "accelerator_memory")),
            ),
        ),
    )


CLAUSE_4_3_4 = Clause(
    rule="4.3.4",
    name="checkpointAggregateAcceleratorMemory",
    line=826,
    stage="launch",
    statements=(
        Statement(
            line=833,
            breach="from edition 4.0 on, its accelerator is not listed",
            facts=("accelerator",),
            test=clause_4_3_4_statement_1,
            because="{accelerator} is no accelerator of this document",
            since="4.0",
            listed=("accelerator",),
        ),
        Statement(
            line=835,
            breach="from edition 4.0 on, its accelerator is listed, and the division it is asked for is not among the offered_in of its accelerator in table accelerator_types",
            facts=("accelerator", "requested"),
            test=clause_4_3_4_statement_2,
            number=2,
            because="{accelerator} is not offered in {requested}",
            since="4.0",
            listed=("accelerator",),
        ),
        Statement(
            line=837,
            breach="from edition 4.0 on, its accelerator is listed, and its accelerators times its accelerator's memory is less than its written size or (its processes are Table 2's total, and its accelerators times its accelerator's memory is less than Table 2's size)",
            facts=(
                "accelerator", "accelerator_memory", "accelerators", "full_count", "model", "nominal",
                "processes", "written",
            ),
            test=clause_4_3_4_statement_3,
            number=3,
            because="{accelerators} accelerators of {accelerator_memory} each cannot hold the checkpoint of {model}",
            since="4.0",
            listed=("accelerator",),
        ),
        Statement(
            line=841,
            breach="up to edition 3.0, its accelerator is not listed, or the division it is asked for is not among the offered_in of its accelerator in table accelerator_types, or its accelerators times its accelerator's memory is less than its written size, or its processes are Table 2's total and its accelerators times its accelerator's memory is less than Table 2's size",
            facts=(
                "accelerator", "accelerator_memory", "accelerators", "full_count", "model", "nominal",
                "processes", "requested", "written",
            ),
            test=clause_4_3_4_statement_4,
            number=4,
            level="warning",
            because="{accelerator} is not offered in {requested}, or {accelerators} of it cannot hold the checkpoint of {model}",
            until="3.0",
            listed=("accelerator",),
        ),
    ),
)


def clause_4_3_5(run: Leaf) -> Value:
    """error if subset and (accelerators != 8 or model != "8B")

    Rules.md:964
    """
    if run.subset is False:
        return False
    if run.subset is True and run.accelerators is not None and run.model is not None:
        return run.accelerators != 8 or run.model != "8B"
    return both(
        read(run, "subset"),
        either(differs(read(run, "accelerators"), 8), differs(read(run, "model"), "8B")),
    )


CLAUSE_4_3_5 = Clause(
    rule="4.3.5",
    name="checkpointSubsetRunValidation",
    line=958,
    stage="launch",
    statements=(
        Statement(
            line=964,
            breach='the run is a subset run, and its accelerators are not 8 or its model is not "8B"',
            facts=("accelerators", "claim", "model", "overrides", "partial", "requested", "subset"),
            test=clause_4_3_5,
            because="a subset run is 8B on exactly 8 accelerators; this is {model} on {accelerators}",
            fix="drop --checkpoint-subset: without the claim {model} runs in CLOSED on {full_count} processes; or run 8B on 8 processes",
        ),
    ),
)


def clause_4_4_1_statement_1(run: Leaf) -> Value:
    """error if arguments and (checkpoint_folder is not recorded or results_folder is not recorded)

    Rules.md:1028
    """
    if run.arguments is False:
        return False
    if run.arguments is True and run.checkpoint_folder is not None and run.results_folder is not None:
        return False
    return both(
        read(run, "arguments"),
        either(
            negate(recorded(read(run, "checkpoint_folder"))),
            negate(recorded(read(run, "results_folder"))),
        ),
    )


def clause_4_4_1_statement_2(run: Leaf) -> Value:
    """error if checkpoint_folder is recorded and results_folder is recorded and checkpoint_folder == results_folder

    Rules.md:1031
    """
    if run.checkpoint_folder is not None and run.results_folder is not None:
        return run.checkpoint_folder == run.results_folder
    return both(
        recorded(read(run, "checkpoint_folder")),
        recorded(read(run, "results_folder")),
        equals(read(run, "checkpoint_folder"), read(run, "results_folder")),
    )


CLAUSE_4_4_1 = Clause(
    rule="4.4.1",
    name="checkpointPathArgs",
    line=1024,
    stage="launch",
    statements=(
        Statement(
            line=1028,
            breach="its arguments were recorded, and its checkpoint folder is not recorded or its results folder is not recorded",
            facts=("arguments", "checkpoint_folder", "results_folder"),
            test=clause_4_4_1_statement_1,
            because="the checkpoint folder or the results folder is not set",
            fix="give both --checkpoint-folder and --results-dir",
        ),
        Statement(
            line=1031,
            breach="its checkpoint folder is recorded, its results folder is recorded, and its checkpoint folder is its results folder",
            facts=("checkpoint_folder", "results_folder"),
            test=clause_4_4_1_statement_2,
            number=2,
            because="checkpoints and results go to one folder, {checkpoint_folder}",
            fix="put the results on another filesystem",
        ),
    ),
)


def clause_4_4_2_statement_1(run: Leaf) -> Value | None:
    """since "4.0": when access == "file": error if same_filesystem

    Rules.md:1068
    """
    if run.access is not None and run.same_filesystem is not None:
        if run.access != "file":
            return None
        return run.same_filesystem
    return when(equals(read(run, "access"), "file"), read(run, "same_filesystem"))


def clause_4_4_2_statement_2(run: Leaf) -> Value | None:
    """until "3.0": when access == "file": warn if same_filesystem

    Rules.md:1071
    """
    if run.access is not None and run.same_filesystem is not None:
        if run.access != "file":
            return None
        return run.same_filesystem
    return when(equals(read(run, "access"), "file"), read(run, "same_filesystem"))


CLAUSE_4_4_2 = Clause(
    rule="4.4.2",
    name="checkpointFilesystemCheck",
    line=1064,
    stage="launch",
    statements=(
        Statement(
            line=1068,
            breach='from edition 4.0 on, where its access is "file", both folders are on one filesystem',
            facts=("access", "same_filesystem"),
            test=clause_4_4_2_statement_1,
            because="checkpoints and results share one filesystem",
            fix="put --results-dir on another filesystem",
            since="4.0",
        ),
        Statement(
            line=1071,
            breach='up to edition 3.0, where its access is "file", both folders are on one filesystem',
            facts=("access", "same_filesystem"),
            test=clause_4_4_2_statement_2,
            number=2,
            level="warning",
            because="checkpoints and results share one filesystem",
            until="3.0",
        ),
    ),
)


def clause_4_6_1(run: Leaf) -> Value | None:
    """in closed: when model is listed: error if processes != full_count

    Rules.md:1101
    """
    if run.model is not None and run.processes is not None and run.full_count is not None:
        return run.processes != run.full_count
    return when(listed(read(run, "model")), differs(read(run, "processes"), read(run, "full_count")))


CLAUSE_4_6_1 = Clause(
    rule="4.6.1",
    name="checkpointClosedMpiProcesses",
    line=1097,
    stage="launch",
    statements=(
        Statement(
            line=1101,
            breach="where its model is listed, its processes are not Table 2's total",
            facts=("full_count", "model", "processes"),
            test=clause_4_6_1,
            category="closed",
            because="{model} runs on {full_count} processes in CLOSED, this run on {processes}",
            fix="use --num-processes {full_count}",
            listed=("model",),
        ),
    ),
)


def clause_4_6_2_statement_1(run: Leaf) -> Value:
    """in closed: error if accelerators_per_host <= 4

    Rules.md:1136
    """
    if run.accelerators_per_host is not None:
        return run.accelerators_per_host <= 4
    return reaches(4, read(run, "accelerators_per_host"))


def clause_4_6_2_statement_2(run: Leaf) -> Value:
    """note if accelerators_per_host == changeable.processes_per_node.minimum

    Rules.md:1139
    """
    if run.accelerators_per_host is not None:
        return run.accelerators_per_host == CHANGEABLE["Processes per node"]["minimum"]
    return equals(
        read(run, "accelerators_per_host"),
        look_up(TABLES, "changeable", "Processes per node", "minimum"),
    )


CLAUSE_4_6_2 = Clause(
    rule="4.6.2",
    name="checkpointClosedAcceleratorsPerHost",
    line=1132,
    stage="launch",
    statements=(
        Statement(
            line=1136,
            breach="its accelerators per host are at most 4",
            facts=("accelerators", "accelerators_per_host", "hosts", "slots"),
            test=clause_4_6_2_statement_1,
            category="closed",
            because="a host has {accelerators_per_host} of the {accelerators} accelerators (hosts: {hosts}); more than 4 are needed",
            fix="place more than 4 accelerators on every host",
        ),
        Statement(
            line=1139,
            breach='its accelerators per host are the minimum of "Processes per node" in table changeable',
            facts=("accelerators", "accelerators_per_host", "hosts", "slots"),
            test=clause_4_6_2_statement_2,
            number=2,
            level="note",
            because="the table of parameters allows {accelerators_per_host} per node, the text of this clause does not; the text decides",
        ),
    ),
)


def clause_4_6_3_statement_1(run: Leaf, o: OverridesElement) -> Value:
    """in closed: for each o in overrides: error if o.key not in checkpoint_overrides
        or checkpoint_overrides[o.key].access == "object" and access != "object"

    Rules.md:1187
    """
    if o.key is not None and run.access is not None:
        return (
            o.key not in CHECKPOINT_OVERRIDES
            or (CHECKPOINT_OVERRIDES[o.key]["access"] == "object" and run.access != "object")
        )
    return either(
        negate(
            among(
                read(o, "key"),
                frozenset({
                    "checkpoint.checkpoint_folder", "checkpoint.mode", "checkpoint.num_checkpoints_read",
                    "checkpoint.num_checkpoints_write", "model.parallelism.data",
                    "storage.s3_force_path_style", "storage.storage_options.storage_library",
                    "storage.storage_options.uri_scheme", "storage.storage_root", "storage.storage_type",
                }),
            ),
        ),
        both(
            equals(look_up(TABLES, "checkpoint_overrides", read(o, "key"), "access"), "object"),
            differs(read(run, "access"), "object"),
        ),
    )


def clause_4_6_3_statement_2(run: Leaf, p: ParametersElement) -> Value | None:
    """in closed: for each p in parameters where p.key in template: error if p.value != template[p.key].value

    Rules.md:1191
    """
    if p.key is not None and p.value is not None:
        if p.key not in TEMPLATE:
            return None
        return not same(p.value, TEMPLATE[p.key]["value"])
    return when(
        among(
            read(p, "key"),
            frozenset({
                "checkpoint.fsync", "checkpoint.time_between_checkpoints", "framework",
                "model.model_datatype", "model.optimizer_datatype", "model.type", "workflow.checkpoint",
                "workflow.generate_data", "workflow.train",
            }),
        ),
        differs(read(p, "value"), look_up(TABLES, "template", read(p, "key"), "value")),
    )


def clause_4_6_3_statement_3(run: Leaf, p: ParametersElement) -> Value | None:
    """in closed: for each p in parameters where p.key in template_rows: when model is listed:
        error if p.value != table2[model][template_rows[p.key].row]

    Rules.md:1194
    """
    if p.key is not None and run.model is not None and p.value is not None:
        if p.key not in TEMPLATE_ROWS:
            return None
        return not same(p.value, TABLE2[run.model][TEMPLATE_ROWS[p.key]["row"]])
    return when(
        both(
            among(
                read(p, "key"),
                frozenset({
                    "model.name", "model.num_layers", "model.parallelism.pipeline",
                    "model.parallelism.tensor", "model.parallelism.zero_stage",
                    "model.transformer.ffn_hidden_size", "model.transformer.hidden_size",
                    "model.transformer.num_attention_heads", "model.transformer.num_kv_heads",
                    "model.transformer.vocab_size",
                }),
            ),
            listed(read(run, "model")),
        ),
        differs(
            read(p, "value"),
            look_up(
                TABLES,
                "table2",
                read(run, "model"),
                look_up(TABLES, "template_rows", read(p, "key"), "row"),
            ),
        ),
    )


CLAUSE_4_6_3 = Clause(
    rule="4.6.3",
    name="checkpointClosedCheckpointParameters",
    line=1182,
    stage="launch",
    statements=(
        Statement(
            line=1187,
            breach='for each o of its overrides, o\'s key is not listed in table checkpoint_overrides, or the access of o\'s key in table checkpoint_overrides is "object" and its access is not "object"',
            facts=("access", "overrides"),
            test=clause_4_6_3_statement_1,
            category="closed",
            each=Each(names=("o",), listing="overrides"),
            because="{o.key} may not be set in CLOSED",
            fix="leave out --params {o.key}={o.value}, or run it as open",
        ),
        Statement(
            line=1191,
            breach="for each p of its parameters for which p's key is listed in table template, p's value is not the value of p's key in table template",
            facts=("parameters",),
            test=clause_4_6_3_statement_2,
            number=2,
            category="closed",
            stage="package",
            each=Each(names=("p",), listing="parameters"),
            because="{p.key} is {p.value}, which is not the template's value",
            fix="leave out --params {p.key}={p.value}, or run it as open",
        ),
        Statement(
            line=1194,
            breach="for each p of its parameters for which p's key is listed in table template_rows, where its model is listed, p's value is not the column that is named by (the row of p's key in table template_rows) of its model in table table2",
            facts=("model", "parameters"),
            test=clause_4_6_3_statement_3,
            number=3,
            category="closed",
            each=Each(names=("p",), listing="parameters"),
            because="{p.key} is {p.value}, which is not what Table 2 gives {model}",
            fix="leave out --params {p.key}={p.value}, or run it as open",
            listed=("model",),
        ),
    ),
)


def clause_4_6_4(run: Leaf) -> Value | None:
    """when model is listed: error if processes <= 0 or processes mod group_size != 0

    Rules.md:1351
    """
    if (
        run.model is not None
        and run.processes is not None
        and run.group_size is not None
        and run.group_size != 0
    ):
        return run.processes <= 0 or run.processes % run.group_size != 0
    return when(
        listed(read(run, "model")),
        either(
            reaches(0, read(run, "processes")),
            differs(modulo(read(run, "processes"), read(run, "group_size")), 0),
        ),
    )


CLAUSE_4_6_4 = Clause(
    rule="4.6.4",
    name="checkpointOpenSubmissionScaling",
    line=1347,
    stage="launch",
    statements=(
        Statement(
            line=1351,
            breach="where its model is listed, its processes are at most 0, or its processes modulo the replica size is not 0",
            facts=("group_size", "model", "processes"),
            test=clause_4_6_4,
            because="{model} needs a positive multiple of {group_size} processes, this run has {processes}",
            fix="use a multiple of {group_size}",
            listed=("model",),
        ),
    ),
)


def clause_4_7_1_statement_1(run: Leaf) -> Value:
    """in closed: error if writes not in {0, 10} or reads not in {0, 10}

    Rules.md:1394
    """
    if run.writes is not None and run.reads is not None:
        return run.writes not in {0, 10} or run.reads not in {0, 10}
    return either(
        negate(among(read(run, "writes"), frozenset({0, 10}))),
        negate(among(read(run, "reads"), frozenset({0, 10}))),
    )


def clause_4_7_1_statement_2(workload: Workload) -> Value | None:
    """in closed: when count(r in runs where r.ran) == 1: error if sum(r.writes for r in runs where r.ran) != 10
        or sum(r.reads for r in runs where r.ran) != 10

    Rules.md:1397
    """
    if (
        workload.runs is not None
        and all(r.ran is not None for r in workload.runs)
        and all(r.ran is not None and r.writes is not None for r in workload.runs)
        and all(r.ran is not None and r.reads is not None for r in workload.runs)
    ):
        if sum(1 for r in workload.runs if r.ran) != 1:
            return None
        return (
            sum(r.writes for r in workload.runs if r.ran) != 10
            or sum(r.reads for r in workload.runs if r.ran) != 10
        )
    return when(
        equals(tally(read(workload, "runs"), lambda r: read(r, "ran")), 1),
        either(
            differs(
                fold("sum", read(workload, "runs"), lambda r: read(r, "writes"), lambda r: read(r, "ran")),
                10,
            ),
            differs(
                fold("sum", read(workload, "runs"), lambda r: read(r, "reads"), lambda r: read(r, "ran")),
                10,
            ),
        ),
    )


def clause_4_7_1_statement_3(workload: Workload, first: Leaf, second: Leaf) -> Value | None:
    """in closed: for each first then second in runs: when first.ran and second.ran: error if first.writes != 10
        or first.reads != 0
        or second.writes != 0
        or second.reads != 10

    Rules.md:1401
    """
    if (
        first.ran is not None
        and second.ran is not None
        and first.writes is not None
        and first.reads is not None
        and second.writes is not None
        and second.reads is not None
    ):
        if not first.ran:
            return None
        if not second.ran:
            return None
        return first.writes != 10 or first.reads != 0 or second.writes != 0 or second.reads != 10
    return when(
        both(read(first, "ran"), read(second, "ran")),
        either(
            differs(read(first, "writes"), 10),
            differs(read(first, "reads"), 0),
            differs(read(second, "writes"), 0),
            differs(read(second, "reads"), 10),
        ),
    )


def clause_4_7_1_statement_4(workload: Workload, first: Leaf, second: Leaf) -> Value | None:
    """since "4.0": for each first then second in runs: when first.writes_only and second.reads_only:
        error if second.began - first.ended > 30 s
        and second.began == second.invocation_start
        and first.ended == (first.invocation_end otherwise first.snapshot_end)

    Rules.md:1406
    """
    if (
        first.writes_only is not None
        and second.reads_only is not None
        and second.began is not None
        and first.ended is not None
        and second.invocation_start is not None
        and first.invocation_end is not None
    ):
        if not first.writes_only:
            return None
        if not second.reads_only:
            return None
        return (
            elapsed(second.began, first.ended) > 30
            and second.began == second.invocation_start
            and first.ended == first.invocation_end
        )
    return when(
        both(read(first, "writes_only"), read(second, "reads_only")),
        both(
            exceeds(minus(read(second, "began"), read(first, "ended")), 30),
            equals(read(second, "began"), read(second, "invocation_start")),
            equals(
                read(first, "ended"),
                otherwise(read(first, "invocation_end"), read(first, "snapshot_end")),
            ),
        ),
    )


def clause_4_7_1_statement_5(workload: Workload, first: Leaf, second: Leaf) -> Value | None:
    """until "3.0": for each first then second in runs: when first.writes_only and second.reads_only:
        warn if second.began - first.ended > 30 s
        and second.began == second.invocation_start
        and first.ended == (first.invocation_end otherwise first.snapshot_end)

    Rules.md:1411
    """
    if (
        first.writes_only is not None
        and second.reads_only is not None
        and second.began is not None
        and first.ended is not None
        and second.invocation_start is not None
        and first.invocation_end is not None
    ):
        if not first.writes_only:
            return None
        if not second.reads_only:
            return None
        return (
            elapsed(second.began, first.ended) > 30
            and second.began == second.invocation_start
            and first.ended == first.invocation_end
        )
    return when(
        both(read(first, "writes_only"), read(second, "reads_only")),
        both(
            exceeds(minus(read(second, "began"), read(first, "ended")), 30),
            equals(read(second, "began"), read(second, "invocation_start")),
            equals(
                read(first, "ended"),
                otherwise(read(first, "invocation_end"), read(first, "snapshot_end")),
            ),
        ),
    )


def clause_4_7_1_statement_6(workload: Workload, first: Leaf, second: Leaf) -> Value | None:
    """for each first then second in runs: when first.writes_only and second.reads_only:
        warn if second.began - first.ended < 0 s

    Rules.md:1416
    """
    if (
        first.writes_only is not None
        and second.reads_only is not None
        and second.began is not None
        and first.ended is not None
    ):
        if not first.writes_only:
            return None
        if not second.reads_only:
            return None
        return elapsed(second.began, first.ended) < 0
    return when(
        both(read(first, "writes_only"), read(second, "reads_only")),
        exceeds(0, minus(read(second, "began"), read(first, "ended"))),
    )


def clause_4_7_1_statement_7(workload: Workload, first: Leaf, second: Leaf) -> Value | None:
    """for each first then second in runs: when first.writes_only and second.reads_only:
        error if first.summary_end is recorded
        and second.summary_start is recorded
        and second.summary_start < first.summary_end

    Rules.md:1419
    """
    if (
        first.writes_only is not None
        and second.reads_only is not None
        and first.summary_end is not None
        and second.summary_start is not None
    ):
        if not first.writes_only:
            return None
        if not second.reads_only:
            return None
        return second.summary_start < first.summary_end
    return when(
        both(read(first, "writes_only"), read(second, "reads_only")),
        both(
            recorded(read(first, "summary_end")),
            recorded(read(second, "summary_start")),
            exceeds(read(first, "summary_end"), read(second, "summary_start")),
        ),
    )


CLAUSE_4_7_1 = Clause(
    rule="4.7.1",
    name="checkpointCacheFlushValidation",
    line=1387,
    stage="launch",
    statements=(
        Statement(
            line=1394,
            breach="its checkpoints written are none of 0 and 10, or its checkpoints read are none of 0 and 10",
            facts=("reads", "writes"),
            test=clause_4_7_1_statement_1,
            category="closed",
            because="{writes} checkpoints are written and {reads} read; CLOSED has 10 or 0 of each",
            fix="use --num-checkpoints-write 10 and --num-checkpoints-read 10",
        ),
        Statement(
            line=1397,
            breach="where the number of r of its runs (where r was run) is 1, the sum of r's checkpoints written over each r of its runs (where r was run) is not 10, or the sum of r's checkpoints read over each r of its runs (where r was run) is not 10",
            facts=("command", "ran", "reads", "runs", "writes"),
            test=clause_4_7_1_statement_2,
            number=2,
            category="closed",
            scope="workload",
            because="the one invocation of a CLOSED workload writes 10 checkpoints and reads 10",
            fix="add the invocation that is missing",
        ),
        Statement(
            line=1401,
            breach="for each pair of neighbours first and second of its runs, where first was run and second was run, first's checkpoints written are not 10, first's checkpoints read are not 0, second's checkpoints written are not 0, or second's checkpoints read are not 10",
            facts=("command", "ran", "reads", "runs", "writes"),
            test=clause_4_7_1_statement_3,
            number=3,
            category="closed",
            scope="workload",
            stage="package",
            each=Each(names=("first", "second"), listing="runs"),
            because="the first invocation wrote {first.writes} and read {first.reads}, the second wrote {second.writes} and read {second.reads}; CLOSED writes 10, then reads 10",
        ),
        Statement(
            line=1406,
            breach="from edition 4.0 on, for each pair of neighbours first and second of its runs, where first only writes and second only reads, second's start minus first's end is more than 30 s, second's start is second's invocation start, and first's end is (first's invocation end or, where that is not recorded, first's last snapshot)",
            facts=(
                "began", "command", "ended", "invocation_end", "invocation_start", "ran", "reads",
                "reads_only", "runs", "snapshot_end", "summary_end", "summary_start", "writes",
                "writes_only",
            ),
            test=clause_4_7_1_statement_4,
            number=4,
            scope="workload",
            stage="package",
            each=Each(names=("first", "second"), listing="runs"),
            because="the read began {second.began}, the write had ended {first.ended}; at most 30 seconds may lie between",
            since="4.0",
        ),
        Statement(
            line=1411,
            breach="up to edition 3.0, for each pair of neighbours first and second of its runs, where first only writes and second only reads, second's start minus first's end is more than 30 s, second's start is second's invocation start, and first's end is (first's invocation end or, where that is not recorded, first's last snapshot)",
            facts=(
                "began", "command", "ended", "invocation_end", "invocation_start", "ran", "reads",
                "reads_only", "runs", "snapshot_end", "summary_end", "summary_start", "writes",
                "writes_only",
            ),
            test=clause_4_7_1_statement_5,
            number=5,
            level="warning",
            scope="workload",
            stage="package",
            each=Each(names=("first", "second"), listing="runs"),
            because="the read began {second.began}, the write had ended {first.ended}; at most 30 seconds may lie between",
            until="3.0",
        ),
        Statement(
            line=1416,
            breach="for each pair of neighbours first and second of its runs, where first only writes and second only reads, second's start minus first's end is less than 0 s",
            facts=(
                "began", "command", "ended", "invocation_end", "invocation_start", "ran", "reads",
                "reads_only", "runs", "snapshot_end", "summary_end", "summary_start", "writes",
                "writes_only",
            ),
            test=clause_4_7_1_statement_6,
            number=6,
            level="warning",
            scope="workload",
            stage="package",
            each=Each(names=("first", "second"), listing="runs"),
            because="the read began {second.began}, before the write had ended {first.ended}: the clocks disagree",
        ),
        Statement(
            line=1419,
            breach="for each pair of neighbours first and second of its runs, where first only writes and second only reads, first's summary's end is recorded, second's summary's start is recorded, and second's summary's start is less than first's summary's end",
            facts=(
                "command", "ran", "reads", "reads_only", "runs", "summary_end", "summary_start", "writes",
                "writes_only",
            ),
            test=clause_4_7_1_statement_7,
            number=7,
            scope="workload",
            stage="package",
            each=Each(names=("first", "second"), listing="runs"),
            because="reading started {second.summary_start} while writing went on until {first.summary_end}",
        ),
    ),
)


def clause_4_7_3_statement_1(workload: Workload) -> Value:
    """error if remap_time is not recorded

    Rules.md:1651
    """
    if workload.remap_time is not None:
        return False
    return negate(recorded(read(workload, "remap_time")))


def clause_4_7_3_statement_2(workload: Workload) -> Value:
    """error if remap_time != 0 s and simultaneous_write and simultaneous_read

    Rules.md:1654
    """
    if (
        workload.remap_time is not None
        and workload.simultaneous_write is not None
        and workload.simultaneous_read is not None
    ):
        return workload.remap_time != 0 and workload.simultaneous_write and workload.simultaneous_read
    return both(
        differs(read(workload, "remap_time"), 0),
        read(workload, "simultaneous_write"),
        read(workload, "simultaneous_read"),
    )


def clause_4_7_3_statement_3(workload: Workload) -> Value:
    """error if remap_time == 0 s and not (simultaneous_write and simultaneous_read)

    Rules.md:1657
    """
    if (
        workload.remap_time is not None
        and workload.simultaneous_write is not None
        and workload.simultaneous_read is not None
    ):
        return workload.remap_time == 0 and not (workload.simultaneous_write and workload.simultaneous_read)
    return both(
        equals(read(workload, "remap_time"), 0),
        negate(both(read(workload, "simultaneous_write"), read(workload, "simultaneous_read"))),
    )


def clause_4_7_3_statement_4(workload: Workload, first: Leaf, second: Leaf) -> Value | None:
    """for each first then second in runs: when first.writes_only and second.reads_only: error if remap_time > 0 s
        and (second.summary_start otherwise second.invocation_start) - (first.summary_end otherwise first.invocation_end) < remap_time / 2

    Rules.md:1660
    """
    if (
        first.writes_only is not None
        and second.reads_only is not None
        and workload.remap_time is not None
        and second.summary_start is not None
        and first.summary_end is not None
    ):
        if not first.writes_only:
            return None
        if not second.reads_only:
            return None
        return (
            workload.remap_time > 0
            and elapsed(second.summary_start, first.summary_end) < Fraction(workload.remap_time, 2)
        )
    return when(
        both(read(first, "writes_only"), read(second, "reads_only")),
        both(
            exceeds(read(workload, "remap_time"), 0),
            exceeds(
                divide(read(workload, "remap_time"), 2),
                minus(
                    otherwise(read(second, "summary_start"), read(second, "invocation_start")),
                    otherwise(read(first, "summary_end"), read(first, "invocation_end")),
                ),
            ),
        ),
    )


CLAUSE_4_7_3 = Clause(
    rule="4.7.3",
    name="checkpointRemappingTimeReporting",
    line=1646,
    stage="package",
    statements=(
        Statement(
            line=1651,
            breach="its remap time is not recorded",
            facts=("remap_time",),
            test=clause_4_7_3_statement_1,
            scope="workload",
            stage="package",
            because="the system description states no remap_time_in_seconds",
            fix="state remap_time_in_seconds: 0 where hosts can write and read at once, else the seconds that it takes",
        ),
        Statement(
            line=1654,
            breach="its remap time is not 0 s, hosts can write at once, and hosts can read at once",
            facts=("remap_time", "simultaneous_read", "simultaneous_write"),
            test=clause_4_7_3_statement_2,
            number=2,
            scope="workload",
            stage="package",
            because="remapping takes {remap_time} although hosts can write and read at once",
            fix="state remap_time_in_seconds: 0 in place of {remap_time}, or that hosts cannot write or read at once",
        ),
        Statement(
            line=1657,
            breach="its remap time is 0 s, and hosts cannot write at once or hosts cannot read at once",
            facts=("remap_time", "simultaneous_read", "simultaneous_write"),
            test=clause_4_7_3_statement_3,
            number=3,
            scope="workload",
            stage="package",
            because="remapping takes {remap_time} although hosts cannot write and read at once",
            fix="state the seconds that remapping takes in place of {remap_time}, or that hosts can write and read at once",
        ),
        Statement(
            line=1660,
            breach="for each pair of neighbours first and second of its runs, where first only writes and second only reads, its remap time is more than 0 s, and (second's summary's start or, where that is not recorded, second's invocation start) minus (first's summary's end or, where that is not recorded, first's invocation end) is less than its remap time divided by 2",
            facts=(
                "command", "invocation_end", "invocation_start", "ran", "reads", "reads_only", "remap_time",
                "runs", "summary_end", "summary_start", "writes", "writes_only",
            ),
            test=clause_4_7_3_statement_4,
            number=4,
            scope="workload",
            stage="package",
            each=Each(names=("first", "second"), listing="runs"),
            because="remapping takes {remap_time}, but reading started {second.summary_start} after writing had ended {first.summary_end}",
            fix="state the seconds between {first.summary_end} and {second.summary_start} that remapping took, in place of {remap_time}",
        ),
    ),
)


def clause_4_7_4(workload: Workload) -> Value:
    """error if multi_host is not recorded or simultaneous_write is not recorded or simultaneous_read is not recorded

    Rules.md:1762
    """
    if (
        workload.multi_host is not None
        and workload.simultaneous_write is not None
        and workload.simultaneous_read is not None
    ):
        return False
    return either(
        negate(recorded(read(workload, "multi_host"))),
        negate(recorded(read(workload, "simultaneous_write"))),
        negate(recorded(read(workload, "simultaneous_read"))),
    )


CLAUSE_4_7_4 = Clause(
    rule="4.7.4",
    name="checkpointSimultaneousRwSupport",
    line=1758,
    stage="package",
    statements=(
        Statement(
            line=1762,
            breach="its multi-host support is not recorded, its simultaneous write support is not recorded, or its simultaneous read support is not recorded",
            facts=("multi_host", "simultaneous_read", "simultaneous_write"),
            test=clause_4_7_4,
            scope="workload",
            stage="package",
            because="the system description leaves out multi_host, simultaneous_write or simultaneous_read",
        ),
    ),
)
