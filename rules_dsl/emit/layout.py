"""Python source that can be broken into lines, and data as such source.

Everything that generated code says passes through `layout` or `literal`; text is never joined elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

WIDTH = 108


@dataclass(frozen=True, slots=True)
class Group:
    """An opening, parts with commas, a closing. `filled`: as many parts a line as there is room for."""

    opening: str
    parts: tuple[Doc, ...]
    closing: str
    filled: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """`key: value`, `name=value`, `lambda x: value`: a head that stays with its part."""

    head: str
    part: Doc


@dataclass(frozen=True, slots=True)
class Chain:
    """Operands with an operator between them; broken before each operator, within parentheses."""

    operator: str
    parts: tuple[Doc, ...]


@dataclass(frozen=True, slots=True)
class Parens:
    """Something in parentheses, after the name of what is called with it alone."""

    part: Doc
    head: str = ""


@dataclass(frozen=True, slots=True)
class Name:
    """A name of the generated code itself, as data that is printed without quotes."""

    text: str


Doc = str | Group | Pair | Chain | Parens


def flat(doc: Doc) -> str:
    """The source on one line."""
    match doc:
        case str():
            return doc
        case Pair():
            return doc.head + flat(doc.part)
        case Chain():
            return doc.operator.join(map(flat, doc.parts))
        case Parens():
            return f"{doc.head}({flat(doc.part)})"
        case Group():
            tail = "," if doc.opening == "(" and len(doc.parts) == 1 else ""
            return doc.opening + ", ".join(map(flat, doc.parts)) + tail + doc.closing


def layout(doc: Doc, indent: int = 0, used: int = 0) -> str:
    """The source within the width, one part a line where it must break. `used`: columns taken before it."""
    line = flat(doc)
    if isinstance(doc, str) or used + len(line) <= WIDTH:
        return line
    inner = " " * (indent + 4)
    match doc:
        case Pair():
            return doc.head + layout(doc.part, indent, used + len(doc.head))
        case Parens():
            return f"{doc.head}(\n{inner}{layout(doc.part, indent + 4, indent + 4)}\n{' ' * indent})"
        case Chain():
            first, *rest = (layout(part, indent, indent + len(doc.operator)) for part in doc.parts)
            before = f"\n{' ' * indent}{doc.operator.lstrip()}"
            return first + "".join(before + part for part in rest)
        case Group():
            parts = [layout(p, indent + 4, indent + 5) + "," for p in doc.parts]
            parts = _fill(parts, inner) if doc.filled else [inner + part for part in parts]
            return "\n".join([doc.opening, *parts, " " * indent + doc.closing])


def _fill(parts: list[str], inner: str) -> list[str]:
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + 1 + len(part) <= WIDTH:
            lines[-1] += f" {part}"
        else:
            lines.append(inner + part)
    return lines


def spread(doc: Doc, indent: int, used: int) -> str:
    """A whole expression after `return` or `if`: in parentheses when it takes several lines."""
    long = isinstance(doc, Chain) and used + len(flat(doc)) > WIDTH
    return layout(Parens(doc) if long else doc, indent, used)


def call(name: str, *parts: Doc) -> Group:
    """A call of a function."""
    return Group(f"{name}(", parts, ")")


def literal(value: object) -> Doc:
    """Data as source. Raises TypeError for a type that is not on the list."""
    if isinstance(value, str):
        return quoted(value)
    if value is None or isinstance(value, (bool, int)):
        return repr(value)
    if isinstance(value, Name):
        return value.text
    if isinstance(value, Fraction):
        return f"Fraction({value.numerator}, {value.denominator})"
    if isinstance(value, frozenset):
        ordered = sorted(value, key=lambda v: (str(type(v)), str(v)))
        return (
            Group("frozenset({", tuple(map(literal, ordered)), "})", filled=True) if value else "frozenset()"
        )
    if isinstance(value, tuple):
        if hasattr(value, "_fields"):
            return _record(value)
        return Group("(", tuple(map(literal, value)), ")", filled=all(isinstance(v, str) for v in value))
    if isinstance(value, Mapping):
        return Group("{", tuple(Pair(f"{flat(literal(k))}: ", literal(v)) for k, v in value.items()), "}")
    raise TypeError(f"{type(value).__name__} is not printed into generated code")


def quoted(value: str) -> str:
    """A text as Python source, in double quotes where that needs no backslash."""
    shown = repr(value)
    if shown.startswith("'") and '"' not in value:
        return '"' + shown[1:-1].replace("\\'", "'") + '"'
    return shown


def _record(value: tuple[object, ...]) -> Doc:
    """A named tuple with the fields that differ from their defaults."""
    kind: type = type(value)
    names: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]  # the caller made sure that it has them
    defaults: Mapping[str, object] = kind._field_defaults  # type: ignore[attr-defined]  # as above
    parts = tuple(
        Pair(f"{name}=", literal(part))
        for name, part in zip(names, value, strict=True)
        if name not in defaults or part != defaults[name]
    )
    return Group(f"{kind.__name__}(", parts, ")")
