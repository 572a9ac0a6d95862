"""Several processes give what one gives, and leave nothing behind when they are interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import fields

import pytest

from spherelab.check import Result, check
from spherelab.claim import Claim
from verify import _pool


def claims() -> Sequence[Claim]:
    from spherelab.theory.theorem1 import CLAIMS

    return CLAIMS


def test_two_processes_give_what_one_gives() -> None:
    restrict = {"d": [8], "beta": [5.0]}
    tasks = [
        _pool.Task(claim, {name: restrict[name] for name in claim.domain.names if name in restrict})
        for claim in claims()
        if all(axis.contains(v) for axis in claim.domain.axes for v in restrict.get(axis.name, []))
    ]
    assert len(tasks) >= _pool.WORTH_A_POOL
    seen: list[tuple[int, int]] = []
    settings = _pool.Settings(quick=True, rigorous=False, seed=0)
    found = _pool.check_all(
        claims, tasks, settings, 2, lambda done, count: seen.append((done, count))
    )
    assert seen[-1] == (len(tasks), len(tasks))
    for task, result in zip(tasks, found, strict=True):
        alone = check(task.claim, quick=True, restrict=task.restrict)
        for field in fields(Result):
            if field.name != "seconds":
                assert getattr(result, field.name) == getattr(alone, field.name), task.claim.key


def test_one_process_where_a_second_would_not_pay() -> None:
    tasks = [_pool.Task(claim, {}) for claim in claims()]
    assert _pool.processes(claims, tasks, quick=True) == 1
    assert _pool.processes(claims, tasks[:3], quick=False) == 1
    assert _pool.processes(lambda: claims(), tasks, quick=False) == 1  # cannot be sent
    assert _pool.processes(claims, tasks, quick=False) == min(_pool._cores(), 8)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs POSIX process groups")
def test_interrupt_of_all_processes() -> None:
    """Ctrl-C reaches the whole foreground group: one line, code 130, no process left."""
    command = [sys.executable, "-m", "verify.theorem1"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(2.5)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors and errors.strip().count("\n") == 0, errors
    assert output == ""
    for _ in range(100):  # the children, told to end, are given ten seconds
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("a process is left over")
