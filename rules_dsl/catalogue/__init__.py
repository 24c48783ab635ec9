"""Every diagnostic of the compiler, once: its title, what it means and why, a bad and a good example.

The words stand in the YAML files beside this one, a family of codes each. The examples are no
illustrations: they stand in a document of their own (`frame.md`) and are compiled, so that what is
shown of them is what the compiler says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

from rules_dsl.compile import compile_text
from rules_dsl.diagnostics import Collector, Diagnostic, render
from rules_dsl.format.document import check_breaches
from rules_dsl.semantics.digests import digests
from rules_dsl.verify.cases import check_cases
from rules_dsl.verify.prose_drift import check_drift
from rules_dsl.verify.table_checks import check_tables

FAMILIES: Mapping[str, str] = {
    "document": "The document and its parts",
    "parse": "The text of a fence",
    "vocabulary": "Declarations",
    "tables": "Tables",
    "names": "Names",
    "types": "Types and units",
    "cases": "Cases",
    "checks": "Checks between tables and clauses",
    "breaches": "Breach sentences",
    "drift": "Prose and statement apart",
    "mutants": "Changes that pass unnoticed",
}
"""file -> what its codes are about, in the order of the passes"""

EXAMPLE = "1.1.1"
CLAUSE = f"{EXAMPLE}. **example** -- In words.\n\n"
"""The clause that a rule stands in when the example is about something else."""
RULE = "```rule\nerror if accelerators > 8\n```\n"
PLACES = ("whole", "document", "rule", "cases", "define", "divisions", "facts", "check", "table")
"""What an example can be: `whole` is a document, `document` its clauses, the rest one fence or table."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What there is to say of one code."""

    code: str
    family: str
    title: str
    about: str
    place: str
    bad: str
    good: str


@cache
def catalogue() -> Mapping[str, Entry]:
    """Every code and its entry, in the order of the passes."""
    found: dict[str, Entry] = {}
    for family in FAMILIES:
        text = files(__name__).joinpath(f"{family}.yaml").read_text(encoding="utf-8")
        for code, said in yaml.safe_load(text).items():
            if code in found:
                raise ValueError(f"{code} stands in {found[code].family}.yaml and in {family}.yaml")
            found[code] = Entry(
                code, family, said["title"], said["about"], said["in"], said["bad"], said["good"]
            )
    return found


@cache
def frame() -> str:
    """The head, vocabulary and tables around the examples."""
    return files(__name__).joinpath("frame.md").read_text(encoding="utf-8")


def around(place: str, example: str) -> str:
    """The document in which an example stands."""
    match place:
        case "whole":
            return example
        case "document":
            body = example
        case "rule":
            body = f"{CLAUSE}```rule\n{example}```\n"
        case "cases":
            rule, table = example.split("\n\n", 1)
            body = f"{CLAUSE}```rule\n{rule}\n```\n\n```cases\n{table}```\n"
        case "table":
            body = f"{example}\n{CLAUSE}{RULE}"
        case _:
            body = f"```{place}\n{example}```\n\n{CLAUSE}{RULE}"
    return frame() + body


def told(entry: Entry, example: str) -> tuple[str, list[Diagnostic]]:
    """The document of an example, and all that the compiler says of it.

    What every short example would be told too, that it has no case or no breach sentence, is left out
    where the entry is not about just that.
    """
    text = around(entry.place, example)
    compiled = compile_text(text, "Rules.md")
    collect = Collector(list(compiled.diagnostics))
    if not compiled.errors:
        parts = (compiled.page, compiled.vocabulary, compiled.program, collect)
        check_cases(*parts)
        check_tables(*parts)
    if entry.family == "breaches":
        check_breaches(compiled, collect)
    if entry.family == "drift":  # against the good example, as what was built last
        built = digests(compile_text(around(entry.place, entry.good), "Rules.md").program)
        check_drift(compiled.page, compiled.program, compiled.errors, built, collect)
    if entry.family == "mutants" and not collect.errors:
        from rules_dsl.mutate.report import survivor, tried  # heavy, and for this family alone

        collect.found += [survivor(r) for r in tried(compiled, {EXAMPLE}) if r.survived][:1]
    aside = {"C011"} - {entry.code}
    return text, [d for d in collect.found if d.code not in aside]


@cache
def shown(entry: Entry) -> str:
    """What the compiler says of the bad example, as it says it."""
    text, found = told(entry, entry.bad)
    return "\n\n".join(render(d, text, "Rules.md") for d in found)
