"""Laws on the sphere: energies, densities, rules, potentials, samples, each by a second route."""

from __future__ import annotations

import copy
import math
import pickle

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spherelab.arguments import ArgumentError
from spherelab.bessel import log_lambda0
from spherelab.gegenbauer import gegenbauer, gegenbauer_all
from spherelab.laws import (
    Atoms,
    AxialLaw,
    Law,
    Mixture,
    PointMass,
    Smoothed,
    TurnedUniform,
    Uniform,
    VonMisesFisher,
    ZonalLaw,
    geometry,
)
from spherelab.laws.base import gram_error
from spherelab.laws.vmf import log_lambda0_excess
from spherelab.sphere import coordinate_rule, log_area, multiplicity, uniform_sample


def axis(d: int, seed: int = 0) -> np.ndarray:
    return uniform_sample(1, d, np.random.default_rng(1000 + seed))[0]


def vmf_series(d: int, kappa: float, top: int, mean: np.ndarray | None = None) -> ZonalLaw:
    """The von Mises-Fisher law cut after degree ``top``."""
    return ZonalLaw(d, VonMisesFisher(d, kappa).mean_legendre(np.arange(top + 1)), mean)


def zonal_laws(d: int) -> list[AxialLaw]:
    m = axis(d)
    return [
        Uniform(d),
        VonMisesFisher(d, 0.0, m),
        VonMisesFisher(d, 0.3, m),
        VonMisesFisher(d, 12.0, m),
        ZonalLaw(d, [1.0, 0.1, 0.02], m),
        ZonalLaw.perturbed(d, 3, -0.8, m),
        vmf_series(d, 3.0, 30, m),
        PointMass(m),
        Smoothed(PointMass(m), 0.6),
        Smoothed(VonMisesFisher(d, 5.0, m), 0.8),
        Smoothed(ZonalLaw.perturbed(d, 2, 0.7, m), -0.5),
        Smoothed(Uniform(d), 0.3),
        Smoothed(PointMass(m), -1.0),
        TurnedUniform(d, 0.2, True),
        TurnedUniform(d, 0.2, False),
    ]


def zonal_cases() -> list[object]:
    return [
        pytest.param(law, id=f"{law!r}"[:40].split(", mean")[0] + f"-d{d}")
        for d in (2, 3, 4, 17)
        for law in zonal_laws(d)
    ]


def all_laws(d: int) -> list[Law]:
    m = axis(d)
    points = uniform_sample(7, d, np.random.default_rng(5))
    weights = np.arange(1.0, 8.0) / 28
    return [
        *zonal_laws(d),
        Atoms(points, weights),
        Mixture([0.3, 0.7], [VonMisesFisher(d, 4.0, m), VonMisesFisher(d, 9.0)]),
        Mixture([0.5, 0.25, 0.25], [Atoms(points), Uniform(d), Mixture([1.0], [PointMass(m)])]),
        Smoothed(Mixture([0.5, 0.5], [VonMisesFisher(d, 4.0, m), PointMass(-m)]), 0.9),
        Smoothed(Atoms(points, weights), 0.7),
    ]


def law_cases(*dimensions: int) -> list[object]:
    return [
        pytest.param(law, id=f"{type(law).__name__}-{i}-d{d}")
        for d in dimensions
        for i, law in enumerate(all_laws(d))
    ]


# ---------------------------------------------------------------- zonal laws, each by two routes


@pytest.mark.parametrize("law", zonal_cases())
def test_axis_rule_gives_the_coefficients(law: AxialLaw) -> None:
    degrees = np.arange(13)
    t, weights = law.axis_rule(1)
    assert weights.min() >= 0 and math.isclose(weights.sum(), 1.0, rel_tol=1e-14)
    by_rule = gegenbauer_all(law.dimension, 12, t) @ weights
    np.testing.assert_allclose(law.mean_legendre(degrees), by_rule, rtol=0, atol=3e-14)


@pytest.mark.parametrize("law", zonal_cases())
def test_energy_is_multiplicity_times_square(law: AxialLaw) -> None:
    degrees = np.array([[0, 1, 2], [5, 9, 14]])
    expected = multiplicity(law.dimension, degrees) * law.mean_legendre(degrees) ** 2
    energy = law.harmonic_energy(degrees)
    assert energy.shape == (2, 3) and energy[0, 0] == 1.0
    np.testing.assert_allclose(energy, expected, rtol=1e-11, atol=1e-200)
    sign, log_size = law.log_mean_legendre(degrees)
    np.testing.assert_allclose(sign * np.exp(log_size), law.mean_legendre(degrees), rtol=1e-13)


@pytest.mark.parametrize("law", zonal_cases())
@pytest.mark.parametrize("beta", [1e-3, 6.0])
def test_potential_against_a_double_integral(law: AxialLaw, beta: float) -> None:
    """E_v e^{beta u.v}: over the cosine of v by the rule, around the axis in closed form."""
    d = law.dimension
    u = np.array([-1.0, 0.4, 1.0])
    closed = law.log_potential(beta, u)
    if closed is None:
        return
    t, weights = law.axis_rule(1)
    around = beta * np.sqrt((1 - u[:, None] ** 2) * np.clip(1 - t**2, 0, None))
    mean = np.cosh(around) if d == 2 else np.exp(log_lambda0(d - 1, around))
    expected = np.log((np.exp(beta * u[:, None] * t) * mean) @ weights) - log_lambda0(d, beta)
    np.testing.assert_allclose(closed, expected, rtol=0, atol=2e-11)


@pytest.mark.parametrize("law", zonal_cases())
def test_density_integrates_to_one(law: AxialLaw) -> None:
    d = law.dimension
    t, weights = coordinate_rule(d, 400)
    tangent = axis(d, 3)
    tangent = tangent - (tangent @ law.mean) * law.mean
    tangent = tangent / np.linalg.norm(tangent)
    points = t[:, None] * law.mean + np.sqrt(1 - t**2)[:, None] * tangent
    try:
        density = np.exp(law.log_density(points) + log_area(d))
    except ArgumentError as error:
        assert "density" in str(error)
        assert isinstance(law, PointMass | Smoothed)
        return
    # The turned law has a pole or a jump; its total is checked by its own rule below.
    if not isinstance(law, TurnedUniform):
        assert weights @ density == pytest.approx(1.0, abs=1e-12)
        moments = gegenbauer_all(d, 6, t) @ (weights * density)
        np.testing.assert_allclose(moments, law.mean_legendre(np.arange(7)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("toward", [True, False])
@pytest.mark.parametrize("d", [2, 3, 6])
def test_turned_density_and_coefficients(d: int, toward: bool) -> None:
    """By Gauss-Legendre in the angle, on pieces where the density times sin^{d-2} is smooth."""
    law = TurnedUniform(d, 0.3, toward)
    phi = math.asin(math.sqrt(0.3))
    x, w = np.polynomial.legendre.leggauss(40)
    corners = np.array([0.0, phi, math.pi - phi, math.pi])
    half = np.diff(corners)[:, None] / 2
    psi = (corners[:-1, None] + half + half * x).ravel()
    area_element = (half * w).ravel() * np.sin(psi) ** (d - 2)
    points = np.zeros((psi.size, d))
    points[:, 0], points[:, 1] = np.cos(psi), np.sin(psi)
    mass = area_element / area_element.sum() * np.exp(law.log_density(points) + log_area(d))
    moments = gegenbauer_all(d, 5, np.cos(psi)) @ mass
    np.testing.assert_allclose(moments, law.mean_legendre(np.arange(6)), rtol=0, atol=1e-12)


def test_turned_coefficients_on_the_circle_are_elementary() -> None:
    phi = math.asin(math.sqrt(0.17))
    degrees = np.arange(1, 4000)
    expected = np.where(degrees % 2 == 1, 2 * np.sin(degrees * phi) / (degrees * math.pi), 0.0)
    np.testing.assert_allclose(
        TurnedUniform(2, 0.17).mean_legendre(degrees), expected, rtol=0, atol=1e-13
    )


@pytest.mark.parametrize("d", [3, 16, 1000, 100_000])
def test_turned_coefficients_in_high_degree_and_dimension(d: int) -> None:
    degrees = np.array([1, 2, 3, 10, 101])
    law = TurnedUniform(d, 0.3)
    t, weights = law.axis_rule(3)
    by_rule = gegenbauer_all(d, 101, t)[degrees] @ weights
    np.testing.assert_allclose(law.mean_legendre(degrees), by_rule, rtol=0, atol=1e-13)
    # E sin theta = Gamma(d/2)^2/(Gamma((d-1)/2) Gamma((d+1)/2))
    with mp.workdps(40):
        sine = mp.gamma(mp.mpf(d) / 2) ** 2
        sine /= mp.gamma(mp.mpf(d - 1) / 2) * mp.gamma(mp.mpf(d + 1) / 2)
        assert float(law.mean_legendre(1)) == pytest.approx(float(mp.sqrt(0.3) * sine), rel=1e-14)


# ---------------------------------------------------------------- von Mises-Fisher


def exact_vmf(d: int, kappa: float) -> dict[str, float]:
    with mp.workdps(50):
        half, k = mp.mpf(d) / 2, mp.mpf(kappa)
        area = mp.log(2) + half * mp.log(mp.pi) - mp.loggamma(half)
        bottom = mp.hyp0f1(half, k * k / 4, maxterms=10**6)
        ratio = k / d * mp.hyp0f1(half + 1, k * k / 4, maxterms=10**6) / bottom
        log0 = mp.log(bottom)
        return {
            "area": float(area),
            "ratio": float(ratio),
            "complement": float(1 - ratio),
            "entropy": float(area + log0 - k * ratio),
            "at mode": float(k - log0 - area),
            "opposite": float(-k - log0 - area),
        }


@pytest.mark.parametrize("kappa", [1e-8, 1e-3, 0.7, 10.0, 500.0, 5e3])
@pytest.mark.parametrize("d", [2, 3, 8, 129, 4096, 100_000])
def test_vmf_against_bessel_functions(d: int, kappa: float) -> None:
    exact = exact_vmf(d, kappa)
    law = VonMisesFisher(d, kappa)
    tolerance = 1e-13 * max(1.0, 0.1 * abs(exact["area"]), 0.1 * d)
    assert law.mean_resultant == pytest.approx(exact["ratio"], rel=1e-13)
    assert law.mean_resultant_complement == pytest.approx(exact["complement"], rel=1e-13)
    assert law.entropy() == pytest.approx(exact["entropy"], abs=tolerance)
    at_mode = float(law.log_density(law.mean))
    assert at_mode == pytest.approx(exact["at mode"], abs=tolerance)
    opposite = float(law.log_density(-law.mean))
    assert opposite == pytest.approx(exact["opposite"], abs=tolerance, rel=1e-15)


def test_vmf_energy_reference() -> None:
    # 2 l + d - 2 ... I_{nu+1}(2)^2 / I_nu(2)^2 * 8 at d = 8, by ball arithmetic
    energy = VonMisesFisher(8, 2.0).harmonic_energy([1])
    np.testing.assert_allclose(energy, [0.45488025243521717451], rtol=1e-14)


def test_vmf_energy_does_not_overflow_with_the_multiplicity() -> None:
    law = VonMisesFisher(2048, 700.0)
    assert np.isinf(multiplicity(2048, 400))
    energy = float(law.harmonic_energy(400))
    with mp.workdps(30):
        nu = mp.mpf(1023)
        ratio = mp.besseli(nu + 400, 700) / mp.besseli(nu, 700)
        count = mp.mpf(2 * 400 + 2046) * mp.gamma(2446) / (mp.gamma(401) * mp.gamma(2047))
        assert energy == pytest.approx(float(count * ratio**2), rel=1e-12)


@pytest.mark.parametrize("d", [2, 3, 40, 5000])
@pytest.mark.parametrize("kappa", [0.2, 30.0, 1e6])
def test_entropy_is_minus_the_mean_log_density(d: int, kappa: float) -> None:
    law = VonMisesFisher(d, kappa, axis(d))
    t, weights = law.axis_rule()
    tangent = geometry.complement_sample(law.mean[None, :], np.random.default_rng(0))[0]
    rows = t[:, None] * law.mean + np.sqrt((1 - t) * (1 + t))[:, None] * tangent
    log_density = law.log_density(geometry.normalised(rows))
    # In t the rule's nodes lose what is below an ulp of 1: an error of kappa 2^-53
    tolerance = 1e-12 * max(1.0, abs(log_area(d))) + 2e-16 * kappa
    assert -weights @ log_density == pytest.approx(law.entropy(), abs=tolerance)


@pytest.mark.parametrize("d", [2, 3, 50, 10_000])
def test_kappa_of_mean_resultant_inverts(d: int) -> None:
    for kappa in (1e-6, 0.1, 3.0, 200.0, 1e6):
        law = VonMisesFisher(d, kappa)
        if law.mean_resultant < 0.9:
            back = VonMisesFisher.kappa_of_mean_resultant(d, law.mean_resultant)
            assert back == pytest.approx(kappa, rel=1e-11)
        complement = law.mean_resultant_complement
        if complement < 0.9:
            back = VonMisesFisher.kappa_of_mean_resultant(d, complement=complement)
            assert back == pytest.approx(kappa, rel=1e-11)


@pytest.mark.parametrize("d", [2, 3, 30, 300])
@pytest.mark.parametrize("kappa", [5.0, 300.0, 1e6])
def test_fit_recovers_the_law(d: int, kappa: float) -> None:
    rng = np.random.default_rng(17)
    law = VonMisesFisher(d, kappa, axis(d, 2))
    n = 4000
    fitted = VonMisesFisher.fit(law.sample(n, rng))
    step = 1e-4 * kappa
    slope = -(
        VonMisesFisher(d, kappa + step).mean_resultant_complement
        - VonMisesFisher(d, kappa - step).mean_resultant_complement
    ) / (2 * step)
    # Asymptotic standard error, and the bias of order d/(2 n) relative that comes with it
    bias = (d - 1) * (1 - law.mean_resultant**2) / (2 * n * law.mean_resultant * slope * kappa)
    spread = 4 / math.sqrt(n * slope)
    assert abs(fitted.kappa - kappa) <= spread + 2 * kappa * abs(bias)
    assert fitted.mean @ law.mean > 1 - 4 * d / (n * kappa * law.mean_resultant)


def test_fit_of_scattered_points_is_uniform() -> None:
    x = uniform_sample(50, 5, np.random.default_rng(1))
    fitted = VonMisesFisher.fit(np.concatenate((x, -x)))
    assert fitted.kappa == 0.0 or fitted.kappa < 1e-14


@pytest.mark.parametrize("copies", [1, 2, 50])
def test_fit_of_one_point_names_the_cause(copies: int) -> None:
    x = np.tile(axis(6), (copies, 1))
    with pytest.raises(ArgumentError, match="one point"):
        VonMisesFisher.fit(x)


@pytest.mark.parametrize("kappa", [1e-3, 1.0, 80.0, 1e4, 1e6, 1e9])
@pytest.mark.parametrize("d", [2, 3, 4, 64, 100_000])
def test_vmf_cosines(d: int, kappa: float) -> None:
    """Mean and second moment of 1 - t within 4 standard errors of the rule's."""
    law = VonMisesFisher(d, kappa)
    y = law.sample_complements(20_000, np.random.default_rng(d + int(kappa)))
    assert y.shape == (20_000,) and y.min() >= 0 and y.max() <= 2
    mean = law.mean_resultant_complement
    assert abs(y.mean() - mean) <= 4 * y.std() / math.sqrt(y.size)
    # E (1-t)^2 = 2 (1-A) - (1 - E t^2) and 1 - E t^2 = (d-1) A / kappa
    second = 2 * mean - (d - 1) * law.mean_resultant / kappa
    squares = y**2
    slack = 1e-12 * mean  # the exact value itself cancels
    assert abs(squares.mean() - second) <= 4 * squares.std() / math.sqrt(y.size) + slack


@pytest.mark.parametrize("kappa", [0.0, 1.0, 1e4])
def test_vmf_samples_in_a_hundred_thousand_dimensions(kappa: float) -> None:
    d = 100_000
    law = VonMisesFisher(d, kappa, axis(d))
    x = law.sample(8, np.random.default_rng(0))
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), 1.0, rtol=1e-15)
    spread = 6 / math.sqrt(d)
    np.testing.assert_allclose(x @ law.mean, law.mean_resultant, atol=spread)


def test_sample_seeded_like_the_point() -> None:
    """The first normal vector drawn is then parallel to the point: 0/0 unless it is redrawn."""
    for d in (2, 3, 8):
        point = uniform_sample(1, d, np.random.default_rng(0))[0]
        x = Smoothed(PointMass(point), 0.5).sample(4, np.random.default_rng(0))
        np.testing.assert_allclose(x @ point, 0.5, rtol=1e-14)


def test_samples_turn_with_the_mean() -> None:
    """Around the mean the sample has no preferred direction, wherever the mean points."""
    for mean in ([1.0, 0, 0], [-1.0, 0, 0], [0, 1.0, 0], [0.6, 0, -0.8], [-1e-9, 0, 1.0]):
        law = VonMisesFisher(3, 4.0, mean)
        x = law.sample(20_000, np.random.default_rng(3))
        error = 4 / math.sqrt(len(x))
        np.testing.assert_allclose(x.mean(axis=0), law.mean_resultant * law.mean, atol=error)


# ---------------------------------------------------------------- the potential, regime by regime


def exact_excess(d: int, kappa: float, beta: float, t: float) -> float:
    with mp.workdps(60):
        k, b = mp.mpf(kappa), mp.mpf(beta)

        def log0(square: mp.mpf) -> mp.mpf:
            return mp.log(mp.hyp0f1(mp.mpf(d) / 2, square / 4))

        total = log0(k * k + b * b + 2 * k * b * mp.mpf(t)) - log0(k * k) - log0(b * b)
        return float(total)


@pytest.mark.parametrize("d", [2, 3, 8, 1000])
@pytest.mark.parametrize("kappa", [1e-6, 0.5, 3.0, 30.0])
@pytest.mark.parametrize("beta", [1e-3, 2.0, 50.0, 500.0])
def test_potential_of_vmf_to_rounding(d: int, kappa: float, beta: float) -> None:
    t = np.array([-1.0, -0.9, -0.1, 1e-3, 0.5, 0.999, 1.0])
    got = log_lambda0_excess(d, kappa, beta, t)
    expected = np.array([exact_excess(d, kappa, beta, value) for value in t])
    small = min(kappa, beta)
    tilt = small * np.abs(t) * VonMisesFisher(d, max(kappa, beta)).mean_resultant
    # What the docstring states: relative where one parameter is small, else absolute
    scale = np.maximum(np.abs(expected), np.minimum(1.0, tilt + small**2 / d))
    error = 1e-13 * scale + 1e-14 * (kappa + beta) * (small > 1)
    assert np.all(np.abs(got - expected) <= error)


def test_potential_of_vmf_for_huge_parameters() -> None:
    """At t = 1, log lambda_0(2x) - 2 log lambda_0(x) is 14 while each term is 1e6: d = 3."""
    x = 1e6
    # lambda_0 = sinh(x)/x at d = 3
    expected = -math.log(2 * (2 * x)) + 2 * math.log(2 * x)
    got = float(log_lambda0_excess(3, x, x, np.float64(1.0)))
    assert got == pytest.approx(expected, rel=1e-14)
    assert float(log_lambda0_excess(3, x, x, np.float64(-1.0))) == pytest.approx(
        -2 * x + 2 * math.log(2 * x), rel=1e-15
    )


@pytest.mark.parametrize(
    ("d", "kappa", "beta"),
    [
        (2, 0.5 * math.sqrt(2), 0.9),  # kappa / sqrt d = 1/2
        (400, 3.0, 15.0),  # kappa = 3, above beta/7
        (5, 6.0, 42.0),  # kappa = beta/7, above 3
        (50, 10.0, 100.0),  # kappa sqrt(d/2)/beta = 1/2
    ],
)
def test_potential_of_vmf_across_its_seams(d: int, kappa: float, beta: float) -> None:
    """One ulp either side of each boundary of the first regime, in value and slope."""
    t = np.array([-0.8, 0.1, 0.9])
    below, above = np.nextafter(kappa, 0.0), np.nextafter(kappa, np.inf)
    left = log_lambda0_excess(d, below, beta, t)
    right = log_lambda0_excess(d, above, beta, t)
    np.testing.assert_allclose(left, right, rtol=0, atol=1e-14 * max(1.0, kappa))
    h = 1e-4 * kappa
    first = (left - log_lambda0_excess(d, below - h, beta, t)) / h
    second = (log_lambda0_excess(d, above + h, beta, t) - right) / h
    np.testing.assert_allclose(first, second, rtol=0, atol=2 * h)


@pytest.mark.parametrize("d", [2, 3, 9])
def test_potential_of_points_in_both_regimes(d: int) -> None:
    """beta = d is where log lambda_0(beta) - beta takes over."""
    t = np.linspace(-1, 1, 9)
    for law in (PointMass(axis(d)), Smoothed(PointMass(axis(d)), 0.4)):
        below = law.log_potential(float(d), t)
        above = law.log_potential(np.nextafter(d, np.inf), t)
        assert below is not None and above is not None
        np.testing.assert_allclose(below, above, rtol=0, atol=1e-14 * d)
    # Far out: e^{beta} / lambda_0(beta), with log lambda_0(beta) - beta = 1F1 asymptotics
    peak = float(np.asarray(PointMass(axis(d)).log_potential(1e6, 1.0)))
    nu = d / 2 - 1
    tail = 1 - (4 * nu * nu - 1) / (8e6) + (4 * nu * nu - 1) * (4 * nu * nu - 9) / (2 * 64e12)
    log0 = math.lgamma(d / 2) + nu * math.log(2 / 1e6) - 0.5 * math.log(2e6 * math.pi)
    assert peak == pytest.approx(-log0 - math.log(tail), rel=1e-13)


# ---------------------------------------------------------------- mixtures and atoms


@pytest.mark.parametrize("d", [2, 3])
def test_mixture_energy_against_direct_quadrature(d: int) -> None:
    """N_l E P_l(X.X') over a product grid of the whole sphere, from the density alone."""
    means = [axis(d, i) for i in range(3)]
    law = Mixture(
        [0.2, 0.5, 0.3],
        [
            VonMisesFisher(d, 3.0, means[0]),
            VonMisesFisher(d, 1.5, means[1]),
            ZonalLaw.perturbed(d, 3, 0.6, means[2]),
        ],
    )
    angles = 2 * np.pi * np.arange(48) / 48
    if d == 2:
        points = np.column_stack((np.cos(angles), np.sin(angles)))
        weights = np.full(48, 1 / 48)
    else:
        z, share = coordinate_rule(3, 24)
        ring = np.sqrt(1 - z**2)
        points = np.stack(
            (
                np.outer(ring, np.cos(angles)),
                np.outer(ring, np.sin(angles)),
                np.broadcast_to(z[:, None], (24, 48)),
            ),
            axis=-1,
        ).reshape(-1, 3)
        weights = np.repeat(share / 48, 48)
    mass = weights * np.exp(law.log_density(points) + log_area(d))
    assert mass.sum() == pytest.approx(1.0, abs=1e-13)
    products = np.clip(points @ points.T, -1, 1)
    degrees = np.arange(9)
    for degree, energy in zip(degrees, law.harmonic_energy(degrees), strict=True):
        direct = float(multiplicity(d, degree)) * (mass @ gegenbauer(d, degree, products) @ mass)
        assert energy == pytest.approx(direct, abs=1e-12)


def test_mixture_on_one_axis_adds_before_it_squares() -> None:
    """Equal parts about m and -m: the odd degrees vanish exactly, not to 1e-16."""
    m = axis(12)
    law = Mixture([0.5, 0.5], [VonMisesFisher(12, 6.0, m), VonMisesFisher(12, 6.0, -m)])
    energy = law.harmonic_energy(np.arange(20))
    assert np.all(energy[1::2] == 0)
    single = VonMisesFisher(12, 6.0).harmonic_energy(np.arange(20))
    np.testing.assert_allclose(energy[::2], single[::2], rtol=1e-13)


def test_mixture_energy_is_the_square_of_a_sum_of_vectors() -> None:
    """On the circle q_l is a complex number."""
    angles, kappas, weights = [0.3, 2.0, -1.1], [0.5, 7.0, 40.0], [0.2, 0.3, 0.5]
    parts = [
        VonMisesFisher(2, k, [math.cos(a), math.sin(a)])
        for a, k in zip(angles, kappas, strict=True)
    ]
    degrees = np.arange(1, 30)
    total = sum(
        w * law.mean_legendre(degrees) * np.exp(1j * degrees * a)
        for w, law, a in zip(weights, parts, angles, strict=True)
    )
    energy = Mixture(weights, parts).harmonic_energy(degrees)
    np.testing.assert_allclose(energy, 2 * np.abs(total) ** 2, rtol=1e-12, atol=1e-30)


def test_nested_mixtures_flatten() -> None:
    points = uniform_sample(3, 4, np.random.default_rng(0))
    inner = Mixture([0.25, 0.75], [Uniform(4), Atoms(points)])
    law = Mixture([0.4, 0.0, 0.6], [VonMisesFisher(4, 2.0), Uniform(4), inner])
    weights, kinds = zip(*((w, type(part)) for w, part in law.components()), strict=True)
    assert kinds == (VonMisesFisher, Uniform, PointMass, PointMass, PointMass)
    np.testing.assert_allclose(weights, [0.4, 0.15, 0.15, 0.15, 0.15], rtol=1e-15)


@pytest.mark.parametrize("n", [1, 2, 5, 14])
def test_regular_polygon(n: int) -> None:
    degrees = np.arange(60)
    energy = Atoms.regular_polygon(n).harmonic_energy(degrees)
    expected = np.where(degrees == 0, 1.0, np.where(degrees % n == 0, 2.0, 0.0))
    np.testing.assert_allclose(energy, expected, rtol=1e-13, atol=1e-27)


@pytest.mark.parametrize(("n", "d"), [(40, 3), (40, 9), (300, 3), (300, 64)])
def test_atoms_against_the_gram_matrix(n: int, d: int) -> None:
    """Both roads (NumPy for few pairs, Numba for many) within the stated error."""
    rng = np.random.default_rng(n + d)
    points = VonMisesFisher(d, 20.0).sample(n, rng)
    weights = rng.dirichlet(np.ones(n))
    law = Atoms(points, weights)
    degrees = np.array([0, 1, 2, 7, 50])
    products = np.clip(law.points @ law.points.T, -1, 1)
    np.fill_diagonal(products, 1.0)
    for degree, energy, error in zip(
        degrees, law.harmonic_energy(degrees), law.harmonic_energy_error(degrees), strict=True
    ):
        values = gegenbauer(d, int(degree), products) * np.outer(law.weights, law.weights)
        direct = float(multiplicity(d, degree)) * math.fsum(values.ravel())
        assert abs(energy - direct) <= error + 1e-14 * direct


def test_gram_error_holds_for_near_pairs() -> None:
    """Points at tiny angles, where P_l is steepest; reference in 40 digits."""
    angles = np.array([0.0, 1e-7, 1e-4, 3e-3])
    points = np.column_stack((np.cos(angles), np.sin(angles), np.zeros(4)))
    law = Atoms(points)
    degree = 600
    with mp.workdps(40):
        rows = [[mp.mpf(value) for value in row] for row in law.points.tolist()]
        unit = [[v / mp.sqrt(sum(w * w for w in row)) for v in row] for row in rows]
        total = sum(
            mp.legendre(degree, min(sum(a * b for a, b in zip(u, v, strict=True)), mp.mpf(1)))
            for u in unit
            for v in unit
        )
        expected = float((2 * degree + 1) * total / 16)
    error = float(law.harmonic_energy_error(degree))
    assert abs(float(law.harmonic_energy(degree)) - expected) <= error
    assert error == pytest.approx((2 * degree + 1) * float(gram_error(3, 4, degree)))


def test_many_component_mixture_takes_the_compiled_road() -> None:
    rng = np.random.default_rng(4)
    d, count = 5, 120
    means = uniform_sample(count, d, rng)
    parts = [
        VonMisesFisher(d, float(k), m) for k, m in zip(rng.uniform(1, 9, count), means, strict=True)
    ]
    weights = rng.dirichlet(np.ones(count))
    degrees = np.array([1, 4, 9, 200])
    energy = Mixture(weights, parts).harmonic_energy(degrees)
    a = np.array([law.mean_legendre(degrees) for law in parts]) * weights[:, None]
    products = np.clip(means @ means.T, -1, 1)
    for i, degree in enumerate(degrees):
        square = a[:, i] @ gegenbauer(d, int(degree), products) @ a[:, i]
        expected = float(multiplicity(d, degree)) * square
        assert energy[i] == pytest.approx(expected, rel=1e-11, abs=1e-300)


def test_smoothed_energy_is_damped() -> None:
    points = uniform_sample(9, 5, np.random.default_rng(2))
    degrees = np.array([0, 1, 2, 6, 11])
    for law in (Atoms(points), Mixture([0.5, 0.5], [VonMisesFisher(5, 3.0), PointMass(points[0])])):
        smoothed = Smoothed(law, 0.7)
        damping = gegenbauer_all(5, 11, np.float64(0.7))[degrees]
        expected = damping**2 * law.harmonic_energy(degrees)
        np.testing.assert_allclose(smoothed.harmonic_energy(degrees), expected, rtol=1e-13)
        by_parts = Mixture([1.0], [smoothed]).harmonic_energy(degrees)
        np.testing.assert_allclose(by_parts, expected, rtol=1e-11)


def test_smoothed_energy_where_the_multiplicity_overflows() -> None:
    d, degree = 2048, 400
    law = Smoothed(PointMass(axis(d)), 0.2)
    energy = float(law.harmonic_energy(degree))
    with mp.workdps(30):
        count = mp.mpf(2 * degree + d - 2) * mp.gamma(degree + d - 2)
        count /= mp.gamma(degree + 1) * mp.gamma(d - 1)
        p = mp.gegenbauer(degree, mp.mpf(d) / 2 - 1, mp.mpf(0.2))
        p /= mp.binomial(degree + d - 3, degree)
        assert energy == pytest.approx(float(count * p * p), rel=1e-9)
    assert np.isinf(float(Atoms([axis(d)]).harmonic_energy(degree)))


# ---------------------------------------------------------------- samples


@pytest.mark.parametrize("law", law_cases(2, 3, 17))
def test_samples_have_the_law(law: Law) -> None:
    """E P_l(<c, X>) for a fixed c within 4 standard errors; rows are unit."""
    rng = np.random.default_rng(11)
    d, n = law.dimension, 8000
    x = law.sample(n, rng)
    assert x.shape == (n, d) and x.dtype == np.float64
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), 1.0, rtol=4e-16, atol=4e-16)
    center = axis(d, 0)
    values = gegenbauer_all(d, 3, np.clip(x @ center, -1, 1))
    for degree in (1, 2, 3):
        exact = sum(
            weight
            * float(part.mean_legendre(degree))
            * float(gegenbauer(d, degree, np.clip(part.mean @ center, -1, 1)))
            for weight, part in law.components()
        )
        spread = values[degree].std() / math.sqrt(n)
        assert abs(values[degree].mean() - exact) <= 4 * spread + 1e-12


@pytest.mark.parametrize("law", law_cases(3))
def test_energy_of_samples(law: Law) -> None:
    """The U-statistic of P_l(X.X') estimates |q_l|^2 / N_l without bias."""
    x = law.sample(1500, np.random.default_rng(12))
    values = gegenbauer_all(3, 2, np.clip(x @ x.T, -1, 1))
    exact = law.harmonic_energy([1, 2]) / multiplicity(3, [1, 2])
    for degree in (1, 2):
        rows = values[degree]
        u = (rows.sum() - len(x)) / (len(x) * (len(x) - 1))
        spread = 2 * rows.mean(axis=1).std() / math.sqrt(len(x)) + 2 / len(x)
        assert abs(u - exact[degree - 1]) <= 4 * spread


def test_samples_of_a_peaked_series() -> None:
    """A density 6e4 high: the envelope follows it, where a single bound would reject 6e4 to one."""
    law = vmf_series(16, 20.0, 60, axis(16))
    reference = VonMisesFisher(16, 20.0, axis(16))
    t = law.sample(4000, np.random.default_rng(0)) @ law.mean
    assert abs(t.mean() - reference.mean_resultant) <= 4 * t.std() / math.sqrt(t.size)


def test_samples_of_a_series_in_high_dimension() -> None:
    law = ZonalLaw.perturbed(20_000, 1, 0.9)
    assert law.sample(3, np.random.default_rng(0)).shape == (3, 20_000)
    assert ZonalLaw(4, [1.0]).sample(3, np.random.default_rng(0)).shape == (3, 4)


def test_mixture_samples_are_shuffled_and_seeded() -> None:
    law = Mixture([0.5, 0.5], [PointMass([1.0, 0, 0]), PointMass([0, 1.0, 0])])
    x = law.sample(400, np.random.default_rng(0))
    changes = np.count_nonzero(np.diff(x[:, 0]))
    assert 140 < changes < 260
    np.testing.assert_array_equal(x, law.sample(400, np.random.default_rng(0)))


# ---------------------------------------------------------------- series


@pytest.mark.parametrize(("degree", "amplitude"), [(1, 1.0), (1, -1.0), (4, 1.0), (9, -0.5)])
def test_perturbed_density(degree: int, amplitude: float) -> None:
    law = ZonalLaw.perturbed(6, degree, amplitude, axis(6))
    x = uniform_sample(20, 6, np.random.default_rng(0))
    expected = np.log1p(amplitude * gegenbauer(6, degree, x @ law.mean)) - log_area(6)
    np.testing.assert_allclose(law.log_density(x), expected, rtol=0, atol=1e-12)
    count = float(multiplicity(6, degree))
    assert float(law.harmonic_energy(degree)) == pytest.approx(amplitude**2 / count, rel=1e-13)


def test_perturbed_where_the_multiplicity_overflows() -> None:
    law = ZonalLaw.perturbed(100_000, 120, 0.5)
    assert np.isinf(multiplicity(100_000, 120))
    sign, log_size = law.log_mean_legendre([120])
    assert sign[0] == 1 and -900 > log_size[0] > -1000
    assert float(law.harmonic_energy(120)) == 0.0  # 0.25 / N_l, below the double range
    assert law.mean_legendre([0, 120]).tolist() == [1.0, 0.0]


def test_vmf_series_is_the_vmf_law() -> None:
    m = axis(7)
    law, series = VonMisesFisher(7, 3.0, m), vmf_series(7, 3.0, 40, m)
    x = uniform_sample(30, 7, np.random.default_rng(1))
    np.testing.assert_allclose(series.log_density(x), law.log_density(x), rtol=0, atol=1e-12)
    t = np.linspace(-1, 1, 7)
    np.testing.assert_allclose(series.log_potential(2.5, t), law.log_potential(2.5, t), atol=1e-12)


@pytest.mark.parametrize(
    "coefficients",
    [
        [1.0, 0.5],  # 1 + 1.5 t at d = 3
        [1.0, 0.0, -0.3],
        [1.0, 0.0, 0.45],
        np.r_[1.0, np.zeros(40), 1.02 / 83],  # dips just below 0 between t = -1 and 1
    ],
)
def test_negative_density_is_refused(coefficients: list[float]) -> None:
    with pytest.raises(ArgumentError, match=r"coefficients must give a density >= 0 .* at t = "):
        ZonalLaw(3, coefficients)


# ---------------------------------------------------------------- objects


def rebuilt(text: str) -> object:
    names = (Atoms, Mixture, PointMass, Smoothed, TurnedUniform, Uniform, VonMisesFisher, ZonalLaw)
    return eval(text, {cls.__name__: cls for cls in names})


@pytest.mark.parametrize("law", law_cases(2, 5))
def test_repr_rebuilds(law: Law) -> None:
    again = rebuilt(repr(law))
    assert again == law and hash(again) == hash(law)
    assert pickle.loads(pickle.dumps(law)) == law and copy.copy(law) == law


def test_laws_do_not_change() -> None:
    points = np.eye(3)
    law = Atoms(points)
    points[0] = [0.0, 0.0, 1.0]
    np.testing.assert_array_equal(law.points, np.eye(3))
    with pytest.raises(ValueError, match="read-only"):
        law.points[0, 0] = 2.0
    for other in (law, VonMisesFisher(3, 1.0)):
        with pytest.raises(AttributeError, match="immutable"):
            other.dimension = 4
        with pytest.raises(AttributeError, match="immutable"):
            del other.dimension
    assert Uniform(3) != Uniform(4) and Uniform(3) != VonMisesFisher(3, 0.0)
    assert VonMisesFisher(3, 1.0) != VonMisesFisher(3, 1.0, [0, 1.0, 0])


def test_repr_leaves_out_the_default_axis() -> None:
    assert repr(VonMisesFisher(3, 2)) == "VonMisesFisher(d=3, kappa=2.0)"
    assert repr(ZonalLaw.perturbed(4, 2, 0.5)) == "ZonalLaw.perturbed(d=4, degree=2, amplitude=0.5)"
    assert repr(Uniform(9)) == "Uniform(d=9)"


@given(
    d=st.integers(2, 300),
    kappa=st.floats(0, 1e4),
    cosine=st.floats(-1, 1),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=40)
def test_energy_lies_between_zero_and_the_multiplicity(
    d: int, kappa: float, cosine: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    law = VonMisesFisher(d, kappa, uniform_sample(1, d, rng)[0])
    mixed = Smoothed(Mixture([0.5, 0.5], [law, PointMass(uniform_sample(1, d, rng)[0])]), cosine)
    degrees = np.arange(8)
    energy = mixed.harmonic_energy(degrees)
    assert energy[0] == pytest.approx(1.0, abs=1e-12)
    assert np.all(energy >= 0)
    assert np.all(energy <= multiplicity(d, degrees) * (1 + 1e-12))


# ---------------------------------------------------------------- bad input

M3 = [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Uniform(1), "d must be an integer >= 2, got 1"),
        (lambda: Uniform(3.5), "d must be"),
        (lambda: VonMisesFisher(3, -1.0), "kappa must be .*got -1.0"),
        (lambda: VonMisesFisher(3, math.nan), "kappa must be"),
        (lambda: VonMisesFisher(3, math.inf), "kappa must be"),
        (lambda: VonMisesFisher(3, 1.0, [1.0, 0.0]), r"mean must have shape \(3,\)"),
        (lambda: VonMisesFisher(3, 1.0, [1.0, 1.0, 0.0]), "mean must be a unit vector"),
        (lambda: VonMisesFisher(3, 1.0).log_density([1.0, 0.0]), "x must have a last axis"),
        (lambda: VonMisesFisher(3, 1.0).log_density([1.0, 1.0, 0.0]), "x must have unit rows"),
        (lambda: VonMisesFisher(3, 1.0).log_density([math.nan, 1.0, 0.0]), "x must be finite"),
        (lambda: VonMisesFisher(3, 1.0).log_potential(-1.0, 0.5), "beta must be"),
        (
            lambda: VonMisesFisher(3, 1.0).log_potential(1.0, 1.5),
            r"t must be in \[-1, 1\], got 1.5",
        ),
        (lambda: VonMisesFisher(3, 1.0).log_potential(1.0, math.nan), "t must be in"),
        (lambda: VonMisesFisher(3, 1.0).harmonic_energy([-1]), "degrees must be"),
        (lambda: VonMisesFisher(3, 1.0).sample(0, np.random.default_rng(0)), "n must be .*got 0"),
        (lambda: VonMisesFisher(3, 1.0).sample(2.0, np.random.default_rng(0)), "n must be"),
        (lambda: VonMisesFisher(3, 1.0).sample(2, 7), "rng must be"),
        (lambda: VonMisesFisher.kappa_of_mean_resultant(3, 1.0), "resultant must be < 1"),
        (lambda: VonMisesFisher.kappa_of_mean_resultant(3, 1.1), "resultant must be in"),
        (lambda: VonMisesFisher.kappa_of_mean_resultant(3, complement=0.0), "complement must be"),
        (lambda: VonMisesFisher.kappa_of_mean_resultant(3), "exactly one"),
        (lambda: VonMisesFisher.fit(np.zeros((3, 3))), "x must have unit rows.*row 0"),
        (lambda: VonMisesFisher.fit(np.empty((0, 3))), "x must be a non-empty"),
        (lambda: ZonalLaw(3, []), "coefficients must have shape"),
        (lambda: ZonalLaw(3, [0.9, 0.1]), r"coefficients\[0\] must be 1, got 0.9"),
        (lambda: ZonalLaw(3, [1.0, math.nan]), "coefficients must be finite, got nan at degree 1"),
        (lambda: ZonalLaw(100_000, np.ones(200)), "double range"),
        (lambda: ZonalLaw.perturbed(3, 0, 0.1), "degree must be an integer >= 1, got 0"),
        (lambda: ZonalLaw.perturbed(3, 2, 3.0), "density >= 0"),
        (lambda: PointMass([1.0]), "point must have shape"),
        (lambda: Atoms([[1.0, 0.0], [0.0, 2.0]]), "points must have unit rows.*row 1"),
        (lambda: Atoms([[1.0], [1.0]]), "points must have rows of dimension >= 2"),
        (lambda: Atoms(np.eye(3), [0.5, 0.5, 0.5]), "weights must sum to 1"),
        (lambda: Atoms(np.eye(3), [0.5, 0.5]), r"weights must have shape \(3,\)"),
        (lambda: Atoms(np.eye(3)).log_density(M3), "Atoms has no closed-form density"),
        (lambda: Mixture([], []), "components must hold at least one law"),
        (lambda: Mixture([1.0], ["law"]), "components must be laws, got 'law' at index 0"),
        (lambda: Mixture([0.5, 0.5], [Uniform(3), Uniform(4)]), r"one dimension, got \[3, 4\]"),
        (lambda: Mixture([0.5, 0.4], [Uniform(3), Uniform(3)]), "weights must sum to 1"),
        (lambda: Smoothed(Uniform(3), 1.1), "cosine must be"),
        (lambda: Smoothed(3, 0.5), "law must be a law"),
        (lambda: Smoothed(VonMisesFisher(3, 1.0), 0.5).log_density(M3), "closed-form density"),
        (lambda: TurnedUniform(3, 1.5), "delta must be"),
        (lambda: Atoms.regular_polygon(0), "n must be"),
    ],
)
def test_bad_input_is_named(call: object, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        call()  # type: ignore[operator]
