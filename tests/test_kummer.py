"""log 1F1 and the tilted Beta rule against ball arithmetic and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from positive_series import gap, relative_gap, workprec
from positive_series import log_kummer as slow_log_kummer

from spherelab.arguments import ArgumentError
from spherelab.kummer import log_beta_laplace, log_kummer, tilted_beta_rule, tilted_means

pytest.importorskip("flint")


def tolerance(a: float, b: float, value: float) -> float:
    """What the docstring states: an ulp of the result, 2e-14, or 2e-16 sqrt(b)."""
    return max(float(np.spacing(abs(value))), 2e-14, 2e-16 * math.sqrt(b))


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


wide, middling = log_uniform(0.0626, 1e6), log_uniform(0.0626, 300.0)


class TestLogKummer:
    @settings(max_examples=40)
    @given(wide, wide, log_uniform(1e-8, 1e6), st.booleans())
    def test_against_the_outward_sum(self, a: float, c: float, x: float, negative: bool) -> None:
        b, x = a + c, -x if negative else x
        if b - a < 1 / 16:
            return
        value = float(log_kummer(a, b, x))
        assert gap(value, slow_log_kummer(a, b, x)) <= tolerance(a, b, value)

    @settings(max_examples=40)
    @given(middling, middling, log_uniform(1e-8, 1e5), st.booleans())
    def test_against_ball_arithmetic(self, a: float, c: float, x: float, negative: bool) -> None:
        b, x = a + c, -x if negative else x
        if b - a < 1 / 16:
            return
        value = float(log_kummer(a, b, x))
        truth = reference.log_kummer_arb(a, b, x)
        assert reference.absolute_error(value, truth) <= tolerance(a, b, value)

    @pytest.mark.parametrize(
        ("a", "b", "x"),
        [
            (255.5, 511.0, 1500.0),  # overflows elsewhere
            (1 / 16, 1 / 8, 700.0),  # the longest tails
            (1 / 16, 1 / 8, -700.0),
            (1 / 16, 1e5, 1e7),
            (1 / 16, 1e5, -1e7),
            (99999.9375, 1e5, 1e7),
            (2226.3649377404413, 732133.327235247, -956.8309806238025),  # b - a rounds
            (1e6, 2e6, 1e7),
            (1e6, 2e6, -1e7),
            (0.5, 1e6, 3e6),  # the terms first fall, then rise
            (1e10, 1.5e10, -5.0),
            (2.5, 6.0, 5e-324),
        ],
    )
    def test_hard_points(self, a: float, b: float, x: float) -> None:
        value = float(log_kummer(a, b, x))
        bound = tolerance(a, b, value)
        assert gap(value, slow_log_kummer(a, b, x)) <= bound

    def test_known_value(self) -> None:
        assert float(log_kummer(255.5, 511, 1500)) == pytest.approx(1103.1435977730738, rel=4e-16)

    @pytest.mark.parametrize("x", [1e-8, 0.3, 5.0, 300.0, 1e5, 1e16, 1e100])
    def test_elementary_case(self, x: float) -> None:
        """1F1(1; 2; -x) = (1 - e^-x)/x."""
        expected = math.log1p(-x / 2) if x < 1e-7 else math.log(-math.expm1(-x) / x)
        assert float(log_kummer(1, 2, -x)) == pytest.approx(expected, rel=4e-16, abs=1e-15)

    def test_one_at_zero(self) -> None:
        assert np.all(log_kummer([0.3, 1.0, 1e6], [0.6, 1.5, 3e6], 0.0) == 0)

    @given(log_uniform(0.07, 1e4), log_uniform(0.07, 1e4), st.floats(-1e4, 1e4))
    def test_kummers_transformation(self, a: float, c: float, x: float) -> None:
        """1F1(a; b; x) = e^x 1F1(b-a; b; -x), DLMF 13.2.39."""
        b = float(np.float32(a)) + float(np.float32(c))
        a = float(np.float32(a))
        left, right = float(log_kummer(a, b, x)), x + float(log_kummer(b - a, b, -x))
        assert abs(left - right) <= 4 * np.spacing(abs(x)) + 2e-13

    def test_rises_with_x(self) -> None:
        x = np.concatenate([-np.geomspace(1e7, 1e-3, 200), np.geomspace(1e-3, 1e7, 200)])
        for a, b in ((0.0625, 1.0), (1.5, 2.0), (40.0, 1000.0), (1e5, 1.2e5)):
            values = log_kummer(a, b, x)
            assert np.all(np.diff(values) > 0)
            assert np.all(np.abs(values) <= np.abs(x))

    def test_shapes(self) -> None:
        a = np.array([[1.0], [2.5]])
        b = np.array([3.0, 40.0, 1e4])
        whole = log_kummer(a, b, 7.0)
        assert whole.shape == (2, 3)
        for i in range(2):
            for j in range(3):
                alone = log_kummer(float(a[i, 0]), float(b[j]), 7.0)
                assert alone.shape == ()
                assert abs(alone - whole[i, j]) <= max(np.spacing(abs(alone)), 2e-14)
        assert log_kummer([], [], 1.0).shape == (0,)
        assert log_beta_laplace(np.empty((0, 3)), 1.0, 1.0)[0].shape == (0, 3)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((1.0, 2.0, math.nan), "x must be finite, got nan"),
            ((1.0, 2.0, math.inf), "x must be finite, got inf"),
            ((1.0, 2.0, 1e200), r"x must be finite and in \[-1e\+150, 1e\+150\], got 1e\+200"),
            ((1.0, 2.0, [1.0, math.nan]), "x must be finite, got nan"),
            ((1.0, 2.0, 1j), "x must be an array of real numbers, got dtype complex128"),
            ((1.0, 2.0, "1"), "x must be an array of real numbers"),
            ((1.0, 2.0, None), "x must be an array of real numbers"),
            ((math.nan, 2.0, 1.0), "a must be finite, got nan"),
            ((0.0, 2.0, 1.0), r"a must be finite and in \[0.0625, 1e\+10\], got 0.0"),
            ((0.06, 2.0, 1.0), "a must be finite and in"),
            ((-1.5, 2.0, 1.0), "a must be finite and in"),
            ((1e11, 2e11, 1.0), "a must be finite and in"),
            ((1.0, math.inf, 1.0), "b must be finite, got inf"),
            ((2.0, 1.0, 1.0), r"b - a must be finite and in \[0.0625, 1e\+10\], got -1.0"),
            ((2.0, 2.0, 1.0), "b - a must be finite and in"),
            (([1.0, 2.0], [3.0, 4.0, 5.0], 1.0), r"shapes must fit together, got a \(2,\) and b"),
        ],
    )
    def test_bad_input(self, arguments: tuple[object, ...], message: str) -> None:
        with pytest.raises(ArgumentError, match=message):
            log_kummer(*arguments)


parameters = [
    (0.5, 0.5, 0.0),
    (1 / 16, 1 / 16, 3.0),
    (7.5, 7.5, -3.0),
    (0.5, 0.5, -1e5),
    (3.0, 40.0, 1e5),
    (5e4, 5e4, -20.0),
    (5e4, 0.5, 1e3),
    (1e5, 3e4, -1e6),
]


class TestTiltedBetaRule:
    @pytest.mark.parametrize(("a", "b", "x"), parameters)
    def test_is_a_law_on_the_interval(self, a: float, b: float, x: float) -> None:
        v, complement, weights = tilted_beta_rule(a, b, x)
        assert np.all(weights > 0)
        assert abs(weights.sum() - 1) < 1e-14
        assert np.all(np.diff(v) >= 0)
        assert np.all((v >= 0) & (v <= 1) & (complement >= 0) & (complement <= 1))
        assert np.max(np.abs(v + complement - 1)) < 2e-16

    @pytest.mark.parametrize(("a", "b", "x"), parameters)
    def test_moments(self, a: float, b: float, x: float) -> None:
        """E v^m (1-v)^n e^(-x v) is a quotient of two 1F1; relative accuracy in both ends."""
        v, complement, weights = tilted_beta_rule(a, b, x)
        for m, n in ((1, 0), (0, 1), (1, 1)):
            with workprec():
                from flint import arb

                change = slow_log_kummer(arb(a) + m, arb(a) + arb(b) + m + n, -x)
                change -= slow_log_kummer(arb(a), arb(a) + arb(b), -x)
                factor = arb(a).rising(arb(m)) * arb(b).rising(arb(n))
                factor /= (arb(a) + arb(b)).rising(arb(m + n))
                truth = change.exp() * factor
            assert relative_gap(float(weights @ (v**m * complement**n)), truth) < 1e-14

    @pytest.mark.parametrize(("a", "b", "x"), parameters)
    def test_levels_refine(self, a: float, b: float, x: float) -> None:
        sizes, means = [], []
        for level in range(3):
            v, _, weights = tilted_beta_rule(a, b, x, level)
            sizes.append(v.size)
            means.append(float(weights @ np.sqrt(v)))
        assert 1.7 < sizes[1] / sizes[0] < 2.1
        assert 1.7 < sizes[2] / sizes[1] < 2.1
        assert np.ptp(means) <= 2e-14 * means[0]

    def test_results_belong_to_the_caller(self) -> None:
        first = tilted_beta_rule(2.0, 3.0, 1.0)
        kept = [part.copy() for part in first]
        for part in first:
            part[:] = -1
        for part, expected in zip(tilted_beta_rule(2.0, 3.0, 1.0), kept, strict=True):
            assert np.array_equal(part, expected)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((math.nan, 1.0, 1.0), "a must be finite, got nan"),
            ((0.0, 1.0, 1.0), "a must be finite and in"),
            ((1.0, -1.0, 1.0), "^b must be finite and in"),
            ((1.0, 1.0, math.inf), "x must be finite, got inf"),
            ((1.0, 1.0, [1.0, 2.0]), "x must be a number finite"),
            ((1.0, "1", 1.0), "b must be a number finite"),
            ((1.0, 1.0, 1.0, -1), r"level must be an integer in \[0, 12\], got -1"),
            ((1.0, 1.0, 1.0, 0.5), r"level must be an integer in \[0, 12\], got 0.5"),
        ],
    )
    def test_bad_input(self, arguments: tuple[object, ...], message: str) -> None:
        with pytest.raises(ArgumentError, match=message):
            tilted_beta_rule(*arguments)


def test_tilted_means() -> None:
    a, c, x = (np.array(values) for values in zip(*parameters, strict=True))
    means = tilted_means(a, c, x)
    for i, (first, second, tilt) in enumerate(parameters):
        v, w, weights = tilted_beta_rule(first, second, tilt)
        assert means.complement[i] == pytest.approx(float(weights @ w), rel=1e-14)
        assert means.product[i] == pytest.approx(float(weights @ (v * w)), rel=1e-14)
    assert tilted_means(np.full((2, 3), 0.5), 1.5, 0.0).product.shape == (2, 3)
    # the Beta law itself: E(1-v) = c/(a+c), E v(1-v) = a c/((a+c)(a+c+1))
    plain = tilted_means(2.0, 6.0, 0.0)
    assert float(plain.complement) == pytest.approx(0.75, rel=1e-15)
    assert float(plain.product) == pytest.approx(12 / 72, rel=1e-15)
