"""The predicates of generated code: for each statement, derived fact and conflict, one function of two paths.

The known path is plain Python, taken when everything that it reads is known; the four-valued path
follows. Both are printed from one node.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from rules_dsl import ir
from rules_dsl.diagnostics import Span
from rules_dsl.emit.four_valued import Printer
from rules_dsl.emit.known_path import KnownPath, NoKnownPath
from rules_dsl.emit.layout import Chain, Doc, layout, spread
from rules_dsl.emit.names import PARAMETERS, elements_of, loop_name, predicate, scope_class

Function = Mapping[str, object]
"""name, parameters, returns, words (lines), place, settled (fact, value) or None, known (needs, guards,
answer) or None, answer"""

QUOTED = re.compile(r'"[^"\n]*"|#[^\n]*')
"""A text or a comment: parentheses in it are none."""
CLOSING = re.compile(r"(?:\s|#[^\n]*\n)*\)")


class Predicates:
    """Prints functions; remembers the classes of facts that their parameters have."""

    def __init__(self, program: ir.Program, document: str) -> None:
        self.program = program
        self.document = document
        self.printer = Printer()
        self.classes: set[str] = set()

    def define(self, define: ir.Define) -> Function:
        """The function of a derived fact."""
        start = _line_start(self.program.text, define.line)
        words = self._words(Span(start, define.expr.span.start), define.expr.span)
        return self._function(f"derive_{define.name}", define.scope, define.expr, words, define.line)

    def conflict(self, conflict: ir.Conflict, name: str) -> Function:
        """The function that finds recorded facts in contradiction."""
        words = self._words(None, conflict.expr.span)
        return self._function(name, conflict.scope, conflict.expr, words, conflict.line)

    def statement(self, clause: ir.Clause, statement: ir.Statement) -> Iterator[Function]:
        """The function of a statement, after that of its `where`."""
        name = predicate(clause, statement)
        words = self._words(
            Span(statement.span.start, statement.condition.span.start), statement.condition.span
        )
        each = statement.each
        bound = each.names if each is not None else ()
        guard = statement.guard
        if each is not None and each.where is not None and len(bound) == 1:
            guard = _all(each.where, guard)
        elif each is not None and each.where is not None:
            where = self._words(None, each.where.span)
            yield self._function(
                f"{name}_where", statement.scope, each.where, where, statement.line, each, bound[:1]
            )
        yield self._function(
            name, statement.scope, statement.condition, words, statement.line, each, bound, guard
        )

    def _function(
        self,
        name: str,
        scope: str,
        condition: ir.Node,
        words: list[str],
        line: int,
        each: ir.ForEach | None = None,
        bound: tuple[str, ...] = (),
        guard: ir.Node | None = None,
    ) -> Function:
        subject = PARAMETERS[scope]
        names: dict[str, str] = {}
        parameters = [f"{subject}: {scope_class(scope)}"]
        self.classes.add(scope_class(scope))
        for element in bound:
            names[element] = loop_name(element, {subject, *names.values()})
            kind = elements_of(self.program, each.listing.name) if each is not None else ""
            parameters.append(f"{names[element]}: {kind}")
            self.classes.add(kind)
        path = KnownPath(self.program, self.printer, subject, names)
        settled = _settled(condition) if guard is None else None
        answer = self.printer.expression(condition, subject, names)
        if guard is not None:
            answer = self.printer.call("when", self.printer.expression(guard, subject, names), answer)
        return {
            "name": name,
            "parameters": ", ".join(parameters),
            "returns": "Value | None" if guard is not None else "Value",
            "words": words,
            "place": f"{prose(self.document)}:{line}",
            "settled": settled and {"fact": path.fact(settled.fact), "value": settled.value},
            "known": self._known(condition, guard, path, settled),
            "answer": layout(answer, 4, 11),
        }

    def _known(
        self,
        condition: ir.Node,
        guard: ir.Node | None,
        path: KnownPath,
        settled: Settled | None,
    ) -> Mapping[str, object] | None:
        used = set(self.printer.used)
        opposites: list[Doc] = []
        try:
            for part in guard.operands if isinstance(guard, ir.Op) and guard.op == "and" else (guard,):
                if part is not None:
                    opposites.append(path.opposite(part))
                    path.holds(part)
            if settled is not None:
                path.fixed(settled.fact, value=not settled.value)
            answer: Doc = path.condition(condition if settled is None else settled.rest)
        except NoKnownPath:
            self.printer.used = used
            return None
        needs: Doc = Chain(" and ", tuple(path.needs))
        return {
            "needs": spread(needs, 4, 7) if path.needs else "True",
            "opposites": [spread(doc, 8, 11) for doc in opposites if doc != "False"],
            "answer": spread(answer, 8, 15),
        }

    def _words(self, head: Span | None, span: Span) -> list[str]:
        """What the document says, word for word, as lines of a docstring; without message and mend."""
        text = self.program.text
        start = span.start if head is None else head.start
        end = _closed(text, start, span.end)
        lines = [line.rstrip() for line in text[start:end].split("\n")]
        rest = min((len(x) - len(x.lstrip()) for x in lines[1:] if x.strip()), default=0)
        lines = [lines[0], *("    " + line[rest:] for line in lines[1:])]
        return [_harmless(line) for line in lines if line.strip()]


def _closed(text: str, start: int, end: int) -> int:
    """Where the parentheses close that a span opens: that of what stands in them ends before they do."""
    signs = QUOTED.sub("", text[start:end])
    for _ in range(signs.count("(") - signs.count(")")):
        closing = CLOSING.match(text, end)
        if closing is not None:
            end = closing.end()
    return end


class Settled(NamedTuple):
    """A yes or no that decides an `and` or `or` by itself when it has one value, and what does otherwise."""

    fact: ir.Ref
    value: bool
    rest: ir.Node


def _settled(condition: ir.Node) -> Settled | None:
    """What the first fact decides alone: `no and ...` is no, `yes or ...` is yes, whatever is unknown."""
    if not isinstance(condition, ir.Op) or condition.op not in {"and", "or"}:
        return None
    first, *others = condition.operands
    if not isinstance(first, ir.Ref) or first.type.kind != "bool":
        return None
    rest = others[0] if len(others) == 1 else replace(condition, operands=tuple(others))
    return Settled(first, condition.op == "or", rest)


def _all(where: ir.Node, guard: ir.Node | None) -> ir.Node:
    """Both conditions, as one `and`."""
    parts: list[ir.Node] = []
    for node in (where, guard):
        if isinstance(node, ir.Op) and node.op == "and":
            parts += node.operands
        elif node is not None:
            parts.append(node)
    return parts[0] if len(parts) == 1 else ir.Op(where.span, where.type, "and", tuple(parts))


def _line_start(text: str, line: int) -> int:
    found = 0
    for _ in range(line - 1):
        found = text.index("\n", found) + 1
    return found


def _harmless(line: str) -> str:
    """A line of the author within a docstring: it cannot end it, escape anything or hide anything."""
    shown = "".join(c if c.isprintable() else "?" for c in line)
    return shown.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def prose(text: str) -> str:
    """A text of the author as words of a docstring, on one line."""
    shown = "".join(c if c.isprintable() or c.isspace() else "?" for c in text)
    return " ".join(shown.replace("\\", "/").replace('"', "'").split())
