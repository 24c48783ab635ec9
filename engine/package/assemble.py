"""Puts finished runs into a package: each where the tree has it, with the system description it needs.

Nothing is written that no fact reads, nothing is overwritten, and what is copied gets its name only when
all of it is there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from engine.evidence.layout import RESULTS, UNFINISHED, Position, anchor, folder_names, folders, is_walked
from engine.runtime.ruleset import Document, RuleSet
from engine.verdict.category import Scale

ORGANISATION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

PENDING = ".adding-"
"""How the name of a copy begins that is not whole; no reader of a tree looks into it."""


class CannotAssemble(Exception):
    """Why nothing was added; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Added:
    """What was added. `blank` are the fields of a new description that are to be filled in."""

    leaf: Path
    description: Path | None = None
    blank: tuple[str, ...] = ()


def start(folder: Path, ruleset: RuleSet) -> list[Path]:
    """Make a new package: a folder for each division that is judged. Raises CannotAssemble, OSError."""
    if os.path.lexists(folder) and (not folder.is_dir() or any(folder.iterdir())):
        what = "holds something already" if folder.is_dir() else "is no folder"
        raise CannotAssemble(f"{folder} {what}: name a new one")
    advice = Scale(ruleset.divisions).advice
    names = [division.name for division in ruleset.divisions if division.name not in advice]
    with _made(folder.absolute().parent, []) as parent, _pending(parent) as pending:
        for name in names:
            (pending / name).mkdir()
        pending.chmod(0o755)
        pending.rename(folder)
    return [folder / name for name in names]


def add(
    leaf: Path, package: Path, organisation: str, ruleset: RuleSet, description: Path | None = None
) -> Added:
    """Copy a leaf into a package as this organisation's. Raises CannotAssemble, OSError.

    The system's description is the one that is named, else the one beside the leaf's own results; where
    there is neither, one with the fields that the rules read, to be filled in.
    """
    leaf, package = leaf.absolute(), package.absolute()
    position = _position(leaf, ruleset)
    if not package.is_dir():
        raise CannotAssemble(f"{package} is no folder; `clausegate package init {package}` starts a package")
    if package.is_relative_to(leaf):
        raise CannotAssemble(f"{package} lies in the run itself")
    if not ORGANISATION.fullmatch(organisation) or not is_walked(organisation):
        raise CannotAssemble(
            f"{organisation!r} cannot name an organisation: letters, digits, dots, dashes and underscores "
            "make a name, and none that a package has for something else"
        )
    home = _division_folder(package, position, ruleset) / organisation
    below = leaf.relative_to(_upto_results(position))
    target = home / RESULTS / below
    if os.path.lexists(target):
        raise CannotAssemble(f"{target} is there already, and nothing is overwritten")
    made: list[Path] = []
    with _made(target.parent, made) as parent, _pending(parent) as pending:
        _copy(leaf, pending)
        written, blank = _describe(
            replace(position, organisation_folder=home), position, ruleset, description, made
        )
        if os.path.lexists(target):
            raise CannotAssemble(f"{target} is there already, and nothing is overwritten")
        pending.rename(target)
    return Added(target, written, blank)


def _position(leaf: Path, ruleset: RuleSet) -> Position:
    if leaf.name.endswith(UNFINISHED):
        raise CannotAssemble(f"{leaf} is a run that did not end well: there is nothing to submit")
    if not leaf.is_dir():
        raise CannotAssemble(f"{leaf} is no folder of a run")
    names = folder_names(ruleset)
    position = anchor(leaf, names).locate(leaf)
    told = {
        "division": names.division(position.division or ""),
        "system": position.system,
        "family": position.family if position.family in ruleset.families.values() else None,
        "workload": position.workload,
        "time": position.timestamp,
    }
    lacking = [name for name, value in told.items() if value is None]
    if lacking or position.organisation_folder is None:
        raise CannotAssemble(
            f"{leaf} does not tell its {' and '.join(lacking) or 'organisation'}: a run lies in "
            f"DIVISION/ORGANISATION/{RESULTS}/SYSTEM/FAMILY/WORKLOAD/TIME, where it was made"
        )
    return position


def _upto_results(position: Position) -> Path:
    """The folder of results that the leaf lies in, as it is spelled there."""
    home = position.organisation_folder
    return next(place for place in position.folder.parents if place.parent == home)


def _division_folder(package: Path, position: Position, ruleset: RuleSet) -> Path:
    """The package's folder of the leaf's division, in whatever letter case it has it."""
    names = folder_names(ruleset)
    division = names.division(position.division or "") or ""
    here = (place for place in folders(package) if names.division(place.name) == division)
    return next(here, package / division)


def _copy(leaf: Path, pending: Path) -> None:
    for path in leaf.rglob("*"):
        if path.is_symlink() and not path.is_file():
            raise CannotAssemble(f"{path} is a link to no file: what it leads to is not the run's")
    try:
        shutil.copytree(leaf, pending, dirs_exist_ok=True)
    except shutil.Error as error:
        source, _, why = error.args[0][0]
        raise CannotAssemble(f"{source} cannot be copied: {why}") from error


def _describe(
    target: Position, source: Position, ruleset: RuleSet, named: Path | None, made: list[Path]
) -> tuple[Path | None, tuple[str, ...]]:
    """Put the system's description where the rules look for it; what is there stays."""
    document = next((one for one in ruleset.documents if one.scope == "system"), None)
    if document is None:
        return None, ()
    place = _place(document, target)
    content = None if named is None else named.read_bytes()
    if os.path.lexists(place):
        if content is not None and place.read_bytes() != content:
            raise CannotAssemble(f"{place} is there already and says something else; nothing is overwritten")
        return None, ()
    blank: tuple[str, ...] = ()
    if content is None:
        beside = _place(document, source)
        content = beside.read_bytes() if beside.is_file() else None
    if content is None:
        fields = _fields(document, ruleset)
        content, blank = _skeleton(fields).encode(), tuple(".".join(path) for path in fields)
    _new_file(place, content, made)
    return place, blank


def _place(document: Document, position: Position) -> Path:
    home = position.organisation_folder
    assert home is not None  # asked before  # noqa: S101
    name = document.file.replace("{system}", str(position.system))
    if set(name) & set("{*?["):
        raise CannotAssemble(f"where the {document.name} stands is no one place: {document.file}")
    return home / name


def _fields(document: Document, ruleset: RuleSet) -> dict[tuple[str, ...], str]:
    """The fields of a description that facts read, each with what it means: the first place of each fact."""
    found: dict[tuple[str, ...], str] = {}
    for spec in ruleset.facts:
        places = (source.path for source in spec.package if source.document == document.name)
        path = next(places, None)
        if path:
            found.setdefault(path, spec.meaning)
    return found


def _skeleton(fields: Mapping[tuple[str, ...], str]) -> str:
    """The fields as YAML without values: what a system can do is its owner's to say."""
    lines: list[str] = []
    before: tuple[str, ...] = ()
    for path in sorted(fields):
        same = (
            next((n for n, (a, b) in enumerate(zip(path, before, strict=False)) if a != b), 0)
            if before
            else 0
        )
        for depth in range(same, len(path)):
            key = path[depth] if PLAIN.fullmatch(path[depth]) else json.dumps(path[depth])
            end = f"  # {fields[path]}" if depth == len(path) - 1 else ""
            lines.append(f"{'  ' * depth}{key}:{end}")
        before = path
    return "\n".join(lines) + "\n"


def _new_file(place: Path, content: bytes, made: list[Path]) -> None:
    """A new file, whole or not at all; one that appears meanwhile stays."""
    with _made(place.parent, made, keep=True):
        handle, name = tempfile.mkstemp(prefix=PENDING, dir=place.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            Path(name).chmod(0o644)
            os.link(name, place)
            made.append(place)
        except FileExistsError as error:
            raise CannotAssemble(f"{place} is there already, and nothing is overwritten") from error
        finally:
            Path(name).unlink()


@contextmanager
def _made(folder: Path, made: list[Path], *, keep: bool = False) -> Iterator[Path]:
    """Make a folder and what it stands in; what was made goes again when what follows fails.

    `made` gathers what is new; with `keep` whoever handed it over removes it.
    """
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        for place in reversed(missing):
            place.mkdir()
            made.append(place)
        yield folder
    except BaseException:
        for place in reversed([] if keep else made):
            with suppress(OSError):
                place.rmdir() if place.is_dir() else place.unlink()
        raise


@contextmanager
def _pending(parent: Path) -> Iterator[Path]:
    """A folder that is being filled; it goes unless it has got another name."""
    pending = Path(tempfile.mkdtemp(prefix=PENDING, dir=parent))
    try:
        yield pending
    finally:
        shutil.rmtree(pending, ignore_errors=True)
