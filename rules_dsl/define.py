"""Pass 4a: `define` fences -> derived facts, each after those it rests on."""

from __future__ import annotations

from dataclasses import replace

from rules_dsl import ast, ir
from rules_dsl.diagnostics import suggest
from rules_dsl.ir import SCOPES, Type
from rules_dsl.lowering import Lowering, closure, scope_of
from rules_dsl.parse import parse
from rules_dsl.resolve import Stop


def lower_defines(work: Lowering) -> None:
    """Type every define after those it rests on; a circle is an error."""
    written: dict[str, ast.Define] = {}
    for fence in work.page.fences:
        if fence.kind == "define":
            for define in parse(work.page.text, fence.body, "defines", work.collect) or ():
                if _may_define(work, define, written):
                    written[define.name] = define
    for name, span in work.vocabulary.spans.items():
        spec = work.vocabulary.facts[name]
        if not (spec.package or spec.launch or spec.fields or name in written):
            work.collect.error("V004", f"fact `{name}` has no evidence and no define", span)
    for name in _ordered(work, written):
        _define(work, written[name])


def _may_define(work: Lowering, define: ast.Define, written: dict[str, ast.Define]) -> bool:
    spec = work.vocabulary.facts.get(define.name)
    if define.name in written:
        first = (written[define.name].mark, "first here")
        work.collect.error("V002", f"`{define.name}` is defined twice", define.mark, second=first)
    elif spec is not None and (spec.package or spec.launch):
        message = f"`{define.name}` has evidence of its own; a define needs another name"
        work.collect.error("V011", message, define.mark)
    elif define.scope not in SCOPES:
        help_text = suggest(define.scope, SCOPES)
        work.collect.error("V005", f"no scope is called `{define.scope}`", define.mark, help=help_text)
    else:
        return True
    return False


def _ordered(work: Lowering, written: dict[str, ast.Define]) -> list[str]:
    """The defines, each after those it rests on."""
    rest = {name: [n for n in _names(d.expr) if n in written] for name, d in written.items()}
    done: list[str] = []

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in done:
            return
        if name in path:
            circle = " -> ".join([*path, name])
            work.collect.error("N004", f"`{name}` is defined by itself: {circle}", written[name].mark)
            return
        for other in rest[name]:
            visit(other, (*path, name))
        if name not in done:
            done.append(name)

    for name in written:
        visit(name, ())
    return done


def _define(work: Lowering, define: ast.Define) -> None:
    try:
        node = work.checker().node(define.expr)
    except Stop:
        work.types[define.name] = (define.scope, Type("any"))
        return
    work.types[define.name] = (define.scope, node.type)
    scope = scope_of(work, [node], define.span)
    if scope not in {None, define.scope}:
        work.collect.error(
            "N005", f"`{define.name}` is on {define.scope} but reads facts of {scope}", define.mark
        )
    work.defines[define.name] = ir.Define(
        define.name, define.scope, work.line(define.span), node, closure(work, [node])
    )
    spec = work.vocabulary.facts.get(define.name)
    if spec is not None:
        work.vocabulary.facts[define.name] = replace(spec, scope=define.scope)


def _names(expr: object) -> list[str]:
    """Every name that a written expression starts a path with, or folds over."""
    found: list[str] = []
    if isinstance(expr, ast.Path):
        found.append(expr.name)
        found += [s.name for s in expr.steps if isinstance(s, ast.Field)]
        for step in expr.steps:
            if isinstance(step, ast.Key):
                found += _names(step.expr)
    elif isinstance(expr, ast.Apply):
        for operand in expr.operands:
            found += _names(operand)
    elif isinstance(expr, (ast.Match, ast.State, ast.Convert)):
        found += _names(expr.operand)
    elif isinstance(expr, ast.Fold):
        found += [expr.listing, *_names(expr.term), *_names(expr.where)]
    return found
