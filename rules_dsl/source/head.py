"""The document's head: its title, edition and the editions it knows, in YAML between two `---` lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rules_dsl.diagnostics import Collector, Span
from rules_dsl.source.marked_yaml import Codes, known_keys, load_marked

HEAD = re.compile(r"\A---[ \t]*\n(?P<body>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
HEAD_KEYS = ("title", "edition", "editions", "complete")
OPEN = re.compile(rf"\A---[ \t]*\n(?:{'|'.join(HEAD_KEYS)}):.*")


@dataclass(frozen=True, slots=True)
class Head:
    """The document's front matter. Of one that is not `sound` the editions are not to be trusted."""

    title: str
    edition: str
    editions: tuple[str, ...]
    complete: bool
    sound: bool = True


def read_head(text: str, collect: Collector) -> Head:
    """The head, with defaults for what it does not say."""
    told = len(collect.found)
    match = HEAD.match(text)
    body = Span(match.start("body"), match.end("body")) if match else Span(0, 0)
    begun = OPEN.match(text)
    if match is None and begun is not None:
        collect.error("C001", "the head has no closing line `---`", Span(0, begun.end()))
    data = load_marked(text, body, "the document's head", collect, Codes("C001", "C001"))
    known_keys(data, HEAD_KEYS, "the head", collect, "C001")
    for key in ("title", "edition", "complete"):
        value = data.get(key)
        if value is not None and not isinstance(value.value, str):
            collect.error("C001", f"`{key}` is one text", value.span)
    first = re.search(r"^# (.+)$", text, re.MULTILINE)
    said = {key: value.text for key, value in data.items()}
    edition = said.get("edition", "0")
    known: tuple[str, ...] = (edition,)
    editions = data.get("editions")
    if editions is not None:
        known = tuple(m.text for m in editions.texts())
        if not isinstance(editions.value, tuple) or len(known) < len(editions.value):
            collect.error("C001", "the editions are a list of texts, oldest first", editions.span)
            known = (*known, edition)
        elif len(set(known)) < len(known):
            collect.error("C001", "an edition stands twice", editions.span)
    if edition not in known:
        collect.error("C001", f"edition {edition} is not among the editions", body)
    complete = said.get("complete", "yes")
    if complete not in {"yes", "no"}:
        collect.error("C001", "complete is yes or no", body)
    title = said.get("title") or (first[1] if first else "untitled")
    return Head(title, edition, known, complete == "yes", len(collect.found) == told)
