"""Places of evidence: `metadata:args.model`, `sum(summary:host_memory_GB)` and their kin."""

from __future__ import annotations

import re
from collections.abc import Collection

from engine.evidence.readers import READERS
from engine.runtime.ruleset import Source
from rules_dsl.diagnostics import Collector, suggest
from rules_dsl.source.marked_yaml import Marked

PLACES = ("division", "organisation", "system", "family", "workload", "timestamp")


def read_sources(
    name: str, entry: Marked, documents: Collection[str], collect: Collector
) -> tuple[Source, ...]:
    """The places of one fact, in order of preference; what is no place is an error."""
    given = entry.get("package")
    found: list[Source] = []
    for item in given.texts() if given else []:
        source = parse_source(item.text)
        if source is None:
            collect.error(
                "V010",
                f"`{item.text}` is no place of evidence",
                item.span,
                help="as metadata:args.model or sum(summary:host_memory_GB)",
            )
            continue
        for part in (source, *source.more):
            _check_source(part, item, name, documents, collect)
        found.append(source)
    return tuple(found)


def _check_source(
    source: Source, item: Marked, name: str, documents: Collection[str], collect: Collector
) -> None:
    if source.reader is not None and source.reader not in READERS:
        collect.error(
            "V010", f"no reader is called `{source.reader}`", item.span, help=suggest(source.reader, READERS)
        )
    if source.document == "folder":
        if source.path[:1] and source.path[0] not in PLACES:
            collect.error(
                "V010", f"a folder has no `{source.path[0]}`", item.span, help=suggest(source.path[0], PLACES)
            )
    elif source.document == "constant":
        if len(source.path) != 1:
            collect.error("V010", "a constant reads `constant:WORD`", item.span)
    elif source.document == "tree":
        if source.path != ("runs",):
            collect.error("V010", f"`{name}`: the tree has `runs` only", item.span)
    elif source.document not in documents:
        collect.error(
            "V010",
            f"no document is called `{source.document}`",
            item.span,
            help=suggest(source.document, documents),
        )


PLACE = re.compile(r"(?P<document>\w+):(?P<path>[^\s,;()]*)")
STEP = re.compile(r'(?P<name>[A-Za-z_][\w-]*)|\["(?P<quoted>[^"]+)"\]|(?P<dot>\.)')


def parse_source(text: str) -> Source | None:
    """`metadata:args.model`, `metadata:override_parameters["a.b"]`, `reader(place; place ...)`."""
    shape = re.fullmatch(r"(?P<reader>\w+)\((?P<inside>.*)\)", text)
    reader, inside = (shape["reader"], shape["inside"]) if shape else (None, text)
    places = [_place(part.strip()) for part in inside.split(";")]
    if any(place is None for place in places):
        return None
    first, *rest = [place for place in places if place is not None]
    return Source(text, first.document, first.path, reader, tuple(rest))


def _place(text: str) -> Source | None:
    match = PLACE.fullmatch(text)
    if match is None:
        return None
    steps: list[str] = []
    at = 0
    while at < len(match["path"]):
        step = STEP.match(match["path"], at)
        if step is None:
            return None
        if not step["dot"]:
            steps.append(step["name"] or step["quoted"])
        at = step.end()
    return Source(text, match["document"], tuple(steps))
