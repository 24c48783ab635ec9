"""What the engine has to know of a fact beyond its type: which one counts processes, names the model, ...

A document says it with `role:` on the fact. The engine asks for a role and never for a name, so that
another document may call its facts and options what it likes, and leave out what it has not. What a
command does is declared in the same way, in the `section` fence of its family.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.runtime.ruleset import FactSpec, RuleSet

MODEL, PROCESSES, HOSTS, MEMORY, WRITES, READS, RESULTS = (
    "model",
    "processes",
    "hosts",
    "memory",
    "writes",
    "reads",
    "results",
)
ROLES: Mapping[str, str] = {
    MODEL: "names the model, whose row in a table gives the layout and with it the planned size",
    PROCESSES: "counts the processes of a run; the slots of its hosts add up to it",
    HOSTS: "its option names the hosts",
    MEMORY: "the memory of one host as declared",
    WRITES: "counts what an invocation writes; 0 where a run is split in two",
    READS: "counts what an invocation reads; 0 where a run is split in two",
    RESULTS: "the folder of results, which is one of this machine whatever the access is",
}
"""role -> what a fact of this role is to the engine"""

START, JUDGE, SIZE, SHOW, PREPARE = "start", "judge", "size", "show", "prepare"
ACTIONS: Mapping[str, str] = {
    START: "Judge the run, then start it.",
    JUDGE: "Judge the run.",
    SIZE: "Print what a run writes and needs. Nothing is judged.",
    SHOW: "Print every fact of the run and where it comes from, then judge it.",
    PREPARE: "Prepares runs; another tool does it.",
}
"""what a command of a family does -> its help"""


def fact_of(ruleset: RuleSet, role: str) -> FactSpec | None:
    """The fact that has a role; None when the document has none."""
    return next((spec for spec in ruleset.facts if spec.role == role), None)


def argument_of(ruleset: RuleSet, word: str) -> FactSpec | None:
    """The fact that is typed as an argument of a launch: `division`, `command` or `access`."""
    return next((s for s in ruleset.facts if s.launch is not None and s.launch.argument == word), None)


def argument_name(ruleset: RuleSet, word: str) -> str:
    """The name of that fact; empty when there is none, which is no fact's name."""
    spec = argument_of(ruleset, word)
    return spec.name if spec is not None else ""


def commands_that(ruleset: RuleSet, *actions: str) -> frozenset[str]:
    """The commands of any family that do one of these."""
    return frozenset(
        command for known in ruleset.commands.values() for command, does in known.items() if does in actions
    )


def name_of(ruleset: RuleSet, role: str) -> str:
    """The name of the fact that has a role; empty when there is none, which is no fact's name."""
    spec = fact_of(ruleset, role)
    return spec.name if spec is not None else ""


def flag_of(ruleset: RuleSet, role: str) -> str:
    """The launch option of the fact that has a role; empty when there is none."""
    spec = fact_of(ruleset, role)
    return (spec.launch.option or "") if spec is not None and spec.launch is not None else ""
