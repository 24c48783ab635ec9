"""Every mutant of a document tried: killed, equivalent or survived; as many processes as there are cores."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rules_dsl import ir
from rules_dsl.compile import compile_text
from rules_dsl.mutate.cells import table_mutants
from rules_dsl.mutate.equivalent import Compared, Reading, compare, drawn
from rules_dsl.mutate.grid import TooLarge
from rules_dsl.mutate.masked import masked
from rules_dsl.mutate.missing import missing_case
from rules_dsl.mutate.model import Mutant, Written, read_written
from rules_dsl.mutate.reads import reads_cell
from rules_dsl.mutate.rows import MissingCase
from rules_dsl.mutate.statements import define_mutants, statement_mutants
from rules_dsl.mutate.trial import Bench, Killer, Trial, nodes_of, tables_of

FEW = 10_000
"""Cells that are walked before a missing case is looked for."""
MOST = 200_000
"""Cells that are walked when none was found; beyond that cells are drawn, and nothing is equivalent."""
ALONE = 60
"""Mutants that are not worth a second process."""
CHUNK = 8

Part = ir.Statement | ir.Define


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a mutant. `reason` says of those that nothing killed what was compared."""

    mutant: Mutant
    killer: Killer | None = None
    equivalent: bool = False
    reason: str = ""
    missing: MissingCase | None = None

    @property
    def survived(self) -> bool:
        """Whether something is missing in the document."""
        return self.killer is None and not self.equivalent


def mutants(written: Written) -> list[Mutant]:
    """Every mutant of a document, in the document's order."""
    found = [*statement_mutants(written), *define_mutants(written), *table_mutants(written)]
    return sorted(found, key=lambda m: m.span.start)


def examine(bench: Bench, mutant: Mutant) -> Result:
    """Try one mutant."""
    trial = bench.trial(mutant)
    if isinstance(trial, Killer):
        return Result(mutant, killer=trial)
    killer = bench.judge(trial)
    if killer is not None:
        return Result(mutant, killer=killer)
    if mutant.part == "table" and not reads_cell(bench.written, mutant):
        return Result(mutant, reason="no clause or define reads it, and no check tells")
    pairs = _pairs(bench, trial, mutant)
    found = _equivalent(bench, mutant, pairs, FEW)
    if found is not None:
        return found
    row = missing_case(bench, trial)
    if row is not None:
        return Result(mutant, missing=row)
    return _equivalent(bench, mutant, pairs, MOST) or Result(mutant, reason=_unsettled(pairs))


def _equivalent(
    bench: Bench, mutant: Mutant, pairs: Sequence[tuple[Reading, Reading]], most: int
) -> Result | None:
    """The mutant as an equivalent one, if a walk of that many cells shows it."""
    found = _same(pairs, most)
    if found is not None and found.same:
        return Result(mutant, equivalent=True, reason=found.reason)
    (program, old), (other, new) = pairs[0]
    if mutant.part == "rule" and isinstance(old, ir.Statement) and isinstance(new, ir.Statement):
        hidden = masked((program, old), (other, new), bench.clauses[mutant.owner], most)
        if hidden is not None:
            return Result(mutant, equivalent=True, reason=hidden.verdict)
    return None


def _unsettled(pairs: Sequence[tuple[Reading, Reading]]) -> str:
    """What is known of a mutant for which neither a row nor equivalence was found."""
    found = _same(pairs, MOST)
    if found is not None:
        return f"they differ where {found.shown}, which no row was found for"
    for left, right in pairs:
        try:
            return drawn(left, right).reason
        except TooLarge:
            continue
    return "its lists have too many cells to walk or to draw from"


def _same(pairs: Sequence[tuple[Reading, Reading]], most: int) -> Compared | None:
    """How all readings compare, the first that is not the same; None when so many cells do not settle it."""
    found = None
    for left, right in pairs:
        try:
            found = compare(left, right, most)
        except TooLarge:
            return None
        if not found.same:
            return found
    return found


def _pairs(bench: Bench, trial: Trial, mutant: Mutant) -> list[tuple[Reading, Reading]]:
    """The statements and defines that the mutant changes, as they were and as they are."""
    programs = (bench.program, trial.program)
    if mutant.part == "define":
        old, new = (next(d for d in p.defines if d.name == mutant.owner) for p in programs)
        return [((bench.program, old), (trial.program, new))]
    before: list[Part] = [s for c in bench.program.clauses for s in c.statements]
    after: list[Part] = [s for c in trial.program.clauses for s in c.statements]
    if mutant.part == "rule":
        at = next(
            n
            for n, s in enumerate(before)
            if isinstance(s, ir.Statement) and (s.rule, s.number) == (mutant.owner, mutant.number)
        )
        return [((bench.program, before[at]), (trial.program, after[at]))]
    named = {d.name: d for d in trial.program.defines}
    before += bench.program.defines
    after += [named[d.name] for d in bench.program.defines]
    return [
        ((bench.program, a), (trial.program, b))
        for a, b in zip(before, after, strict=True)
        if mutant.owner in tables_of([a.expr] if isinstance(a, ir.Define) else nodes_of(a))
    ]


# --- in parallel ---------------------------------------------------------------------------


def run(
    written: Written, chosen: Sequence[Mutant], progress: Callable[[int], None] | None = None
) -> list[Result]:
    """Try some mutants of a document, in their order. `progress` is called with how many are done."""
    results: dict[int, Result] = {}
    for at, result in _results(written, chosen):
        results[at] = result
        if progress is not None:
            progress(len(results))
    return [results[at] for at in range(len(chosen))]


def _results(written: Written, chosen: Sequence[Mutant]) -> Iterator[tuple[int, Result]]:
    jobs = min(cores(), len(chosen) // ALONE + 1)
    if jobs == 1:
        bench = Bench(written)
        for at, mutant in enumerate(chosen):
            yield at, examine(bench, mutant)
        return
    context = multiprocessing.get_context("spawn")
    given = (written.text, written.compiled.page.path)
    with context.Pool(jobs, initializer=_begin, initargs=given) as pool:
        yield from pool.imap_unordered(_examine, enumerate(chosen), CHUNK)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_bench: list[Bench] = []
"""The document of a worker process, compiled once."""


def _begin(text: str, path: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the workers
    _bench[:] = [Bench(read_written(compile_text(text, path)))]


def _examine(task: tuple[int, Mutant]) -> tuple[int, Result]:
    at, mutant = task
    return at, examine(_bench[0], mutant)
