"""Reads YAML as strictly as JSON is read: duplicate keys refused, numbers exact.

Apart from `documents`, because it imports yaml and a package without system files should not
pay for that.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

import yaml

from engine.evidence import Malformed
from engine.runtime.spelling import Refused, exact

DEPTH_LIMIT = 200
"""Levels of nesting. A description of a system has six."""

_Base: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # C where it is built


MERGE = "tag:yaml.org,2002:merge"

NODES_LIMIT = 1_000_000
"""Nodes of a document with its aliases written out. The largest real description has thousands."""


class _Loader(_Base):  # type: ignore[misc, valid-type]  # the base is chosen at run time
    """The safe loader with exact numbers and without duplicate keys."""


def parse(text: str) -> object:
    """The document's content, or `Malformed`."""
    try:
        reason = _unsafe(text)
        return Malformed(reason) if reason else yaml.load(text, Loader=_Loader)  # noqa: S506  # a safe loader
    except Refused as error:
        return Malformed(str(error))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        return Malformed(f"is not valid YAML (line {line}: {error.problem})")
    except yaml.YAMLError:
        return Malformed("is not valid YAML")
    except RecursionError:
        return Malformed("is nested too deeply")
    except (ValueError, TypeError, AttributeError):  # the stock constructors raise these on bad scalars
        return Malformed("holds a value that its YAML tag does not allow")


def _unsafe(text: str) -> str | None:
    """Why the document must not be composed: composing recurses in C, without a limit.

    Events come one by one, so depth, an alias inside its own anchor and aliases of aliases that
    unfold without end are seen here.
    """
    open_nodes: list[tuple[str | None, int]] = []  # anchor, and the nodes counted before it
    sizes: dict[str, int] = {}
    nodes = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            open_nodes.append((event.anchor, nodes))
            nodes += 1
            if len(open_nodes) > DEPTH_LIMIT:
                return "is nested too deeply"
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            anchor, before = open_nodes.pop()
            if anchor is not None:
                sizes[anchor] = nodes - before
        elif isinstance(event, yaml.AliasEvent):
            if any(event.anchor == anchor for anchor, _ in open_nodes):
                return "refers to itself"
            nodes += sizes.get(event.anchor or "", 1)
        elif isinstance(event, yaml.ScalarEvent):
            nodes += 1
        if nodes > NODES_LIMIT:
            return "unfolds to more than a description can hold"
    return None


def _mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[Hashable, object]:
    seen: set[Hashable] = set()
    for key_node, _ in node.value:
        if key_node.tag == MERGE:
            continue
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, Hashable):
            raise Refused("holds a key that is no text")
        if key in seen:
            raise Refused(f'holds the key "{str(key)[:60]}" twice')
        seen.add(key)
    return dict(loader.construct_mapping(node, deep=True))


def _float(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> Fraction:
    text = str(loader.construct_scalar(node)).replace("_", "").strip()
    if text.lower().lstrip("+-") in {".nan", ".inf", "nan", "inf", "infinity"}:
        raise Refused(f"holds {text}, which is no number")
    return exact(text)


def _text(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> str:
    return str(loader.construct_scalar(node))


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
_Loader.add_constructor("tag:yaml.org,2002:float", _float)
_Loader.add_constructor("tag:yaml.org,2002:timestamp", _text)
