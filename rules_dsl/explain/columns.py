"""The columns of a statement's truth table: what it asks, and the answers it tells apart.

A fact that a statement only holds against constants is a column of its own, its values folded into
classes between which the statement makes no difference (`less than 8`, `8`, `more than 8`). What
relates several facts, or counts over a list, is a column that is yes, no or not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from engine.runtime.values import Facts, Kind, Other, Unknown, Value, show
from rules_dsl import ir
from rules_dsl.evaluate.interpreter import Interpreter
from rules_dsl.explain.ranges import Range, line, shown_number, told

BOOL = ir.Type("bool")
CONNECTIVES = ("and", "or", "not")
NEGATED = {"!=": "==", ">=": "<", ">": "<=", "not-in": "in"}
"""Operators that are told by their opposite, so that one question is one column."""
FEW = 4
"""How many texts of a table's keys are named one by one."""
ANOTHER = "something else"
"""A text that no statement names."""
DOUBTS = {True: "not recorded", False: "not readable"}


@dataclass(frozen=True, slots=True)
class Answer:
    """One class of values of a column: how it is said, and a value of it."""

    label: str
    value: Value


@dataclass(frozen=True, slots=True)
class TruthColumn:
    """One thing that a statement asks. `node` is the fact or the condition itself."""

    label: str
    node: ir.Node
    questions: tuple[ir.Node, ...]  # all that is asked of the fact; the condition itself
    answers: tuple[Answer, ...]

    def answer(self, program: ir.Program, facts: Facts, bound: Mapping[str, Facts]) -> int:
        """Which answer some facts give."""
        given = _vector(program, self, facts, bound)
        vectors = (_vector(program, self, *_assigned(self.node, a.value)) for a in self.answers)
        return next(number for number, vector in enumerate(vectors) if vector == given)


def _assigned(node: ir.Node, value: Value) -> tuple[Facts, Mapping[str, Facts]]:
    """Facts in which a node that is a fact has a value; for a condition there is none to assign."""
    if not isinstance(node, ir.Ref):
        return {"": value}, {}
    if node.bound is None:
        return {node.name: value}, {}
    owner, part = node.name.split(".")
    return {}, {owner: {part: value}}


def _vector(
    program: ir.Program, column: TruthColumn, facts: Facts, bound: Mapping[str, Facts]
) -> tuple[object, ...]:
    """The answers to all questions of a column; all that is unknown is one."""
    if not isinstance(column.node, ir.Ref) and "" in facts:
        found: list[Value] = [facts[""]]
    else:
        found = [Interpreter(program, facts).value(q, bound) for q in column.questions]
    return tuple("?" if isinstance(v, Unknown) else v for v in found)


def columns_of(program: ir.Program, text: str, nodes: Sequence[ir.Node]) -> tuple[TruthColumn, ...]:
    """The columns of some conditions, in the order in which they are asked."""
    facts: dict[str, list[ir.Node]] = {}
    opaque: dict[object, ir.Node] = {}
    order: list[tuple[str, object]] = []
    for atom in (a for node in nodes for a in atoms(node)):
        ref = subject(atom)
        if ref is not None:
            if ref.name not in facts:
                order.append(("fact", ref.name))
            facts.setdefault(ref.name, []).append(atom)
        elif question(atom)[0] not in opaque:
            key = question(atom)[0]
            opaque[key] = atom
            order.append(("condition", key))
    return tuple(
        _fact_column(program, facts[str(key)]) if what == "fact" else _condition_column(text, opaque[key])
        for what, key in order
    )


def atoms(node: ir.Node) -> Iterator[ir.Node]:
    """The conditions that connectives join."""
    if isinstance(node, ir.Op) and node.op in CONNECTIVES:
        for operand in node.operands:
            yield from atoms(operand)
    else:
        yield node


def subject(atom: ir.Node) -> ir.Ref | None:
    """The one fact that a condition holds against constants; None when it asks for more."""
    match atom:
        case ir.Ref():
            return atom
        case ir.Is(operand=ir.Ref() as ref):
            return ref
        case ir.Op(op="in" | "not-in", operands=(ir.Ref() as ref, ir.SetOf())):
            return ref
        case ir.Op(op="==" | "!=" | "<" | "<=" | ">" | ">=", operands=(left, right)):
            pair = (left, right) if isinstance(left, ir.Ref) else (right, left)
            if isinstance(pair[0], ir.Ref) and isinstance(pair[1], ir.Const):
                return pair[0]
    return None


def question(atom: ir.Node) -> tuple[object, bool]:
    """A condition without its places, and whether it is the opposite of that."""
    if isinstance(atom, ir.Op) and atom.op in NEGATED:
        return (NEGATED[atom.op], *map(_bare, atom.operands)), True
    if isinstance(atom, ir.Is) and atom.negated:
        return ("is", atom.state, _bare(atom.operand)), True
    if isinstance(atom, ir.Is):
        return ("is", atom.state, _bare(atom.operand)), False
    return _bare(atom), False


def _bare(node: ir.Node) -> object:
    """A node as a value that two places of one wording share."""
    match node:
        case ir.Const():
            return (node.type, node.value)
        case ir.Ref():
            return node.name
        case ir.SetOf():
            return (node.table, node.values)
        case ir.Cellref():
            return ("cell", node.table, _bare(node.key), _bare(node.column))
        case ir.Op():
            return (node.op, *map(_bare, node.operands))
        case ir.Is():
            return ("is", node.state, node.negated, _bare(node.operand))
        case ir.Like():
            return (node.op, _bare(node.operand), node.pattern)
        case ir.Folded():
            where = None if node.where is None else _bare(node.where)
            return (node.kind, node.name, node.listing.name, _bare(node.term), where)


def _condition_column(text: str, atom: ir.Node) -> TruthColumn:
    label = " ".join(text[atom.span.start : atom.span.end].split())
    unsettled = Unknown.of(label, Kind.UNREADABLE)
    return TruthColumn(
        label, atom, (atom,), (Answer("yes", True), Answer("no", False), Answer("not known", unsettled))
    )


def _fact_column(program: ir.Program, questions: Sequence[ir.Node]) -> TruthColumn:
    ref = next(s for s in map(subject, questions) if s is not None)
    column = TruthColumn(ref.name, ref, tuple(questions), ())
    candidates = _candidates(program, ref, questions)
    groups: dict[tuple[object, ...], list[Value | Range]] = {}
    for candidate in candidates:
        groups.setdefault(_vector(program, column, *_assigned(ref, _value(candidate))), []).append(candidate)
    answers = tuple(
        Answer(_label(ref, questions, candidates, members), _value(members[0])) for members in groups.values()
    )
    return TruthColumn(ref.name, ref, tuple(questions), answers)


def _value(candidate: Value | Range) -> Value:
    return candidate.inside if isinstance(candidate, Range) else candidate


def _candidates(program: ir.Program, ref: ir.Ref, questions: Sequence[ir.Node]) -> list[Value | Range]:
    """Every value, or range of values, that the questions could tell apart."""
    constants = [c for q in questions for c in _constants(q)]
    found: list[Value | Range]
    match ref.type.kind:
        case "bool":
            found = [True, False]
        case "enum":
            members = program.facts[ref.type.of or ref.name].members or {}
            found = [*members, Other(ANOTHER, ref.name.rpartition(".")[2])]
        case "number":
            points = {Fraction(c) for c in constants if not isinstance(c, (bool, str))}
            found = [*line(points, whole=_whole(program, ref))]
        case _:
            found = [*dict.fromkeys(constants), ANOTHER]
    return [*found, *(Unknown.of(ref.name, kind) for kind in (Kind.ABSENT, Kind.UNREADABLE))]


def _constants(question: ir.Node) -> list[bool | int | Fraction | str]:
    match question:
        case ir.Op(operands=operands):
            found: list[bool | int | Fraction | str] = []
            for operand in operands:
                if isinstance(operand, ir.Const):
                    found.append(operand.value)
                elif isinstance(operand, ir.SetOf):
                    found += operand.values
            return found
    return []


def _whole(program: ir.Program, ref: ir.Ref) -> bool:
    """Whether a number is declared to be whole."""
    name = ref.name.split(".")[-1]
    owner = program.facts.get(ref.bound or "")
    if owner is not None and owner.fields:
        return any(f.name == name and f.type == "integer" for f in owner.fields)
    return name in program.facts and program.facts[name].type == "integer"


# --- how answers are said --------------------------------------------------------------


def _label(
    ref: ir.Ref,
    questions: Sequence[ir.Node],
    every: Sequence[Value | Range],
    members: Sequence[Value | Range],
) -> str:
    """A class of values in a few words."""
    unknown = [m for m in members if isinstance(m, Unknown)]
    doubts = ["not known"] if len(unknown) == 2 else [DOUBTS[u.only(Kind.ABSENT)] for u in unknown]
    ranges = [m for m in members if isinstance(m, Range)]
    if ranges:
        unit = f" {ref.type.unit}" if ref.type.unit else ""
        words = [told([m for m in every if isinstance(m, Range)], ranges, unit)]
    else:
        words = _named(ref, questions, every, [m for m in members if not isinstance(m, (Unknown, Range))])
    return ", ".join([*words, *doubts])


def _named(
    ref: ir.Ref, questions: Sequence[ir.Node], every: Sequence[Value | Range], known: Sequence[Value]
) -> list[str]:
    """The members or texts of a class, one by one unless they are all or the many keys of a table."""
    if len(known) == sum(not isinstance(m, Unknown) for m in every):
        return ["recorded"]
    other = any(_is_rest(m) for m in known)
    table = next((t for q in questions if (t := _table(q)) is not None), None)
    if not other and len(known) > FEW and table is not None:
        return [f"a key of {table}"]
    named = [shown_value(m) for m in known if not _is_rest(m)]
    if other and ref.type.kind == "enum":
        return [*named, "no member"]
    return [*named, *(["any other"] if other else [])]


def _is_rest(value: Value) -> bool:
    """Whether a value stands for all that nothing names: no member, or another text."""
    return isinstance(value, Other) or value == ANOTHER


def shown_value(value: Value) -> str:
    """A value as people read it, numbers exactly."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, Fraction)):
        return shown_number(Fraction(value))
    if isinstance(value, datetime):
        return value.time().isoformat("seconds" if value.microsecond % 1_000_000 == 0 else "milliseconds")
    return show(value)


def _table(question: ir.Node) -> str | None:
    if isinstance(question, ir.Op):
        return next((o.table for o in question.operands if isinstance(o, ir.SetOf) and o.table), None)
    return None
