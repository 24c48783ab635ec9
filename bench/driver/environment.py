"""Variables of the environment that ranks get, and those that a reader of the figures should know of.

What is recorded is read by others: a variable whose name says that it may hold a secret is recorded
as `set`, and its value never stands on a command line, where everybody on a host can read it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from engine.launch.accepted import CannotStart

OPTION = "--env"

MATTER = ("MPIR_", "UCX_", "OMPI_", "FI_", "S3DLIO_", "AWS_")
"""How the names start of variables that change what MPI and storage clients do."""

SECRET = re.compile(r"AWS_|SECRET|TOKEN|PASS|PWD|AUTH|CREDENTIAL|COOKIE|KEY|_PAT($|_)", re.IGNORECASE)
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

PAIRS = frozenset({"-env", "-genv"})
"""Options of launchers that are followed by a variable and its value, each a word."""

SETTER = re.compile(r"([A-Za-z_]\w*)=")
"""A variable with its value, in a word that may hold several."""

SET = "set"
"""What is recorded instead of a value that may be secret."""

Variables = Mapping[str, str | None]
"""Variable -> its value as typed; None for one that is taken from the launcher's own environment."""


def parse_variables(texts: Sequence[str], environment: Mapping[str, str] = os.environ) -> Variables:
    """What --env hands to the ranks, the last text of a name counts. Raises CannotStart."""
    found: dict[str, str | None] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not NAME.fullmatch(name):
            raise CannotStart(f"{OPTION} {name!r} is no name of a variable: give NAME or NAME=VALUE.")
        if equals and SECRET.search(name):
            raise CannotStart(
                f"{OPTION} {name}: its value may be secret, and command lines are read by others: "
                f"export it, and give {OPTION} {name} alone."
            )
        if not equals and name not in environment:
            raise CannotStart(f"{OPTION} {name}: it is not set here; give {OPTION} {name}=VALUE.")
        found[name] = value if equals else None
    return found


def refuse_secrets(option: str, words: Sequence[str]) -> None:
    """Refuse words of a command line that set a variable which may hold a secret. Raises CannotStart."""
    names = [name for word in words for name in SETTER.findall(word)]
    names += [name for before, name in pairwise(words) if before in PAIRS]
    for name in names:
        if name.isupper() and SECRET.search(name):
            raise CannotStart(
                f"{option}: the value of {name} may be secret, and command lines are read by others: "
                f"export it, and give {OPTION} {name}."
            )


def recorded_variables(texts: Sequence[str], environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables of a run that are recorded: those handed over, and those that matter."""
    found = {name: value for name, value in environment.items() if name.startswith(MATTER)}
    for name, value in parse_variables(texts, environment).items():
        found[name] = environment[name] if value is None else value
    return {name: SET if SECRET.search(name) else found[name] for name in sorted(found)}
