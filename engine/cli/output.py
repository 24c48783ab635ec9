"""Where `--output` leads: a regular file is put in place in one step, and nothing else is ever replaced.

A device, a pipe and a link have users of their own: a report goes through them, or is refused in one line.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from pathlib import Path

import click

THROUGH = ("/dev/", "/proc/")
"""Places whose entries stand for something that is open elsewhere, whatever that is."""


def write_report(content: str, output: Path) -> None:
    """Put a report where it was asked for, whole or not at all."""
    text = f"{content}\n" if content else ""
    try:
        mode = _mode(output)
        if mode is not None and not stat.S_ISREG(mode):
            _pass(text, output, mode)
        elif str(output.absolute()).startswith(THROUGH):
            _pass(text, output, mode or stat.S_IFREG)
        else:
            _replace(text, Path(os.path.realpath(output)))
    except OSError as error:
        raise click.ClickException(f"{output} cannot be written: {_why(error)}.") from error


def _mode(output: Path) -> int | None:
    """What stands at the end of the path, links followed; None for nothing."""
    try:
        return output.stat().st_mode
    except FileNotFoundError:
        return None


def _pass(text: str, output: Path, mode: int) -> None:
    """Write into what is there. A pipe that nobody reads is not waited for."""
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if stat.S_ISBLK(mode):
        raise OSError(errno.EINVAL, "it is a block device")
    waits = os.O_NONBLOCK if stat.S_ISFIFO(mode) else 0
    handle = os.open(output, os.O_WRONLY | os.O_NOCTTY | waits)
    os.set_blocking(handle, True)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)


def _replace(text: str, target: Path) -> None:
    """Put a new file in the place of a regular one, or of none."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=target.parent, prefix=f".{target.name[:200]}.", delete=False
    ) as draft:
        name = Path(draft.name)
        try:
            draft.write(text)
            draft.flush()
            name.chmod(0o666 & ~_umask())
            name.replace(target)
        except BaseException:
            name.unlink(missing_ok=True)
            raise


def _why(error: OSError) -> str:
    if error.errno == errno.ENXIO:
        return "nobody reads from it"
    return error.strerror or type(error).__name__


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
