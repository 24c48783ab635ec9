"""Passes 3b to 5: the parsed document -> a `Program`, the IR that all emitters see.

Here names get scopes, statements their stage and the closure of facts that they rest on.
"""

from __future__ import annotations

import hashlib
import re

from engine.runtime.ruleset import FactSpec
from rules_dsl import ir
from rules_dsl.diagnostics import Collector, Span, suggest
from rules_dsl.semantics.defines import lower_defines
from rules_dsl.semantics.digests import digested
from rules_dsl.semantics.lowering_state import Lowering, closure, refs, scope_of
from rules_dsl.semantics.resolve import Stop
from rules_dsl.semantics.sections import absent
from rules_dsl.source.document import ClauseBlock, Page
from rules_dsl.syntax import ast
from rules_dsl.syntax.parse import parse
from rules_dsl.syntax.transform import PACKAGE
from rules_dsl.vocabulary.divisions import costed, is_sound
from rules_dsl.vocabulary.facts import Vocabulary

LEVELS = {"error": "error", "warn": "warning", "note": "note"}


def lower(page: Page, vocabulary: Vocabulary, collect: Collector) -> ir.Program:
    """The program of a document. What could not be compiled is left out and told to `collect`."""
    work = Lowering(page, vocabulary, collect, {}, {})
    lower_defines(work)
    conflicts = lower_conflicts(work)
    clauses = tuple(digested(page, block, _clause(work, block)) for block in page.clauses)
    loose = [f for f in page.fences if f.kind in {"rule", "cases"} and f.clause is None]
    for fence in loose:
        collect.error(
            "C005",
            f"this `{fence.kind}` fence belongs to no clause",
            fence.opening,
        )
    facts = {name: spec for name, spec in vocabulary.facts.items() if name not in work.defines}
    return ir.Program(
        title=page.head.title,
        edition=page.head.edition,
        editions=page.head.editions,
        digest="sha256:" + hashlib.sha256(page.text.encode("utf-8", "surrogatepass")).hexdigest(),
        divisions=tuple(vocabulary.divisions.values()),
        families=vocabulary.families,
        commands=vocabulary.commands,
        facts=facts,
        documents=tuple(vocabulary.documents.values()),
        tables={name: table.cells for name, table in vocabulary.tables.items()},
        defines=tuple(work.defines.values()),
        conflicts=conflicts,
        clauses=clauses,
        text=page.text,
        complete=page.head.complete,
        absent=absent(page),
    )


def lower_conflicts(work: Lowering) -> tuple[ir.Conflict, ...]:
    """The expressions by which facts contradict each other, and those of what a fact can be at all."""
    stated = [(name, span, level, False) for name, (span, level) in work.vocabulary.conflicts.items()]
    stated += [(name, span, "error", True) for name, span in work.vocabulary.bounds.items()]
    found = (_conflict(work, *one) for one in stated)
    return tuple(conflict for conflict in found if conflict is not None)


def _conflict(work: Lowering, name: str, span: Span, level: str, bound: bool) -> ir.Conflict | None:
    expr = parse(work.page.text, span, "expression", work.collect)
    if expr is None:
        return None
    try:
        node = work.checker().condition(expr)
    except Stop:
        return None
    own = work.vocabulary.facts[name].scope
    found = {scope_of(work, [ref], span) for ref in refs([node])} - {None}
    scope = scope_of(work, [node], span) or own
    if len(found) > 1:
        return None
    if scope != own:
        other = "its workload" if own == "leaf" else f"a {scope}"
        message = f"`{name}` is of a {own}, and this speaks of {other}"
        work.collect.error("N006", message, span, help=f"speak of facts of the {own} alone")
        return None
    facts = closure(work, [node])
    if bound:
        node = ir.Op(node.span, node.type, "not", (node,))
    return ir.Conflict(name, scope, work.line(span), node, facts, level, bound=bound)


# --- clauses ---------------------------------------------------------------------------


def _clause(work: Lowering, block: ClauseBlock) -> ir.Clause:
    line = work.line(block.span)
    fences = work.page.of(block.rule, "rule")
    if len(fences) > 1:
        work.collect.error(
            "C006",
            f"clause {block.rule} has two rule fences",
            fences[1].body,
            second=(fences[0].body, "first here"),
        )
    if not fences:
        if work.page.head.complete:
            work.collect.error(
                "C007",
                f"clause {block.rule} states no rule",
                block.span,
                help='add a ```rule fence with a statement, `informative "why"` or `undecidable "why"`',
            )
        return ir.Clause(block.rule, block.name, line, "unstated", "", ())
    written = parse(work.page.text, fences[0].body, "rule", work.collect, work.vocabulary.prefixes) or ()
    silent = [w for w in written if isinstance(w, ast.Silence)]
    if silent:
        if len(written) > 1:
            work.collect.error("C008", "a clause that no program decides has no statements", silent[0].span)
        return ir.Clause(block.rule, block.name, line, silent[0].kind, silent[0].why, ())
    statements = []
    for number, statement in enumerate(written, 1):
        try:
            statements.append(lower_statement(work, block.rule, number, statement))
        except Stop:
            continue
    return ir.Clause(block.rule, block.name, line, "decidable", "", tuple(statements))


def lower_statement(work: Lowering, rule: str, number: int, written: ast.Statement) -> ir.Statement:
    """One typed statement of a clause. Raises Stop."""
    for edition in (written.since, written.until):
        head = work.page.head
        if edition is not None and head.sound and edition not in head.editions:
            work.collect.error(
                "C009",
                f"no edition is called {edition}",
                written.span,
                help=suggest(edition, work.page.head.editions),
            )
    _ordered(work, written)
    _costs(work, written)
    bound = {}
    listing = None
    if written.each is not None:
        listing = work.checker().listing(written.each.listing, written.each.mark)
        for name, span in zip(written.each.names, written.each.named, strict=True):
            work.checker().free(name, span)
        if len(set(written.each.names)) < len(written.each.names):
            message = f"`{written.each.names[0]}` names both neighbours"
            work.collect.error("N008", message, written.each.named[1])
            raise Stop
        bound = dict.fromkeys(written.each.names, written.each.listing)
    checker = work.checker(bound)
    guards = [checker.condition(g) for g in written.guards]
    guard = (
        None
        if not guards
        else guards[0]
        if len(guards) == 1
        else ir.Op(guards[0].span, guards[0].type, "and", tuple(guards))
    )
    where = None
    if written.each is not None and written.each.where is not None:
        first = {written.each.names[0]: written.each.listing}
        where = work.checker(first).condition(written.each.where)
    condition = checker.condition(written.condition)
    each = None if written.each is None or listing is None else ir.ForEach(written.each.names, listing, where)
    nodes = [condition, guard, where, listing]
    facts = closure(work, nodes)
    for text in (written.because, written.fix):
        if text is not None:
            _template(work, text, written.each)
    scope = scope_of(work, nodes, written.span)
    if scope is None:
        work.collect.error("N007", "this statement reads no fact", written.span)
        raise Stop
    parting = [f for f in facts if _differs_by_stage(work.vocabulary.facts.get(f))]
    if parting and written.level == "error":
        work.collect.error(
            "C015",
            f"`{parting[0]}` is one thing at launch and another in a package; no error may rest on it",
            written.span,
            second=(work.vocabulary.spans[parting[0]], "declared here"),
            help="advise with `warn` or `note`: what the gate says of an error has to survive in the package",
        )
    return ir.Statement(
        rule=rule,
        number=number,
        line=work.line(written.span),
        span=written.span,
        level=LEVELS[written.level],
        category=written.category,
        scope=scope,
        stage=_stage(work, facts, each),
        condition=condition,
        guard=guard,
        each=each,
        since=written.since,
        until=written.until,
        because=written.because.value if written.because else None,
        fix=written.fix.value if written.fix else None,
        facts=facts,
    )


def _differs_by_stage(spec: FactSpec | None) -> bool:
    """Whether a fact is told apart by the stage itself, and not by anything that was run."""
    if spec is None or spec.launch is None or spec.launch.constant is None:
        return False
    return any(s.document == "constant" and s.path != (spec.launch.constant,) for s in spec.package)


def _ordered(work: Lowering, written: ast.Statement) -> None:
    """A statement that begins to hold after it has ended never holds."""
    order = work.page.head.editions
    since, until = written.since, written.until
    if since in order and until in order and order.index(since) > order.index(until):
        message = f"this holds in no edition: since {since} comes after until {until}"
        work.collect.error("C016", message, written.span)


def _costs(work: Lowering, written: ast.Statement) -> None:
    """A prefix names a division that a breach can cost. Raises Stop."""
    named = work.vocabulary.divisions.get(written.category)
    can = costed(work.vocabulary.divisions.values())
    if named is None or named in can:
        return
    if not all(map(is_sound, work.vocabulary.divisions.values())):
        raise Stop  # which is the lowest is not known, and why is told
    ways = [f"`in {name}:`" for name in (*(d.name for d in can), PACKAGE)]
    if named.advice:
        message = f"runs of `{named.name}` are not judged, so that a breach costs nothing there"
    else:
        message = f"`{named.name}` is the lowest division, and without it nothing is left"
        ways = ["no prefix, which costs every category", *ways]
    work.collect.error("C018", message, written.named or written.span, help="write " + " or ".join(ways))
    raise Stop


def _stage(work: Lowering, facts: tuple[str, ...], each: ir.ForEach | None) -> str:
    """Launch when the gate may decide the statement: it reads what is known then, and of this run alone.

    Which run follows which is known only when all have run.
    """
    if each is not None and len(each.names) == 2 and not work.vocabulary.facts[each.listing.name].fields:
        return "package"
    known = any(_known_at_launch(work.vocabulary.facts.get(fact)) for fact in facts)
    return "launch" if known else "package"


def _known_at_launch(spec: FactSpec | None) -> bool:
    if spec is None or spec.launch is None:
        return False
    return spec.launch.argument is None and spec.launch.constant is None


def _template(work: Lowering, text: ast.Text, each: ast.Each | None) -> None:
    """Every `{name}` of a message is a fact, a derived fact or a fact of the bound element."""
    for match in re.finditer(r"\{([^{}]*)\}", text.value):
        owner, _, part = match[1].rpartition(".")
        at = text.span.start + 1 + match.start(1)
        span = Span(at, at + len(match[1]))
        checker = work.checker({owner: each.listing} if each is not None and owner in each.names else {})
        if owner and (each is None or owner not in each.names):
            work.collect.error(
                "N001",
                f"nothing is called `{owner}` here",
                span,
                help=suggest(owner, each.names if each else ()),
            )
        elif owner and each is not None and part not in checker.element_types(each.listing):
            work.collect.error(
                "N001",
                f"an element of {each.listing} has no `{part}`",
                span,
                help=suggest(part, checker.element_types(each.listing)),
            )
        elif not owner and checker.fact_type(part) is None:
            work.collect.error(
                "N001",
                f"nothing is called `{part}`",
                span,
                help=suggest(part, [*work.vocabulary.facts, *work.defines]),
            )
