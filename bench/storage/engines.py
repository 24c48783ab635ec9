"""Ways to reach storage, by the name that a plan gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bench.storage.base import Storage
from bench.storage.files import Direct, Files, Rolling
from bench.storage.null import Null
from bench.storage.objects import Objects

ENGINES: Mapping[str, Callable[[], Storage]] = {
    "rolling": Rolling,
    "buffered": Files,
    "direct": Direct,
    "null": Null,
    "objects": Objects,
}


def storage(name: str) -> Storage:
    """The storage of a name in ENGINES."""
    return ENGINES[name]()
