"""Finds a compiled rule set: the built-in one by name, another group's by folder or entry point.

A rule set is a module that holds `RULESET`. It is checked where it is loaded, so that a file of
another role, or one that contradicts itself about its edition, never judges anything.
"""

from __future__ import annotations

import importlib
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
        return importlib.import_module(name)
    except Exception as error:
        raise RuleSetError(f"the rule set {name} cannot be loaded: {_reason(error)}") from error


def _from_file(file: Path) -> ModuleType:
    """The module of a folder; what it imports from beside it is of that folder, whatever else is loaded."""
    if not file.is_file():
        raise RuleSetError(f"the rule set's folder {file.parent} holds no {file.name}")
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
