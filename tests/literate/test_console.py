"""The form of literate files."""

from __future__ import annotations

import pytest

from tests.literate.console import replace, steps

FILE = """# Title

Prose with `$ no command`.

```console
$ first \\
>   --more
out

out again
$ second
[exit 2]
```

```text
$ not run
```
"""


def test_commands_outputs_and_codes() -> None:
    first, second = steps(FILE)
    assert (first.line, first.command, first.code) == (6, "first \\\n  --more", 0)
    assert first.output == ("out", "", "out again")
    assert (second.line, second.command, second.output, second.code) == (11, "second", (), 2)


def test_replacing_nothing_changes_nothing() -> None:
    assert replace(FILE, lambda step: step) == FILE


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```console\n$ x\n", "line 1: the console block is not closed"),
        ("a\n```console\nout\n```\n", "line 3: a console block begins with a command"),
        ("```console\n```\n", "line 2: a console block begins with a command"),
    ],
)
def test_a_malformed_file_says_where(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        steps(text)
