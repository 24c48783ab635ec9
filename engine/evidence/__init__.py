"""Evidence: what a package records, read into typed facts.

The package's own two words live here, because every module below needs them and none of them
should have to import another for it: `MISSING` (nothing is recorded there) and `Malformed`
(something is, and it cannot be used). Importing this package loads nothing heavy.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final


class Missing(enum.Enum):
    """The type of `MISSING`."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING
"""Nothing is recorded at a place; `null` is read as this too."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """Something is recorded, but it cannot be used. `reason` completes "the field ..."."""

    reason: str
