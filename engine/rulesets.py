"""Finds a compiled rule set: the built-in one by name, another group's by folder or entry point.

A rule set is a module that holds `RULESET`. It is checked where it is loaded, so that a file of
another role, or one that contradicts itself about its edition, never judges anything. Modules that
`clausegate build` wrote are held against the manifest beside them before any of them is executed.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Literal

from engine.runtime.ruleset import RuleSet

if TYPE_CHECKING:
    from pathlib import Path

Role = Literal["gate", "validator"]

BUILT_IN = "generated"
FOLDER = "clausegate_ruleset"
"""The package as which the modules of a rule set's folder are imported."""

MANIFEST = "manifest.json"
"""The file beside generated modules that records the digest of each."""

SHARED = ("__init__", "facts", "clauses")
"""The generated modules that both roles load."""

GENERATED = b"`clausegate build`"
"""What every generated module says of itself in its first lines."""

GROUP = "clausegate.rulesets"
"""The entry point group through which an installed package offers a rule set."""


class RuleSetError(Exception):
    """A rule set that is not there or cannot be used; the message says which and why."""


def load(role: Role, where: str | None = None) -> RuleSet:
    """The rule set of a role: the built-in one, that of a folder, or that of an installed package."""
    if where is None:
        return _checked(_imported(BUILT_IN, role), role, f"{BUILT_IN}.{role}")
    from pathlib import Path  # the built-in rule set does without

    folder = Path(where)
    if folder.is_dir():
        file = folder / f"{role}.py"
        return _checked(_from_file(file), role, str(file))
    if os.sep in where or folder.exists():
        reason = "is not a folder" if folder.exists() else "does not exist"
        raise RuleSetError(f"the rule set's folder {where} {reason}")
    return _installed(role, where)


def _installed(role: Role, name: str) -> RuleSet:
    from importlib.metadata import entry_points

    offered = {entry.name: entry.value for entry in entry_points(group=GROUP)}
    if name not in offered:
        known = f"; installed are {', '.join(sorted(offered))}" if offered else ""
        raise RuleSetError(f"{name} is neither a folder nor an installed rule set{known}")
    return _checked(_imported(offered[name], role), role, f"{offered[name]}.{role}")


def _imported(package: str, role: Role) -> ModuleType:
    name = f"{package}.{role}"
    try:
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations if spec is not None else None) or ():
            _as_built(folder, role)
        return importlib.import_module(name)
    except RuleSetError:
        raise
    except Exception as error:
        raise RuleSetError(f"the rule set {name} cannot be loaded: {_reason(error)}") from error


def _from_file(file: Path) -> ModuleType:
    """The module of a folder; what it imports from beside it is of that folder, whatever else is loaded."""
    if not file.is_file():
        raise RuleSetError(f"the rule set's folder {file.parent} holds no {file.name}")
    _as_built(str(file.parent), file.stem)
    package = ModuleType(FOLDER)
    package.__path__ = [str(file.parent)]
    sys.modules[FOLDER] = package
    try:
        return importlib.import_module(f"{FOLDER}.{file.stem}")
    except (Exception, SystemExit) as error:
        raise RuleSetError(f"{file} cannot be loaded: {_reason(error)}") from error
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == FOLDER]:
            del sys.modules[name]


def module_digest(text: bytes) -> str:
    """What the manifest records of a module's text."""
    import hashlib  # a rule set written by hand does without

    return f"sha256:{hashlib.sha256(text).hexdigest()}"


def _as_built(folder: str, role: str) -> None:
    """Refuse a module that the role loads and that is not the one that was built."""
    manifest = _content(f"{folder}/{MANIFEST}")
    for name in (*SHARED, role):
        file = f"{folder}/{name}.py"
        text = _content(file)
        if text is None:
            continue  # one that is missing is told by who imports it
        if manifest is None:
            if GENERATED in text[:4000]:
                raise RuleSetError(
                    f"{file} is generated, and no {MANIFEST} beside it says from what; "
                    f"mend with: {_mending(folder, None)}"
                )
        elif f'"{name}.py": "{module_digest(text)}"'.encode() not in manifest:
            raise RuleSetError(
                f"{file} is not what was built: its text is not the one that {MANIFEST} records; "
                f"mend with: {_mending(folder, manifest)}"
            )


def _content(file: str) -> bytes | None:
    try:
        with open(file, "rb") as stream:  # noqa: PTH123  pathlib would cost the gate's start more than it saves
            return stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise RuleSetError(f"{file} cannot be read: {error.strerror}") from error


def _mending(folder: str, manifest: bytes | None) -> str:
    """The command that builds the folder anew, from the document that the manifest names."""
    import json
    import shlex
    from pathlib import Path

    try:
        name = str(json.loads(manifest or b"")["document"]["name"])
    except (ValueError, KeyError, TypeError):
        name = "Rules.md"
    place = Path(folder)
    document = next((d / name for d in (place, place.parent) if (d / name).is_file()), Path("DOCUMENT"))
    return shlex.join(["clausegate", "build", str(document), "-o", folder])


def _checked(module: ModuleType, role: Role, name: str) -> RuleSet:
    """The module's rule set, once it is one of this role that knows its own editions."""
    ruleset = getattr(module, "RULESET", None)
    if not isinstance(ruleset, RuleSet):
        raise RuleSetError(f"{name} holds no RULESET")
    if ruleset.role != role:
        raise RuleSetError(f"{name} holds the rule set of a {ruleset.role}, not of a {role}")
    if ruleset.edition not in ruleset.editions:
        known = ", ".join(ruleset.editions) or "none"
        raise RuleSetError(
            f"{name} is of edition {ruleset.edition}, which its list of editions lacks ({known})"
        )
    return ruleset


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split()) or 'no reason given'}"
