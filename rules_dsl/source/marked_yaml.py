"""YAML that remembers where each key and value stands in the document.

Built on `yaml.compose`, whose nodes carry marks. Duplicate keys, anchors, tags, keys that are no
texts and unknown keys are errors: a vocabulary with a misspelled key must not compile.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

import yaml

from rules_dsl.diagnostics import Collector, Span, suggest

DEPTH = 20
"""How deep mappings and lists may nest; declarations need four levels."""


@dataclass(frozen=True, slots=True)
class Marked:
    """One YAML value: a text, a list of Marked or a mapping of text to Marked."""

    span: Span
    value: str | tuple[Marked, ...] | dict[str, Marked]
    key: Span

    @property
    def text(self) -> str:
        """The value if it is a text, else the empty text."""
        return self.value if isinstance(self.value, str) else ""

    @property
    def is_mapping(self) -> bool:
        """Whether it is a mapping, an empty one included."""
        return isinstance(self.value, dict)

    def items(self) -> Iterator[tuple[str, Marked]]:
        """The pairs of a mapping; nothing for other values."""
        if isinstance(self.value, dict):
            yield from self.value.items()

    def get(self, name: str) -> Marked | None:
        """One value of a mapping."""
        return self.value.get(name) if isinstance(self.value, dict) else None

    def texts(self) -> list[Marked]:
        """A list of texts; a single text counts as a list of one."""
        if isinstance(self.value, tuple):
            return [m for m in self.value if isinstance(m.value, str)]
        return [self] if isinstance(self.value, str) and self.value else []


@dataclass(frozen=True, slots=True)
class Codes:
    """Under which codes a YAML text is told to be wrong."""

    syntax: str = "V001"
    twice: str = "V002"


def load_marked(text: str, span: Span, what: str, collect: Collector, codes: Codes | None = None) -> Marked:
    """The mapping between two places of the document; an empty one when there is none, which is told."""
    codes = codes or Codes()
    nothing = Marked(span, {}, span)
    source = text[span.start : span.end]
    try:
        strange, node = _composed(source)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        at = span.start + (mark.index if mark else getattr(error, "position", 0))
        problem = getattr(error, "problem", None) or getattr(error, "reason", "it cannot be read")
        collect.error(codes.syntax, f"this is no YAML: {problem}", Span(at, at + 1))
        return nothing
    if strange is not None:
        where = Span(span.start + strange.start, span.start + strange.end)
        collect.error(codes.syntax, f"this YAML is {strange.what}; write it out plainly", where)
        return nothing
    if node is None:
        return nothing
    marked = _mark(node, span.start, codes, collect, None)
    if not marked.is_mapping:
        collect.error(codes.syntax, f"{what} is a mapping, `name: ...` line by line", marked.span)
        return nothing
    return marked


@dataclass(frozen=True, slots=True)
class Strange:
    """YAML that declarations do without, and its place in the text."""

    what: str
    start: int
    end: int


@lru_cache(maxsize=32)  # an edit leaves most fences as they were, and reading YAML is half of a compilation
def _composed(source: str) -> tuple[Strange | None, yaml.Node | None]:
    """The nodes of a text, or what is strange in it. Raises YAMLError."""
    strange = _strange(source)
    return strange, None if strange is not None else yaml.compose(source, Loader=yaml.SafeLoader)


def _strange(source: str) -> Strange | None:
    """What declarations do without; asked before nodes are built."""
    depth = 0
    for event in yaml.parse(source, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        anchored = isinstance(event, yaml.NodeEvent) and event.anchor is not None
        tagged = isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent)) and event.tag is not None
        if anchored or tagged or depth > DEPTH:
            what = (
                "an anchor or alias" if anchored else "a tag" if tagged else f"nested more than {DEPTH} deep"
            )
            start = event.start_mark.index if event.start_mark else 0
            end = event.end_mark.index if event.end_mark else 0
            return Strange(what, start, max(end, start + 1))
    return None


def _mark(node: yaml.Node, offset: int, codes: Codes, collect: Collector, key: Span | None) -> Marked:
    span = Span(offset + node.start_mark.index, offset + node.end_mark.index)
    where = key or span
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Marked] = {}
        for name, value in node.value:
            place = Span(offset + name.start_mark.index, offset + name.end_mark.index)
            if not isinstance(name, yaml.ScalarNode):
                collect.error(codes.syntax, "a key is one word or text", place)
                continue
            _readable(str(name.value), place, codes, collect)
            if name.value in found:
                first = (found[name.value].key, "first here")
                collect.error(codes.twice, f"`{name.value}` stands twice", place, second=first)
                continue
            found[str(name.value)] = _mark(value, offset, codes, collect, place)
        return Marked(span, found, where)
    if isinstance(node, yaml.SequenceNode):
        return Marked(span, tuple(_mark(item, offset, codes, collect, None) for item in node.value), where)
    plain = node.tag == "tag:yaml.org,2002:null" and not node.value
    _readable(str(node.value), span, codes, collect)
    return Marked(span, "" if plain else str(node.value), where)


def _readable(value: str, span: Span, codes: Codes, collect: Collector) -> None:
    """An error for a text with what cannot be seen, as escapes make it: controls, half characters."""
    strange = next((c for c in value if not c.isprintable() and not c.isspace()), None)
    if strange is not None:
        message = f"this text holds the character U+{ord(strange):04X}, which cannot be seen"
        collect.error(codes.syntax, message, span, help="write it without that character")


def known_keys(
    marked: Marked, keys: Collection[str], what: str, collect: Collector, code: str = "V003"
) -> None:
    """An error for every key of a mapping that is none of these."""
    for name, value in marked.items():
        if name not in keys:
            collect.error(code, f"{what} has no key `{name}`", value.key, help=suggest(name, keys))
