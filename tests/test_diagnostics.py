"""Diagnostics of embeddings: against SciPy, published values, exact laws and invariances."""

from __future__ import annotations

import functools
import itertools
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats

from spherelab import diagnostics
from spherelab.arguments import ArgumentError
from spherelab.diagnostics import NormalityReference
from spherelab.estimators import Estimate
from spherelab.estimators.runner import running
from spherelab.sphere import log_coordinate_density, uniform_sample

Array = NDArray[np.float64]
EPSILON = float(np.finfo(float).eps)


def generator(*key: int) -> np.random.Generator:
    return np.random.default_rng([20261207, *key])


def orthogonal(d: int, rng: np.random.Generator) -> Array:
    result: Array = np.linalg.qr(rng.standard_normal((d, d)))[0]
    return result


def within(found: float, expected: float, error: float, sigmas: float = 4.5) -> bool:
    """Two-sided false alarms: 7e-6 a comparison."""
    return abs(found - expected) <= sigmas * error


# --- coordinates ----------------------------------------------------------------------------------


def columns(n: int, rng: np.random.Generator) -> Array:
    """Columns of many kinds: both tests far and near."""
    return np.column_stack(
        [
            rng.standard_normal(n),
            3 + 1e-3 * rng.standard_normal(n),
            rng.standard_t(2, n),
            rng.standard_exponential(n),
            rng.random(n),
            np.arange(n) % 3 == 0,  # two values; SciPy is wrong where they balance
            1e8 + rng.standard_normal(n),
            1e-200 * rng.standard_normal(n),
        ]
    )


@pytest.mark.parametrize("n", [8, 9, 20, 100, 5000])
def test_both_tests_are_those_of_scipy(n: int) -> None:
    x = columns(n, generator(1, n))
    found = diagnostics.coordinates(x)
    assert found.n == n and found.d == x.shape[1] and found.degenerate == ()
    for k in range(x.shape[1]):
        # SciPy's moments lose digits to an offset, and underflow; both tests are affine invariant
        column = (x[:, k] - x[0, k]) / np.abs(x[:, k]).max()
        column = column / column.std()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # n < 20, and what SciPy means to change in anderson
            statistic = stats.anderson(column, "norm").statistic
            p = stats.normaltest(column).pvalue
        starred = statistic * (1 + 0.75 / n + 2.25 / n**2)
        # 2n terms of size up to n, summed
        assert found.anderson_darling[k] == pytest.approx(starred, rel=1e-9, abs=64 * n * EPSILON)
        # e^{-K^2/2}: relative to p, the error of K^2/2 = -log p
        assert found.dagostino_p[k] == pytest.approx(p, rel=1e-9 * (1 - math.log(p + 1e-300)))


def test_the_tests_are_affine_invariant() -> None:
    rng = generator(2)
    x = columns(400, rng)[:, :6]
    found = diagnostics.coordinates(x)
    scale = np.array([2.0, -0.5, 1e150, -1e-150, 8.0, -1.0])
    mapped = diagnostics.coordinates(scale * (x - 0.25)[rng.permutation(400)])
    # 3 + 1e-3 z loses 1e-13 to the offset
    np.testing.assert_allclose(mapped.anderson_darling, found.anderson_darling, rtol=1e-9)
    np.testing.assert_allclose(mapped.dagostino_p, found.dagostino_p, rtol=1e-9, atol=1e-300)


def test_an_exactly_symmetric_column_has_no_skewness_score() -> None:
    """SciPy's skewtest takes a skewness of exactly 0 for 1; ours must not."""
    half = np.abs(generator(3).standard_normal(50))
    x = np.column_stack([np.concatenate([half, -half])] * 2)
    p = diagnostics.coordinates(x).dagostino_p[0]
    score = float(stats.kurtosistest(x[:, 0]).statistic)
    assert p == pytest.approx(math.exp(-(score**2) / 2), rel=1e-9)


@pytest.mark.parametrize("constant", [0.0, 0.1, -3.0, 1e300, 5e-324])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_constant_column_is_degenerate_whatever_the_constant(
    constant: float, dtype: type[np.floating[Any]]
) -> None:
    x = generator(4).standard_normal((50, 4)).astype(dtype)
    plain = diagnostics.coordinates(x)
    if abs(constant) > 1e38 and dtype is np.float32:
        constant = 1e38
    x[:, 2] = constant
    found = diagnostics.coordinates(x)
    assert found.degenerate == (2,)
    assert np.isnan(found.anderson_darling[2]) and np.isnan(found.dagostino_p[2])
    kept = [0, 1, 3]
    mean = float(np.mean(plain.anderson_darling[kept]))
    assert found.mean_anderson_darling == pytest.approx(mean, rel=1e-12)
    assert found.dagostino_share == np.mean(plain.dagostino_p[kept] > 0.05)


def test_a_constant_with_rounding_is_degenerate_and_only_degenerate_columns_have_no_share() -> None:
    x = np.full((50, 3), 0.1)
    x[::2] *= 1 + EPSILON
    found = diagnostics.coordinates(x)
    assert found.degenerate == (0, 1, 2)
    assert math.isnan(found.anderson_darling_share) and math.isnan(found.mean_dagostino_p)


def test_blocks_and_runners_do_not_change_the_tests() -> None:
    x = generator(5).standard_normal((3000, 700))  # three blocks
    found = diagnostics.coordinates(x)
    some = diagnostics.coordinates(x[:, 690:])
    np.testing.assert_allclose(found.anderson_darling[690:], some.anderson_darling, rtol=1e-11)
    seen: list[slice] = []

    def runner(work: Any, arrays: tuple[Any, ...], ranges: Sequence[slice]) -> Iterator[Any]:
        for rows in ranges:
            seen.append(rows)
            yield work(arrays, rows)

    with running(runner):
        again = diagnostics.coordinates(x)
    assert len(seen) == 3
    np.testing.assert_array_equal(again.dagostino_p, found.dagostino_p)
    single = diagnostics.coordinates(x.astype(np.float32))
    # rounding of the rows, 6e-8 of each, moves n log-probabilities by about sqrt n of that
    np.testing.assert_allclose(single.anderson_darling, found.anderson_darling, atol=1e-4)


@pytest.mark.parametrize("n", [8, 20, 200, 1000])
def test_the_level_of_both_tests(n: int) -> None:
    """Anderson-Darling's correction for n keeps 5%; D'Agostino-Pearson's rejects up to 6.2%."""
    count = 4000
    found = diagnostics.coordinates(generator(6, n).standard_normal((n, count)))
    error = math.sqrt(0.05 * 0.95 / count)
    assert within(found.anderson_darling_share, 0.95, error)
    assert 0.938 - 4 * error <= found.dagostino_share <= 0.95 + 4 * error
    assert within(found.mean_dagostino_p, 0.5, 0.29 / math.sqrt(count) + 0.025 * (n < 50))


def test_projections_are_the_tests_of_projected_rows() -> None:
    rng = generator(7)
    x = rng.standard_exponential((500, 5))
    found = diagnostics.random_projection_normality(x, 12, generator(8))
    directions = uniform_sample(12, 5, generator(8))
    expected = diagnostics.coordinates(x @ directions.T)
    np.testing.assert_array_equal(found.anderson_darling, expected.anderson_darling)
    gaussian = diagnostics.random_projection_normality(rng.standard_normal((500, 5)), 400, rng)
    assert gaussian.anderson_darling_share > 0.8  # 5 directions' worth of independence
    assert diagnostics.random_projection_normality(x, 400, rng).anderson_darling_share < 0.05


# --- references -----------------------------------------------------------------------------------

# papers.md, section 2: exactly uniform sphere, n = 5000
SPHERE = [
    (8, 6.03, 0.0, 0.0),
    (16, 1.65, 0.034, 0.0),
    (32, 0.68, 0.66, 0.27),
    (64, 0.45, 0.91, 0.82),
    (128, 0.40, 0.93, 0.91),
    (512, 0.39, 0.94, 0.94),
]


@pytest.mark.parametrize(("d", "mean", "share", "dagostino"), SPHERE)
def test_the_sphere_has_the_calibration_measured_before(
    d: int, mean: float, share: float, dagostino: float
) -> None:
    """The older values are from a few hundred columns and rounded: about 300, then half a digit."""
    found = diagnostics.sphere_reference(5000, d)

    def agrees(new: Estimate, old: float, half: float) -> bool:
        scale = new.standard_error * math.sqrt(new.n)  # of one column
        error = scale * math.sqrt(1 / new.n + 1 / 300)
        return abs(new - old) <= 4 * error + half

    assert agrees(found.mean_anderson_darling, mean, 0.005)
    assert agrees(found.anderson_darling_share, share, 0.005)
    assert agrees(found.dagostino_share, dagostino, 0.005)


@pytest.mark.parametrize("n", [200, 1000, 5000])
def test_the_gaussian_has_the_calibration_measured_before(n: int) -> None:
    found = diagnostics.gaussian_reference(n, 64, columns=20000 if n < 1000 else None)
    for value, low, high in (
        (found.mean_anderson_darling, 0.379, 0.389),
        (found.anderson_darling_share, 0.947, 0.955),
        (found.dagostino_share, 0.942, 0.949),
        (found.mean_dagostino_p, 0.495, 0.505),
    ):
        assert low - 4 * value.standard_error <= value <= high + 4 * value.standard_error


@pytest.mark.parametrize(
    ("reference", "draw"),
    [
        (diagnostics.gaussian_reference, lambda n, d, rng: rng.standard_normal((n, d))),
        (diagnostics.sphere_reference, uniform_sample),
    ],
)
def test_references_are_the_means_over_data_sets(
    reference: Callable[..., NormalityReference],
    draw: Callable[[int, int, np.random.Generator], Array],
) -> None:
    n, d, count = 1000, 16, 120
    rng = generator(9)
    sets = [diagnostics.coordinates(draw(n, d, rng)) for _ in range(count)]
    found = reference(n, d)
    for name in (
        "mean_anderson_darling",
        "mean_dagostino_p",
        "anderson_darling_share",
        "dagostino_share",
    ):
        values = np.array([getattr(one, name) for one in sets])
        expected: Estimate = getattr(found, name)
        spread = float(values.std(ddof=1))
        error = math.hypot(expected.standard_error, spread / math.sqrt(count))
        assert within(float(values.mean()), expected, error), name
        # a standard deviation from 120: 7% each sigma, and the sphere's dependence
        assert spread == pytest.approx(found.scatter(expected), rel=0.4), name


def test_references_are_reproducible_and_have_their_errors() -> None:
    first = diagnostics.sphere_reference(300, 8, seed=1)
    assert first == diagnostics.sphere_reference(300, 8, seed=1)
    assert first != diagnostics.sphere_reference(300, 8, seed=2)
    for reference in (diagnostics.gaussian_reference, diagnostics.sphere_reference):
        few = [reference(50, 8, seed, 100).anderson_darling_share for seed in range(200)]
        typical = math.sqrt(np.mean([one.standard_error**2 for one in few]))
        assert np.std(few) == pytest.approx(typical, rel=0.25)  # 5 sigma of a deviation from 200


# --- spread ---------------------------------------------------------------------------------------


def test_norm_cv_of_gaussians_and_its_error() -> None:
    d, n = 12, 400
    mean = math.sqrt(2) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))
    exact = math.sqrt(d - mean**2) / mean
    rng = generator(10)
    found = [diagnostics.norm_cv(rng.standard_normal((n, d))) for _ in range(300)]
    spread = float(np.std(found))
    assert within(float(np.mean(found)), exact, spread / math.sqrt(300) + 0.5 * exact / n)
    typical = math.sqrt(np.mean([one.standard_error**2 for one in found]))
    assert spread == pytest.approx(typical, rel=0.2)
    assert exact == pytest.approx(1 / math.sqrt(2 * d), rel=0.02)


def test_norm_cv_is_that_of_numpy_and_free_of_scale() -> None:
    x = generator(11).standard_normal((50, 3))
    norms = np.linalg.norm(x, axis=1)
    found = diagnostics.norm_cv(x)
    assert found == pytest.approx(norms.std() / norms.mean(), rel=1e-14)
    scaled = diagnostics.norm_cv(8 * x @ orthogonal(3, generator(12)))
    assert scaled == pytest.approx(found, rel=1e-12)
    assert scaled.standard_error == pytest.approx(found.standard_error, rel=1e-12)
    equal = diagnostics.norm_cv(np.eye(3))
    assert float(equal) == 0 and equal.standard_error == 0


def test_effective_rank() -> None:
    assert diagnostics.effective_rank(np.full(7, 3.0)) == pytest.approx(7, rel=1e-14)
    assert diagnostics.effective_rank([0.0, 5.0, 0.0]) == 1
    assert diagnostics.effective_rank([1.0, 1.0, 0.0, -1e-18]) == pytest.approx(2, rel=1e-14)
    values = generator(13).random(20)
    shares = values / values.sum()
    found = diagnostics.effective_rank(1e200 * values)
    assert found == pytest.approx(math.exp(stats.entropy(shares)), rel=1e-13)


@pytest.mark.parametrize("kind", ["zca", "pca", "cholesky"])
def test_whitening_gives_mean_zero_and_covariance_one(kind: str) -> None:
    rng = generator(14)
    x = 5 + rng.standard_exponential((300, 6)) @ rng.standard_normal((6, 6))
    found = diagnostics.whiten(x, kind)
    condition = float(np.linalg.cond(np.cov(x.T)))
    tolerance = 60 * EPSILON * condition
    np.testing.assert_allclose(np.cov(found.whitened.T), np.eye(6), atol=tolerance)
    np.testing.assert_allclose(found.whitened.mean(axis=0), 0, atol=tolerance)
    np.testing.assert_allclose(found(x), found.whitened, atol=tolerance)
    precision = found.matrix.T @ found.matrix
    np.testing.assert_allclose(precision @ np.cov(x.T), np.eye(6), atol=tolerance)
    if kind == "zca":
        np.testing.assert_allclose(found.matrix, found.matrix.T, atol=tolerance)
    elif kind == "cholesky":
        np.testing.assert_array_equal(found.matrix, np.tril(found.matrix))
    else:
        lengths = np.linalg.norm(found.matrix, axis=1)
        assert np.all(np.diff(lengths) >= 0)  # components of falling variance
        largest = found.matrix[np.arange(6), np.abs(found.matrix).argmax(axis=1)]
        assert np.all(largest > 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_whitening_names_directions_without_variance(dtype: type[np.floating[Any]]) -> None:
    x = generator(15).standard_normal((100, 6)).astype(dtype)
    x[:, 4] = 0.1
    with pytest.raises(ArgumentError, match=r"rank 5 of 6: .* 1 direction, .* columns \[4\]"):
        diagnostics.whiten(x)
    x[:, 4] = x[:, 1] - x[:, 2]
    with pytest.raises(ArgumentError, match=r"mostly in columns \[1, 2, 4\]"):
        diagnostics.whiten(x, "pca")
    with pytest.raises(ArgumentError, match="more rows than columns"):
        diagnostics.whiten(x[:6])


# --- histograms -----------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 8, 768])
def test_histograms_of_uniform_points_have_the_exact_density(d: int) -> None:
    edges = np.tanh(np.linspace(-2, 2, 9) / math.sqrt(d)) if d > 2 else np.linspace(-1, 1, 9)
    rng = generator(16, d)
    u = uniform_sample(4000, d, rng)
    v = uniform_sample(4000, d, rng)
    found = diagnostics.cosine_histogram(u, v, rng, edges, pairs=20000)
    for k, (low, high) in enumerate(itertools.pairwise(edges)):
        # t = cos(angle): no pole at the ends for d = 2
        mass = integrate.quad(
            lambda angle: (
                math.exp(
                    float(log_coordinate_density(d, math.cos(angle))) + math.log(math.sin(angle))
                )
                if 0 < angle < math.pi
                else 0.0
            ),
            math.acos(high),
            math.acos(low),
            epsabs=0,
            epsrel=1e-11,
        )[0]
        width = high - low
        assert found.uniform[k] * width == pytest.approx(mass, rel=1e-10)
        assert found.matched is not None
        for density, count in ((found.independent, 20000), (found.matched, 4000)):
            error = math.sqrt(mass * (1 - mass) / count)
            assert within(density[k] * width, mass, error)
    assert (found.n, found.pairs) == (4000, 20000)


def test_histograms_find_their_bins() -> None:
    rng = generator(17)
    u = uniform_sample(500, 16, rng).astype(np.float32)
    found = diagnostics.cosine_histogram(u, u, rng, bins=10)
    assert found.matched is not None
    widths = np.diff(found.edges)
    assert widths.size == 10 and found.edges[-1] == pytest.approx(1)
    assert found.matched @ widths == pytest.approx(1) and found.matched[:-1].sum() == 0
    assert found.independent @ widths == pytest.approx(1)
    alone = diagnostics.cosine_histogram(u, None, rng, bins=[0.0, 0.5, 1.0])
    assert alone.matched is None
    assert alone.independent @ np.diff(alone.edges) == pytest.approx(0.5, abs=0.02)
    same = diagnostics.cosine_histogram(np.tile(np.eye(4)[:1], (5, 1)), None, rng, bins=3)
    assert same.independent @ np.diff(same.edges) == pytest.approx(1)


# --- Henze-Zirkler --------------------------------------------------------------------------------

# Fisher's Iris setosa: sepal length and width, petal length and width, in tenths of a centimetre
SETOSA = """
51 35 14 2 49 30 14 2 47 32 13 2 46 31 15 2 50 36 14 2 54 39 17 4 46 34 14 3 50 34 15 2 44 29 14 2
49 31 15 1 54 37 15 2 48 34 16 2 48 30 14 1 43 30 11 1 58 40 12 2 57 44 15 4 54 39 13 4 51 35 14 3
57 38 17 3 51 38 15 3 54 34 17 2 51 37 15 4 46 36 10 2 51 33 17 5 48 34 19 2 50 30 16 2 50 34 16 4
52 35 15 2 52 34 14 2 47 32 16 2 48 31 16 2 54 34 15 4 52 41 15 1 55 42 14 2 49 31 15 2 50 32 12 2
55 35 13 2 49 36 14 1 44 30 13 2 51 34 15 2 50 35 13 3 45 23 13 3 44 32 13 2 50 35 16 6 51 38 19 4
48 30 14 3 51 38 16 2 46 32 14 2 53 37 15 2 50 33 14 2
"""


def test_henze_zirkler_has_published_values() -> None:
    """The R package MVN's: its tutorial's for two columns, and 0.9488453 for four."""
    x = np.array(SETOSA.split(), dtype=float).reshape(50, 4)
    four = diagnostics.henze_zirkler(x)
    assert four.statistic == pytest.approx(0.9488453, abs=1e-7)
    assert four.p == pytest.approx(0.04995356, abs=1e-8)
    two = diagnostics.henze_zirkler(x[:, :2])
    assert two.statistic == pytest.approx(0.286, abs=5e-4)
    assert two.p == pytest.approx(0.915, abs=5e-4)


def test_henze_zirkler_is_its_definition_and_affine_invariant() -> None:
    rng = generator(18)
    n, d = 1100, 3  # more than one strip and block of columns
    x = rng.standard_exponential((n, d))
    centred = x - x.mean(axis=0)
    inverse = np.linalg.inv(np.cov(x.T, bias=True))
    b = math.sqrt(0.5) * ((2 * d + 1) * n / 4) ** (1 / (d + 4))
    gap = x[:, None] - x[None]
    pairs = np.exp(-(b**2) / 2 * np.einsum("ijk,kl,ijl->ij", gap, inverse, gap)).sum() / n
    sizes = np.einsum("ik,kl,il->i", centred, inverse, centred)
    single = (1 + b**2) ** (-d / 2) * np.exp(-(b**2) / (2 * (1 + b**2)) * sizes).sum()
    expected = pairs - 2 * single + n * (1 + 2 * b**2) ** (-d / 2)
    found = diagnostics.henze_zirkler(x)
    assert found.statistic == pytest.approx(expected, rel=1e-11)
    mapped = diagnostics.henze_zirkler(7 - 3 * x[::-1] @ (np.eye(d) + 0.3 * orthogonal(d, rng)))
    assert mapped.statistic == pytest.approx(found.statistic, rel=1e-10)


@pytest.mark.parametrize(("n", "d"), [(50, 2), (100, 5), (100, 10)])
def test_henze_zirkler_keeps_its_level(n: int, d: int) -> None:
    rng, count = generator(19, d), 600
    p = np.array([diagnostics.henze_zirkler(rng.standard_normal((n, d))).p for _ in range(count)])
    # between 4 and 7%, as documented
    low, high = stats.binom.ppf(1e-4, count, 0.04), stats.binom.ppf(1 - 1e-4, count, 0.07)
    assert low <= (p < 0.05).sum() <= high


def test_henze_zirkler_by_draws_is_exact_where_the_lognormal_is_not() -> None:
    n, d, count = 40, 20, 300
    rng = generator(20)
    p = np.array(
        [diagnostics.henze_zirkler(rng.standard_normal((n, d)), 19, rng).p for _ in range(count)]
    )
    low, high = (float(stats.binom.ppf(level, count, 0.25)) for level in (1e-4, 1 - 1e-4))
    assert low <= (p <= 0.25).sum() <= high
    assert diagnostics.henze_zirkler(uniform_sample(500, 16, rng), 19, rng).p == 1 / 20
    far = diagnostics.henze_zirkler(rng.standard_normal((300, 128)))  # HZ is 1 to rounding
    assert 0 <= far.p <= 1


# --- probes ---------------------------------------------------------------------------------------


def test_a_linear_probe_reads_what_is_linear() -> None:
    rng = generator(21)
    x = rng.standard_normal((6000, 5))
    target = x @ rng.standard_normal((5, 2)) + 3
    assert diagnostics.linear_probe(x, target, rng) == pytest.approx(1, abs=1e-12)
    noise = rng.standard_normal((6000, 2)) * np.sqrt(np.sum((target - 3) ** 2, axis=0) / 6000)
    half = diagnostics.linear_probe(x, target + noise, rng)
    assert within(half, 0.5, math.hypot(half.standard_error, 0.02))
    null = diagnostics.linear_probe(x, rng.standard_normal(6000), rng)
    assert within(null, -6 / 3000, null.standard_error)


def test_the_error_of_a_probe_is_that_of_its_test_rows() -> None:
    rng = generator(22)
    found = []
    for _ in range(200):
        x = rng.standard_normal((2200, 3))
        y = x[:, 0] + rng.standard_normal(2200)
        found.append(diagnostics.linear_probe(x, y, rng, train=2000, test=200))
    typical = math.sqrt(np.mean([one.standard_error**2 for one in found]))
    assert np.std(found) == pytest.approx(typical, rel=0.25)
    assert within(float(np.mean(found)), 0.5 - 0.002, typical / math.sqrt(200) + 0.003)


def test_a_kernel_ridge_probe_solves_its_equations_and_has_the_known_null() -> None:
    rng = generator(23)
    x = uniform_sample(6000, 8, rng)
    style = rng.standard_normal((6000, 2))
    null = diagnostics.kernel_ridge_probe(x, style, rng)
    # training.md: about -.022 to -.025, of encoders that are near uniform on S^7
    assert within(null, -0.0235, math.hypot(null.standard_error, 0.0015))
    assert diagnostics.kernel_ridge_probe(x, x[:, 0] * x[:, 1], rng) > 0.9
    assert diagnostics.linear_probe(x, x[:, 0] * x[:, 1], rng) < 0.02


def test_a_kernel_ridge_probe_is_its_definition() -> None:
    x = generator(24).standard_normal((60, 4))
    y = x[:, 0] ** 2
    found = diagnostics.kernel_ridge_probe(x, y, generator(25), 40, 20, ridge=0.3)
    drawn = generator(25).permutation(60)
    a, b = drawn[:40], drawn[40:]
    squares = ((x[:, None] - x[None]) ** 2).sum(axis=2)
    kernel = np.exp(-squares / np.median(squares[np.ix_(a, a)][np.triu_indices(40, 1)]))
    level = y[a].mean()
    solution = np.linalg.solve(kernel[np.ix_(a, a)] + 0.3 * np.eye(40), y[a] - level)
    errors = y[b] - level - kernel[np.ix_(b, a)] @ solution
    expected = 1 - float((errors**2).mean() / y[b].var())
    assert found == pytest.approx(expected, rel=1e-10)
    assert found.n == 20


def hsic(k: Array, m: Array) -> float:
    """Equation 5 of Song et al., from Gram matrices."""
    n = len(k)
    k, m = k - np.diag(np.diag(k)), m - np.diag(np.diag(m))
    value = (
        np.trace(k @ m)
        + k.sum() * m.sum() / ((n - 1) * (n - 2))
        - 2 / (n - 2) * (k.sum(axis=0) @ m.sum(axis=0))
    )
    return float(value / (n * (n - 3)))


@pytest.mark.parametrize("n", [8, 21, 300])
def test_debiased_cka_is_its_definition_and_invariant(n: int) -> None:
    rng = generator(26, n)
    x = rng.standard_normal((n, 5))
    y = x[:, :3] ** 2 + x[:, 1:4]
    k, m = x @ x.T, y @ y.T
    expected = hsic(k, m) / math.sqrt(hsic(k, k) * hsic(m, m))
    found = diagnostics.debiased_cka(x, y)
    assert found == pytest.approx(expected, rel=1e-10)
    mapped = diagnostics.debiased_cka(4 - 2 * x @ orthogonal(5, rng), 0.1 * y @ orthogonal(3, rng))
    assert mapped == pytest.approx(found, rel=1e-10)
    assert diagnostics.debiased_cka(y, x) == pytest.approx(found, rel=1e-12)
    assert diagnostics.debiased_cka(x, x) == pytest.approx(1, rel=1e-12)


def test_debiased_cka_has_no_bias_in_many_dimensions_and_the_error_it_says() -> None:
    rng = generator(27)
    found: list[float] = [
        diagnostics.debiased_cka(rng.standard_normal((60, 100)), rng.standard_normal((60, 100)))
        for _ in range(200)
    ]
    spread = float(np.std(found))
    assert within(float(np.mean(found)), 0, spread / math.sqrt(200))
    known = []
    for _ in range(200):
        x = rng.standard_normal((200, 8))
        known.append(diagnostics.debiased_cka(x, x + rng.standard_normal((200, 8))))
    typical = math.sqrt(np.mean([one.standard_error**2 for one in known]))
    spread = float(np.std(known))
    # population value 8/sqrt(8 * 32); a jackknife of 20 groups is a few percent up
    assert within(float(np.mean(known)), 0.5, spread / math.sqrt(200) + 0.002)
    assert spread == pytest.approx(typical, rel=0.3)


# --- what is refused ------------------------------------------------------------------------------

X, RNG = uniform_sample(40, 3, generator(29)), generator(30)
TAKES_ROWS: dict[str, Callable[[Any], object]] = {
    "coordinates": diagnostics.coordinates,
    "projections": lambda x: diagnostics.random_projection_normality(x, 3, generator(0)),
    "norm_cv": diagnostics.norm_cv,
    "whiten": diagnostics.whiten,
    "henze_zirkler": diagnostics.henze_zirkler,
    "cka": lambda x: diagnostics.debiased_cka(x, X),
    "cka, second": lambda x: diagnostics.debiased_cka(X, x),
    "linear": lambda x: diagnostics.linear_probe(x, np.arange(40.0), generator(0), 20, 20),
    "kernel": lambda x: diagnostics.kernel_ridge_probe(x, np.arange(40.0), generator(0), 20, 20),
    "histogram": lambda x: diagnostics.cosine_histogram(x, None, generator(0)),
}


@pytest.mark.parametrize("name", TAKES_ROWS)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nan_and_infinity_are_refused_with_their_place(name: str, value: float) -> None:
    x = uniform_sample(40, 3, generator(28))
    TAKES_ROWS[name](x)
    x[17, 2] = value
    with pytest.raises(ArgumentError, match=r"row 17, column 2"):
        TAKES_ROWS[name](x)


@pytest.mark.parametrize("name", TAKES_ROWS)
def test_arrays_of_another_kind_are_refused(name: str) -> None:
    for x in (np.ones((40, 3), dtype=int), np.ones(40), np.ones((40, 1)), np.ones((1, 3))):
        with pytest.raises(ArgumentError):
            TAKES_ROWS[name](x)


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "few rows": (lambda: diagnostics.coordinates(X[:7]), "n >= 8"),
    "few reference rows": (lambda: diagnostics.gaussian_reference(7, 3), "n must .* >= 8"),
    "circle of dimension 1": (lambda: diagnostics.sphere_reference(100, 1), "d must"),
    "one column": (lambda: diagnostics.sphere_reference(100, 3, columns=1), "columns must"),
    "seed": (lambda: diagnostics.gaussian_reference(100, 3, seed=-1), "seed must"),
    "count": (lambda: diagnostics.random_projection_normality(X, 1, RNG), "count must"),
    "kind": (lambda: diagnostics.whiten(X, "svd"), "kind must"),
    "zeros": (lambda: diagnostics.norm_cv(np.zeros((5, 2))), "not zero"),
    "no spectrum": (lambda: diagnostics.effective_rank([0.0, 0.0]), "eigenvalues must"),
    "empty spectrum": (lambda: diagnostics.effective_rank([]), "eigenvalues must"),
    "negative spectrum": (lambda: diagnostics.effective_rank([1.0, -0.1]), "got -0.1"),
    "nan in spectrum": (lambda: diagnostics.effective_rank([1.0, np.nan]), "finite"),
    "draws without rng": (lambda: diagnostics.henze_zirkler(X, 9), "rng must"),
    "rng": (lambda: diagnostics.cosine_histogram(X, X, None), "rng must"),  # type: ignore[arg-type]
    "falling edges": (lambda: diagnostics.cosine_histogram(X, X, RNG, [0.5, 0.1]), "bins must"),
    "wide edges": (lambda: diagnostics.cosine_histogram(X, X, RNG, [-2.0, 0.1]), "bins must"),
    "rows apart": (lambda: diagnostics.debiased_cka(X, X[:30]), "as many rows"),
    "equal rows": (
        lambda: diagnostics.debiased_cka(X, np.ones((40, 2))),
        "y must have rows that differ",
    ),
    "equidistant rows": (lambda: diagnostics.debiased_cka(np.eye(40), X), "x must have rows"),
    "target": (lambda: diagnostics.linear_probe(X, X[:30, 0], RNG, 20, 10), "target must"),
    "nan target": (
        lambda: diagnostics.linear_probe(X, np.full(40, np.nan), RNG, 20, 10),
        "target must be finite",
    ),
    "constant target": (
        lambda: diagnostics.linear_probe(X, np.full(40, 0.5), RNG, 20, 10),
        "target must vary",
    ),
    "too many": (lambda: diagnostics.linear_probe(X, X[:, 0], RNG), "6000 rows, got 40"),
    "short fit": (lambda: diagnostics.linear_probe(X, X[:, 0], RNG, 4, 10), "train must"),
    "ridge": (
        lambda: diagnostics.kernel_ridge_probe(X, X[:, 0], RNG, 20, 10, ridge=0.0),
        "ridge must",
    ),
    "equal features": (
        lambda: diagnostics.kernel_ridge_probe(np.ones((40, 2)), X[:, 0], RNG, 20, 10),
        "features must differ",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    call, message = REFUSED[name]
    with pytest.raises(ArgumentError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_results_can_be_sent_between_processes() -> None:
    import pickle

    for value in (
        diagnostics.coordinates(X),
        diagnostics.gaussian_reference(100, 3),
        diagnostics.whiten(X),
        diagnostics.henze_zirkler(X),
        functools.partial(diagnostics.sphere_reference, 100, 3)(),
    ):
        assert type(pickle.loads(pickle.dumps(value))) is type(value)
