"""The exit codes, and the one place where whatever goes wrong becomes one of them.

Scripts branch on these numbers, so that no command may invent its own, and a user must never
meet a traceback: an unexpected error is one line, unless CLAUSEGATE_DEBUG asks for more.
"""

from __future__ import annotations

import contextlib
import enum
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
    try:
        return _guarded(run)
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):  # it would be tried again as Python ends, and change the exit code
                hush(stream)


def _guarded(run: Callable[[], object]) -> int:
    try:
        code = _code(run())
        sys.stdout.flush()
        return code
    except click.exceptions.Exit as leave:
        return int(leave.exit_code)
    except click.ClickException as error:
        error.show()
        return ExitCode.USAGE  # whatever click calls it: an unreadable file is ours to number
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        hush()
        return ExitCode.INTERRUPTED
    except Exception as error:  # noqa: BLE001  a user never meets a traceback, whatever the fault is
        return internal_error(error)


def _code(result: object) -> int:
    return int(result) if isinstance(result, int) else ExitCode.CLEAN


def internal_error(error: Exception) -> int:
    """Report an error that is our own fault, in one line."""
    if os.environ.get(DEBUG):
        import traceback

        traceback.print_exception(error, file=sys.stderr)
    reason = " ".join(str(error).split()) or "no reason given"
    click.echo(f"internal error: {type(error).__name__}: {reason}", err=True)
    if not os.environ.get(DEBUG):
        click.echo(f"(set {DEBUG}=1 for the traceback)", err=True)
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
        raise click.ClickException(f"Standard output cannot be written: {error.strerror}.") from error
