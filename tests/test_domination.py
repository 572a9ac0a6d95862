"""Condition (U): domination of one kernel by another, and squared distances to the uniform law."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spherelab.arguments import ArgumentError
from spherelab.laws import Atoms, Law, Mixture, PointMass, Uniform, VonMisesFisher, ZonalLaw
from spherelab.pairs import Aligned
from spherelab.population import condition_u_constant, sg_loss, squared_mmd, uniformity_excess
from spherelab.zonal import (
    ExpKernel,
    GaussianKernel,
    MomentMatching,
    SGLift,
    ZonalKernel,
    domination,
)

LIFT = SGLift()


def brute(test: ZonalKernel, beta: float, d: int, last: int) -> tuple[Any, Any]:
    """log r_l/mu_l and log (r_l - r_l^2/2)/mu_l for l = 1..last."""
    degrees = np.arange(1, last + 1)
    log_r = ExpKernel(beta).log_ratios(d, degrees)
    upper = log_r - test.log_eigenvalues(d, degrees)
    return upper, upper + np.log1p(-0.5 * np.exp(log_r))


@pytest.mark.parametrize("d", [2, 8, 1024])
@pytest.mark.parametrize("beta", [0.1, 2.0, 50.0, 700.0])
def test_lift_dominates_with_the_constant_of_a_full_scan(d: int, beta: float) -> None:
    found = domination(LIFT, ExpKernel(beta), d)
    upper, lower = brute(LIFT, beta, d, int(3 * beta) + 60)
    assert found.bounded and found.degree == 1 + int(np.argmax(upper))
    assert found.lower_degree == 1 + int(np.argmax(lower))
    assert found.log_upper == pytest.approx(upper.max(), abs=found.error + 1e-12, rel=1e-14)
    assert found.log_lower == pytest.approx(lower.max(), abs=found.error + 1e-12, rel=1e-14)
    assert found.log_upper - math.log(2) <= found.log_lower <= found.log_upper
    constant, degree = condition_u_constant(d, beta)
    assert degree == found.degree and constant == found.upper


@pytest.mark.parametrize("beta", [3e3, 1e5])
def test_a_far_peak_is_found(beta: float) -> None:
    found = domination(LIFT, ExpKernel(beta), 8)
    assert found.degree is not None and 1.4 * beta < found.degree < 1.75 * beta
    near = np.arange(found.degree - 400, found.degree + 400)
    logs = ExpKernel(beta).log_ratios(8, near) - LIFT.log_eigenvalues(8, near)
    assert found.log_upper >= logs.max() - found.error
    assert found.upper == math.inf


@given(
    d=st.integers(2, 300),
    beta=st.floats(0.05, 60.0),
    ratio=st.floats(0.3, 3.0).filter(lambda r: r == 1 or abs(r - 1) > 1e-3),
)
@settings(max_examples=40)
def test_gaussian_kernels_dominate_from_half_beta_on(d: int, beta: float, ratio: float) -> None:
    kernel = GaussianKernel(0.5 * ratio * beta)
    found = domination(kernel, ExpKernel(beta), d)
    assert found.bounded == (2 * kernel.gamma >= beta)
    if found.bounded:
        upper, lower = brute(kernel, beta, d, 60)
        assert found.log_upper == pytest.approx(upper.max(), abs=2e-12, rel=1e-13)
        assert found.log_lower >= lower.max() - 2e-12
    else:
        assert found.upper == math.inf and found.degree is None
        assert "behaves like" in found.reason


def test_the_gaussian_kernel_at_half_beta() -> None:
    found = domination(GaussianKernel(2.5), ExpKernel(5.0), 8)
    expected = 5.0 - float(ExpKernel(5.0).log_eigenvalues(8, 0))
    assert found.log_upper == found.log_lower == pytest.approx(expected, rel=1e-14)


def test_moments_and_other_references() -> None:
    assert not domination(MomentMatching(), ExpKernel(1.0), 8).bounded
    assert not domination(GaussianKernel(9.0), LIFT, 8).bounded
    assert domination(LIFT, GaussianKernel(1.0), 8) == domination(LIFT, ExpKernel(2.0), 8)
    same = domination(LIFT, LIFT, 8)
    assert same.bounded and same.log_upper == pytest.approx(0.5 * math.log(3), rel=1e-13)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: domination(LIFT, ExpKernel(1.0), 1), "d"),
        (lambda: domination("sg", ExpKernel(1.0), 2), "test"),  # type: ignore[arg-type]
        (lambda: domination(LIFT, None, 2), "reference"),  # type: ignore[arg-type]
        (lambda: domination(LIFT, MomentMatching(), 2), "reference"),
        (lambda: domination(LIFT, ExpKernel(1e12), 2), "reference"),
        (lambda: domination(GaussianKernel(2e8), ExpKernel(1e8), 2), "reference"),
        (lambda: squared_mmd(VonMisesFisher(2, 2.0), ExpKernel(800.0)), "kernel"),
        (lambda: squared_mmd(VonMisesFisher(8, 2.0), ExpKernel(1e6)), "kernel"),
        (lambda: squared_mmd(Uniform(3), "sg"), "kernel"),  # type: ignore[arg-type]
        (lambda: squared_mmd(Aligned(Uniform(3)), LIFT), "law"),  # type: ignore[arg-type]
    ],
)
def test_bad_input_is_refused(call: Any, name: str) -> None:
    with pytest.raises(ArgumentError, match=rf"^{name} must"):
        call()


# --- squared distances ----------------------------------------------------------------------------

KERNELS = (ExpKernel(3.0), GaussianKernel(2.0), MomentMatching(), LIFT)


def caps(d: int) -> Law:
    return Mixture([0.4, 0.6], [VonMisesFisher(d, 3.0), VonMisesFisher(d, 8.0, np.eye(d)[1])])


LAWS: dict[str, Law] = {
    "vmf": VonMisesFisher(8, 4.0),
    "degree": ZonalLaw.perturbed(8, 3, 0.5),
    "caps": caps(4),
    "point": PointMass(np.eye(3)[0]),
    "polygon": Atoms.regular_polygon(5),
    "atoms": Atoms([[1.0, 0, 0], [0, 0.6, 0.8], [0, -1.0, 0]], [0.5, 0.2, 0.3]),
}


def by_points(law: Atoms, kernel: ZonalKernel) -> float:
    """sum_ij w_i w_j k(x_i . x_j) - k_0, the kernel summed by degrees at each pair."""
    from spherelab.gegenbauer import gegenbauer_all
    from spherelab.sphere import log_multiplicity

    d, degrees = law.dimension, np.arange(0, 121)
    with np.errstate(divide="ignore"):
        weights = np.exp(kernel.log_eigenvalues(d, degrees) + log_multiplicity(d, degrees))
    weights[0] = 0.0
    cosines = np.clip(law.points @ law.points.T, -1, 1)
    values = np.tensordot(weights, gegenbauer_all(d, 120, cosines), 1)
    return float(law.weights @ values @ law.weights)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: type(k).__name__)
@pytest.mark.parametrize("name", ["polygon", "atoms"])
def test_of_atoms(name: str, kernel: ZonalKernel) -> None:
    law = LAWS[name]
    assert isinstance(law, Atoms)
    found = squared_mmd(law, kernel)
    assert found == pytest.approx(by_points(law, kernel), rel=1e-11, abs=found.error + 1e-15)


@pytest.mark.parametrize("name", LAWS)
def test_lift_gives_the_loss_of_the_aligned_pair(name: str) -> None:
    law = LAWS[name]
    found, loss = squared_mmd(law, LIFT), sg_loss(Aligned(law))
    assert abs(found - loss) <= found.error + loss.error + 1e-13 * loss


@pytest.mark.parametrize("name", LAWS)
def test_moments_by_their_definition(name: str) -> None:
    """|E X|^2 + |E X X^T - I/d|^2, from samples, within four standard errors of its square root."""
    law = LAWS[name]
    rng = np.random.default_rng(7)
    d, n = law.dimension, 200_000
    x = law.sample(n, rng)
    mean, second = x.mean(axis=0), x.T @ x / n - np.eye(d) / d
    sampled = math.sqrt(float(mean @ mean + np.sum(second * second)))
    found = math.sqrt(squared_mmd(law, MomentMatching()))
    assert found == pytest.approx(sampled, abs=4 * math.sqrt(2 / n) + 1e-15)


@pytest.mark.parametrize("beta", [0.3, 6.0])
@pytest.mark.parametrize("name", LAWS)
def test_constants_bound_the_excess(name: str, beta: float) -> None:
    law, kernel = LAWS[name], ExpKernel(beta)
    excess = uniformity_excess(law, beta)
    spectral = squared_mmd(law, kernel) / float(kernel.eigenvalues(law.dimension, 0))
    assert excess <= spectral * (1 + 1e-11)
    for test in (LIFT, GaussianKernel(0.5 * beta), GaussianKernel(beta)):
        constant = domination(test, kernel, law.dimension).upper
        assert spectral <= constant * squared_mmd(law, test) * (1 + 1e-10)


def test_uniform_law_has_none() -> None:
    for kernel in KERNELS:
        assert squared_mmd(Uniform(5), kernel) == 0.0
        assert squared_mmd(ZonalLaw.perturbed(5, 7, 0.5), MomentMatching()) == 0.0
