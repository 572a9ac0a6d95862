"""Estimators from samples: their definitions, exact population values, and what they refuse."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from spherelab import estimators, population
from spherelab.arguments import ArgumentError
from spherelab.estimators import Estimate, blocks
from spherelab.estimators.arrays import UNIT_TOLERANCE
from spherelab.gegenbauer import gegenbauer
from spherelab.laws import Mixture, VonMisesFisher
from spherelab.pairs import Aligned, Extremal, MixturePath, NuisanceChannel, Pair, VMFPair
from spherelab.sliced import slice_kernel
from spherelab.sphere import multiplicity, uniform_sample
from spherelab.zonal import ExpKernel, GaussianKernel, MomentMatching, SGLift

Array = NDArray[np.float64]


def generator(*key: int) -> np.random.Generator:
    return np.random.default_rng([20261201, *key])


def caps(d: int) -> Mixture:
    return Mixture([0.3, 0.7], [VonMisesFisher(d, 4.0), VonMisesFisher(d, 9.0, np.eye(d)[1])])


PAIRS: dict[str, Pair] = {
    "extremal": Extremal(8, 0.2),
    "mixture": MixturePath(3, 0.3),
    "channel": NuisanceChannel(VonMisesFisher(8, 3.0), 0.05, 0.0),
    "vmf-pair": VMFPair(16, 30.0),
    "caps": Aligned(caps(4)),
}

#: name -> (estimate from a sample of views, exact value of a pair)
QUANTITIES: dict[str, tuple[Callable[..., Estimate], Callable[[Pair], float]]] = {
    "misalignment": (
        lambda u, v, rng: estimators.misalignment(u, v),
        lambda pair: pair.misalignment(),
    ),
    "alignment": (
        lambda u, v, rng: estimators.alignment(u, v),
        lambda pair: 4 * pair.misalignment(),
    ),
    "infonce": (
        lambda u, v, rng: estimators.infonce(u, v, 3.0),
        lambda pair: (
            population.infonce_excess(pair, 3.0) + population.infonce_minimum(pair.dimension, 3.0)
        ),
    ),
    "infonce_excess": (
        lambda u, v, rng: estimators.infonce_excess(u, v, 3.0, symmetrised=True),
        lambda pair: population.infonce_excess(pair, 3.0),
    ),
    "uniformity_excess": (
        lambda u, v, rng: estimators.uniformity_excess(u, 3.0),
        lambda pair: population.uniformity_excess(pair.first, 3.0),
    ),
    "harmonic_energy": (
        lambda u, v, rng: estimators.harmonic_energy(u, [2])[0],
        lambda pair: float(pair.first.harmonic_energy(2)),
    ),
    "squared_mmd": (
        lambda u, v, rng: estimators.squared_mmd(u, GaussianKernel(1.5)),
        lambda pair: population.squared_mmd(pair.first, GaussianKernel(1.5)),
    ),
    "gain": (
        lambda u, v, rng: estimators.gain(u),
        lambda pair: population.gain(pair.first),
    ),
    "sg_loss": (
        lambda u, v, rng: estimators.sg_loss(u, v, rng),
        lambda pair: population.sg_loss(pair),
    ),
}
CASES = list(itertools.product(PAIRS, QUANTITIES))


# --- against exact values -------------------------------------------------------------------------


@pytest.mark.parametrize(("pair", "quantity"), CASES)
def test_unbiased_and_covers(pair: str, quantity: str) -> None:
    """Over 150 draws of 60 rows: the mean within 4.5 standard errors of the exact value, and the
    stated standard error neither below 0.8 nor above 1.7 times the spread of the draws.

    A degenerate U-statistic (the uniform law) states up to sqrt(2) times its spread; the spread of
    150 draws is itself known to 6% for a normal law, less well for skew ones: 1.2 sqrt(2) = 1.7.
    """
    estimate, exact = QUANTITIES[quantity]
    draws, n = 150, 60
    found = []
    for k in range(draws):
        rng = generator(CASES.index((pair, quantity)), k)
        u, v = PAIRS[pair].sample(n, rng)
        found.append(estimate(u, v, rng))
    values = np.array([float(x) for x in found])
    truth = float(exact(PAIRS[pair]))
    spread = float(values.std(ddof=1))
    if spread < 1e-12:  # a constant: Delta of the extremal family
        assert values == pytest.approx(truth, abs=1e-13)
        return
    assert abs(values.mean() - truth) <= 4.5 * spread / math.sqrt(draws)
    stated = math.sqrt(float(np.mean([x.standard_error**2 for x in found])))
    assert 0.8 * spread <= stated <= 1.7 * spread
    assert all(x.n == n for x in found)


def test_plug_in_bias_is_the_known_one() -> None:
    """E J_V = J + (1 - E k(Z,Z'))/n: the mean over draws against the exact expectation."""
    pair, n = Extremal(16, 0.1), 32
    values = []
    for k in range(300):
        rng = generator(7, k)
        values.append(float(estimators.sg_loss(*pair.sample(n, rng), rng, estimator="v")))
    expected = population.plug_in_loss(pair, n)
    assert np.mean(values) == pytest.approx(expected, abs=4.5 * np.std(values) / math.sqrt(300))
    assert min(values) >= 0


def test_bias_of_the_logarithm_is_taken_off() -> None:
    """At beta = 8 and 100 rows the bias is many standard errors; corrected, a sixth is left."""
    law, beta, n, draws = VonMisesFisher(8, 1.0), 8.0, 100, 400
    found = [
        estimators.uniformity_excess(law.sample(n, generator(8, k)), beta) for k in range(draws)
    ]
    exact = float(population.uniformity_excess(law, beta))
    error = np.std([float(x) for x in found]) / math.sqrt(draws)
    raw = np.mean([float(x) + x.bias for x in found]) - exact
    corrected = np.mean([float(x) for x in found]) - exact
    assert raw < -8 * error
    # what is left is of second order: a share of order 1/n of the first, and noise
    assert abs(corrected) < 0.25 * abs(raw) + 4 * error
    assert abs(corrected) < abs(raw) / 2


# --- definitions ----------------------------------------------------------------------------------


def sample(n: int, d: int, seed: int = 0) -> tuple[Array, Array]:
    rng = generator(9, n, d, seed)
    u = VonMisesFisher(d, 2.0).sample(n, rng)
    v = u + 0.4 * rng.standard_normal((n, d)) / math.sqrt(d)
    return u, v / np.linalg.norm(v, axis=1, keepdims=True)


@pytest.mark.parametrize("block", [3, 7, 1024])
def test_definitions(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Double loops over pairs, for blocks that divide n and that do not."""
    monkeypatch.setattr(blocks, "BLOCK", block)
    (u, v), beta = sample(14, 5), 4.0
    n, d = u.shape
    off = ~np.eye(n, dtype=bool)
    gram, cross = u @ u.T, u @ v.T

    def log_mean(t: Array) -> float:
        e = np.exp(beta * t)
        rows = [e[i][off[i]] for i in range(n)]
        means = np.array([row.mean() for row in rows])
        bias = -np.mean([row.var(ddof=1) / row.mean() ** 2 for row in rows]) / (2 * (n - 1))
        return float(np.log(means).mean() - bias)

    log_zero = float(ExpKernel(beta).log_eigenvalues(d, 0))
    excess = estimators.uniformity_excess(u, beta)
    assert excess == pytest.approx(log_mean(gram) - log_zero, abs=1e-12)
    delta = float(np.mean(np.sum((u - v) ** 2, axis=1)) / 4)
    assert estimators.misalignment(u, v) == pytest.approx(delta, rel=1e-14)
    loss = -beta * (1 - 2 * delta) + log_mean(cross)
    assert estimators.infonce(u, v, beta) == pytest.approx(loss, abs=1e-12)
    other = -beta * (1 - 2 * delta) + log_mean(cross.T)
    both = estimators.infonce(u, v, beta, symmetrised=True)
    assert both == pytest.approx((loss + other) / 2, abs=1e-12)
    assert estimators.infonce_excess(u, v, beta) == pytest.approx(loss + beta - log_zero, abs=1e-12)
    for degree, found in zip((1, 3, 4), estimators.harmonic_energy(u, [1, 3, 4]), strict=True):
        mean = gegenbauer(d, degree, np.clip(gram, -1, 1))[off].mean()
        assert found == pytest.approx(float(multiplicity(d, degree)) * mean, abs=1e-11)
    mean = math.log(np.exp(-2 * (2 - 2 * gram))[off].mean())
    uniformity = estimators.uniformity(u)
    assert uniformity + uniformity.bias == pytest.approx(mean, abs=1e-12)
    z = 3 * u + v
    distances = np.sum((z[:, None] - z) ** 2, axis=2)
    kernel = slice_kernel(d, distances / 2)
    own = slice_kernel(d, np.sum(z * z, axis=1) / 4) / math.sqrt(2)
    expected = kernel[off].mean() - 2 * own.mean() + 1 / math.sqrt(3)
    assert estimators.sigreg(z) == pytest.approx(expected, abs=1e-12)
    plug_in = kernel.mean() - 2 * own.mean() + 1 / math.sqrt(3)
    assert estimators.sigreg(z, "v") == pytest.approx(plug_in, abs=1e-12)


@pytest.mark.parametrize("c", [-1.0, 0.0, 0.5])
def test_gain_is_the_sum_over_degrees(c: float) -> None:
    u, _ = sample(20, 4)
    degrees = np.arange(1, 61)
    energies = np.array([float(x) for x in estimators.harmonic_energy(u, degrees)])
    lift = SGLift()
    per_mu = lift.gain_ratios(4, degrees) + (1 + c) / (1 - c) * degrees * (degrees + 2) / 3
    expected = float(energies @ (lift.eigenvalues(4, degrees) * per_mu))
    assert estimators.gain(u, c) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("kernel", [ExpKernel(6.0), MomentMatching(), SGLift()], ids=str)
def test_mmd_is_the_sum_over_degrees(kernel: Any) -> None:
    u, _ = sample(20, 4)
    degrees = np.arange(1, 61)
    energies = np.array([float(x) for x in estimators.harmonic_energy(u, degrees)])
    expected = float(kernel.eigenvalues(4, degrees) @ energies)
    assert estimators.squared_mmd(u, kernel) == pytest.approx(expected, abs=1e-9)


def test_moments_by_their_definition() -> None:
    u, _ = sample(25, 6)
    gram, off = u @ u.T, ~np.eye(25, dtype=bool)
    expected = gram[off].mean() + (gram[off] ** 2).mean() - 1 / 6
    assert estimators.squared_mmd(u, MomentMatching()) == pytest.approx(expected, abs=1e-13)


def test_jackknife_of_a_u_statistic() -> None:
    """The standard error from influence values is the jackknife's, up to its 1 + O(1/n)."""
    u, _ = sample(40, 3)
    kernel = GaussianKernel(1.0)
    found = estimators.squared_mmd(u, kernel)
    left_out = [float(estimators.squared_mmd(np.delete(u, i, 0), kernel)) for i in range(40)]
    jackknife = math.sqrt(39 / 40 * np.sum((left_out - np.mean(left_out)) ** 2))
    assert found.standard_error == pytest.approx(jackknife, rel=0.06)


def test_jackknife_of_the_uniformity_excess() -> None:
    u, _ = sample(60, 3)
    found = estimators.uniformity_excess(u, 2.0)
    left_out = [float(estimators.uniformity_excess(np.delete(u, i, 0), 2.0)) for i in range(60)]
    jackknife = math.sqrt(59 / 60 * np.sum((left_out - np.mean(left_out)) ** 2))
    assert found.standard_error == pytest.approx(jackknife, rel=0.08)


# --- drawn slices ---------------------------------------------------------------------------------


def by_quadrature(z: Array, directions: Array, estimator: str) -> Array:
    """J of each slice by pairs: the one-dimensional kernel of a slice is e^{-(p-p')^2/2}."""
    n, values = len(z), []
    for a in directions:
        p = z @ a
        pairs = np.exp(-0.5 * (p[:, None] - p) ** 2)
        own = np.exp(-0.25 * p * p) / math.sqrt(2)
        mean = (pairs.sum() - n) / (n * (n - 1)) if estimator == "u" else pairs.mean()
        values.append(mean - 2 * own.mean() + 1 / math.sqrt(3))
    return np.array(values)


@pytest.mark.parametrize("estimator", ["u", "v"])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 8.0, 60.0])
def test_drawn_slices_are_their_definition(estimator: str, scale: float) -> None:
    """The grid of frequencies against pairs along the same directions: no aliasing at any width."""
    rng = generator(11)
    z = scale * rng.standard_normal((41, 6))
    seed = generator(12)
    directions = generator(12).standard_normal((70, 6))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    found = estimators.sigreg(z, estimator, 70, seed)
    assert found == pytest.approx(by_quadrature(z, directions, estimator).mean(), abs=1e-6)


def test_drawn_slices_tend_to_all_of_them() -> None:
    u, v = sample(200, 8)
    z = 2.5 * u + v
    exact = estimators.sigreg(z)
    for slices in (50, 800):
        found = estimators.sigreg(z, slices=slices, rng=generator(slices))
        of_slices = math.sqrt(found.standard_error**2 - exact.standard_error**2 * 0.9)
        assert abs(found - exact) <= 5 * of_slices
    few = estimators.sg_loss(u, v, generator(3), slices=4000)
    whole = estimators.sg_loss(u, v, generator(3))
    assert few == pytest.approx(whole, abs=5 * few.standard_error)
    assert few.standard_error == pytest.approx(whole.standard_error, rel=0.1)


def test_standard_error_with_drawn_slices() -> None:
    """Over draws of samples and of directions the stated error is the spread, to 20%."""
    pair, found = Extremal(8, 0.3), []
    for k in range(200):
        rng = generator(13, k)
        found.append(estimators.sg_loss(*pair.sample(80, rng), rng, slices=12))
    spread = np.std([float(x) for x in found], ddof=1)
    stated = math.sqrt(np.mean([x.standard_error**2 for x in found]))
    # the spread along slices holds a share of the samples' own: stated errs to the large side
    assert 0.85 * spread <= stated <= 1.45 * spread
    mean, exact = np.mean([float(x) for x in found]), population.extremal_loss(0.3)
    assert abs(mean - exact) <= 4.5 * spread / math.sqrt(200)


@pytest.mark.parametrize("slices", [1, 5, 130])
def test_the_public_statistic(slices: int) -> None:
    """17 nodes on [0, 3], trapezoid, doubled, times n: written out, as in the public code."""
    z = generator(14).standard_normal((33, 4)) * 1.3 + 0.2
    directions = generator(15).standard_normal((slices, 4))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    t = np.linspace(0, 3, 17)
    angles = (z @ directions.T)[:, :, None] * t
    error = (np.cos(angles).mean(0) - np.exp(-(t**2) / 2)) ** 2 + np.sin(angles).mean(0) ** 2
    expected = 33 * np.mean(2 * np.trapezoid(error * np.exp(-(t**2) / 2), t, axis=1))
    found = estimators.sigreg(z, "v", slices, generator(15), "reference")
    assert found == pytest.approx(expected, rel=1e-13)


def test_the_public_statistic_of_a_collapsed_batch() -> None:
    """One point at 0, n = 100: 40.2048 on the cut grid, 40.8923 on the whole line."""
    zeros = np.zeros((100, 5))
    assert estimators.sigreg(zeros, "v", 3, generator(1), "reference") == pytest.approx(
        40.2048, abs=5e-5
    )
    for slices in (None, 3):
        whole = estimators.sigreg(zeros, "v", slices, generator(1))
        assert whole * 100 * math.sqrt(2 * math.pi) == pytest.approx(40.892308, abs=1e-4)


def test_three_points_on_a_line() -> None:
    """Epps-Pulley of -1, 0, 1 (weight e^{-t^2/2} over the line, times n): one slice, d = 2."""
    z = np.zeros((3, 2))
    z[:, 0] = -1.0, 0.0, 1.0

    class Along(np.random.Generator):
        """Draws the first axis."""

        def standard_normal(self, size: Any = None, *_: Any, **__: Any) -> Any:
            return np.eye(*size)

    rng = Along(np.random.PCG64(0))
    found = estimators.sigreg(z, "v", 1, rng)
    assert found * 3 * math.sqrt(2 * math.pi) == pytest.approx(0.035060345096102404, abs=1e-6)


# --- invariances, kinds of arrays -----------------------------------------------------------------

EVERY: dict[str, Callable[[Any, Any], Estimate]] = {
    "misalignment": estimators.misalignment,
    "alignment": estimators.alignment,
    "infonce": lambda u, v: estimators.infonce(u, v, 5.0),
    "symmetrised": lambda u, v: estimators.infonce(u, v, 5.0, symmetrised=True),
    "infonce_excess": lambda u, v: estimators.infonce_excess(u, v, 5.0),
    "uniformity_excess": lambda u, v: estimators.uniformity_excess(u, 5.0),
    "uniformity": lambda u, v: estimators.uniformity(u),
    "harmonic_energy": lambda u, v: estimators.harmonic_energy(u, 3)[0],
    "squared_mmd": lambda u, v: estimators.squared_mmd(u, SGLift()),
    "gain": lambda u, v: estimators.gain(u),
    "sigreg": lambda u, v: estimators.sigreg(u),
}


@pytest.mark.parametrize("name", EVERY)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(3, 30), d=st.sampled_from([2, 3, 16]))
@settings(max_examples=15)
def test_rotations_and_order_do_not_matter(name: str, seed: int, n: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    u, v = uniform_sample(n, d, rng), uniform_sample(n, d, rng)
    q = np.linalg.qr(rng.standard_normal((d, d)))[0]
    order = rng.permutation(n)
    first, second = EVERY[name](u, v), EVERY[name](u[order] @ q, v[order] @ q)
    size = 1 + abs(first)
    assert second == pytest.approx(first, abs=1e-11 * size)
    assert second.standard_error == pytest.approx(first.standard_error, abs=1e-9 * size)
    assert first.standard_error >= 0


@pytest.mark.parametrize("name", EVERY)
def test_kinds_of_floats(name: str) -> None:
    u, v = sample(50, 12)
    full = EVERY[name](u, v)
    for kind, tolerance in ((np.float32, 3e-6), (np.float16, 2e-2)):
        half = EVERY[name](u.astype(kind), v.astype(kind))
        assert half == pytest.approx(full, abs=tolerance * (1 + abs(full)))
    folded = EVERY[name](np.asfortranarray(u), v[::-1][::-1])
    assert folded == pytest.approx(full, abs=1e-13 * (1 + abs(full)))


def test_inputs_are_not_changed() -> None:
    u, v = sample(30, 4)
    before = u.copy(), v.copy()
    for name in EVERY:
        EVERY[name](u, v)
    estimators.sg_loss(u, v, generator(1))
    assert np.array_equal(u, before[0]) and np.array_equal(v, before[1])


def test_memory_mapped(tmp_path: Any) -> None:
    u, v = sample(100, 6)
    np.save(tmp_path / "u.npy", u)
    mapped = np.load(tmp_path / "u.npy", mmap_mode="r")
    for name in EVERY:
        assert EVERY[name](mapped, v) == EVERY[name](u, v)


def test_an_estimate_says_what_it_is() -> None:
    u, v = sample(30, 4)
    found = estimators.infonce(u, v, 2.0)
    assert repr(found).endswith("(n = 30)") and found.bias < 0
    for other in (copy.copy(found), pickle.loads(pickle.dumps(found))):
        assert other == found and other.standard_error == found.standard_error
        assert (other.n, other.method, other.bias) == (found.n, found.method, found.bias)
    assert type(found + 1) is float


# --- what is refused ------------------------------------------------------------------------------


def spoiled(change: Callable[[Array], Any]) -> tuple[Any, Any]:
    u, v = sample(10, 4)
    return change(u), v


def put(value: float) -> Callable[[Array], Array]:
    def change(u: Array) -> Array:
        u[7, 2] = value
        return u

    return change


def zero(u: Array) -> Array:
    u[4] = 0.0
    return u


def longer(u: Array) -> Array:
    u[6] *= 1 + 2 * UNIT_TOLERANCE
    return u


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put(math.nan), "u must be finite, got nan in row 7, column 2"),
        (put(math.inf), "u must be finite, got inf in row 7, column 2"),
        (zero, "u must have no zero row, row 4 is zero"),
        (longer, "u must have unit rows (within 0.001), row 6 has norm 1.002: normalise"),
        (lambda u: u[:1], "u must have shape (n, d), n >= "),
        (lambda u: u[:, :1], "u must have shape (n, d), n >= "),
        (lambda u: u[0], "u must have shape (n, d), n >= "),
        (lambda u: (u * 10).astype(int), "u must be an array of floats, got dtype int64"),
        (lambda u: u.astype(object), "u must be an array of floats, got dtype object"),
        (lambda u: u.astype(complex), "u must be an array of floats, got dtype complex128"),
        (lambda u: "rows", "u must be an array of floats, got dtype "),
    ],
)
@pytest.mark.parametrize("name", [name for name in EVERY if name != "sigreg"])
def test_bad_arrays(name: str, change: Callable[[Array], Any], message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        EVERY[name](*spoiled(change))
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda u, v: estimators.misalignment(u, v[:5]), "u and v must have one shape"),
        (lambda u, v: estimators.infonce(u, v, 0.0), "beta must"),
        (lambda u, v: estimators.infonce(u, v, math.nan), "beta must"),
        (lambda u, v: estimators.uniformity_excess(u, -1.0), "beta must"),
        (lambda u, v: estimators.uniformity_excess(u, 1e6), "beta must leave every row"),
        (lambda u, v: estimators.uniformity(u, 0.0), "t must"),
        (lambda u, v: estimators.harmonic_energy(u, 0), "degrees must"),
        (lambda u, v: estimators.harmonic_energy(u, [1, 5000]), "degrees must"),
        (lambda u, v: estimators.harmonic_energy(u, [1.5]), "degrees must"),
        (lambda u, v: estimators.squared_mmd(u, "gaussian"), "kernel must"),
        (lambda u, v: estimators.gain(u, 1.0), "correlation must be in [-1, 1)"),
        (lambda u, v: estimators.gain(u, -2.0), "correlation must"),
        (lambda u, v: estimators.sigreg(u, "w"), "estimator must"),
        (lambda u, v: estimators.sg_loss(u, v, 3), "rng must"),
        (lambda u, v: estimators.sigreg(u, slices=3), "rng must"),
        (lambda u, v: estimators.sigreg(u, slices=0, rng=generator(1)), "slices must"),
        (lambda u, v: estimators.sigreg(u, slices=2.5, rng=generator(1)), "slices must"),
        (lambda u, v: estimators.sigreg(u, convention="public"), "convention must"),
        (lambda u, v: estimators.sigreg(u, "v", convention="reference"), "convention must"),
        (
            lambda u, v: estimators.sigreg(u, "u", 4, generator(1), "reference"),
            "convention must",
        ),
        (lambda u, v: estimators.sigreg(1e7 * u, slices=2, rng=generator(1)), "z must be of the"),
    ],
)
def test_bad_arguments(call: Callable[[Any, Any], object], message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        call(*sample(10, 4))
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value)
