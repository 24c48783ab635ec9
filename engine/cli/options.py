"""The options of a launch: those that the rule set's facts declare, and those of the tool itself.

Facts bring their options with them, so that a rule set with a new fact needs no change here. The
table below holds the rest: how to start the workload, and how to report.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import click

from engine.cli.gates import RULESET, RULESET_HELP
from engine.launch.request import Declared, declared
from engine.runtime.roles import START
from engine.runtime.ruleset import RuleSet
from engine.verdict.category import Scale

ENGINES = ("rolling", "buffered", "direct", "null")
"""Ways to write and read files; `null` writes nothing and is for advice only."""

LESSER, ADVICE = "lesser", "advice"
"""Which divisions may do more than the published run: all but the strictest, or those of advice alone."""


class ToolOption(NamedTuple):
    """An option that is no fact: no clause reads it."""

    flag: str
    help: str
    switch: bool = False
    choices: tuple[str, ...] = ()
    default: str | None = None
    environment: str | None = None
    only: str = ""  # LESSER or ADVICE: the divisions that have it
    starts: bool = False  # only commands that start the workload have it
    metavar: str = "TEXT"
    kind: str = ""  # of number: a name in KINDS
    several: bool = False  # given again and again, each with one value
    divisions: tuple[str, ...] = ()  # divisions of the rule set that have it; () is all
    commands: tuple[str, ...] = ()  # commands of the family that have it; () is all
    group: str = "run"  # of GROUPS

    def offered(self, division: str, command: str) -> bool:
        """Whether a command of a division has the option."""
        return (not self.divisions or division in self.divisions) and (
            not self.commands or command in self.commands
        )


def _whole(text: str) -> bool:
    return text.isascii() and text.isdecimal() and 0 < len(text) < 7 and int(text) > 0


def _part(text: str) -> bool:
    return _number(text) and 0 < Fraction(text) <= 1


def _positive(text: str) -> bool:
    return _number(text) and Fraction(text) > 0


def _number(text: str) -> bool:
    return text.isascii() and len(text) < 20 and re.fullmatch(r"\d+(\.\d+)?|\.\d+", text) is not None


KINDS: Mapping[str, tuple[Callable[[str], bool], str]] = {
    "count": (_whole, "a whole number of 1 or more"),
    "part": (_part, "a number above 0 and at most 1"),
    "seconds": (_positive, "a number of seconds above 0"),
    "rate": (_positive, "a number above 0"),
}
"""kind of number -> (whether a text is one, what it is)"""

TOOL_OPTIONS: tuple[ToolOption, ...] = (
    ToolOption(
        "--systemname", "Name of the system under test.", environment="MLPSTORAGE_SYSTEMNAME", group="where"
    ),
    ToolOption(
        "--orgname", "Name of the submitting organisation.", environment="MLPSTORAGE_ORGNAME", group="where"
    ),
    ToolOption("--exec-type", "How ranks are started.", choices=("mpi",), default="mpi", group="mpi"),
    ToolOption(
        "--mpi-bin", "The launcher of the site's MPI.", default="mpiexec", environment="MPIEXEC", group="mpi"
    ),
    ToolOption(
        "--oversubscribe", "Let MPI place more ranks than a host has slots.", switch=True, group="mpi"
    ),
    ToolOption(
        "--ppn", "Ranks on one host at most.", starts=True, metavar="INTEGER", kind="count", group="mpi"
    ),
    ToolOption(
        "--env",
        "A variable of the ranks, with a value or as it is set here; may be repeated.",
        starts=True,
        metavar="NAME[=VALUE]",
        several=True,
        group="mpi",
    ),
    ToolOption("--mpi-params", "Words handed to the launcher as they are.", starts=True, group="mpi"),
    ToolOption("--allow-run-as-root", "Let MPI run as root.", switch=True, group="mpi"),
    ToolOption("--o-direct", "Bypass the page cache; file access only.", switch=True),
    ToolOption(
        "--loops",
        "How often to repeat the run.",
        only=LESSER,
        default="1",
        metavar="INTEGER",
        kind="count",
        group="size",
    ),
    ToolOption(
        "--scale",
        "The part of each file that is written, so that a small machine can try a large model.",
        only=ADVICE,
        metavar="NUMBER",
        kind="part",
        group="size",
    ),
    ToolOption(
        "--io-engine",
        "How files are written: with write-back behind, synced at the end, around the cache, or not at all.",
        choices=ENGINES,
        starts=True,
    ),
    ToolOption(
        "--keep",
        "How many checkpoints lie in the folder at once: older ones make room. All, when not given.",
        starts=True,
        metavar="INTEGER",
        kind="count",
        group="size",
    ),
    ToolOption(
        "--hand-over",
        "Write and read in two invocations, and run this command between them.",
        starts=True,
        metavar="COMMAND",
    ),
    ToolOption(
        "--clock-skew",
        "Seconds that the clocks of hosts may be apart; 2 when not given.",
        starts=True,
        metavar="SECONDS",
        kind="seconds",
        group="tool",
    ),
    ToolOption(
        "--time-limit",
        "End the run after so long.",
        starts=True,
        metavar="SECONDS",
        kind="seconds",
        group="tool",
    ),
    ToolOption(
        "--allow-invalid-params",
        "Pass parameters that are not known.",
        switch=True,
        only=LESSER,
        group="tool",
    ),
    ToolOption(
        "--dry-run", "Judge the arguments only: touch no path, start nothing.", switch=True, group="tool"
    ),
    ToolOption("--format", "How to report.", choices=("text", "json"), default="text", group="tool"),
    ToolOption(RULESET, RULESET_HELP, metavar="DIR", group="tool"),
)

HELP_OPTIONS = ("-h", "--help")
"""What every command has beside these."""

FILE_ONLY = "--o-direct"

IN_TWO = "--hand-over"
"""The option by which a run is made, and judged, as two invocations."""


def tool_options(ruleset: RuleSet, family: str) -> tuple[ToolOption, ...]:
    """The tool's own options that no fact declares, with the divisions and the commands that have them."""
    scale = Scale(ruleset.divisions)
    held = {"": (), LESSER: scale.lesser, ADVICE: scale.advice}
    starting = tuple(name for name, does in ruleset.commands.get(family, {}).items() if does == START)
    taken = declared(ruleset)
    return tuple(
        option._replace(
            divisions=tuple(name for name in scale.divisions if name in held[option.only]),
            commands=starting if option.starts else (),
        )
        for option in TOOL_OPTIONS
        if option.flag not in taken
    )


def parameter_name(flag: str) -> str:
    """The name under which click hands over an option; never a Python keyword."""
    return "option_" + flag.lstrip("-").replace("-", "_")


def tool_parameter(option: ToolOption, division: str, command: str) -> click.Option:
    """The click option of a tool option; hidden where the command does not have it."""
    names = [option.flag, parameter_name(option.flag)]
    hidden = not option.offered(division, command)
    if option.switch:
        return click.Option(names, is_flag=True, help=option.help, hidden=hidden)
    return click.Option(
        names,
        type=click.Choice(option.choices, case_sensitive=False) if option.choices else click.STRING,
        default=option.default,
        multiple=option.several,
        show_default=option.default is not None,
        envvar=option.environment,
        show_envvar=option.environment is not None,
        metavar=None if option.choices else option.metavar,
        help=option.help,
        hidden=hidden,
    )


def fact_parameter(option: Declared, division: str, command: str) -> click.Option:
    """The click option of one or more facts. It takes texts: the facts say what they mean."""
    names = [option.flag, *option.aliases, parameter_name(option.flag)]
    hidden = not option.offered(division, command)
    meaning = option.spec.meaning
    notes = [
        f"env: {option.environment}" if option.environment else "",
        f"default: {option.default}" if option.default is not None else "",
        "required" if command in option.required else "",
    ]
    noted = "; ".join(note for note in notes if note)
    text = f"{meaning[:1].upper()}{meaning[1:]}." + (f" [{noted}]" if noted else "")
    if option.switch:
        return click.Option(names, is_flag=True, default=False, help=text, hidden=hidden)
    return click.Option(
        names,
        multiple=True,  # of an option that takes one value the last counts, as everywhere
        metavar=_metavar(option, division),
        help=text,
        hidden=hidden,
        shell_complete=_completion(option, division),
    )


def offered_members(option: Declared, division: str) -> tuple[str, ...]:
    """The members of an option's enumeration that a division may name."""
    offered = option.spec.launch.offered if option.spec.launch else None
    return tuple(m for m in option.spec.members or () if offered is None or division in offered.get(m, ()))


def _metavar(option: Declared, division: str) -> str:
    spec = option.spec
    if spec.type == "enum":
        return "|".join(offered_members(option, division))
    words = {"path": "DIR", "integer": "INTEGER", "number": "NUMBER", "list": "KEY=VALUE"}
    reader = spec.launch.reader if spec.launch else None
    word = "HOST" if reader in ("hosts", "slots") else words.get(spec.type, "TEXT")
    return f"{word}..." if option.several else word


Completion = Callable[[click.Context, click.Parameter, str], list[str]]


def _completion(option: Declared, division: str) -> Completion | None:
    """Completes the members of an enumeration; paths are left to the shell."""
    members = offered_members(option, division)
    if not members:
        return None
    return lambda _ctx, _parameter, start: [m for m in members if m.lower().startswith(start.lower())]


def expand(
    args: Sequence[str],
    parameters: Sequence[click.Parameter],
    several: frozenset[str],
    access: Collection[str] = (),
) -> list[str]:
    """The arguments with a flag before every value of an option that takes several.

    An access word that ends such a list belongs to the command: `--hosts h1 h2 file` names two hosts.
    """
    switches = {
        name: isinstance(p, click.Option) and p.is_flag
        for p in parameters
        for name in (*p.opts, *p.secondary_opts)
    }
    found: list[str] = []
    place = 0
    while place < len(args):
        word = args[place]
        flag, equals, value = word.partition("=")
        place += 1
        if word == "--":
            return [*found, *args[place - 1 :]]
        if flag in several:
            values = [value] if equals else []
            while place < len(args) and not args[place].startswith("-"):
                values.append(args[place])
                place += 1
            last = len(values) > 1 and values[-1].lower() in access
            kept = values[:-1] if last else values
            found += [part for text in kept for part in (flag, text)] or [flag]
            found += values[-1:] if last else []
        elif flag in switches:
            found.append(word)
            if not switches[flag] and not equals and place < len(args):
                found.append(args[place])
                place += 1
        else:
            found.append(word)
    return found
