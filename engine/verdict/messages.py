"""The sentences of findings: templates of the document filled with recorded values, and problems.

No sentence about a clause is written here; what a clause says stands in the rule set. Here are
only the engine's own words for what it could not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from engine.runtime.origins import Origin, Origins
from engine.runtime.ruleset import Conflict
from engine.runtime.values import WORDS, Cause, Facts, Kind, Unknown, read
from engine.verdict.findings import printed
from engine.verdict.words import Word, meant

FIELD = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.]*)\}")

TIMESTAMP = r"[0-9]{8}_[0-9]{6}"

LONGEST = 60
"""What is shown of a recorded word."""

UNDEFINED = "a value it needs is not defined (a division by zero, or no such row in a table)"


def bare(name: str) -> str:
    """A fact's own name, without the list element that it was bound to."""
    return name.rpartition(".")[2]


def fill(template: str, facts: Facts, units: Mapping[str, str]) -> str:
    """The template with each `{fact}` replaced by its value and unit."""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        found = read(facts, name)
        unit = units.get(name) or units.get(bare(name))
        return printed(found) if isinstance(found, Unknown) or not unit else f"{printed(found)} {unit}"

    return FIELD.sub(value, template)


def contradiction(conflict: Conflict, facts: Facts, units: Mapping[str, str]) -> str:
    """The message of recorded facts that contradict each other: the sentence, and what is recorded."""
    recorded = fill(", ".join(f"{name} {{{name}}}" for name in conflict.facts if name in facts), facts, units)
    if conflict.bound:
        told = f"{conflict.fact} cannot be as it is recorded: it has to hold that {conflict.breach}"
        return f"{told} (recorded: {recorded})"
    return f"{conflict.breach} (recorded: {recorded})"


def unknown_word(word: Word, origins: Origins) -> str:
    """The message of a recorded word that is no member: where it was read, and what it may have meant."""
    found = [origin for origin in origins.get(word.of, ()) if origin.value is not None]
    where = _places(found)
    read_from = f" ({where})" if where else ""
    text = word.text if len(word.text) <= LONGEST else f"{word.text[:LONGEST]}..."
    return f"{word.name}{read_from} is {text!r}, a word that it does not have; {meant(word.spec, word.text)}"


def cannot_judge(causes: Iterable[Cause], origins: Origins, instead: Iterable[str] = ()) -> str:
    """The message of an undetermined clause: each unknown fact, why, and where it was looked for.

    `instead` names facts that were used in place of those; where they were read is said too.
    """
    kinds: dict[str, set[str]] = {}
    for cause in causes:
        kinds.setdefault(cause.fact, set()).add(cause.kind)
    problems = [_problem(fact, kinds[fact], origins) for fact in sorted(kinds)]
    used = _places(
        [origin for fact in instead for origin in origins.get(fact, ()) if origin.value is not None]
    )
    known = f"; only known: {used}" if used else ""
    return f"cannot be judged: {'; '.join(problems) or UNDEFINED}{known}"


def _problem(fact: str, kinds: set[str], origins: Origins) -> str:
    why = " or ".join(WORDS[kind] for kind in sorted(kinds))
    found = origins.get(fact) or origins.get(bare(fact)) or ()
    sought = _places([origin for origin in found if origin.value is None])
    if not sought or kinds == {Kind.DEFERRED.value}:
        return f"{fact} is {why}"
    return f"{fact} is {why} (looked for {sought})"


def _places(origins: Iterable[Origin]) -> str:
    """`args.model, model in x_metadata.json; folder workload`: fields of one file together."""
    fields: dict[str, list[str]] = {}
    for origin in origins:
        file = _kind_of_file(origin.file)
        listed = fields.setdefault(f"{file}, which is missing" if origin.missing else file, [])
        if origin.field not in listed:
            listed.append(origin.field)
    places = []
    for file, names in fields.items():
        named = ", ".join(name for name in names if name)
        places.append(f"{named} in {file}" if named and file else named or file)
    return "; ".join(places)


def _kind_of_file(file: str) -> str:
    """The file's name with `*` for its timestamp, so that equal problems of many leaves read equally."""
    return re.sub(TIMESTAMP, "*", file.rpartition("/")[2])
