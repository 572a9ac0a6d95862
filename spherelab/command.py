"""What the commands share: one-line errors, exit codes, and what a gone reader or full disk means.

The standard library only: ``--help`` and a usage error must answer at once.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import NoReturn

DONE, FAILED, USAGE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141


class UsageError(Exception):
    """What a person asked for cannot be done; the message is one line."""


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `UsageError`."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(" ".join(message.split()))


def integer(name: str, least: int) -> Callable[[str], int]:
    """The ``type`` of an option that is an integer >= ``least``."""

    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise argparse.ArgumentTypeError(f"{name} must be an integer >= {least}, got {text!r}")
        return value

    return convert


def run(prog: str, work: Callable[[], int]) -> int:
    """Runs a command's work and returns its exit code; errors are one line on standard error."""
    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    try:
        code = work()
        sys.stdout.flush()
        return code
    except UsageError as error:
        print(f"{prog}: error: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print(f"{prog}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader has gone (head, less)
        _silence()
        return BROKEN_PIPE
    except OSError as error:  # a full disk
        _silence()
        print(f"{prog}: error: cannot write the output: {error.strerror or error}", file=sys.stderr)
        return USAGE


def _silence() -> None:
    """No more output, also none from the closing flush."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
