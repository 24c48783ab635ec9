"""The oracle: evaluates the IR directly, by the table of forms in the language's definition.

It shares no code with the emitters nor with the runtime that generated code calls; what the
two have in common is the data they speak of (`engine.runtime.values`). Slow and plain on purpose.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import pairwise

from engine.runtime.values import MIXED, Cause, Facts, Kind, Listing, Other, Unknown, Value
from rules_dsl import ir

MICROSECOND = timedelta(microseconds=1)


def interpret_clause(
    program: ir.Program, clause: ir.Clause, facts: Mapping[str, Facts], edition: str | None = None
) -> dict[int, list[str]]:
    """For each statement number the results it gives, one a subject or element.

    `facts` holds the facts of each scope that is there. A statement that the edition leaves out
    gives `not applicable`.
    """
    found: dict[int, list[str]] = {}
    for statement in clause.statements:
        if statement.scope not in facts or not in_force(program, statement, edition):
            found[statement.number] = ["not applicable"]
        else:
            found[statement.number] = Interpreter(program, facts[statement.scope]).statement(statement)
    return found


def in_force(program: ir.Program, statement: ir.Statement, edition: str | None) -> bool:
    """Whether a statement holds in an edition (None: the document's own)."""
    order = program.editions
    at = order.index(edition or program.edition)
    after = statement.since is None or at >= order.index(statement.since)
    return after and (statement.until is None or at <= order.index(statement.until))


class Interpreter:
    """Evaluates nodes over the facts of one subject."""

    def __init__(self, program: ir.Program, facts: Facts) -> None:
        self._program = program
        self._facts = dict(facts)
        self._defines = {d.name: d for d in program.defines}

    def statement(self, statement: ir.Statement) -> list[str]:
        """The results of one statement."""
        each = statement.each
        if each is None:
            return [self._result(statement, {})]
        listing = self.value(each.listing, {})
        if not isinstance(listing, Listing):
            return [_unsettled(listing)]
        if len(each.names) == 2:
            return self._pairs(statement, each, listing)
        results = [self._result(statement, {each.names[0]: item}, each.where) for item in listing.items]
        if listing.more is not None:
            results.append(_unsettled(listing.more))
        return results or ["not applicable"]

    def _pairs(self, statement: ir.Statement, each: ir.ForEach, listing: Listing) -> list[str]:
        first, second = each.names
        taken = []
        doubts: list[Value] = [listing.more] if listing.more is not None else []
        for item in listing.items:
            chosen = True if each.where is None else self.value(each.where, {first: item})
            if isinstance(chosen, Unknown):
                doubts.append(chosen)
            elif chosen is True:
                taken.append(item)
        if doubts:
            return [_unsettled(_joined(doubts))]
        results = [self._result(statement, {first: a, second: b}) for a, b in pairwise(taken)]
        return results or ["not applicable"]

    def _result(
        self, statement: ir.Statement, bound: Mapping[str, Facts], where: ir.Node | None = None
    ) -> str:
        gates = [self.value(n, bound) for n in (where, statement.guard) if n is not None]
        if any(g is False for g in gates):
            return "not applicable"
        doubts = [g for g in gates if isinstance(g, Unknown)]
        if doubts:
            return _unsettled(_joined(doubts))
        broken = self.value(statement.condition, bound)
        if isinstance(broken, Unknown):
            return _unsettled(broken)
        return "violation" if broken is True else "pass"

    # --- nodes -------------------------------------------------------------------------

    def value(self, node: ir.Node, bound: Mapping[str, Facts]) -> Value:
        """The value of a node; `bound` holds the elements that loops have named."""
        match node:
            case ir.Const():
                return node.value
            case ir.Ref():
                return self._ref(node, bound)
            case ir.SetOf():
                return frozenset(node.values)
            case ir.Cellref():
                return self._cell(node, bound)
            case ir.Is():
                return self._is(node, bound)
            case ir.Like():
                text = self.value(node.operand, bound)
                if isinstance(text, (Unknown, Other)):
                    return _joined([text])
                shown = str(text)
                return (
                    bool(re.fullmatch(node.pattern, shown))
                    if node.op == "matches"
                    else shown.startswith(node.pattern)
                )
            case ir.Folded():
                return self._folded(node, bound)
            case ir.Op():
                return self._op(node, bound)

    def _ref(self, node: ir.Ref, bound: Mapping[str, Facts]) -> Value:
        if node.bound is None:
            return self._fact(node.name, self._facts)
        owner, part = node.name.split(".")
        return self._fact(part, bound[owner], node.bound)

    def _fact(self, name: str, facts: Facts, listing: str | None = None) -> Value:
        if name in facts:
            return facts[name]
        spec = self._program.facts.get(listing or "")
        if name in self._defines and not (spec is not None and spec.fields):
            return Interpreter(self._program, facts).value(self._defines[name].expr, {})
        return Unknown.of(name, Kind.ABSENT)

    def _cell(self, node: ir.Cellref, bound: Mapping[str, Facts]) -> Value:
        key, column = self.value(node.key, bound), self.value(node.column, bound)
        if _doubt([key, column]):
            return _joined([key, column])
        rows = self._program.tables[node.table]
        if not isinstance(key, str) or key not in rows:
            return Unknown(frozenset())
        return rows[key].get(str(column), Other("Invalid"))

    def _is(self, node: ir.Is, bound: Mapping[str, Facts]) -> Value:
        value = self.value(node.operand, bound)
        answer: bool | Unknown
        if node.state == "recorded":
            if isinstance(value, Unknown):
                absent = bool(value.causes) and all(c.kind == "absent" for c in value.causes)
                answer = False if absent else value
            else:
                answer = True
        elif isinstance(value, Unknown):
            answer = value
        else:
            answer = not isinstance(value, Other)
        if isinstance(answer, Unknown):
            return answer
        return answer is not node.negated

    def _folded(self, node: ir.Folded, bound: Mapping[str, Facts]) -> Value:
        listing = self.value(node.listing, bound)
        if not isinstance(listing, Listing):
            return listing if isinstance(listing, Unknown) else Unknown(frozenset())
        rows: list[tuple[Value, Value]] = []
        for item in listing.items:
            inside = {**bound, node.name: item}
            rows.append(
                (
                    True if node.where is None else self.value(node.where, inside),
                    self.value(node.term, inside),
                )
            )
        if node.kind in {"any", "all"}:
            return self._quantified(node.kind, rows, listing.more)
        doubts = [w for w, _ in rows if isinstance(w, Unknown)] + (
            [listing.more] if listing.more is not None else []
        )
        if doubts:
            return _joined(doubts)
        terms = [t for w, t in rows if w is True]
        if _doubt(terms):
            return _joined(terms)
        return _total(node.kind, terms)

    def _quantified(self, kind: str, rows: list[tuple[Value, Value]], more: Unknown | None) -> Value:
        """`any` seeks a yes among the chosen, `all` a no."""
        sought = kind == "any"
        doubts: list[object] = [] if more is None else [more]
        for where, term in rows:
            if where is False or term is (not sought):
                continue
            if where is True and term is sought:
                return sought
            doubts += [v for v in (where, term) if isinstance(v, Unknown)]
        return _joined(doubts) if doubts else not sought

    def _op(self, node: ir.Op, bound: Mapping[str, Facts]) -> Value:
        if node.op == "size":
            listing = self.value(node.operands[0], bound)
            if not isinstance(listing, Listing):
                return listing if isinstance(listing, Unknown) else Unknown(frozenset())
            return listing.more if listing.more is not None else len(listing.items)
        values = [self.value(o, bound) for o in node.operands]
        if node.op == "and":
            return False if any(v is False for v in values) else _joined(values) if _doubt(values) else True
        if node.op == "or":
            return True if any(v is True for v in values) else _joined(values) if _doubt(values) else False
        if node.op == "otherwise":
            for value in values:
                if not (
                    isinstance(value, Unknown)
                    and value.causes
                    and {c.kind for c in value.causes} == {"absent"}
                ):
                    break
            return value
        if _doubt(values):
            return _joined(values)
        return _strict(node.op, values)


def _doubt(values: list[Value]) -> bool:
    """Whether an operator that needs all values lacks one: what an unknown word means nobody knows."""
    return any(isinstance(v, (Unknown, Other)) for v in values)


def _joined(values: object) -> Unknown:
    causes: set[Cause] = set()
    for value in values if isinstance(values, list) else [values]:
        if isinstance(value, Unknown):
            causes.update(value.causes)
        elif isinstance(value, Other) and value.fact:
            causes.add(Cause(value.fact, "unreadable"))
    return Unknown(frozenset(causes))


def _unsettled(value: object) -> str:
    causes = value.causes if isinstance(value, Unknown) else frozenset()
    return "deferred" if causes and {c.kind for c in causes} == {"deferred"} else "undetermined"


def _strict(op: str, values: list[Value]) -> Value:
    """An operator all of whose operands are known."""
    a = values[0]
    b = values[1] if len(values) > 1 else None
    if op == "not":
        return a is False
    if isinstance(a, datetime) and isinstance(b, datetime) and (a.tzinfo is None) != (b.tzinfo is None):
        return MIXED
    if op in {"==", "!="}:
        same = type(a) is type(b) if isinstance(a, bool) or isinstance(b, bool) else True
        return (same and a == b) is (op == "==")
    if op in {"in", "not-in"}:
        found = isinstance(b, frozenset) and any(a == m and (type(a) is bool) == (type(m) is bool) for m in b)
        return found is (op == "in")
    if isinstance(a, datetime) and isinstance(b, datetime):
        if op == "-":
            return Fraction((a - b) // MICROSECOND, 1_000_000)
        return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}.get(op, Unknown(frozenset()))
    numbers = [Fraction(v) for v in values if isinstance(v, (int, Fraction)) and not isinstance(v, bool)]
    if len(numbers) != len(values):
        return Unknown(frozenset())
    return _number(op, numbers)


def _number(op: str, n: list[Fraction]) -> Value:
    match op:
        case "<":
            return n[0] < n[1]
        case "<=":
            return n[0] <= n[1]
        case ">":
            return n[0] > n[1]
        case ">=":
            return n[0] >= n[1]
        case "+":
            return n[0] + n[1]
        case "-":
            return n[0] - n[1]
        case "*":
            return n[0] * n[1]
        case "/":
            return n[0] / n[1] if n[1] else Unknown(frozenset())
        case "mod":
            return n[0] - n[1] * math.floor(n[0] / n[1]) if n[1] else Unknown(frozenset())
        case "abs":
            return max(n[0], -n[0])
        case "ceil":
            return -((-n[0].numerator) // n[0].denominator)
        case "floor":
            return n[0].numerator // n[0].denominator
        case "min":
            return sorted(n)[0]
        case _:
            return sorted(n)[-1]


def _total(kind: str, terms: list[Value]) -> Value:
    if kind == "count":
        return len(terms)
    if kind == "distinct":
        return len({(type(t) is bool, t) for t in terms})
    numbers = [Fraction(t) for t in terms if isinstance(t, (int, Fraction)) and not isinstance(t, bool)]
    if len(numbers) != len(terms):
        return Unknown(frozenset())
    if kind == "sum":
        return sum(numbers, Fraction(0))
    if not numbers:
        return Unknown(frozenset())
    if kind == "mean":
        return sum(numbers, Fraction(0)) / len(numbers)
    return sorted(numbers)[0 if kind == "least" else -1]
