"""How far long work is: one line on a terminal, and nothing anywhere else."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from typing import TextIO


class Progress:
    """One line on a terminal that says how far the work is, once it takes longer than ``after``."""

    def __init__(self, stream: TextIO, after: float = 2.0, every: float = 0.1) -> None:
        self._stream = stream
        self._wanted = stream.isatty()
        self._next = time.monotonic() + after
        self._every = every
        self._width = 0

    def of(self, label: str, unit: str = "points") -> Callable[[int, int], None]:
        """The callback that reports (done, all) under this label."""

        def report(done: int, count: int) -> None:
            now = time.monotonic()
            if self._wanted and now >= self._next:
                self._next = now + self._every
                self._show(f"{label}: {done}/{count} {unit}".removeprefix(": "))

        return report

    def clear(self) -> None:
        """Wipes the line."""
        if self._width:
            self._show("")
            self._stream.write("\r")
            self._stream.flush()

    def _show(self, text: str) -> None:
        text = text[: shutil.get_terminal_size().columns - 1]  # a wrapped line cannot be wiped
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)
