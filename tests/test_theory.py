"""Every claim over its whole domain, and that none of them is a check that cannot fail."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import points

from spherelab.check import check, evaluate
from spherelab.claim import Claim, Relation, Verdict
from spherelab.theory.theorem1 import CLAIMS
from spherelab.value import Value

KEYS = [claim.key for claim in CLAIMS]


@pytest.fixture(scope="module")
def quick() -> dict[str, Any]:
    return {claim.key: check(claim, quick=True) for claim in CLAIMS}


def test_keys_are_distinct_and_complete() -> None:
    assert len(set(KEYS)) == len(KEYS)
    for claim in CLAIMS:
        assert claim.statement and claim.source and claim.key.startswith("theorem1.")
        assert isinstance(claim.ours, bool)


@pytest.mark.parametrize("claim", CLAIMS, ids=KEYS)
def test_passes_on_the_quick_grid(claim: Claim, quick: dict[str, Any]) -> None:
    result = quick[claim.key]
    assert result.verdict is Verdict.HOLDS, (result.at, result.left, result.right, result.reason)
    assert result.failures == 0


@pytest.mark.parametrize("claim", CLAIMS, ids=KEYS)
@settings(max_examples=6)
@given(data=st.data())
def test_holds_anywhere_in_its_domain(claim: Claim, data: st.DataObject) -> None:
    point = data.draw(points(claim.domain))
    found = evaluate(claim, point)
    assert found.verdict.passed, (point, found)


@pytest.mark.parametrize("claim", CLAIMS, ids=KEYS)
def test_formula_is_mathematics(claim: Claim) -> None:
    from matplotlib.mathtext import MathTextParser

    MathTextParser("path").parse(f"${claim.formula}$")


def wrong(claim: Claim, sign: float) -> Claim:
    """The claim with its right side moved by 1e-3 of its size: the other way than it may go."""

    def right(**point: float) -> Value:
        value = claim.right(**point)
        size = abs(value) or claim.scale
        return Value(value + sign * 1e-3 * size, getattr(value, "error", 0.0))

    return dataclasses.replace(claim, right=right, prove=None)


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.tight], ids=lambda c: c.key)
def test_a_tight_claim_can_fail(claim: Claim, quick: dict[str, Any]) -> None:
    """Moved by 1e-3 in the wrong direction the statement is false where it is tightest.

    The tightest point is at an edge of the domain (Delta -> 0; small laws, beta -> 0 and large d
    for the bound by degree), which is added to the quick grid.
    """
    moved = wrong(claim, -1.0 if claim.relation is Relation.AT_MOST else 1.0)
    ends = {
        axis.name: [axis.admit(axis.high if axis.name == "d" else axis.low)]
        for axis in claim.domain.axes
        if axis.name in ("d", "delta", "kappa", "amplitude", "beta")
    }
    result = check(moved, quick=True, restrict=ends)
    assert result.verdict is Verdict.VIOLATED, (result.at, result.left, result.right)


@pytest.mark.parametrize(
    ("key", "left", "right"),
    [
        # theory, section 3: at the points named there
        ("theorem1.linear-needed", 0.015877301468939334, 0.013993433),
        ("theorem1.hypothesis", 1.4271216823251543, 1.0),
    ],
)
def test_sides_at_known_points(key: str, left: float, right: float) -> None:
    claim = next(c for c in CLAIMS if c.key == key)
    if key == "theorem1.linear-needed":
        found = evaluate(claim, {"d": 2, "beta": 20.0, "n": 14})
        assert found.left == pytest.approx(left, rel=1e-13)
        assert found.left / found.right == pytest.approx(1.1346, abs=5e-5)
    else:
        found = evaluate(claim, {"d": 16, "delta": 0.01, "beta": 2.0})
        assert found.left / found.right == pytest.approx(left, rel=1e-12)


def test_theta_limit_is_the_stated_constant() -> None:
    claim = next(c for c in CLAIMS if c.key == "theorem1.theta")
    assert claim.right(d=16, beta=2.0) == pytest.approx(9.354605, abs=5e-7)


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.prove is not None], ids=lambda c: c.key)
def test_proofs_decide(claim: Claim) -> None:
    pytest.importorskip("flint", reason="python-flint is not installed")
    result = check(claim, quick=True, rigorous=True)
    assert result.verdict is Verdict.PROVED, result.reason
    assert result.proof is not None and result.proof.precision_bits > 0
    assert math.isfinite(result.margin[0])
