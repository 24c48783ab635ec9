"""What a run came to: its exit code and, when it did not end well, one sentence that says why.

A rank that fails says so itself. One that is killed cannot; then the launcher's own words are all
there is, and each MPI has its own.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from bench.process.follow import LauncherExit
from bench.rank.mpi_advice import OTHER_MPI

REFUSED = 2
"""The exit code of a run that ranks refused before any I/O."""

FAILED, OUT_OF_TIME, INTERRUPTED = 6, 7, 8
"""Exit codes of a run that was started and did not end well."""

DEATHS = (
    re.compile(r"PID (?P<pid>\d+) RUNNING AT (?P<host>\S+)"),  # hydra
    re.compile(r"rank (?P<rank>\d+) with PID (?P<pid>\d+) on node (?P<host>\S+) exited"),  # Open MPI
    re.compile(r"error: (?P<host>[^\s:]+): task (?P<rank>\d+): (?P<how>[^\n]+)"),  # Slurm
)
CAUSES = (
    re.compile(r"EXIT STRING: (?P<how>.+)"),
    re.compile(r"KILLED BY SIGNAL: (?P<how>.+)"),
    re.compile(r"exited on (?P<how>signal .+?)\.?$"),
)


HINTS = (
    (re.compile(r"not enough slots"), "--oversubscribe starts more ranks than there are processors"),
    (re.compile(r"attempt to run as root"), "--allow-run-as-root lets it"),
    (re.compile(r"unsupported PMI version|OPAL ERROR|PMI2?_Init"), OTHER_MPI),
    (re.compile(r"cannot load MPI library"), "load the site's MPI, or pip install 'clausegate[mpich]'"),
)
"""Words of a start that failed, and what helps."""

BANNER = re.compile(r"-{20,}")
"""The lines between which Open MPI says what went wrong."""


@dataclass(frozen=True, slots=True)
class RankProcess:
    """A rank that has reported for work."""

    host: str
    pid: int


def outcome(
    end: LauncherExit, ranks: Mapping[int, RankProcess], last: Iterable[str], *, written: bool
) -> tuple[int, str | None]:
    """The exit code and the reason.

    Args:
        end: how the launcher ended.
        ranks: those that have reported.
        last: the latest lines of its output that were no events.
        written: whether the first rank has left its summary.
    """
    code, reason = _outcome(end, ranks, last, written=written)
    if reason is None or not end.stuck:
        return code, reason
    return code, "; ".join([reason, *end.stuck])


def _outcome(
    end: LauncherExit, ranks: Mapping[int, RankProcess], last: Iterable[str], *, written: bool
) -> tuple[int, str | None]:
    if end.signal is not None:
        return INTERRUPTED, f"interrupted by {end.signal}"
    if end.out_of_time:
        return OUT_OF_TIME, "the time limit was reached before the run had ended"
    if end.refusals and not end.failures:
        return REFUSED, end.refusals[0]["reason"]
    if end.failures:
        first, more = end.failures[0], len(end.failures) - 1
        others = f" ({more} more rank{'' if more == 1 else 's'} failed too)" if more else ""
        return FAILED, f"rank {first['rank']} on {first['host']}: {first['reason']}{others}"
    if end.code:
        return FAILED, _death(list(last), ranks, end.code)
    if not (end.done and written):
        return FAILED, "all ranks ended, but the first has left no summary"
    return 0, None


def _death(lines: list[str], ranks: Mapping[int, RankProcess], code: int) -> str:
    found = _first(DEATHS, lines)
    ended = f"the launcher ended with {code}" if code >= 0 else f"the launcher was ended by {_signal(-code)}"
    how = found.get("how") or _first(CAUSES, lines).get("how") or ended
    if not found:
        words = _last_words(lines)
        hint = next((f"; {advice}" for pattern, advice in HINTS if pattern.search("\n".join(lines))), "")
        return how + (f"; it said last: {words}" if words else "") + hint
    number = found.get("rank") or _rank_of(found, ranks)
    who = f"rank {number} on {found['host']}" if number is not None else f"a rank on {found['host']}"
    return f"{who} died: {how}"


def _last_words(lines: list[str]) -> str:
    """The first paragraph of the last banner, else the last line that has words."""
    rules = [place for place, line in enumerate(lines) if BANNER.fullmatch(line.strip())]
    if len(rules) > 1:
        inside = iter([line.strip() for line in lines[rules[-2] + 1 : rules[-1]]])
        return " ".join(takewhile(bool, dropwhile(lambda line: not line, inside)))
    return next((line for line in reversed(lines) if any(map(str.isalpha, line))), "")


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _first(patterns: Iterable[re.Pattern[str]], lines: list[str]) -> dict[str, str]:
    return next((m.groupdict() for line in lines for p in patterns if (m := p.search(line))), {})


def _rank_of(found: Mapping[str, str], ranks: Mapping[int, RankProcess]) -> int | None:
    """The rank of a process; host names are not compared, launchers and ranks may spell them differently."""
    same = [number for number, rank in ranks.items() if str(rank.pid) == found.get("pid")]
    return same[0] if len(same) == 1 else None
