"""Whether checkpoints and results stand on one filesystem: by a hard link, which cannot leave one.

Mounts, binds and subvolumes can make two paths of one disk look apart, or two disks look alike;
the kernel's own refusal to link across is what counts.
"""

from __future__ import annotations

import errno
import os
import socket
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.storage.faults import open_until_end

FILE = "fs_separation.json"

PROBE = ".clausegate-probe-"
"""How the name of the file begins that is linked."""


def probe(checkpoints: Path, results: Path) -> dict[str, Any]:
    """The record of the probe. Both folders exist. Raises OSError when a folder cannot be written."""
    method, same = "link_exdev", _can_link(checkpoints, results)
    if same is None:
        method, same = "st_dev", checkpoints.stat().st_dev == results.stat().st_dev
    return {
        "version": 1,
        "method": method,
        "data_or_chkpt_path": str(checkpoints),
        "results_path": str(results),
        "data_or_chkpt_realpath": str(checkpoints.resolve()),
        "results_realpath": str(results.resolve()),
        "same_filesystem": same,
        "probed_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "probed_by_rank": 0,
        "probed_by_host": socket.gethostname(),
    }


def _can_link(source: Path, target: Path) -> bool | None:
    """Whether a file of one folder can be linked into the other; None where links are not to be had."""
    try:
        handle, name = tempfile.mkstemp(prefix=PROBE, dir=source)
    except OSError as error:
        if error.errno in (errno.EROFS, errno.EACCES):  # a run that only reads may have a read-only mount
            return None
        raise
    with open_until_end(handle, name):
        pass
    link = target / Path(name).name
    try:
        os.link(name, link)
    except OSError as error:
        if error.errno == errno.EXDEV:
            return False
        if error.errno == errno.EEXIST:  # the name is random: both are one folder, under two paths
            return True
        if error.errno in (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS):
            return None
        raise
    else:
        return True
    finally:
        for path in (link, Path(name)):
            with suppress(FileNotFoundError):
                path.unlink()
