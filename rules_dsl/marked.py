"""YAML that remembers where each key and value stands in the document.

Built on `yaml.compose`, whose nodes carry marks. Duplicate keys, anchors and unknown keys are
errors: a vocabulary with a misspelled key must not compile.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import yaml

from rules_dsl.diagnostics import Collector, Span, suggest


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


def load_marked(text: str, span: Span, collect: Collector) -> Marked:
    """The YAML between two places of the document. An empty mapping when it does not parse."""
    try:
        node = yaml.compose(text[span.start : span.end], Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        at = span.start + (mark.index if mark else 0)
        collect.error("V001", f"this is no YAML: {getattr(error, 'problem', error)}", Span(at, at + 1))
        return Marked(span, {}, span)
    if node is None:
        return Marked(span, {}, span)
    return _mark(node, span.start, collect, None)


def _mark(node: yaml.Node, offset: int, collect: Collector, key: Span | None) -> Marked:
    span = Span(offset + node.start_mark.index, offset + node.end_mark.index)
    where = key or span
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Marked] = {}
        for name, value in node.value:
            place = Span(offset + name.start_mark.index, offset + name.end_mark.index)
            if name.value in found:
                collect.error(
                    "V002",
                    f"`{name.value}` stands twice",
                    place,
                    second=(found[name.value].key, "first here"),
                )
                continue
            found[str(name.value)] = _mark(value, offset, collect, place)
        return Marked(span, found, where)
    if isinstance(node, yaml.SequenceNode):
        return Marked(span, tuple(_mark(item, offset, collect, None) for item in node.value), where)
    plain = node.tag == "tag:yaml.org,2002:null" and not node.value
    return Marked(span, "" if plain else str(node.value), where)


def known_keys(marked: Marked, keys: Collection[str], what: str, collect: Collector) -> None:
    """An error for every key of a mapping that is none of these."""
    for name, value in marked.items():
        if name not in keys:
            collect.error("V003", f"{what} has no key `{name}`", value.key, help=suggest(name, keys))
