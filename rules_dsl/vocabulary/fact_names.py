"""The words of a fact in a breach sentence; no two facts share them, so that it says which one it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rules_dsl.diagnostics import Collector, Span


@dataclass(frozen=True, slots=True)
class Words:
    """How the rendered English speaks of a fact."""

    noun: str
    plural: bool = False
    yes: str = ""
    no: str = ""


def check_words(words: Mapping[str, Words], spans: Mapping[str, Span], collect: Collector) -> None:
    """An error for every fact whose noun or phrase is another's, or whose yes and no read alike."""
    owner: dict[str, str] = {}
    for name, span in spans.items():
        said = words[name]
        for phrase in (said.noun, said.yes, said.no):
            first = owner.setdefault(" ".join(phrase.split()), name)
            if first != name:
                message = f"`{name}` and `{first}` are both spoken of as `{phrase}`"
                second = (spans[first], "the other fact")
                collect.error(
                    "B003", message, span, second=second, help="give each a `noun` or `says` of its own"
                )
                break
        if said.yes == said.no:
            message = f"yes and no of `{name}` are both spoken of as `{said.yes}`"
            collect.error("B003", message, span, help="`says` is a list: [yes phrase, no phrase]")
