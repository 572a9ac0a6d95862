"""The uniformity excess: its claims, that they can fail, and the steps of the two-sided bound."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import special

from spherelab.check import check
from spherelab.claim import Claim, Proof, Verdict
from spherelab.laws import Atoms
from spherelab.population import uniformity_excess
from spherelab.theory import uniformity
from spherelab.theory.one_view import LAWS
from spherelab.theory.uniformity import CLAIMS
from spherelab.value import Value

Array = NDArray[np.float64]

KEYS = [claim.key for claim in CLAIMS]


def test_keys_are_distinct_and_complete() -> None:
    assert len(set(KEYS)) == len(KEYS)
    for claim in CLAIMS:
        assert claim.statement and claim.source and claim.key.startswith("uniformity.")
    for kind in ("nonnegative", "below", "above", "jensen", "most"):
        for family in LAWS:
            assert f"uniformity.{kind}.{family.name}" in KEYS


# --- that the claims can fail ---------------------------------------------------------------------


def moved(claim: Claim, share: float) -> Claim:
    """The claim with its right side moved by a share of its size."""

    def right(**point: float) -> Value:
        value = claim.right(**point)
        size = abs(value) or claim.scale
        return Value(value + share * size, getattr(value, "error", 0.0))

    return dataclasses.replace(claim, right=right, prove=None)


@pytest.mark.parametrize("claim", [c for c in CLAIMS if ".below." in c.key], ids=lambda c: c.key)
def test_the_lower_bound_is_within_a_sixth_where_beta_is_small(claim: Claim) -> None:
    """C = 1 + beta + ...: with a right side that is 1.2 times as large it is false."""
    result = check(moved(claim, 0.2), restrict={"beta": [0.1]})
    assert result.verdict is Verdict.VIOLATED, (result.at, result.left, result.right)


# --- the lower bound and its steps ----------------------------------------------------------------


def random_law(rng: np.random.Generator, d: int, n: int) -> tuple[Array, Array]:
    x = rng.standard_normal((n, d))
    x[:, 0] += rng.choice([0.0, 3.0])
    return x / np.linalg.norm(x, axis=1, keepdims=True), rng.dirichlet(np.ones(n))


@given(
    seed=st.integers(0, 2**32 - 1),
    d=st.sampled_from([2, 3, 8]),
    n=st.integers(1, 40),
    beta=st.floats(0.05, 6.0),
)
def test_each_step_of_the_lower_bound(seed: int, d: int, n: int, beta: float) -> None:
    """For atoms every expectation is a sum, and harmonics are not needed: the energy of a measure
    mu is m^2 + sum_{l>=1} r_l |q_l(mu)|^2 = int int k dmu dmu."""
    points, mass = random_law(np.random.default_rng(seed), d, n)
    nu = 0.5 * d - 1
    top = float(special.gamma(d / 2) * (2 / beta) ** nu * special.iv(nu, beta))  # lambda_0
    k = np.exp(beta * np.clip(points @ points.T, -1, 1)) / top
    g = k @ mass
    w = 1 / g
    m = float(mass @ w)
    spread = float(mass @ (w - m) ** 2)
    pairs = 0.5 * float(mass @ (k * (w[:, None] - w) ** 2) @ mass)
    energy = float((mass * w) @ k @ (mass * w))
    slack = 1e-12 * m
    assert energy == pytest.approx(m - pairs, abs=slack)  # the identity (*)
    assert energy >= m * m - slack and m <= 1 + slack
    kappa, rest = math.exp(-beta) / top, math.exp(beta) / top - 1
    assert pairs >= kappa * spread - slack
    total = float(mass @ k @ mass) - 1  # S^2
    root = max(m * math.sqrt(max(total, 0.0)) - math.sqrt(rest * spread), 0.0)
    assert energy - m * m >= root**2 - slack
    c = float(uniformity.spread(d, beta))
    assert c == pytest.approx(1 + rest / kappa, rel=1e-10)
    assert m - m * m >= m * m * total / c - slack
    excess = float(mass @ np.log(g))
    assert -math.log(m) - 1e-12 <= excess
    assert math.log1p(total / c) - 1e-12 <= excess <= math.log1p(total) + 1e-12
    assert excess == pytest.approx(float(uniformity_excess(Atoms(points, mass), beta)), abs=1e-11)


def test_the_proof_is_refuted_by_a_wrong_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    """With e^{2 beta} replaced by e^{beta} in C the identity is false, and sympy says so."""
    import sympy

    assert uniformity._prove_lower([{"beta": 1.0}]) == Proof(
        decided=True,
        box={"beta": (1.0, 1.0)},
        left="m - m^2 >= min_V (m S - sqrt(N V))^2 + kappa V",
        right="m^2 S^2/C (this step by sympy; the steps before it by hand, in the module)",
    )
    true = sympy.exp

    def wrong(x: Any) -> Any:
        return true(x / 2) if x == 2 * sympy.Symbol("beta", positive=True) else true(x)

    monkeypatch.setattr(sympy, "exp", wrong)
    proof = uniformity._prove_lower([{"beta": 1.0}])
    assert proof.decided and not proof.holds


def test_the_spread_is_at_least_one_and_grows() -> None:
    values = [uniformity.spread(8, beta) for beta in (1e-6, 0.1, 1.0, 5.0, 50.0)]
    assert values[0] == pytest.approx(1, abs=2e-6)
    assert all(a < b for a, b in itertools.pairwise(values))
    assert all(0 <= value.error < 1e-12 * value for value in values)
    for beta in (0.1, 1.0, 5.0):
        top = math.sqrt(math.pi / 2 / beta) * float(special.iv(0.5, beta))  # sinh(beta)/beta
        exact = 1 + math.exp(2 * beta) - math.exp(beta) * top
        assert uniformity.spread(3, beta) == pytest.approx(exact, rel=1e-12)


# --- the other routes -----------------------------------------------------------------------------


@pytest.mark.parametrize(("d", "angle"), [(2, 0.1), (2, math.pi), (3, 0.1), (3, math.pi)])
def test_the_grid_of_the_sphere_resolves_the_widest_range(d: int, angle: float) -> None:
    """The stated error of the sums over a grid covers their distance to a much finer grid."""
    found = uniformity._excess_by_grid(d, 8.0, angle, 8.0)
    fine = uniformity._excess_on_grid(d, 8.0, angle, 8.0, 48)
    assert abs(found - fine) <= found.error < 1e-9


@pytest.mark.parametrize("d", [2, 3])
def test_the_grid_integrates_harmonics_to_zero(d: int) -> None:
    points, mass = uniformity._grid(d, 20)
    assert mass.sum() == pytest.approx(1, abs=1e-14)
    assert np.allclose(np.linalg.norm(points, axis=1), 1, atol=1e-15)
    assert np.allclose(mass @ points, 0, atol=1e-15)
    assert np.allclose(points.T @ (mass[:, None] * points), np.eye(d) / d, atol=1e-14)


def test_polygon_by_its_definition() -> None:
    for n, beta in ((1, 2.0), (3, 0.7), (5, 20.0)):
        angles = 2 * math.pi * np.arange(n) / n
        mean = float(np.mean(np.exp(beta * (np.cos(angles) - 1))))
        exact = math.log(mean / float(special.ive(0, beta)))
        assert uniformity._polygon(2, n, beta) == pytest.approx(exact, rel=1e-12)
