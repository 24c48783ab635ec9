"""The compiler's passes, in the order they run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rules_dsl.diagnostics import Collector, Diagnostic, RulesError, Span
from rules_dsl.english.describe import describe
from rules_dsl.ir import Program
from rules_dsl.semantics.lower import lower
from rules_dsl.semantics.reach import check_reach
from rules_dsl.source.document import Page, line_ends, read_source
from rules_dsl.vocabulary.facts import Vocabulary, read_vocabulary
from rules_dsl.vocabulary.tables import Table, read_table

PASSES = ("read_source", "read_tables", "read_vocabulary", "lower", "describe")
"""source -> tables -> vocabulary -> typed IR -> sentences; `parse` and `check` run inside `lower`, a fence
at a time."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A document with everything that was made of it, errors included."""

    page: Page
    vocabulary: Vocabulary
    program: Program
    diagnostics: tuple[Diagnostic, ...]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """What stops a build."""
        return tuple(d for d in self.diagnostics if d.level == "error")


def read_tables(page: Page, collect: Collector) -> dict[str, Table]:
    """Every named table of the document."""
    tables: dict[str, Table] = {}
    captions: dict[str, Span] = {}
    for caption in page.captions:
        label = page.text[caption.start : caption.end]
        if label in captions:
            first = (captions[label], "first here")
            collect.error("T010", f"two tables are called {label}", caption, second=first)
        captions.setdefault(label, caption)
    for block in page.tables:
        table = read_table(block, page.text, collect)
        if table is None:
            continue
        if table.name in tables:
            collect.error(
                "T001",
                f"table `{table.name}` stands twice",
                table.span,
                second=(tables[table.name].span, "first here"),
            )
            continue
        tables[table.name] = table
    return tables


def compile_text(text: str, path: str) -> Compiled:
    """Run every pass over a document's text."""
    collect = Collector()
    page = read_source(line_ends(text), path, collect)
    tables = read_tables(page, collect)
    vocabulary = read_vocabulary(page, tables, collect)
    program = describe(lower(page, vocabulary, collect), vocabulary.words)
    check_reach(page, program, collect)
    unstated = [c for c in program.clauses if c.kind == "unstated"]
    if unstated and not page.head.complete:
        first = next(b for b in page.clauses if b.rule == unstated[0].rule)
        collect.note(
            "C010", f"{len(unstated)} of {len(program.clauses)} clauses state no rule yet", first.span
        )
    return Compiled(page, vocabulary, program, tuple(collect.found))


def read_text(path: Path) -> str:
    """The document's text with newlines as line ends. Raises OSError or UnicodeDecodeError."""
    return line_ends(path.read_text(encoding="utf-8-sig"))


def compile_file(path: Path) -> Compiled:
    """Compile a document; raises RulesError when it has errors."""
    compiled = compile_text(read_text(path), str(path))
    if compiled.errors:
        raise RulesError(compiled.errors)
    return compiled
