"""What every text must survive, and how much work it costs, counted and not timed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from rules_dsl import compile as compiler
from rules_dsl.cases import check_cases
from rules_dsl.compile import Compiled, compile_text
from rules_dsl.diagnostics import Collector, render
from rules_dsl.emit import emit
from rules_dsl.fmt import check_breaches, format_document
from rules_dsl.promises import check_tables

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
