"""Reads every declared fact of one subject from its sources, and says where each was found.

Sources are tried in order and the first that is recorded counts; with `agree` all that are
recorded must say the same. What cannot be used, or disagrees, is an `EvidenceProblem`: the fact is then
unreadable, never quietly taken from the next source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from engine.evidence import MISSING, Malformed, Missing
from engine.evidence.coerce import Typed, coerce
from engine.evidence.document_store import FOLDER, DocumentStore, Found
from engine.evidence.documents import describe
from engine.evidence.readers import READERS, TAKES_MAPPING, TAKES_MISSING
from engine.runtime.origins import EvidenceProblem, Origin
from engine.runtime.ruleset import FactSpec, Source
from engine.runtime.values import Kind, Other, Unknown, Value, show

TREE = "tree"
"""The document name of facts that are made of other subjects; whoever joins subjects adds them."""

DIVISION = "division"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a subject's evidence says."""

    facts: Mapping[str, Value]
    origins: Mapping[str, tuple[Origin, ...]]
    problems: tuple[EvidenceProblem, ...] = ()


NOTHING = Reading({}, {})


@dataclass(frozen=True, slots=True)
class _Consulted:
    """One source after reading: the typed value, and the fields that it came from."""

    value: Typed
    fields: tuple[Found, ...]
    no_file: bool = False

    @property
    def whole(self) -> Found | None:
        """The field whose document cannot be used at all."""
        return next((field for field in self.fields if field.whole is not None), None)


def read_facts(specs: Iterable[FactSpec], store: DocumentStore) -> Reading:
    """Reads the facts of the store's scope; every one gets a value, `Unknown` included."""
    facts: dict[str, Value] = {}
    origins: dict[str, tuple[Origin, ...]] = {}
    problems: list[EvidenceProblem] = []
    broken: dict[tuple[str, str], tuple[Found, list[str]]] = {}
    for spec in specs:
        if spec.scope != store.scope or any(source.document == TREE for source in spec.package):
            continue
        consulted = [_consult(source, spec, store) for source in spec.package]
        deciding = _deciding(_preferred(consulted), agree=spec.agree)
        origins[spec.name] = tuple(_origins(spec.name, deciding or consulted))
        if not deciding:
            absent = not any(one.no_file for one in consulted)
            facts[spec.name] = Unknown.of(spec.name, Kind.ABSENT if absent else Kind.UNREADABLE)
            continue
        problem = _problem(spec, deciding, origins[spec.name])
        first = deciding[0].value
        if problem is None and not isinstance(first, (Missing, Malformed)):
            facts[spec.name] = first
            continue
        facts[spec.name] = Unknown.of(spec.name, Kind.UNREADABLE)
        whole = next((one.whole for one in deciding if one.whole is not None), None)
        if whole is not None:
            broken.setdefault((whole.file, whole.field), (whole, []))[1].append(spec.name)
        elif problem is not None:
            problems.append(problem)
    return Reading(facts, origins, (*(_broken(*one) for one in broken.values()), *problems))


def _consult(source: Source, spec: FactSpec, store: DocumentStore) -> _Consulted:
    own = store.find(source)
    if own.raw is MISSING and source.reader not in TAKES_MISSING:
        return _Consulted(MISSING, (own,), no_file=own.no_file)
    if source.reader in TAKES_MAPPING and not isinstance(own.raw, (Mapping, Malformed)):
        reason = Malformed(f"is {describe(own.raw)}, not a mapping")  # as for a field below it
        own = replace(own, raw=reason, whole=source.document)
    fields = (own, *(store.find(further) for further in source.more))
    for field in fields:
        if isinstance(field.raw, Malformed):
            return _Consulted(field.raw, (field,))
    raw = own.raw
    if source.reader is not None:
        reader = READERS.get(source.reader)
        if reader is None:
            return _Consulted(Malformed(f"has no reader named {source.reader}"), (own,))
        raw = reader(raw, tuple(field.raw for field in fields[1:]), spec)
    value = coerce(raw, spec)
    if source.document == FOLDER and source.path == (DIVISION,) and isinstance(value, Other):
        value = MISSING  # a folder of another name asks for no division
    if isinstance(value, (Missing, Malformed)):
        return _Consulted(value, (own,))
    return _Consulted(value, tuple(field for field in fields if field.raw is not MISSING))


def _preferred(consulted: list[_Consulted]) -> list[_Consulted]:
    """The sources in their order; of times an instant before what a clock of an unknown zone showed."""
    instants = [one for one in consulted if isinstance(one.value, datetime) and one.value.tzinfo is not None]
    first = next((one for one in consulted if not isinstance(one.value, Missing)), None)
    if not instants or first is None or not isinstance(first.value, datetime):
        return consulted
    return [*instants, *(one for one in consulted if one not in instants)]


def _deciding(consulted: list[_Consulted], *, agree: bool) -> list[_Consulted]:
    """The sources that settle the fact: the first recorded one, or all that must agree with it.

    A document that cannot be used says nothing against a source that comes before it.
    """
    recorded = [one for one in consulted if not isinstance(one.value, Missing)]
    if not agree or not recorded or recorded[0].whole is not None:
        return recorded[:1]
    return [one for one in recorded if one.whole is None]


def _origins(fact: str, consulted: Iterable[_Consulted]) -> Iterable[Origin]:
    for one in consulted:
        known = None if isinstance(one.value, (Missing, Malformed)) else one.value
        for field in one.fields:
            yield Origin(fact, field.file, field.field, known, field.missing)


def _problem(
    spec: FactSpec, deciding: list[_Consulted], places: tuple[Origin, ...]
) -> EvidenceProblem | None:
    """What is wrong with the values that should settle the fact."""
    for one in deciding:
        if isinstance(one.value, Malformed):
            message = f"{_name(one.fields[0])} {one.value.reason}"
            return EvidenceProblem(spec.name, (spec.name,), message, tuple(_origins(spec.name, [one])))
    first = deciding[0]
    for one in deciding[1:]:
        if not _same(one.value, first.value):
            said = [f"{_shown(other)} in {_name(other.fields[0])}" for other in (first, one)]
            return EvidenceProblem(spec.name, (spec.name,), f"{spec.name} is {said[0]} and {said[1]}", places)
    return None


def _same(left: object, right: object) -> bool:
    if isinstance(left, Other) and isinstance(right, Other):
        return left.text.strip().casefold() == right.text.strip().casefold()
    return left == right


def _shown(one: _Consulted) -> str:
    return "unreadable" if isinstance(one.value, (Missing, Malformed)) else show(one.value)


def _name(field: Found) -> str:
    """`args.model of x_metadata.json`, or the folder's role when the place is no file."""
    file = field.file.rpartition("/")[2]
    if not file:
        return f"the {field.field}"
    return f"{field.field} of {file}" if field.field else file


def _broken(field: Found, facts: list[str]) -> EvidenceProblem:
    """One finding for a document that cannot be used, whatever number of facts it costs."""
    reason = field.raw.reason if isinstance(field.raw, Malformed) else "cannot be used"
    name = field.whole or ""
    return EvidenceProblem(
        name, tuple(facts), f"{_name(field)} {reason}", (Origin(name, field.file, field.field),)
    )
