"""The machine's reading of a statement, as one English sentence.

The sentence is made from the IR, so that a reader can hold our prose against what will be
run. It is unambiguous: `and` binds tighter than `or`, and a group that would read wrongly says
`either ... or` / `both ... and`.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from rules_dsl import ir
from rules_dsl.vocabulary import Words

COMPARED = {
    "==": ("is", "are"),
    "!=": ("is not", "are not"),
    "<": ("is less than", "are less than"),
    "<=": ("is at most", "are at most"),
    ">": ("is more than", "are more than"),
    ">=": ("is at least", "are at least"),
}
KINDS = {"all": "Breach", "closed": "Breach of CLOSED", "package": "Breach of the package"}
PLACES = 60
"""Decimals that are tried before a number is told as a fraction."""
CALLED = ("min", "max", "abs", "ceil", "floor")
ARITHMETIC = {
    "+": "plus",
    "-": "minus",
    "*": "times",
    "/": "divided by",
    "mod": "modulo",
    "otherwise": "or, where that is not recorded,",
}


def sentence(statement: ir.Statement) -> str:
    """The whole quoted line of one statement, without the `> `."""
    head = KINDS[statement.category]
    if statement.level != "error":
        head += f", a {statement.level} only"
    return f"{head}: {statement.breach}."


class English:
    """Speaks of nodes in the words that the vocabulary gives."""

    def __init__(self, words: Mapping[str, Words]) -> None:
        self._words = words

    def breach(
        self,
        condition: ir.Node,
        guard: ir.Node | None,
        each: ir.ForEach | None,
        since: str | None,
        until: str | None,
    ) -> str:
        """The sentence of a statement's condition with its prefixes, without the full stop."""
        parts = []
        if since is not None:
            parts.append(f"from edition {since} on")
        if until is not None:
            parts.append(f"up to edition {until}")
        if each is not None:
            parts.append(self._each(each))
        if guard is not None:
            parts.append(f"where {self.clause(guard)}")
        return ", ".join([*parts, self.clause(condition)])

    def _each(self, each: ir.ForEach) -> str:
        kind = self._noun(each.listing).removeprefix("its ")
        text = f"for each {each.names[0]} of {kind}"
        if len(each.names) == 2:
            text = f"for each {each.names[0]} and the next one, {each.names[1]}, of {kind}"
        return text + (f" for which {self.clause(each.where)}" if each.where is not None else "")

    def clause(self, node: ir.Node, depth: int = 0) -> str:
        """A condition as words. `depth` counts the connectives around it."""
        match node:
            case ir.Op(op="and" | "or"):
                return self._connective(node, depth)
            case ir.Op(op="not"):
                return self._negated(node.operands[0], depth)
            case ir.Op(op="==" | "!=" | "<" | "<=" | ">" | ">="):
                left, right = node.operands
                plural = self._plural(left)
                if isinstance(right, ir.Const) and isinstance(right.value, bool) and isinstance(left, ir.Ref):
                    return self._fact(left, said=right.value == (node.op == "=="))
                return f"{self.term(left)} {COMPARED[node.op][plural]} {self.term(right)}"
            case ir.Op(op="in" | "not-in"):
                left, right = node.operands
                verb = ("are" if self._plural(left) else "is") + ("" if node.op == "in" else " not")
                among = "among " if isinstance(right, ir.Cellref) else ""
                return f"{self.term(left)} {verb} {among}{self.term(right)}"
            case ir.Is():
                verb = "are" if self._plural(node.operand) else "is"
                return f"{self.term(node.operand)} {verb}{' not' if node.negated else ''} {node.state}"
            case ir.Like():
                return f'{self.term(node.operand)} {node.op} "{node.pattern}"'
            case ir.Folded(kind="any" | "all"):
                many = self._noun(node.listing).removeprefix("its ")
                where = f" for which {self.clause(node.where)}" if node.where is not None else ""
                which = "some" if node.kind == "any" else "every"
                return f"for {which} {node.name} of {many}{where}, {self.clause(node.term, depth + 1)}"
            case ir.Ref():
                return self._fact(node, said=True)
            case _:
                return f"{self.term(node)} holds"

    def _connective(self, node: ir.Op, depth: int) -> str:
        parts = [self.clause(o, depth + 1) for o in node.operands]
        if depth == 0:
            return f", {node.op} ".join(parts)
        if depth == 1:
            return f" {node.op} ".join(parts)
        lead = "both" if node.op == "and" else "either"
        return f"({lead} {f' {node.op} '.join(parts)})"

    def _negated(self, node: ir.Node, depth: int) -> str:
        if isinstance(node, ir.Ref):
            return self._fact(node, said=False)
        return f"it is not so that {self.clause(node, depth + 1)}"

    def _fact(self, node: ir.Ref, *, said: bool) -> str:
        name = node.name.split(".")[-1]
        owner = node.name.split(".")[0] if node.bound else ""
        words = self._words.get(name, Words(name))
        text = (words.yes if said else words.no) or f"{self._noun(node)} is {'yes' if said else 'no'}"
        return f"of {owner}, {text}" if owner else text

    def term(self, node: ir.Node) -> str:
        """A value as words."""
        match node:
            case ir.Const():
                return _literal(node)
            case ir.Ref():
                return self._noun(node)
            case ir.SetOf():
                if node.table is not None:
                    return f"listed in table {node.table}"
                return "one of " + ", ".join(_value(v) for v in node.values)
            case ir.Cellref():
                return self._cell(node)
            case ir.Op(op="size"):
                return f"the number of {self.term(node.operands[0]).removeprefix('its ')}"
            case ir.Op(op="min" | "max"):
                return f"the {'least' if node.op == 'min' else 'greatest'} of " + " and ".join(
                    map(self._grouped, node.operands)
                )
            case ir.Op(op="abs" | "ceil" | "floor"):
                word = {
                    "abs": "the size of",
                    "ceil": "the next whole number from",
                    "floor": "the whole part of",
                }[node.op]
                return f"{word} {self._grouped(node.operands[0])}"
            case ir.Op() if node.op in ARITHMETIC:
                return self._arithmetic(node)
            case ir.Folded():
                return self._total(node)
            case _:
                return f"whether {self.clause(node, 2)}"

    def _arithmetic(self, node: ir.Op) -> str:
        if _converted(node):
            return f"{self._grouped(node.operands[0])} in {node.type.unit}"
        return f" {ARITHMETIC[node.op]} ".join(self._grouped(o) for o in node.operands)

    def _grouped(self, node: ir.Node) -> str:
        """A value as words, in brackets where what stands around it could be read into it."""
        compound = isinstance(node, ir.Folded) or (
            isinstance(node, ir.Op) and node.op in {*ARITHMETIC, *CALLED} and not _converted(node)
        )
        return f"({self.term(node)})" if compound else self.term(node)

    def _total(self, node: ir.Folded) -> str:
        many = self._noun(node.listing).removeprefix("its ")
        where = f" for which {self.clause(node.where)}" if node.where is not None else ""
        if node.kind == "count":
            return f"the number of {many} ({node.name}){where}"
        word = {"sum": "the sum of", "mean": "the mean of", "distinct": "the number of different"}.get(
            node.kind, f"the {node.kind} of"
        )
        return f"{word} {self.term(node.term)} over each {node.name} of {many}{where}"

    def _cell(self, node: ir.Cellref) -> str:
        column = (
            f"`{node.column.value}`".replace("_", " ").strip("`")
            if isinstance(node.column, ir.Const)
            else f"row named by {self.term(node.column)}"
        )
        if isinstance(node.key, ir.Const):
            return f"the {column} of {node.key.value} in table {node.table}"
        return f"the {column} of {self.term(node.key).replace('its ', 'that ', 1)} in table {node.table}"

    def _noun(self, node: ir.Ref) -> str:
        if node.bound is None:
            return self._words.get(node.name, Words(f"its {node.name}")).noun
        owner, part = node.name.split(".")
        key = f"{node.bound}.{part}" if f"{node.bound}.{part}" in self._words else part
        return (
            f"{self._words.get(key, Words(part)).noun.removeprefix('its ').removeprefix('the ')} of {owner}"
        )

    def _plural(self, node: ir.Node) -> bool:
        if not isinstance(node, ir.Ref):
            return False
        return self._words.get(node.name.split(".")[-1], Words("")).plural


def _converted(node: ir.Op) -> bool:
    return node.op == "*" and node.operands[0].type.unit not in {None, node.type.unit}


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Fraction):
        return _decimal(value)
    return f'"{value}"' if isinstance(value, str) else str(value)


def _decimal(value: Fraction) -> str:
    """The number as a decimal where that is exact, else as a fraction."""
    places = 0
    while value.denominator != 1 and (value * 10**places).denominator != 1 and places < PLACES:
        places += 1
    scaled = value * 10**places
    if scaled.denominator != 1:
        return f"{value.numerator}/{value.denominator}"
    digits = f"{abs(scaled.numerator):0{places + 1}d}"
    whole, part = (digits[:-places], digits[-places:]) if places else (digits, "")
    return ("-" if value < 0 else "") + whole + (f".{part}" if part else "")


def _literal(node: ir.Const) -> str:
    return _value(node.value) + (f" {node.type.unit}" if node.type.unit else "")
