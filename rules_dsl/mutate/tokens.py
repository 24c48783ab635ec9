"""The words of one statement or define with their places, and what stands beside what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lark import Token

from rules_dsl.diagnostics import Span
from rules_dsl.syntax import parse


@dataclass(frozen=True, slots=True)
class Edit:
    """Words of the document replaced by others."""

    span: Span
    new: str
    kind: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a block, in order."""

    words: tuple[Token, ...]

    @classmethod
    def of(cls, text: str, span: Span, start: str, divisions: tuple[str, ...] = ()) -> Tokens:
        """Those between two places, read as this kind of block."""
        return cls(tuple(parse.tokens(text, span, start, divisions)))

    def within(self, span: Span) -> Iterator[Token]:
        """Those inside a span."""
        return (t for t in self.words if span.start <= place(t).start and place(t).end <= span.end)

    def before(self, offset: int) -> Token | None:
        """The last one that ends at or before a place."""
        return next((t for t in reversed(self.words) if place(t).end <= offset), None)

    def after(self, offset: int) -> Token | None:
        """The first one that begins at or after a place."""
        return next((t for t in self.words if place(t).start >= offset), None)

    def grouped(self, span: Span, limits: Span) -> Span:
        """An operand with the parentheses around it that are its own, none outside `limits`."""
        while True:
            left, right = self.before(span.start), self.after(span.end)
            if left is None or right is None or left.type != "LPAR" or right.type != "RPAR":
                return span
            if place(left).start < limits.start or place(right).end > limits.end:
                return span
            span = Span(place(left).start, place(right).end)


def place(token: Token) -> Span:
    """Where a token stands."""
    start = token.start_pos or 0
    return Span(start, token.end_pos if token.end_pos is not None else start)
