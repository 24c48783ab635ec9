"""Pass 3a: `facts` and `documents` fences -> declarations; those of other fences are gathered with them.

A fact's path, type, aliases, launch option and meaning of missing stand here and nowhere
else: reading evidence, the command line and the reference are driven from the result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from engine.runtime.roles import ROLES
from engine.runtime.ruleset import Division, Document, FactSpec
from rules_dsl.diagnostics import Collector, Span, position, suggest
from rules_dsl.ir import SCOPES
from rules_dsl.source.document import Page
from rules_dsl.source.marked_yaml import Marked, known_keys, load_marked
from rules_dsl.syntax.parse import is_name
from rules_dsl.units import UNITS
from rules_dsl.vocabulary.divisions import check_divisions, prefix_names, read_divisions
from rules_dsl.vocabulary.evidence_paths import read_sources
from rules_dsl.vocabulary.fact_fields import LEVELS, is_yes, level, one_of, read_members, read_missing
from rules_dsl.vocabulary.fact_names import Words, check_words
from rules_dsl.vocabulary.families import check_asked, read_families
from rules_dsl.vocabulary.launch import read_launch
from rules_dsl.vocabulary.options import check_options
from rules_dsl.vocabulary.tables import Table

TYPES = ("bool", "enum", "integer", "number", "text", "path", "time", "any", "list")
FACT_KEYS = (
    "type",
    "unit",
    "scope",
    "meaning",
    "noun",
    "plural",
    "says",
    "role",
    "members",
    "launch",
    "package",
    "agree",
    "missing",
    "no_source",
    "fields",
    "derived",
    "conflict",
    "conflict_level",
    "plausible",
)


@dataclass(slots=True)
class Vocabulary:
    """Everything declared. `spans` says where each fact's name stands.

    `partial` is set when a fence could not be read: that a name is missing then says nothing.
    """

    facts: dict[str, FactSpec] = field(default_factory=dict)
    words: dict[str, Words] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    conflicts: dict[str, tuple[Span, str]] = field(
        default_factory=dict
    )  # fact -> the expression's span, level
    bounds: dict[str, Span] = field(default_factory=dict)  # fact -> the span of what has to hold of it
    documents: dict[str, Document] = field(default_factory=dict)
    divisions: dict[str, Division] = field(default_factory=dict)
    families: dict[str, str] = field(default_factory=dict)
    commands: dict[str, dict[str, str]] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    partial: bool = False

    @property
    def prefixes(self) -> tuple[str, ...]:
        """What a rule may say in a prefix `in NAME:` beside `package`."""
        return prefix_names(self.divisions.values())


def read_vocabulary(page: Page, tables: dict[str, Table], collect: Collector) -> Vocabulary:
    """Every declaration of the document."""
    text = page.text
    divisions, named = read_divisions(page, collect)
    families = read_families(page, collect)
    vocabulary = Vocabulary(
        divisions=divisions, families=families.names, commands=families.commands, tables=tables
    )
    entries: dict[str, Marked] = {}
    for fence in page.fences:
        if fence.kind == "documents":
            for name, entry in load_marked(text, fence.body, f"a {fence.kind} fence", collect).items():
                _document(name, entry, text, vocabulary, collect)
    for fence in page.fences:
        if fence.kind == "facts":
            declared = load_marked(text, fence.body, f"a {fence.kind} fence", collect)
            if not any(True for _ in declared.items()) and text[fence.body.start : fence.body.end].strip():
                vocabulary.partial = True
            for name, entry in declared.items():
                if name in vocabulary.facts:
                    collect.error(
                        "V002",
                        f"fact `{name}` is declared twice",
                        entry.key,
                        second=(vocabulary.spans[name], "first here"),
                    )
                    continue
                entries[name], vocabulary.spans[name] = entry, entry.key
                if not is_name(name):
                    collect.error("V006", f"`{name}` is a word of the language and names no fact", entry.key)
                vocabulary.facts[name] = _fact(name, entry, page, vocabulary, collect)
    _check_roles(vocabulary, collect)
    check_divisions(named, vocabulary.spans, tables, collect)
    check_options(entries, vocabulary.facts, collect)
    check_asked(entries, vocabulary.facts, divisions, families, collect)
    check_words(vocabulary.words, vocabulary.spans, collect)
    for table in tables.values():
        check_table(table, vocabulary, collect)
    return vocabulary


def _check_roles(vocabulary: Vocabulary, collect: Collector) -> None:
    """No two facts have one role: the engine would ask either."""
    owner: dict[str, str] = {}
    for name, spec in vocabulary.facts.items():
        if spec.role is None:
            continue
        first = owner.setdefault(spec.role, name)
        if first != name:
            second = (vocabulary.spans[first], "the other fact")
            message = f"`{first}` and `{name}` both have the role {spec.role}"
            collect.error("V012", message, vocabulary.spans[name], second=second)


def check_table(table: Table, vocabulary: Vocabulary, collect: Collector) -> None:
    """A table has a name of its own, and keys that are members of what keys it."""
    if table.name in vocabulary.facts:
        first = (vocabulary.spans[table.name], "the fact")
        where = Span(table.span.start, table.span.start + len(table.name))
        collect.error("T007", f"table `{table.name}` is called like a fact", where, second=first)
    spec = vocabulary.facts.get(table.key)
    for key, span in table.keys.items():
        if spec is not None and spec.members and key not in spec.members:
            message = f"table {table.name} says {key}, which is no {table.key}"
            collect.error("Y003", message, span, help=suggest(key, spec.members))


def _document(name: str, entry: Marked, text: str, vocabulary: Vocabulary, collect: Collector) -> None:
    if name in vocabulary.documents:
        collect.error("V002", f"document `{name}` is declared twice", entry.key)
        return
    known_keys(entry, ("scope", "file", "format", "renamed"), f"document `{name}`", collect)
    form = one_of(entry, "format", ("json", "yaml", "text"), "json", collect)
    scope = one_of(entry, "scope", ("leaf", "system"), "leaf", collect)
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


def _fact(name: str, entry: Marked, page: Page, vocabulary: Vocabulary, collect: Collector) -> FactSpec:
    known_keys(entry, FACT_KEYS, f"fact `{name}`", collect)
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        collect.error("V006", f"a fact is named in small letters, digits and `_`, not `{name}`", entry.key)
    kind = entry.get("type")
    given = entry.get("unit")
    unit = given.text if given else None
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
        where = given.span if given else entry.key
        collect.error("V005", f"no unit is called `{unit}`", where, help=suggest(unit, UNITS))
        unit = None
    meaning = entry.get("meaning")
    if meaning is None or not meaning.text:
        collect.error("V004", f"fact `{name}` has no meaning", entry.key)
    members = read_members(name, entry, shown, collect)
    fields = tuple(
        _fact(part, declared, page, Vocabulary(), collect)
        for part, declared in (entry.get("fields") or Marked(entry.span, {}, entry.span)).items()
    )
    package = read_sources(name, entry, vocabulary.documents, collect)
    if shown == "list" and not fields and not any(s.document == "tree" for s in package):
        collect.error("V004", f"list `{name}` has no fields", entry.key)
    no_source = entry.get("no_source")
    says = entry.get("says").texts() if entry.get("says") else []  # type: ignore[union-attr]  # both calls give the same
    noun = entry.get("noun")
    conflict = entry.get("conflict")
    if conflict is not None:
        at = one_of(entry, "conflict_level", LEVELS, "error", collect)
        vocabulary.conflicts[name] = (_inner(page.text, conflict.span), at)
    bound = entry.get("plausible")
    if bound is not None:
        vocabulary.bounds[name] = _inner(page.text, bound.span)
    plain = name.replace("_", " ")
    vocabulary.words[name] = Words(
        noun.text if noun else f"its {plain}",
        is_yes(entry, "plural", collect),
        says[0].text if says else f"{plain} holds",
        says[1].text if len(says) > 1 else f"{plain} does not hold",
    )
    for part in fields:
        vocabulary.words[f"{name}.{part.name}"] = Words(f"its {part.name.replace('_', ' ')}")
    return FactSpec(
        name=name,
        type=shown,
        scope=one_of(entry, "scope", SCOPES, "leaf", collect),
        meaning=meaning.text if meaning else "",
        unit=unit,
        members=members,
        role=one_of(entry, "role", tuple(ROLES), "", collect) or None,
        launch=read_launch(name, entry, members, vocabulary.tables, collect),
        package=package,
        agree=is_yes(entry, "agree", collect),
        missing=read_missing(entry, page, collect),
        no_source=level(no_source, collect) if no_source else None,
        fields=fields,
        line=position(page.text, entry.key.start)[0],
    )


def _inner(text: str, span: Span) -> Span:
    """A YAML scalar's words without its quotes."""
    raw = text[span.start : span.end]
    return Span(span.start + 1, span.end - 1) if raw[:1] in {"'", '"'} and raw[-1:] == raw[:1] else span
