"""A fact's `launch`: the option, argument, probe or constant that says it before a run."""

from __future__ import annotations

from collections.abc import Mapping

from engine.evidence.readers import READERS
from engine.evidence.worked_out import DERIVED
from engine.launch.probes import PROBES
from engine.runtime.ruleset import CHANGES, GROUPS, Launch
from rules_dsl.diagnostics import Collector, suggest
from rules_dsl.source.marked_yaml import Marked, known_keys
from rules_dsl.vocabulary.fact_fields import one_of
from rules_dsl.vocabulary.tables import Table

ACCESS = "access"
WAYS = ("option", "argument", "probe", "derived", "constant")
LAUNCH_KEYS = (
    *WAYS,
    "reader",
    "default",
    "required",
    "commands",
    "divisions",
    "offered",
    "environment",
    "files",
    "alias",
    "group",
    "change",
)


def read_launch(
    name: str,
    entry: Marked,
    members: dict[str, tuple[str, ...]] | None,
    tables: Mapping[str, Table],
    collect: Collector,
) -> Launch | None:
    """How a fact is known before a run; None when it is not."""
    given = entry.get("launch")
    if given is None:
        return None
    if given.text:
        return Launch(option=given.text)
    known_keys(given, LAUNCH_KEYS, f"`launch` of `{name}`", collect)
    ways = [key for key in WAYS if given.get(key) is not None]
    if len(ways) != 1:
        collect.error(
            "V008", f"`launch` of `{name}` has one of option, argument, probe, derived, constant", given.key
        )
    for key in ("alias", "group", "change"):
        word = given.get(key)
        if word is not None and given.get("option") is None:
            collect.error("V008", f"`{key}` is for an `option`, and `{name}` has none", word.key)
    for key, allowed in (("probe", tuple(PROBES)), ("derived", tuple(DERIVED)), ("reader", tuple(READERS))):
        if given.get(key) is not None:
            one_of(given, key, allowed, "", collect)
    texts = {key: value.text for key, value in given.items()}
    offered = given.get("offered")
    return Launch(
        option=texts.get("option"),
        argument=texts.get("argument"),
        probe=texts.get("probe"),
        derived=texts.get("derived"),
        constant=texts.get("constant"),
        reader=texts.get("reader"),
        default=texts.get("default"),
        required=_texts(given, "required"),
        commands=_texts(given, "commands"),
        divisions=_texts(given, "divisions"),
        offered=_offered(offered, members or {}, tables, collect) if offered else None,
        environment=texts.get("environment"),
        files=_files(name, given, members or {}, collect),
        alias=_texts(given, "alias"),
        group=one_of(given, "group", tuple(GROUPS), "", collect) or None,
        change=one_of(given, "change", CHANGES, "", collect) or None,
    )


def _files(
    name: str, given: Marked, members: Mapping[str, tuple[str, ...]], collect: Collector
) -> str | None:
    """The member of an access that reaches the storage as files; None when it has none."""
    word = given.get("files")
    if word is None:
        return None
    argument = given.get("argument")
    if argument is None or argument.text != ACCESS:
        collect.error("V008", f"`files` is for `argument: {ACCESS}`, and `{name}` is none", word.key)
    return one_of(given, "files", tuple(members), "", collect) or None


def _texts(entry: Marked, key: str) -> tuple[str, ...]:
    value = entry.get(key)
    return tuple(m.text for m in value.texts()) if value is not None else ()


def _offered(
    value: Marked, members: dict[str, tuple[str, ...]], tables: Mapping[str, Table], collect: Collector
) -> dict[str, tuple[str, ...]]:
    """`TABLE.COLUMN`: for each member the divisions that the table's set cell names."""
    name, _, column = value.text.partition(".")
    table = tables.get(name)
    if table is None or column not in table.columns:
        collect.error(
            "V009",
            f"no table column is called `{value.text}`",
            value.span,
            help=suggest(name, tables) if table is None else suggest(column, table.columns),
        )
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for member in members:
        cell = table.cells.get(member, {}).get(column)
        found[member] = tuple(sorted(cell)) if isinstance(cell, frozenset) else ()
    return found
