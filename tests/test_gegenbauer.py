"""Normalised Gegenbauer polynomials, their sums and Gauss rules."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from spherelab.arguments import ArgumentError
from spherelab.gegenbauer import clenshaw, derivative, gauss_rule, gegenbauer, gegenbauer_all
from spherelab.sphere import log_multiplicity, multiplicity

EPS = float(np.finfo(float).eps)


def recurrence(d: int, degree: int, t: float) -> float:
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


def stated_error(d: int, degree: int, t: float) -> float:
    """The module's bound: eps (l + min(l(l+d-2)/(d-1), l/sqrt(1-t^2)))."""
    sine = math.sqrt((1 - t) * (1 + t))
    slope = degree * (degree + d - 2) / (d - 1)
    return EPS * (degree + (min(slope, degree / sine) if sine > 0 else slope))


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
    [
        (2, 10_000, 0.3),
        (3, 10_000, 0.999),
        (8, 3000, -0.7),
        (1024, 400, 0.5),
        (100_000, 50, 0.01),
        (2, 10_000, 1 - 2**-53),
        (3, 10_000, 1 - 1e-10),
        (8, 10_000, -1 + 1e-6),
        (100_000, 10_000, 0.99999),
    ],
)
def test_high_degree(d: int, degree: int, t: float) -> None:
    got, expected = float(gegenbauer(d, degree, t)), recurrence(d, degree, t)
    assert abs(got - expected) <= stated_error(d, degree, t)


@given(
    st.integers(2, 100_000),
    st.integers(1, 400),
    st.one_of(st.floats(-1, 1), st.floats(1e-15, 1).map(lambda gap: 1 - gap)),
)
def test_the_stated_error(d: int, degree: int, t: float) -> None:
    got, expected = float(gegenbauer(d, degree, t)), recurrence(d, degree, t)
    assert abs(got - expected) <= stated_error(d, degree, t)


@pytest.mark.parametrize(
    ("d", "degree", "t"),
    [(2, 400, 0.3), (3, 150, -0.95), (9, 120, 0.5), (1024, 400, 0.5), (1024, 400, 0.99)],
)
def test_against_the_hypergeometric_sum(d: int, degree: int, t: float) -> None:
    """2F1(-l, l+d-2; (d-1)/2; (1-t)/2) with the digits that it loses: no recurrence in it."""
    expected = float(reference.gegenbauer_mp(d, degree, t))
    got = float(gegenbauer(d, degree, t))
    assert abs(got - expected) <= stated_error(d, degree, t)
    assert got == pytest.approx(expected, rel=1e-11, abs=0)


@pytest.mark.parametrize(
    ("d", "t"),
    [(2, 0.99), (3, -0.3), (8, 0.99), (32, 0.9), (256, 0.99), (1024, 0.5), (4096, 0.5)],
)
def test_error_relative_to_the_neighbours(d: int, t: float) -> None:
    """At most eps l/sqrt(1-t^2) times the largest of three in a row, down to 1e-290."""
    import mpmath

    top = 600
    got = gegenbauer_all(d, top, t)
    with mpmath.workdps(60):
        x = mpmath.mpf(t)
        exact = [mpmath.mpf(1), x]
        for k in range(1, top + 1):
            exact.append(((2 * k + d - 2) * x * exact[k] - k * exact[k - 1]) / (k + d - 2))
        for degree in range(1, top + 1):
            size = max(abs(value) for value in exact[degree - 1 : degree + 2])
            if size < 1e-290:
                break
            error = float(abs(mpmath.mpf(float(got[degree])) - exact[degree]) / size)
            assert error <= EPS * degree / math.sqrt(1 - t * t)


def test_relative_accuracy_where_it_is_tiny() -> None:
    """Large d, t past the oscillations: P_l falls to 1e-114, and keeps its digits."""
    expected = recurrence(4096, 200, 0.3)
    assert 0 < abs(expected) < 1e-90
    assert gegenbauer(4096, 200, 0.3) == pytest.approx(expected, rel=1e-12, abs=0)


@given(st.integers(2, 500), st.integers(0, 300), st.floats(-1, 1))
def test_bounds_and_parity(d: int, degree: int, t: float) -> None:
    value = float(gegenbauer(d, degree, t))
    assert abs(value) <= 1 + stated_error(d, degree, t)
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


@given(st.integers(2, 100_000), st.lists(st.floats(-10, 10), min_size=1, max_size=300))
def test_clenshaw_at_the_poles(d: int, coefficients: list[float]) -> None:
    """The plain sums of c_l and (-1)^l c_l: backwards the recurrence alone would lose l^2 eps."""
    c = np.array(coefficients)
    tolerance = 4 * EPS * float(np.abs(c).sum())
    got = clenshaw(d, c, [1.0, -1.0])
    assert abs(got[0] - math.fsum(c)) <= tolerance
    assert abs(got[1] - math.fsum(c * (-1.0) ** np.arange(c.size))) <= tolerance


def test_clenshaw_takes_any_shape() -> None:
    t = np.array([[0.2, 1.0, -0.4], [-1.0, 0.0, 0.9]])
    got = clenshaw(5, [1.0, 2.0, 3.0], t)
    assert got.shape == t.shape
    assert got == pytest.approx(1 + 2 * t + 3 * (5 * t**2 - 1) / 4, abs=1e-14)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("at", [0, 1, 4])
def test_clenshaw_of_what_is_not_finite_is_no_number(bad: float, at: int) -> None:
    c = np.ones(5)
    c[at] = bad
    assert not np.any(np.isfinite(clenshaw(3, c, [-1.0, 0.0, 0.3, 1.0])))


def test_weights_that_underflow() -> None:
    """1000 nodes in dimension 1e5: the far weights are 0, and bounded integrands do not see it."""
    nodes, weights = gauss_rule(100_000, 1000)
    assert np.all(weights >= 0) and weights[0] == 0 and np.all(np.diff(nodes) > 0)
    table = gegenbauer_all(100_000, 40, nodes)
    assert table @ weights == pytest.approx(np.eye(41)[0], abs=1e-14)


@pytest.mark.parametrize(("d", "n"), [(3, 60), (8, 40), (1000, 60), (100_000, 60)])
def test_nodes_and_weights_in_fifty_digits(d: int, n: int) -> None:
    nodes, weights = gauss_rule(d, n)
    for i in (0, 1, n // 4, n // 2 - 1):
        node, weight = reference_node(d, n, float(nodes[i]))
        assert nodes[i] == pytest.approx(node, abs=2 * EPS)
        assert weights[i] == pytest.approx(weight, rel=n * n * EPS, abs=0)


def reference_node(d: int, n: int, t: float) -> tuple[float, float]:
    """Newton's method on P_n from t, and 1/sum_k N_k P_k^2 there: slow, and independent."""
    import mpmath

    with mpmath.workdps(50):
        x = mpmath.mpf(t)
        for _ in range(3):
            lower, upper, total = mpmath.mpf(1), x, mpmath.mpf(1)
            count = mpmath.mpf(d)  # N_k
            for k in range(1, n):
                total += count * upper**2
                lower, upper = upper, ((2 * k + d - 2) * x * upper - k * lower) / (k + d - 2)
                count *= mpmath.mpf((2 * k + d) * (k + d - 2)) / ((2 * k + d - 2) * (k + 1))
            # (1-t^2) P_n' = n (P_{n-1} - t P_n) for the normalised P_n
            x -= upper * (1 - x * x) / (n * (lower - x * upper))
        return float(x), float(1 / total)


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
    for d in (2, 5):
        nodes, weights = gauss_rule(d, 4)
        nodes[:], weights[:] = 0, 0
        assert gauss_rule(d, 4)[0][0] < 0 < gauss_rule(d, 4)[1][0]


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


@pytest.mark.parametrize("bad", ["a", None, 1j, np.array([1j]), [True], [[1.0], [1.0, 2.0]]])
def test_what_is_not_a_number_is_refused_by_name(bad: Any) -> None:
    for call in (
        lambda: gegenbauer(3, 2, bad),
        lambda: gegenbauer_all(3, 2, bad),
        lambda: clenshaw(3, [1.0, 2.0], bad),
        lambda: derivative(3, 2, bad),
    ):
        with pytest.raises(ArgumentError, match=r"^t must be"):
            call()
    with pytest.raises(ArgumentError, match=r"^coefficients must"):
        clenshaw(3, bad, 0.3)


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


@pytest.mark.parametrize(("d", "slack"), [(2, 2.0), (3, 2.0), (32, 6.0), (1024, 6.0), (4096, 12.0)])
def test_clenshaw_is_relative_to_its_terms(d: int, slack: float) -> None:
    """Coefficients up to N_l^{1/2}, which is past 1e90, against P_l as small: no digits lost."""
    import mpmath

    rng, top = np.random.default_rng(d), 200
    c = np.exp(0.5 * log_multiplicity(d, np.arange(top + 1))) * rng.standard_normal(top + 1)
    for t in (0.05, 0.5, -0.9):
        with mpmath.workdps(60):
            x = mpmath.mpf(t)
            lower, upper = mpmath.mpf(1), x
            total, size = c[0] + c[1] * x, abs(c[0]) + abs(c[1] * x)
            for k in range(1, top):
                lower, upper = upper, ((2 * k + d - 2) * x * upper - k * lower) / (k + d - 2)
                total, size = total + c[k + 1] * upper, size + abs(c[k + 1] * upper)
            error = float(abs(mpmath.mpf(float(clenshaw(d, c, t))) - total) / size)
        assert error <= slack * EPS


@pytest.mark.parametrize("size", [1, 2, 3, 5000])
@pytest.mark.parametrize("d", [2, 3, 64])
def test_clenshaw_of_any_length(d: int, size: int) -> None:
    rng = np.random.default_rng(size)
    c, t = rng.standard_normal(size), np.concatenate([[1.0, -1.0, 0.0], rng.uniform(-0.9, 0.9, 5)])
    plain = c @ gegenbauer_all(d, size - 1, t)
    assert clenshaw(d, c, t) == pytest.approx(plain, abs=20 * EPS * np.abs(c).sum())


@pytest.mark.parametrize("d", [2, 3, 4, 9, 1000, 100_000])
def test_rule_of_one_and_two_points(d: int) -> None:
    nodes, weights = gauss_rule(d, 1)
    assert nodes.tolist() == [0.0] and weights.tolist() == [1.0]
    nodes, weights = gauss_rule(d, 2)
    assert nodes == pytest.approx([-1 / math.sqrt(d), 1 / math.sqrt(d)], rel=2 * EPS)
    assert weights == pytest.approx([0.5, 0.5], rel=2 * EPS)


@pytest.mark.parametrize(
    ("d", "n", "tolerance"), [(2, 30, 1e-14), (3, 40, 3e-14), (17, 60, 3e-14), (3, 2000, 2e-12)]
)
def test_gauss_rule_to_its_last_degree_and_no_further(d: int, n: int, tolerance: float) -> None:
    """Every even moment to 2n-2, relative; and the first that a rule of n nodes must miss."""
    nodes, weights = gauss_rule(d, n)
    moment = 1.0
    for m in range(1, n):
        moment *= (2 * m - 1) / (d + 2 * m - 2)
        assert weights @ nodes ** (2 * m) == pytest.approx(moment, rel=tolerance, abs=0)
    # E t^{2n} is more by 1/(k^2), k the leading coefficient of the orthonormal p_n
    k = np.arange(1.0, n + 1)
    squares = k * (k + d - 3) / ((2 * k + d - 2) * (2 * k + d - 4)) if d > 2 else 0.25 + 0 * k
    if d == 2:
        squares[0] = 0.5
    missing = math.exp(float(np.log(squares).sum()))
    moment *= (2 * n - 1) / (d + 2 * n - 2)
    if missing > 1e-10 * moment:
        assert moment - weights @ nodes ** (2 * n) == pytest.approx(missing, rel=1e-3)


@pytest.mark.parametrize(("d", "n"), [(4, 40), (5, 100), (17, 60)])
def test_gauss_rule_against_scipys_gegenbauer(d: int, n: int) -> None:
    nodes, weights = gauss_rule(d, n)
    other, mass = special.roots_gegenbauer(n, d / 2 - 1)
    assert nodes == pytest.approx(other, abs=4 * EPS)
    assert weights == pytest.approx(mass / mass.sum(), rel=1e-10)
