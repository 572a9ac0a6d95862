"""Nuisance channels: gain, slopes and optimum against other routes; the claims; bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st

from spherelab.arguments import ArgumentError
from spherelab.laws import Atoms, Law, Mixture, PointMass, Uniform, VonMisesFisher, ZonalLaw
from spherelab.limits import extrapolated, right_derivative
from spherelab.pairs import Aligned, NuisanceChannel
from spherelab.population import (
    channel_loss,
    channel_slope,
    critical_sigreg_weight,
    extremal_loss,
    gain,
    infonce_excess,
    infonce_slope,
    optimal_misalignment,
    rho,
    sg_loss,
)
from spherelab.population.shrunk import FIRST_ORDER, extremal_slope, log_mu_and_slope
from spherelab.theory.theorem3 import CLAIMS
from spherelab.value import Value
from spherelab.zonal import SGLift

KEYS = [claim.key for claim in CLAIMS]
# New dimensions cost a table each: property tests draw from these.
DIMENSIONS = (2, 3, 8, 60, 1024)


def caps(d: int, kappa: float, angle: float) -> Law:
    other = np.zeros(d)
    other[:2] = math.cos(angle), math.sin(angle)
    return Mixture([0.7, 0.3], [VonMisesFisher(d, kappa), VonMisesFisher(d, kappa, other)])


def point(d: int) -> Law:
    return PointMass(np.eye(d)[0])


LAWS: dict[str, Law] = {
    "vmf": VonMisesFisher(8, 4.0),
    "sharp": VonMisesFisher(5, 60.0),
    "degree": ZonalLaw.perturbed(8, 3, 0.8),
    "caps": caps(6, 6.0, 1.2),
    "point": point(4),
    "weak": VonMisesFisher(16, 1e-3),
}


# --- mu_l(Delta) and its slope --------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 16, 1024, 100_000])
def test_shrunken_spectrum_is_that_of_the_lift(d: int) -> None:
    degrees = np.array([1, 2, 5, 40, 384])
    deltas = np.array([0.0, 1e-9, 0.03, 0.5, 0.97, 1.0])
    log_mu, log_slope = log_mu_and_slope(d, degrees, deltas)
    for i, delta in enumerate(deltas[:-1]):
        expected = SGLift().log_eigenvalues(d, degrees, delta)
        assert np.all(np.abs(log_mu[:, i] - expected) <= 8e-15 * (1 + np.abs(expected)))
    assert np.all(log_mu[:, -1] == -np.inf)
    assert np.all(log_slope[1:, -1] == -np.inf) and math.isfinite(log_slope[0, -1])
    lift = SGLift()
    expected = lift.log_eigenvalues(d, degrees) + np.log(lift.gain_ratios(d, degrees))
    assert np.all(np.abs(log_slope[:, 0] - expected) <= 1e-14 * (1 + np.abs(expected)))


@pytest.mark.parametrize(("d", "degree", "delta"), [(2, 1, 0.3), (8, 2, 0.02), (128, 5, 0.6)])
def test_slope_of_the_spectrum_from_its_definition(d: int, degree: int, delta: float) -> None:
    """-d mu_l/d Delta = E_s (s^2 - 1) psi_l(r s)^2 / (2 r^2), in ball arithmetic."""
    flint = pytest.importorskip("flint", reason="python-flint is not installed")
    with flint.ctx.workprec(320):
        square = 1 - flint.arb(delta)
    ball = reference._frequency_integral(degree, d, square, square, lambda x: x - flint.arb(1) / 2)
    with flint.ctx.workprec(320):
        expected = float((ball / square).mid())
    found = math.exp(float(log_mu_and_slope(d, np.array([degree]), np.array([delta]))[1][0, 0]))
    assert found == pytest.approx(expected, rel=2e-13)


def test_slope_of_the_radial_part() -> None:
    for delta in (1e-8, 0.01, 0.4, 1.0):
        exact = (3 - 2 * delta) ** -1.5 - (3 - delta) ** -1.5
        assert extremal_slope(delta) == pytest.approx(exact, rel=1e-15 / delta + 1e-14)
    assert float(extremal_slope(1e-9)) * FIRST_ORDER == pytest.approx(1e-9, rel=1e-8)


# --- the gain -------------------------------------------------------------------------------------


def test_known_values() -> None:
    assert rho(8, 1) == pytest.approx(0.43515610271651504550, rel=1e-12)
    assert rho(8, 2) == pytest.approx(4.7799380474102600731, rel=1e-12)
    assert rho(8, 1, 0.0) == pytest.approx(10.827461, abs=5e-7)
    assert rho(8, 2, 0.0) == pytest.approx(28.533777694069148670, rel=1e-12)
    for degree, value in ((1, 1.0581078361469201069e-3), (2, 1.2215785457056717806e-3)):
        law = ZonalLaw.perturbed(8, degree, 0.5)
        energy = float(law.harmonic_energy(degree))
        assert gain(law) == pytest.approx(value * energy, rel=1e-12)
    law = ZonalLaw.perturbed(8, 2, 1.0)
    factor = channel_loss(law, 0.02, 0.0).by_degree[2] / float(law.harmonic_energy(2))
    assert factor == pytest.approx(2.5097200015469837328e-3, rel=1e-12)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("c", [-1.0, 0.4])
def test_gain_is_minus_the_slope_of_the_loss(name: str, c: float) -> None:
    law = LAWS[name]
    whole = (1 - c) / 2

    def part(delta: float) -> Value:  # without J_0, whose slope is 0
        return Value(math.fsum(channel_loss(law, delta, c).by_degree[1:]))

    slope = right_derivative(part, 0.02 * whole, 8)
    assert gain(law, c) == pytest.approx(-slope, rel=1e-6)
    assert channel_slope(law, 0.0, c) == -gain(law, c)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize(("c", "where"), [(-1.0, 0.05), (0.0, 0.9), (0.4, 0.4)])
def test_slope_is_that_of_the_loss(name: str, c: float, where: float) -> None:
    law, delta = LAWS[name], where * (1 - c) / 2
    h = 1e-3 * delta
    ends = [channel_loss(law, delta + x, c) for x in (-2 * h, -h, h, 2 * h)]
    numeric = (ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * h)
    found = channel_slope(law, delta, c)
    assert found == pytest.approx(numeric, abs=1e-9 * (1 + abs(numeric)))
    assert channel_slope(law, delta, c, 0.25) == pytest.approx(found + 0.25, rel=1e-14)


def test_slope_at_the_far_end() -> None:
    """P_l(t) P_l'(t)/t where t = 0."""
    law = ZonalLaw.perturbed(5, 2, 1.0)
    for c in (0.0, 0.5):
        end = (1 - c) / 2
        h = 1e-4
        values = [channel_loss(law, end - k * h, c) for k in range(5)]
        weights = np.array([25, -48, 36, -16, 3]) / 12
        numeric = float(weights @ np.array(values)) / h
        assert channel_slope(law, end, c) == pytest.approx(numeric, rel=1e-7)


def test_gain_of_codes_without_low_degrees() -> None:
    law = ZonalLaw.perturbed(2, 70, 0.5)
    mu = SGLift()
    expected = float(law.harmonic_energy(70) * mu.eigenvalues(2, 70) * mu.gain_ratios(2, 70))
    assert 0 < gain(law) == pytest.approx(expected, rel=1e-12)
    polygon = Atoms.regular_polygon(14)
    degrees = 14 * np.arange(1, 6)
    expected = float(2 * np.sum(mu.gains(2, degrees)))
    assert gain(polygon) == pytest.approx(expected, rel=1e-12)


def test_uniform_codes_have_none() -> None:
    for c in (-1.0, 0.3):
        assert gain(Uniform(7), c) == 0 == gain(Uniform(7), c).error
        assert optimal_misalignment(Uniform(7), c, 0.1) == 0
        assert channel_slope(Uniform(7), 0.1, c, 0.5) == pytest.approx(
            0.5 + float(extremal_slope(0.1)), rel=1e-15
        )
    assert gain(VonMisesFisher(7, 0.0)) == 0


@given(
    d=st.sampled_from([3, 8, 60]),
    kappa=st.floats(0.01, 100.0),
    c=st.floats(-1.0, 0.95),
    more=st.floats(0.01, 0.04),
)
@settings(max_examples=12)
def test_gain_is_positive_and_grows_with_correlation(
    d: int, kappa: float, c: float, more: float
) -> None:
    law = VonMisesFisher(d, kappa)
    found = gain(law, c)
    assert 0 < found < gain(law, c + more)
    assert 0 <= found.error <= 1e-11 * found


# --- the optimum ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize(("c", "share"), [(-1.0, 0.0), (-1.0, 1.05), (0.0, 0.6), (0.6, 0.0)])
def test_optimum_is_the_least_of_a_fine_grid(name: str, c: float, share: float) -> None:
    law = LAWS[name]
    alpha, whole = share * gain(law, c), (1 - c) / 2

    def loss(delta: float) -> float:
        return channel_loss(law, delta, c) + alpha * delta

    best = optimal_misalignment(law, c, alpha)
    assert 0 <= best <= whole
    near = best * np.array([0.97, 1.03])
    others = [*near[near <= whole], *np.linspace(0.0, whole, 5)]
    least = loss(best)
    assert all(least <= loss(x) * (1 + 1e-13) for x in others)
    if 0 < best < whole:
        slope = channel_slope(law, best, c, alpha)
        assert abs(slope) <= 3 * slope.error


def test_optimum_of_a_law_with_several_minima() -> None:
    """P_6(t)^2 turns on the channel of c = 0.8: the least of several minima is taken."""
    law = ZonalLaw(3, [1.0, 0, 0, 0, 0, 0, 1 / 13])  # 1 + P_6
    strong = Mixture([0.5, 0.5], [law, point(3)])
    for code in (law, strong):
        best = optimal_misalignment(code, 0.8)
        losses = [channel_loss(code, x, 0.8) for x in np.linspace(0.0, (1 - 0.8) / 2, 21)]
        assert channel_loss(code, best, 0.8) <= min(losses) * (1 + 1e-13)


def test_optimum_near_its_threshold() -> None:
    law = ZonalLaw.perturbed(8, 2, 0.1)
    g = gain(law)
    for surplus in (1e-3, 1e-6):
        found = optimal_misalignment(law, -1.0, g * (1 - surplus))
        assert found == pytest.approx(FIRST_ORDER * g * surplus, rel=1e-3)
        assert found.error <= 1e-11 * g
    for alpha in (g * (1 + 1e-9), 2 * g, 1e6):
        assert optimal_misalignment(law, -1.0, alpha) == 0


def test_concentrated_codes_leave_the_line() -> None:
    """For them 0 is a strict local minimum from alpha = g on, and not the global one [ours]."""
    law = point(64)
    alpha = 1.05 * gain(law)
    assert channel_slope(law, 0.0, -1.0, alpha) > 0
    assert optimal_misalignment(law, -1.0, alpha) == 1
    assert optimal_misalignment(law, -1.0, 2 * gain(law)) == 0


def test_pure_nuisance_can_be_the_optimum() -> None:
    best = optimal_misalignment(VonMisesFisher(8, 5.0), 0.0)
    assert best == 0.5 and best.method == "end of the channel"


# --- LeJEPA's critical weight ---------------------------------------------------------------------


@given(g=st.floats(0.0, 10.0), batch=st.integers(1, 10**6), d=st.integers(2, 10**4))
def test_critical_weight(g: float, batch: int, d: int) -> None:
    paper = critical_sigreg_weight(g, batch)
    public = critical_sigreg_weight(g, batch, d, "reference")
    assert 0 < public <= paper <= 1
    assert paper * (1 + batch * g) == pytest.approx(1, rel=1e-14)
    assert public * (1 + d * batch * math.sqrt(2 * math.pi) * g) == pytest.approx(1, rel=1e-14)
    assert critical_sigreg_weight(g, 2 * batch) <= paper
    assert critical_sigreg_weight(g, 2 * batch, d, "reference") <= public


# --- InfoNCE --------------------------------------------------------------------------------------


@pytest.mark.parametrize("c", [-1.0, 0.0, 0.5])
@pytest.mark.parametrize("beta", [0.5, 8.0])
def test_infonce_slope(c: float, beta: float) -> None:
    law = VonMisesFisher(6, 5.0)
    h = 1e-5

    def excess(delta: float) -> float:
        return infonce_excess(NuisanceChannel(law, delta, c), beta)

    numeric = (-3 * excess(0.0) + 4 * excess(h) - excess(2 * h)) / (2 * h)
    found = infonce_slope(law, beta, c)
    assert found == pytest.approx(numeric, rel=1e-6)
    assert found >= -2 * beta * c / (1 - c)
    assert infonce_slope(Uniform(6), beta, c) == 2 * beta


# --- limits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("h", [0.01, 0.1, 0.5])
def test_limits_state_their_error(h: float) -> None:
    def curve(x: float) -> Value:
        return Value(math.sin(2 * x) + 3, 1e-15)

    slope = right_derivative(curve, h)
    assert abs(slope - 2) <= slope.error <= 1e-4
    limit = extrapolated(lambda x: Value(math.exp(x)), h)
    assert abs(limit - 1) <= limit.error + 1e-15
    assert right_derivative(lambda x: Value(7.0), h) == 0


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda: gain(Aligned(Uniform(3))),
        lambda: gain(Uniform(3), 1.0),
        lambda: gain(Uniform(3), -1.5),
        lambda: gain(Uniform(3), math.nan),
        lambda: gain(VonMisesFisher(2, 1.0), 0.0),
        lambda: channel_loss(Uniform(3), 0.6, 0.0),
        lambda: channel_slope(Uniform(3), 0.6, 0.0),
        lambda: channel_slope(Uniform(3), math.nan),
        lambda: channel_slope(Uniform(3), 0.1, 0.0, -1.0),
        lambda: optimal_misalignment(Uniform(3), 0.0, -1.0),
        lambda: optimal_misalignment(Uniform(3), 0.0, math.inf),
        lambda: optimal_misalignment("vmf"),  # type: ignore[arg-type]
        lambda: rho(1, 1),
        lambda: rho(8, 0),
        lambda: rho(8, 1.5),  # type: ignore[arg-type]
        lambda: rho(2, 1, 0.0),
        lambda: critical_sigreg_weight(-1.0, 8),
        lambda: critical_sigreg_weight(math.nan, 8),
        lambda: critical_sigreg_weight(0.1, 0),
        lambda: critical_sigreg_weight(0.1, 8, convention="reference"),
        lambda: critical_sigreg_weight(0.1, 8, 1, "reference"),
        lambda: critical_sigreg_weight(0.1, 8, 8, "public"),
        lambda: infonce_slope(Uniform(3), 0.0),
        lambda: infonce_slope(VonMisesFisher(2, 1.0), 1.0, 0.5),
        lambda: log_mu_and_slope(8, np.array([1]), np.array([1.5])),
    ],
)
def test_bad_input_is_refused(call: Any) -> None:
    with pytest.raises(ArgumentError):
        call()


def test_loss_is_that_of_the_pair() -> None:
    law = LAWS["caps"]
    assert channel_loss(law, 0.1, 0.2) == sg_loss(NuisanceChannel(law, 0.1, 0.2))
    assert channel_loss(law, 1.0, -1.0) == pytest.approx(extremal_loss(1.0), rel=1e-14)
