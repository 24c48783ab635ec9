"""Thousands of clean leaves, each with one recorded field spoilt: nothing breaks, and nothing passes unsaid.

A mutation that no finding tells must leave what is known as it was, or be one of `BESIDE`.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.package.subjects import survey
from engine.package.validate import validate
from engine.rulesets import load
from engine.runtime.ruleset import FactSpec
from engine.runtime.values import Kind, Listing, Unknown, Value
from engine.verdict.findings import Report
from tests.packages import START, write_leaf, write_system

RULES = load("validator")
SEED, COUNT = 20_260_708, 3_000

NAN, TWICE = "__nan__", "__twice__"
"""What stands in a document until it is written: a NaN, and a key that is there a second time."""

BASES: Mapping[str, Mapping[str, Any]] = {
    "8B": {},
    "claimed": {"claim": True},
    "70B": {"model": "70B"},
    "object": {"access": "object"},
    "old-names": {"names": "old"},
    "no-bookends": {"bookends": "none"},
}

Facts = Mapping[str, Value]


def _missing(fact: str, _: Facts, after: Facts) -> bool:
    found = after[fact]
    return isinstance(found, Unknown) and found.only(Kind.ABSENT)


def _still_two(_: str, __: Facts, after: Facts) -> bool:
    folders = [after["checkpoint_folder"], after["results_folder"]]
    return all(isinstance(folder, str) for folder in folders) and folders[0] != folders[1]


def _entries(fact: str, facts: Facts) -> dict[str, Value]:
    found = facts[fact]
    return (
        {str(e["key"]): e.get("value", "") for e in found.items} if isinstance(found, Listing) else {"": ""}
    )


def _fewer(fact: str, before: Facts, after: Facts) -> bool:
    return _entries(fact, after).keys() <= _entries(fact, before).keys()


def _counts(fact: str, before: Facts, after: Facts) -> bool:
    was, now = _entries(fact, before), _entries(fact, after)
    changed = {key for key in was.keys() | now.keys() if was.get(key) != now.get(key)}
    return all("num_checkpoints" in key.lower() for key in changed)


def _before_the_pause(fact: str, before: Facts, after: Facts) -> bool:
    return _missing(fact, before, after) or isinstance(after[fact], datetime)


def _less(fact: str, before: Facts, after: Facts) -> bool:
    was, now = before[fact], after[fact]
    known = isinstance(was, int | Fraction) and isinstance(now, int | Fraction) and 0 < now < was
    return known or _missing(fact, before, after)


BESIDE: Mapping[str, tuple[Callable[[str, Facts, Facts], bool], str]] = {
    "claim": (_missing, "a subset run is inferred from what ran, and 8B on 8 is legal either way"),
    "slots": (_missing, "the mean of the hosts stands in for the launcher's list"),
    "invocation_start": (_before_the_pause, "the pause that is judged begins with the end of this half"),
    "summary_start": (_before_the_pause, "the pause that is judged begins with the end of this half"),
    "invocation_end": (_missing, "the workload's own end bounds the pause from above"),
    "summary_end": (_missing, "the invocation's end is recorded"),
    "declared_memory": (_less, "what was measured is judged; a declaration that exceeds it is told"),
    "checkpoint_folder": (_still_two, "any text is a folder, and the two still differ"),
    "results_folder": (_still_two, "any text is a folder, and the two still differ"),
    "overrides": (_fewer, "nothing more is overridden, and what ran is held against the template"),
    "parameters": (_counts, "the counts are read from the overrides, which win"),
}
"""Facts that may differ while all is judged as before: in which way, and why."""


@dataclass(frozen=True)
class Field:
    """A field of a document that a fact is read from."""

    fact: FactSpec
    document: str
    path: tuple[str, ...]


def depended_on() -> set[str]:
    """The facts that a clause, or what contradicts or bounds another fact, rests on."""
    return {fact for clause in RULES.clauses for said in clause.statements for fact in said.facts}


FIELDS = [
    Field(spec, source.document, source.path)
    for spec in RULES.facts
    if spec.name in depended_on()
    for place in spec.package
    for source in (place, *place.more)
    if source.document in ("metadata", "summary", "separation") and source.path
]

Document = dict[str, Any]
Mutation = Callable[[Document, str, Random], None]


def _drop(held: Document, key: str, _: Random) -> None:
    del held[key]


def _null(held: Document, key: str, _: Random) -> None:
    held[key] = None


def _rename(held: Document, key: str, chance: Random) -> None:
    held[chance.choice([f"{key}_", key.upper() + "S", f"x_{key}"])] = held.pop(key)


def _retype(held: Document, key: str, chance: Random) -> None:
    choices: list[object] = [[held[key]], {"value": held[key]}, [], {}, True, 3, "sixty-four", [[1]], [None]]
    held[key] = chance.choice([one for one in choices if one != held[key]])


def _word(held: Document, key: str, chance: Random) -> None:
    held[key] = chance.choice(["something else", "N/A", "run_benchmark", "posixx", "-", "b300", "?"])


def _nan(held: Document, key: str, chance: Random) -> None:
    held[key] = chance.choice([NAN, "NaN", "Infinity", "-Infinity"])


def _impossible(held: Document, key: str, chance: Random) -> None:
    held[key] = chance.choice([-1, 0, "-8", -0.5, 10**30, "1e300", "1999-01-01T00:00:00"])


def _twice(held: Document, key: str, _: Random) -> None:
    held[key] = {TWICE: held[key]}


MUTATIONS: Mapping[str, Mutation] = {
    "dropped": _drop,
    "null": _null,
    "renamed": _rename,
    "retyped": _retype,
    "unknown word": _word,
    "NaN": _nan,
    "impossible": _impossible,
    "duplicated": _twice,
}


def written(content: Document) -> str:
    """The document as text, with what JSON cannot hold."""
    text = json.dumps(content).replace(f'"{NAN}"', "NaN")
    mark = f'{{"{TWICE}": '
    while mark in text:
        start = text.index(mark)
        value, length = json.JSONDecoder().raw_decode(text[start + len(mark) :])
        head = text[:start]
        key = head[head.rstrip(": ").rfind('"', 0, len(head.rstrip(": ")) - 1) :].rstrip(": ")
        once = json.dumps(value)
        text = f"{head}{once}, {key}: {once}{text[start + len(mark) + length + 1 :]}"
    return text


def places(content: Document, path: tuple[str, ...]) -> Document | None:
    """What holds the last step of a path, in the document's own or older names."""
    renamed = {old: key for doc in RULES.documents for key, olds in doc.renamed.items() for old in olds}
    named = {renamed.get(key, key): key for key in content}
    held: Any = content
    for number, step in enumerate(path[:-1]):
        held = held.get(named.get(step, step) if number == 0 else step) if isinstance(held, dict) else None
    return held if isinstance(held, dict) and path[-1] in held else None


def base(root: Path, changes: Mapping[str, Any]) -> Path:
    """A clean package of two halves; the leaf of the first."""
    write_system(root)
    first = write_leaf(root, **{"writes": 10, "reads": 0, **changes})
    start = START + timedelta(seconds=305)
    write_leaf(root, **{"writes": 0, "reads": 10, "start": start, **changes})
    return first


def beside(fact: str, before: Facts, after: Facts) -> bool:
    return fact in BESIDE and BESIDE[fact][0](fact, before, after)


def told(report: Report) -> set[tuple[str, ...]]:
    return {(f.rule, f.name, f.level, f.path) for f in report.findings}


def mutants(root: Path, chance: Random) -> Iterator[tuple[str, str, Field, Path]]:
    """Leaves with one fact spoilt in one place, or in every place that records it."""
    clean = {name: root / name for name in BASES}
    files: dict[str, dict[str, tuple[Path, Document]]] = {}
    for name, changes in BASES.items():
        leaf = base(clean[name], changes)
        files[name] = {
            document: (path, json.loads(path.read_text()))
            for document, pattern in (
                ("metadata", "*_metadata.json"),
                ("summary", "summary.json"),
                ("separation", "fs_separation.json"),
            )
            for path in leaf.glob(pattern)
        }
    made = 0
    while made < COUNT:
        name, kind, field = chance.choice([*BASES]), chance.choice([*MUTATIONS]), chance.choice(FIELDS)
        everywhere = chance.random() < 0.5
        spoilt = {document: json.loads(json.dumps(content)) for document, (_, content) in files[name].items()}
        struck = 0
        for one in FIELDS:
            same = one == field or (everywhere and one.fact.name == field.fact.name)
            held = places(spoilt.get(one.document, {}), one.path) if same else None
            if held is not None:
                MUTATIONS[kind](held, one.path[-1], chance)
                struck += 1
        if not struck:
            continue
        made += 1
        for document, (path, _) in files[name].items():
            path.write_text(written(spoilt[document]))
        yield name, kind, field, clean[name]
        for path, content in files[name].values():
            path.write_text(json.dumps(content))


@pytest.mark.slow
def test_no_spoilt_leaf_breaks_the_validator_or_stays_closed_unsaid(tmp_path: Path) -> None:
    chance = Random(SEED)
    before: dict[str, tuple[set[tuple[str, ...]], dict[str, Any]]] = {}
    for name, changes in BASES.items():
        base(tmp_path / "clean" / name, changes)
        report = validate(tmp_path / "clean" / name, RULES)
        assert report.clean, [f.message for f in report.findings]
        leaf = survey(tmp_path / "clean" / name, RULES).leaves[0]
        before[name] = (told(report), dict(leaf.reading.facts))
    shutil.rmtree(tmp_path / "clean")
    quiet: Counter[str] = Counter()
    unsaid: list[str] = []
    tried = 0
    for name, kind, field, tree in mutants(tmp_path, chance):
        tried += 1
        report = validate(tree, RULES)
        leaf = survey(tree, RULES).leaves[0]
        earned = {subject.earned for subject in report.subjects}
        if earned != {"CLOSED"} or told(report) - before[name][0]:
            quiet["told"] += 1
            continue
        facts = leaf.reading.facts
        different = {fact for fact, value in before[name][1].items() if facts.get(fact) != value}
        if not different & depended_on():
            quiet["another source says the same, or the value reads the same"] += 1
        elif all(beside(fact, before[name][1], facts) for fact in different & depended_on()):
            quiet["what is missing is not needed"] += 1
        else:
            unsaid.append(f"{name}: {field.document}:{'.'.join(field.path)} {kind}: {sorted(different)}")
    assert tried == COUNT
    assert not unsaid, "\n".join(sorted(set(unsaid)))
    assert quiet["told"] > tried / 2
