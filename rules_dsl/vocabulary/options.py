"""The launch options of all facts together: each spelled as one, none with two meanings, none the tool's own.

Several facts may share an option: one text then tells them all. It tells each the same only where they
read it alike, and where what the option is (its default, who has it) is not said in two ways.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from engine.cli.options import HELP_OPTIONS, TOOL_OPTIONS
from engine.runtime.ruleset import FactSpec, Launch
from rules_dsl.diagnostics import Collector, Span
from rules_dsl.source.marked_yaml import Marked

OPTION = re.compile(r"--[a-z][a-z0-9]*(-[a-z0-9]+)*")
ALIAS = re.compile(r"-[a-z][a-z0-9]*|--[a-z][a-z0-9]*(-[a-z0-9]+)*")

HOST_LIST = ("hosts", "slots")
"""Readers of one list of hosts: how many there are, and what each gets."""

SAID_ONCE = ("default", "environment", "commands", "divisions", "offered", "alias")
"""What an option is; the facts that share it may leave it to the first, or say the same."""


def check_options(entries: Mapping[str, Marked], facts: Mapping[str, FactSpec], collect: Collector) -> None:
    """Report what is wrong with the options that facts declare."""
    taken = {option.flag: f"the tool's own: {option.help}" for option in TOOL_OPTIONS}
    taken |= dict.fromkeys(HELP_OPTIONS, "the tool's own: Show what can be typed.")
    owners: dict[str, tuple[str, Span]] = {}  # as typed -> the option that it means, where it is declared
    first: dict[str, str] = {}
    for name, entry in entries.items():
        launch = facts[name].launch
        if launch is None:
            continue
        for word, span, pattern in _words(entry, launch):
            flag = launch.option or ""
            if not pattern.fullmatch(word):
                form = "`--name`" if pattern is OPTION else "`-n` or `--name`"
                message = f"an option is spelled {form} in small letters, digits and dashes, not `{word}`"
                collect.error("V016", message, span)
            elif word in taken:
                where = "it is declared in engine/cli/options.py; name another"
                collect.error("V016", f"option `{word}` of `{name}` is {taken[word]}", span, help=where)
            elif owners.setdefault(word, (flag, span))[0] != flag:
                other, place = owners[word]
                message = f"`{word}` of `{name}` is `{other}` already"
                collect.error("V016", message, span, second=(place, "declared here"))
        if launch.option is not None and (before := first.setdefault(launch.option, name)) != name:
            _check_shared(entries, facts[before], facts[name], collect)


def _words(entry: Marked, launch: Launch) -> Iterator[tuple[str, Span, re.Pattern[str]]]:
    """The option of a fact and its aliases, each with its place and its form."""
    given = entry.get("launch")
    if given is None:
        return
    option = given if given.text else given.get("option")
    if option is not None and launch.option is not None:
        yield launch.option, option.span, OPTION
    alias = given.get("alias")
    for one in alias.texts() if alias is not None else ():
        yield one.text, one.span, ALIAS


def _check_shared(entries: Mapping[str, Marked], one: FactSpec, other: FactSpec, collect: Collector) -> None:
    """Two facts of one option read its text alike, and say nothing of the option that differs."""
    a, b = one.launch, other.launch
    if a is None or b is None:
        return
    option = a.option
    where, second = _place(entries[other.name]), (_place(entries[one.name]), "the other fact")
    if _reading(one) != _reading(other):
        message = f"`{one.name}` and `{other.name}` read `{option}` in two ways: {_as(one)} and {_as(other)}"
        collect.error("V016", message, where, second=second)
        return
    for key in SAID_ONCE:
        said, again = getattr(a, key), getattr(b, key)
        if again and again != said:
            message = f"`{one.name}` and `{other.name}` say two things of `{option}`: `{key}` differs"
            collect.error("V016", message, where, second=second)
            return


def _place(entry: Marked) -> Span:
    launch = entry.get("launch")
    option = launch.get("option") if launch is not None else None
    return (option or launch or entry).span


def _reading(spec: FactSpec) -> object:
    """How a text is read: facts of one reading get one meaning."""
    reader = spec.launch.reader if spec.launch is not None else None
    if reader in HOST_LIST:
        return HOST_LIST
    return reader, spec.type, spec.unit, None if spec.members is None else dict(spec.members)


def _as(spec: FactSpec) -> str:
    reader = spec.launch.reader if spec.launch is not None else None
    unit = f" of {spec.unit}" if spec.unit else ""
    return f"as {reader}" if reader else f"as {spec.type}{unit}"
