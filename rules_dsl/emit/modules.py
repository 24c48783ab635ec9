"""IR -> the text of `gate.py`, `validator.py` and `manifest.json`.

Every decision is made here; the template prints names and literals. What was printed is
parsed again and held against an allow-list before anybody writes it.
"""

from __future__ import annotations

import ast as python
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from engine.runtime import judge as runtime
from engine.runtime import ruleset
from rules_dsl import ir
from rules_dsl.emit.manifest import emit_manifest
from rules_dsl.emit.python import Doc, Group, Pair, Printer, layout, literal

PURPOSES = {
    "gate": "The launch gate: every clause of which a run can break something before it starts.",
    "validator": "The validator: every decidable clause, all scopes.",
}
SHAPES = ("Clause", "Document", "FactSpec", "Outcome", "RuleSet", "Statement", "Tables")
OPTIONAL_SHAPES = ("Conflict", "Launch", "Source")
MODULES: Mapping[str, frozenset[str]] = {
    "engine.runtime.ruleset": frozenset({*SHAPES, *OPTIONAL_SHAPES}),
    "engine.runtime.judge": frozenset(runtime.__all__),
    "engine.runtime.values": frozenset({"Facts", "Value"}),
    "fractions": frozenset({"Fraction"}),
    "__future__": frozenset({"annotations"}),
}
"""What generated code may import, and from where."""


@dataclass(frozen=True, slots=True)
class Derive:
    """The derived facts of one scope, printed."""

    scope: str
    defines: tuple[dict[str, object], ...]


def emit(program: ir.Program, document: str) -> dict[str, str]:
    """File name -> text. `document` is the name that generated code cites."""
    return {
        "__init__.py": f'"""What `clausegate build` makes of {_prose(document)}; do not edit."""\n',
        "gate.py": emit_module(program, "gate", document),
        "validator.py": emit_module(program, "validator", document),
        "manifest.json": emit_manifest(program, document),
    }


def emit_module(program: ir.Program, role: str, document: str) -> str:
    """The gate or the validator as Python source."""
    printer = Printer()
    decidable = [c for c in program.clauses if c.kind == "decidable"]
    clauses = [c for c in decidable if role == "validator" or c.stage == "launch"]
    conflicts = program.conflicts if role == "validator" else ()
    derives = [
        Derive(scope, tuple(_define(d, printer) for d in program.defines if d.scope == scope))
        for scope in ir.SCOPES
    ]
    derives = [d for d in derives if d.defines]
    documents = program.documents if role == "validator" else ()
    facts = tuple(program.facts.values())
    view: dict[str, Any] = {
        "title": _prose(f"{program.title}: {role} of edition {program.edition}."),
        "purpose": PURPOSES[role],
        "document": _prose(document),
        "tables": layout(literal({name: dict(rows) for name, rows in program.tables.items()}), 0, 17),
        "facts": layout(literal(facts), 0, 32),
        "documents": layout(literal(documents), 0, 36),
        "derives": derives,
        "clauses": [_clause(c, printer) for c in clauses],
        "conflicts": [_conflict(c, printer) for c in conflicts],
        "names": {
            key: layout(literal(value), 4, 12)
            for key, value in {
                "title": program.title,
                "edition": program.edition,
                "editions": program.editions,
                "digest": program.digest,
                "role": role,
                "families": program.families,
                "units": unit_names(program),
                "deferred": tuple(c.rule for c in decidable if c.stage == "package")
                if role == "gate"
                else (),
            }.items()
        },
    }
    view["names"]["title"] = layout(literal(program.title))
    body = "".join(str(v) for v in (view["facts"], view["documents"], view["conflicts"]))
    shapes = [*SHAPES, *(name for name in OPTIONAL_SHAPES if f"{name}(" in body)]
    view["shapes"] = sorted(shapes)
    view["fractions"] = "Fraction" in printer.used or "Fraction(" in view["tables"]
    view["runtime"] = sorted(printer.used - {"Fraction"})
    view["value"] = bool(derives or conflicts)
    environment = Environment(
        loader=PackageLoader("rules_dsl.emit"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701  # it prints Python
        keep_trailing_newline=True,
    )
    text = environment.get_template("module.py.j2").render(view)
    text = re.sub(r"\n{4,}", "\n\n\n", re.sub(r"[ \t]+\n", "\n", text))
    verify(text)
    return text


def unit_names(program: ir.Program) -> dict[str, str]:
    """The unit of every fact that has one, derived facts included."""
    units = {f.name: f.unit for f in program.facts.values() if f.unit is not None}
    return units | {d.name: d.expr.type.unit for d in program.defines if d.expr.type.unit is not None}


def _prose(text: str) -> str:
    """A text of the author as words of a docstring: it cannot end it, escape anything or hide anything."""
    shown = "".join(c if c.isprintable() or c.isspace() else "?" for c in text)
    return " ".join(shown.replace("\\", "/").replace('"', "'").split())


def identifier(rule: str) -> str:
    """A clause id as part of a Python name."""
    return re.sub(r"\W", "_", rule)


def _define(define: ir.Define, printer: Printer) -> dict[str, object]:
    return {
        "literal": layout(literal(define.name)),
        "line": define.line,
        "source": layout(printer.expression(define.expr, facts="known"), 8, 20 + len(define.name)),
    }


def _clause(clause: ir.Clause, printer: Printer) -> dict[str, object]:
    judges = []
    for scope in clause.scopes:
        parts = [judge(s, printer) for s in clause.statements if s.scope == scope]
        judges.append(
            {
                "scope": scope,
                "function": f"clause_{identifier(clause.rule)}_{scope}",
                "source": layout(Group("[", tuple(parts), "]"), 4, 11),
            }
        )
    return {
        "rule": clause.rule,
        "name": clause.name,
        "rule_literal": layout(literal(clause.rule)),
        "name_literal": layout(literal(clause.name)),
        "line": clause.line,
        "stage": clause.stage,
        "judges": judges,
        "statements": [
            {"variable": variable(s), "source": layout(literal(described(s, clause.name)), 0, 10)}
            for s in clause.statements
        ],
    }


def variable(statement: ir.Statement) -> str:
    """The name of a statement's constant."""
    return f"S_{identifier(statement.rule)}_{statement.number}"


def described(statement: ir.Statement, name: str) -> ruleset.Statement:
    """What generated code keeps of a statement beside its condition."""
    return ruleset.Statement(
        rule=statement.rule,
        name=name,
        number=statement.number,
        line=statement.line,
        level=statement.level,
        category=statement.category,
        scope=statement.scope,
        stage=statement.stage,
        breach=statement.breach,
        facts=statement.facts,
        because=statement.because,
        fix=statement.fix,
        since=statement.since,
        until=statement.until,
    )


def judge(statement: ir.Statement, printer: Printer) -> Doc:
    """The call that judges one statement."""
    condition = printer.expression(statement.condition)
    guard = None if statement.guard is None else printer.expression(statement.guard)
    if statement.each is None:
        return printer.call(
            "judge", variable(statement), "facts", condition, *(() if guard is None else (guard,))
        )
    each = statement.each
    test = Pair("lambda facts: ", Group("(", (guard if guard is not None else "True", condition), ")"))
    where = () if each.where is None else (Pair("lambda facts: ", printer.expression(each.where)),)
    listing = printer.expression(each.listing)
    if len(each.names) == 1:
        return Pair(
            "*",
            printer.call(
                "judge_each",
                variable(statement),
                "facts",
                listing,
                layout(literal(each.names[0])),
                test,
                *where,
            ),
        )
    return Pair(
        "*",
        printer.call("judge_pairs", variable(statement), "facts", listing, literal(each.names), test, *where),
    )


def _conflict(conflict: ir.Conflict, printer: Printer) -> dict[str, object]:
    function = f"conflict_{conflict.fact}"
    record = Group(
        "Conflict(",
        (
            *(layout(literal(v)) for v in (conflict.fact, conflict.scope)),
            str(conflict.line),
            literal(conflict.breach),
            literal(conflict.facts),
            function,
            layout(literal(conflict.level)),
        ),
        ")",
    )
    return {
        "fact": conflict.fact,
        "line": conflict.line,
        "function": function,
        "source": layout(printer.expression(conflict.expr), 4, 11),
        "record": layout(record, 8, 8),
    }


# --- the allow-list --------------------------------------------------------------------

NAMES = """
Module Expr Constant ImportFrom alias Assign AnnAssign FunctionDef arguments arg Return If Compare NotIn
Call keyword Name Load Store Dict Tuple List Set Lambda Starred Subscript UnaryOp USub
"""
NODES = tuple(getattr(python, name) for name in NAMES.split())
BUILTINS = frozenset({"frozenset"})
ANNOTATIONS = frozenset({"dict", "list", "str", "tuple"})
"""What stands in annotations; a name that is neither these, nor imported, nor bound here is refused."""


class NotAllowed(Exception):  # a defect of the emitter, never of a document
    """Generated code holds something that it must not."""


def verify(text: str) -> None:
    """Hold generated source against the allow-list. Raises NotAllowed."""
    try:
        tree = python.parse(text)
    except (SyntaxError, ValueError) as error:
        raise NotAllowed(str(error)) from None
    imported: set[str] = set()
    for node in python.walk(tree):
        if not isinstance(node, NODES):
            raise NotAllowed(f"line {getattr(node, 'lineno', '?')}: {type(node).__name__}")
        if isinstance(node, python.ImportFrom):
            allowed = MODULES.get(node.module or "", frozenset()) if not node.level else frozenset()
            for alias in node.names:
                if alias.name not in allowed or alias.asname is not None:
                    raise NotAllowed(f"line {node.lineno}: import of {alias.name} from {node.module}")
                imported.add(alias.name)
        if isinstance(node, python.FunctionDef) and node.decorator_list:
            raise NotAllowed(f"line {node.lineno}: a decorator")
    bound = dict(_bound(tree))
    for name, line in bound.items():
        if name in imported | BUILTINS | ANNOTATIONS:
            raise NotAllowed(f"line {line}: {name} is bound again")
    for node in python.walk(tree):
        if isinstance(node, python.Name) and node.id not in {*bound, *imported, *BUILTINS, *ANNOTATIONS}:
            raise NotAllowed(f"line {node.lineno}: {node.id} comes from nowhere")
        if isinstance(node, python.Call) and not (
            isinstance(node.func, python.Name) and node.func.id in imported | BUILTINS
        ):
            raise NotAllowed(f"line {node.lineno}: call of {python.unparse(node.func)}")


def _bound(tree: python.AST) -> Iterator[tuple[str, int]]:
    """Every name that the source binds itself, and where."""
    for node in python.walk(tree):
        if isinstance(node, python.Name) and isinstance(node.ctx, python.Store):
            yield node.id, node.lineno
        elif isinstance(node, python.FunctionDef):
            yield node.name, node.lineno
        elif isinstance(node, python.arg):
            yield node.arg, node.lineno
