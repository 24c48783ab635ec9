"""How values are spoken of: facts, literals, cells, arithmetic and totals, as the words of a sentence.

A value that could run into the words around it stands in brackets, and none has a comma outside
of brackets: commas are left to the conditions that `english` makes of these.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction

from rules_dsl import ir
from rules_dsl.vocabulary.fact_names import Words

PLACES = 60
"""Decimals that are tried before a number is told as a fraction."""
ARITHMETIC = {"+": "plus", "-": "minus", "*": "times", "/": "divided by", "mod": "modulo"}
OTHERWISE = " or, where that is not recorded, "
EXTREMES = {"min": "the least of", "max": "the greatest of"}
TOTALS = {
    "sum": "the sum of",
    "mean": "the mean of",
    "least": "the least",
    "greatest": "the greatest",
    "distinct": "the number of different values of",
}
COMPOUND = {*ARITHMETIC, "abs", "ceil", "floor", "size"}


class Wording(ABC):
    """Speaks of values in the words that the vocabulary gives."""

    def __init__(self, words: Mapping[str, Words]) -> None:
        self._words = words

    @abstractmethod
    def clause(self, node: ir.Node) -> str:
        """A condition as words."""

    def term(self, node: ir.Node) -> str:
        """A value as words."""
        match node:
            case ir.Const():
                return spoken(node.value) + (f" {node.type.unit}" if node.type.unit else "")
            case ir.Ref():
                return self.noun(node)
            case ir.SetOf():
                return (
                    f"table {node.table}"
                    if node.table is not None
                    else listed(list(map(spoken, node.values)))
                )
            case ir.Cellref():
                return self._cell(node)
            case ir.Op(op="otherwise"):
                return f"({OTHERWISE.join(map(self.grouped, node.operands))})"
            case ir.Op(op="min" | "max"):
                return f"{EXTREMES[node.op]} ({listed([self.grouped(o) for o in node.operands])})"
            case ir.Op(op="abs"):
                return f"the absolute value of {self.grouped(node.operands[0])}"
            case ir.Op(op="ceil" | "floor"):
                return f"{self.grouped(node.operands[0])} rounded {'up' if node.op == 'ceil' else 'down'}"
            case ir.Op(op="size"):
                return f"the number of {self.term(node.operands[0])}"
            case ir.Op() if _converted(node):
                return f"{self.grouped(node.operands[0])} in {node.type.unit}"
            case ir.Op() if node.op in ARITHMETIC:
                return f" {ARITHMETIC[node.op]} ".join(map(self.grouped, node.operands))
            case ir.Folded() if node.type.kind != "bool":
                return self._total(node)
            case _:
                return f"whether ({self.clause(node)})"

    def grouped(self, node: ir.Node) -> str:
        """A value as words, in brackets where what stands around it could be read into it."""
        total = isinstance(node, ir.Folded) and node.type.kind != "bool"
        compound = isinstance(node, ir.Op) and node.op in COMPOUND and not _converted(node)
        return f"({self.term(node)})" if total or compound else self.term(node)

    def _total(self, node: ir.Folded) -> str:
        each = f"{node.name} of {self.noun(node.listing)}"
        where = f" (where {self.clause(node.where)})" if node.where is not None else ""
        if node.kind == "count":
            return f"the number of {each}{where}"
        return f"{TOTALS[node.kind]} {self.grouped(node.term)} over each {each}{where}"

    def _cell(self, node: ir.Cellref) -> str:
        named = isinstance(node.column, ir.Const)
        column = str(node.column.value) if isinstance(node.column, ir.Const) else self.term(node.column)
        what = column if named else f"column that is named by ({column})"
        key = f"({self.term(node.key)})" if isinstance(node.key, ir.Cellref) else self.grouped(node.key)
        return f"the {what} of {key} in table {node.table}"

    def noun(self, node: ir.Ref) -> str:
        """What a fact is called; an element's is its own: `r's checkpoints written`."""
        noun = self.words_of(node).noun
        if node.bound is None:
            return noun
        owner = owner_of(node)
        return f"{owner}'s {noun.removeprefix('its ')}" if noun.startswith("its ") else f"{noun} of {owner}"

    def words_of(self, node: ir.Ref) -> Words:
        """The vocabulary's words of a fact, or of the field of an element."""
        part = node.name.rpartition(".")[2]
        field = self._words.get(f"{node.bound}.{part}") if node.bound is not None else None
        return field or self._words.get(part) or Words(f"its {part.replace('_', ' ')}")

    def plural(self, node: ir.Node) -> bool:
        """Whether the verb behind a value is `are`."""
        return isinstance(node, ir.Ref) and self.words_of(node).plural


def owner_of(node: ir.Ref) -> str:
    """The loop's name of an element's fact."""
    return node.name.rpartition(".")[0]


def listed(words: Sequence[str]) -> str:
    """A list as it is read out: `1, 2 and 3`; one that holds a single word says so."""
    if len(words) == 1:
        return f"{words[0]} alone"
    return f"{', '.join(words[:-1])} and {words[-1]}"


def spoken(value: object) -> str:
    """A literal's own spelling; a text is quoted, so that it is never read as words of ours."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Fraction):
        return _decimal(value)
    return str(value) if isinstance(value, int) else f'"{value}"'


def _converted(node: ir.Op) -> bool:
    """Whether a product is a conversion that the author wrote as `as UNIT`."""
    return node.op == "*" and node.operands[0].type.unit not in {None, node.type.unit}


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
