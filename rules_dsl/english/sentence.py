"""The machine's reading of a statement, as one English sentence.

The sentence is made from the IR, so that a reader can hold our prose against what will be
run. No two conditions that could differ read the same: a comma parts the outermost `and` or `or`,
plain words the next one, and what lies deeper stands in brackets. A `not` is said where it
bites: `not (a and b)` is told as `not a, or not b`, which is the same in three-valued logic too.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.runtime.ruleset import Division
from rules_dsl import ir
from rules_dsl.english.phrases import Wording, owner_of

COMPARED = {
    "==": "",
    "!=": "",
    "<": "less than ",
    "<=": "at most ",
    ">": "more than ",
    ">=": "at least ",
}
OPPOSITE = {"and": "or", "or": "and", "==": "!=", "!=": "==", "in": "not-in", "not-in": "in"}
KINDS = {"all": "Breach", "package": "Breach of the package"}
WHOLE, PART, INSIDE = 0, 1, 2
"""How deep a condition stands: alone, as a part of a connective, as a part of such a part."""


def sentence(program: ir.Program, statement: ir.Statement) -> str:
    """The whole quoted line of one statement, without the `> `."""
    return f"{head(program.divisions, statement.category, statement.level)}: {statement.breach}."


def head(divisions: Iterable[Division], category: str, level: str) -> str:
    """What a sentence begins with: what a breach costs."""
    costs = {d.name: f"Breach of {d.category}" for d in divisions}
    kind = (costs | KINDS)[category]
    return kind if level == "error" else f"{kind}, a {level} only"


class English(Wording):
    """Speaks of conditions and statements."""

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
            parts.append(f"where {self.clause(guard, PART)}")
        return ", ".join([*parts, self.clause(condition)])

    def _each(self, each: ir.ForEach) -> str:
        which = " and ".join(each.names)
        who = f"each {which}" if len(each.names) == 1 else f"each pair of neighbours {which}"
        where = f" for which {self.clause(each.where, PART)}" if each.where is not None else ""
        return f"for {who} of {self.noun(each.listing)}{where}"

    def clause(self, node: ir.Node, depth: int = WHOLE, *, denied: bool = False) -> str:
        """A condition as words, or (`denied`) its negation."""
        match node:
            case ir.Op(op="not"):
                return self.clause(node.operands[0], depth, denied=not denied)
            case ir.Op(op="and" | "or"):
                return self._connective(node, depth, denied)
            case ir.Op(op="==" | "!=" | "<" | "<=" | ">" | ">="):
                return self._comparison(node, denied)
            case ir.Op(op="in" | "not-in"):
                return self._membership(node, (node.op == "not-in") != denied)
            case ir.Is():
                lacking = " not" if node.negated != denied else ""
                return f"{self.term(node.operand)} {self._verb(node.operand)}{lacking} {node.state}"
            case ir.Like():
                verbs = ("match", "matches") if node.op == "matches" else ("start with", "starts with")
                verb = f"does not {verbs[0]}" if denied else verbs[1]
                return f'{self.term(node.operand)} {verb} "{node.pattern}"'
            case ir.Folded(kind="any" | "all"):
                return self._fold(node, depth, denied)
            case ir.Ref():
                return self._fact(node, said=not denied)
            case _:
                return f"{self.term(node)} {'does not hold' if denied else 'holds'}"

    def _connective(self, node: ir.Op, depth: int, denied: bool) -> str:
        if depth >= INSIDE:
            return f"({self._connective(node, WHOLE, denied)})"
        word = OPPOSITE[node.op] if denied else node.op
        parts = [self.clause(o, depth + 1, denied=denied) for o in node.operands]
        if depth == PART:
            return f" {word} ".join(parts)
        if len(parts) > 2 and not any(map(_connects, node.operands)):
            return ", ".join([*parts[:-1], f"{word} {parts[-1]}"])
        return f", {word} ".join(parts)

    def _comparison(self, node: ir.Op, denied: bool) -> str:
        left, right = node.operands
        unequal = node.op == "!="
        if _fact_is_said(node) and isinstance(left, ir.Ref) and isinstance(right, ir.Const):
            return self._fact(left, said=bool(right.value) != (unequal != denied))
        lacking = "not " if unequal != denied else ""
        return f"{self.term(left)} {self._verb(left)} {lacking}{COMPARED[node.op]}{self.term(right)}"

    def _membership(self, node: ir.Op, denied: bool) -> str:
        left, right = node.operands
        if isinstance(right, ir.SetOf) and right.table is None:
            word = "none of" if denied else "one of"
        else:
            among = "among" if isinstance(right, ir.Cellref) else "listed in"
            word = f"not {among}" if denied else among
        return f"{self.term(left)} {self._verb(left)} {word} {self.term(right)}"

    def _fold(self, node: ir.Folded, depth: int, denied: bool) -> str:
        if depth > WHOLE:
            return f"({self._fold(node, WHOLE, denied)})"
        some, every = ("no", "not every") if denied else ("some", "every")
        where = f" for which {self.clause(node.where, PART)}" if node.where is not None else ""
        which = some if node.kind == "any" else every
        return f"for {which} {node.name} of {self.noun(node.listing)}{where}, {self.clause(node.term)}"

    def _fact(self, node: ir.Ref, *, said: bool) -> str:
        """A yes or no in its own words; an element's name takes the place of their `it`."""
        words = self.words_of(node)
        text = words.yes if said else words.no
        if not text:
            return f"{self.noun(node)} is {'yes' if said else 'no'}"
        if node.bound is None:
            return text
        owner = owner_of(node)
        for pronoun, name in (("it ", f"{owner} "), ("its ", f"{owner}'s ")):
            if text.startswith(pronoun):
                return name + text.removeprefix(pronoun)
        return f"in {owner} {text}"

    def _verb(self, node: ir.Node) -> str:
        return "are" if self.plural(node) else "is"


def _fact_is_said(node: ir.Op) -> bool:
    """Whether a comparison says of a yes-or-no fact that it is yes, or no: `subset == no`."""
    return node.op in {"==", "!="} and {o.type.kind for o in node.operands} == {"bool"}


def _connects(node: ir.Node) -> bool:
    """Whether a condition is an `and` or `or`, perhaps denied: a list of such would be misread."""
    while isinstance(node, ir.Op) and node.op == "not":
        (node,) = node.operands
    return isinstance(node, ir.Op) and node.op in {"and", "or"}
