"""How long a run still takes, from what it has done: of its phase, and of the whole."""

from __future__ import annotations

from statistics import fmean

from bench.workload.plan import Plan


class Estimate:
    """What is left. Until the first read has ended, a read is taken to last as long as a write."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._size = max(1, plan.total())
        self._seconds: dict[str, list[float]] = {"write": [], "read": []}

    def add(self, operation: str, seconds: float) -> None:
        """A checkpoint has ended."""
        self._seconds[operation].append(seconds)

    def remaining(self, operation: str, number: int, done: int, elapsed: float) -> tuple[float, float] | None:
        """Seconds left of the phase and of the run, `elapsed` s into a checkpoint; None so early."""
        if done <= 0 or elapsed <= 0:
            return None
        whole = elapsed * self._size / min(done, self._size)
        planned = {"write": self._plan.writes, "read": self._plan.reads}
        each = fmean([*self._seconds[operation], whole]) + self._plan.interval
        phase = whole - elapsed + (planned[operation] - number) * each
        if operation == "read":
            return phase, phase
        return phase, phase + planned["read"] * each


def format_clock(seconds: float) -> str:
    """`0:09`, `12:05`, `3:20:11`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
