"""Parts of a fact's declaration that are read alike everywhere: words, levels, members, missing."""

from __future__ import annotations

from rules_dsl.diagnostics import Collector, Span, suggest
from rules_dsl.source.document import Page
from rules_dsl.source.marked_yaml import Marked

LEVELS = ("error", "warning", "note")


def one_of(entry: Marked, key: str, allowed: tuple[str, ...], default: str, collect: Collector) -> str:
    """The word that a key says, one of these."""
    value = entry.get(key)
    if value is None:
        return default
    if value.text not in allowed:
        collect.error(
            "V005", f"`{key}` cannot be `{value.text}`", value.span, help=suggest(value.text, allowed)
        )
        return default
    return value.text


def is_yes(entry: Marked, key: str, collect: Collector) -> bool:
    """Whether a key says yes."""
    value = entry.get(key)
    if value is None:
        return False
    if value.text.lower() not in {"yes", "no", "true", "false"}:
        collect.error("V005", f"`{key}` is yes or no", value.span)
    return value.text.lower() in {"yes", "true"}


def level(value: Marked, collect: Collector) -> str:
    """How bad it is: error, warning or note."""
    if value.text not in LEVELS:
        collect.error(
            "V005", f"no level is called `{value.text}`", value.span, help=suggest(value.text, LEVELS)
        )
        return "error"
    return value.text


def read_members(
    name: str, entry: Marked, kind: str, collect: Collector
) -> dict[str, tuple[str, ...]] | None:
    """The members of an enumeration and their aliases; None for other types."""
    given = entry.get("members")
    if kind != "enum":
        if given is not None:
            collect.error("V005", f"only an enum has members, `{name}` is {kind}", given.key)
        return None
    if given is None or not list(given.items()):
        collect.error("V004", f"enum `{name}` has no members", entry.key)
        return {}
    members = {member: tuple(alias.text for alias in aliases.texts()) for member, aliases in given.items()}
    owner: dict[str, str] = {}
    for member, aliases in members.items():
        for spelling in (member, *aliases):
            if owner.setdefault(spelling.lower(), member) != member:
                collect.error(
                    "V007", f"`{spelling}` spells both {owner[spelling.lower()]} and {member}", given.key
                )
    return members


def read_missing(entry: Marked, page: Page, collect: Collector) -> tuple[tuple[str | None, str], ...]:
    """The level of "not recorded", by the last edition in which it holds; the default is last."""
    given = entry.get("missing")
    if given is None:
        return ((None, "error"),)
    if given.text:
        return ((None, level(given, collect)),)
    found: list[tuple[str | None, str]] = []
    default = "error"
    for key, value in given.items():
        if key == "default":
            default = level(value, collect)
        elif key.startswith("until "):
            edition = key.removeprefix("until ").strip().strip('"')
            if page.head.sound and edition not in page.head.editions:
                at = page.text.index(edition, value.key.start)
                help_text = suggest(edition, page.head.editions)
                where = Span(at, at + len(edition))
                collect.error("C009", f"no edition is called {edition}", where, help=help_text)
            found.append((edition, level(value, collect)))
        else:
            collect.error(
                "V003", f"`missing` has no key `{key}`", value.key, help='known: default, until "EDITION"'
            )
    return (*found, (None, default))
