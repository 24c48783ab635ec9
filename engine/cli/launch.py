"""`clausegate closed|open|whatif FAMILY datasize|run|configview`: judge a launch, then start it.

The commands are built from the gate's rule set: it says which families there are and which facts
are typed. So a rule set given with --ruleset must be found in the arguments before they are
parsed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import click

from engine.cli.exits import ExitCode, say
from engine.cli.groups import Suggesting, alike
from engine.cli.options import (
    ACCESS,
    FILE_ONLY,
    IN_TWO,
    TOOL_OPTIONS,
    ToolOption,
    expand,
    fact_parameter,
    parameter_name,
    tool_parameter,
)
from engine.cli.start import check_folders, start
from engine.cli.usage import check_counts, check_offered, check_required, check_values, unknown_model
from engine.launch.accepted import Accepted, CannotStart
from engine.launch.facts import OptionError, gather
from engine.launch.gate import Gated, judge, unjudged
from engine.launch.request import Declared, Request, argument, declared
from engine.launch.sizes import sizes
from engine.launch.text import datasize_text, facts_text, gate_text
from engine.rulesets import RuleSetError, load
from engine.runtime.roles import READS, WRITES, flag_of, name_of
from engine.runtime.ruleset import RuleSet
from engine.verdict.findings import Report

COMMANDS: Mapping[str, str] = {
    "datasize": "Print what a run writes and needs. Nothing is judged.",
    "run": "Judge the run, then start it.",
    "configview": "Print every fact of the run and where it comes from, then judge it.",
}

RULESET = "--ruleset"


def gate(args: list[str]) -> RuleSet:
    """The gate's rule set: the built-in one, or the one that the arguments name."""
    where = None
    for place, token in enumerate(args):
        flag, equals, value = token.partition("=")
        if flag == RULESET:
            where = value if equals else args[place + 1] if place + 1 < len(args) else None
    try:
        return load("gate", where)
    except RuleSetError as error:
        raise click.UsageError(str(error)) from error


class Division(Suggesting):
    """A division: its families come from the rule set."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the rule set in the arguments, then parse them."""
        if not ctx.resilient_parsing or RULESET in args:
            ctx.meta[RULESET] = gate(args)
            if not self._ruleset(ctx).families:
                raise click.UsageError(
                    "The rule set governs no family of runs (it has no `section` fence): it launches nothing."
                )
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The families that the rule set governs."""
        return sorted(set(self._ruleset(ctx).families.values()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The group of a family's commands."""
        ruleset = self._ruleset(ctx)
        if cmd_name not in ruleset.families.values():
            return None
        return Family(
            name=cmd_name,
            help=f"{cmd_name} runs.",
            commands={
                command: LaunchCommand(ruleset, str(self.name), cmd_name, command) for command in COMMANDS
            },
        )

    @staticmethod
    def _ruleset(ctx: click.Context) -> RuleSet:
        if RULESET not in ctx.meta:
            ctx.meta[RULESET] = gate([])
        found = ctx.meta[RULESET]
        if not isinstance(found, RuleSet):
            raise TypeError("the context holds no rule set")
        return found


class Family(Suggesting):
    """The commands of a family."""


class LaunchCommand(click.Command):
    """One command of a family in a division, with the options of its facts."""

    def __init__(self, ruleset: RuleSet, division: str, family: str, command: str) -> None:
        self.ruleset = ruleset
        self.division = division
        self.family = family
        self.options = declared(ruleset)
        self.tool = tuple(option for option in TOOL_OPTIONS if option.flag not in self.options)
        parameters: list[click.Parameter] = [
            click.Argument(["access"], required=False, metavar="[" + "|".join(ACCESS) + "]"),
            *(fact_parameter(option, division, command) for option in self.options.values()),
            *(tool_parameter(option, division, command) for option in self.tool),
        ]
        super().__init__(
            name=command,
            params=parameters,
            callback=self.run,
            help=COMMANDS[command],
            short_help=COMMANDS[command],
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give every value its own flag, then parse."""
        several = frozenset(flag for flag, option in self.options.items() if option.several)
        return super().parse_args(ctx, expand(args, self.params, several))

    def run(self, **values: Any) -> int:
        """Judge the launch, report, and start it when it may and should start."""
        request = self._request(values)
        tool = {option.flag: values[parameter_name(option.flag)] for option in self.tool}
        self._check(request, tool, values)
        machine = str(tool.get("--format")).lower() == "json"
        dry = bool(tool.get("--dry-run"))
        part = Fraction(tool.get("--scale") or 1)
        try:
            if request.command == "datasize":
                return self._datasize(request, machine, part)
            gated = self._judge(request, probe=not dry, in_two=tool.get(IN_TWO) is not None)
        except OptionError as error:
            raise click.UsageError(str(error)) from error
        say(self._answer(gated, machine, part))
        if not gated.accepted:
            return ExitCode.FINDINGS
        if request.command != "run" or dry:
            return ExitCode.CLEAN
        return self._start(gated, tool)

    def _request(self, values: Mapping[str, Any]) -> Request:
        texts: dict[str, tuple[str, ...]] = {}
        origins: dict[str, str] = {}
        for flag, option in self.options.items():
            typed = values[parameter_name(flag)]
            texts[flag] = (("yes",) if typed else ()) if option.switch else tuple(typed)
            variable = option.environment
            if not texts[flag] and variable and os.environ.get(variable):
                texts[flag], origins[flag] = (os.environ[variable],), variable
        return Request(
            self.division, self.family, str(self.name), self._access(values["access"]), texts, origins
        )

    def _access(self, word: str | None) -> str | None:
        spec = argument(self.ruleset, "access")
        if word is None or spec is None:
            return word
        if word.lower() not in ACCESS:
            raise click.UsageError(
                f"Got unexpected argument {word!r}; the access is {' or '.join(ACCESS)}.{alike(word, ACCESS)}"
            )
        return word.lower()

    def _check(self, request: Request, tool: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        ctx = click.get_current_context()
        every: tuple[Declared | ToolOption, ...] = (*self.options.values(), *self.tool)
        typed = {option.flag for option in every if _was_typed(ctx, parameter_name(option.flag))}
        check_offered(request, self.options, {o.flag: o for o in self.tool}, typed)
        check_required(request, self.options, argument(self.ruleset, "access"))
        if request.access == "object" and (tool.get(FILE_ONLY) or values.get(parameter_name(FILE_ONLY))):
            raise click.UsageError(
                f"{FILE_ONLY} needs file access: an object store has no page cache to bypass."
            )
        check_values(self.tool, tool)
        try:
            check_counts(self.ruleset, gather(self.ruleset, request).leaf)
        except OptionError as error:
            raise click.UsageError(str(error)) from error

    def _judge(self, request: Request, *, probe: bool, in_two: bool) -> Gated:
        """The verdict; of a run that is made in two invocations that of the first that is refused.

        An accepted one keeps the counts that were asked for: its workload makes the halves.
        """
        flags = {role: flag_of(self.ruleset, role) for role in (WRITES, READS)}
        if not in_two or not all(flags.values()):
            return judge(self.ruleset, request, probe=probe)
        known = gather(self.ruleset, request, probe=probe)
        halves = [
            judge(self.ruleset, request._replace(texts={**request.texts, flags[none]: ("0",)}), probe=probe)
            for none, some in ((READS, WRITES), (WRITES, READS))
            if known.leaf.get(name_of(self.ruleset, some)) != 0
        ]
        refused = next((half for half in halves if not half.accepted), None)
        return refused or halves[0]._replace(request=request, known=known)

    def _answer(self, gated: Gated, machine: bool, part: Fraction) -> str:
        if machine:
            return _machine(gated.report)
        text = gate_text(self.ruleset, gated, sizes(self.ruleset, gated.request, gated.known, part))
        if gated.request.command == "configview":
            return f"{facts_text(self.ruleset, gated)}\n\n{text}"
        return text

    def _datasize(self, request: Request, machine: bool, part: Fraction) -> int:
        known = gather(self.ruleset, request)
        planned = sizes(self.ruleset, request, known, part)
        if planned is None:
            raise click.UsageError(unknown_model(self.ruleset, known))
        if machine:
            report = unjudged(self.ruleset, request, {"sizes": planned.as_json()})
            say(_machine(report))
        else:
            say(datasize_text(request, planned))
        return ExitCode.CLEAN

    def _start(self, gated: Gated, tool: Mapping[str, Any]) -> int:
        try:
            check_folders(self.ruleset, gated.known.leaf)
            return start(Accepted(self.ruleset, gated, tool))
        except CannotStart as error:
            raise click.ClickException(str(error)) from error


def _machine(report: Report) -> str:
    import json  # a launch that is read by people does not wait for it

    return json.dumps(report.as_json(), indent=2, ensure_ascii=False)


def _was_typed(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


closed = Division(name="closed", help="Judge a CLOSED run before it starts, then run it.")
open_ = Division(name="open", help="Judge an OPEN run before it starts, then run it.")
whatif = Division(name="whatif", help="Advise on a run that is not for submission.")
