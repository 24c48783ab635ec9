"""Pass 4a: `define` fences -> derived facts, each after those it rests on."""

from __future__ import annotations

import re

from rules_dsl import ir
from rules_dsl.diagnostics import suggest
from rules_dsl.ir import SCOPES
from rules_dsl.semantics.lowering_state import Lowering, closure, scope_of
from rules_dsl.semantics.resolve import BROKEN, Stop
from rules_dsl.syntax import ast
from rules_dsl.syntax.parse import is_name, parse

BEGUN = re.compile(r"^[ \t]*(?P<name>[A-Za-z_]\w*)\s+on\s+(?P<scope>\w+)", re.MULTILINE)
"""How a define begins, even one that does not parse."""


def lower_defines(work: Lowering) -> None:
    """Type every define of the document."""
    lower_written(work, written_defines(work))


def written_defines(work: Lowering) -> dict[str, ast.Define]:
    """The defines of the document by name, as their authors wrote them."""
    written: dict[str, ast.Define] = {}
    for fence in work.page.fences:
        if fence.kind == "define":
            told = len(work.collect.found)
            for define in parse(work.page.text, fence.body, "defines", work.collect) or ():
                if _may_define(work, define, written):
                    written[define.name] = define
            if len(work.collect.found) > told:  # what did not parse is no misspelling where it is read
                for begun in BEGUN.finditer(work.page.text, fence.body.start, fence.body.end):
                    if begun["name"] not in written:
                        work.types[begun["name"]] = (begun["scope"], BROKEN)
    return written


def lower_written(work: Lowering, written: dict[str, ast.Define]) -> None:
    """Type every define after those it rests on; a circle is an error."""
    for name, span in work.vocabulary.spans.items():
        spec = work.vocabulary.facts[name]
        if not (spec.package or spec.launch or spec.fields or name in written or name in work.types):
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
        first = (work.vocabulary.spans[define.name], "declared here")
        work.collect.error("V011", message, define.mark, second=first)
    elif define.name in work.vocabulary.tables:
        work.collect.error("V011", f"`{define.name}` is a table; a define needs another name", define.mark)
    elif define.name in work.vocabulary.divisions:
        work.collect.error("V011", f"`{define.name}` is a division; a define needs another name", define.mark)
    elif not is_name(define.name):
        work.collect.error("V006", f"`{define.name}` is a word of the language", define.mark)
    elif define.scope not in SCOPES:
        help_text = suggest(define.scope, SCOPES)
        work.collect.error("V005", f"no scope is called `{define.scope}`", define.mark, help=help_text)
    else:
        return True
    return False


def _ordered(work: Lowering, written: dict[str, ast.Define]) -> list[str]:
    """The defines, each after those it rests on; those of a circle are told and left out."""
    rest = {name: [n for n in _names(work, d.expr, {}) if n in written] for name, d in written.items()}
    done: list[str] = []
    for start in written:
        path, left = [start], [iter(rest[start])]
        while path:
            other = next(left[-1], None)
            if other is None:
                left.pop()
                name = path.pop()
                if name not in done and name not in work.types:
                    done.append(name)
            elif other in path:
                circle = path[path.index(other) :]
                shown = " -> ".join([*circle, other])
                work.collect.error("N004", f"`{other}` is defined by itself: {shown}", written[other].mark)
                work.types.update({name: (written[name].scope, BROKEN) for name in circle})
            elif other not in done and other not in work.types:
                path.append(other)
                left.append(iter(rest[other]))
    return done


def _define(work: Lowering, define: ast.Define) -> None:
    try:
        node = work.checker().node(define.expr)
    except Stop:
        work.types[define.name] = (define.scope, BROKEN)
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
        work.vocabulary.facts[define.name] = spec._replace(scope=define.scope)


def _names(work: Lowering, expr: object, bound: dict[str, str]) -> list[str]:
    """Every fact or derived fact that a written expression reads. `bound` maps a loop's name to its list."""
    found: list[str] = []
    if isinstance(expr, ast.Path):
        listing = work.vocabulary.facts.get(bound.get(expr.name, ""))
        if expr.name not in bound:
            found.append(expr.name)
        elif listing is None or not listing.fields:  # an element is a leaf, which has derived facts
            found += [s.name for s in expr.steps if isinstance(s, ast.Field)]
        for step in expr.steps:
            if isinstance(step, ast.Key):
                found += _names(work, step.expr, bound)
    elif isinstance(expr, ast.Apply):
        for operand in expr.operands:
            found += _names(work, operand, bound)
    elif isinstance(expr, (ast.Match, ast.State, ast.Convert)):
        found += _names(work, expr.operand, bound)
    elif isinstance(expr, ast.Fold):
        inner = {**bound, expr.name: expr.listing}
        found += [expr.listing, *_names(work, expr.term, inner), *_names(work, expr.where, inner)]
    return found
