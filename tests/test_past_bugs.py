"""Inputs that broke other people's programs, each with the right value (from ball arithmetic).

One named case for each kind of fault that has been reported in public against programs that do
this job; the value is one point of the kind.
"""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

from spherelab.arguments import ArgumentError
from spherelab.gegenbauer import clenshaw, gegenbauer, gegenbauer_all
from spherelab.kummer import log_kummer
from spherelab.laws import Atoms, VonMisesFisher
from spherelab.sphere import coordinate_rule, log_multiplicity, uniform_sample


class TestVonMisesFisherInHighDimension:
    """Elsewhere: inf or nan, since the Bessel function underflows."""

    def test_d512_kappa1(self) -> None:
        law = VonMisesFisher(512, 1.0)
        assert float(law.log_density(law.mean)) == pytest.approx(868.96712659974965, rel=1e-15)
        assert law.entropy() == pytest.approx(-867.96907971732812, rel=1e-15)
        assert law.mean_resultant == pytest.approx(0.0019531175784661718, rel=1e-14)

    def test_d768_kappa10(self) -> None:
        law = VonMisesFisher(768, 10.0)
        assert float(law.log_density(law.mean)) == pytest.approx(1468.6560524544176, rel=1e-15)
        assert law.entropy() == pytest.approx(-1458.7862387767206, rel=1e-15)

    @pytest.mark.parametrize("kappa", [0.0, 1e-300, 1e-8, 1.0, 1e3, 1e6, 1e12])
    @pytest.mark.parametrize("d", [2, 3, 700, 100_000])
    def test_finite_everywhere(self, d: int, kappa: float) -> None:
        law = VonMisesFisher(d, kappa)
        for value in (law.log_density(law.mean), law.log_density(-law.mean), law.entropy()):
            assert np.isfinite(value)
        assert 0 <= law.mean_resultant <= 1
        assert np.all(law.harmonic_energy(np.arange(5)) >= 0)


class TestVonMisesFisherFit:
    def test_moderate_resultant_in_high_dimension(self) -> None:
        """Elsewhere: silently the end of the search bracket, 1e-8."""
        kappa = VonMisesFisher.kappa_of_mean_resultant(128, 0.5)
        assert kappa == pytest.approx(85.067877191749846, rel=1e-13)

    def test_moderate_resultant_through_fit(self) -> None:
        """Rows whose mean resultant is 1/2: e_1/2 plus a part that cancels."""
        d = 128
        rows = np.zeros((2 * (d - 1), d))
        rows[:, 0] = 0.5
        for i in range(d - 1):
            rows[2 * i, i + 1], rows[2 * i + 1, i + 1] = math.sqrt(0.75), -math.sqrt(0.75)
        assert VonMisesFisher.fit(rows).kappa == pytest.approx(85.067877191749846, rel=1e-12)

    @pytest.mark.parametrize("d", [2, 3, 128])
    def test_all_points_equal(self, d: int) -> None:
        """Elsewhere: a cryptic error."""
        point = uniform_sample(1, d, np.random.default_rng(d))
        with pytest.raises(ArgumentError, match=r"copies of one point.*kappa would be infinite"):
            VonMisesFisher.fit(np.repeat(point, 40, axis=0))

    def test_nearly_equal_points_fit(self) -> None:
        """1 - R = 5e-15 holds no digits as a difference: 1 - R ~ (d-1)/(2 kappa)."""
        angle = 1e-7
        rows = [[math.cos(a), math.sin(a)] for a in (-angle, angle)]
        assert VonMisesFisher.fit(rows).kappa == pytest.approx(1 / angle**2, rel=1e-6)


class TestSamplerAtASpecialDirection:
    """Elsewhere: nan, from the Householder reflection of a zero vector."""

    def test_first_axis(self) -> None:
        law = VonMisesFisher(4, 100.0, [1.0, 0.0, 0.0, 0.0])
        assert law.mean_resultant == pytest.approx(0.98503788000815684, rel=1e-14)
        t = law.sample(20_000, np.random.default_rng(0))[:, 0]
        assert abs(t.mean() - 0.98503788000815684) <= 4 * t.std() / math.sqrt(t.size)

    @pytest.mark.parametrize("d", [2, 3, 4, 50])
    def test_every_axis_and_its_opposite(self, d: int) -> None:
        near = np.zeros(d)
        near[0], near[1] = 1.0, 1e-12
        for mean in (*np.eye(d)[:3], *-np.eye(d)[:3], near, -near):
            law = VonMisesFisher(d, 100.0, mean)
            x = law.sample(2000, np.random.default_rng(1))
            assert np.all(np.isfinite(x))
            t = x @ law.mean
            assert abs(t.mean() - law.mean_resultant) <= 4 * t.std() / math.sqrt(t.size)


def test_gegenbauer_overflow() -> None:
    """Degree 400, nu = 511, x = 0.99. Elsewhere: nan, C_l before normalising overflows."""
    expected = 0.0036276288915846193
    assert float(gegenbauer(1024, 400, 0.99)) == pytest.approx(expected, rel=1e-12)
    assert float(gegenbauer_all(1024, 400, 0.99)[400]) == pytest.approx(expected, rel=1e-12)
    unit = np.zeros(401)
    unit[400] = 1.0
    assert float(clenshaw(1024, unit, np.float64(0.99))) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("d", "degree", "t"), [(64, 200, 0.05), (300, 120, -0.4), (8, 2000, 0.9)])
def test_terminating_hypergeometric_cancellation(d: int, degree: int, t: float) -> None:
    """Through 2F1(-l, l+d-2; (d-1)/2; (1-t)/2): 3e83 where the value is 2e-114.

    Accurate to rounding relative to max |P_l| = 1, and relative to the value's own size
    N_l^{-1/2} near the equator.
    """
    with mp.workdps(400):
        exact = mp.hyp2f1(-degree, degree + d - 2, mp.mpf(d - 1) / 2, (1 - mp.mpf(t)) / 2)
        exact = float(exact)
    size = math.exp(-0.5 * float(log_multiplicity(d, degree)))
    assert float(gegenbauer(d, degree, t)) == pytest.approx(exact, rel=1e-9, abs=1e-10 * size)


def test_log_kummer() -> None:
    """log 1F1(255.5; 511; 1500). Elsewhere: inf."""
    assert float(log_kummer(255.5, 511, 1500)) == pytest.approx(1103.1435977730738, rel=1e-15)


def test_multiplicities_by_binomials() -> None:
    """N(d = 2048, l = 400) = 10^471.63. Elsewhere: nan."""
    log10 = float(log_multiplicity(2048, 400)) / math.log(10)
    assert log10 == pytest.approx(471.6319096242671, rel=1e-14)
    assert np.isinf(float(Atoms([np.eye(2048)[0]]).harmonic_energy(400)))  # documented


@pytest.mark.parametrize("d", [2, 3, 4, 17, 1000])
def test_dimension_off_by_one(d: int) -> None:
    """d + 1 for d - 1: E <x,u>^2 = 1/d, and sqrt(d) <x,u> has kurtosis 3d/(d+2)."""
    t, weights = coordinate_rule(d, 8)
    assert weights @ t**2 == pytest.approx(1 / d, rel=1e-13)
    assert d * d * (weights @ t**4) == pytest.approx(3 * d / (d + 2), rel=1e-13)
    x = uniform_sample(4000, d, np.random.default_rng(d))
    squares = x[:, 0] ** 2
    assert abs(squares.mean() - 1 / d) <= 4 * squares.std() / math.sqrt(4000)
    # and through a law: kappa -> 0 has A_d = kappa/d
    assert VonMisesFisher(d, 1e-6).mean_resultant == pytest.approx(1e-6 / d, rel=1e-10)


def test_equality_to_rounding_of_a_small_polygon() -> None:
    """At beta = 0.1 the two sides for the heptagon agree to rounding: a pass, as at other n."""
    from spherelab.check import check
    from spherelab.theory.corollary1 import CLAIMS

    claim = next(c for c in CLAIMS if c.key == "corollary1.gaussian.linear.polygon")
    result = check(claim, quick=True, restrict={"beta": [0.1, 0.101, 0.11], "n": [7, 5]})
    assert result.verdict.passed, result.reason
