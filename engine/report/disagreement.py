"""Prints where two validators disagree, in each of the three formats.

`-` is what only the saved output says, `+` what only this validator says, `!` a difference in
level: the marks that readers know from a diff. Text and JSON list what both say as well.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from engine.report.compare_with_log import SCHEMA, Comparison, Said
from engine.report.json import document

WIDTH = 80
SHOWN = 5
"""Lines that could not be read which the text shows; all of them stand in the JSON."""


def render(found: Comparison, form: str) -> str:
    """The disagreements as `text`, `lines` or `json`."""
    if form == "json":
        return _json(found)
    return _lines(found) if form == "lines" else _text(found)


def remarks(found: Comparison) -> list[str]:
    """What was passed over, in sentences for people."""
    said = []
    if found.other_lines:
        said.append(f"lines of the saved output that could not be read: {found.other_lines}")
    if found.not_compared:
        said.append(
            "findings of the saved output whose clauses this rule set does not decide or that were not "
            f"selected: {found.not_compared}"
        )
    return said


def _json(found: Comparison) -> str:
    return document(
        {
            "schema": SCHEMA,
            "both": [
                {"rule": ours.rule, "level": ours.level, "path": ours.path, "there": theirs.path}
                for ours, theirs in found.both
            ],
            "only_here": [said.as_json() for said in found.ours],
            "only_there": [said.as_json() for said in found.theirs],
            "levels": [
                {"rule": ours.rule, "path": ours.path, "here": ours.level, "there": theirs.level}
                for ours, theirs in found.levels
            ],
            "unread": list(found.unread),
            "not_compared": [said.as_json() for said in found.undecided],
            "summary": {
                "agreed": found.agreed,
                "only_here": len(found.ours),
                "only_there": len(found.theirs),
                "levels": len(found.levels),
                "other_lines": found.other_lines,
                "not_compared": found.not_compared,
            },
        }
    )


def _lines(found: Comparison) -> str:
    """The form of the field, with a mark before it."""
    marked = [f"- {_line(said)}" for said in found.theirs]
    marked += [f"+ {_line(said)}" for said in found.ours]
    marked += [f"! {_line(ours)} (there {theirs.level.upper()})" for ours, theirs in found.levels]
    return "\n".join(marked)


def _line(said: Said) -> str:
    return f"[{said.level.upper()}] [{said.title}] {said.path}: {said.message}"


def _text(found: Comparison) -> str:
    parts = [
        *_section("only in the saved output", found.theirs),
        *_section("only here", found.ours),
        *_section("level differs", [ours for ours, _ in found.levels], [t.level for _, t in found.levels]),
        *_both(found),
        *_unread(found),
    ]
    verdict = "The two agree" if found.agree else "The two disagree"
    counts = (
        f"{verdict}: {_count(found.agreed, 'finding')} in both, {len(found.theirs)} only in the saved "
        f"output, {len(found.ours)} only here, {len(found.levels)} at another level."
    )
    return "\n".join(
        [*parts, *_wrap(counts, ""), *(line for said in remarks(found) for line in _wrap(said, ""))]
    )


def _section(title: str, findings: Sequence[Said], there: Sequence[str] = ()) -> list[str]:
    if not findings:
        return []
    lines = [f"{title} ({len(findings)})"]
    for number, said in enumerate(findings):
        level = f"{said.level}, there {there[number]}" if there else said.level
        lines += _wrap(f"{level} {said.title}: {said.message}", "  ")
        lines += _wrap(f"at {said.path}", "    ")
    return [*lines, ""]


def _both(found: Comparison) -> list[str]:
    """What both say, a line a clause."""
    if not found.both:
        return []
    places: dict[str, list[str]] = {}
    for ours, _ in found.both:
        places.setdefault(f"{ours.level} {ours.title}", []).append(ours.path)
    lines = [f"in both ({len(found.both)})"]
    for title, paths in places.items():
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        lines += _wrap(f"{title}: at {paths[0]}{more}", "  ")
    return [*lines, ""]


def _unread(found: Comparison) -> list[str]:
    if not found.unread:
        return []
    lines = [f"lines that could not be read ({len(found.unread)})"]
    for line in found.unread[:SHOWN]:
        lines += _wrap(line, "  ")
    if len(found.unread) > SHOWN:
        lines.append(f"  and {len(found.unread) - SHOWN} more in --format json")
    return [*lines, ""]


def _wrap(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent + "  ", break_on_hyphens=False
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
