"""The documents of one subject: found, read once, and asked for fields.

A subject's facts draw on few files over and over. The store holds each of them once and says for
a field where it stands, so that `sources` need not know of folders, globs or older key names.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.evidence import MISSING, Malformed
from engine.evidence.documents import choose, describe, fill, read_document
from engine.runtime.ruleset import Document, Source

FOLDER = "folder"
CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class Loaded:
    """One document: where it stands (relative to the root) and what it holds."""

    file: str
    content: object  # a mapping or a text; MISSING when there is no such file; Malformed


@dataclass(frozen=True, slots=True)
class Found:
    """What stands in one field.

    `whole` is set when the document cannot be used, all of it (`field` is then empty) or below
    `field`: other facts fail for the same reason, and one finding says so for all.
    """

    file: str
    field: str
    raw: object
    whole: str | None = None  # the document's name
    no_file: bool = False
    missing: bool = False  # there is no such file


@dataclass(frozen=True, slots=True)
class DocumentStore:
    """The documents that a subject can be asked about.

    `bases` says which folder each scope's documents stand in (None: not known), `names` what the
    tree says of the subject (family, system, ...). `shared` keeps what is read across subjects,
    such as a system's description.
    """

    root: Path
    scope: str
    documents: Mapping[str, Document]
    bases: Mapping[str, Path | None]
    names: Mapping[str, str | None]
    shared: MutableMapping[Path, Loaded] = field(default_factory=dict)
    _own: dict[str, Loaded] = field(default_factory=dict)

    def find(self, source: Source) -> Found:
        """What stands in the source's field, before its reader."""
        if source.document == FOLDER:
            step = source.path[0] if source.path else ""
            return Found("", f"{FOLDER} {step}", self.names.get(step) or MISSING)
        if source.document == CONSTANT:
            return Found("", source.text, source.path[0] if source.path else MISSING)
        document = self.documents.get(source.document)
        if document is None:  # the compiler refuses such a rule set; a foreign one may still say it
            return Found("", source.text, Malformed("names a document that is not declared"), source.document)
        loaded = self.load(document)
        spelled = ".".join(source.path)
        if isinstance(loaded.content, Malformed):
            return Found(loaded.file, "", loaded.content, document.name)
        if loaded.content is MISSING:
            return Found(loaded.file, spelled, MISSING, no_file=document.scope == "system", missing=True)
        return _field(loaded, document, source.path)

    def load(self, document: Document) -> Loaded:
        """The document, read when it is first asked for."""
        held = self._own.get(document.name)
        if held is None:
            held = self._own[document.name] = self._read(document)
        return held

    def _read(self, document: Document) -> Loaded:
        base = self.bases.get(document.scope)
        pattern = fill(document.file, self.names)
        plain = pattern.replace("[[]", "[")
        if base is None:
            return Loaded(plain, MISSING)
        path = choose(base, pattern)
        if not isinstance(path, Path):
            return Loaded(self.place(base / plain), path)
        if document.scope == self.scope:
            return Loaded(self.place(path), read_document(path, document.format))
        if path not in self.shared:
            self.shared[path] = Loaded(self.place(path), read_document(path, document.format))
        return self.shared[path]

    def place(self, path: Path) -> str:
        """The path as findings name it."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else path.as_posix()


def _field(loaded: Loaded, document: Document, path: tuple[str, ...]) -> Found:
    """The field under its own or an older first key; the first that is recorded counts."""
    spellings = [path] + [(older, *path[1:]) for older in document.renamed.get(path[0] if path else "", ())]
    found = [_walk(loaded, document.name, spelling) for spelling in spellings]
    return next((one for one in found if one.raw is not MISSING), found[0])


def _walk(loaded: Loaded, name: str, path: tuple[str, ...]) -> Found:
    value = loaded.content
    for depth, step in enumerate(path):
        if not isinstance(value, Mapping):
            broken = ".".join(path[:depth])
            reason = Malformed(f"is {describe(value)}, not a mapping")
            return Found(loaded.file, broken, reason, name)
        value = value.get(step)
        if value is None or (value in ("", []) and depth < len(path) - 1):
            return Found(loaded.file, ".".join(path), MISSING)
    return Found(loaded.file, ".".join(path), value)
