"""The pins are those of what pyproject.toml asks for, carry hashes, and name no place to fetch from."""

from __future__ import annotations

import re
import tomllib

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from requirements.wanted import PYPROJECT, wanted
from tests.command import ROOT

LOCKED = (ROOT / "requirements/dev.txt").read_text("utf-8")
PINS = {
    canonicalize_name(name): version for name, version in re.findall(r"^(\S+)==(\S+)", LOCKED, re.MULTILINE)
}


def test_every_requirement_is_pinned_within_its_bounds() -> None:
    stale = []
    for text in wanted(tomllib.loads(PYPROJECT.read_text("utf-8"))):
        requirement = Requirement(text)
        version = PINS.get(canonicalize_name(requirement.name))
        if version is None or version not in requirement.specifier:
            stale.append(text)
    assert not stale, "requirements/dev.txt is stale; `make lock` mends it"


def test_every_pin_has_hashes() -> None:
    blocks = [block for block in re.split(r"^(?=\S)", LOCKED, flags=re.MULTILINE) if block]
    assert [block for block in blocks if "--hash=sha256:" not in block] == []


def test_no_address_is_written_down() -> None:
    options = [line for line in LOCKED.splitlines() if re.match(r"--|.*://", line)]
    assert not options
