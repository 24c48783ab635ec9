"""The exit codes, and the one place where whatever goes wrong becomes one of them.

Scripts branch on these numbers, so that no command may invent its own, and a user must never
meet a traceback: an unexpected error is one line, unless CLAUSEGATE_DEBUG asks for more.
"""

from __future__ import annotations

import contextlib
import enum
import errno
import os
import sys
from collections.abc import Callable
from typing import TextIO

import click


class ExitCode(enum.IntEnum):
    """What the process returns."""

    CLEAN = 0
    FINDINGS = 1  # a finding of level error, a refusal, or a stale file
    USAGE = 2  # usage, unreadable input, or an internal error
    WORKLOAD = 6
    TIMEOUT = 7
    INTERRUPTED = 8


DEBUG = "CLAUSEGATE_DEBUG"


def guarded(run: Callable[[], object]) -> int:
    """Run a command and give its exit code, whatever happens in it."""
    _occupy()
    try:
        return _guarded(run)
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):  # it would be tried again as Python ends, and change the exit code
                hush(stream)


def _occupy() -> None:
    """Put something in the place of a standard stream that is closed, which no write reaches.

    Else the next file that is opened takes its number, and whatever is printed goes into that file.
    """
    while (handle := os.open(os.devnull, os.O_RDONLY)) <= LAST:
        pass
    os.close(handle)
    for number, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w", encoding="utf-8", errors="replace", closefd=False))


LAST = 2
"""The number of the last standard stream."""


def _guarded(run: Callable[[], object]) -> int:
    try:
        code = _code(run())
        sys.stdout.flush()
        return code
    except click.exceptions.Exit as leave:
        return int(leave.exit_code)
    except click.ClickException as error:
        _tell(error.show)
        return ExitCode.USAGE  # whatever click calls it: an unreadable file is ours to number
    except (KeyboardInterrupt, click.Abort):
        _tell(lambda stream: click.echo("interrupted", stream))
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        hush()
        return ExitCode.INTERRUPTED
    except OSError as error:
        echoed = _echoed(error)
        for name, stream in (("output", sys.stdout), ("error", sys.stderr)):
            if echoed is stream or _is_full(stream):
                hush(stream)
                _tell(unwritable(error, name).show)
                return ExitCode.USAGE
        return internal_error(error)
    except Exception as error:  # noqa: BLE001  a user never meets a traceback, whatever the fault is
        return internal_error(error)


def _is_full(stream: TextIO) -> bool:
    """Whether what waits to be written to a stream cannot be."""
    try:
        stream.flush()
    except BrokenPipeError:
        return False
    except (OSError, ValueError):
        return True
    return False


def _echoed(error: OSError) -> object:
    """The stream that was printed to when the error came: its text is gone, so flushing tells nothing."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is click.echo.__code__:
            return trace.tb_frame.f_locals.get("file")
        trace = trace.tb_next
    return None


def _tell(show: Callable[[TextIO], object]) -> None:
    """Show a message where it can be written: on stderr, else on stdout, else nowhere."""
    for stream in (sys.stderr, sys.stdout):
        try:
            show(stream)
            stream.flush()
        except (OSError, ValueError):
            hush(stream)
        else:
            return


def unwritable(error: OSError, name: str = "output") -> click.ClickException:
    """The sentence of a standard stream that takes nothing."""
    why = "there is none" if error.errno == errno.EBADF else error.strerror
    return click.ClickException(f"Standard {name} cannot be written: {why}.")


def _code(result: object) -> int:
    return int(result) if isinstance(result, int) else ExitCode.CLEAN


def internal_error(error: Exception) -> int:
    """Report an error that is our own fault, in one line."""
    if os.environ.get(DEBUG):
        import traceback

        traceback.print_exception(error, file=sys.stderr)
    reason = " ".join(str(error).split()) or "no reason given"
    lines = [f"internal error: {type(error).__name__}: {reason}"]
    lines += [] if os.environ.get(DEBUG) else [f"(set {DEBUG}=1 for the traceback)"]
    _tell(lambda stream: click.echo("\n".join(lines), stream))
    return ExitCode.USAGE


def hush(stream: TextIO | None = None) -> None:
    """Send the rest of a stream, stdout when none is named, nowhere: its reader has gone.

    That is no fault of the command, and what still waits to be written must not become one at its end.
    """
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, (sys.stdout if stream is None else stream).fileno())
        os.close(nowhere)


def say(text: str) -> None:
    """Print a report on stdout. A reader that stops early does not change the exit code."""
    try:
        click.echo(text)
        sys.stdout.flush()
    except BrokenPipeError:
        hush()
    except OSError as error:
        hush()
        raise unwritable(error) from error


def remark(text: str, end: str = "\n") -> None:
    """Say something beside the report, on stderr. Whether it can be written changes no exit code."""
    try:
        click.echo(text + end, err=True, nl=False)
        sys.stderr.flush()
    except (OSError, ValueError):
        hush(sys.stderr)
