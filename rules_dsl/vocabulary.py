"""Pass 3a: `facts`, `documents` and `section` fences -> declarations.

A fact's path, type, aliases, launch option and meaning of missing stand here and nowhere
else: reading evidence, the command line and the reference are driven from the result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from engine.ruleset import Document, FactSpec, Launch
from rules_dsl.diagnostics import Collector, Span, position, suggest
from rules_dsl.ir import SCOPES
from rules_dsl.marked import Marked, known_keys, load_marked
from rules_dsl.places import READERS, read_sources
from rules_dsl.source import Document as Page
from rules_dsl.tables import Table
from rules_dsl.units import UNITS

TYPES = ("bool", "enum", "integer", "number", "text", "path", "time", "any", "list")
PROBES = ("same_filesystem",)
DERIVED = ("layout",)
LEVELS = ("error", "warning", "note")
FACT_KEYS = (
    "type",
    "unit",
    "scope",
    "meaning",
    "noun",
    "plural",
    "says",
    "members",
    "launch",
    "package",
    "agree",
    "missing",
    "no_source",
    "fields",
    "derived",
    "conflict",
)
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
)


@dataclass(frozen=True, slots=True)
class Words:
    """How the rendered English speaks of a fact."""

    noun: str
    plural: bool = False
    yes: str = ""
    no: str = ""


@dataclass(slots=True)
class Vocabulary:
    """Everything declared. `spans` says where each fact's name stands."""

    facts: dict[str, FactSpec] = field(default_factory=dict)
    words: dict[str, Words] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    conflicts: dict[str, Span] = field(default_factory=dict)  # fact -> the expression's span
    documents: dict[str, Document] = field(default_factory=dict)
    families: dict[str, str] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)


def read_vocabulary(page: Page, tables: dict[str, Table], collect: Collector) -> Vocabulary:
    """Every declaration of the document."""
    vocabulary = Vocabulary(tables=tables)
    text = page.text
    for fence in page.fences:
        if fence.kind == "documents":
            for name, entry in load_marked(text, fence.body, collect).items():
                _document(name, entry, text, vocabulary, collect)
        elif fence.kind == "section":
            entry = load_marked(text, fence.body, collect)
            known_keys(entry, ("family",), "a section", collect)
            family = entry.get("family")
            if family is not None and fence.section is not None:
                vocabulary.families[fence.section] = family.text
    for fence in page.fences:
        if fence.kind == "facts":
            for name, entry in load_marked(text, fence.body, collect).items():
                if name in vocabulary.facts:
                    collect.error(
                        "V002",
                        f"fact `{name}` is declared twice",
                        entry.key,
                        second=(vocabulary.spans[name], "first here"),
                    )
                    continue
                vocabulary.spans[name] = entry.key
                vocabulary.facts[name] = _fact(name, entry, text, vocabulary, collect)
    return vocabulary


def _document(name: str, entry: Marked, text: str, vocabulary: Vocabulary, collect: Collector) -> None:
    known_keys(entry, ("scope", "file", "format", "renamed"), f"document `{name}`", collect)
    form = _one(entry, "format", ("json", "yaml", "text"), "json", collect)
    scope = _one(entry, "scope", ("leaf", "system"), "leaf", collect)
    file = entry.get("file")
    if file is None or not file.text:
        collect.error("V004", f"document `{name}` names no file", entry.key)
    renamed = (
        {key: tuple(m.text for m in old.texts()) for key, old in (entry.get("renamed") or entry).items()}
        if entry.get("renamed")
        else {}
    )
    line = position(text, entry.key.start)[0]
    vocabulary.documents[name] = Document(name, scope, file.text if file else "", form, renamed, line)


def _one(entry: Marked, key: str, allowed: tuple[str, ...], default: str, collect: Collector) -> str:
    value = entry.get(key)
    if value is None:
        return default
    if value.text not in allowed:
        collect.error(
            "V005", f"`{key}` cannot be `{value.text}`", value.span, help=suggest(value.text, allowed)
        )
        return default
    return value.text


def _yes(entry: Marked, key: str, collect: Collector) -> bool:
    value = entry.get(key)
    if value is None:
        return False
    if value.text.lower() not in {"yes", "no", "true", "false"}:
        collect.error("V005", f"`{key}` is yes or no", value.span)
    return value.text.lower() in {"yes", "true"}


def _fact(name: str, entry: Marked, text: str, vocabulary: Vocabulary, collect: Collector) -> FactSpec:
    known_keys(entry, FACT_KEYS, f"fact `{name}`", collect)
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        collect.error("V006", f"a fact is named in small letters, digits and `_`, not `{name}`", entry.key)
    kind = entry.get("type")
    unit = entry.get("unit").text if entry.get("unit") else None  # type: ignore[union-attr]  # both calls give the same
    shown = kind.text if kind else ""
    if shown in UNITS:
        shown, unit = "number", shown
    if shown not in TYPES:
        where = kind.span if kind else entry.key
        collect.error(
            "V005",
            f"fact `{name}` has no type `{shown}`" if shown else f"fact `{name}` has no type",
            where,
            help=suggest(shown, TYPES),
        )
        shown = "any"
    if unit is not None and unit not in UNITS:
        collect.error("V005", f"no unit is called `{unit}`", entry.key, help=suggest(unit, UNITS))
        unit = None
    meaning = entry.get("meaning")
    if meaning is None or not meaning.text:
        collect.error("V004", f"fact `{name}` has no meaning", entry.key)
    members = _members(name, entry, shown, collect)
    fields = tuple(
        _fact(part, declared, text, Vocabulary(), collect)
        for part, declared in (entry.get("fields") or Marked(entry.span, {}, entry.span)).items()
    )
    package = read_sources(name, entry, vocabulary.documents, collect)
    missing = _missing(entry, collect)
    no_source = entry.get("no_source")
    says = entry.get("says").texts() if entry.get("says") else []  # type: ignore[union-attr]  # both calls give the same
    noun = entry.get("noun")
    conflict = entry.get("conflict")
    if conflict is not None:
        vocabulary.conflicts[name] = _inner(text, conflict.span)
    plain = name.replace("_", " ")
    vocabulary.words[name] = Words(
        noun.text if noun else f"its {plain}",
        _yes(entry, "plural", collect),
        says[0].text if says else f"{plain} holds",
        says[1].text if len(says) > 1 else f"{plain} does not hold",
    )
    for part in fields:
        vocabulary.words[f"{name}.{part.name}"] = Words(f"its {part.name.replace('_', ' ')}")
    return FactSpec(
        name=name,
        type=shown,
        scope=_one(entry, "scope", SCOPES, "leaf", collect),
        meaning=meaning.text if meaning else "",
        unit=unit,
        members=members,
        launch=_launch(name, entry, members, vocabulary, collect),
        package=package,
        agree=_yes(entry, "agree", collect),
        missing=missing,
        no_source=no_source.text if no_source else None,
        fields=fields,
        line=position(text, entry.key.start)[0],
    )


def _inner(text: str, span: Span) -> Span:
    """A YAML scalar's words without its quotes."""
    raw = text[span.start : span.end]
    return Span(span.start + 1, span.end - 1) if raw[:1] in {"'", '"'} and raw[-1:] == raw[:1] else span


def _members(name: str, entry: Marked, kind: str, collect: Collector) -> dict[str, tuple[str, ...]] | None:
    given = entry.get("members")
    if kind != "enum":
        if given is not None:
            collect.error("V005", f"only an enum has members, `{name}` is {kind}", given.key)
        return None
    if given is None or not list(given.items()):
        collect.error("V004", f"enum `{name}` has no members", entry.key)
        return {}
    members = {member: tuple(alias.text for alias in aliases.texts()) for member, aliases in given.items()}
    owner: dict[str, str] = {}
    for member, aliases in members.items():
        for spelling in (member, *aliases):
            if owner.setdefault(spelling.lower(), member) != member:
                collect.error(
                    "V007", f"`{spelling}` spells both {owner[spelling.lower()]} and {member}", given.key
                )
    return members


def _missing(entry: Marked, collect: Collector) -> tuple[tuple[str | None, str], ...]:
    given = entry.get("missing")
    if given is None:
        return ((None, "error"),)
    if given.text:
        return ((None, _level(given, collect)),)
    found: list[tuple[str | None, str]] = []
    default = "error"
    for key, value in given.items():
        if key == "default":
            default = _level(value, collect)
        elif key.startswith("until "):
            found.append((key.removeprefix("until ").strip().strip('"'), _level(value, collect)))
        else:
            collect.error(
                "V003", f"`missing` has no key `{key}`", value.key, help='known: default, until "EDITION"'
            )
    return (*found, (None, default))


def _level(value: Marked, collect: Collector) -> str:
    if value.text not in LEVELS:
        collect.error(
            "V005", f"no level is called `{value.text}`", value.span, help=suggest(value.text, LEVELS)
        )
        return "error"
    return value.text


def _launch(
    name: str,
    entry: Marked,
    members: dict[str, tuple[str, ...]] | None,
    vocabulary: Vocabulary,
    collect: Collector,
) -> Launch | None:
    given = entry.get("launch")
    if given is None:
        return None
    if given.text:
        return Launch(option=given.text)
    known_keys(given, LAUNCH_KEYS, f"`launch` of `{name}`", collect)
    ways = [
        key for key in ("option", "argument", "probe", "derived", "constant") if given.get(key) is not None
    ]
    if len(ways) != 1:
        collect.error(
            "V008", f"`launch` of `{name}` has one of option, argument, probe, derived, constant", given.key
        )
    for key, allowed in (("probe", PROBES), ("derived", DERIVED), ("reader", READERS)):
        if given.get(key) is not None:
            _one(given, key, allowed, "", collect)
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
        offered=_offered(offered, members or {}, vocabulary, collect) if offered else None,
        environment=texts.get("environment"),
    )


def _texts(entry: Marked, key: str) -> tuple[str, ...]:
    value = entry.get(key)
    return tuple(m.text for m in value.texts()) if value is not None else ()


def _offered(
    value: Marked, members: dict[str, tuple[str, ...]], vocabulary: Vocabulary, collect: Collector
) -> dict[str, tuple[str, ...]]:
    """`TABLE.COLUMN`: for each member the divisions that the table's set cell names."""
    name, _, column = value.text.partition(".")
    table = vocabulary.tables.get(name)
    if table is None or column not in table.columns:
        collect.error(
            "V009",
            f"no table column is called `{value.text}`",
            value.span,
            help=suggest(name, vocabulary.tables),
        )
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for member in members:
        cell = table.cells.get(member, {}).get(column)
        found[member] = tuple(sorted(cell)) if isinstance(cell, frozenset) else ()
    return found
