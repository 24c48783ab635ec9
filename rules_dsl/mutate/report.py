"""What a person is told of mutants: a survivor as a diagnostic, the row that is missing as its help."""

from __future__ import annotations

from collections.abc import Callable, Collection

from rules_dsl.compile import Compiled
from rules_dsl.diagnostics import Diagnostic
from rules_dsl.mutate.model import Mutant, read_written
from rules_dsl.mutate.run import Result, mutants, run


def tried(
    compiled: Compiled,
    owners: Collection[str] | None = None,
    progress: Callable[[int], Callable[[int], None] | None] | None = None,
) -> list[Result]:
    """Every mutant of these clauses, derived facts and tables (None: of all), and what became of it.

    `progress` is given the number of mutants, and gives what is called with how many are done.
    """
    written = read_written(compiled)
    some = [m for m in mutants(written) if owners is None or m.owner in owners]
    return run(written, some, progress(len(some)) if progress is not None else None)


def survivor(result: Result) -> Diagnostic:
    """A survivor as the compiler's messages are told, with the row to paste as its help."""
    mutant = result.mutant
    message = f"no case or check tells {changed(mutant)}"
    if result.missing is None:
        return Diagnostic("M001", message, mutant.span, help=result.reason)
    missing = result.missing
    where = "in its table" if missing.below is not None else "in a new cases table"
    rows = "\n".join(f"    {line}" for line in missing.text().split("\n"))
    return Diagnostic("M001", message, mutant.span, help=f"a case of {missing.rule} does, {where}:\n{rows}")


def changed(mutant: Mutant) -> str:
    """What was changed, in words."""
    old, new = short(mutant.old), short(mutant.new)
    if not old:
        return f"`{new}` put here"
    return f"`{old}` from `{new}`" if new else f"that `{old}` is left out"


def short(words: str) -> str:
    """A part of a statement on one line, cut when it is long."""
    shown = " ".join(words.split())
    return shown if len(shown) <= 40 else shown[:37] + "..."
