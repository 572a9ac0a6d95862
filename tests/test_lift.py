"""The spectrum of the lift against ball arithmetic, exact finite forms and its own inequalities."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
import reference
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from positive_series import gap, lift, log_pfq, relative_gap, workprec

from spherelab.arguments import ArgumentError
from spherelab.zonal import SGLift

pytest.importorskip("flint")

sg = SGLift()


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


def ulps(value: float, least: float = 1e-14) -> float:
    return max(float(np.spacing(abs(value))), least)


dimensions = st.one_of(st.integers(2, 40), log_uniform(2, 1e5).map(round))
degrees = st.one_of(st.integers(1, 30), log_uniform(1, 2e3).map(round))
corners = [(2, 1), (2, 10_000), (3, 2), (16, 1000), (1024, 1), (100_000, 1), (100_000, 10_000)]


class TestMu:
    @settings(max_examples=40)
    @given(dimensions, degrees)
    def test_against_the_series(self, d: int, ell: int) -> None:
        truth, ratio = lift(ell, d, 1, 1)
        value = float(sg.log_eigenvalues(d, ell))
        assert gap(value, truth) <= ulps(value)
        assert relative_gap(float(sg.gain_ratios(d, ell)), ratio) < 2e-15

    @pytest.mark.parametrize(("d", "ell"), corners)
    def test_corners(self, d: int, ell: int) -> None:
        truth, ratio = lift(ell, d, 1, 1)
        value = float(sg.log_eigenvalues(d, ell))
        assert gap(value, truth) <= ulps(value)
        assert relative_gap(float(sg.gain_ratios(d, ell)), ratio) < 2e-15

    @pytest.mark.parametrize(("d", "ell"), [(2, 1), (8, 3), (16, 40), (1000, 2), (100_000, 1)])
    def test_against_the_frequency_integral(self, d: int, ell: int) -> None:
        value = float(sg.log_eigenvalues(d, ell))
        assert reference.absolute_error(value, reference.log_mu_arb(ell, d)) <= ulps(value)
        assert reference.relative_error(float(sg.gains(d, ell)), reference.gain_arb(ell, d)) < 2e-14

    def test_degree_zero(self) -> None:
        for d in (2, 9, 100_000):
            assert float(sg.eigenvalues(d, 0)) == pytest.approx(1 / math.sqrt(3), rel=4e-16)
            assert float(sg.gains(d, 0)) == pytest.approx(-(3**-1.5), rel=4e-16)
            assert float(sg.gain_ratios(d, 0)) == -1 / 3
            assert float(sg.eigenvalues(d, 0, 1.0)) == 1.0
            assert float(sg.cross(d, 0, 0.5, 2.0)) == pytest.approx(5.25**-0.5, rel=4e-16)

    @settings(max_examples=50)
    @given(
        dimensions,
        degrees,
        st.one_of(
            st.floats(0, 1),
            st.sampled_from([1e-300, 1e-16, 0.3, 0.999, 1 - 1e-12]),
            log_uniform(1e-15, 1).map(lambda x: 1 - x),
        ),
    )
    def test_smaller_radii(self, d: int, ell: int, delta: float) -> None:
        assume(delta < 1)
        from flint import arb

        with workprec():
            square = 1 - arb(delta)
        value = float(sg.log_eigenvalues(d, ell, delta))
        assert gap(value, lift(ell, d, square, square)[0]) <= ulps(value)

    def test_ends_of_delta(self) -> None:
        ell = np.arange(6)
        assert np.array_equal(sg.log_eigenvalues(7, ell, 0.0), sg.log_eigenvalues(7, ell))
        assert np.array_equal(sg.log_eigenvalues(7, ell, 1.0), [0.0, *[-np.inf] * 5])
        assert np.array_equal(sg.eigenvalues(7, ell, 1.0), [1.0, *[0.0] * 5])

    def test_asymptotic_in_the_degree(self) -> None:
        """d fixed: mu_l ~ ((sqrt 3 - 1)/2)^(d-2) (2 - sqrt 3)^l / (2 sqrt 3), far beyond 1e4."""
        for d in (2, 3, 8):
            for ell in (10**6, 10**9):
                with mp.workdps(40):
                    leading = (
                        -mp.log(2 * mp.sqrt(3))
                        + (d - 2) * mp.log((mp.sqrt(3) - 1) / 2)
                        + ell * mp.log(2 - mp.sqrt(3))
                    )
                    error = float(sg.log_eigenvalues(d, ell) - leading)
                assert abs(error) < 20 * d**2 / ell + 1e-15 * ell

    def test_asymptotic_in_the_dimension(self) -> None:
        """l fixed: mu_l d^l 3^(l+1/2) / (2l-1)!! = 1 + (-(5/6) l^2 + (4/3) l)/d + O(d^-2)."""
        d = 10**6
        for ell in (1, 2, 3, 6):
            leading = math.prod(range(1, 2 * ell, 2)) * 3.0 ** (-ell - 0.5)
            relative = math.exp(float(sg.log_eigenvalues(d, ell)) + ell * math.log(d)) / leading
            assert abs((relative - 1) * d - (-5 / 6 * ell**2 + 4 / 3 * ell)) < 2e-3


# --- exact finite forms ---------------------------------------------------------------------------

Surd = tuple[Fraction, Fraction, Fraction]  # x + y sqrt 2 + z sqrt 3


def exact_mu(ell: int, d: int) -> Surd:
    """mu_l for even l >= 2 and even d, in Q + Q sqrt 2 + Q sqrt 3.

    mu_l = Q^2 Gamma(c)/sqrt(pi) E (1 + V1 + V2)^-c, V_i iid Beta((l+d)/2, l/2): the densities are
    polynomials, and v^i (1 + v + w)^-c integrates to half-integer powers of 1, 2 and 3.
    """
    a, b = (ell + d) // 2, ell // 2
    density = [Fraction(0)] * (a + b - 1)  # coefficients of v^(a-1) (1-v)^(b-1)
    for k in range(b):
        density[a - 1 + k] = Fraction((-1) ** k * math.comb(b - 1, k))
    # int_0^1 f(v) (s + v)^-c dv = sum_j f_j(s) [u^(j+1-c)/(j+1-c)] from u = s to s + 1, where
    # f(u - s) = sum_j f_j(s) u^j. First over w at s = 1 + v, then over v by the same means.
    c = Fraction(2 * ell + 1, 2)
    half_l = math.factorial(b - 1)  # Gamma(l/2)
    gamma_c = Fraction(math.prod(range(1, 2 * ell, 2)), 2**ell)  # Gamma(l + 1/2)/sqrt(pi)
    total: dict[int, dict[Fraction, Fraction]] = {1: {}, 2: {}, 3: {}}
    for j in range(len(density)):
        # coefficient of u^j in density(u - s), a polynomial in s
        in_s = [Fraction(0)] * (len(density) - j)
        for i in range(j, len(density)):
            in_s[i - j] += density[i] * math.comb(i, j) * (-1) ** (i - j)
        power = j + 1 - c
        for shift, sign in ((1, 1), (0, -1)):  # u = s + 1 and u = s, s = 1 + v
            # sign/power * in_s(1 + v) * density(v) * (1 + shift + v)^power: expand in u = 1+shift+v
            base = 1 + shift
            polynomial = _multiply(_shifted(in_s, -shift), _shifted(density, -base))
            for k, coefficient in enumerate(polynomial):
                q = power + k + 1
                value = sign * coefficient / power / q
                for end, way in ((base + 1, 1), (base, -1)):
                    total[end][q] = total[end].get(q, Fraction(0)) + way * value
    # every q is half an odd integer: n^q = n^(q - 1/2) sqrt n
    parts = [
        sum((v * Fraction(n) ** int(q - Fraction(1, 2)) for q, v in total[n].items()), Fraction(0))
        for n in (1, 2, 3)
    ]
    factor = gamma_c / half_l**2
    return parts[0] * factor, parts[1] * factor, parts[2] * factor


def _shifted(polynomial: list[Fraction], by: int) -> list[Fraction]:
    """Coefficients in u of the polynomial at u + by."""
    result = [Fraction(0)] * len(polynomial)
    for i, coefficient in enumerate(polynomial):
        for j in range(i + 1):
            result[j] += coefficient * math.comb(i, j) * Fraction(by) ** (i - j)
    return result


def _multiply(left: list[Fraction], right: list[Fraction]) -> list[Fraction]:
    result = [Fraction(0)] * (len(left) + len(right) - 1)
    for i, x in enumerate(left):
        for j, y in enumerate(right):
            result[i + j] += x * y
    return result


def test_the_finite_form_of_mu_2_in_the_plane() -> None:
    """mu_2 = (4 - 4 sqrt 2 + sqrt 3)/3 at d = 2."""
    assert exact_mu(2, 2) == (Fraction(4, 3), Fraction(-4, 3), Fraction(1, 3))


@pytest.mark.parametrize("ell", [2, 4, 8, 14])
@pytest.mark.parametrize("d", [2, 4, 8, 16, 32])
def test_finite_forms(ell: int, d: int) -> None:
    x, y, z = exact_mu(ell, d)
    with mp.workdps(200):  # it cancels: the coefficients grow as mu_l falls
        value = (
            mp.mpf(x.numerator) / x.denominator
            + mp.mpf(y.numerator) / y.denominator * mp.sqrt(2)
            + mp.mpf(z.numerator) / z.denominator * mp.sqrt(3)
        )
        error = float(sg.eigenvalues(d, ell) / value - 1)
    assert abs(error) < 1e-14


# --- two radii ------------------------------------------------------------------------------------


class TestCross:
    @settings(max_examples=40)
    @given(dimensions, degrees, log_uniform(1e-8, 1), log_uniform(1e-8, 1))
    def test_within_the_ball(self, d: int, ell: int, r1: float, r2: float) -> None:
        from flint import arb

        with workprec():
            squares = arb(r1) ** 2, arb(r2) ** 2
        value = float(sg.log_cross(d, ell, r1, r2))
        assert gap(value, lift(ell, d, *squares)[0]) <= ulps(value)

    @pytest.mark.parametrize(
        ("d", "ell", "r1", "r2"),
        [
            (2, 1, 5.0, 5.0),
            (3, 3, 5.370883719772331, 5.370883719772331),  # far x overflow at one common height
            (4, 1, 5.748016227476619, 0.11855764127430635),
            (16, 10, 5.0, 1e-8),
            (10, 60, 3.0, 4.0),
            (10_000, 7, 2.0, 0.5),
        ],
    )
    def test_beyond_the_ball(self, d: int, ell: int, r1: float, r2: float) -> None:
        from flint import arb

        with workprec():
            squares = arb(r1) ** 2, arb(r2) ** 2
        value = float(sg.log_cross(d, ell, r1, r2))
        assert gap(value, lift(ell, d, *squares)[0]) <= ulps(value)

    @pytest.mark.parametrize(
        ("d", "ell", "r1", "r2"),
        [
            (2, 1, 1000.0, 1000.0),
            (2, 3, 50.0, 0.5),
            (10, 300, 50.0, 50.0),  # the law of v moves far from its place at the maximum
            (8, 7, 563.8, 2.8e-4),  # a plateau over decades of frequencies
            (30, 29, 155.36, 8.3e-8),
            (1000, 5, 100.0, 30.0),
            (8, 2, 0.6, 1.0),
        ],
    )
    def test_against_the_frequency_integral(self, d: int, ell: int, r1: float, r2: float) -> None:
        truth = reference.cross_arb(ell, d, r1, r2)
        with workprec():
            truth = truth.log()
        value = float(sg.log_cross(d, ell, r1, r2))
        assert reference.absolute_error(value, truth) <= ulps(value, 1e-13)

    def test_tiny_radii_do_not_underflow(self) -> None:
        """k_l ~ (r1 r2)^l times a constant, also where r^2 is below the smallest double."""
        for d, ell in ((2, 1), (9, 3), (1000, 20)):
            one, two = (
                float(sg.log_cross(d, ell, 1e-90, 0.7)),
                float(sg.log_cross(d, ell, 1e-300, 0.7)),
            )
            assert two - one == pytest.approx(-ell * 210 * math.log(10), rel=1e-14)
            both = float(sg.log_cross(d, ell, 1e-300, 1e-200))
            near = float(sg.log_cross(d, ell, 1e-20, 1e-20))
            assert both - near == pytest.approx(-ell * 460 * math.log(10), rel=1e-14)

    def test_zero_radius(self) -> None:
        for r1, r2 in ((0.0, 1.0), (0.5, 0.0), (0.0, 0.0)):
            values = sg.cross(6, [0, 1, 2, 50], r1, r2)
            assert values[0] == pytest.approx(1 / math.sqrt(1 + r1**2 + r2**2), rel=4e-16)
            assert np.all(values[1:] == 0)
            assert np.all(sg.log_cross(6, [1, 2, 50], r1, r2) == -np.inf)

    @settings(max_examples=20)
    @given(dimensions, st.floats(0.001, 3), st.floats(0.001, 3))
    def test_symmetric_and_below_the_geometric_mean(self, d: int, r1: float, r2: float) -> None:
        ell = np.array([0, 1, 2, 3, 10, 100])
        both = sg.log_cross(d, ell, r1, r2)
        tolerance = np.maximum(2 * np.spacing(np.abs(both)), 2e-14)
        assert np.all(np.abs(both - sg.log_cross(d, ell, r2, r1)) <= tolerance)
        mean = 0.5 * (sg.log_cross(d, ell, r1, r1) + sg.log_cross(d, ell, r2, r2))
        assert np.all(both <= mean + tolerance)

    @settings(max_examples=20)
    @given(dimensions, st.floats(0, 1))
    def test_equal_radii_are_mu_of_delta(self, d: int, delta: float) -> None:
        assume(delta < 1)
        ell = np.array([0, 1, 2, 5, 30, 300])
        r = math.sqrt(1 - delta)
        left, right = sg.log_cross(d, ell, r, r), sg.log_eigenvalues(d, ell, delta)
        # r^2 is 1 - delta up to an ulp or two
        assert np.all(np.abs(left - right) <= 2e-14 + 4e-16 * ell + np.spacing(np.abs(right)))

    @settings(max_examples=20)
    @given(dimensions, st.floats(1e-3, 1))
    def test_between_r_to_the_l_and_one(self, d: int, r: float) -> None:
        """b_l(r) = k_l(r, 1)/mu_l: r^l <= b_l <= 1."""
        ell = np.array([1, 2, 3, 10, 100, 1000])
        log_b = sg.log_cross(d, ell, r, 1.0) - sg.log_eigenvalues(d, ell)
        tolerance = 2e-14 + 4e-16 * (np.abs(sg.log_eigenvalues(d, ell)) + ell * abs(math.log(r)))
        assert np.all(log_b <= tolerance)
        assert np.all(log_b >= ell * math.log(r) - tolerance)

    def test_one_where_both_radii_are(self) -> None:
        ell = np.arange(60)
        assert np.array_equal(sg.log_cross(5, ell, 1.0, 1.0), sg.log_eigenvalues(5, ell))


# --- the gain -------------------------------------------------------------------------------------


class TestGain:
    @settings(max_examples=30)
    @given(dimensions, st.integers(1, 300))
    def test_above_a_third_of_l_minus_one(self, d: int, ell: int) -> None:
        ratio = float(sg.gain_ratios(d, ell))
        assert ratio > (ell - 1) / 3
        # sharper: (l-1)/3 + l(2l+1)/(3(4l+3d)), by Chebyshev and Jensen
        assert ratio >= ((ell - 1) / 3 + ell * (2 * ell + 1) / (3 * (4 * ell + 3 * d))) * (
            1 - 1e-15
        )

    @pytest.mark.parametrize("d", [2, 3, 8, 128, 100_000])
    def test_central_difference(self, d: int) -> None:
        """gain_l = -d mu_l/d Delta at 0; Delta < 0 is a radius above 1."""
        ell = np.array([0, 1, 2, 5, 20])
        h = 1e-3

        def mu(delta: float) -> np.ndarray:
            r = math.sqrt(1 - delta)
            return sg.cross(d, ell, r, r)

        first = (mu(-h) - mu(h)) / (2 * h)
        second = (mu(-2 * h) - mu(2 * h)) / (4 * h)
        gains = sg.gains(d, ell)
        assert np.allclose((4 * first - second) / 3, gains, rtol=2e-8, atol=1e-13)

    def test_l_one_in_high_dimension(self) -> None:
        """gain_1/mu_1 ~ 1/(3d): what is left after 1 - E x (v1 + v2) has cancelled."""
        for d in (10**4, 10**5, 10**9):
            truth = lift(1, d, 1, 1)[1]
            assert relative_gap(float(sg.gain_ratios(d, 1)), truth) < 1e-14
            assert float(sg.gain_ratios(d, 1)) == pytest.approx(1 / (3 * d), rel=10 / d)

    def test_gains_are_products(self) -> None:
        ell = np.arange(40)
        assert np.allclose(
            sg.gains(11, ell), sg.eigenvalues(11, ell) * sg.gain_ratios(11, ell), rtol=1e-14, atol=0
        )
        assert np.all(sg.gains(11, ell[1:]) > 0)

    def test_underflow_leaves_the_ratio(self) -> None:
        assert float(sg.eigenvalues(2, 1000)) == 0.0
        assert float(sg.gains(2, 1000)) == 0.0
        assert float(sg.log_eigenvalues(2, 1000)) == pytest.approx(-1318.19980945, rel=1e-11)
        assert 333 < float(sg.gain_ratios(2, 1000)) < 700


class TestMonotone:
    @pytest.mark.parametrize("d", [2, 3, 17, 1000, 100_000])
    def test_falls_with_the_degree(self, d: int) -> None:
        ell = np.arange(0, 3000)
        for delta in (0.0, 0.4):
            assert np.all(np.diff(sg.log_eigenvalues(d, ell, delta)) < 0)

    def test_falls_with_the_dimension(self) -> None:
        for ell in (1, 2, 7, 100):
            values = [
                float(sg.log_eigenvalues(d, ell)) for d in (2, 3, 4, 8, 20, 100, 10**4, 10**6)
            ]
            assert np.all(np.diff(values) < 0)

    @pytest.mark.parametrize("d", [2, 16, 5000])
    def test_falls_with_delta(self, d: int) -> None:
        """Degree 0 rises to 1, all others fall to 0."""
        grid = np.linspace(0, 0.999, 15)
        values = np.array([sg.log_eigenvalues(d, [0, 1, 2, 9, 60], x) for x in grid])
        assert np.all(np.diff(values[:, 0]) > 0)
        assert np.all(np.diff(values[:, 1:], axis=0) < 0)

    def test_ratio_of_neighbours_tends_to_its_limit(self) -> None:
        steps = np.diff(sg.log_eigenvalues(2, np.arange(500, 600)))
        assert np.allclose(steps, math.log(2 - math.sqrt(3)), atol=2e-5)


class TestShapes:
    def test_alone_in_another_order_or_repeated(self) -> None:
        ell = np.array([7, 0, 900, 7, 1, 250, 2, 2000, 0])
        for d in (2, 100_000):
            for values in (
                sg.log_eigenvalues,
                lambda d, ell: sg.log_eigenvalues(d, ell, 0.25),
                lambda d, ell: sg.log_cross(d, ell, 0.3, 1.0),
                sg.gain_ratios,
            ):
                whole = values(d, ell)
                assert whole.shape == (9,)
                assert whole[0] == whole[3]
                assert whole[1] == whole[8]
                tolerance = np.maximum(np.spacing(np.abs(whole)), 4e-15)
                for i, degree in enumerate(ell):
                    alone = values(d, int(degree))
                    assert alone.shape == ()
                    assert abs(alone - whole[i]) <= tolerance[i]
                turned = values(d, ell[::-1])[::-1]
                assert np.all(np.abs(turned - whole) <= tolerance)
                among = values(d, np.arange(2001))[ell]
                assert np.all(np.abs(among - whole) <= tolerance)

    def test_any_shape(self) -> None:
        ell = np.array([[0, 1, 2], [5, 5, 40]])
        for values in (sg.log_eigenvalues, sg.eigenvalues, sg.gains, sg.gain_ratios):
            assert values(6, ell).shape == (2, 3)
            assert np.allclose(values(6, ell).ravel(), values(6, ell.ravel()), rtol=1e-14)
            assert values(6, ell.tolist()).shape == (2, 3)
            assert values(6, np.int32(3)).shape == ()
            assert values(6, np.array([], dtype=int)).shape == (0,)
        assert sg.cross(6, ell, 0.5, 0.25).shape == (2, 3)


class TestProfile:
    @settings(max_examples=60)
    @given(
        dimensions,
        degrees,
        st.one_of(log_uniform(1e-300, 1), log_uniform(1e-3, 100), st.floats(0.5, 1.5)),
    )
    def test_against_the_series(self, d: int, ell: int, s: float) -> None:
        from flint import arb

        if s > 0.5:  # around s^2/2 = (l+d)/2, where e^(-x v) balances v^(l+d)/2
            s = min(s * math.sqrt(ell + d), 1e3) if s <= 1.5 else s
        with workprec():
            half_l, half_ld, half_2ld = arb(ell) / 2, arb(ell + d) / 2, arb(2 * ell + d) / 2
            x = arb(s) ** 2 / 2
            truth = half_ld.lgamma() - half_2ld.lgamma() + half_l * x.log() - x
            truth += log_pfq([half_l], [half_2ld], x)
        value = float(sg.log_profile(d, ell, s))
        assert gap(value, truth) <= ulps(value, 3e-14)

    @pytest.mark.parametrize(("d", "ell", "s"), [(2, 1, 1.3), (8, 3, 2.1), (64, 17, 9.0)])
    def test_against_the_alternating_form(self, d: int, ell: int, s: float) -> None:
        with mp.workdps(30):
            assert (
                abs(math.exp(sg.log_profile(d, ell, s)) / reference.psi_mp(ell, d, s) - 1) < 2e-14
            )

    def test_even_in_the_frequency_and_zero_at_zero(self) -> None:
        s = np.array([0.0, 1e-300, 0.5, 3.0, 60.0])
        for ell in (0, 1, 2, 9):
            assert np.array_equal(sg.log_profile(5, ell, s), sg.log_profile(5, ell, -s))
            assert sg.log_profile(5, ell, 0.0) == (0.0 if ell == 0 else -np.inf)
        assert np.array_equal(sg.log_profile(5, 0, s), -0.5 * s * s)

    def test_broadcasts(self) -> None:
        values = sg.log_profile(7, np.arange(4)[:, None], np.linspace(-2, 2, 5))
        assert values.shape == (4, 5)
        for index in np.ndindex(4, 5):
            alone = sg.log_profile(7, index[0], float(np.linspace(-2, 2, 5)[index[1]]))
            assert alone.shape == ()
            assert alone == values[index] or abs(alone - values[index]) < 2e-14
        assert sg.log_profile(7, 3, []).shape == (0,)

    @pytest.mark.parametrize("d", [2, 9, 300])
    def test_squares_integrate_to_the_spectrum(self, d: int) -> None:
        """mu_l = E psi_l(s)^2, and k_l(r1, r2) likewise, s ~ N(0, 1), by the trapezoid rule."""
        s = np.arange(0.05, 14, 0.1)  # midpoints: even and entire, so it converges like e^(-1/h)
        gauss = 0.2 * np.exp(-0.5 * s * s) / math.sqrt(2 * math.pi)
        for ell in (0, 1, 2, 7, 30):
            psi = np.exp(sg.log_profile(d, ell, s))
            assert gauss @ psi**2 == pytest.approx(float(sg.eigenvalues(d, ell)), rel=2e-14)
            small = np.exp(sg.log_profile(d, ell, 0.3 * s))
            assert gauss @ (psi * small) == pytest.approx(
                float(sg.cross(d, ell, 1.0, 0.3)), rel=2e-14
            )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sg.log_eigenvalues(1, 2), "d must be an integer >= 2, got 1"),
        (lambda: sg.eigenvalues(2.5, 2), "d must be an integer >= 2, got 2.5"),
        (lambda: sg.gains(math.nan, 2), "d must be an integer >= 2, got nan"),
        (lambda: sg.gain_ratios("8", 2), "d must be an integer >= 2, got '8'"),
        (lambda: sg.cross(None, 2, 1.0, 1.0), "d must be an integer >= 2, got None"),
        (lambda: sg.log_profile(0, 2, 1.0), "d must be an integer >= 2, got 0"),
        (lambda: sg.eigenvalues(8, -1), "degrees must be integers >= 0, got -1"),
        (lambda: sg.gains(8, 1.5), "degrees must be integers >= 0, got 1.5"),
        (lambda: sg.gain_ratios(8, [1, -7]), "degrees must be integers >= 0, got -7"),
        (lambda: sg.eigenvalues(8, math.nan), "degrees must be integers >= 0, got nan"),
        (lambda: sg.eigenvalues(8, True), "degrees must be integers >= 0, got True"),
        (lambda: sg.eigenvalues(8, 10**19), "degrees must be at most 1000000000"),
        (lambda: sg.eigenvalues(8, 2, -1e-9), r"delta must be in \[0, 1\], got -1e-09"),
        (lambda: sg.eigenvalues(8, 2, 1.0000001), r"delta must be in \[0, 1\], got 1.0000001"),
        (lambda: sg.log_eigenvalues(8, 2, math.nan), r"delta must be in \[0, 1\], got nan"),
        (lambda: sg.log_eigenvalues(8, 2, "0.5"), "delta must be a number"),
        (lambda: sg.log_eigenvalues(8, 2, 1j), "delta must be a number"),
        (lambda: sg.cross(8, 2, -0.1, 1.0), r"r1 must be in \[0, 1000\], got -0.1"),
        (lambda: sg.cross(8, 2, 1.0, math.inf), r"r2 must be in \[0, 1000\], got inf"),
        (lambda: sg.log_cross(8, 2, 1.0, math.nan), r"r2 must be in \[0, 1000\], got nan"),
        (lambda: sg.log_cross(8, 2, 1001.0, 1.0), r"r1 must be in \[0, 1000\], got 1001.0"),
        (lambda: sg.log_cross(8, 2, [0.1, 0.2], 1.0), "r1 must be a number"),
        (lambda: sg.log_profile(8, 2, math.nan), "s must be finite and in .* got nan"),
        (lambda: sg.log_profile(8, 2, [1.0, math.inf]), "s must be finite and in .* got inf"),
        (lambda: sg.log_profile(8, 2, 1j), "s must be an array of real numbers"),
        (lambda: sg.log_profile(8, [1, 2], [1.0, 2.0, 3.0]), "shapes must fit together"),
    ],
)
def test_bad_input(call: object, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        call()  # type: ignore[operator]
