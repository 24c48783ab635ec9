"""Pass 3a: `section` fences -> the benchmark families and what the commands of each do.

What facts say of divisions and commands is held against what is declared of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from engine.runtime.roles import ACTIONS
from engine.runtime.ruleset import FactSpec
from rules_dsl.diagnostics import Collector, Span, suggest
from rules_dsl.source.document import Fence, Page
from rules_dsl.source.marked_yaml import Marked, known_keys, load_marked
from rules_dsl.vocabulary.fact_fields import one_of

EVERY = "every"
"""The family of a section whose clauses are asked of all families, such as those of a package's structure."""


@dataclass(slots=True)
class Families:
    """The families of a document; `spans` says where each command of a family stands."""

    names: dict[str, str] = field(default_factory=dict)  # section -> family
    commands: dict[str, dict[str, str]] = field(default_factory=dict)  # family -> command -> action
    spans: dict[str, dict[str, Span]] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)  # family -> where its commands are declared


def read_families(page: Page, collect: Collector) -> Families:
    """The families of the document's sections."""
    found = Families()
    for fence in page.fences:
        if fence.kind == "section":
            _section(page, fence, found, collect)
    return found


def _section(page: Page, fence: Fence, found: Families, collect: Collector) -> None:
    entry = load_marked(page.text, fence.body, "a section fence", collect)
    known_keys(entry, ("family", "commands"), "a section", collect)
    family, given = entry.get("family"), entry.get("commands")
    if family is None or family.text == EVERY:
        if given is not None:
            collect.error("V004", "commands are those of a family, and this section names none", given.key)
        elif family is None and not any(True for _ in entry.items()):
            collect.error("V004", "this `section` fence names no family", fence.opening)
        return
    if fence.section is not None:
        found.names[fence.section] = family.text
    if given is None:
        return
    if not given.is_mapping:
        collect.error("V001", "`commands` is a mapping, `name: what it does`", given.span)
    elif family.text in found.spans:
        second = (found.places[family.text], "first here")
        collect.error("V002", f"the commands of {family.text} are declared twice", given.key, second=second)
    else:
        known = tuple(ACTIONS)
        found.commands[family.text] = {
            name: one_of(given, name, known, "", collect) for name, _ in given.items()
        }
        found.spans[family.text] = {name: action.key for name, action in given.items()}
        found.places[family.text] = given.key


def check_asked(
    entries: Mapping[str, Marked],
    facts: Mapping[str, FactSpec],
    divisions: Collection[str],
    families: Families,
    collect: Collector,
) -> None:
    """What facts say of divisions and commands is declared; where none are, anything goes."""
    commands = {name for some in families.commands.values() for name in some}
    for name, spec in facts.items():
        given = entries[name].get("launch")
        if given is None or spec.launch is None:
            continue
        if spec.launch.argument == "division" and spec.members and divisions:
            _check_members(name, entries[name], spec.members, divisions, collect)
        elif spec.launch.argument == "command" and spec.members:
            _check_commands(name, spec.members, families, collect)
        for key, what, known in (
            ("divisions", "division", divisions),
            ("commands", "command", commands),
            ("required", "command", commands),
        ):
            value = given.get(key)
            for word in value.texts() if value is not None and known else ():
                if word.text not in known:
                    message = f"no {what} is called `{word.text}`"
                    collect.error("V014", message, word.span, help=suggest(word.text, known))
        offered = given.get("offered")
        if offered is not None and divisions:
            named = {d for some in (spec.launch.offered or {}).values() for d in some}
            for word_ in sorted(named - set(divisions)):
                message = f"`{offered.text}` names the division `{word_}`, and none is called so"
                collect.error("V014", message, offered.span, help=suggest(word_, divisions))


def _check_members(
    name: str, entry: Marked, members: Collection[str], divisions: Collection[str], collect: Collector
) -> None:
    """The fact that says which division is asked for has the divisions as its members."""
    given = entry.get("members") or entry
    for member, aliases in given.items():
        if member not in divisions:
            message = f"`{member}` is a member of `{name}` and no division"
            collect.error("V014", message, aliases.key, help=suggest(member, divisions))
    lacking = [d for d in divisions if d not in members]
    if lacking:
        collect.error("V014", f"`{name}` has no member {_listed(lacking)}, which is a division", given.key)


def _check_commands(name: str, members: Collection[str], families: Families, collect: Collector) -> None:
    """The fact that says which command was given knows every command of a family."""
    for spans in families.spans.values():
        for command, span in spans.items():
            if command not in members:
                message = f"command `{command}` is no member of `{name}`"
                collect.error("V014", message, span, help=suggest(command, members))


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
