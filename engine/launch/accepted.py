"""A launch that may start, as the workload of its family receives it: what runs is what was judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from engine.launch.gate import Gated
from engine.launch.request import Request, declared
from engine.runtime.roles import name_of
from engine.runtime.ruleset import RuleSet
from engine.runtime.values import Value
from engine.verdict.category import Scale


class Accepted(NamedTuple):
    """An accepted launch. `options` holds the tool's own options by their flags."""

    ruleset: RuleSet
    gated: Gated
    options: Mapping[str, Any]

    @property
    def request(self) -> Request:
        """What was typed."""
        return self.gated.request

    @property
    def scale(self) -> Scale:
        """The divisions of the rule set by rank."""
        return Scale(self.ruleset.divisions)

    @property
    def advised(self) -> bool:
        """Whether the run is for advice only."""
        return self.request.division in self.scale.advice

    def value(self, flag: str) -> Value | None:
        """The value of the fact that an option stands for; None when the rule set has no such option."""
        option = declared(self.ruleset).get(flag)
        return None if option is None else self.gated.known.leaf.get(option.spec.name)

    def of(self, role: str) -> Value | None:
        """The value of the fact that has a role; None when the rule set has none."""
        return self.gated.known.leaf.get(name_of(self.ruleset, role))


class CannotStart(Exception):
    """Why a run cannot start on this machine, before anything was written; the message says what to do."""


class NotInstalled(CannotStart):
    """What a run needs is not installed here: nothing that was typed is wrong."""

    @classmethod
    def library(cls, name: str | None) -> NotInstalled:
        """The workload's library of this name is missing."""
        return cls(
            f"its workload needs {name}, which is not installed: "
            "pip install 'clausegate[bench]', with a site's own MPI; [bench,mpich] brings one."
        )


class Workload(Protocol):
    """What an entry point offers for a family: it refuses a launch that it cannot run, or runs it."""

    def check(self, accepted: Accepted) -> None:
        """Raise CannotStart for what is wrong with the launch as it was typed. Touches no storage."""

    def __call__(self, accepted: Accepted) -> int:
        """Run a launch that was checked, and give its exit code. Raises CannotStart."""
