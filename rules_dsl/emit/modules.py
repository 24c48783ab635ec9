"""IR -> the text of `facts.py`, `clauses.py`, `gate.py`, `validator.py` and `manifest.json`.

Every decision is made here, the templates print names and literals: which facts a class holds, which
names a module imports, both paths of each predicate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from engine.rulesets import MANIFEST
from engine.runtime import ruleset
from rules_dsl import ir
from rules_dsl.emit.allowed import MODULES, RULESET_NAMES, verify
from rules_dsl.emit.layout import Name, layout, literal
from rules_dsl.emit.manifest import emit_manifest
from rules_dsl.emit.names import (
    attribute,
    clause_constant,
    conflict_function,
    element_class,
    elements_of,
    predicate,
    scope_class,
    table_constant,
)
from rules_dsl.emit.predicates import Predicates, prose

PURPOSES = {
    "gate": "The launch gate: every clause of which a run can break something before it starts.",
    "validator": "The validator: every decidable clause, all scopes.",
}
TYPES = {
    "bool": "bool",
    "enum": "str",
    "text": "str",
    "path": "str",
    "integer": "int",
    "number": "int | Fraction",
    "time": "datetime",
    "any": "object",
}


def emit(program: ir.Program, document: str) -> dict[str, str]:
    """File name -> text. `document` is the name that generated code cites."""
    head = {"title": prose(f"{program.title}, edition {program.edition}."), "document": prose(document)}
    modules = {
        "__init__.py": f'"""What `clausegate build` makes of {prose(document)}; do not edit."""\n',
        "facts.py": render("facts.py.j2", {**head, **facts_view(program, document)}),
        "clauses.py": render("clauses.py.j2", {**head, **clauses_view(program, document)}),
        "gate.py": render("role.py.j2", {**head, **role_view(program, "gate")}),
        "validator.py": render("role.py.j2", {**head, **role_view(program, "validator")}),
    }
    return {**modules, MANIFEST: emit_manifest(program, document, modules)}


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("rules_dsl.emit"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701  # it prints Python
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(template: str, view: Mapping[str, Any]) -> str:
    """The text of one module, held against the allow-list. Raises NotAllowed."""
    text = _environment().get_template(template).render(view)
    text = re.sub(r"\n{4,}", "\n\n\n", re.sub(r"[ \t]+\n", "\n", text)).rstrip("\n") + "\n"
    verify(text)
    return text


def imports(used: Iterable[str], **generated: Iterable[str]) -> list[dict[str, object]]:
    """The imports for some names: each module of the allow-list that has one, and the generated ones."""
    names = {name.rpartition(".")[2] for name in used}
    found = [
        {"module": module, "names": sorted(names & allowed)}
        for module, allowed in MODULES.items()
        if allowed is not None and module != "__future__" and names & allowed
    ]
    found += [{"module": f".{name}", "names": sorted(some)} for name, some in generated.items() if some]
    found.sort(key=lambda entry: _import_order(str(entry["module"])))
    groups = [_import_order(str(entry["module"]))[0] for entry in found]
    return [{**entry, "gap": at > 0 and groups[at] != groups[at - 1]} for at, entry in enumerate(found)]


def _import_order(module: str) -> tuple[int, str]:
    """Python's own modules, then the engine's, then the generated."""
    return (2 if module.startswith(".") else 1 if module.startswith("engine.") else 0, module)


def facts_view(program: ir.Program, document: str) -> dict[str, object]:
    """What `facts.py` holds: tables, declarations, a class a scope with its derived facts."""
    predicates = Predicates(program, document)
    derived = {
        scope: [predicates.define(d) for d in program.defines if d.scope == scope] for scope in ir.SCOPES
    }
    classes = [_elements(spec) for spec in program.facts.values() if spec.fields]
    classes += [_scope(program, scope) for scope in ir.SCOPES]
    tables = [
        (table_constant(name), layout(literal(dict(rows)), 0, 20)) for name, rows in program.tables.items()
    ]
    common = ruleset.RuleSet(
        title=program.title,
        edition=program.edition,
        editions=program.editions,
        digest=program.digest,
        role="",
        families=program.families,
        facts=Name("FACTS"),  # type: ignore[arg-type]  # printed as the constant
        documents=Name("DOCUMENTS"),  # type: ignore[arg-type]  # as above
        tables=Name("TABLES"),  # type: ignore[arg-type]  # as above
        subjects=Name("SUBJECTS"),  # type: ignore[arg-type]  # as above
        clauses=(),
        conflicts=(),
        units=unit_names(program),
        divisions=program.divisions,
        commands=program.commands,
        silent=tuple(
            ruleset.Silent(c.rule, c.name, c.kind, c.why) for c in program.clauses if c.kind != "decidable"
        ),
        complete=program.complete,
        absent=program.absent,
    )
    view: dict[str, object] = {
        "tables": tables,
        "names_of_tables": [(layout(literal(name)), table_constant(name)) for name in program.tables],
        "facts": layout(literal(tuple(program.facts.values())), 0, 32),
        "documents": layout(literal(program.documents), 0, 36),
        "derived": [define for scope in ir.SCOPES for define in derived[scope]],
        "classes": classes,
        "scopes": [(scope, scope_class(scope)) for scope in ir.SCOPES],
        "common": layout(literal(common), 0, 9),
    }
    printed = str(view)
    used = {name for name in RULESET_NAMES if f"{name}(" in printed} | {
        "Document",
        "FactSpec",
        "RuleSet",
        "Subject",
        "Tables",
    }
    used |= {"Table"} if program.tables else set()
    used |= {name for name in ("Fraction", "datetime") if name in printed}
    used |= predicates.printer.used - {"TABLES", *(table_constant(t) for t in program.tables)}
    if program.defines:
        used.add("Value")
    return {**view, "imports": imports(used)}


def _scope(program: ir.Program, scope: str) -> dict[str, object]:
    specs = [spec for spec in program.facts.values() if spec.scope == scope]
    fields = [_field(program, spec) for spec in specs]
    defines = [d for d in program.defines if d.scope == scope]
    fields += [
        {
            "name": attribute(d.name),
            "type": _derived_type(program, d.expr.type),
            "about": f"derived, line {d.line}",
        }
        for d in defines
    ]
    names = [spec.name for spec in specs] + [d.name for d in defines]
    return {
        "name": scope_class(scope),
        "about": f"What is known of a {scope}.",
        "slots": layout(literal(tuple(field["name"] for field in fields)), 4, 16),
        "fields": fields,
        "renamed": [(attribute(n), n) for n in names if attribute(n) != n],
        "derived": [(d.name, f"derive_{d.name}") for d in defines],
        "elements": [(s.name, elements_of(program, s.name)) for s in specs if s.type == "list"],
    }


def _elements(spec: ruleset.FactSpec) -> dict[str, object]:
    fields = [
        {"name": attribute(f.name), "type": TYPES[f.type], "about": prose(f.meaning)} for f in spec.fields
    ]
    return {
        "name": element_class(spec.name),
        "about": f"One element of {spec.name}.",
        "slots": layout(literal(tuple(field["name"] for field in fields)), 4, 16),
        "fields": fields,
        "renamed": [(attribute(f.name), f.name) for f in spec.fields if attribute(f.name) != f.name],
        "derived": [],
        "elements": [],
    }


def _field(program: ir.Program, spec: ruleset.FactSpec) -> dict[str, str]:
    kind = f"tuple[{elements_of(program, spec.name)}, ...]" if spec.type == "list" else TYPES[spec.type]
    unit = f"{spec.unit}: " if spec.unit else ""
    return {"name": attribute(spec.name), "type": kind, "about": prose(unit + spec.meaning)}


def _derived_type(program: ir.Program, kind: ir.Type) -> str:
    if kind.kind == "list" and kind.of is not None and kind.of in program.facts:
        return f"tuple[{elements_of(program, kind.of)}, ...]"
    return TYPES.get(kind.kind, "object")


def clauses_view(program: ir.Program, document: str) -> dict[str, object]:
    """What `clauses.py` holds: every decidable clause, its predicates and what is said of each."""
    predicates = Predicates(program, document)
    clauses = [_clause(clause, predicates) for clause in program.clauses if clause.kind == "decidable"]
    conflicts = [_conflict(conflict, predicates) for conflict in program.conflicts]
    printed = "".join(str(entry["source"]) for entry in (*clauses, *conflicts))
    used = predicates.printer.used | {name for name in RULESET_NAMES if f"{name}(" in printed}
    facts = {"TABLES", *(table_constant(t) for t in program.tables)} & used | predicates.classes
    if clauses or conflicts:
        used.add("Value")
    return {
        "clauses": clauses,
        "conflicts": conflicts,
        "imports": imports(used - facts, facts=facts),
    }


def _clause(clause: ir.Clause, predicates: Predicates) -> dict[str, object]:
    described = ruleset.Clause(
        clause.rule,
        clause.name,
        clause.line,
        clause.stage,
        tuple(_statement(predicates.program, clause, statement) for statement in clause.statements),
    )
    return {
        "predicates": [p for s in clause.statements for p in predicates.statement(clause, s)],
        "constant": clause_constant(clause),
        "source": layout(literal(described), 0, 20),
    }


def _statement(program: ir.Program, clause: ir.Clause, statement: ir.Statement) -> ruleset.Statement:
    """What generated code keeps of a statement beside its condition."""
    test = predicate(clause, statement)
    each = statement.each
    return ruleset.Statement(
        line=statement.line,
        breach=statement.breach,
        facts=statement.facts,
        test=Name(test),  # type: ignore[arg-type]  # printed as the function
        number=statement.number,
        level=statement.level,
        category=statement.category,
        scope=statement.scope,
        stage=statement.stage,
        each=None
        if each is None
        else ruleset.Each(
            each.names,
            each.listing.name,
            None if each.where is None or len(each.names) == 1 else Name(f"{test}_where"),  # type: ignore[arg-type]  # as above
        ),
        because=statement.because,
        fix=statement.fix,
        since=statement.since,
        until=statement.until,
        listed=_asked_listed(program, statement),
    )


def _asked_listed(program: ir.Program, statement: ir.Statement) -> tuple[str, ...]:
    """The facts of which a statement asks `is listed`, itself or by what it derives."""
    defines = {define.name: define.expr for define in program.defines}
    each = statement.each
    nodes = [statement.condition, statement.guard, None if each is None else each.where]
    left: list[ir.Node] = [node for node in nodes if node is not None]
    left += [defines[fact] for fact in statement.facts if fact in defines]
    return tuple(
        sorted(
            {
                below.name.rpartition(".")[2]
                for node in left
                for asked in ir.walk(node)
                if isinstance(asked, ir.Is) and asked.state == "listed"
                for below in ir.walk(asked.operand)
                if isinstance(below, ir.Ref)
            }
        )
    )


def _conflict(conflict: ir.Conflict, predicates: Predicates) -> dict[str, object]:
    function = conflict_function(conflict)
    described = ruleset.Conflict(
        conflict.fact,
        conflict.scope,
        conflict.line,
        conflict.breach,
        conflict.facts,
        Name(function),  # type: ignore[arg-type]  # printed as the function
        conflict.level,
        conflict.bound,
    )
    return {
        "predicate": predicates.conflict(conflict, function),
        "constant": function.upper(),
        "source": layout(literal(described), 0, 20),
    }


def role_view(program: ir.Program, role: str) -> dict[str, object]:
    """What `gate.py` or `validator.py` holds: which clauses it judges, in which order, at which scope."""
    decidable = [c for c in program.clauses if c.kind == "decidable"]
    gate = role == "gate"
    clauses = [c for c in decidable if not gate or c.stage == "launch"]
    conflicts = [] if gate else [conflict_function(c).upper() for c in program.conflicts]
    deferred = tuple(c.rule for c in decidable if c.stage == "package") if gate else ()
    constants = [clause_constant(c) for c in clauses]
    return {
        "role": role,
        "purpose": PURPOSES[role],
        "clauses": [
            {"constant": constant, "scopes": ", ".join(clause.scopes)}
            for constant, clause in zip(constants, clauses, strict=True)
        ],
        "conflicts": conflicts,
        "deferred": layout(literal(deferred), 4, 14) if deferred else "",
        "imports": imports({"RuleSet", "rule_set"}, clauses=[*constants, *conflicts], facts=["COMMON"]),
    }


def unit_names(program: ir.Program) -> dict[str, str]:
    """The unit of every fact that has one, derived facts included."""
    units = {f.name: f.unit for f in program.facts.values() if f.unit is not None}
    return units | {d.name: d.expr.type.unit for d in program.defines if d.expr.type.unit is not None}
