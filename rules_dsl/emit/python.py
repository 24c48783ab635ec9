"""Python source from values and IR nodes: the one place where text of generated code is made.

Two filters' worth of work: `literal` prints data of allow-listed types, `expression` prints a
node as calls of the runtime. Both break lines the way the project's formatter would read well.
"""

from __future__ import annotations

import builtins
import dataclasses
import keyword
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from engine.runtime import judge as runtime
from engine.runtime import ruleset
from rules_dsl import ir

WIDTH = 108
CALLS = {
    "==": "equals",
    "!=": "differs",
    "+": "plus",
    "-": "minus",
    "*": "times",
    "/": "divide",
    "mod": "modulo",
    "and": "both",
    "or": "either",
    "not": "negate",
    "otherwise": "otherwise",
    "in": "among",
    "abs": "absolute",
    "ceil": "ceiling",
    "floor": "floor",
    "min": "least_of",
    "max": "greatest_of",
    "size": "size",
}
SWAPPED = {"<": "exceeds", "<=": "reaches"}
STRAIGHT = {">": "exceeds", ">=": "reaches"}
FOLDS = {"any": "exists", "all": "every"}


@dataclass(frozen=True, slots=True)
class Group:
    """Source that can be broken: an opening, parts, a closing."""

    opening: str
    parts: tuple[Doc, ...]
    closing: str


@dataclass(frozen=True, slots=True)
class Pair:
    """`key: value`, `name=value`, `lambda x: value`: a head that stays with its part."""

    head: str
    part: Doc


Doc = str | Group | Pair


def flat(doc: Doc) -> str:
    """The source on one line."""
    if isinstance(doc, str):
        return doc
    if isinstance(doc, Pair):
        return doc.head + flat(doc.part)
    tail = "," if doc.opening == "(" and len(doc.parts) == 1 else ""
    return doc.opening + ", ".join(flat(p) for p in doc.parts) + tail + doc.closing


def layout(doc: Doc, indent: int = 0, used: int = 0) -> str:
    """The source within the width, one part a line where it must break."""
    line = flat(doc)
    if isinstance(doc, str) or used + len(line) <= WIDTH:
        return line
    if isinstance(doc, Pair):
        return doc.head + layout(doc.part, indent, used + len(doc.head))
    inner = " " * (indent + 4)
    parts = [inner + layout(p, indent + 4, indent + 5) + "," for p in doc.parts]
    return "\n".join([doc.opening, *parts, " " * indent + doc.closing])


def literal(value: object) -> Doc:
    """Data as source. Raises TypeError for a type that is not on the list."""
    if value is None or isinstance(value, (bool, int, str)):
        return _text(value) if isinstance(value, str) else repr(value)
    if isinstance(value, Fraction):
        return f"Fraction({value.numerator}, {value.denominator})"
    if isinstance(value, frozenset):
        return (
            Group(
                "frozenset({",
                tuple(literal(v) for v in sorted(value, key=lambda v: (str(type(v)), str(v)))),
                "})",
            )
            if value
            else "frozenset()"
        )
    if isinstance(value, tuple):
        return Group("(", tuple(literal(v) for v in value), ")")
    if isinstance(value, Mapping):
        return Group("{", tuple(Pair(f"{flat(literal(k))}: ", literal(v)) for k, v in value.items()), "}")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _record(value)
    raise TypeError(f"{type(value).__name__} is not printed into generated code")


def _text(value: str) -> str:
    shown = repr(value)
    if shown.startswith("'") and '"' not in value:
        return '"' + shown[1:-1].replace("\\'", "'") + '"'
    return shown


def _record(value: object) -> Doc:
    """A dataclass with the fields that differ from their defaults."""
    parts = []
    for field in dataclasses.fields(value):  # type: ignore[arg-type]  # the caller made sure that it is an instance
        here = getattr(value, field.name)
        if field.default is not dataclasses.MISSING and here == field.default:
            continue
        parts.append(Pair(f"{field.name}=", literal(here)))
    return Group(f"{type(value).__name__}(", tuple(parts), ")")


def call(name: str, *parts: Doc) -> Group:
    """A call of a runtime function."""
    return Group(f"{name}(", parts, ")")


class Printer:
    """Prints nodes; remembers which runtime functions were used."""

    def __init__(self) -> None:
        self.used: set[str] = set()

    def call(self, name: str, *parts: Doc) -> Group:
        """A call of a runtime function, remembered."""
        self.used.add(name)
        return call(name, *parts)

    def expression(self, node: ir.Node, names: Mapping[str, str] | None = None, facts: str = "facts") -> Doc:
        """A node as source. `names` maps a fold's loop name to its Python name."""
        inside = names or {}

        def go(below: ir.Node) -> Doc:
            return self.expression(below, inside, facts)

        match node:
            case ir.Const():
                return self._literal(node.value)
            case ir.Ref():
                owner, _, part = node.name.rpartition(".")
                if owner and owner in inside:
                    return self.call("read", inside[owner], _text(part))
                return self.call("read", facts, _text(node.name))
            case ir.SetOf():
                return self._literal(frozenset(node.values))
            case ir.Cellref():
                return self.call("look_up", "TABLES", _text(node.table), go(node.key), go(node.column))
            case ir.Is():
                answer = self.call(node.state, go(node.operand))
                return self.call("negate", answer) if node.negated else answer
            case ir.Like():
                return self.call(
                    "matches" if node.op == "matches" else "starts_with",
                    go(node.operand),
                    _text(node.pattern),
                )
            case ir.Folded():
                return self._fold(node, inside, facts)
            case ir.Op(op="not-in"):
                return self.call("negate", self.call("among", *map(go, node.operands)))
            case ir.Op() if node.op in SWAPPED:
                left, right = node.operands
                return self.call(SWAPPED[node.op], go(right), go(left))
            case ir.Op():
                return self.call(STRAIGHT.get(node.op) or CALLS[node.op], *map(go, node.operands))

    def _literal(self, value: object) -> Doc:
        if isinstance(value, Fraction) or (
            isinstance(value, frozenset) and any(isinstance(v, Fraction) for v in value)
        ):
            self.used.add("Fraction")
        return literal(value)

    def _fold(self, node: ir.Folded, names: Mapping[str, str], facts: str) -> Doc:
        python = python_name(node.name, names.values())
        inside = {**names, node.name: python}

        def each(below: ir.Node) -> Doc:
            return Pair(f"lambda {python}: ", self.expression(below, inside, facts))

        listing = self.expression(node.listing, names, facts)
        where = () if node.where is None else (each(node.where),)
        if node.kind in FOLDS:
            return self.call(FOLDS[node.kind], listing, each(node.term), *where)
        if node.kind == "count":
            return self.call("tally", listing, *where)
        return self.call("fold", _text(node.kind), listing, each(node.term), *where)


def python_name(name: str, taken: Iterable[str]) -> str:
    """A loop's name as a Python name that hides nothing of the module and no loop around it."""
    if name.startswith(OURS):
        name = f"each_{name}"
    while keyword.iskeyword(name) or name in RESERVED or name in taken:
        name += "_"
    return name


RESERVED = {
    "facts",
    "known",
    "TABLES",
    "FACTS",
    "DOCUMENTS",
    "RULESET",
    *runtime.__all__,
    *dir(builtins),
    *dir(ruleset),
    "Facts",
    "Value",
}
OURS = ("S_", "clause_", "derive_", "conflict_")
