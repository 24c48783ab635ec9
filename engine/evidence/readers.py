"""The named functions that a source may put between a field and its fact.

Each computes a value of one subject, without a threshold and without a verdict: a sum, a count of
host names, a time moved to the host's own clock. What a reviewer could dispute is no reader.
A reader gets what stands in the source's field, what stands in its further fields, and the fact.
It answers with a plain value for `coerce`, with `MISSING`, or with `Malformed`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.evidence import MISSING, Malformed
from engine.evidence.coerce import instant, number, truth
from engine.evidence.documents import describe
from engine.runtime import host_lists, spelling
from engine.runtime.ruleset import FactSpec
from engine.runtime.values import show

Reader = Callable[[object, tuple[object, ...], FactSpec], object]

ENTRIES_LIMIT = 20_000
"""Parameters of one run. A file that unfolds to more is made to, not recorded."""

QUARTER = timedelta(minutes=15)
"""Offsets of time zones are whole quarter hours."""

FARTHEST = timedelta(hours=14)
"""No place is farther from UTC."""

COLLECTED = "collection_timestamp"

_COUNT_OPTIONS = {"-n", "-np", "--n", "--np"}
_HOST_OPTIONS = {"-host", "--host", "-hosts", "--hosts", "-H"}
_DF_ROW = re.compile(r"^.*\s\d{1,3}%\s+(/.*?)\s*$", re.MULTILINE)
_DF_HEAD = re.compile(r"^.*Mounted on\s*$", re.MULTILINE)


def sum_of(value: object, _: tuple[object, ...], __: FactSpec) -> object:
    """The sum of a list of numbers; nothing is recorded in an empty list."""
    if not isinstance(value, list):
        return Malformed(f"is {describe(value)}, not a list of numbers")
    numbers = [number(element) for element in value]
    known = [element for element in numbers if element is not None]
    if len(known) < len(numbers):
        return Malformed(f"has {describe(value[numbers.index(None)])} in it, which is not a number")
    return sum(known) if known else MISSING


def hosts(value: object, _: tuple[object, ...], __: FactSpec) -> object:
    """The number of distinct host names, without their `:N`."""
    texts = _texts(value)
    if isinstance(texts, Malformed):
        return texts
    reason = host_lists.doubt(texts)
    if reason is not None:
        return Malformed(f"does not tell how many hosts these are: {reason}")
    return len(host_lists.names(texts)) or MISSING


def slots(value: object, more: tuple[object, ...], _: FactSpec) -> object:
    """The processes of each host, as `{"count": n}`, where the host list fixes them.

    The field is an executed command, or a list of hosts with the number of processes as the first
    further field. The placement is fixed when each host has its `:N` and these add up.
    """
    if isinstance(value, str):
        listed, processes = _launched(value)
    else:
        texts = _texts(value)
        if isinstance(texts, Malformed):
            return texts
        listed, processes = texts, None
    if processes is None and more:
        processes = more[0]
    total = number(processes)
    placed = host_lists.placement(listed, total if isinstance(total, int) else None)
    return MISSING if placed is None else [{"count": count} for count in placed]


def _launched(command: str) -> tuple[list[str], object]:
    """The hosts and the number of processes that a launcher's command names.

    The first of each counts, and only before the program's own `key=value` arguments.
    """
    listed: list[str] = []
    processes: str | None = None
    words = iter(command.split())
    for word in words:
        if "workload=" in word or word.startswith("++") or word == ":":
            break
        option, equals, text = word.partition("=")
        if option in _COUNT_OPTIONS and processes is None:
            processes = text if equals else next(words, None)
        elif option in _HOST_OPTIONS and not listed:
            listed = [text if equals else next(words, "")]
    return listed, processes


def flag(value: object, _: tuple[object, ...], spec: FactSpec) -> object:
    """The member whose switch is on, where a tool wrote one switch for each member."""
    if not isinstance(value, Mapping):
        return Malformed(f"is {describe(value)}, not a mapping")
    known = {
        name.casefold(): member
        for member, aliases in (spec.members or {}).items()
        for name in (member, *aliases)
    }
    on = {known[key.casefold()] for key, switch in value.items() if key.casefold() in known and truth(switch)}
    if len(on) > 1:
        return Malformed(f"has more than one switch on: {', '.join(sorted(on))}")
    return next(iter(on)) if on else MISSING


def entries(value: object, more: tuple[object, ...], _: FactSpec) -> object:
    """Parameters as `{"key", "value"}`: nested or dotted mappings, lists of `key=value`.

    What several fields repeat in the same words counts once. A field that is missing is empty as
    long as another is recorded.
    """
    recorded = [field for field in (value, *more) if field is not MISSING and field is not None]
    if not recorded:
        return MISSING
    found: dict[tuple[str, str], dict[str, object]] = {}
    for field in recorded:
        pairs = _pairs(field)
        if isinstance(pairs, Malformed):
            return pairs
        for key, held in pairs:
            found.setdefault((key, show(held)), {"key": key, "value": held})
    return list(found.values())


def _pairs(field: object) -> list[tuple[str, object]] | Malformed:
    if isinstance(field, Mapping):
        return _flat(field)
    if isinstance(field, str):
        field = field.split()
    if not isinstance(field, list):
        return Malformed(f"is {describe(field)}, neither a mapping nor a list of key=value")
    pairs: list[tuple[str, object]] = []
    for element in field:
        if isinstance(element, Mapping) and isinstance(element.get("key"), str) and "value" in element:
            pairs.append((element["key"], element["value"]))
            continue
        key, equals, text = element.partition("=") if isinstance(element, str) else ("", "", "")
        if not equals or not key.strip():
            return Malformed(f"has {describe(element)} in it, which is not of the form key=value")
        pairs.append((key.strip(), text.strip()))
    return pairs


def _flat(mapping: Mapping[Any, object]) -> list[tuple[str, object]] | Malformed:
    """The leaves of a nested mapping under dotted keys; without recursion, so that depth is no matter."""
    pairs: list[tuple[str, object]] = []
    stack = [(str(key), value) for key, value in reversed(list(mapping.items()))]
    while stack:
        key, value = stack.pop()
        if isinstance(value, Mapping):
            stack.extend((f"{key}.{inner}", held) for inner, held in reversed(list(value.items())))
        elif value is not None:
            pairs.append((key, value))
        if len(stack) + len(pairs) > ENTRIES_LIMIT:
            return Malformed(f"holds more than {ENTRIES_LIMIT} entries")
    return pairs


def present(value: object, _: tuple[object, ...], __: FactSpec) -> object:
    """Yes when the field holds a mapping."""
    return True if isinstance(value, Mapping) else Malformed(f"is {describe(value)}, not a mapping")


def mounts(value: object, more: tuple[object, ...], _: FactSpec) -> object:
    """Whether two folders stand below the same mount point, by the `df` table of a log."""
    folders = [spelling.path(folder) for folder in more if isinstance(folder, str) and folder.strip()]
    if not isinstance(value, str) or len(folders) != 2 or not all(f.startswith("/") for f in folders):
        return MISSING
    head = _DF_HEAD.search(value)
    points = [row[1] for row in _DF_ROW.finditer(value, head.end())] if head else []
    homes = [max((p for p in points if _below(folder, p)), key=len, default=None) for folder in folders]
    return MISSING if None in homes else homes[0] == homes[1]


def _below(folder: str, point: str) -> bool:
    return folder == point or folder.startswith(point.rstrip("/") + "/")


def local_time(value: object, more: tuple[object, ...], _: FactSpec) -> object:
    """When a UTC snapshot was taken, on the clock of the host that started the run.

    Further fields: the snapshot taken at the start (UTC) and the start by the host's clock; their
    difference, to a quarter hour, is the host's offset; where that start has its zone nothing has to be
    moved. A snapshot that is no later than the one
    taken at the start is its copy and says nothing of the end.
    """
    newest = _newest(value)
    begun = _newest(more[0]) if more else None
    started = instant(more[1]) if len(more) > 1 else None
    if newest is None or begun is None or started is None or newest <= begun:
        return MISSING
    if started.tzinfo is not None:
        return newest
    newest, begun = newest.replace(tzinfo=None), begun.replace(tzinfo=None)
    offset = round((started - begun) / QUARTER) * QUARTER
    return MISSING if abs(offset) > FARTHEST else newest + offset


def _newest(value: object) -> datetime | None:
    """The newest collection time anywhere below a snapshot, or the time itself, as UTC."""
    if isinstance(value, (Mapping, list)):
        return max(_collected(value), default=None)
    taken = instant(value)
    return None if taken is None else _utc(taken)


def _utc(taken: datetime) -> datetime:
    """A collection time: without a zone it is UTC."""
    return taken.replace(tzinfo=UTC) if taken.tzinfo is None else taken.astimezone(UTC)


def _collected(value: object) -> Iterator[datetime]:
    stack, left = [value], ENTRIES_LIMIT
    while stack and left:
        node, left = stack.pop(), left - 1
        if isinstance(node, list):
            stack.extend(node)
        elif isinstance(node, Mapping):
            stack.extend(node.values())
            taken = instant(node.get(COLLECTED))
            if taken is not None:
                yield _utc(taken)


def _texts(value: object) -> list[str] | Malformed:
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, tuple)) and all(isinstance(element, str) for element in value):
        return list(value)
    return Malformed(f"is {describe(value)}, not a list of host names")


READERS: Mapping[str, Reader] = {
    "entries": entries,
    "flag": flag,
    "hosts": hosts,
    "local_time": local_time,
    "mounts": mounts,
    "present": present,
    "slots": slots,
    "sum": sum_of,
}
"""Readers by the name that a source calls them by."""

TAKES_MISSING = frozenset({"entries"})
"""Readers that have something to say when their own field is not recorded."""

TAKES_MAPPING = frozenset({"flag", "present"})
"""Readers of a whole part of a document. When that is no mapping, all that it should hold is lost."""
