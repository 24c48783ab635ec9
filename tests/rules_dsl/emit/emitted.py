"""The modules that were emitted for a document, loaded without being written anywhere."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import ModuleType

from engine.runtime.ruleset import RuleSet

PACKAGE = "emitted_for_a_test"
ORDER = ("facts", "clauses", "gate", "validator")


def load_modules(files: Mapping[str, str]) -> Mapping[str, ModuleType]:
    """facts, clauses, gate, validator: name -> module. Each call loads them anew."""
    package = ModuleType(PACKAGE)
    package.__path__ = []
    modules = {PACKAGE: package}
    try:
        sys.modules[PACKAGE] = package
        for name in ORDER:
            module = modules[f"{PACKAGE}.{name}"] = ModuleType(f"{PACKAGE}.{name}")
            module.__package__ = PACKAGE
            sys.modules[module.__name__] = module
            exec(compile(files[f"{name}.py"], f"{name}.py", "exec"), module.__dict__)
    finally:
        for name in modules:
            sys.modules.pop(name, None)
    return {name: modules[f"{PACKAGE}.{name}"] for name in ORDER}


def load_ruleset(files: Mapping[str, str], role: str = "validator") -> RuleSet:
    """The rule set of a gate or a validator that was emitted."""
    found = load_modules(files)[role].__dict__["RULESET"]
    assert isinstance(found, RuleSet)
    return found
