"""What generated code may hold: printed text is parsed again and held against a list of what is harmless.

No import but those named here, no call but of what was imported or is on the list, no attribute but of a
predicate's own parameters and loops. So no text of a document can become code, whatever the printers do.
"""

from __future__ import annotations

import ast as python
from collections.abc import Iterator, Mapping

from engine.runtime import judge

RULESET_NAMES = frozenset(
    {
        "Clause",
        "Conflict",
        "Division",
        "Document",
        "Each",
        "FactSpec",
        "Launch",
        "RuleSet",
        "Silent",
        "Source",
        "Statement",
        "Table",
        "Tables",
        "rule_set",
    }
)
MODULES: Mapping[str, frozenset[str] | None] = {
    "__future__": frozenset({"annotations"}),
    "datetime": frozenset({"datetime"}),
    "engine.runtime.judge": frozenset(judge.__all__),
    "engine.runtime.ruleset": RULESET_NAMES,
    "engine.runtime.subject": frozenset({"Subject"}),
    "engine.runtime.values": frozenset({"Value"}),
    "fractions": frozenset({"Fraction"}),
    "math": frozenset({"ceil", "floor"}),
    ".clauses": None,
    ".facts": None,
}
"""module -> what may be imported from it; None: a generated module, of which all may be."""

NAMES = """
Module Expr Constant ImportFrom alias Assign AnnAssign ClassDef FunctionDef arguments arg Return If Call
keyword Name Load Store Attribute Subscript Dict Tuple Set Lambda GeneratorExp comprehension
BoolOp And Or UnaryOp Not USub BinOp Add Sub Mult Mod BitOr
Compare Eq NotEq Lt LtE Gt GtE In NotIn Is IsNot
"""
NODES = tuple(getattr(python, name) for name in NAMES.split())
BUILTINS = frozenset({"abs", "all", "any", "frozenset", "len", "max", "min", "set", "sum"})
TYPES = frozenset({"bool", "int", "object", "str", "tuple"})
"""What else stands in annotations. Any other name is imported or bound, or it is refused."""


class NotAllowed(Exception):  # a defect of the emitter, never of a document
    """Generated code holds something that it must not."""


def verify(text: str) -> None:
    """Hold generated source against the allow-list. Raises NotAllowed."""
    try:
        tree = python.parse(text)
    except (SyntaxError, ValueError) as error:
        raise NotAllowed(str(error)) from None
    imported = set(_imported(tree))
    bound = dict(_bound(tree))
    classes = {node.name for node in python.walk(tree) if isinstance(node, python.ClassDef)}
    for name, line in bound.items():
        if name in imported | BUILTINS | TYPES:
            raise NotAllowed(f"line {line}: {name} is bound again")
    known = {*bound, *imported, *BUILTINS, *TYPES}
    owners = set(_owners(tree))
    callable_ = imported | BUILTINS
    for node in python.walk(tree):
        line = getattr(node, "lineno", 0)
        match node:
            case python.FunctionDef() | python.ClassDef() if node.decorator_list:
                raise NotAllowed(f"line {line}: a decorator")
            case python.ClassDef() if node.keywords or [_name(b) for b in node.bases] != ["Subject"]:
                raise NotAllowed(f"line {line}: class {node.name} is no Subject")
            case python.Name() if node.id not in known:
                raise NotAllowed(f"line {line}: {node.id} comes from nowhere")
            case python.Call() if _name(node.func) not in callable_ or _name(node.func) in classes:
                raise NotAllowed(f"line {line}: call of {python.unparse(node.func)}")
            case python.Attribute() if not _reads_fact(node, owners):
                raise NotAllowed(f"line {line}: attribute {python.unparse(node)}")
            case _ if not isinstance(node, NODES):
                raise NotAllowed(f"line {line}: {type(node).__name__}")


def _owners(tree: python.Module) -> Iterator[str]:
    """The names whose attributes are facts: parameters of functions, and loops."""
    for node in python.walk(tree):
        if isinstance(node, python.arg):
            yield node.arg
        elif isinstance(node, python.comprehension) and isinstance(node.target, python.Name):
            yield node.target.id


def _reads_fact(node: python.Attribute, owners: set[str]) -> bool:
    read = isinstance(node.ctx, python.Load) and not node.attr.startswith("_")
    return read and _name(node.value) in owners


def _name(node: python.AST) -> str:
    return node.id if isinstance(node, python.Name) else ""


def _imported(tree: python.Module) -> Iterator[str]:
    for node in python.walk(tree):
        if isinstance(node, python.ImportFrom):
            module = "." * node.level + (node.module or "")
            allowed = MODULES.get(module, frozenset())
            for alias in node.names:
                odd = alias.asname is not None or alias.name == "*"
                if odd or (allowed is not None and alias.name not in allowed):
                    raise NotAllowed(f"line {node.lineno}: import of {alias.name} from {module}")
                yield alias.name


def _bound(tree: python.AST) -> Iterator[tuple[str, int]]:
    """Every name that the source binds itself, and where."""
    for node in python.walk(tree):
        if isinstance(node, python.Name) and isinstance(node.ctx, python.Store):
            yield node.id, node.lineno
        elif isinstance(node, (python.FunctionDef, python.ClassDef)):
            yield node.name, node.lineno
        elif isinstance(node, python.arg):
            yield node.arg, node.lineno
