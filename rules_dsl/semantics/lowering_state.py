"""What the lowering of defines and of statements share: the state, and what a node rests on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rules_dsl import ir
from rules_dsl.diagnostics import Collector, Span, position
from rules_dsl.ir import Type
from rules_dsl.semantics.typecheck import Checker
from rules_dsl.source.document import Page
from rules_dsl.vocabulary.facts import Vocabulary


@dataclass(slots=True)
class Lowering:
    """The state of lowering one document."""

    page: Page
    vocabulary: Vocabulary
    collect: Collector
    defines: dict[str, ir.Define]
    types: dict[str, tuple[str, Type]]

    def checker(self, bound: dict[str, str] | None = None) -> Checker:
        """A checker that knows the defines so far."""
        return Checker(self.vocabulary, self.types, self.collect, bound or {})

    def line(self, span: Span) -> int:
        """The line of a place."""
        return position(self.page.text, span.start)[0]


def refs(nodes: Iterable[ir.Node | None]) -> list[ir.Ref]:
    """Every reference in some nodes."""
    return [n for node in nodes if node is not None for n in ir.walk(node) if isinstance(n, ir.Ref)]


def closure(work: Lowering, nodes: Iterable[ir.Node | None]) -> tuple[str, ...]:
    """Every fact that the nodes read, defines and what they rest on included, sorted."""
    found: set[str] = set()
    for ref in refs(nodes):
        if ref.bound is not None and work.vocabulary.facts[ref.bound].fields:
            found.add(ref.bound)
            continue
        name = ref.name.split(".")[-1]
        found.add(name)
        if name in work.defines:
            found.update(work.defines[name].facts)
    return tuple(sorted(found))


def scope_of(work: Lowering, nodes: Iterable[ir.Node | None], span: Span) -> str | None:
    """The scope of the free names; None when there are none. Mixed scopes are an error."""
    scopes: dict[str, str] = {}
    for ref in refs(nodes):
        if ref.bound is None:
            scope = (
                work.types[ref.name][0] if ref.name in work.types else work.vocabulary.facts[ref.name].scope
            )
            scopes.setdefault(scope, ref.name)
    if len(scopes) > 1:
        work.collect.error(
            "N006",
            f"`{scopes['leaf']}` is of a leaf and `{scopes['workload']}` of its workload",
            span,
            help=f"run over the leaves: `for each run in runs: ... run.{scopes['leaf']}`",
        )
        return "workload"
    return next(iter(scopes), None)
