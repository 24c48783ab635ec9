"""A document in the published style, made up: some 90 KB, 106 clauses, no fence of ours.

Sections, three- and four-part numbers, letters behind numbers, a few two-part ones; code blocks,
tables, lists and mentions that hold things which look like clauses and are none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

HEAD = "---\ncomplete: no\n---\n\n"
WORDS = (
    "the submitter shall keep every leaf of the package in the place that this section names and the "
    "reviewer may ask for the logs of each host that took part while a folder without any run in it counts "
    "as left over and is reported once with its path so that nobody has to search for it in a listing of "
    "many thousand files"
).split()
TRAPS = (
    "```\n9.9.1. **insideFence** -- This is the output of a tool.\n# 9. A comment\n```\n",
    "```bash\n# 8. install\n9.9.2. **insideShell** -- No clause.\necho '> Breach: none'\n```\n",
    "| Clause | Meaning |\n|--------|---------|\n| 9.9.3. **insideTable** -- x | none |\n| 2.1.6 | so |\n",
    "* a list with §2.1.6 and **bold** in it\n* 9.9.4. **insideList** -- still a list\n  * see 6.3.4.1\n",
    "1. first step\n2. second step, as 2.1.3 says\n\n    9.9.5. **insideIndent** -- a block of code\n",
    "*(An aside, emphasised: §3.3.1 differs.)* See 4.3.5. Nor is 9.9.6. **midLine** here.\n",
    "> 9.9.7. **insideQuote** -- quoted from an older text.\n",
    "~~~\n9.9.8. **insideTildes** -- a block.\n~~~\n",
    "9.9.9 without any name -- and 1.2 in the middle.\n",
    "![figure](a.png) `9.10.1. **insideCode**` <b>9.10.2. **insideTag**</b>\n",
)


@dataclass(frozen=True, slots=True)
class Made:
    """The text and what has to be found in it: (id, name, line) in order."""

    text: str
    clauses: tuple[tuple[str, str, int], ...]


def published(*, head: str = HEAD) -> Made:
    """The document."""
    lines: list[str] = [*head.splitlines(), "# The rules of a made-up benchmark V2.0", ""]
    found: list[tuple[str, str, int]] = []
    traps = count()
    for number, (section, rule) in enumerate(_numbers()):
        if section:
            lines += [*section.splitlines(), "", _prose(number, 4), ""]
        name = f"madeUp{number}{'ValidationOfThings' if number % 3 else 'Log'}"
        found.append((rule, name, len(lines) + 1))
        blank = "  " if number % 2 else " "
        lines += [f"{rule}.{blank}**{name}** -- {_prose(number, 5)}", _prose(number + 7, 2), ""]
        lines += [*TRAPS[next(traps) % len(TRAPS)].splitlines(), ""]
        lines += [_prose(number + 3, 3), ""]
    return Made("\n".join(lines) + "\n", tuple(found))


def _numbers() -> Iterator[tuple[str, str]]:
    """(heading or nothing, id) of the 106 clauses."""
    for top, (groups, per) in {2: (1, 36), 3: (6, 5), 4: (7, 3)}.items():
        for group in range(1, groups + 1):
            for item in range(1, per + 1):
                section = (
                    f"# {top}. Part {top}\n\n## {top}.{group}. Group" if item == 1 and group == 1 else ""
                )
                section = section or (f"## {top}.{group}. Group {group}" if item == 1 else "")
                yield section, f"{top}.{group}.{item}{'a' if top == 2 and item in {18, 19} else ''}"
    for item in (28, 29):
        yield ("## 2.27. More" if item == 28 else ""), f"2.{item}"
    for group in range(1, 5):
        for item in range(1, 5):
            yield (f"### 6.3.{group}. Deep" if item == 1 else ""), f"6.3.{group}.{item}"
    yield "# 7. Marks", "PROV-01"


def _prose(seed: int, sentences: int) -> str:
    """Sentences without any meaning, the same for the same seed."""
    out = []
    for number in range(sentences):
        at = (seed * 13 + number * 29) % len(WORDS)
        words = [*WORDS[at:], *WORDS[:at]][: 14 + (seed + number) % 9]
        out.append(" ".join(words).capitalize() + ".")
    return " ".join(out)
