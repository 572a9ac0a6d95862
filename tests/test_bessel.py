"""log I_nu, ratios, inverse and lambda_0 against ball arithmetic, closed forms and at seams."""

from __future__ import annotations

import math

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from positive_series import gap, relative_gap, workprec
from positive_series import iv_ratio as slow_ratio
from positive_series import log_iv as slow_log_iv
from positive_series import log_lambda as slow_log_lambda
from positive_series import log_r as slow_log_r

from spherelab import bessel
from spherelab.arguments import ArgumentError

pytest.importorskip("flint")


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


def ulps(value: float, least: float = 1e-14) -> float:
    return max(float(np.spacing(abs(value))), least)


orders = st.one_of(
    st.integers(0, 200_000).map(lambda n: n / 2), log_uniform(1e-6, 1e5), st.just(0.0)
)
arguments = log_uniform(1e-8, 1e6)
dimensions = st.one_of(st.integers(2, 40), log_uniform(2, 1e5).map(round))
degrees = st.one_of(st.integers(0, 30), log_uniform(1, 1e4).map(round))

hard_points = [
    (0.0, 1e-8),
    (0.0, 1e6),
    (0.5, 1e-300),
    (1e5, 1e6),
    (1e5, 1e-8),
    (63999.25, 42425.0),  # log I near 0, and nu + 1/2 rounds
    (255.0, 1.0),  # underflows elsewhere
    (1e-6, 14.3),
    (13278.5, 8.786e-8),
]


class TestLogIv:
    @settings(max_examples=60)
    @given(orders, arguments)
    def test_against_the_outward_sum(self, nu: float, x: float) -> None:
        value = float(bessel.log_iv(nu, x))
        assert gap(value, slow_log_iv(nu, x)) <= ulps(value)

    @pytest.mark.parametrize(("nu", "x"), hard_points)
    def test_hard_points(self, nu: float, x: float) -> None:
        value = float(bessel.log_iv(nu, x))
        assert gap(value, slow_log_iv(nu, x)) <= ulps(value)

    @pytest.mark.parametrize(("nu", "x"), [(0.3, 1e3), (7.25, 1e-6), (500.0, 20.0), (0.0, 5e4)])
    def test_against_ball_arithmetic(self, nu: float, x: float) -> None:
        value = float(bessel.log_iv(nu, x))
        assert reference.absolute_error(value, reference.log_iv_arb(nu, x)) <= ulps(value)

    @pytest.mark.parametrize("x", [1e-8, 0.1, 3.0, 700.0, 1e6])
    def test_elementary_order(self, x: float) -> None:
        """I_{1/2}(x) = sqrt(2/(pi x)) sinh x."""
        sinh = x + math.log1p(-math.exp(-2 * x)) - math.log(2) if x > 1 else math.log(math.sinh(x))
        expected = 0.5 * math.log(2 / (math.pi * x)) + sinh
        assert float(bessel.log_iv(0.5, x)) == pytest.approx(expected, rel=4e-16, abs=2e-15)

    def test_at_zero(self) -> None:
        values = bessel.log_iv([0.0, 1e-6, 0.5, 100.0], 0.0)
        assert values.tolist() == [0.0, -math.inf, -math.inf, -math.inf]

    def test_falls_with_the_order_and_rises_with_the_argument(self) -> None:
        nu = np.geomspace(1e-3, 1e5, 60)
        x = np.geomspace(1e-8, 1e6, 60)
        values = bessel.log_iv(nu[:, None], x)
        assert values.shape == (60, 60)
        assert np.all(np.diff(values, axis=0) <= 0)
        assert np.all(np.diff(values, axis=1) > 0)

    def test_one_result_for_a_point_alone_or_among_others(self) -> None:
        rng = np.random.default_rng(0)
        nu, x = rng.uniform(0, 3000, (2, 3)), rng.uniform(0, 3000, (2, 3))
        whole = bessel.log_iv(nu, x)
        for index in np.ndindex(2, 3):
            alone = bessel.log_iv(float(nu[index]), float(x[index]))
            assert alone.shape == ()
            assert abs(alone - whole[index]) <= ulps(alone)
        assert bessel.log_iv([], 1.0).shape == (0,)


class TestRatio:
    @settings(max_examples=60)
    @given(orders, arguments)
    def test_ratio_and_complement(self, nu: float, x: float) -> None:
        with workprec():
            ratio = slow_ratio(nu, x)
            complement = 1 - ratio
        assert relative_gap(float(bessel.iv_ratio(nu, x)), ratio) < 2e-15
        assert relative_gap(float(bessel.iv_ratio_complement(nu, x)), complement) < 2e-15

    @pytest.mark.parametrize(("nu", "x"), [(0.0, 5e5), (8.1e-5, 15559.3), (1e3, 1e6), (1e5, 1e-8)])
    def test_against_ball_arithmetic(self, nu: float, x: float) -> None:
        ratio, complement = bessel.iv_ratio(nu, x), bessel.iv_ratio_complement(nu, x)
        assert reference.relative_error(float(ratio), reference.iv_ratio_arb(nu, x)) < 2e-15
        truth = reference.iv_ratio_complement_arb(nu, x)
        assert reference.relative_error(float(complement), truth) < 2e-15

    def test_at_zero_and_far_away(self) -> None:
        assert bessel.iv_ratio([0.0, 3.5], 0.0).tolist() == [0.0, 0.0]
        assert np.allclose(bessel.iv_ratio_complement([0.0, 3.5], 0.0), 1.0, rtol=1e-15)
        assert float(bessel.iv_ratio(0.5, 1e-300)) == pytest.approx(1e-300 / 3, rel=1e-15)
        assert float(bessel.iv_ratio_complement(2.0, 1e50)) == pytest.approx(2.5e-50, rel=1e-15)

    def test_rises_with_the_argument(self) -> None:
        x = np.geomspace(1e-8, 1e6, 300)
        for nu in (0.0, 0.5, 31.0, 1e4):
            assert np.all(np.diff(bessel.iv_ratio(nu, x)) >= 0)
            assert np.all(np.diff(bessel.iv_ratio_complement(nu, x)) <= 0)

    def test_amos_bounds(self) -> None:
        """x/(nu + 1/2 + sqrt((nu + m)^2 + x^2)), m = 3/2 below and 1/2 above; Amos (1974)."""
        nu, x = np.meshgrid(np.arange(0, 60, 2.5), np.geomspace(1e-3, 1e3, 30))
        ratio = bessel.iv_ratio(nu, x)
        lower = x / (nu + 0.5 + np.hypot(nu + 1.5, x))
        upper = x / (nu + 0.5 + np.hypot(nu + 0.5, x))
        assert np.all(ratio >= lower * (1 - 1e-14))
        assert np.all(ratio <= upper * (1 + 1e-14))

    def test_agrees_with_the_quotient_of_logs(self) -> None:
        x = np.geomspace(1e-6, 1e4, 50)
        quotient = np.exp(bessel.log_iv(3.5, x) - bessel.log_iv(2.5, x))
        assert np.allclose(quotient, bessel.iv_ratio(2.5, x), rtol=5e-12)


class TestInverse:
    @settings(max_examples=60)
    @given(orders, arguments)
    def test_undoes_ratio_and_complement(self, nu: float, x: float) -> None:
        a, b = float(bessel.iv_ratio(nu, x)), float(bessel.iv_ratio_complement(nu, x))
        with workprec():
            from flint import arb

            truth = slow_ratio(nu, x)
            slope = 1 - truth**2 - (2 * arb(nu) + 1) * truth / arb(x)
            by_ratio = max(1.0, float(truth / (arb(x) * slope)))
            by_complement = max(1.0, float((1 - truth) / (arb(x) * slope)))
        if 0 < b < 1:
            back = bessel.iv_ratio_inverse(nu, complement=b)
            assert abs(back / x - 1) < 1e-14 * by_complement
        if 0 < a < 1:
            back = bessel.iv_ratio_inverse(nu, a)
            assert abs(back / x - 1) < 1e-14 * by_ratio

    def test_ends(self) -> None:
        assert bessel.iv_ratio_inverse(3.0, 0.0) == 0.0
        assert bessel.iv_ratio_inverse(3.0, complement=1.0) == 0.0
        assert bessel.iv_ratio_inverse(1.0, 1e-300) == pytest.approx(4e-300, rel=1e-14)
        assert bessel.iv_ratio_inverse(1.0, complement=1e-80) == pytest.approx(1.5e80, rel=1e-14)

    def test_moderate_resultant_in_high_dimension(self) -> None:
        assert bessel.iv_ratio_inverse(63.0, 0.5) == pytest.approx(85.067877191749846, rel=1e-14)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"nu": -1.0, "ratio": 0.5}, r"nu must be in \[0, 5e\+09\], got -1.0"),
            ({"nu": [1.0, 2.0], "ratio": 0.5}, "nu must be a number"),
            ({"nu": 1.0}, "exactly one of ratio and complement"),
            ({"nu": 1.0, "ratio": 0.5, "complement": 0.5}, "exactly one of ratio and complement"),
            ({"nu": 1.0, "ratio": 1.0}, r"ratio must be in \[0, 1\), got 1.0"),
            ({"nu": 1.0, "ratio": math.nan}, r"ratio must be in \[0, 1\], got nan"),
            ({"nu": 1.0, "ratio": "0.5"}, "ratio must be a number"),
            ({"nu": 1.0, "complement": 0.0}, "complement must be in"),
            ({"nu": 1.0, "complement": 1.5}, "complement must be in"),
            ({"nu": 1.0, "complement": math.nan}, "complement must be in"),
        ],
    )
    def test_bad_input(self, arguments: dict[str, object], message: str) -> None:
        with pytest.raises(ArgumentError, match=message):
            bessel.iv_ratio_inverse(**arguments)


def seam(d: int) -> tuple[float, float]:
    """The last double with x^2 < d, and the next one."""
    x = math.sqrt(d)
    while x * x < d:
        x = math.nextafter(x, math.inf)
    while x * x >= d:
        x = math.nextafter(x, 0)
    return x, math.nextafter(x, math.inf)


class TestLambda0:
    @settings(max_examples=60)
    @given(dimensions, arguments)
    def test_relative_accuracy(self, d: int, x: float) -> None:
        truth = slow_log_lambda(0, d, x)
        assert relative_gap(float(bessel.log_lambda0(d, x)), truth) < 3e-14
        with workprec():
            from flint import arb

            truth = truth - arb(x)
        assert relative_gap(float(bessel.log_lambda0_scaled(d, x)), truth) < 3e-14

    @pytest.mark.parametrize("d", [2, 3, 17, 1024, 83_226])
    def test_near_the_seam(self, d: int) -> None:
        for x in np.sqrt(d) * np.array([0.9, 0.99, 1.0, 1.01, 1.3]):
            truth = slow_log_lambda(0, d, float(x))
            assert relative_gap(float(bessel.log_lambda0(d, x)), truth) < 3e-14

    @pytest.mark.parametrize("d", [2, 3, 4, 5, 16, 17, 1000, 65_536, 100_000])
    def test_seam_one_ulp_either_side(self, d: int) -> None:
        """Power series below x^2 = d, interpolant above: value and slope."""
        below, above = seam(d)
        assert below * below < d <= above * above
        for function in (bessel.log_lambda0, bessel.log_lambda0_scaled):
            values = function(d, [below, above])
            assert abs(values[1] - values[0]) <= 3e-14 * abs(values[0])
        self.check_slope(d, above)

    @pytest.mark.parametrize("d", [2, 3, 16, 1000, 100_000])
    def test_octaves_one_ulp_either_side(self, d: int) -> None:
        """A new interpolant begins at each power of 2, and another leading term at d."""
        for k in range(math.ceil(math.log2(math.sqrt(d))), 20):
            x = 2.0**k
            for function in (bessel.log_lambda0, bessel.log_lambda0_scaled):
                values = function(d, [math.nextafter(x, 0), x])
                assert abs(values[1] - values[0]) <= 1e-14 * abs(values[0])
            self.check_slope(d, x)

    @staticmethod
    def check_slope(d: int, x: float) -> None:
        """d/dx log lambda_0 = I_{nu+1}/I_nu, by a difference across the point."""
        h = 1e-4 * x
        values = bessel.log_lambda0(d, [x - 2 * h, x - h, x + h, x + 2 * h])
        slope = (8 * (values[2] - values[1]) - (values[3] - values[0])) / (12 * h)
        rounding = 1e-14 * values[3] / h
        assert abs(slope - float(bessel.iv_ratio(0.5 * d - 1, x))) < 1e-12 + rounding

    def test_even_and_one_at_zero(self) -> None:
        x = np.array([0.0, 1e-200, 1e-9, 0.3, 2.0, 50.0, 1e5])
        for d in (2, 3, 50):
            assert np.array_equal(bessel.log_lambda0(d, x), bessel.log_lambda0(d, -x))
            assert bessel.log_lambda0(d, 0.0) == 0.0
            assert bessel.log_lambda0_scaled(d, 0.0) == 0.0

    @pytest.mark.parametrize("d", [2, 3, 100, 100_000])
    def test_small_arguments(self, d: int) -> None:
        """x^2/(2d) - x^4/(4 d^2 (d+2)) + ..: the digits stay."""
        for x in (1e-150, 1e-20, 1e-8, 1e-4):
            leading = x * x / (2 * d) * (1 - x * x / (2 * d * (d + 2)))
            assert float(bessel.log_lambda0(d, x)) == pytest.approx(leading, rel=1e-15)

    @pytest.mark.parametrize("x", [1e-3, 0.7, 1.7, 1.8, 30.0, 1e4, 1e9, 1e99])
    def test_elementary_dimension(self, x: float) -> None:
        """d = 3: sinh x / x."""
        scaled = math.log(-math.expm1(-2 * x)) - math.log(2 * x)
        assert float(bessel.log_lambda0_scaled(3, x)) == pytest.approx(scaled, rel=2e-15)
        if x > 1:
            assert float(bessel.log_lambda0(3, x)) == pytest.approx(x + scaled, rel=2e-15)

    def test_shapes(self) -> None:
        x = np.linspace(-30, 30, 12).reshape(3, 4)
        values = bessel.log_lambda0(5, x)
        assert values.shape == (3, 4)
        for index in np.ndindex(3, 4):
            assert values[index] == bessel.log_lambda0(5, float(x[index]))
        assert bessel.log_lambda0(5, []).shape == (0,)


class TestSpectrum:
    @settings(max_examples=60)
    @given(dimensions, degrees, arguments)
    def test_eigenvalues(self, d: int, ell: int, x: float) -> None:
        truth = slow_log_lambda(ell, d, x)
        value = float(bessel.log_eigenvalues(d, ell, x))
        assert gap(value, truth) <= ulps(value, 4e-14)
        with workprec():
            from flint import arb

            truth = truth - arb(x)
        shifted = float(bessel.log_eigenvalues(d, ell, x, offset=-x))
        assert gap(shifted, truth) <= ulps(shifted, 4e-14)

    @settings(max_examples=60)
    @given(dimensions, degrees, arguments)
    def test_quotients(self, d: int, ell: int, x: float) -> None:
        value = float(bessel.log_iv_quotient(d, ell, x))
        assert gap(value, slow_log_r(ell, d, x)) <= ulps(value, 4e-14)

    @pytest.mark.parametrize(
        ("ell", "d", "x"), [(10_000, 100_000, 1e6), (10, 2, 1e6), (100, 1000, 1e4), (3, 8, 5.0)]
    )
    def test_against_ball_arithmetic(self, ell: int, d: int, x: float) -> None:
        for function, slow in (
            (bessel.log_eigenvalues, reference.log_lambda_arb),
            (bessel.log_iv_quotient, reference.log_r_arb),
        ):
            value = float(function(d, ell, x))
            assert reference.absolute_error(value, slow(ell, d, x)) <= ulps(value, 4e-14)

    @pytest.mark.parametrize("d", [2, 7, 1000])
    @pytest.mark.parametrize("x", [1e-8, 3.0, 2e4])
    def test_kept_and_fresh_values_agree(self, d: int, x: float) -> None:
        """A number x with low degrees goes through a table, anything else does not."""
        ell = np.array([[0, 5, 63], [64, 700, 5], [1023, 1, 2]])
        kept = bessel.log_iv_quotient(d, ell, x)
        fresh = bessel.log_iv_quotient(d, ell, np.array([x, x, x]))
        assert kept.shape == fresh.shape == (3, 3)
        assert np.all(np.abs(kept - fresh) <= np.maximum(np.spacing(np.abs(kept)), 2e-14))
        beyond = bessel.log_iv_quotient(d, np.append(ell, 1024), x)[:-1].reshape(3, 3)
        assert np.all(np.abs(kept - beyond) <= np.maximum(np.spacing(np.abs(kept)), 2e-14))
        for index in np.ndindex(3, 3):
            alone = bessel.log_iv_quotient(d, int(ell[index]), x)
            assert alone.shape == ()
            assert alone == kept[index]

    def test_kept_values_cannot_be_spoilt(self) -> None:
        first = bessel.log_iv_quotient(9, np.arange(64), 2.5)
        expected = first.copy()
        first[:] = 7.0
        assert np.array_equal(bessel.log_iv_quotient(9, np.arange(64), 2.5), expected)

    def test_at_zero(self) -> None:
        assert bessel.log_iv_quotient(5, [0, 1, 9], 0.0).tolist() == [0.0, -math.inf, -math.inf]
        mixed = bessel.log_iv_quotient(5, 1, [0.0, 1.0])
        assert mixed[0] == -math.inf
        assert mixed[1] == pytest.approx(math.log(bessel.iv_ratio(1.5, 1.0)), rel=1e-15)

    def test_falls_with_the_degree_and_rises_with_the_argument(self) -> None:
        ell = np.arange(1500)
        x = np.geomspace(1e-6, 1e5, 25)
        for d in (2, 30, 5000):
            values = bessel.log_iv_quotient(d, ell[:, None], x)
            assert np.all(values <= 0)
            assert np.all(np.diff(values, axis=0) < 0)
            assert np.all(np.diff(values[1:], axis=1) > 0)

    def test_recurrence_between_degrees(self) -> None:
        """r_{l-1} - r_{l+1} = (2l+d-2)/x r_l, DLMF 10.29.1."""
        for d, x in ((2, 0.5), (3, 40.0), (16, 5.0), (100, 300.0)):
            ell = np.arange(0, 40)
            r = np.exp(bessel.log_iv_quotient(d, ell, x))
            middle = ell[1:-1]
            assert np.allclose(r[:-2] - r[2:], (2 * middle + d - 2) / x * r[1:-1], rtol=1e-12)


@pytest.mark.parametrize("name", ["log_iv", "iv_ratio", "iv_ratio_complement"])
@pytest.mark.parametrize(
    ("nu", "x", "message"),
    [
        (-0.5, 1.0, r"nu must be finite and in \[0, 5e\+09\], got -0.5"),
        (math.nan, 1.0, "nu must be finite and in .* got nan"),
        (math.inf, 1.0, "nu must be finite and in .* got inf"),
        (1j, 1.0, "nu must be an array of real numbers"),
        ("1", 1.0, "nu must be an array of real numbers"),
        (1.0, -1e-300, r"x must be finite and in \[0, 1e\+100\], got -1e-300"),
        (1.0, math.nan, "x must be finite and in .* got nan"),
        (1.0, math.inf, "x must be finite and in .* got inf"),
        (1.0, 1e200, "x must be finite and in .* got 1e\\+200"),
        (1.0, [1.0, math.nan], "x must be finite and in .* got nan"),
        (1.0, 1j, "x must be an array of real numbers"),
        (1.0, None, "x must be an array of real numbers"),
        ([1.0, 2.0], [1.0, 2.0, 3.0], r"shapes must fit together, got nu \(2,\) and x \(3,\)"),
    ],
)
def test_bad_order_or_argument(name: str, nu: object, x: object, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        getattr(bessel, name)(nu, x)


@pytest.mark.parametrize("name", ["log_eigenvalues", "log_iv_quotient"])
@pytest.mark.parametrize(
    ("d", "ell", "x", "message"),
    [
        (1, 2, 1.0, "d must be an integer >= 2, got 1"),
        (2.5, 2, 1.0, "d must be an integer >= 2, got 2.5"),
        (10**10, 2, 1.0, "d must be at most 1000000000"),
        (5, -1, 1.0, "degrees must be integers >= 0, got -1"),
        (5, 1.5, 1.0, "degrees must be integers >= 0, got 1.5"),
        (5, 10**19, 1.0, "degrees must be at most 1000000000"),
        (5, 2, -1.0, "x must be finite and in"),
        (5, 2, math.nan, "x must be finite and in"),
        (5, 2, "1", "x must be an array of real numbers"),
        (5, [1, 2], [1.0, 2.0, 3.0], r"shapes must fit together, got degrees \(2,\) and x \(3,\)"),
    ],
)
def test_bad_spectrum(name: str, d: object, ell: object, x: object, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        getattr(bessel, name)(d, ell, x)


def test_eigenvalues_need_a_positive_argument() -> None:
    with pytest.raises(ArgumentError, match="x must be > 0, got 0"):
        bessel.log_eigenvalues(5, 1, 0.0)


@pytest.mark.parametrize("name", ["log_lambda0", "log_lambda0_scaled"])
@pytest.mark.parametrize("x", [math.nan, math.inf, 1e200, 1j, "1", None, [1.0, math.nan]])
def test_bad_lambda0(name: str, x: object) -> None:
    with pytest.raises(ArgumentError, match=r"^x must be"):
        getattr(bessel, name)(5, x)
