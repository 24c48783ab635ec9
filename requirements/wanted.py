"""What a development environment asks for, one requirement a line.

Reads pyproject.toml, where every dependency is declared once; `make lock` pins the answer.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def wanted(pyproject: dict[str, Any]) -> list[str]:
    """The project's own dependencies, those of its extras, the build's, and the group `dev`."""
    project = pyproject["project"]
    itself = f"{project['name']}["
    found = [*project["dependencies"], *pyproject["build-system"]["requires"]]
    for extra in project["optional-dependencies"].values():
        found += [requirement for requirement in extra if not requirement.startswith(itself)]
    found += _group(pyproject["dependency-groups"], "dev")
    return sorted(set(found), key=str.lower)


def _group(groups: dict[str, Any], name: str) -> list[str]:
    """A dependency group with the groups that it includes."""
    found = []
    for entry in groups[name]:
        found += [entry] if isinstance(entry, str) else _group(groups, entry["include-group"])
    return found


if __name__ == "__main__":
    sys.stdout.write("\n".join(wanted(tomllib.loads(PYPROJECT.read_text("utf-8")))) + "\n")
