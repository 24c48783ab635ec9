"""Searches the legal configuration that is nearest to a refused one.

Nearest is fewest changed options, then the least disturbing kind of change, then the closest
value. The search knows no clause: it tries values of the options that the broken statements
read, and asks the rule set itself, so that what it proposes is legal by construction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import log
from typing import Any

from engine.launch.facts import LaunchFacts, OptionError, complete, derived_leaf, retyped
from engine.launch.request import Declared, Request, declared
from engine.runtime import host_lists
from engine.runtime.roles import PROCESSES, flag_of
from engine.runtime.ruleset import Clause, RuleSet, Tables
from engine.runtime.values import Facts, Listing, Unknown
from engine.verdict.findings import plain

TRIES = (3_000, 5_000, 3_000)
"""Proposals evaluated at most that change one option, two, three; a refusal must not take seconds."""

VALUES = (1_200, 48, 12)
"""Values tried for an option when it changes alone, with one other, with two others."""

LARGEST, MOST_HOSTS = 2**22, 4096
"""No proposal has more processes, or more hosts, than this."""

GROWTH = 1.12
"""The step between numbers of hosts that are far from the given one."""

RANKS = {"flag": 0, "number": 1, "hosts": 2, "list": 3, "name": 4}
"""How much a change disturbs what was asked for, least first."""


@dataclass(frozen=True, slots=True)
class Change:
    """Another value for an option: its texts, what kind of change it is, and how far it goes."""

    flag: str
    texts: tuple[str, ...]
    rank: int
    distance: float


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
    return any(True for option in options for _ in _changes(ruleset, request, option, VALUES[-1]))


def nearest(
    ruleset: RuleSet,
    request: Request,
    known: LaunchFacts,
    broken: Sequence[Clause],
    breaks: Callable[[Clause, Facts], bool],
    legal: Callable[[LaunchFacts], bool],
) -> Proposal | None:
    """The nearest configuration that `legal` accepts in the division asked for; None if none is found.

    `breaks` asks one clause alone: asking the broken ones first refuses most proposals at little cost.
    """
    every = declared(ruleset)
    involved = list(broken)  # and what a change that mends these would break instead
    for count, most in enumerate(TRIES, start=1):
        options = _concerned(every, request, involved)
        for changes in _proposals(ruleset, request, options, count)[:most]:
            tried = _applied(ruleset, request, options, changes)
            flags = {flag for flag in tried.texts if tried.texts[flag] != request.texts.get(flag)}
            try:
                told = retyped(every, known, tried, flags)
            except OptionError:
                continue
            leaf = derived_leaf(ruleset, told)
            if any(breaks(clause, leaf) for clause in broken):
                continue
            instead = [clause for clause in ruleset.clauses if breaks(clause, leaf)]
            involved += [clause for clause in instead if clause not in involved]
            facts = complete(ruleset, told, known.ways)
            if not instead and legal(facts):
                texts = {flag: tried.texts[flag] for flag in every if flag in flags}
                return Proposal(request.division, texts, _changed(ruleset, known, facts))
    return _one_by_one(ruleset, request, known, breaks, legal)


def _one_by_one(
    ruleset: RuleSet,
    request: Request,
    known: LaunchFacts,
    breaks: Callable[[Clause, Facts], bool],
    legal: Callable[[LaunchFacts], bool],
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
            options = _concerned(every, tried, left[:1])
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
    ruleset: RuleSet, request: Request, options: Sequence[Declared], count: int
) -> list[tuple[Change, ...]]:
    """Every way to change exactly `count` options, nearest first."""
    most = VALUES[count - 1]
    values = {option.flag: list(_changes(ruleset, request, option, most)) for option in options}
    found = [
        changes
        for chosen in combinations(options, count)
        for changes in product(*(values[option.flag] for option in chosen))
    ]
    return sorted(found, key=lambda changes: (sum(c.rank for c in changes), sum(c.distance for c in changes)))


def _changes(ruleset: RuleSet, request: Request, option: Declared, most: int) -> Iterator[Change]:
    """Other values of one option, at most `most` of them."""
    given = request.given(option)
    spec = option.spec
    if option.switch:
        yield Change(option.flag, () if given else ("yes",), RANKS["flag"], 0.0)
    elif spec.type in ("integer", "number") and option.several:
        named = len(host_lists.names(given, host_lists.own_names()))
        for number in _counts(named, most):
            texts = tuple(f"?{place}" for place in range(number))
            yield Change(option.flag, texts, RANKS["hosts"], _distance(named, number))
    elif spec.type in ("integer", "number"):
        now = _whole(given)
        for number in _numbers(ruleset.tables, now, most):
            yield Change(option.flag, (str(number),), RANKS["number"], _distance(now, number))
    elif spec.type == "list":
        kept = [(given[:place] + given[place + 1 :]) for place in range(len(given))][:most]
        for texts in [*kept, ()] if len(given) > 1 else kept:
            yield Change(option.flag, texts, RANKS["list"], float(len(given) - len(texts)))
    elif spec.type == "enum":
        offered = spec.launch.offered if spec.launch is not None else None
        for place, member in enumerate(spec.members or {}):
            if offered is None or request.division in offered.get(member, ()):
                yield Change(option.flag, (member,), RANKS["name"], float(place))


def _whole(texts: Sequence[str]) -> int | None:
    try:
        return int(texts[-1]) if texts else None
    except ValueError:
        return None


def _distance(now: int | None, number: int) -> float:
    """How far a number goes; of two that go equally far the larger is a little nearer."""
    if now is None:
        return float(number)
    return abs(number - now) - (0.25 if number > now else 0.0) + log(1 + number) * 1e-6


def _counts(now: int, most: int) -> list[int]:
    """Numbers of hosts: all near the given one, farther ones in growing steps."""
    near = range(now - most // 4, now + most // 4 + 1)
    far = {max(1, round(now * GROWTH**step)) for step in range(-24, 25)}
    wanted = [n for n in {*near, *far} if 1 <= n <= MOST_HOSTS and n != now]
    return sorted(wanted, key=lambda n: _distance(now, n))[:most]


def _numbers(tables: Tables, now: int | None, most: int) -> list[int]:
    """Numbers worth trying: those in the document's tables first, multiples of them, neighbours.

    A clause's bound is one of these or is reached through one of them.
    """
    cells = {0, *_whole_cells(tables)} - {now}
    others: set[int] = set()
    if now is not None:
        others |= {now + step for step in range(-8, 9)}
        for unit in _units(tables):
            below = now // unit * unit
            others |= {below, below + unit, below - unit}
    others = {n for n in others - cells if 0 <= n <= LARGEST and n != now}
    first, second = (sorted(found, key=lambda n: _distance(now, n)) for found in (cells, others))
    return [*first, *second][:most]


def _whole_cells(tables: Tables) -> set[int]:
    return {
        cell
        for rows in tables.values()
        for row in rows.values()
        for cell in row.values()
        if isinstance(cell, int) and not isinstance(cell, bool) and 0 < cell <= LARGEST
    }


def _units(tables: Tables) -> set[int]:
    """What a legal number may have to be a multiple of: a cell, or the product of two of one row."""
    found: set[int] = set()
    for rows in tables.values():
        for row in rows.values():
            cells = [c for c in row.values() if isinstance(c, int) and not isinstance(c, bool) and c > 0]
            found |= {*cells, *(a * b for a, b in combinations(cells, 2))}
    return {unit for unit in found if 1 < unit <= LARGEST}


def _applied(
    ruleset: RuleSet, request: Request, options: Sequence[Declared], changes: Sequence[Change]
) -> Request:
    """The request with the changes, hosts placed evenly whenever their number or the ranks change."""
    texts = {change.flag: change.texts for change in changes}
    count_flag = flag_of(ruleset, PROCESSES)
    ranks = _whole(texts.get(count_flag, request.texts.get(count_flag, ())))
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
