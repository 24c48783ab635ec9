"""Recorded words that no member or alias of their enumeration knows, and what each may have meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from engine.runtime.ruleset import FactSpec
from engine.runtime.values import Facts, Listing, Other


class Word(NamedTuple):
    """An unknown word: the fact it stands for, and the declared fact (a list, for that of an element)."""

    spec: FactSpec
    of: str
    text: str

    @property
    def name(self) -> str:
        """The fact as people name it."""
        return self.spec.name if self.of == self.spec.name else f"{self.of}.{self.spec.name}"


def unlisted(specs: Iterable[FactSpec], facts: Facts) -> dict[str, Word]:
    """The unknown words among the declared facts of a subject, by the name that a cause has for each."""
    found: dict[str, Word] = {}
    for spec in specs:
        value = facts.get(spec.name)
        if isinstance(value, Other):
            found[spec.name] = Word(spec, spec.name, value.text)
        elif isinstance(value, Listing) and any(field.members for field in spec.fields):
            for field in spec.fields:
                words = (item.get(field.name) for item in value.items)
                word = next((word for word in words if isinstance(word, Other)), None)
                if word is not None:
                    found.setdefault(field.name, Word(field, spec.name, word.text))
    return found


def meant(spec: FactSpec, text: str) -> str:
    """Which member of an enumeration a text may have meant, and which there are."""
    members = spec.members or {}
    near = _near(members, text.casefold())
    known = f"known are {', '.join(members)}"
    return f"did you mean {near}? ({known})" if near else known


def _near(members: Mapping[str, tuple[str, ...]], text: str) -> str | None:
    """The member nearest to a text: the one that it names among other words, else the most alike."""
    from difflib import get_close_matches  # the gate starts without it

    owners = {name.casefold(): member for member, names in members.items() for name in (member, *names)}
    named = {owners[word] for word in re.split(r"[^\w-]|_", text) if word in owners}
    if named:
        return named.pop() if len(named) == 1 else None
    close = get_close_matches(text.strip(), owners, n=1, cutoff=0.6)
    return owners[close[0]] if close else None
