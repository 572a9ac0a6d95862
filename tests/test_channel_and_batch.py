"""Nuisance channels and finite batches: known values, every claim on its quick grid, bad input."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import special

from spherelab.arguments import ArgumentError
from spherelab.check import check
from spherelab.claim import Claim
from spherelab.laws import Atoms, Uniform, VonMisesFisher, ZonalLaw
from spherelab.pairs import Extremal, NuisanceChannel
from spherelab.population import (
    critical_sigreg_weight,
    gain,
    null_second_moment,
    null_variance,
    optimal_misalignment,
    plug_in_coefficient,
    plug_in_loss,
    plug_in_minimiser,
    rho,
    sg_loss,
)
from spherelab.theory import finite_batch, theorem3

CLAIMS = (*theorem3.CLAIMS, *finite_batch.CLAIMS)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.key)
def test_passes_on_the_quick_grid(claim: Claim) -> None:
    result = check(claim, quick=True)
    assert result.verdict.passed, (result.at, result.left, result.right, result.reason)


def test_claims_are_named_and_drawn() -> None:
    from matplotlib.mathtext import MathTextParser

    keys = [claim.key for claim in CLAIMS]
    assert len(set(keys)) == len(keys)
    for claim in CLAIMS:
        assert claim.key.split(".")[0] in ("theorem3", "finite_batch")
        assert claim.statement and claim.source
        MathTextParser("path").parse(f"${claim.formula}$")


@pytest.mark.parametrize(
    ("degree", "correlation", "expected"),
    [
        (1, -1.0, 0.43515610271651504550),
        (2, -1.0, 4.7799380474102600731),
        (1, 0.0, 10.827461),
        (2, 0.0, 28.533777694069148670),
    ],
)
def test_rho(degree: int, correlation: float, expected: float) -> None:
    tolerance = 1e-13 if abs(expected - 10.827461) > 1e-3 else 5e-8
    assert rho(8, degree, correlation) == pytest.approx(expected, rel=tolerance)


@pytest.mark.parametrize("correlation", [-1.0, 0.0, 0.5])
def test_gain_is_minus_the_slope_of_the_loss(correlation: float) -> None:
    """Against central differences of sg_loss: the channel's loss, extended by its own parity."""
    law, h = VonMisesFisher(8, 2.0), 1e-4

    def loss(delta: float) -> float:
        return float(sg_loss(NuisanceChannel(law, delta, correlation)))

    one_sided = (-3 * loss(0.0) + 4 * loss(h) - loss(2 * h)) / (2 * h)
    assert gain(law, correlation) == pytest.approx(-one_sided, rel=1e-4)
    assert gain(Uniform(8), correlation) == 0


@pytest.mark.parametrize("correlation", [-1.0, 0.0])
def test_optimum_is_where_the_loss_is_least(correlation: float) -> None:
    law = ZonalLaw.perturbed(8, 2, 0.4)
    best = optimal_misalignment(law, correlation)
    grid = best * np.array([0.9, 0.99, 1.0, 1.01, 1.1])
    losses = [float(sg_loss(NuisanceChannel(law, delta, correlation))) for delta in grid]
    assert int(np.argmin(losses)) == 2
    assert optimal_misalignment(law, correlation, alpha=2 * gain(law, correlation)) == 0


def test_critical_weight() -> None:
    assert critical_sigreg_weight(0.01, 64) == pytest.approx(1 / 1.64, rel=1e-15)
    expected = 1 / (1 + 8 * 64 * math.sqrt(2 * math.pi) * 0.01)
    reference = critical_sigreg_weight(0.01, 64, dim=8, convention="reference")
    assert reference == pytest.approx(expected, rel=1e-15)
    assert critical_sigreg_weight(0.01, 128) < critical_sigreg_weight(0.01, 64)


def test_finite_batch_values() -> None:
    assert plug_in_minimiser(16, 32, "sampled") == pytest.approx(0.06154, abs=5e-6)
    assert plug_in_minimiser(16, 32, "integrated") == pytest.approx(0.05403, abs=5e-6)
    assert plug_in_coefficient(16, "integrated") == pytest.approx(1.74121102257090812, rel=1e-12)
    assert plug_in_coefficient(2, "integrated") == pytest.approx(0.9151, abs=5e-5)
    h2 = special.hyp2f1
    expected = (h2(0.5, 0.5, 8, 4 / 9) - 2 * h2(0.5, 0.5, 8, 1 / 9) + 1) / 3
    assert null_second_moment(16) == pytest.approx(expected, rel=1e-10)
    assert null_second_moment(16) == pytest.approx(2.5663966224354010904e-3, rel=1e-12)
    assert null_variance(16, 32) == pytest.approx(2 * expected / (32 * 31), rel=1e-10)
    loss = sg_loss(Extremal(16, 0.1))
    bias = (1 - 1 / math.sqrt(2.8)) / 32
    assert plug_in_loss(Extremal(16, 0.1), 32, "sampled") == pytest.approx(loss + bias, rel=1e-12)


LAW = VonMisesFisher(3, 1.0)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: gain(LAW, 1.0), "correlation"),
        (lambda: gain(LAW, math.nan), "correlation"),
        (lambda: gain(np.eye(3)), "law"),
        (lambda: gain(Atoms(np.eye(2)), 0.0), "correlation"),
        (lambda: optimal_misalignment(LAW, alpha=-1.0), "alpha"),
        (lambda: critical_sigreg_weight(0.1, 0), "batch_size"),
        (lambda: critical_sigreg_weight(math.nan, 8), "gain"),
        (lambda: critical_sigreg_weight(0.1, 8, convention="reference"), "dim"),
        (lambda: critical_sigreg_weight(0.1, 8, convention="other"), "convention"),
        (lambda: plug_in_minimiser(16, 32, "other"), "radius"),
        (lambda: null_variance(1, 32), "d"),
    ],
)
def test_bad_input_is_named(call: Callable[[], object], name: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        call()
    assert str(caught.value).startswith(name) and "\n" not in str(caught.value)
