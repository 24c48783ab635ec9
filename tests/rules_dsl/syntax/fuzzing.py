"""What every text must survive, and how much work it costs, counted and not timed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from hypothesis import strategies as st

from rules_dsl import compile as compiler
from rules_dsl.compile import Compiled, compile_text
from rules_dsl.diagnostics import Collector, render
from rules_dsl.emit.modules import emit
from rules_dsl.format.document import check_breaches, format_document
from rules_dsl.syntax.parse import grammar
from rules_dsl.verify.cases import check_cases
from rules_dsl.verify.table_checks import check_tables

OURS = str(Path(compiler.__file__).parent)


def survived(text: str) -> Compiled:
    """Run every pass over a text: it compiles, or it is told why not, in words at a place inside it."""
    found = compile_text(text, "Doc.md")
    collect = Collector(list(found.diagnostics))
    check_breaches(found, collect)
    if not found.errors:
        parts = (found.page, found.vocabulary, found.program, collect)
        check_cases(*parts)
        check_tables(*parts)
        emit(found.program, "Doc.md")
        again = compile_text(format_document(found), "Doc.md")
        assert again.errors == ()
        assert format_document(again) == again.page.text
    for diagnostic in collect.found:
        assert diagnostic.message
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
        assert render(diagnostic, text, "Doc.md")
    return found


LONG = 25
"""How many choices of a text are free before the shortest way to its end is taken."""


def sentences(start: str, words: Mapping[str, st.SearchStrategy[str]]) -> st.SearchStrategy[str]:
    """Texts of the grammar; `words` says how terminals are written that are no plain words."""
    plain = {t.name: t.pattern.value for t in grammar().terminals if t.pattern.type == "str"}
    terminals = {**{name: st.just(word) for name, word in plain.items()}, **words}
    rules: dict[str, list[list[str]]] = {}
    for rule in grammar().rules:
        rules.setdefault(rule.origin.name, []).append([symbol.name for symbol in rule.expansion])
    depth = _depths(rules, terminals)

    def deep(symbols: list[str]) -> int:
        return max((depth[s] for s in symbols), default=0)

    least = {name: min(map(deep, ways)) for name, ways in rules.items()}
    shortest = {name: [w for w in ways if deep(w) == least[name]] for name, ways in rules.items()}

    @st.composite
    def drawn(draw: st.DrawFn) -> str:
        free = LONG
        text: list[str] = []
        rest = [start]
        while rest:
            name = rest.pop()
            if name in terminals:
                text.append(draw(terminals[name]))
                continue
            ways = rules[name]
            if free and len(ways) > 1:
                free -= 1
            else:
                ways = shortest[name]
            chosen = ways[0] if len(ways) == 1 else draw(st.sampled_from(ways))
            rest += reversed(chosen)
        return " ".join(text)

    return drawn()


def _depths(rules: Mapping[str, list[list[str]]], terminals: Iterable[str]) -> dict[str, int]:
    """How deep the least tree of each symbol is."""
    depth = dict.fromkeys(terminals, 0)
    found: dict[str, int] = {}
    while True:
        reached = {
            name: 1 + min(max((depth[s] for s in symbols), default=0) for symbols in usable)
            for name, some in rules.items()
            if (usable := [symbols for symbols in some if all(s in depth for s in symbols)])
        }
        if reached == found:
            return depth
        found = reached
        depth.update(reached)


def steps(work: Callable[[], object]) -> int:
    """How many instructions of our own modules some work takes: the same number on every machine."""
    counted = 0

    def local(_: FrameType, event: str, __: Any) -> Any:
        nonlocal counted
        counted += event == "opcode"
        return local

    def enter(frame: FrameType, _: str, __: Any) -> Any:
        if not frame.f_code.co_filename.startswith(OURS):
            return None
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        return local

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        work()
    finally:
        sys.settrace(before)
    return counted
