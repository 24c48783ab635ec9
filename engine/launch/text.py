"""A judged launch for people: the verdict first, then each broken clause, then what would be legal.

Lines fit 80 columns, but no path or option is ever broken in two: what is printed can be pasted.
"""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from engine.launch.gate import Gated
from engine.launch.request import Declared, Request, declared
from engine.launch.sizes import Sizes
from engine.runtime import host_lists
from engine.runtime.roles import HOSTS
from engine.runtime.ruleset import CHANGES, RuleSet
from engine.runtime.values import Listing, Other
from engine.verdict.category import Scale
from engine.verdict.findings import Finding, printed
from engine.verdict.words import meant

if TYPE_CHECKING:
    from engine.launch.nearest import Proposal

WIDTH = 80
COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


def gate_text(ruleset: RuleSet, gated: Gated, planned: Sizes | None) -> str:
    """The gate's answer."""
    scale = Scale(ruleset.divisions)
    advice = gated.request.division in scale.advice
    lines = [*_headline(gated, advice=advice), ""]
    for finding in gated.report.findings:
        lines += [*_finding(finding, None if advice else scale), ""]
    for name in _unlisted(ruleset, gated):
        lines += [*name, ""]
    if not gated.accepted:
        lines += [*_way_out(ruleset, gated), ""]
    if planned is not None:
        lines.append(planned.capacity_line())
    if gated.deferred:
        lines += _wrapped(f"decided only from the package: {', '.join(gated.deferred)}")
    lines += _wrapped(gated.judged.sentence())
    return "\n".join(lines).rstrip()


def datasize_text(request: Request, planned: Sizes) -> str:
    """What a run will write and needs."""
    plural = "" if planned.ranks == 1 else "es"
    title = f"{request.family}, {planned.ranks} process{plural}:"
    wrapped = [part for line in planned.lines() for part in _wrapped(line, "  ", "  " + " " * 17)]
    return "\n".join([title, *wrapped])


def facts_text(ruleset: RuleSet, gated: Gated) -> str:
    """Every fact of the launch, its value, and where it comes from."""
    units = ruleset.units
    rows = []
    for name, value in gated.known.leaf.items():
        unit = f" {units[name]}" if name in units and not printed(value).startswith(("not", "known")) else ""
        rows.append((name, _shown(value) + unit, gated.known.ways.get(name, "from the rules")))
    first = max((len(name) for name, _, _ in rows), default=0)
    second = min(max((len(value) for _, value, _ in rows), default=0), 24)
    return "\n".join(f"{name:<{first}}  {value:<{second}}  {way}".rstrip() for name, value, way in rows)


def _shown(value: object) -> str:
    if isinstance(value, Listing):
        items = ["=".join(printed(part) for part in item.values()) for item in value.items]
        return ", ".join(items) or "none"
    return printed(value)


def _headline(gated: Gated, *, advice: bool) -> list[str]:
    request, subject = gated.request, gated.verdict.subject
    what = f"{request.division} {request.family} {request.command}"
    if advice:
        count = len(gated.report.findings)
        return _wrapped(f"{what}: advice only, {count} finding{'' if count == 1 else 's'}")
    word = click.style("accepted", fg="green", bold=True)
    if not gated.accepted:
        word = click.style("refused", fg="red", bold=True)
    if gated.judged.complete:
        return [f"{word}: {what} earns {subject.earned or 'nothing'}"]
    share = gated.judged.share
    if gated.accepted:
        return [f"{word}: nothing stated is broken ({share})", f"{what} earns nothing by it"]
    return [f"{word}: what is stated is broken ({share})", f"{what} earns nothing by it"]


def _finding(finding: Finding, scale: Scale | None) -> list[str]:
    """A finding; of a run that is judged with what it costs on the `scale`."""
    level = click.style(finding.level, fg=COLOURS.get(finding.level), bold=True)
    certain = finding.outcome == "violation" and finding.level == "error"
    cost = scale.cost(finding.category) if certain and scale is not None else ""
    head = f"{level} {finding.rule} {finding.name}" + (f" ({cost})" if cost else "")
    lines = [head, *_wrapped(finding.message, "    ", "    ")]
    if finding.fix:
        lines += _wrapped(f"fix: {finding.fix}", "    ", "         ")
    return lines


def _unlisted(ruleset: RuleSet, gated: Gated) -> Iterable[list[str]]:
    """What a name that is no member of its fact may have meant."""
    for spec in ruleset.facts:
        value = gated.known.leaf.get(spec.name)
        if isinstance(value, Other) and spec.launch is not None and spec.launch.option is not None:
            yield _wrapped(f"{spec.launch.option} {value.text}: {meant(spec, value.text)}")


def _way_out(ruleset: RuleSet, gated: Gated) -> list[str]:
    lines = []
    if gated.runs_as is not None:
        lines += _wrapped(f"The run is legal as {gated.runs_as}: run it as {gated.runs_as}.")
    proposal = gated.proposal
    if proposal is None or not proposal.texts:
        if gated.runs_as is None:
            sentence = f"No legal {gated.request.division} configuration was found by changing its options."
            lines += _wrapped(sentence)
        return lines
    besides = f" (besides, mend {' and '.join(proposal.besides)} as said above)" if proposal.besides else ""
    lines += _wrapped(f"Nearest legal {proposal.division} configuration{besides}:")
    lines += _difference(ruleset, gated.request, proposal)
    if gated.second is not None:
        lines += ["Or:", *_difference(ruleset, gated.request, gated.second)]
    return lines


def _difference(ruleset: RuleSet, request: Request, proposal: Proposal) -> list[str]:
    """What a proposal changes, and what of that which is hard to change it keeps."""
    options, lines = declared(ruleset), []
    for flag, texts in proposal.texts.items():
        option = options[flag]
        lines += [click.style(f"  - {line}", fg="red") for line in _typed(option, request.given(option))]
        lines += [click.style(f"  + {line}", fg="green") for line in _typed(option, texts)]
    hard = [o for o in options.values() if o.change in CHANGES[1:] and o.flag not in proposal.texts]
    kept = [flag for o in hard if request.texts.get(flag := o.flag)]
    return lines + (_wrapped(f"kept: {', '.join(kept)}", "  ", "        ") if kept else [])


def _typed(option: Declared, texts: tuple[str, ...]) -> list[str]:
    """An option as it would be typed; nothing when it would not be."""
    if not texts:
        return []
    if option.switch:
        return [option.flag]
    hosts = any(spec.role == HOSTS for spec in option.facts)
    return [f"{option.flag} {host_lists.brief(texts) if hosts else ' '.join(texts)}"]


def _wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    return wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
