"""The command that starts the ranks, in the words of the site's own MPI.

Which words those are is asked of the launcher itself: `--version` tells MPICH's hydra, Open MPI
and Slurm apart.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.driver.environment import OPTION as ENV
from bench.driver.environment import Variables
from engine.launch.accepted import CannotStart
from engine.runtime import host_lists

BUILT_IN = "mpiexec"
"""The launcher when none is named. In an environment of its own the one beside this Python comes before
the one on the path: what lies there mpi4py loads too, and ranks of another MPI do not find each other."""

KINDS: Mapping[str, tuple[str, ...]] = {
    "openmpi": ("open mpi", "openrte", "prterun", "prrte"),
    "hydra": ("hydra", "mpich", "intel(r) mpi", "mvapich"),
    "slurm": ("slurm",),
}
"""kind -> what its version says, in lower case. Hydra lists the launchers that it can use itself, Slurm's
among them: it is looked for first."""

PATIENCE = 20
"""Seconds that a launcher may take to tell its version."""


@dataclass(frozen=True, slots=True)
class HostRanks:
    """A host and how many ranks it gets."""

    host: str
    ranks: int


@dataclass(frozen=True, slots=True)
class Launcher:
    """A launcher that was found; `kind` is a name in KINDS."""

    path: str
    kind: str
    version: str  # its first line, or the first two where one is only a heading

    def command(
        self,
        rank: Sequence[str],
        ranks: int,
        hosts: Sequence[HostRanks],
        *,
        oversubscribe: bool = False,
        as_root: bool = False,
        ppn: int | None = None,
        env: Variables | None = None,
        more: Sequence[str] = (),
    ) -> list[str]:
        """The command that starts `ranks` times the command `rank`; no hosts are this machine.

        `ppn` is said to the launcher where no hosts are named, since their ranks are counted out
        otherwise. `more` are words of the site, handed on as they are. Raises CannotStart.
        """
        words = {"hydra": _hydra, "openmpi": _openmpi, "slurm": _slurm}[self.kind]
        options = words(hosts, oversubscribe=oversubscribe, as_root=as_root)
        if ppn is not None and not hosts:
            options += [word.format(ppn) for word in PER_HOST[self.kind]]
        options += ENVIRONMENT[self.kind](env or {})
        return [self.path, "-n", str(ranks), *options, *more, *rank]


def find(name: str) -> Launcher:
    """The launcher of this name or path. Raises CannotStart."""
    places = [os.environ.get("PATH", os.defpath)]
    if name == BUILT_IN:
        own = sys.prefix != sys.base_prefix or os.environ.get("CONDA_PREFIX") == sys.prefix
        places.insert(0 if own else 1, str(Path(sys.executable).parent))
    path = shutil.which(name, path=os.pathsep.join(places))
    if path is None:
        raise CannotStart(
            f"--mpi-bin {name}: there is no such program. Name the launcher of the site's MPI with "
            "--mpi-bin, or install one beside clausegate: pip install 'clausegate[mpich]'."
        )
    version = _version(path)
    kind = next(
        (kind for kind, words in KINDS.items() if any(word in version.lower() for word in words)), None
    )
    if kind is None:
        raise CannotStart(
            f"--mpi-bin {path}: its --version names no MPI that is known here "
            f"({', '.join(KINDS)}); it says {version.splitlines()[0][:60] if version else 'nothing'!r}."
        )
    return Launcher(path, kind, _headline(version))


def _version(path: str) -> str:
    try:
        done = subprocess.run(
            [path, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotStart(f"--mpi-bin {path}: it does not start ({error}).") from error
    return (done.stdout + done.stderr).strip()


def _headline(version: str) -> str:
    lines = version.splitlines()
    return " ".join(" ".join(lines[: 2 if lines[0].rstrip().endswith(":") else 1]).split())


def _hydra(hosts: Sequence[HostRanks], *, oversubscribe: bool, as_root: bool) -> list[str]:
    del oversubscribe, as_root  # hydra allows both as it is
    if not hosts:
        return []
    return ["-hosts", ",".join(f"{_plain(one.host, '-hosts splits it')}:{one.ranks}" for one in hosts)]


def _openmpi(hosts: Sequence[HostRanks], *, oversubscribe: bool, as_root: bool) -> list[str]:
    named = ",".join(host_lists.typed(one.host, one.ranks) for one in hosts)
    found = ["--host", named] if hosts else []
    found += ["--oversubscribe"] if oversubscribe else []
    return found + (["--allow-run-as-root"] if as_root else [])


def _slurm(hosts: Sequence[HostRanks], *, oversubscribe: bool, as_root: bool) -> list[str]:
    del as_root
    found = ["--kill-on-bad-exit=1"]  # or it waits for ranks that wait for the one that died
    if hosts:
        names = [_plain(placed.host, "--nodelist takes names of nodes") for placed in hosts]
        found += [f"--nodes={len(hosts)}", f"--nodelist={','.join(names)}"]
        counts = {placed.ranks for placed in hosts}
        found += [f"--ntasks-per-node={counts.pop()}"] if len(counts) == 1 else []
    return found + (["--overcommit"] if oversubscribe else [])


def _plain(host: str, why: str) -> str:
    """A host for a launcher that knows no address with colons. Raises CannotStart."""
    if host_lists.is_loopback(host) and ":" in host:
        return "localhost"
    if ":" in host:
        raise CannotStart(f"{host} cannot be told to this launcher ({why}): name the host, not its address.")
    return host


PER_HOST: Mapping[str, tuple[str, ...]] = {
    "hydra": ("-ppn", "{}"),
    "openmpi": ("--map-by", "ppr:{}:node"),
    "slurm": ("--ntasks-per-node={}",),
}
"""kind -> its words for so many ranks on each host"""


def _hydra_env(env: Variables) -> list[str]:
    """Hydra hands over all of its own environment; only what is typed must be named."""
    return [word for name, value in env.items() if value is not None for word in ("-genv", name, value)]


def _openmpi_env(env: Variables) -> list[str]:
    return [
        word for name, value in env.items() for word in ("-x", name if value is None else f"{name}={value}")
    ]


def _slurm_env(env: Variables) -> list[str]:
    comma = next((name for name, value in env.items() if value is not None and "," in value), None)
    if comma is not None:
        raise CannotStart(
            f"{ENV} {comma}: srun splits its value at the comma: export it, and give {ENV} {comma} alone."
        )
    variables = [name if value is None else f"{name}={value}" for name, value in env.items()]
    return [f"--export={','.join(('ALL', *variables))}"] if variables else []


ENVIRONMENT: Mapping[str, Callable[[Variables], list[str]]] = {
    "hydra": _hydra_env,
    "openmpi": _openmpi_env,
    "slurm": _slurm_env,
}
"""kind -> its words for variables of the ranks"""
