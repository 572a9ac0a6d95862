"""Normalised Gegenbauer polynomials, their sums and Gauss rules."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from spherelab.arguments import ArgumentError
from spherelab.gegenbauer import clenshaw, derivative, gauss_rule, gegenbauer, gegenbauer_all
from spherelab.sphere import multiplicity

EPS = float(np.finfo(float).eps)


def reference(d: int, degree: int, t: float) -> float:
    """P_degree(t) by the same recurrence in 60 digits beyond what it loses."""
    import mpmath

    with mpmath.workdps(80):
        x = mpmath.mpf(t)
        lower, upper = mpmath.mpf(1), x
        if degree == 0:
            return 1.0
        for k in range(1, degree):
            lower, upper = upper, ((2 * k + d - 2) * x * upper - k * lower) / (k + d - 2)
        return float(upper)


def test_explicit_polynomials() -> None:
    t = np.linspace(-1, 1, 11)
    assert gegenbauer(3, 2, t) == pytest.approx((3 * t**2 - 1) / 2, abs=4 * EPS)
    for d in (2, 3, 8, 1000):
        assert gegenbauer(d, 2, t) == pytest.approx((d * t**2 - 1) / (d - 1), abs=4 * EPS)
        third = ((d + 2) * t**3 - 3 * t) / (d - 1)
        assert gegenbauer(d, 3, t) == pytest.approx(third, abs=8 * EPS)
    assert gegenbauer(2, 7, t) == pytest.approx(np.cos(7 * np.arccos(t)), abs=20 * EPS)
    assert gegenbauer(3, 20, t) == pytest.approx(special.eval_legendre(20, t), abs=40 * EPS)


def test_where_the_unnormalised_overflow() -> None:
    assert gegenbauer(1024, 400, 0.99) == pytest.approx(0.0036276288915846193, rel=1e-13)


@pytest.mark.parametrize(
    ("d", "degree", "t"),
    [(2, 10_000, 0.3), (3, 10_000, 0.999), (8, 3000, -0.7), (1024, 400, 0.5), (100_000, 50, 0.01)],
)
def test_high_degree(d: int, degree: int, t: float) -> None:
    got, expected = float(gegenbauer(d, degree, t)), reference(d, degree, t)
    slope = degree * (degree + d - 2) / (d - 1)
    assert abs(got - expected) <= 4 * EPS * (degree + min(slope, degree / math.sqrt(1 - t * t)))


def test_relative_accuracy_where_it_is_tiny() -> None:
    """Large d, t past the oscillations: P_l falls to 1e-114, and keeps its digits."""
    expected = reference(4096, 200, 0.3)
    assert 0 < abs(expected) < 1e-90
    assert gegenbauer(4096, 200, 0.3) == pytest.approx(expected, rel=1e-12, abs=0)


@given(st.integers(2, 500), st.integers(0, 300), st.floats(-1, 1))
def test_bounds_and_parity(d: int, degree: int, t: float) -> None:
    value = float(gegenbauer(d, degree, t))
    assert abs(value) <= 1 + 4 * EPS * (1 + degree) ** 2
    assert float(gegenbauer(d, degree, -t)) == (-1) ** degree * value
    assert float(gegenbauer(d, degree, 1.0)) == 1
    assert float(gegenbauer(d, degree, -1.0)) == (-1) ** degree


@given(st.integers(2, 60), st.integers(0, 40), st.floats(-1, 1))
def test_all_degrees_at_once(d: int, top: int, t: float) -> None:
    table = gegenbauer_all(d, top, [t, 1.0, -1.0])
    assert table.shape == (top + 1, 3)
    for degree in (0, top // 2, top):
        assert table[degree, 0] == gegenbauer(d, degree, t)
    assert np.all(table[:, 1] == 1) and np.all(table[:, 2] == (-1.0) ** np.arange(top + 1))


@pytest.mark.parametrize("d", [2, 3, 9, 200])
@pytest.mark.parametrize("degree", [0, 1, 2, 7, 40])
def test_derivative(d: int, degree: int) -> None:
    t, h = np.array([-0.9, -0.2, 0.4, 0.95]), 1e-5
    central = (gegenbauer(d, degree, t + h) - gegenbauer(d, degree, t - h)) / (2 * h)
    slope = degree * (degree + d - 2) / (d - 1)
    tolerance = (slope + 1) * (1e-10 + degree**4 * h * h)
    assert derivative(d, degree, t) == pytest.approx(central, abs=tolerance)
    assert derivative(d, degree, 1.0) == pytest.approx(slope, rel=1e-14)


@given(
    st.integers(2, 300),
    st.lists(st.floats(-10, 10), min_size=1, max_size=60),
    st.floats(-1, 1),
)
def test_clenshaw_is_the_plain_sum(d: int, coefficients: list[float], t: float) -> None:
    c = np.array(coefficients)
    plain = float(c @ gegenbauer_all(d, c.size - 1, t))
    weight = float(np.abs(c) @ (1 + np.arange(c.size)) ** 2)  # the docstring's worst case
    assert float(clenshaw(d, c, t)) == pytest.approx(plain, abs=8 * EPS * weight)


def test_clenshaw_on_the_circle() -> None:
    c, angle = np.linspace(1, -1, 30), np.linspace(0, math.pi, 9)
    expected = np.cos(np.outer(angle, np.arange(30))) @ c
    assert clenshaw(2, c, np.cos(angle)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("d", "n"), [(2, 7), (3, 1), (3, 40), (4, 2000), (8, 50), (1000, 300), (100_000, 200)]
)
def test_gauss_rule_is_exact(d: int, n: int) -> None:
    """E t^(2m) = prod_{i<=m} (2i-1)/(d+2i-2) for 2m <= 2n-1, relative; nodes increase."""
    nodes, weights = gauss_rule(d, n)
    assert np.all(np.diff(nodes) > 0) and np.all(np.abs(nodes) < 1)
    assert np.array_equal(nodes, -nodes[::-1]) and np.array_equal(weights, weights[::-1])
    assert np.all(weights > 0) and weights.sum() == pytest.approx(1, abs=4 * EPS)
    moment = 1.0
    for m in range(1, min(n, 40)):
        moment *= (2 * m - 1) / (d + 2 * m - 2)
        if moment < 1e-280:
            break
        assert weights @ nodes ** (2 * m) == pytest.approx(moment, rel=1e-13, abs=0)


@pytest.mark.parametrize(("d", "n"), [(3, 30), (5, 30), (64, 25)])
def test_orthogonality_where_it_could_fail(d: int, n: int) -> None:
    """Pairs of one parity: for the others symmetry alone makes the sum vanish."""
    nodes, weights = gauss_rule(d, n)
    table = gegenbauer_all(d, n - 1, nodes) * np.sqrt(multiplicity(d, np.arange(n)))[:, None]
    gram = table @ (weights[:, None] * table.T)
    same = np.add.outer(np.arange(n), np.arange(n)) % 2 == 0
    assert np.max(np.abs((gram - np.eye(n))[same])) < 1e-12


def test_gauss_rule_against_scipy() -> None:
    nodes, weights = gauss_rule(3, 40)
    other, mass = special.roots_legendre(40)
    assert nodes == pytest.approx(other, abs=4 * EPS)
    assert weights == pytest.approx(mass / 2, rel=1e-12)
    nodes, weights = gauss_rule(9, 20)
    other, mass = special.roots_gegenbauer(20, 3.5)
    assert nodes == pytest.approx(other, abs=4 * EPS)
    assert weights == pytest.approx(mass / mass.sum(), rel=1e-10)


def test_a_rule_belongs_to_its_caller() -> None:
    nodes, _ = gauss_rule(5, 4)
    nodes[:] = 0
    assert gauss_rule(5, 4)[0][0] < 0


@pytest.mark.parametrize("t", [1.1, -1.0001, math.nan, math.inf])
def test_bad_cosine(t: float) -> None:
    for call in (
        lambda: gegenbauer(3, 2, t),
        lambda: gegenbauer_all(3, 2, t),
        lambda: clenshaw(3, [1.0, 2.0], t),
        lambda: derivative(3, 2, t),
    ):
        with pytest.raises(ArgumentError, match=r"^t must be in"):
            call()


def test_other_bad_input() -> None:
    with pytest.raises(ArgumentError, match=r"^degree must"):
        gegenbauer(3, -1, 0.0)
    with pytest.raises(ArgumentError, match=r"^degree must"):
        gegenbauer(3, 1.5, 0.0)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"^max_degree must"):
        gegenbauer_all(3, -2, 0.0)
    with pytest.raises(ArgumentError, match=r"^d must"):
        gegenbauer(1, 2, 0.0)
    for c in ([], [[1.0]], 3.0):
        with pytest.raises(ArgumentError, match=r"^coefficients must"):
            clenshaw(3, c, 0.0)
    for n in (0, -1, 2.0, True, "4"):
        with pytest.raises(ArgumentError, match=r"^n must"):
            gauss_rule(3, n)  # type: ignore[arg-type]
