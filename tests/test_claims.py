"""Every claim: it passes, over its whole domain, and it is a check that can fail."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import points

import verify
from spherelab.check import check, evaluate
from spherelab.claim import Claim, Point, Relation, Verdict
from spherelab.value import Value

CLAIMS = tuple(verify.claims())
by_key = pytest.mark.parametrize("claim", CLAIMS, ids=[claim.key for claim in CLAIMS])

#: In these modules a new dimension costs a table: property tests draw from a few.
WITH_TABLES = ("theorem3.", "finite_batch.")
DIMENSIONS = (2, 3, 8, 16, 60, 900)


def test_keys_are_distinct_and_complete() -> None:
    keys = [claim.key for claim in CLAIMS]
    assert len(set(keys)) == len(keys)
    for claim in CLAIMS:
        assert claim.statement and claim.source
        assert claim.key.split(".")[0] in verify.RESULTS


@by_key
def test_passes_on_the_quick_grid(claim: Claim) -> None:
    result = check(claim, quick=True)
    expected = Verdict.HOLDS if claim.sample is None else Verdict.SAMPLED
    assert result.verdict is expected, (result.at, result.left, result.right, result.reason)
    assert result.failures == 0


@by_key
def test_formula_is_mathematics(claim: Claim) -> None:
    from matplotlib.mathtext import MathTextParser

    MathTextParser("path").parse(f"${claim.formula}$")


# --- over the whole domain ------------------------------------------------------------------------


def drawn(claim: Claim, at: Point) -> Point | None:
    """The point; in the modules with tables with the nearest of a few dimensions."""
    if "d" in at and claim.key.startswith(WITH_TABLES) and claim.sample is None:
        axis = next(axis for axis in claim.domain.axes if axis.name == "d")
        allowed = [d for d in DIMENSIONS if axis.contains(d)] or [at["d"]]
        at = {**at, "d": min(allowed, key=lambda d: abs(math.log(d / at["d"])))}
    where = claim.domain.where
    return at if where is None or where(**at) else None


@by_key
@settings(max_examples=4)
@given(data=st.data())
def test_holds_anywhere_in_its_domain(claim: Claim, data: st.DataObject) -> None:
    at = drawn(claim, data.draw(points(claim.domain)))
    if at is not None:
        found = evaluate(claim, at)
        assert found.verdict.passed, (at, found)


# --- no check that cannot fail --------------------------------------------------------------------


def moved(claim: Claim, share: float) -> Claim:
    """The claim with its right side moved up by a share of its size."""

    def right(**at: float) -> Value:
        value = claim.right(**at)
        return Value(value + share * (abs(value) or claim.scale), getattr(value, "error", 0.0))

    return dataclasses.replace(claim, right=right, prove=None)


def tightest(claim: Claim) -> Iterator[Point]:
    """The grids, and the edges of the domain at which bounds are attained: small laws, small
    Delta, small beta, large d."""
    yield from claim.domain.points(quick=True)
    ends = {
        axis.name: [axis.admit(axis.high if axis.name == "d" else axis.low)]
        for axis in claim.domain.axes
        if axis.name in ("d", "delta", "kappa", "amplitude", "beta")
    }
    yield from claim.domain.points(quick=True, restrict=ends)
    yield from claim.domain.points()


# an equality or a limit fails both ways, a bound one way
WRONG = {Relation.AT_MOST: (-1,), Relation.AT_LEAST: (1,)}
MOVES = [
    (claim, sign)
    for claim in CLAIMS
    if claim.tight and claim.sample is None
    for sign in WRONG.get(claim.relation, (-1, 1))
]


@pytest.mark.parametrize(("claim", "sign"), MOVES, ids=[f"{c.key}{s:+d}" for c, s in MOVES])
def test_a_tight_claim_can_fail(claim: Claim, sign: int) -> None:
    """Moved by 1e-3 the wrong way the statement is false where it is tightest."""
    wrong = moved(claim, sign * 1e-3)
    found = (evaluate(wrong, at).verdict for at in itertools.islice(tightest(claim), 400))
    assert Verdict.VIOLATED in found


SAMPLED = [claim for claim in CLAIMS if claim.sample is not None]


@pytest.mark.parametrize("claim", SAMPLED, ids=lambda claim: claim.key)
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_sampled_claim_can_fail(claim: Claim, sign: int) -> None:
    """Moved by two and a half of its own acceptance bands it is refuted."""
    at = next(claim.domain.points(quick=True))
    found = evaluate(claim, at)
    band = 0.5 * (found.margin[1] - found.margin[0])
    value = claim.right(**at)

    def right(**_: float) -> Value:
        return Value(value + 2.5 * sign * band, getattr(value, "error", 0.0))

    assert evaluate(dataclasses.replace(claim, right=right), at).verdict is Verdict.VIOLATED


# --- proofs ---------------------------------------------------------------------------------------

PROVED = [claim for claim in CLAIMS if claim.prove is not None]


@pytest.mark.parametrize("claim", PROVED, ids=lambda claim: claim.key)
def test_proofs_decide(claim: Claim) -> None:
    pytest.importorskip("flint", reason="python-flint is not installed")
    result = check(claim, quick=True, rigorous=True)
    assert result.verdict is Verdict.PROVED, result.reason
    assert result.proof is not None and result.proof.left and result.proof.right
    assert math.isfinite(result.margin[0])
