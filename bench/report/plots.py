"""Plots as inline SVG. Elements are built as a tree, so that every text is escaped where it is printed.

Colours come from the page's style sheet by class, which has a light and a dark set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from xml.etree.ElementTree import Element, SubElement

WIDTH, HEIGHT = 720, 240
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 12, 40

LABELS = 12
"""Marks on an axis at most."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A value, and the range that it stands for when there is one."""

    label: str  # on the axis
    value: float
    hint: str  # when it is pointed at
    low: float | None = None
    high: float | None = None


def bars(title: str, unit: str, across: str, series: Mapping[str, Sequence[Bar]]) -> Element:
    """Groups of bars, one series beside the other; `series` is a class of the style sheet -> its bars."""
    svg = _frame(title, across, unit)
    count = max((len(values) for values in series.values()), default=0)
    top = _round_up(max((bar.high or bar.value for values in series.values() for bar in values), default=0))
    _scale(svg, top)
    if not count:
        return svg
    slot = (WIDTH - LEFT - RIGHT) / count
    width = min(48.0, slot * 0.8 / len(series))
    every = ceil(count / LABELS)
    for index, (name, values) in enumerate(series.items()):
        for place, bar in enumerate(values):
            x = LEFT + slot * (place + 0.5) + width * (index - len(series) / 2)
            y = _down(bar.value, top)
            box = _shape(svg, "rect", name, x=x, y=y, width=width, height=HEIGHT - BOTTOM - y)
            SubElement(box, "title").text = bar.hint
            if bar.low is not None and bar.high is not None:
                middle = x + width / 2
                ends = {"y1": _down(bar.low, top), "y2": _down(bar.high, top)}
                _shape(svg, "line", "range", x1=middle, x2=middle, **ends)
    longest = max(series.values(), key=len)
    for place in range(0, count, every):
        _text(svg, LEFT + slot * (place + 0.5), HEIGHT - BOTTOM + 14, longest[place].label)
    return svg


def latencies(title: str, series: Mapping[str, tuple[Sequence[float], Sequence[int]]], parts: int) -> Element:
    """Requests by how long they took, on powers of ten; a bucket is one `parts`th of a doubling."""
    svg = _frame(title, "seconds of a request", "requests")
    ends = [end for values, _ in series.values() for end in values]
    if not ends:
        return svg
    first, last = floor(log10(min(ends)) - 0.05), ceil(log10(max(ends)))
    last = max(last, first + 1)
    top = _round_up(max(count for _, counts in series.values() for count in counts))
    _scale(svg, top)

    def across(seconds: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (log10(seconds) - first) / (last - first)

    for name, (values, counts) in series.items():
        for end, count in zip(values, counts, strict=True):
            x, y = across(end / 2 ** (1 / parts)), _down(count, top)
            size = {"width": max(1.0, across(end) - x), "height": HEIGHT - BOTTOM - y}
            box = _shape(svg, "rect", name, x=x, y=y, **size)
            SubElement(box, "title").text = f"{name}: {count} requests of up to {end:.3g} s"
    for power in range(first, last + 1):
        _text(svg, across(10.0**power), HEIGHT - BOTTOM + 14, f"{10.0**power:g}")
    return svg


def _frame(title: str, across: str, unit: str) -> Element:
    svg = Element("svg", {"viewBox": f"0 0 {WIDTH} {HEIGHT}", "role": "img", "aria-label": title})
    _text(svg, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, across)
    turned = _text(svg, 0, 0, unit)
    turned.set("transform", f"translate(12 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)")
    return svg


def _scale(svg: Element, top: float) -> None:
    for step in range(5):
        value = top * step / 4
        y = _down(value, top)
        _shape(svg, "line", "grid", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y)
        _text(svg, LEFT - 6, y + 4, f"{value:g}").set("class", "end")


def _down(value: float, top: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / top


def _round_up(value: float) -> float:
    """The next step of a power of ten whose quarters are short numbers too."""
    if value <= 0:
        return 1.0
    power = 10.0 ** floor(log10(value))
    return next(
        (power * step for step in (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 5, 6, 8) if power * step >= value), power * 10
    )


def _shape(svg: Element, kind: str, name: str, **places: float) -> Element:
    return SubElement(svg, kind, {"class": name, **{key: f"{value:.2f}" for key, value in places.items()}})


def _text(svg: Element, x: float, y: float, text: str) -> Element:
    found = SubElement(svg, "text", {"x": f"{x:.2f}", "y": f"{y:.2f}", "class": "middle"})
    found.text = text
    return found
