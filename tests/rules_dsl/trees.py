"""Written trees as short text, and every node of one with the words it covers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from rules_dsl.diagnostics import Collector, Span
from rules_dsl.syntax import ast
from rules_dsl.syntax.parse import parse

DIVISIONS = ("closed", "open", "whatif")


def parsed(text: str, start: str = "expression") -> object:
    """The tree of a text that has to parse."""
    collect = Collector()
    tree = parse(text, Span(0, len(text)), start, collect, DIVISIONS)
    assert [d.message for d in collect.found] == []
    return tree


def refused(text: str, start: str = "rule") -> tuple[str, str, str]:
    """Message, underlined text and help of a text that must not parse."""
    collect = Collector()
    assert parse(text, Span(0, len(text)), start, collect, DIVISIONS) is None
    (found,) = collect.found
    return found.message, text[found.span.start : found.span.end], found.help


def short(node: object) -> str:
    """A tree in prefix form: `(and subset (!= model "8B"))`."""
    match node:
        case ast.Number():
            return node.text + (f" {node.unit}" if node.unit else "")
        case ast.Text():
            return f'"{node.value}"'
        case ast.Truth():
            return "yes" if node.value else "no"
        case ast.Path():
            return node.name + "".join(
                f".{s.name}" if isinstance(s, ast.Field) else f"[{short(s.expr)}]" for s in node.steps
            )
        case ast.Apply():
            return f"({node.op} {' '.join(map(short, node.operands))})"
        case ast.Match():
            return f'({node.op} {short(node.operand)} "{node.pattern}")'
        case ast.State():
            return f"({'is-not' if node.negated else 'is'} {node.state} {short(node.operand)})"
        case ast.Convert():
            return f"(as {node.unit} {short(node.operand)})"
        case ast.Fold():
            term = "" if node.term is None else f" {short(node.term)}"
            where = "" if node.where is None else f" where {short(node.where)}"
            return f"({node.kind}{term} for {node.name} in {node.listing}{where})"
        case _:
            raise AssertionError(f"no short form of {node!r}")


def nodes(node: object) -> Iterator[object]:
    """The node and everything below it that has a span, as written."""
    if isinstance(node, tuple):
        for item in node:
            yield from nodes(item)
    elif dataclasses.is_dataclass(node) and not isinstance(node, (type, Span)):
        yield node
        for field in dataclasses.fields(node):
            yield from nodes(getattr(node, field.name))


def covered(text: str, tree: object) -> list[tuple[str, str]]:
    """(kind of node, the words under its span) of every node, outermost first."""
    return [
        (type(n).__name__, text[n.span.start : n.span.end])  # type: ignore[attr-defined]  # every node of a tree has one
        for n in nodes(tree)
    ]


def marked(text: str, tree: object) -> list[tuple[str, str]]:
    """(kind of node, the words under its mark) of every node that has a mark."""
    return [
        (type(n).__name__, text[mark.start : mark.end])
        for n in nodes(tree)
        if (mark := getattr(n, "mark", None)) is not None
    ]


def statements(text: str) -> tuple[ast.Statement, ...]:
    """The statements of a rule's text."""
    found = parsed(text, "rule")
    assert isinstance(found, tuple)
    return found
