"""Which edition of the rules a leaf was made under, by what the package itself says.

An organisation's manifest decides; where it has none, the version of the tool whose code the leaf
points at. Neither: None, and whoever asked falls back on the rule set's own edition.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from engine.evidence import Malformed
from engine.evidence.coerce import number
from engine.evidence.documents import describe, read_document
from engine.evidence.layout import Position

MANIFEST = "submission.yaml"
DECLARED = ("rules_edition", "edition")
POINTER = ".mlps-code-image"
IMAGE = ".code-hash.json"
VERSION = "mlpstorage_version"
POOL = "code-images"

_POINTS = re.compile(r"md5-tree-v2:([0-9a-f]{32})")


@dataclass(slots=True)
class Editions:
    """Reads editions; each manifest and each code image once."""

    known: tuple[str, ...]
    wrong: list[tuple[Path, str]] = field(default_factory=list)  # manifests that cannot be used, and why
    _manifests: dict[Path, str | None] = field(default_factory=dict)
    _images: dict[Path, str | None] = field(default_factory=dict)

    def of(self, position: Position) -> str | None:
        """The edition of one leaf."""
        for folder in (position.organisation_folder, position.root):
            declared = self._declared(folder / MANIFEST) if folder is not None else None
            if declared is not None:
                return declared
        return self._by_tool(position)

    def _declared(self, manifest: Path) -> str | None:
        if manifest not in self._manifests:
            self._manifests[manifest] = self._read(manifest) if manifest.exists() else None
        return self._manifests[manifest]

    def _read(self, manifest: Path) -> str | None:
        content = read_document(manifest, "yaml")
        if isinstance(content, Malformed):
            self.wrong.append((manifest, content.reason))
            return None
        held = (
            next((content[key] for key in DECLARED if content.get(key) is not None), None)
            if isinstance(content, Mapping)
            else None
        )
        if held is None:
            return None
        edition = self._known(held)
        if edition is None:
            self.wrong.append(
                (manifest, f"declares edition {describe(held)}; known are {', '.join(self.known)}")
            )
        return edition

    def _known(self, held: object) -> str | None:
        """The edition of this name; YAML makes a number of an unquoted 3.0."""
        if isinstance(held, str):
            return held.strip() if held.strip() in self.known else None
        value = number(held)
        return next((e for e in self.known if value is not None and number(e) == Fraction(value)), None)

    def _by_tool(self, position: Position) -> str | None:
        pointer = position.folder / POINTER
        content = read_document(pointer, "text") if pointer.is_file() else None
        points = _POINTS.fullmatch(content.strip()) if isinstance(content, str) else None
        if points is None:
            return None
        name = f"code-{points[1][:8]}"
        owner = position.organisation_folder
        pools = [position.root / POOL, *([position.root / owner.name, owner] if owner else [])]
        image = next((pool / name / IMAGE for pool in pools if (pool / name / IMAGE).is_file()), None)
        if image is None:
            return None
        if image not in self._images:
            self._images[image] = self._version(image)
        return self._images[image]

    def _version(self, image: Path) -> str | None:
        content = read_document(image, "json")
        version = content.get(VERSION) if isinstance(content, Mapping) else None
        if not isinstance(version, str):
            return None
        fitting = [e for e in self.known if version == e or version.startswith(f"{e}.")]
        return max(fitting, key=len, default=None)
