"""Hosts as they are typed: several after one flag, comma lists, repeated flags, `:N` slots.

How many hosts there are and how many processes each gets are facts that the clauses read, so the
spellings are folded here, once: letter case, an IPv6 address with brackets and without, one machine under
several names. A placement counts only when it is complete: every host has its slots and they add up to
the processes started.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable

DIGITS = 9
"""A count with more digits than this is no count of slots."""

LOOPBACK = frozenset({"localhost", "localhost.localdomain", "ip6-localhost", "::1"})
"""What every machine calls itself; so it does with all of 127.0.0.0/8."""

SLOTS = r"(\[[^\[\]]*\]|[^:\[\]]+):(\d+)"
"""A slot count stands only behind a bracket, or behind a name that holds no colon: an address has them."""


def split(texts: Iterable[str]) -> tuple[str, ...]:
    """The host texts, one each: `a:4,b:4` and `a:4 b:4` are two."""
    return tuple(host for text in texts for host in text.replace(",", " ").split())


def name(host: str) -> str:
    """The host's name without its slots, in small letters; an address in its shortest form."""
    counted = re.fullmatch(SLOTS, host, re.ASCII)
    text = counted[1] if counted else host
    bare = text[1:-1] if text[:1] == "[" and text[-1:] == "]" else text
    return _address(bare) if ":" in bare else bare.lower().rstrip(".") or bare


def _address(text: str) -> str:
    """An IPv6 address in its shortest form; what is none stays as it is, in small letters."""
    import ipaddress  # few hosts are named so

    try:
        found = ipaddress.IPv6Address(text)
    except ValueError:
        return text.lower()
    return str(found.ipv4_mapped or found)


def slots(host: str) -> int | None:
    """The slots behind the host's name, when it has any."""
    counted = re.fullmatch(SLOTS, host, re.ASCII)
    return int(counted[2]) if counted and len(counted[2]) <= DIGITS else None


def own_names() -> frozenset[str]:
    """What this machine is called, beside the names that every machine has."""
    full = os.uname().nodename.lower().rstrip(".")
    return frozenset({full, full.partition(".")[0]})


def is_loopback(host: str) -> bool:
    """Whether a name is that of whichever machine reads it."""
    return host in LOOPBACK or re.fullmatch(r"127(\.\d{1,3}){3}", host, re.ASCII) is not None


def names(texts: Iterable[str], own: Collection[str] = ()) -> tuple[str, ...]:
    """The name of each distinct machine, as first met. `own` is what this machine is called."""
    met: dict[str, str] = {}
    for host in split(texts):
        met.setdefault(_machine(host, own), name(host))
    return tuple(met.values())


def _machine(host: str, own: Collection[str]) -> str:
    """One text for all names that are known to be of one machine."""
    called = name(host)
    return "localhost" if is_loopback(called) or called in own else called


def doubt(texts: Iterable[str], own: Collection[str] = ()) -> str | None:
    """Why nobody can tell from the names how many machines these are; None when it is known."""
    machines = list(dict.fromkeys(_machine(host, own) for host in split(texts)))
    if len(machines) < 2:
        return None
    if "localhost" in machines:
        here = [h for h in map(name, split(texts)) if _machine(h, own) == "localhost"]
        other = next(machine for machine in machines if machine != "localhost")
        if all(map(is_loopback, here)):
            return f"{here[0]} may be {other} or another machine"
    plain = {machine for machine in machines if "." not in machine and ":" not in machine}
    for machine in machines:
        short, dot, _ = machine.partition(".")
        if dot and short in plain:
            return f"{short} and {machine} may be one machine or two"
    return None


def placement(
    texts: Iterable[str], processes: int | None, own: Collection[str] = ()
) -> tuple[int, ...] | None:
    """Processes of each distinct host; None unless the host list fixes them all."""
    placed: dict[str, int] = {}
    for host in split(texts):
        count = slots(host)
        if count is None:
            return None
        machine = _machine(host, own)
        placed[machine] = placed.get(machine, 0) + count
    if not placed or processes is None or sum(placed.values()) != processes:
        return None
    return tuple(placed.values())


def typed(host: str, count: int) -> str:
    """A host with its slots, as it is typed: an address with colons in brackets."""
    return f"[{host}]:{count}" if ":" in host else f"{host}:{count}"


def spread(known: Iterable[str], count: int, processes: int) -> tuple[str, ...]:
    """`count` hosts with the processes spread over them as evenly as possible, slots written out.

    Hosts beyond the known ones get names that say that they are to be filled in.
    """
    listed = list(known)[:count]
    listed += [f"HOST{number}" for number in range(len(listed) + 1, count + 1)]
    share, rest = divmod(processes, count)
    return tuple(typed(host, share + (place < rest)) for place, host in enumerate(listed))


def brief(texts: Iterable[str], show: int = 4) -> str:
    """A host list short enough for a message: `a:6 b:6 ... (12 hosts)`."""
    listed = split(texts)
    if len(listed) <= show:
        return " ".join(listed)
    return f"{' '.join(listed[:2])} ... ({len(names(listed))} hosts)"
