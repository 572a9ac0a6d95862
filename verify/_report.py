"""The results as a JSON document."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import spherelab
from spherelab.check import Result
from spherelab.claim import Proof
from spherelab.output import environment


def document(results: Sequence[Result], *, seed: int) -> dict[str, Any]:
    """The whole document. A number that is not finite is null: strict JSON has no such number."""
    return {
        "spherelab": spherelab.__version__,
        "environment": environment(),
        "seed": seed,
        "claims": [entry(result) for result in results],
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
