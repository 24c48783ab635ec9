"""`clausegate bench plan`: what a run would write and need, before any storage is bought or filled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import click

from bench.report.needs_text import as_csv, document, files_text, text
from bench.workload.configuration import RECORDED, TEMPLATE, model_row
from bench.workload.needs import Needs
from bench.workload.parameters import INTERVAL
from engine.cli.exits import ExitCode, say
from engine.cli.groups import alike
from engine.cli.options import KINDS
from engine.launch.parse_value import fold
from engine.launch.request import declared
from engine.rulesets import RuleSetError, load
from engine.runtime import host_lists
from engine.runtime.roles import MODEL, READS, WRITES, fact_of, flag_of
from engine.runtime.ruleset import RuleSet
from engine.runtime.values import Other
from engine.sizing import Layout, find_layout

RATES = ("1", "5", "10", "50", "100")
"""GiB/s that times are told for when no rate is named."""


Read = Callable[[click.Context, click.Parameter, str | None], Fraction | None]


def _number(kind: str) -> Read:
    """Reads a number as the options of a run have it, exactly."""
    holds, meaning = KINDS[kind]

    def read(ctx: click.Context, param: click.Parameter, text: str | None) -> Fraction | None:
        if text is not None and not holds(text):
            raise click.BadParameter(f"{text!r} is not {meaning}.", ctx, param)
        return None if text is None else Fraction(text)

    return read


def _numbers(ctx: click.Context, param: click.Parameter, texts: Sequence[str]) -> list[Fraction]:
    """The rates that are named, each one number or several with commas."""
    read = _number("rate")
    found = [read(ctx, param, text) for one in texts for text in one.split(",")]
    return [rate for rate in found if rate is not None]


COUNT: dict[str, Any] = {"callback": _number("count"), "metavar": "INTEGER"}


@click.command(short_help="What a run would write, keep and need; no MPI.")
@click.option("--model", required=True, metavar="MODEL", help="The model, as a run spells it.")
@click.option("--num-processes", **COUNT, help="Ranks; the model's full number when not given.")
@click.option("--hosts", multiple=True, metavar="N|HOST[:N],...", help="How many hosts, or which.")
@click.option(
    "--rate", "rates", multiple=True, callback=_numbers, metavar="GiB/s", help="Times at this rate."
)
@click.option("--writes", type=click.IntRange(0, 999_999), help="Checkpoints written.")
@click.option("--reads", type=click.IntRange(0, 999_999), help="Checkpoints read.")
@click.option("--interval", type=click.FloatRange(0, 1e6), help="Seconds before each checkpoint.")
@click.option("--keep", **COUNT, help="Checkpoints that lie in the folder at once.")
@click.option(
    "--scale",
    callback=_number("part"),
    default="1",
    metavar="NUMBER",
    help="The part of each file that is written.",
)
@click.option("--access", type=click.Choice(("file", "object")), default="file", help="As the run's.")
@click.option("--tp", **COUNT, help="Tensor parallelism instead of the model's own.")
@click.option("--pp", **COUNT, help="Pipeline stages instead of the model's own.")
@click.option("--dp", **COUNT, help="Data parallelism instead of the model's own.")
@click.option("--zero", type=click.IntRange(0, 3), help="ZeRO stage instead of the model's own.")
@click.option("--rank", type=click.IntRange(0), help="List the files and arrays of this rank.")
@click.option("--format", "form", type=click.Choice(("text", "json", "csv")), default="text")
@click.option("--ruleset", metavar="DIR", help="A folder with a compiled rule set, or a name.")
def plan(
    model: str,
    num_processes: Fraction | None,
    hosts: Sequence[str],
    rates: Sequence[Fraction],
    writes: int | None,
    reads: int | None,
    interval: float | None,
    keep: Fraction | None,
    scale: Fraction,
    access: str,
    tp: Fraction | None,
    pp: Fraction | None,
    dp: Fraction | None,
    zero: int | None,
    rank: int | None,
    form: str,
    ruleset: str | None,
) -> int:
    """Say what a run would write, keep and need: nothing is started, no path is touched.

    Bytes are those of the arrays, exactly, as the gate and the ranks count them. A text or JSON
    has the whole run; csv has a line for each rank. --rank lists one rank's files and arrays.
    """
    try:
        rules = load("gate", ruleset)
    except RuleSetError as error:
        raise click.ClickException(f"--ruleset: {error}.") from error
    member = _model(rules, model)
    layout = find_layout(rules.tables, member)
    if layout is None:
        raise click.UsageError(f"--model {model}: the rule set has no layout of it.")
    layout = _override_layout(layout, tp, pp, dp, zero)
    ranks = layout.total_processes if num_processes is None else int(num_processes)
    _check(layout, ranks, rank)
    pause = rules.tables.get(TEMPLATE, {}).get(INTERVAL, {}).get("value", 0)
    needs = Needs(
        model=str(model_row(rules.tables, member).get(RECORDED, member.lower())),
        layout=layout,
        ranks=ranks,
        hosts=_ranks_by_host(hosts, ranks),
        writes=_default(rules, WRITES) if writes is None else writes,
        reads=_default(rules, READS) if reads is None else reads,
        interval=Fraction(str(pause if interval is None else interval)),
        part=scale,
        keep=0 if keep is None else int(keep),
        objects=access == "object",
    )
    wanted = list(rates) or [Fraction(rate) for rate in RATES]
    if form == "csv":
        say(as_csv(needs))
    elif form == "json":
        say(document(needs, wanted, () if rank is None else (rank,)))
    else:
        say(text(needs, wanted) if rank is None else files_text(needs, rank))
    return ExitCode.CLEAN


def _model(rules: RuleSet, typed: str) -> str:
    spec = fact_of(rules, MODEL)
    if spec is None:
        raise click.UsageError("The rule set has no fact whose role is the model.")
    found = fold(spec, typed)
    if isinstance(found, Other):
        members = spec.members or {}
        spelt = [name for member in members for name in (member, *members[member])]
        raise click.UsageError(
            f"--model {typed!r} is no model of the rule set.{alike(typed, spelt)} "
            f"Known are {', '.join(members)}."
        )
    return found


def _override_layout(
    own: Layout, tp: Fraction | None, pp: Fraction | None, dp: Fraction | None, zero: int | None
) -> Layout:
    """The model's layout, with what was set over it."""
    if tp is None and pp is None and dp is None and zero is None:
        return own
    found = own._replace(
        tp=own.tp if tp is None else int(tp),
        pp=own.pp if pp is None else int(pp),
        dp=own.dp if dp is None else int(dp),
        zero_stage=own.zero_stage if zero is None else zero,
    )
    if found.tp > found.attention_heads:
        raise click.UsageError(f"--tp {found.tp}: the model has {found.attention_heads} attention heads.")
    if found.pp > found.layers:
        raise click.UsageError(f"--pp {found.pp}: the model has {found.layers} layers.")
    if found.zero_stage == 3 and found.pp > 1:
        raise click.UsageError(f"ZeRO 3 has no pipeline, and PP is {found.pp}: add --pp 1 or change --zero.")
    return found._replace(total_processes=found.tp * found.pp * found.dp)


def _check(layout: Layout, ranks: int, rank: int | None) -> None:
    width = layout.tp * layout.pp
    if ranks > layout.total_processes and ranks % width:
        raise click.UsageError(
            f"--num-processes {ranks} is no multiple of {width} (TP {layout.tp} x PP {layout.pp}): "
            f"the nearest are {ranks // width * width} and {(ranks // width + 1) * width}."
        )
    if rank is not None and rank >= ranks:
        raise click.UsageError(f"--rank {rank}: ranks are 0 to {ranks - 1}.")


def _ranks_by_host(texts: Sequence[str], ranks: int) -> list[tuple[str, int]]:
    """The hosts with their ranks: as the slots say, else spread evenly, in blocks."""
    words, own = host_lists.split(texts), host_lists.own_names()
    if (reason := host_lists.doubt(words, own)) is not None:
        raise click.UsageError(f"--hosts: how many hosts these are is not known: {reason}.")
    if len(words) == 1 and words[0].isascii() and words[0].isdecimal():
        count, known = int(words[0][:7]), tuple[str, ...]()
        names = [f"host {number}" for number in range(1, count + 1)]
    else:
        known = host_lists.names(words, own)
        names = list(known) or ["this host"]
    if not 0 < len(names) <= ranks:
        raise click.UsageError(f"--hosts: {len(names)} hosts for {ranks} ranks.")
    fixed = host_lists.placement(words, ranks, own) if known else None
    if fixed is None and any(host_lists.slots(word) is not None for word in words):
        raise click.UsageError(f"--hosts: the slots of the hosts do not add up to {ranks} ranks.")
    share, rest = divmod(ranks, len(names))
    counts = fixed or [share + (place < rest) for place in range(len(names))]
    return list(zip(names, counts, strict=True))


def _default(rules: RuleSet, role: str) -> int:
    option = declared(rules).get(flag_of(rules, role))
    return int(option.default or 0) if option is not None else 0
