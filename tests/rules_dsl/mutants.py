"""Single-token changes of the statements and defines of a document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rules_dsl.diagnostics import position
from rules_dsl.source import Document

SWAPS: dict[str, tuple[str, ...]] = {
    "and": ("or",),
    "or": ("and",),
    "not": ("",),
    "any": ("all",),
    "all": ("any",),
    "in closed:": ("",),
    "error": ("warn", "note"),
    "warn": ("error", "note"),
    "note": ("error", "warn"),
    "<=": ("<", ">=", "!="),
    "<": ("<=", ">", "!="),
    ">=": (">", "<=", "!="),
    ">": (">=", "<", "!="),
    "==": ("!=",),
    "!=": ("==",),
    "+": ("-",),
    "-": ("+",),
    "*": ("/",),
    "/": ("*",),
    "yes": ("no",),
    "no": ("yes",),
    "since": ("until",),
    "until": ("since",),
}
TOKEN = re.compile(r'"[^"\n]*"|in closed:|[A-Za-z_]\w*|<=|>=|==|!=|[<>*/+-]|\d+(?:\.\d+)?')
UNREAD = re.compile(r'(?:because|fix|informative|undecidable) "[^"\n]*"|#[^\n]*')


@dataclass(frozen=True)
class Mutant:
    """One change: what stood where, and what stands there now."""

    text: str
    line: int
    old: str
    new: str
    kind: str  # rule or define
    clause: str | None

    def __str__(self) -> str:
        return f"line {self.line}: {self.old} -> {self.new or 'nothing'}"


def mutants(page: Document) -> Iterator[Mutant]:
    """Every single-token change of the document."""
    for fence in page.fences:
        if fence.kind not in {"rule", "define"}:
            continue
        body = page.text[fence.body.start : fence.body.end]
        unread = [m.span() for m in UNREAD.finditer(body)]
        for token in TOKEN.finditer(body):
            if any(a <= token.start() < b for a, b in unread):
                continue
            at = fence.body.start + token.start()
            for new in _changes(token[0]):
                text = page.text[:at] + new + page.text[at + len(token[0]) :]
                yield Mutant(text, position(page.text, at)[0], token[0], new, fence.kind, fence.clause)


def _changes(token: str) -> tuple[str, ...]:
    if re.fullmatch(r"\d+(\.\d+)?", token):
        if "." in token:
            return (str(float(token) + 0.5), "0")
        # halves of whole counts above nothing are as good as nothing itself
        return ("1", "5") if token == "0" else (str(int(token) + 1), f"{token}.5", "0")
    return SWAPS.get(token, ())
