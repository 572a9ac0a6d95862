"""The sphere: counts in exact integers, the law of a coordinate by its moments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spherelab.arguments import ArgumentError
from spherelab.sphere import (
    coordinate_rule,
    log_area,
    log_coordinate_density,
    log_multiplicity,
    multiplicity,
    uniform_sample,
)

EPS = float(np.finfo(float).eps)


def exact_multiplicity(d: int, degree: int) -> int:
    """dim of homogeneous polynomials of this degree less those of degree - 2."""
    low = math.comb(degree + d - 3, d - 1) if degree >= 2 else 0
    return math.comb(degree + d - 1, d - 1) - low


def exact_log(value: int) -> float:
    import mpmath

    with mpmath.workdps(40):
        return float(mpmath.log(value))


@pytest.mark.parametrize(
    ("d", "degree"),
    [
        (2, 1),
        (2, 9999),
        (3, 10_000),
        (8, 5),
        (17, 333),
        (2048, 400),
        (100_000, 3),
        (100_000, 10_000),
    ],
)
def test_multiplicities_are_exact_counts(d: int, degree: int) -> None:
    expected = exact_log(exact_multiplicity(d, degree))
    got = float(log_multiplicity(d, degree))
    assert abs(got - expected) <= 2 * EPS * max(1.0, expected)


@pytest.mark.parametrize("d", [2, 3, 4, 7, 33, 512, 2048, 10_000, 99_999, 100_000])
def test_multiplicities_to_one_ulp(d: int) -> None:
    """The other count, (2l+d-2)/(l+d-2) C(l+d-2, l); degrees either side of those that are kept."""
    degrees = [0, 1, 2, 3, 10, 100, 400, 511, 512, 513, 3000, 10_000]
    for degree in degrees:
        count = math.comb(degree + d - 2, degree) * (2 * degree + d - 2)
        count = count // (degree + d - 2) if degree + d > 2 else 1
        expected = exact_log(count)
        assert abs(float(log_multiplicity(d, degree)) - expected) <= np.spacing(expected)
        if 0 < expected < 700:  # the exponential multiplies the rounding of the log
            bound = EPS * (1 + expected)
            assert float(multiplicity(d, degree)) == pytest.approx(count, rel=bound)


@given(st.integers(2, 300), st.integers(0, 400))
def test_multiplicities_anywhere(d: int, degree: int) -> None:
    expected = exact_log(exact_multiplicity(d, degree))
    assert float(log_multiplicity(d, degree)) == pytest.approx(expected, rel=2 * EPS, abs=2 * EPS)


def test_multiplicities_by_shape_and_range() -> None:
    table = log_multiplicity(7, np.arange(2000).reshape(4, 500))  # past those that are kept
    assert table.shape == (4, 500)
    assert table[0, 400] == log_multiplicity(7, 400) and table[3, 499] == log_multiplicity(7, 1999)
    assert multiplicity(3, np.arange(5)) == pytest.approx([1, 3, 5, 7, 9], rel=1e-15)
    assert multiplicity(2, [0, 1, 7]) == pytest.approx([1, 2, 2], rel=1e-15)
    assert multiplicity(2048, 400) == math.inf  # documented overflow, without a warning
    assert float(log_multiplicity(2048, 400)) / math.log(10) == pytest.approx(
        471.6319096242671, rel=1e-15
    )


def test_area() -> None:
    assert log_area(2) == pytest.approx(math.log(2 * math.pi), rel=4 * EPS)
    assert log_area(3) == pytest.approx(math.log(4 * math.pi), rel=4 * EPS)
    assert log_area(4) == pytest.approx(math.log(2 * math.pi**2), rel=4 * EPS)
    import mpmath

    with mpmath.workdps(40):
        half = mpmath.mpf(100_000) / 2
        expected = mpmath.log(2) + half * mpmath.log(mpmath.pi) - mpmath.loggamma(half)
    assert log_area(100_000) == pytest.approx(float(expected), rel=2 * EPS)


@pytest.mark.parametrize("d", [2, 3, 4, 5, 16, 1024, 100_000])
def test_coordinate_density(d: int) -> None:
    """Mass 1, E t^2 = 1/d and kurtosis 3d/(d+2): an error by one in d fails."""
    # t = tanh y: the trapezoid rule also for the ends of d = 2
    width = min(30.0, 40.0 / math.sqrt(d) + 40.0 / d)
    y = np.linspace(-width, width, 4001)
    t = np.tanh(y)
    log_jacobian = -2 * np.log(np.cosh(y))
    inside = np.abs(t) < 1
    density = np.exp(log_coordinate_density(d, t[inside]) + log_jacobian[inside])
    mass = density * (y[1] - y[0])
    tail = 2e-8 if d == 2 else 1e-12  # what |t| < 1 leaves out: sqrt(2 eps)/pi for d = 2
    assert mass.sum() == pytest.approx(1, abs=tail)
    assert mass @ t[inside] ** 2 == pytest.approx(1 / d, rel=1e-7 if d == 2 else 1e-11)
    fourth = float(mass @ t[inside] ** 4) * d * d
    assert fourth == pytest.approx(3 * d / (d + 2), rel=1e-7 if d == 2 else 1e-11)


@given(
    st.integers(2, 100_000),
    st.one_of(st.floats(-1, 1), st.floats(1e-15, 1).map(lambda gap: 1 - gap)),
)
def test_coordinate_density_anywhere(d: int, t: float) -> None:
    if abs(t) == 1:
        return
    import mpmath

    with mpmath.workdps(40):
        half = mpmath.mpf(d) / 2
        constant = mpmath.loggamma(half) - mpmath.loggamma(half - 0.5) - mpmath.log(mpmath.pi) / 2
        expected = float(constant + (half - 1.5) * mpmath.log(1 - mpmath.mpf(t) ** 2))
    got = float(log_coordinate_density(d, t))
    assert abs(got - expected) <= max(2 * EPS * abs(expected), 1e-17)


def test_coordinate_density_at_the_poles() -> None:
    assert np.all(log_coordinate_density(2, [-1.0, 1.0]) == math.inf)
    assert log_coordinate_density(3, [-1.0, 0.3, 1.0]) == pytest.approx([-math.log(2)] * 3)
    assert np.all(log_coordinate_density(4, [-1.0, 1.0]) == -math.inf)


def test_coordinate_rule_on_two_points() -> None:
    nodes, weights = coordinate_rule(1, 9)
    assert nodes.tolist() == [-1, 1] and weights.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("d", [2, 3, 50])
def test_uniform_sample(d: int) -> None:
    x = uniform_sample(20_000, d, np.random.default_rng(d))
    assert x.shape == (20_000, d)
    assert np.linalg.norm(x, axis=1) == pytest.approx(np.ones(len(x)), abs=4 * EPS)
    assert np.max(np.abs(x.mean(axis=0))) < 5 / math.sqrt(d * len(x))
    second = x.T @ x / len(x)
    assert np.max(np.abs(second - np.eye(d) / d)) < 6 * math.sqrt(2 / len(x)) / d
    again = uniform_sample(20_000, d, np.random.default_rng(d))
    assert np.array_equal(x, again)
    assert uniform_sample(0, d, np.random.default_rng(0)).shape == (0, d)


class OnceZero(np.random.Generator):
    """Draws one row of zeros first, as low precision can."""

    drawn = 0

    def standard_normal(self, size: Any = None, *args: Any, **more: Any) -> Any:
        rows = super().standard_normal(size)
        if self.drawn == 0:
            rows[0] = 0.0
        self.drawn += 1
        return rows


def test_a_row_of_zeros_is_drawn_again() -> None:
    x = uniform_sample(3, 4, OnceZero(np.random.PCG64(0)))
    assert np.linalg.norm(x, axis=1) == pytest.approx(np.ones(3))


@pytest.mark.parametrize("d", [1, 0, -3, 2.5, "3", None, True, math.nan])
def test_bad_dimension(d: object) -> None:
    for call in (
        log_area,
        lambda d: log_multiplicity(d, 1),
        lambda d: log_coordinate_density(d, 0),
    ):
        with pytest.raises(ArgumentError, match=r"^d must be an integer >= 2"):
            call(d)  # type: ignore[arg-type]


def test_other_bad_input() -> None:
    for degrees in (-1, 1.5, "a", [1, -2], [0.0], None):
        with pytest.raises(ArgumentError, match=r"^degrees"):
            log_multiplicity(3, degrees)  # type: ignore[arg-type]
    for t in (1.0000001, -2, math.nan, [0.1, math.inf]):
        with pytest.raises(ArgumentError, match=r"^t must be in"):
            log_coordinate_density(3, t)
    not_numbers: list[Any] = ["a", 1j, [True], [[0.1], [0.1, 0.2]]]
    for value in not_numbers:
        with pytest.raises(ArgumentError, match=r"^t must be"):
            log_coordinate_density(3, value)
    with pytest.raises(ArgumentError, match=r"^n must be"):
        uniform_sample(-1, 3, np.random.default_rng(0))
    with pytest.raises(ArgumentError, match=r"^rng must be"):
        uniform_sample(1, 3, 0)  # type: ignore[arg-type]
    for d in (1, 3):
        for n in (0, -2, 1.0, None):
            with pytest.raises(ArgumentError, match=r"^n must be"):
                coordinate_rule(d, n)  # type: ignore[arg-type]


def test_results_belong_to_their_caller() -> None:
    """Low degrees and Gauss rules are kept between calls."""
    first = log_multiplicity(6, np.arange(5))
    first[:] = 7.0
    assert log_multiplicity(6, np.arange(5))[0] == 0.0
    for d in (1, 2, 6):
        nodes, weights = coordinate_rule(d, 4)
        nodes[:], weights[:] = 7.0, 7.0
        again, shares = coordinate_rule(d, 4)
        assert again[0] < 0 and shares.sum() == pytest.approx(1, abs=4 * EPS)


@pytest.mark.parametrize("d", [2, 3, 4, 9, 500])
def test_moments_of_a_sampled_coordinate(d: int) -> None:
    """E t = 0, E t^2 = 1/d, E t^4 = 3/(d(d+2)), E t_1 t_2 = 0, each within 4 standard errors."""
    x = uniform_sample(4000, d, np.random.default_rng(10 + d))
    for values, expected in (
        (x[:, 0], 0.0),
        (x[:, 0] ** 2, 1 / d),
        (x[:, -1] ** 4, 3 / (d * (d + 2))),
        (x[:, 0] * x[:, 1], 0.0),
    ):
        assert abs(values.mean() - expected) <= 4 * values.std() / math.sqrt(len(x))
