"""What a condition says, as a value that is equal for two conditions exactly when they cannot differ.

The one thing taken together is where a `not` stands: it is pushed inwards by the laws that hold in
three-valued logic too, and `flag == no` is `not flag`. Everything else that differs, differs.
"""

from __future__ import annotations

from rules_dsl import ir

Key = tuple[object, ...]
OPPOSITE = {"and": "or", "or": "and", "==": "!=", "!=": "==", "in": "not-in", "not-in": "in"}


def normal(node: ir.Node | None, denied: bool = False) -> Key:
    """The condition or value, without spans; `denied` for its negation."""
    match node:
        case None:
            return ()
        case ir.Op(op="not"):
            return normal(node.operands[0], not denied)
        case ir.Op(op="and" | "or"):
            op = OPPOSITE[node.op] if denied else node.op
            return (op, *(normal(o, denied) for o in node.operands))
        case ir.Op(op="==" | "!=") if (said := _said(node)) is not None:
            return normal(node.operands[0], said == denied)
        case ir.Op() if node.op in OPPOSITE:
            op = OPPOSITE[node.op] if denied else node.op
            return (op, *map(normal, node.operands))
        case ir.Is():
            return ("is", node.state, normal(node.operand), node.negated != denied)
        case ir.Ref():
            kind = "fact" if node.type.kind == "bool" else "value"
            return (kind, node.name, node.bound, not denied)
        case ir.Const():
            return ("const", type(node.value).__name__, node.value, node.type.unit, denied)
        case ir.SetOf():
            return ("set", node.table, tuple((type(v).__name__, v) for v in node.values))
        case ir.Cellref():
            return ("cell", node.table, normal(node.key), normal(node.column), denied)
        case ir.Like():
            return (node.op, normal(node.operand), node.pattern, denied)
        case ir.Folded():
            inner = (normal(node.listing), normal(node.term), normal(node.where))
            return (node.kind, node.name, *inner, denied)
        case ir.Op():
            return (node.op, node.type.unit, *map(normal, node.operands), denied)


def _said(node: ir.Op) -> bool | None:
    """Whether a comparison of a yes-or-no fact with a literal says the fact; None for others."""
    left, right = node.operands
    if not isinstance(left, ir.Ref) or left.type.kind != "bool":
        return None
    if not isinstance(right, ir.Const) or not isinstance(right.value, bool):
        return None
    return right.value == (node.op == "==")
