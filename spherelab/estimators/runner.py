"""Work on rows, a range of them at a time: here, or wherever a runner takes it.

All that is long in the estimators is a sum, over ranges of rows, of what one function returns for
a range. ``over_rows`` and ``total_over_rows`` are the only places that loop over ranges, so one
runner in force (``running``) sends every estimator's work elsewhere: to the processes of a cluster,
or through a progress bar. Sums are taken in the order of the ranges, whoever computed them, and
before anything is squared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

#: ``work(arrays, rows)`` -> what it found for these rows; a function that can be pickled.
Work = Callable[[tuple[Any, ...], slice], Any]
#: ``runner(work, arrays, ranges)`` -> the findings, in the order of the ranges.
Runner = Callable[[Work, tuple[Any, ...], Sequence[slice]], Iterator[Any]]

#: Rows of a range where the work looks at all pairs of rows.
STRIP = 1024


def here(work: Work, arrays: tuple[Any, ...], ranges: Sequence[slice]) -> Iterator[Any]:
    """The runner that computes in this process, one range after the other."""
    for rows in ranges:
        yield work(arrays, rows)


_current: ContextVar[Runner] = ContextVar("runner", default=here)


@contextmanager
def running(runner: Runner) -> Iterator[None]:
    """Within it, this thread's estimators hand their work to ``runner``."""
    token = _current.set(runner)
    try:
        yield
    finally:
        _current.reset(token)


def ranges_of(n: int, height: int) -> list[slice]:
    """Ranges of at most ``height`` rows that cover n rows, in order."""
    return [slice(start, min(start + height, n)) for start in range(0, n, height)]


def over_rows(work: Work, arrays: tuple[Any, ...], height: int = STRIP) -> Iterator[Any]:
    """What ``work`` finds for each range of rows, in order.

    Parameters
    ----------
    work : callable
        ``work(arrays, rows)``: a module's function or a ``functools.partial`` of one.
    arrays : tuple of array, all with n rows
        NumPy's, CuPy's, or any that has ``shape`` and gives an array for a slice of rows.
    height : int
        The most rows of a range.
    """
    return _current.get()(work, arrays, ranges_of(arrays[0].shape[0], height))


def total_over_rows(work: Work, arrays: tuple[Any, ...], height: int = STRIP) -> tuple[Any, ...]:
    """The sums, over ranges of rows, of the arrays (or numbers) in the tuples ``work`` returns."""
    total: list[Any] = []
    for found in over_rows(work, arrays, height):
        total = list(found) if not total else [a + b for a, b in zip(total, found, strict=True)]
    return tuple(total)
