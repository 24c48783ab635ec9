"""Searches the legal configuration that is nearest to a refused one.

Nearest keeps what a user can change least, as the document declares it (`change`): first everything that
is hard to change, and what never changes to the last. Then it is fewest changed options, then the least
disturbing kind of change, then the closest value. The search knows no clause: it tries values of the
options that the broken statements read, and asks the rule set itself, so that what it proposes is legal
by construction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import Any

from engine.launch.facts import LaunchFacts, OptionError, complete, derived_leaf, retyped
from engine.launch.other_values import Change, whole
from engine.launch.other_values import changes as changes_of
from engine.launch.request import Declared, Request, declared
from engine.runtime import host_lists
from engine.runtime.roles import PROCESSES, flag_of
from engine.runtime.ruleset import CHANGES, Clause, RuleSet
from engine.runtime.values import Facts, Listing, Unknown
from engine.verdict.findings import plain

TRIES = (3_000, 5_000, 3_000)
"""Proposals evaluated at most that change one option, two, three; a refusal must not take seconds."""

VALUES = (1_200, 48, 12)
"""Values tried for an option when it changes alone, with one other, with two others."""

SHOWN, SECOND = 2, 400
"""Configurations that are shown, and how many more are tried to find the second."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A legal configuration: the options that change, and the facts that do."""

    division: str
    texts: Mapping[str, tuple[str, ...]]
    facts: Mapping[str, Any]
    runs_as: str | None = None
    besides: tuple[str, ...] = ()  # clauses that no other value of an option mends, such as a missing folder

    def as_json(self) -> dict[str, Any]:
        """The `nearest` of the gate's report."""
        more = {} if self.runs_as is None else {"runs_as": self.runs_as}
        rest = {"besides": list(self.besides)} if self.besides else {}
        return {"requested": self.division, **self.facts, **more, **rest}


def mendable(ruleset: RuleSet, request: Request, clause: Clause) -> bool:
    """Whether some option that the clause reads has another value to try; a folder has none."""
    options = _concerned(declared(ruleset), request, [clause])
    return any(True for option in options for _ in changes_of(ruleset, request, option, VALUES[-1]))


def nearest(
    ruleset: RuleSet,
    request: Request,
    known: LaunchFacts,
    broken: Sequence[Clause],
    breaks: Callable[[Clause, Facts], bool],
    legal: Callable[[LaunchFacts], bool],
    *,
    keep: Collection[str] = (),
) -> tuple[Proposal, ...]:
    """The nearest configurations, two at most, that `legal` accepts in the division asked for.

    `breaks` asks one clause alone: asking the broken ones first refuses most proposals at little cost.
    Options whose `change` is one of `keep` stay as they are.
    """
    involved = list(broken)  # and what a change that mends these would break instead
    refused = _Refused(ruleset)
    levels = [level for level in CHANGES if level not in keep]
    for number in range(len(levels)):
        allowed = levels[: number + 1]
        for count, most in enumerate(TRIES, start=1):
            found: list[Proposal] = []
            since = 0
            for one in islice(
                _legal(ruleset, request, known, refused, involved, breaks, legal, allowed, count), most
            ):
                found += [one] if one is not None else []
                since += bool(found)
                if len(found) == SHOWN or since > SECOND:
                    break
            if found:
                return tuple(found)
        mended = _one_by_one(ruleset, request, known, breaks, legal, allowed) if number else None
        if mended is not None:
            return (mended,)
    return ()


class _Refused:
    """What clauses have refused: the values of the options that a clause reads decide what it says."""

    def __init__(self, ruleset: RuleSet) -> None:
        every, count = declared(ruleset), flag_of(ruleset, PROCESSES)
        self._known: set[tuple[str, tuple[tuple[str, ...], ...]]] = set()
        self._flags = {
            clause.rule: tuple(
                flag
                for flag, option in every.items()
                if flag == count  # slots add up to it
                or any(spec.name in s.facts for s in clause.statements for spec in option.facts)
                or any(s.scope != "leaf" for s in clause.statements)  # reads the run as a whole
            )
            for clause in ruleset.clauses
        }

    def _key(self, clause: Clause, tried: Request) -> tuple[str, tuple[tuple[str, ...], ...]]:
        return clause.rule, tuple(tried.texts.get(flag, ()) for flag in self._flags[clause.rule])

    def learn(self, clause: Clause, tried: Request) -> None:
        """Keep that the clause refuses this."""
        self._known.add(self._key(clause, tried))

    def knows(self, clause: Clause, tried: Request) -> bool:
        """Whether the clause has refused the same before."""
        return self._key(clause, tried) in self._known


def _legal(
    ruleset: RuleSet,
    request: Request,
    known: LaunchFacts,
    refused: _Refused,
    involved: list[Clause],
    breaks: Callable[[Clause, Facts], bool],
    legal: Callable[[LaunchFacts], bool],
    allowed: Sequence[str],
    count: int,
) -> Iterator[Proposal | None]:
    """Every proposal that changes so many options, nearest first; None stands for one that is not legal.

    One option at least is of the last level that is allowed; the others have been tried.
    """
    every = declared(ruleset)
    options = [o for o in _concerned(every, request, involved) if level_of(o) in allowed]
    for changes in _proposals(ruleset, request, options, count, allowed[-1]):
        tried = _applied(ruleset, request, options, changes)
        if any(refused.knows(clause, tried) for clause in involved):
            yield None
            continue
        flags = {flag for flag in tried.texts if tried.texts[flag] != request.texts.get(flag)}
        try:
            told = retyped(every, known, tried, flags)
        except OptionError:
            yield None
            continue
        leaf = derived_leaf(ruleset, told)
        wrong = next((clause for clause in involved if breaks(clause, leaf)), None)
        if wrong is not None:
            refused.learn(wrong, tried)
            yield None
            continue
        instead = [clause for clause in ruleset.clauses if breaks(clause, leaf)]
        involved += [clause for clause in instead if clause not in involved]
        facts = complete(ruleset, told, known.ways)
        if not instead and legal(facts):
            texts = {flag: tried.texts[flag] for flag in every if flag in flags}
            yield Proposal(request.division, texts, _changed(ruleset, known, facts))
        else:
            yield None


def _one_by_one(
    ruleset: RuleSet,
    request: Request,
    known: LaunchFacts,
    breaks: Callable[[Clause, Facts], bool],
    legal: Callable[[LaunchFacts], bool],
    allowed: Collection[str],
) -> Proposal | None:
    """Mends the broken clauses one after the other: where many options are wrong, not all together."""
    every = declared(ruleset)

    def told(tried: Request) -> Facts:
        changed = {flag for flag in tried.texts if tried.texts[flag] != request.texts.get(flag)}
        return retyped(every, known, tried, changed)

    def broken(tried: Request) -> list[Clause]:
        leaf = derived_leaf(ruleset, told(tried))
        return [clause for clause in ruleset.clauses if breaks(clause, leaf)]

    def mended(tried: Request, left: list[Clause]) -> Request | None:
        """The request after the nearest change of one or two options that leaves less broken."""
        for count in (1, 2):
            options = [o for o in _concerned(every, tried, left[:1]) if level_of(o) in allowed]
            for changes in _proposals(ruleset, tried, options, count)[: TRIES[count - 1]]:
                other = _applied(ruleset, tried, options, changes)
                try:
                    now = broken(other)
                except OptionError:
                    continue
                if left[0] not in now and all(clause in left for clause in now):
                    return other
        return None

    tried: Request | None = request
    while tried is not None and (left := broken(tried)):
        tried = mended(tried, left)
    if tried is None:
        return None
    facts = complete(ruleset, told(tried), known.ways)
    texts = {
        f: tried.texts[f] for f in every if tried.texts.get(f) != request.texts.get(f) and f in tried.texts
    }
    return Proposal(request.division, texts, _changed(ruleset, known, facts)) if legal(facts) else None


def level_of(option: Declared) -> str:
    """How hard it is for a user to change an option, of CHANGES."""
    return option.change or CHANGES[0]


def _concerned(every: Mapping[str, Declared], request: Request, broken: Iterable[Clause]) -> list[Declared]:
    """The options of this command that the broken statements read, directly or through a define."""
    read = {fact for clause in broken for statement in clause.statements for fact in statement.facts}
    return [
        option
        for option in every.values()
        if option.offered(request.division, request.command)
        and any(spec.name in read for spec in option.facts)
    ]


def _proposals(
    ruleset: RuleSet, request: Request, options: Sequence[Declared], count: int, level: str | None = None
) -> list[tuple[Change, ...]]:
    """Every way to change exactly `count` options, one of them of this level, nearest first."""
    most = VALUES[count - 1]
    values = {option.flag: list(changes_of(ruleset, request, option, most)) for option in options}
    found = [
        changes
        for chosen in combinations(options, count)
        if level is None or any(level_of(option) == level for option in chosen)
        for changes in product(*(values[option.flag] for option in chosen))
    ]
    return sorted(found, key=lambda changes: (sum(c.rank for c in changes), sum(c.distance for c in changes)))


def _applied(
    ruleset: RuleSet, request: Request, options: Sequence[Declared], changes: Sequence[Change]
) -> Request:
    """The request with the changes, hosts placed evenly whenever their number or the ranks change."""
    texts = {change.flag: change.texts for change in changes}
    count_flag = flag_of(ruleset, PROCESSES)
    ranks = whole(texts.get(count_flag, request.texts.get(count_flag, ())))
    for option in options:
        if not option.several or option.spec.type not in ("integer", "number") or ranks is None:
            continue
        given = request.given(option)
        wanted = texts.get(option.flag)
        placed = any(host_lists.slots(host) is not None for host in host_lists.split(given))
        if wanted is not None or (count_flag in texts and placed):
            count = (
                len(wanted) if wanted is not None else len(host_lists.names(given, host_lists.own_names()))
            )
            texts[option.flag] = host_lists.spread(
                host_lists.names(given, host_lists.own_names()), count, ranks
            )
    return request.changed(texts)


def _changed(ruleset: RuleSet, known: LaunchFacts, facts: LaunchFacts) -> dict[str, Any]:
    """The facts of options that are not what they were, as JSON has them."""
    return {
        spec.name: plain(facts.leaf[spec.name])
        for spec in ruleset.facts
        if spec.launch is not None
        and spec.launch.option is not None
        and facts.leaf.get(spec.name) != known.leaf.get(spec.name)
        and not isinstance(facts.leaf.get(spec.name), (Listing, Unknown))
    }
