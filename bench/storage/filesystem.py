"""What kind of filesystem a folder is on, and what its kind says of cold reads.

Whether a file is in the page cache can be asked of the kernel. That settles a cold read only
where the page cache is all the cache there is between a rank and its disk.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")

IN_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"})
"""Filesystems that are memory: nothing on them is ever cold."""

IN_PAGE_CACHE = frozenset(
    {"ext2", "ext3", "ext4", "xfs", "btrfs", "bcachefs", "f2fs", "jfs", "nilfs2", "reiserfs", "overlay"}
)
"""Filesystems of a local device whose only cache of data is the page cache. Servers of network
filesystems have caches of their own, and so have clients such as those of GPFS and ZFS."""

UNKNOWN = "unknown"

_ESCAPED = re.compile(r"\\([0-7]{3})")


@functools.lru_cache(maxsize=64)
def kind_of(folder: str) -> str:
    """The type of the filesystem that a folder is on; `unknown` where the system does not tell."""
    place = Path(folder).resolve()
    try:
        lines = MOUNTS.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return UNKNOWN
    found, depth = UNKNOWN, -1
    for line in lines:
        before, dash, after = line.partition(" - ")
        fields = before.split(" ")
        if not dash or len(fields) < 5:
            continue
        mount = Path(_ESCAPED.sub(lambda code: chr(int(code[1], 8)), fields[4]))
        # Of two mounts on one place the later one hides the earlier.
        if place.is_relative_to(mount) and len(mount.parts) >= depth:
            found, depth = after.split(" ")[0], len(mount.parts)
    return found


def page_cache_tells(kind: str) -> bool:
    """Whether the page cache of the client says all that there is to say about a read being cold."""
    return kind in IN_MEMORY or kind in IN_PAGE_CACHE
