"""The facts of a launch: each declared fact by the way it says it is known before a run.

What only a package holds is deferred, not absent: the gate must never take "not known yet" for
"not recorded". The same function reads a user's request and every proposal of the search for a
legal configuration.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import NamedTuple

from engine.evidence.worked_out import DERIVED, planned
from engine.launch.parse_value import BadValue, fold, scalar, value_of
from engine.launch.probes import OF_FOLDERS, PROBES
from engine.launch.request import Declared, Request, declared
from engine.runtime.origins import Origin
from engine.runtime.roles import PROCESSES, argument_name, argument_of
from engine.runtime.ruleset import FactSpec, RuleSet
from engine.runtime.values import Facts, Kind, Listing, Unknown, Value

TYPED = "command line"
"""What a origin names as the file of a fact that was typed."""


class OptionError(ValueError):
    """A text that is no value of its option; the message names the option."""


class LaunchFacts(NamedTuple):
    """Facts by scope, derived facts included, and where each comes from."""

    declared: Facts  # of the leaf, before the rules derive anything
    leaf: Facts
    workload: Facts
    ways: Mapping[str, str]  # fact -> where it comes from, for people

    def origins(self) -> dict[str, tuple[Origin, ...]]:
        """Where what was typed stands: an option, an argument, a variable."""
        return {
            name: (
                Origin(name, TYPED, way, None if isinstance(self.leaf[name], Unknown) else self.leaf[name]),
            )
            for name, way in self.ways.items()
            if way.startswith(("-", "argument")) or way.isupper()
        }


def gather(ruleset: RuleSet, request: Request, *, probe: bool = False) -> LaunchFacts:
    """Every fact of a launch; raises OptionError for a text that is no value.

    Probes touch the machine, so that they run only when asked to, and never for a run whose
    access is no file access: its folder is no path.
    """
    options = declared(ruleset)
    leaf: dict[str, Value] = {}
    ways: dict[str, str] = {}
    probes: list[tuple[FactSpec, str]] = []
    for spec in ruleset.facts:
        if spec.scope != "leaf":
            continue
        launch = spec.launch
        if launch is None:
            leaf[spec.name], ways[spec.name] = Unknown.of(spec.name, Kind.DEFERRED), "after the run"
        elif launch.option is not None:
            option = options[launch.option]
            leaf[spec.name] = _typed(spec, option, request, options)
            ways[spec.name] = request.origin(option)
        elif launch.argument is not None:
            leaf[spec.name] = _argument(spec, launch.argument, request)
            ways[spec.name] = "argument"
        elif launch.constant is not None:
            leaf[spec.name], ways[spec.name] = scalar(spec, launch.constant), "every launch"
        elif launch.probe is not None:
            probes.append((spec, launch.probe))
        else:
            ways[spec.name] = f"from the {launch.derived}"
    for spec, name in probes:
        leaf[spec.name], ways[spec.name] = _probed(spec, name, ruleset, leaf, probe)
    return complete(ruleset, leaf, ways)


def complete(ruleset: RuleSet, facts: Facts, ways: Mapping[str, str]) -> LaunchFacts:
    """The facts of a launch from those that were told: what is derived, and its workload's."""
    leaf = derived_leaf(ruleset, facts)
    return LaunchFacts(
        facts, leaf, workload_of(ruleset, leaf), {**dict.fromkeys(leaf, "from the rules"), **ways}
    )


def derived_leaf(ruleset: RuleSet, facts: Facts) -> Facts:
    """The leaf's facts with those that the tool and the rules derive."""
    more = {
        spec.name: _derived(spec, spec.launch.derived, ruleset, facts)
        for spec in ruleset.facts
        if spec.launch is not None and spec.launch.derived is not None
    }
    return _derive(ruleset, "leaf", {**facts, **more})


def retyped(options: Mapping[str, Declared], known: LaunchFacts, request: Request, flags: Set[str]) -> Facts:
    """The told facts when only the texts of these options differ. What was probed stays as it is."""
    counted = any(spec.role == PROCESSES for flag in flags for spec in options[flag].facts)
    changed = {
        spec.name: _typed(spec, option, request, options)
        for flag, option in options.items()
        for spec in option.facts
        if flag in flags or (counted and spec.launch is not None and spec.launch.reader == "slots")
    }
    return {**known.declared, **changed}


def _derive(ruleset: RuleSet, scope: str, facts: Facts) -> Facts:
    return ruleset.subject(scope, facts)


def _typed(spec: FactSpec, option: Declared, request: Request, options: Mapping[str, Declared]) -> Value:
    texts = request.given(option)
    if not texts:
        # What is not given is a statement where it says all there is: the run does not claim what
        # a flag stands for, and overrides nothing. Hosts without slots leave their placement open.
        if spec.type == "bool":
            return False
        whole = spec.type == "list" and spec.launch is not None and spec.launch.reader != "slots"
        return Listing(()) if whole else Unknown.of(spec.name, Kind.ABSENT)
    try:
        placed = spec.launch is not None and spec.launch.reader == "slots"
        return value_of(spec, texts, _count(request, options) if placed else None)
    except BadValue as error:
        raise OptionError(f"Invalid value for {request.origin(option)}: {error}.") from error


def _count(request: Request, options: Mapping[str, Declared]) -> int | None:
    found = (
        (spec, request.given(option))
        for option in options.values()
        for spec in option.facts
        if spec.role == PROCESSES
    )
    spec, texts = next(found, (None, ()))
    if spec is None or not texts:
        return None
    try:
        value = scalar(spec, texts[-1])
    except BadValue:  # said of the option itself
        return None
    return value if isinstance(value, int) else None


def _argument(spec: FactSpec, role: str, request: Request) -> Value:
    text = {"division": request.division, "command": request.command, "access": request.access}.get(role)
    return Unknown.of(spec.name, Kind.ABSENT) if text is None else fold(spec, text)


def _derived(spec: FactSpec, name: str, ruleset: RuleSet, facts: Facts) -> Value:
    """What the tool works out; what a model without a layout writes shows when it ran."""
    function = DERIVED.get(name)
    if function is None:
        raise OptionError(f"The rule set derives {spec.name} from {name!r}; known is {', '.join(DERIVED)}.")
    plan = planned(ruleset, facts)
    return Unknown.of(spec.name, Kind.DEFERRED) if plan is None else function(plan)


def folders(ruleset: RuleSet, facts: Facts) -> dict[str, str]:
    """The folders named on the command line: option -> path."""
    found: dict[str, str] = {}
    for spec in ruleset.facts:
        value = facts.get(spec.name)
        if spec.type == "path" and spec.launch and spec.launch.option and isinstance(value, str):
            found[spec.launch.option] = value
    return found


def by_files(ruleset: RuleSet, facts: Facts) -> bool:
    """Whether the storage is reached as files: then the folders are paths of this machine."""
    access = facts.get(argument_name(ruleset, "access"))
    return isinstance(access, str) and reaches_files(ruleset, access)


def reaches_files(ruleset: RuleSet, access: str | None) -> bool:
    """Whether an access reaches the storage as files; so does one that is not said."""
    spec = argument_of(ruleset, "access")
    return access is None or spec is None or spec.launch is None or access == spec.launch.files


def _probed(spec: FactSpec, name: str, ruleset: RuleSet, facts: Facts, probe: bool) -> tuple[Value, str]:
    function = PROBES.get(name)
    if function is None:
        raise OptionError(f"The rule set probes {spec.name} by {name!r}; known is {', '.join(PROBES)}.")
    if not probe or (name in OF_FOLDERS and not by_files(ruleset, facts)):
        return Unknown.of(spec.name, Kind.DEFERRED), "not probed"
    return function(spec.name, tuple(folders(ruleset, facts).values())), "probe of this machine"


def workload_of(ruleset: RuleSet, leaf: Facts) -> Facts:
    """The facts of the workload that the run will belong to: this run and others not known yet."""
    facts: dict[str, Value] = {}
    for spec in ruleset.facts:
        if spec.scope != "workload":
            continue
        later = Unknown.of(spec.name, Kind.DEFERRED)
        ours = any(source.document == "tree" and source.path == ("runs",) for source in spec.package)
        facts[spec.name] = Listing((leaf,), more=later) if ours else later
    return _derive(ruleset, "workload", facts)
