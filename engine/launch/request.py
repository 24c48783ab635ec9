"""What a user asked for: a command line after parsing, before it means anything to a clause.

The options that the rule set's facts declare are gathered here into one table, so that a rule
set with a new fact brings its own option. The search for a legal configuration works on
requests too: a proposal is the same request with other texts, read through the same spelling.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from engine.runtime.ruleset import FactSpec, RuleSet

SEVERAL = ("hosts", "slots", "entries")
"""Readers that take all texts of an option, which may then be given several values."""


class Declared(NamedTuple):
    """An option that one or more facts declare."""

    flag: str  # as typed, e.g. --model
    facts: tuple[FactSpec, ...]

    @property
    def spec(self) -> FactSpec:
        """The fact that gives the option its type and its help."""
        return self.facts[0]

    @property
    def switch(self) -> bool:
        """Whether the option is a flag without a value."""
        return self.spec.type == "bool"

    @property
    def several(self) -> bool:
        """Whether the option takes several values after one flag."""
        return any(
            spec.type == "list" or (spec.launch and spec.launch.reader in SEVERAL) for spec in self.facts
        )

    @property
    def default(self) -> str | None:
        """The text that stands for an option not given."""
        return next((s.launch.default for s in self.facts if s.launch and s.launch.default is not None), None)

    @property
    def environment(self) -> str | None:
        """The variable that is read when the option is not given."""
        return next((s.launch.environment for s in self.facts if s.launch and s.launch.environment), None)

    @property
    def aliases(self) -> tuple[str, ...]:
        """What may be typed instead of the flag."""
        return tuple(dict.fromkeys(a for s in self.facts if s.launch for a in s.launch.alias))

    @property
    def group(self) -> str:
        """Where help shows it, of GROUPS."""
        return next((s.launch.group for s in self.facts if s.launch and s.launch.group), "run")

    @property
    def change(self) -> str | None:
        """How hard it is to give it another value, of CHANGES; None when no fact says."""
        return next((s.launch.change for s in self.facts if s.launch and s.launch.change), None)

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands that have the option; () is all."""
        return self.spec.launch.commands if self.spec.launch else ()

    @property
    def divisions(self) -> tuple[str, ...]:
        """The divisions that have the option; () is all."""
        return self.spec.launch.divisions if self.spec.launch else ()

    @property
    def required(self) -> tuple[str, ...]:
        """The commands that demand the option."""
        return tuple(dict.fromkeys(c for s in self.facts if s.launch for c in s.launch.required))

    def offered(self, division: str, command: str) -> bool:
        """Whether a command of a division has the option."""
        return (not self.commands or command in self.commands) and (
            not self.divisions or division in self.divisions
        )


def declared(ruleset: RuleSet) -> dict[str, Declared]:
    """Every option that a fact of the rule set declares, in the document's order."""
    grouped: dict[str, list[FactSpec]] = {}
    for spec in ruleset.facts:
        if spec.launch is not None and spec.launch.option is not None:
            grouped.setdefault(spec.launch.option, []).append(spec)
    return {flag: Declared(flag, tuple(specs)) for flag, specs in grouped.items()}


class Request(NamedTuple):
    """One launch as asked for. `texts` holds what was typed for each option, `origins` by what way."""

    division: str
    family: str
    command: str
    access: str | None
    texts: Mapping[str, tuple[str, ...]]
    origins: Mapping[str, str] = {}
    """option -> the variable it came from, when it was not typed"""

    def given(self, option: Declared) -> tuple[str, ...]:
        """The texts of an option, its default when it was not given; () when it has none."""
        found = self.texts.get(option.flag, ())
        if found or option.default is None or not option.offered(self.division, self.command):
            return found
        return (option.default,)

    def origin(self, option: Declared) -> str:
        """Where the option's texts come from, for people: `--model`, a variable, `default`."""
        if self.texts.get(option.flag):
            return self.origins.get(option.flag, option.flag)
        return f"{option.flag} (default)" if self.given(option) else f"{option.flag} (not given)"

    def changed(self, texts: Mapping[str, tuple[str, ...]]) -> Request:
        """The same request with other texts for some options."""
        return self._replace(texts={**self.texts, **texts})
