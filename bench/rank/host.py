"""What a rank sees of the host that it runs on."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Host:
    """A client host. `memory` in bytes; `number` counts the hosts of the run from 0."""

    number: int
    name: str
    cpus: int
    memory: int
    machine: str
    cpuinfo: dict[str, str]
    meminfo: dict[str, str]


def read_host(name: str, number: int) -> Host:
    """The host of this process."""
    return Host(
        number=number,
        name=name,
        cpus=os.cpu_count() or 1,
        memory=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        machine=platform.machine(),
        cpuinfo=_fields("/proc/cpuinfo", ("model name",)),
        meminfo=_fields("/proc/meminfo", ("MemTotal",)),
    )


def _fields(path: str, wanted: tuple[str, ...]) -> dict[str, str]:
    """The first value of each wanted field of a file of `name: value` lines, of those that are there."""
    found: dict[str, str] = {}
    try:
        lines = Path(path).read_text("utf-8", "replace").splitlines()
    except OSError:
        return found
    for line in lines:
        name, colon, value = line.partition(":")
        if colon and name.strip() in wanted:
            found.setdefault(name.strip(), value.strip())
    return found
