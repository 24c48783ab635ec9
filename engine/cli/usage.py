"""What is wrong with a command line before any clause is asked, said with its reason.

A refusal of the gate is a judgement of a run; what stands here is no run at all: an option where
it has no meaning, a value that the division does not have, a command that lacks what it needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

import click

from engine.cli.options import KINDS, ToolOption
from engine.launch.facts import LaunchFacts
from engine.launch.gate import of_family
from engine.launch.parse_value import fold
from engine.launch.request import Declared, Request
from engine.runtime.roles import MODEL, READS, WRITES, fact_of, flag_of, name_of
from engine.runtime.ruleset import RuleSet
from engine.runtime.values import Facts, Other
from engine.verdict.findings import printed
from engine.verdict.index import Index
from engine.verdict.words import meant, unlisted


def check_offered(
    request: Request,
    options: Mapping[str, Declared],
    tool: Mapping[str, ToolOption],
    typed: Set[str],
) -> None:
    """Refuse options, and members of options, that the command or the division does not have."""
    for flag in sorted(typed):
        option = options.get(flag) or tool[flag]
        if not option.offered(request.division, request.command):
            raise click.UsageError(f"{flag} {_where(option, request)}.")
    for flag, declared_option in options.items():
        for spec in declared_option.facts:
            offered = spec.launch.offered if spec.launch is not None else None
            for text in request.texts.get(flag, ()) if offered is not None else ():
                member = fold(spec, text)
                if isinstance(member, Other) or offered is None or member not in offered:
                    continue
                if request.division not in offered[member]:
                    here = ", ".join(m for m, divisions in offered.items() if request.division in divisions)
                    raise click.UsageError(
                        f"{flag} {member} is for {_listed(offered[member])} only: a run asked for as "
                        f"{request.division} takes {here or 'none'}."
                    )


def _where(option: Declared | ToolOption, request: Request) -> str:
    """Why an option is not to be given here."""
    if option.commands and request.command not in option.commands:
        return f"is for {_listed(option.commands)} only: {request.command} has no use for it"
    held = _listed(option.divisions)
    return f"is for {held} only: a run asked for as {request.division} may not change what it sets"


def _listed(words: tuple[str, ...]) -> str:
    return " and ".join(words) if words else "no division"


def check_required(request: Request, options: Mapping[str, Declared], access: Sequence[str]) -> None:
    """Refuse a command that lacks what it needs, one of the words of `access` among it, naming all of it."""
    missing = [
        flag
        for flag, option in options.items()
        if request.command in option.required and not request.given(option)
    ]
    needed = access and request.access is None
    missing += [" or ".join(repr(word) for word in access)] if needed else []
    if missing:
        raise click.UsageError(f"{request.command} needs {', '.join(missing)}.")


def check_values(options: Sequence[ToolOption], values: Mapping[str, Any]) -> None:
    """Refuse a number of the tool's own options that is none."""
    for option in options:
        text = values.get(option.flag)
        if option.kind and text is not None:
            fits, wanted = KINDS[option.kind]
            if not fits(str(text)):
                raise click.UsageError(f"Invalid value for {option.flag}: {text!r} is not {wanted}.")


def check_counts(ruleset: RuleSet, facts: Facts) -> None:
    """Refuse a run that neither writes nor reads."""
    if all(facts.get(name_of(ruleset, role)) == 0 for role in (WRITES, READS)):
        raise click.UsageError(
            f"{flag_of(ruleset, WRITES)} and {flag_of(ruleset, READS)} are both 0: the run would do nothing. "
            "One of them is 0 when a run is split into two invocations."
        )


def check_words(ruleset: RuleSet, facts: Facts, family: str, *, judged: bool) -> None:
    """Refuse a word that its option or argument does not have, where nothing says so of the run itself.

    A clause that asks for the word does, of a run that is judged; of one that is only sized the sizes do.
    """
    governing, index = of_family(ruleset, family), Index(ruleset)
    told = {
        fact
        for clause in ruleset.clauses
        if governing.keeps(clause.rule)
        for statement in clause.statements
        if index.holds(statement, ruleset.edition)
        for fact in statement.listed
    }
    told = told if judged else {name_of(ruleset, MODEL)}
    for name, word in unlisted(ruleset.facts, facts).items():
        launch = word.spec.launch
        if name in told or launch is None:
            continue
        flag = launch.option or f"the {launch.argument}"
        raise click.UsageError(f"Invalid value for {flag}: {word.text!r}; {meant(word.spec, word.text)}.")


def unknown_model(ruleset: RuleSet, known: LaunchFacts) -> str:
    """Why there are no sizes to print."""
    spec = fact_of(ruleset, MODEL)
    value = known.leaf.get(spec.name) if spec is not None else None
    if spec is not None and isinstance(value, Other):
        known_names = meant(spec, value.text)
        flag = flag_of(ruleset, MODEL)
        return f"Invalid value for {flag}: no layout is known for {printed(value)!r}; {known_names}."
    return "There is nothing to size: a checkpoint needs a model with a layout and at least one process."
