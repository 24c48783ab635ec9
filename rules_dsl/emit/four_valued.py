"""The four-valued path of a node: calls of the runtime's total operators, whatever is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from rules_dsl import ir
from rules_dsl.emit.layout import Doc, Group, Pair, call, literal, quoted
from rules_dsl.emit.names import loop_name

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


class Printer:
    """Prints nodes for one subject; remembers which names of the runtime were used."""

    def __init__(self) -> None:
        self.used: set[str] = set()

    def call(self, name: str, *parts: Doc) -> Group:
        """A call of a runtime function, remembered."""
        self.used.add(name)
        return call(name, *parts)

    def expression(self, node: ir.Node, subject: str, names: Mapping[str, str] | None = None) -> Doc:
        """A node as source. `names` maps the name of a loop or a bound element to its Python name."""
        inside = names or {}

        def go(below: ir.Node) -> Doc:
            return self.expression(below, subject, inside)

        match node:
            case ir.Const():
                return self.literal(node.value)
            case ir.Ref():
                owner, _, part = node.name.rpartition(".")
                if owner and owner in inside:
                    return self.call("read", inside[owner], quoted(part))
                return self.call("read", subject, quoted(node.name))
            case ir.SetOf():
                return self.literal(frozenset(node.values))
            case ir.Cellref():
                self.used.add("TABLES")
                return self.call("look_up", "TABLES", quoted(node.table), go(node.key), go(node.column))
            case ir.Is():
                answer = self.call(node.state, go(node.operand))
                return self.call("negate", answer) if node.negated else answer
            case ir.Like():
                name = "matches" if node.op == "matches" else "starts_with"
                return self.call(name, go(node.operand), quoted(node.pattern))
            case ir.Folded():
                return self._fold(node, subject, inside)
            case ir.Op(op="not-in"):
                return self.call("negate", self.call("among", *map(go, node.operands)))
            case ir.Op() if node.op in SWAPPED:
                left, right = node.operands
                return self.call(SWAPPED[node.op], go(right), go(left))
            case ir.Op():
                return self.call(STRAIGHT.get(node.op) or CALLS[node.op], *map(go, node.operands))

    def literal(self, value: object) -> Doc:
        """Data, remembered when it needs an import."""
        if isinstance(value, Fraction) or (
            isinstance(value, frozenset) and any(isinstance(v, Fraction) for v in value)
        ):
            self.used.add("Fraction")
        return literal(value)

    def _fold(self, node: ir.Folded, subject: str, names: Mapping[str, str]) -> Doc:
        python = loop_name(node.name, names.values())
        inside = {**names, node.name: python}

        def each(below: ir.Node) -> Doc:
            return Pair(f"lambda {python}: ", self.expression(below, subject, inside))

        listing = self.expression(node.listing, subject, names)
        where = () if node.where is None else (each(node.where),)
        if node.kind in FOLDS:
            return self.call(FOLDS[node.kind], listing, each(node.term), *where)
        if node.kind == "count":
            return self.call("tally", listing, *where)
        return self.call("fold", quoted(node.kind), listing, each(node.term), *where)
