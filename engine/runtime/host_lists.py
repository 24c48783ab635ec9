"""Hosts as they are typed: several after one flag, comma lists, repeated flags, `:N` slots.

How many hosts there are and how many processes each gets are facts that the clauses read, so the
spellings are folded here, once. A placement counts only when it is complete: every host has its
slots and they add up to the processes started.
"""

from __future__ import annotations

from collections.abc import Iterable

DIGITS = 9
"""A count with more digits than this is no count of slots."""


def split(texts: Iterable[str]) -> tuple[str, ...]:
    """The host texts, one each: `a:4,b:4` and `a:4 b:4` are two."""
    return tuple(host for text in texts for host in text.replace(",", " ").split())


def name(host: str) -> str:
    """The host's name without its slots."""
    head, colon, tail = host.rpartition(":")
    return head if colon and tail.isdecimal() and head else host


def slots(host: str) -> int | None:
    """The slots behind the host's name, when it has any."""
    head, colon, tail = host.rpartition(":")
    if not colon or not head or not tail.isascii() or not tail.isdecimal() or len(tail) > DIGITS:
        return None
    return int(tail)


def names(texts: Iterable[str]) -> tuple[str, ...]:
    """The distinct host names, as first met."""
    return tuple(dict.fromkeys(name(host) for host in split(texts)))


def placement(texts: Iterable[str], processes: int | None) -> tuple[int, ...] | None:
    """Processes of each distinct host; None unless the host list fixes them all."""
    placed: dict[str, int] = {}
    for host in split(texts):
        count = slots(host)
        if count is None:
            return None
        placed[name(host)] = placed.get(name(host), 0) + count
    if not placed or processes is None or sum(placed.values()) != processes:
        return None
    return tuple(placed.values())


def spread(known: Iterable[str], count: int, processes: int) -> tuple[str, ...]:
    """`count` hosts with the processes spread over them as evenly as possible, slots written out.

    Hosts beyond the known ones get names that say that they are to be filled in.
    """
    listed = list(known)[:count]
    listed += [f"HOST{number}" for number in range(len(listed) + 1, count + 1)]
    share, rest = divmod(processes, count)
    return tuple(f"{host}:{share + (place < rest)}" for place, host in enumerate(listed))


def brief(texts: Iterable[str], show: int = 4) -> str:
    """A host list short enough for a message: `a:6 b:6 ... (12 hosts)`."""
    listed = split(texts)
    if len(listed) <= show:
        return " ".join(listed)
    return f"{' '.join(listed[:2])} ... ({len(names(listed))} hosts)"
