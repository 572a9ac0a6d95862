"""The results as a JSON document, and its way to a file."""

from __future__ import annotations

import json
import math
import os
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from typing import Any

import spherelab
from spherelab.check import Result
from spherelab.claim import Proof

#: Name in the document -> name of the distribution.
LIBRARIES = {
    "numpy": "numpy",
    "scipy": "scipy",
    "numba": "numba",
    "mpmath": "mpmath",
    "sympy": "sympy",
    "flint": "python-flint",
}


def document(results: Sequence[Result], *, seed: int) -> dict[str, Any]:
    """The whole document. A number that is not finite is null: strict JSON has no such number."""
    return {
        "spherelab": spherelab.__version__,
        "environment": environment(),
        "seed": seed,
        "claims": [entry(result) for result in results],
    }


def environment() -> dict[str, str | None]:
    """What the numbers may depend on; nothing that tells one person's machine from another's."""
    versions = {name: _version(distribution) for name, distribution in LIBRARIES.items()}
    return {
        "python": platform.python_version(),
        **versions,
        "platform": f"{sys.platform} {platform.machine()}",
    }


def entry(result: Result) -> dict[str, Any]:
    """One claim of the document."""
    claim = result.claim
    found: dict[str, Any] = {
        "key": claim.key,
        "statement": claim.statement,
        "source": claim.source,
        "ours": claim.ours,
        "relation": claim.relation.name,
        "tight": claim.tight,
        "verdict": result.verdict.name,
        "left": _number(result.left),
        "right": _number(result.right),
        "margin": [_number(end) for end in result.margin],
        "at": _numbers(result.at.items()),
        "points": result.points,
        "seconds": _number(result.seconds),
    }
    if claim.note:
        found["note"] = claim.note
    if result.reason:
        found["reason"] = result.reason
    if result.proof is not None:
        found["proof"] = _proof(result.proof)
    if result.sampled is not None:
        found["sampled"] = {
            "n": result.sampled.n,
            "seed": result.sampled.seed,
            "false_alarm": result.sampled.false_alarm,
        }
    return found


def dumps(found: Mapping[str, Any]) -> str:
    return json.dumps(found, indent=2, allow_nan=False) + "\n"


def check_writable(path: str) -> None:
    """Raises OSError unless `write` can be expected to work; leaves nothing behind."""
    _open_beside(path, remove=True)


def write(found: Mapping[str, Any], path: str) -> None:
    """Writes the document; a reader sees the old file or the whole new one, never a part."""
    text = dumps(found)
    temporary = _open_beside(path, remove=False)
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, os.path.realpath(path))
    except BaseException:
        os.unlink(temporary)
        raise


def _open_beside(path: str, *, remove: bool) -> str:
    """Makes an empty temporary file in the folder of ``path`` and returns its name."""
    if not path:
        raise OSError(None, "it names no file")
    target = os.path.realpath(path)  # a link stays a link, its target is replaced
    if os.path.isdir(target):
        raise IsADirectoryError(None, "it is a folder")
    if os.path.exists(target) and not os.path.isfile(target):
        raise OSError(None, "it is not a regular file (- is standard output)")
    temporary = f"{target}.{os.getpid()}.tmp"
    with open(temporary, "x"):
        pass
    if remove:
        os.unlink(temporary)
    return temporary


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _number(value: float) -> float | None:
    if not math.isfinite(value):
        return None
    return int(value) if isinstance(value, int) else float(value)


def _numbers(items: Iterable[tuple[str, float]]) -> dict[str, float | None]:
    return {name: _number(value) for name, value in items}


def _proof(proof: Proof) -> dict[str, Any]:
    return {
        "decided": proof.decided,
        "holds": proof.holds if proof.decided else None,
        "box": {name: [_number(low), _number(high)] for name, (low, high) in proof.box.items()},
        "points": proof.points,
        "precision": proof.precision_bits,
        "bisections": proof.bisections,
        "left": proof.left,
        "right": proof.right,
        "reason": proof.reason,
    }
