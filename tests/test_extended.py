"""Double-double arithmetic against exact fractions and ball arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from positive_series import gap, workprec

from spherelab import extended

pytest.importorskip("flint")

moderate = st.floats(-1e100, 1e100, allow_subnormal=False).filter(lambda x: abs(x) > 1e-100)


def exact(pair: extended.Pair) -> Fraction:
    return Fraction(float(pair[0])) + Fraction(float(pair[1]))


def ball_log(x: float) -> object:
    from flint import arb

    with workprec(1200):
        return arb(x).log()


def ball_log_gamma(x: float) -> object:
    from flint import arb

    with workprec(400):
        return arb(x).lgamma()


@given(moderate, moderate)
def test_sums_and_products_of_doubles_are_exact(x: float, y: float) -> None:
    assert exact(extended.two_sum(x, y)) == Fraction(x) + Fraction(y)
    assert exact(extended.two_product(x, y)) == Fraction(x) * Fraction(y)


@given(moderate, moderate, moderate)
def test_pairs_to_thirty_digits(x: float, y: float, factor: float) -> None:
    pair = extended.two_sum(x, 1e-17 * x)
    other = extended.two_sum(y, -3e-17 * y)
    bound = Fraction(1, 2**100) * (abs(exact(pair)) + abs(exact(other)))
    assert abs(exact(extended.add(pair, other)) - exact(pair) - exact(other)) <= bound
    if abs(factor * x) < 1e100:
        product = Fraction(factor) * exact(pair)
        assert abs(exact(extended.scale(factor, pair)) - product) <= abs(product) / 2**100


def test_total_recovers_what_cancels() -> None:
    third = extended.two_sum(1 / 3, float(Fraction(1, 3) - Fraction(1 / 3)))
    parts = [extended.exact(1e10), third, extended.exact(-1e10)]
    assert abs(exact(extended.total(*parts)) - Fraction(1, 3)) < 1e-22


@pytest.mark.parametrize(
    ("name", "value"), [("LOG_2", (2, 1)), ("LOG_PI", (1, 0)), ("LOG_2PI", (2, 0))]
)
def test_constants(name: str, value: tuple[int, int]) -> None:
    from flint import arb

    factor, rational = value
    with workprec(400):
        truth = arb(2).log() if rational else (factor * arb.pi()).log()
    assert gap(getattr(extended, name), truth) < 5e-33


def log_points() -> list[float]:
    rng = np.random.default_rng(1)
    near = [1 + sign * 2.0**-k for k in range(1, 53) for sign in (-1, 1)]
    seam = [math.sqrt(0.5) * 2.0**k * (1 + e) for k in (-3, 0, 1, 40) for e in (-1e-16, 0, 2e-16)]
    ends = [5e-324, 2.2e-308, 1e-300, 1.7e308]
    return [*near, *seam, *ends, *np.exp(rng.uniform(-700, 700, 60)).tolist()]


def test_log_to_twenty_one_digits() -> None:
    points = log_points()
    high, low = extended.log(np.array(points))
    for x, *pair in zip(points, high, low, strict=True):
        truth = ball_log(x)
        assert gap(tuple(pair), truth) <= 2e-21 * abs(float(truth.mid())), x
    assert extended.log(1.0)[0] == 0 == extended.log(1.0)[1]


def test_log_complement_to_twenty_one_digits() -> None:
    from flint import arb

    rng = np.random.default_rng(2)
    tiny = [*np.exp(rng.uniform(np.log(1e-300), np.log(2.0**-28), 40)), 2.0**-28, 0.0]
    cut = np.float32(np.exp(rng.uniform(np.log(2.0**-27), np.log(0.5), 40))).astype(float)
    points = np.array([*tiny, *cut, 0.5, 2.0**-28 * (1 + 2.0**-20)])
    high, low = extended.log_complement(points)
    for x, *pair in zip(points, high, low, strict=True):
        with workprec(1200):
            truth = (1 - arb(float(x))).log()
        assert gap(tuple(pair), truth) <= 1e-21 * x, x


def test_log_gamma() -> None:
    """Also at x that the shift to 24 and beyond rounds, where a lost ulp would cost 1e-15."""
    rng = np.random.default_rng(3)
    low_end = np.exp(rng.uniform(np.log(1e-8), np.log(30), 120))
    high_end = np.exp(rng.uniform(np.log(23.9), np.log(1e10), 60))
    points = np.array(
        [*low_end, *high_end, 0.5, 1.0, 2.0, 1 / 3, 24.0, math.nextafter(24, 0), 1e-300]
    )
    high, low = extended.log_gamma(points)
    for x, *pair in zip(points, high, low, strict=True):
        largest = max(1.0, abs(math.log(x)), x * abs(math.log(x)))
        assert gap(tuple(pair), ball_log_gamma(float(x))) <= 3e-18 * largest, x


def test_one_result_for_a_point_alone_or_among_others() -> None:
    points = np.array(log_points())
    points = points[points < 1e100]
    for function in (extended.log, extended.log_gamma):
        whole = function(points)
        for k in range(0, points.size, 7):
            alone = function(points[k])
            assert (alone[0], alone[1]) == (whole[0][k], whole[1][k])
    grid = extended.log(points[:6].reshape(2, 3))
    assert grid[0].shape == (2, 3) == grid[1].shape
    assert np.array_equal(grid[0].ravel(), extended.log(points[:6])[0])
