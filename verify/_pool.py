"""Checks many claims on several processes; one process where that would not pay."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spherelab.check import Result
    from spherelab.claim import Claim

#: With fewer claims than this a second process costs more (its imports, about 1 s) than it saves;
#: of quick ones, with fewer than the second number.
WORTH_A_POOL, WORTH_A_POOL_QUICK = 12, 60


@dataclass(frozen=True)
class Task:
    """A claim to check, and the values in the place of its axes' grids."""

    claim: Claim
    restrict: Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Settings:
    """How every claim of a run is checked."""

    quick: bool
    rigorous: bool
    seed: int


def processes(load: Callable[[], Sequence[Claim]], tasks: Sequence[Task], quick: bool) -> int:
    """How many: one, unless the work is long and ``load`` can be named to another process."""
    importable = getattr(sys.modules.get(load.__module__), load.__qualname__, None) is load
    if len(tasks) < (WORTH_A_POOL_QUICK if quick else WORTH_A_POOL) or not importable:
        return 1
    return max(1, min(_cores(), 8))


def check_all(
    load: Callable[[], Sequence[Claim]],
    tasks: Sequence[Task],
    settings: Settings,
    workers: int,
    progress: Callable[[int, int], object],
) -> list[Result]:
    """The results in the order of the tasks; ``progress`` is called with (claims done, claims)."""
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    from spherelab.check import Result

    found: dict[int, Result] = {}
    # Not fork: the parent's BLAS may hold threads and locks.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start, (load, settings))
    try:
        groups = _by_family(tasks)
        running = [
            pool.submit(_check, [(i, tasks[i].claim.key, dict(tasks[i].restrict)) for i in group])
            for group in groups
        ]
        for done in as_completed(running):
            for index, parts in done.result():
                found[index] = Result(claim=tasks[index].claim, **parts)
            progress(len(found), len(tasks))
    except BaseException:
        for process in list((pool._processes or {}).values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    return [found[i] for i in range(len(tasks))]


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _by_family(tasks: Sequence[Task]) -> list[list[int]]:
    """Indices of the claims on one family together: they share what is kept about it."""
    groups: dict[str, list[int]] = {}
    for index, task in enumerate(tasks):
        groups.setdefault(task.claim.key.rsplit(".", 1)[-1], []).append(index)
    return list(groups.values())


# --- in the other process -------------------------------------------------------------------------

_claims: dict[str, Claim] = {}
_settings: list[Settings] = []


def _start(load: Callable[[], Sequence[Claim]], settings: Settings) -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    _claims.update((claim.key, claim) for claim in load())
    _settings.append(settings)


def _check(jobs: Sequence[tuple[int, str, Mapping[str, Sequence[float]]]]) -> list[tuple[int, Any]]:
    """Results without their claims, whose sides are functions that cannot be sent."""
    from spherelab.check import Result, check

    settings = _settings[0]
    found = []
    for index, key, restrict in jobs:
        result = check(
            _claims[key],
            quick=settings.quick,
            restrict=restrict,
            rigorous=settings.rigorous,
            seed=settings.seed,
        )
        parts = {f.name: getattr(result, f.name) for f in fields(Result) if f.name != "claim"}
        found.append((index, parts))
    return found
