"""Exact functionals: against their definitions by routes that share no formula with them."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial.chebyshev import chebfit, chebval
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray
from scipy import integrate, special

from spherelab import population
from spherelab.arguments import ArgumentError
from spherelab.bessel import log_lambda0
from spherelab.gegenbauer import clenshaw
from spherelab.laws import (
    Atoms,
    AxialLaw,
    Law,
    Mixture,
    PointMass,
    Smoothed,
    Uniform,
    VonMisesFisher,
    ZonalLaw,
)
from spherelab.pairs import (
    Aligned,
    AntipodalPath,
    Extremal,
    MixturePath,
    NuisanceChannel,
    Pair,
    PairAtoms,
    TangentShift,
    VMFPair,
)
from spherelab.population import excess as excess_module
from spherelab.population import (
    extremal_loss,
    infonce_excess,
    misalignment,
    misalignment_certificate,
    sg_alpha_loss,
    sg_loss,
    uniformity_excess,
)
from spherelab.population import potential as potential_module

Array = NDArray[np.float64]


def axis(d: int, i: int) -> Array:
    return np.eye(d)[i]


def direction(d: int, angle: float) -> Array:
    return math.cos(angle) * axis(d, 0) + math.sin(angle) * axis(d, 1)


def caps(d: int, kappas: tuple[float, ...], angles: tuple[float, ...]) -> Mixture:
    laws = [VonMisesFisher(d, k, direction(d, a)) for k, a in zip(kappas, angles, strict=True)]
    weights = np.arange(1.0, len(laws) + 1)
    return Mixture(weights / weights.sum(), laws)


def cross_polytope_pairs(d: int) -> PairAtoms:
    u = np.concatenate((np.eye(d), -np.eye(d)))
    return PairAtoms(u, np.roll(u, 1, axis=0))


def random_pairs(d: int, n: int, seed: int = 0) -> PairAtoms:
    rng = np.random.default_rng(seed)
    u, v = rng.standard_normal((2, n, d))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    v = u + 0.7 * v / np.linalg.norm(v, axis=1, keepdims=True)
    return PairAtoms(u, v / np.linalg.norm(v, axis=1, keepdims=True))


# --- J by its definition: quadrature over the direction a and the frequency s ---------------------


def chi_function(d: int, x: Array) -> NDArray[np.complex128]:
    """E e^{i x R}, R ~ chi_d, by Gauss-Laguerre-like quadrature in R."""
    nodes, weights = leggauss(220)
    r = 7.0 * (nodes + 1.0) + 1e-12  # R in [0, 14]: chi_3 beyond 14 has mass 1e-42
    log_density = (d - 1) * np.log(r) - r * r / 2 - special.gammaln(d / 2) - (d / 2 - 1) * np.log(2)
    mass = weights * 7.0 * np.exp(log_density)
    return np.exp(1j * np.multiply.outer(x, r)) @ mass


def definition(d: int, points: Array, mass: Array, directions: Array, shares: Array) -> float:
    """E_a E_s |E e^{i s R a.M} - e^{-s^2/2}|^2 for a law of M on finitely many points."""
    s = np.arange(0.0, 9.0, 0.2)
    gauss = 0.2 * np.exp(-s * s / 2) / math.sqrt(2 * math.pi) * np.where(s == 0, 1.0, 2.0)
    projections = directions @ points.T  # (a, m)
    grid = np.linspace(-9.0, 9.0, 2401)
    table = chi_function(d, grid)
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(grid, table)
    total = 0.0
    for frequency, weight in zip(s, gauss, strict=True):
        values = spline(frequency * projections) @ mass
        gap = np.abs(values - math.exp(-frequency * frequency / 2)) ** 2
        total += weight * float(shares @ gap)
    return total


def circle_rule(n: int = 120) -> tuple[Array, Array]:
    angles = 2 * math.pi * np.arange(n) / n
    return np.column_stack((np.cos(angles), np.sin(angles))), np.full(n, 1 / n)


def sphere_rule(n: int = 24) -> tuple[Array, Array]:
    z, w = leggauss(n)
    angles = math.pi * (np.arange(2 * n) + 0.5) / n
    sine = np.sqrt(1 - z * z)
    rows = [
        np.column_stack((s * np.cos(angles), s * np.sin(angles), 0 * angles + c))
        for s, c in zip(sine, z, strict=True)
    ]
    return np.concatenate(rows), np.repeat(w / 2, 2 * n) / (2 * n)


def meridian_rule(n: int = 16) -> tuple[Array, Array]:
    """Directions of a uniform a in d = 3, for what depends on its first coordinate only."""
    z, w = leggauss(n)
    return np.column_stack((z, np.sqrt(1 - z * z), np.zeros(n))), w / 2


def vmf_points(d: int, kappa: float, n: int = 32) -> tuple[Array, Array]:
    """A rule for the von Mises-Fisher law about the first axis from its density alone."""
    rule, shares = circle_rule(240) if d == 2 else sphere_rule(n)
    mass = shares * np.exp(kappa * (rule[:, 0 if d == 2 else 2] - 1))
    if d == 3:
        rule = rule[:, [2, 0, 1]]
    return rule, mass / mass.sum()


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("kappa", [0.5, 4.0])
def test_loss_of_an_aligned_law_is_its_definition(d: int, kappa: float) -> None:
    points, mass = vmf_points(d, kappa)
    directions, shares = circle_rule() if d == 2 else meridian_rule()
    expected = definition(d, points, mass, directions, shares)
    # the spline of the characteristic function is good to 1e-9
    assert sg_loss(Aligned(VonMisesFisher(d, kappa))) == pytest.approx(expected, rel=2e-7, abs=0)


@pytest.mark.parametrize(
    "pair",
    [
        cross_polytope_pairs(2),
        cross_polytope_pairs(3),
        random_pairs(2, 5),
        random_pairs(3, 4),
        PairAtoms(axis(3, 0)[None], -axis(3, 0)[None]),
        PairAtoms(np.eye(3), np.eye(3), [0.2, 0.3, 0.5]),
    ],
    ids=["cross2", "cross3", "random2", "random3", "antipodal", "aligned"],
)
def test_loss_of_atoms_is_its_definition(pair: PairAtoms) -> None:
    d = pair.dimension
    directions, shares = circle_rule() if d == 2 else sphere_rule()
    middle = 0.5 * (pair.u + pair.v)
    expected = definition(d, middle, pair.weights, directions, shares)
    assert sg_loss(pair) == pytest.approx(expected, rel=2e-7, abs=0)


@pytest.mark.parametrize("c", [-1.0, 0.0, 0.4])
def test_loss_of_a_channel_is_that_of_its_average(c: float) -> None:
    """M has norm sqrt(1-Delta) and turns X by a fixed angle: atoms of that law, in d = 3."""
    d, delta, kappa = 3, 0.2, 3.0
    pair = NuisanceChannel(VonMisesFisher(d, kappa), delta, c)
    points, mass = vmf_points(d, kappa, 20)
    cosine = math.sqrt((1 - 2 * delta / (1 - c)) / (1 - delta))
    turns = 2 * math.pi * np.arange(16) / 16
    rows, weights = [], []
    for x, w in zip(points, mass, strict=True):
        first = np.cross(x, axis(3, int(np.argmin(np.abs(x)))))
        first /= np.linalg.norm(first)
        second = np.cross(x, first)
        around = np.outer(np.cos(turns), first) + np.outer(np.sin(turns), second)
        rows.append(math.sqrt(1 - delta) * (cosine * x + math.sqrt(1 - cosine**2) * around))
        weights.append(np.full(16, w / 16))
    directions, shares = meridian_rule()
    expected = definition(d, np.concatenate(rows), np.concatenate(weights), directions, shares)
    assert sg_loss(pair) == pytest.approx(expected, rel=2e-7, abs=0)


def kernel(d: int, x: Array) -> Array:
    return special.hyp1f1(0.5, d / 2, -x)


def u_statistic(z: Array) -> tuple[float, float]:
    """Unbiased estimate of J from Z (R sampled), and its standard error by the projection."""
    n, d = z.shape
    squares = np.sum((z[:, None] - z[None]) ** 2, axis=2) / 2
    pairs = kernel(d, squares)
    np.fill_diagonal(pairs, 0.0)
    own = kernel(d, np.sum(z * z, axis=1) / 4) / math.sqrt(2)
    rows = pairs.sum(axis=1) / (n - 1)
    value = rows.mean() - 2 * own.mean() + 1 / math.sqrt(3)
    projection = 2 * rows - 2 * own
    degenerate = 2 * special.hyp2f1(0.5, 0.5, d / 2, 4 / 9) / 3 / (n * (n - 1))
    return float(value), float(math.sqrt(np.var(projection) / n + degenerate))


FAMILIES: dict[str, Pair] = {
    "aligned": Aligned(VonMisesFisher(8, 3.0)),
    "caps": Aligned(caps(4, (5.0, 2.0), (0.0, 1.2))),
    "extremal": Extremal(16, 0.3),
    "extremal-circle": Extremal(2, 0.3),
    "mixture": MixturePath(5, 0.4),
    "antipodal": AntipodalPath(5, 0.4),
    "vmf-pair": VMFPair(6, 4.0),
    "channel": NuisanceChannel(VonMisesFisher(6, 5.0), 0.15, -1.0),
    "channel-orthogonal": NuisanceChannel(VonMisesFisher(6, 5.0), 0.15, 0.0),
    "tangent": TangentShift(7, 0.2),
    "atoms": random_pairs(5, 9),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_loss_against_monte_carlo(name: str) -> None:
    pair = FAMILIES[name]
    rng = np.random.default_rng(1)
    u, v = pair.sample(1500, rng)
    radius = np.sqrt(rng.chisquare(pair.dimension, len(u)))
    value, standard_error = u_statistic(radius[:, None] * 0.5 * (u + v))
    assert abs(value - sg_loss(pair)) < 4 * standard_error
    delta = np.sum((u - v) ** 2, axis=1) / 4
    spread = np.std(delta) / math.sqrt(len(delta)) + 1e-12
    assert abs(delta.mean() - misalignment(pair)) < 4 * spread


@pytest.mark.parametrize("name", FAMILIES)
def test_uniformity_against_monte_carlo(name: str) -> None:
    """E_u log E_v e^{beta u.v} with the inner mean over many points, less its first-order bias."""
    pair, beta = FAMILIES[name], 2.0
    rng = np.random.default_rng(2)
    u, _ = pair.sample(4000, rng)
    _, v = pair.sample(4000, rng)
    weights = np.exp(beta * (u @ v.T))
    means = weights.mean(axis=1)
    logs = np.log(means) + weights.var(axis=1) / means**2 / (2 * v.shape[0])
    inner = (weights / means[:, None]).mean(axis=0)
    error = math.sqrt(np.var(logs) / len(u) + np.var(inner) / len(v))
    value = logs.mean() - float(log_lambda0(pair.dimension, beta))
    assert abs(value - uniformity_excess(pair, beta)) < 4 * error + 1e-12


# --- the parts of J -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAMILIES)
def test_parts(name: str) -> None:
    pair = FAMILIES[name]
    loss = sg_loss(pair)
    assert isinstance(loss, float)
    assert loss == math.fsum(loss.by_degree)
    assert loss.radial == loss.by_degree[0]
    assert np.all(loss.by_degree >= 0)
    assert 0 <= loss.error <= 1e-9 * loss
    assert loss.radial >= extremal_loss(pair.misalignment()) * (1 - 1e-12)
    assert pair.misalignment() <= misalignment_certificate(loss.radial) * (1 + 1e-12)
    for twin in (copy.deepcopy(loss), pickle.loads(pickle.dumps(loss))):
        assert twin == loss and twin.error == pytest.approx(loss.error)
        assert np.array_equal(twin.by_degree, loss.by_degree)
    alpha = sg_alpha_loss(pair, 0.2)
    assert alpha == pytest.approx(loss + 0.2 * pair.misalignment(), rel=1e-15, abs=0)
    assert sg_alpha_loss(pair, 0.0) == loss


def test_atoms_agree_with_the_aligned_law() -> None:
    for d in (2, 3, 7):
        points = random_pairs(d, 6).u
        aligned = sg_loss(Aligned(Atoms(points)))
        paired = sg_loss(PairAtoms(points, points))
        assert paired == pytest.approx(aligned, rel=1e-12, abs=0)
        assert paired.by_degree[1:20] == pytest.approx(
            aligned.by_degree[1:20], rel=1e-10, abs=1e-17
        )


def test_a_repeated_atom_is_a_heavier_one() -> None:
    pair = random_pairs(4, 3)
    twice = PairAtoms(
        np.concatenate((pair.u, pair.u[:1])),
        np.concatenate((pair.v, pair.v[:1])),
        [0.1, 0.3, 0.3, 0.3],
    )
    heavier = PairAtoms(pair.u, pair.v, [0.4, 0.3, 0.3])
    assert sg_loss(twice) == pytest.approx(sg_loss(heavier), rel=1e-12, abs=0)
    assert infonce_excess(twice, 3.0) == pytest.approx(
        infonce_excess(heavier, 3.0), rel=1e-12, abs=0
    )
    with_nothing = PairAtoms(
        np.concatenate((pair.u, -pair.u[:1])),
        np.concatenate((pair.v, pair.u[:1])),
        [0.4, 0.3, 0.3, 0],
    )
    assert sg_loss(with_nothing) == pytest.approx(sg_loss(heavier), rel=1e-12, abs=0)


@pytest.mark.parametrize("d", [2, 3, 6])
def test_rotation_changes_nothing(d: int) -> None:
    rng = np.random.default_rng(d)
    turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
    pair = random_pairs(d, 5)
    turned = PairAtoms(pair.u @ turn, pair.v @ turn)
    assert sg_loss(turned) == pytest.approx(sg_loss(pair), rel=1e-11, abs=0)
    law = caps(d, (4.0, 9.0), (0.3, 2.0))
    moved = Mixture(
        [w for w, _ in law.components()],
        [VonMisesFisher(d, c.kappa, c.mean @ turn) for _, c in law.components()],  # type: ignore[attr-defined]
    )
    assert uniformity_excess(moved, 5.0) == pytest.approx(
        uniformity_excess(law, 5.0), rel=1e-11, abs=0
    )
    assert sg_loss(Aligned(moved)) == pytest.approx(sg_loss(Aligned(law)), rel=1e-11, abs=0)


def test_zero_only_at_aligned_uniform() -> None:
    for pair in (Aligned(Uniform(5)), Extremal(5, 0.0), MixturePath(5, 0.0), AntipodalPath(5, 0.0)):
        assert sg_loss(pair) == 0 and infonce_excess(pair, 3.0) == 0
    for name, pair in FAMILIES.items():
        assert sg_loss(pair) > 0, name


# --- U_beta by its definition ---------------------------------------------------------------------


def planar_excess(law: Mixture, beta: float) -> float:
    """U_beta in d = 3 by a product rule over the whole sphere, potentials in closed form."""
    d = law.dimension
    rule, shares = sphere_rule(70)
    parts = [(w, c.kappa, c.mean) for w, c in law.components()]  # type: ignore[attr-defined]

    def lam(x: Array) -> Array:  # sinh x / x, scaled
        return (1 - np.exp(-2 * x)) / (2 * x)

    density = sum(w * k / math.sinh(k) * np.exp(k * rule @ m) for w, k, m in parts)
    potential = np.zeros(len(rule))
    for w, k, m in parts:
        s = np.linalg.norm(k * m + beta * rule, axis=1)
        potential += w * lam(s) * np.exp(s - k - beta) / (lam(np.array(k)) * lam(np.array(beta)))
    assert d == 3
    return float((shares * density) @ np.log(potential))


@pytest.mark.parametrize(
    ("kappas", "angles"),
    [((3.0,), (0.0,)), ((4.0, 2.0), (0.0, 1.0)), ((8.0, 3.0, 5.0), (0.0, 0.9, 2.5))],
)
@pytest.mark.parametrize("beta", [0.5, 5.0])
def test_uniformity_of_coplanar_caps(
    kappas: tuple[float, ...], angles: tuple[float, ...], beta: float
) -> None:
    law = caps(3, kappas, angles)
    assert uniformity_excess(law, beta) == pytest.approx(planar_excess(law, beta), rel=1e-11, abs=0)


def test_uniformity_of_three_dimensional_axes() -> None:
    laws = [VonMisesFisher(3, k, axis(3, i)) for i, k in enumerate((3.0, 5.0, 2.0))]
    law = Mixture([0.2, 0.5, 0.3], laws)
    value = uniformity_excess(law, 4.0)
    assert value == pytest.approx(planar_excess(law, 4.0), rel=1e-11, abs=0)
    assert value.error < 1e-10 * value


def test_uniformity_beyond_five_axes_says_that_it_is_sampled() -> None:
    laws = [VonMisesFisher(8, 5.0, axis(8, i)) for i in range(6)]
    value = uniformity_excess(Mixture(np.full(6, 1 / 6), laws), 0.1)
    assert "Monte Carlo" in value.method
    # caps on orthogonal axes: the spectral sum less a remainder of third order
    energies = Mixture(np.full(6, 1 / 6), laws).harmonic_energy(np.arange(1, 4))
    r = [float(special.iv(3 + k, 0.1) / special.iv(3, 0.1)) for k in (1, 2, 3)]
    assert value == pytest.approx(float(np.dot(r, energies)), rel=0.02, abs=0)


@pytest.mark.parametrize("d", [3, 8, 64])
@pytest.mark.parametrize(("kappa", "beta"), [(2.0, 5.0), (1e-3, 5.0), (50.0, 0.01), (20.0, 40.0)])
def test_uniformity_of_von_mises_fisher(d: int, kappa: float, beta: float) -> None:
    """E_t log lambda_0(|kappa m + beta u|) - .., in 40 digits."""
    import mpmath

    with mpmath.workdps(40):
        nu = mpmath.mpf(d) / 2 - 1
        k, b = mpmath.mpf(kappa), mpmath.mpf(beta)

        def log_lambda(x: mpmath.mpf) -> mpmath.mpf:
            return mpmath.log(mpmath.hyp0f1(nu + 1, x * x / 4))

        def weight(t: mpmath.mpf) -> mpmath.mpf:
            return mpmath.exp(k * (t - 1)) * (1 - t * t) ** (mpmath.mpf(d - 3) / 2)

        def inner(t: mpmath.mpf) -> mpmath.mpf:
            s = mpmath.sqrt(k**2 + b**2 + 2 * k * b * t)
            return weight(t) * log_lambda(s)

        edges = [-1, -0.5, 0, 0.5, 0.8, 0.9, 0.97, 1]
        mass = mpmath.quad(weight, edges)
        expected = mpmath.quad(inner, edges) / mass
        expected -= log_lambda(k) + log_lambda(b)
    value = uniformity_excess(VonMisesFisher(d, kappa), beta)
    assert value == pytest.approx(float(expected), rel=1e-11, abs=0)
    assert abs(value - float(expected)) <= value.error + 2e-13 * value


@pytest.mark.parametrize(
    "law",
    [
        ZonalLaw.perturbed(5, 3, 0.7),
        ZonalLaw(3, [1.0, 0.2, 0.05]),
        Smoothed(ZonalLaw.perturbed(4, 2, 0.8), 0.7),
        VonMisesFisher(4, 30.0),
    ],
    ids=repr,
)
@pytest.mark.parametrize("beta", [0.3, 6.0, 60.0])
def test_uniformity_from_the_density(law: Law, beta: float) -> None:
    """Double quadrature over the cosines to the axis, from ``log_density`` alone."""
    d = law.dimension
    theta, weights = leggauss(400)
    theta = math.pi / 2 * (theta + 1)
    mean = getattr(law, "mean")  # noqa: B009
    other = axis(d, 1) if abs(mean[1]) < 0.5 else axis(d, 0)
    other = other - (other @ mean) * mean
    other /= np.linalg.norm(other)
    t = np.cos(theta)
    rows = t[:, None] * mean + np.sin(theta)[:, None] * other
    mass = weights * np.sin(theta) ** (d - 2) * np.exp(law.log_density(rows))
    mass /= mass.sum()
    across = beta * np.outer(np.sin(theta), np.sin(theta))
    around = log_lambda0(d - 1, across) if d > 2 else np.log(np.cosh(across))
    exponent = beta * np.outer(t, t) + around
    top = exponent.max(axis=1)
    logs = top + np.log(np.exp(exponent - top[:, None]) @ mass)
    expected = float(mass @ logs) - float(log_lambda0(d, beta))
    # the reference subtracts logs of order beta: its rounding is absolute
    assert uniformity_excess(law, beta) == pytest.approx(expected, rel=1e-11, abs=1e-14)


@pytest.mark.parametrize(
    "law",
    [
        Smoothed(VonMisesFisher(4, 6.0), 0.8),
        Smoothed(VonMisesFisher(3, 40.0), 0.3),
        TangentShift(6, 0.4).first,
        TangentShift(3, 0.9).second,
        TangentShift(2, 0.5).first,
    ],
    ids=repr,
)
@pytest.mark.parametrize("beta", [0.3, 6.0])
def test_potential_by_series_and_by_quadrature(law: AxialLaw, beta: float) -> None:
    """The harmonic series against the positive double integral over the law's own rule."""
    t = np.linspace(-1.0, 1.0, 9)
    terms = potential_module.series(law, beta)
    by_series = np.log1p(clenshaw(law.dimension, terms, t))
    by_quadrature = potential_module.log_potential_by_quadrature(law, beta, t)
    noise = 2e-16 * float(np.abs(terms).sum()) / float(np.exp(by_series.min()))
    assert by_quadrature == pytest.approx(by_series, rel=1e-11, abs=1e-14 + 20 * noise)
    if isinstance(law, Smoothed):  # a product rule: a minute for the interpolant's nodes
        return
    coefficients, rest = potential_module._interpolant(law, beta)
    assert chebval(t, coefficients) == pytest.approx(by_quadrature, rel=0, abs=1e-13 + rest)


def test_lost_points_cost_only_their_weight() -> None:
    """Far from a narrow law G is below the rounding of its series; U_beta does not notice."""
    pair, beta, n = NuisanceChannel(VonMisesFisher(3, 60.0), 0.2, 0.0), 20.0, 128
    value = uniformity_excess(pair, beta)
    law = pair.first
    assert isinstance(law, AxialLaw)
    t, mass = law.axis_rule(2)
    angles = (np.arange(n) + 0.5) * np.pi / n
    logs = potential_module.log_potential_by_quadrature(law, beta, np.cos(angles))
    expected = float(mass @ chebval(t, chebfit(np.cos(angles), logs, n - 1)))
    assert value == pytest.approx(expected, rel=1e-9, abs=0)


@pytest.mark.parametrize("d", [2, 3, 9])
def test_uniformity_of_atoms_is_a_double_sum(d: int) -> None:
    pair = random_pairs(d, 7)
    for beta in (0.5, 5.0, 300.0):
        first, second = pair.u, pair.v
        own = special.logsumexp(beta * first @ first.T, axis=1) - math.log(7)
        expected = own.mean() - float(log_lambda0(d, beta))
        assert uniformity_excess(Atoms(first), beta) == pytest.approx(expected, rel=1e-11, abs=0)
        cross = special.logsumexp(beta * first @ second.T, axis=1) - math.log(7)
        expected = cross.mean() - float(log_lambda0(d, beta))
        assert uniformity_excess(pair, beta) == pytest.approx(expected, rel=1e-9, abs=0)


def test_atoms_and_caps_together() -> None:
    """A mixture of an atom and a cap on two axes, d = 3: the atom exactly, the cap by rule."""
    cap, atom = VonMisesFisher(3, 5.0), PointMass(axis(3, 1))
    law = Mixture([0.4, 0.6], [cap, atom])
    beta = 3.0
    rule, shares = sphere_rule(60)
    lam = lambda x: np.sinh(x) / x  # noqa: E731
    s = np.linalg.norm(5.0 * axis(3, 0) + beta * rule, axis=1)
    density = shares * np.exp(5.0 * rule[:, 0]) / lam(5.0)

    def potential(rows: Array, s: Array) -> Array:
        own = 0.4 * lam(s) / lam(5.0) + 0.6 * np.exp(beta * rows[:, 1])
        return np.log(own / lam(beta))

    at = axis(3, 1)[None]
    value = 0.4 * float(density @ potential(rule, s))
    value += 0.6 * float(potential(at, np.linalg.norm(5.0 * axis(3, 0) + beta * at, axis=1))[0])
    assert uniformity_excess(law, beta) == pytest.approx(value, rel=1e-11, abs=0)


@pytest.mark.parametrize("kappa", [1e-9, 1e-5, 1e-2])
def test_uniformity_keeps_its_digits_near_uniform(kappa: float) -> None:
    """U = r_1 (1 - r_1/2) |q_1|^2 (1 + O(kappa^2)) as kappa -> 0, |q_1|^2 = kappa^2/d (1 + ..)."""
    d, beta = 16, 2.0
    r = float(special.iv(8, beta) / special.iv(7, beta))
    expected = r * (1 - r / 2) * d * float(special.iv(8, kappa) / special.iv(7, kappa)) ** 2
    value = uniformity_excess(VonMisesFisher(d, kappa), beta)
    assert value == pytest.approx(expected, rel=1e-11 + kappa**2, abs=0)


def test_both_forms_agree_at_the_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    for law, beta in (
        (VonMisesFisher(8, 0.9), 3.0),
        (caps(3, (0.6, 0.4), (0.0, 1.0)), 2.0),
        (ZonalLaw.perturbed(4, 2, 0.9), 4.0),
    ):
        monkeypatch.setattr(excess_module, "_SMALL", math.inf)
        assert np.all(np.isfinite(excess_module.omega(np.array([-0.5, 0.5]))))
        monkeypatch.setattr(excess_module, "_SMALL", 0.5)
        small = uniformity_excess(law, beta)
        assert small.method.startswith("spectral")
        monkeypatch.setattr(excess_module, "_SMALL", 0.0)
        large = uniformity_excess(law, beta)
        assert large.method == "quadrature"
        assert small == pytest.approx(large, rel=1e-11, abs=0)


@given(st.floats(-0.5, 0.5))
def test_omega(g: float) -> None:
    import mpmath

    with mpmath.workdps(340):
        expected = float(mpmath.mpf(g) - mpmath.log1p(mpmath.mpf(g)))
    assert float(excess_module.omega(np.array(g))) == pytest.approx(expected, rel=1e-14, abs=1e-305)


@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e2), st.integers(2, 200))
def test_uniformity_is_between_its_bounds(kappa: float, beta: float, d: int) -> None:
    law = VonMisesFisher(d, kappa)
    value = uniformity_excess(law, beta)
    degrees = np.arange(1, 3)
    r = np.exp([float(x) for x in excess_module.log_iv_quotient(d, degrees, beta)])
    assert value >= 0
    assert value <= beta * (1 + 1e-12)  # log E e^{beta u.v} <= beta, lambda_0 >= 1
    spectral, _ = excess_module._spectral_sum(law, law, beta)
    assert value <= spectral * (1 + 1e-12) + value.error
    assert spectral >= r[0] * float(law.harmonic_energy(1)) * (1 - 1e-12)


@pytest.mark.parametrize("name", FAMILIES)
def test_excess_is_two_beta_delta_plus_uniformity(name: str) -> None:
    pair = FAMILIES[name]
    value = infonce_excess(pair, 4.0)
    assert value == pytest.approx(
        8 * pair.misalignment() + uniformity_excess(pair, 4.0), rel=1e-14, abs=0
    )
    if pair.equal_marginals:
        assert value >= 0
    least = population.infonce_minimum(pair.dimension, 4.0)
    assert least == pytest.approx(float(log_lambda0(pair.dimension, 4.0)) - 4.0, rel=1e-15, abs=0)


def test_cross_view_uniformity_can_be_negative() -> None:
    pair = TangentShift(16, 0.01)
    assert uniformity_excess(pair, 2.0) < 0 < uniformity_excess(pair.first, 2.0)


# --- constants ------------------------------------------------------------------------------------


def test_leading_constant() -> None:
    assert population.leading_constant() == pytest.approx(4 * 3**0.75, rel=4e-16, abs=0)


def test_linear_constants() -> None:
    table = {(2, 0.5): 116.4, (8, 2): 3895.6, (16, 2): 4525.8, (16, 5): 2.56e5, (128, 5): 5.25e5}
    for (d, beta), expected in table.items():
        simple = population.linear_constant(d, beta, "simple")
        assert simple == pytest.approx(expected, rel=3e-3, abs=0)
    for d, beta in ((2, 0.5), (8, 5.0), (128, 5.0), (1024, 50.0), (4096, 2.0)):
        best, trace, simple = (
            population.linear_constant(d, beta, form) for form in ("eigenvalue", "trace", "simple")
        )
        domination, degree = population.condition_u_constant(d, beta)
        assert domination < best < trace < simple
        assert best == population.linear_constant(d, beta)
        assert degree >= 1
    assert population.linear_constant(8, 1000.0) == math.inf


@given(st.floats(-300, 0))
def test_certificate_inverts_the_extremal_loss(exponent: float) -> None:
    delta = 10.0**exponent
    loss = extremal_loss(delta)
    if loss > 1e-290:
        assert misalignment_certificate(loss) == pytest.approx(delta, rel=1e-13, abs=0)
    assert misalignment_certificate(loss) <= 2 * 3**0.75 * math.sqrt(loss) * (1 + 1e-15)


def test_extremal_loss_against_its_definition() -> None:
    import mpmath

    for delta in (1e-12, 1e-3, 0.5, 1.0):
        with mpmath.workdps(60):
            x = mpmath.mpf(delta)
            expected = 1 / mpmath.sqrt(3 - 2 * x) - 2 / mpmath.sqrt(3 - x) + 1 / mpmath.sqrt(3)
        assert extremal_loss(delta) == pytest.approx(float(expected), rel=1e-15, abs=0)
    assert extremal_loss(0.0) == 0 and misalignment_certificate(0.0) == 0
    assert misalignment_certificate(0.2) == 1.0


@pytest.mark.parametrize("d", [2, 16, 128, 100_000])
def test_mixture_constant_by_another_quadrature(d: int) -> None:
    def integrand(s: float) -> float:
        rise = math.exp(-s * s / 4 + float(log_lambda0(d, s * s / 4))) - math.exp(-s * s / 2)
        return rise * rise * math.exp(-s * s / 2) / math.sqrt(2 * math.pi)

    expected = 2 * integrate.quad(integrand, 0, 12, epsabs=0, epsrel=1e-12)[0]
    assert population.mixture_constant(d) == pytest.approx(expected, rel=1e-10, abs=0)


# --- bad input ------------------------------------------------------------------------------------

LAW, PAIR = VonMisesFisher(3, 1.0), Extremal(3, 0.1)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: uniformity_excess(LAW, 0.0), "beta"),
        (lambda: uniformity_excess(LAW, -1.0), "beta"),
        (lambda: uniformity_excess(LAW, math.nan), "beta"),
        (lambda: uniformity_excess(LAW, math.inf), "beta"),
        (lambda: uniformity_excess(LAW, "5"), "beta"),
        (lambda: uniformity_excess(np.eye(3), 1.0), "law"),
        (lambda: infonce_excess(PAIR, None), "beta"),
        (lambda: infonce_excess(PAIR, True), "beta"),
        (lambda: sg_loss(LAW), "pair"),
        (lambda: sg_loss(0.3), "pair"),
        (lambda: sg_alpha_loss(PAIR, -0.1), "alpha"),
        (lambda: sg_alpha_loss(PAIR, math.nan), "alpha"),
        (lambda: extremal_loss(1.5), "delta"),
        (lambda: extremal_loss(-1e-9), "delta"),
        (lambda: extremal_loss(math.nan), "delta"),
        (lambda: misalignment_certificate(-1.0), "loss"),
        (lambda: misalignment_certificate(math.nan), "loss"),
        (lambda: population.mixture_constant(1), "d"),
        (lambda: population.mixture_constant(2.5), "d"),
        (lambda: population.linear_constant(1, 1.0), "d"),
        (lambda: population.linear_constant(8, 0.0), "beta"),
        (lambda: population.condition_u_constant(8, math.nan), "beta"),
        (lambda: population.infonce_minimum(8, -2), "beta"),
        (lambda: infonce_excess(LAW, 1.0), "pair"),
        (lambda: misalignment(LAW), "pair"),
    ],
)
def test_bad_input_is_named(call: Callable[[], object], name: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        call()
    assert str(caught.value).startswith(name) and "\n" not in str(caught.value)


# --- kinds that a reader's attack found -----------------------------------------------------------


@pytest.mark.parametrize("delta", [0.0, 1e-300, 1e-34, 1e-24, 1e-16, 1e-8, 1e-4])
def test_a_tiny_shift_states_the_error_of_its_means(delta: float) -> None:
    """The excess is 1.3247889467 delta (1 + O(delta)) for d = 3, beta = 1; never a false digit."""
    value = infonce_excess(TangentShift(3, delta), 1.0)
    assert abs(value - 1.3247889466417 * delta) <= value.error + 3 * delta**2 + 1e-12 * delta
    if delta == 0:
        assert value == 0


def test_atoms_in_a_hundred_thousand_dimensions() -> None:
    points = np.zeros((3, 100_000))
    points[0, 0], points[1, 1], points[2, 0] = 1.0, 1.0, -1.0
    low = np.zeros((3, 2))
    low[:, :] = points[:, :2]
    beta = 5.0
    inner = special.logsumexp(beta * low @ low.T, axis=1) - math.log(3)
    expected = float(inner.mean() - log_lambda0(100_000, beta))
    assert uniformity_excess(Atoms(points), beta) == pytest.approx(expected, rel=1e-11, abs=0)
    pair = PairAtoms(points[:2], points[1::-1])
    loss = sg_loss(pair)
    assert 0 < loss.radial < loss < 1


LAWS: list[AxialLaw] = [
    Uniform(3),
    VonMisesFisher(3, 2.0),
    ZonalLaw.perturbed(3, 2, 0.5),
    PointMass(axis(3, 0)),
    TangentShift(3, 0.2).first,  # type: ignore[list-item]
    Smoothed(VonMisesFisher(3, 2.0), 0.5),  # type: ignore[list-item]
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_every_axial_law_checks_its_arguments(law: AxialLaw) -> None:
    for level in (-1, 1.5, None, "a", math.nan, 1000, True):
        with pytest.raises(ArgumentError, match=r"^level must"):
            law.axis_rule(level)  # type: ignore[arg-type]
    for beta in (-1.0, math.nan, math.inf, "a", None, 1j, [1.0]):
        with pytest.raises(ArgumentError, match=r"^beta must"):
            law.log_potential(beta, 0.1)  # type: ignore[arg-type]
    for t in (1.1, math.nan, "a", 1j, object(), [[1.0], [0.1, 0.2]]):
        with pytest.raises(ArgumentError, match=r"^t must"):
            law.log_potential(1.0, t)  # type: ignore[arg-type]
    for degrees in (-1, 0.5, "a", None):
        with pytest.raises(ArgumentError, match=r"^degrees must"):
            law.log_mean_legendre(degrees)  # type: ignore[arg-type]


@pytest.mark.parametrize("components", [None, 3, object(), Uniform(3)])
def test_components_must_be_a_sequence(components: object) -> None:
    with pytest.raises(ArgumentError, match=r"^components must"):
        Mixture([0.5, 0.5], components)  # type: ignore[arg-type]
