"""`clausegate DIVISION FAMILY COMMAND`: judge a launch, then start it.

The commands are built from the gate's rule set: it says which families there are, what their
commands do, and which facts are typed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import click

from engine.cli.exits import ExitCode, say
from engine.cli.gates import ruleset_of, ruleset_option
from engine.cli.groups import Suggesting, alike
from engine.cli.options import (
    FILE_ONLY,
    IN_TWO,
    ToolOption,
    expand,
    fact_parameter,
    parameter_name,
    tool_options,
    tool_parameter,
)
from engine.cli.start import check_folders
from engine.cli.usage import (
    check_counts,
    check_offered,
    check_required,
    check_values,
    check_words,
    unknown_model,
)
from engine.launch.accepted import Accepted, CannotStart, NotInstalled, Workload
from engine.launch.facts import OptionError, gather, reaches_files
from engine.launch.gate import Gated, judge, unjudged
from engine.launch.request import Declared, Request, declared
from engine.launch.sizes import sizes
from engine.launch.text import datasize_text, facts_text, gate_text
from engine.launch.workloads import find_workload
from engine.runtime.roles import (
    ACTIONS,
    PREPARE,
    READS,
    SHOW,
    SIZE,
    START,
    WRITES,
    argument_of,
    flag_of,
    name_of,
)
from engine.runtime.ruleset import GROUPS, RuleSet
from engine.verdict.findings import Report


class DivisionGroup(Suggesting):
    """A division: its families come from the rule set."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse a rule set that launches nothing."""
        if not ctx.resilient_parsing and not self.list_commands(ctx):
            raise click.UsageError(
                "The rule set launches nothing: none of its `section` fences names a family with commands."
            )
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The families that have commands."""
        return sorted(ruleset_of(ctx).commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The group of a family's commands."""
        ruleset = ruleset_of(ctx)
        if cmd_name not in ruleset.commands:
            return None
        return Family(
            name=cmd_name,
            help=f"{cmd_name} runs.",
            params=[ruleset_option()],
            commands={
                command: LaunchCommand(ruleset, str(self.name), cmd_name, command, action)
                for command, action in ruleset.commands[cmd_name].items()
                if action != PREPARE
            },
        )


class Family(Suggesting):
    """The commands of a family."""


class LaunchCommand(click.Command):
    """One command of a family in a division, with the options of its facts."""

    def __init__(self, ruleset: RuleSet, division: str, family: str, command: str, action: str) -> None:
        self.ruleset = ruleset
        self.division = division
        self.family = family
        self.action = action
        self.options = declared(ruleset)
        self.tool = tool_options(ruleset, family)
        members = (access.members or {}) if (access := argument_of(ruleset, "access")) else {}
        self.access = tuple(members)
        self.accesses = {word.lower(): name for name in members for word in (name, *members[name])}
        typed = [click.Argument(["access"], required=False, metavar=f"[{'|'.join(self.access)}]")]
        parameters: list[click.Parameter] = [
            *(typed if self.access else ()),
            *(fact_parameter(option, division, command) for option in self.options.values()),
            *(tool_parameter(option, division, command) for option in self.tool),
        ]
        super().__init__(
            name=command,
            params=parameters,
            callback=self.run,
            help=ACTIONS[action],
            short_help=ACTIONS[action],
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give every value its own flag, then parse."""
        flags = [(o.flag, *o.aliases) for o in self.options.values() if o.several]
        several = frozenset(name for names in flags for name in names)
        return super().parse_args(ctx, expand(args, self.params, several, self.accesses))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options under headings; an empty one is left out."""
        every: tuple[Declared | ToolOption, ...] = (*self.options.values(), *self.tool)
        group_of = {parameter_name(option.flag): option.group for option in every}
        options = [p for p in self.get_params(ctx) if isinstance(p, click.Option)]
        told = [(option.name, record) for option in options if (record := option.get_help_record(ctx))]
        for group, heading in GROUPS.items():
            rows = [record for name, record in told if group_of.get(name or "", "tool") == group]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def run(self, **values: Any) -> int:
        """Judge the launch, report, and start it when it may and should start."""
        request = self._request(values)
        tool = {option.flag: values[parameter_name(option.flag)] for option in self.tool}
        self._check(request, tool, values)
        machine = str(tool.get("--format")).lower() == "json"
        dry = bool(tool.get("--dry-run"))
        part = Fraction(tool.get("--scale") or 1)
        try:
            if self.action == SIZE:
                return self._datasize(request, machine, part)
            gated = self._judge(request, probe=not dry, in_two=tool.get(IN_TWO) is not None)
        except OptionError as error:
            raise click.UsageError(str(error)) from error
        if self.action != START or not gated.accepted:
            say(self._answer(gated, machine, part))
            return ExitCode.CLEAN if gated.accepted else ExitCode.FINDINGS
        accepted = Accepted(self.ruleset, gated, tool)
        workload, unchecked = self._checked(accepted, dry=dry)
        say(self._answer(gated, machine, part, unchecked))
        return ExitCode.CLEAN if dry or workload is None else self._start(accepted, workload)

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
            self.division, self.family, str(self.name), self._access(values.get("access")), texts, origins
        )

    def _access(self, word: str | None) -> str | None:
        if word is None:
            return None
        found = self.accesses.get(word.lower())
        if found is None:
            known = " or ".join(self.access)
            raise click.UsageError(
                f"Got unexpected argument {word!r}; the access is {known}.{alike(word, tuple(self.accesses))}"
            )
        return found

    def _check(self, request: Request, tool: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        ctx = click.get_current_context()
        every: tuple[Declared | ToolOption, ...] = (*self.options.values(), *self.tool)
        typed = {option.flag for option in every if _was_typed(ctx, parameter_name(option.flag))}
        check_offered(request, self.options, {o.flag: o for o in self.tool}, typed)
        check_required(request, self.options, self.access if self.action != SIZE else ())
        direct = tool.get(FILE_ONLY) or values.get(parameter_name(FILE_ONLY))
        if direct and not reaches_files(self.ruleset, request.access):
            raise click.UsageError(
                f"{FILE_ONLY} needs file access: an object store has no page cache to bypass."
            )
        check_values(self.tool, tool)
        try:
            facts = gather(self.ruleset, request).leaf
            check_words(self.ruleset, facts, self.family, judged=self.action != SIZE)
            check_counts(self.ruleset, facts)
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

    def _answer(self, gated: Gated, machine: bool, part: Fraction, unchecked: str | None = None) -> str:
        if machine:
            more = {} if unchecked is None else {"unchecked": unchecked}
            return _machine(gated.report, more)
        text = gate_text(self.ruleset, gated, sizes(self.ruleset, gated.request, gated.known, part))
        if unchecked is not None:
            text += f"\njudged only: {unchecked}"
        if self.action == SHOW:
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

    def _checked(self, accepted: Accepted, *, dry: bool) -> tuple[Workload | None, str | None]:
        """The workload, which takes the launch; a dry run judges only where there is none, and says why."""
        try:
            workload = find_workload(self.family)
            workload.check(accepted)
        except NotInstalled as error:
            if not dry:
                raise _lacking(error) from error
            return None, str(error)
        except CannotStart as error:
            raise click.ClickException(str(error)) from error
        return workload, None

    def _start(self, accepted: Accepted, workload: Workload) -> int:
        try:
            check_folders(self.ruleset, accepted.gated.known.leaf)
            return int(workload(accepted))
        except CannotStart as error:
            raise click.ClickException(str(error)) from error
        except ModuleNotFoundError as error:
            raise _lacking(NotInstalled.library(error.name)) from error


def _lacking(error: NotInstalled) -> click.ClickException:
    return click.ClickException(f"The run is accepted, but {error} Judge only: --dry-run.")


def _machine(report: Report, more: Mapping[str, str] = {}) -> str:
    import json  # a launch that is read by people does not wait for it

    return json.dumps({**report.as_json(), **more}, indent=2, ensure_ascii=False)


def _was_typed(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
