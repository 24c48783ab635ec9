"""Reads one file of a package: JSON, YAML or text, whatever state it is in.

Packages come from many hands, so a file may be cut short, pruned, binary, a link to itself or
nested without end. Every such state becomes one `Malformed` with one sentence; nothing here
raises for what a file holds. Numbers are exact: a decimal is a `Fraction` of its text.
"""

from __future__ import annotations

import fnmatch
import glob
import json
import stat
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from engine.evidence import MISSING, Malformed, Missing
from engine.runtime.spelling import Refused, exact

SIZE_LIMIT = 256 * 1024 * 1024
"""Bytes. The largest metadata file seen in a real package is below a tenth of this."""

SHOWN = 8
"""Files that match one pattern and are named; further ones are counted."""

PLACEHOLDER = b"PRUNED BY STAFF"


def read_document(path: Path, form: str) -> object:
    """The content of the file, as `form` (json, yaml, text) says, or `Malformed`.

    JSON and YAML documents are mappings at the top; anything else there is malformed.
    """
    content = _bytes(path)
    if isinstance(content, Malformed):
        return content
    if content.startswith(PLACEHOLDER) and len(content) < 2 * len(PLACEHOLDER):
        return Malformed("is a placeholder (its content was pruned)")
    if form == "text":
        return content.decode("utf-8-sig", errors="replace")
    if not content.strip():
        return Malformed("is empty")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Malformed("is not text in UTF-8")
    parsed = _json(text) if form == "json" else _yaml(text)
    if not isinstance(parsed, (Mapping, Malformed)):
        return Malformed(f"holds {describe(parsed)} at its top, not a mapping")
    return parsed


def choose(folder: Path, pattern: str) -> Path | Missing | Malformed:
    """The one entry below `folder` that the glob `pattern` names.

    A name that starts with a dot is matched by a pattern that does, and by no other (AppleDouble
    `._summary.json`). More than one match is malformed: which was meant is not ours to guess.
    """
    found = [folder]
    try:
        for step in pattern.split("/"):
            found = [place / name for place in found for name in _listed(place, step)]
    except OSError as error:
        return Malformed(f"stands in a folder that cannot be listed ({_why(error)})")
    if len(found) > 1:
        listed = ", ".join(path.relative_to(folder).as_posix() for path in found[:SHOWN])
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        return Malformed(f"is ambiguous: {len(found)} files match ({listed}{more})")
    return found[0] if found else MISSING


def fill(pattern: str, names: Mapping[str, str | None]) -> str:
    """The pattern with `{family}` and the like replaced; what is not known matches anything."""
    for name, value in names.items():
        pattern = pattern.replace("{" + name + "}", "*" if value is None else glob.escape(value))
    return pattern


def describe(value: object) -> str:
    """What kind of thing a recorded value is, with the value when it is short."""
    if isinstance(value, str):
        return f'"{value[:40]}..."' if len(value) > 43 else f'"{value}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, (list, tuple)):
        return "a list"
    if value is None:
        return "null"
    if isinstance(value, Fraction):
        return _decimal(value)
    if isinstance(value, int):
        return str(value) if value.bit_length() < 400 else "a number out of all range"
    return f"a {type(value).__name__}"


def _decimal(value: Fraction) -> str:
    try:
        return repr(float(value))
    except OverflowError:
        return "a number out of all range"


def names(pattern: str, listed: Iterable[str]) -> list[str]:
    """Those of the names that a step of a pattern names; hidden ones only where it says so."""
    hidden = pattern.startswith(".")
    return [name for name in listed if name.startswith(".") <= hidden and fnmatch.fnmatchcase(name, pattern)]


def _listed(place: Path, step: str) -> list[str]:
    try:
        listed = [entry.name for entry in place.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(names(step, listed))


def _bytes(path: Path) -> bytes | Malformed:
    """The file's bytes. A pipe or device is refused before it is opened: it would block."""
    try:
        state = path.stat()
        if stat.S_ISDIR(state.st_mode):
            return Malformed("is a folder, not a file")
        if not stat.S_ISREG(state.st_mode):
            return Malformed("is not a regular file")
        if state.st_size > SIZE_LIMIT:
            return Malformed(f"is larger than {SIZE_LIMIT // 1024 // 1024} MiB")
        return path.read_bytes()
    except OSError as error:
        return Malformed(f"cannot be opened ({_why(error)})")


def _why(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def _json(text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_pairs, parse_float=exact, parse_constant=_constant)
    except RecursionError:
        return Malformed("is nested too deeply")
    except json.JSONDecodeError as error:
        if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
            return Malformed(f"is cut short at line {error.lineno}")
        return Malformed(f"is not valid JSON (line {error.lineno}: {error.msg})")
    except Refused as error:
        return Malformed(str(error))
    except ValueError:  # an integer of more digits than int() accepts
        return Malformed("holds a number out of all range")


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in found if keys.count(key) > 1)
        raise Refused(f'holds the key "{twice[:60]}" twice')
    return found


def _constant(name: str) -> NoReturn:
    raise Refused(f"holds {name}, which is no number")


def _yaml(text: str) -> object:
    from engine.evidence import yaml_documents  # yaml is loaded only when a package has such a file

    return yaml_documents.parse(text)
