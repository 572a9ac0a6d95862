"""Normality of single coordinates: Anderson-Darling and D'Agostino-Pearson, a 5% test each.

With w_(1) <= .. <= w_(n) a column less its mean, over its standard deviation (n - 1),

    A^2 = -n - (1/n) sum_i (2i-1) (log Phi(w_(i)) + log Phi(-w_(n+1-i))),
    A^2* = A^2 (1 + 0.75/n + 2.25/n^2),   normal if A^2* < 0.752 (Stephens);
    K^2 = Z(skewness)^2 + Z(kurtosis)^2,   p = e^{-K^2/2},   normal if p > 0.05.

An honest 5% test passes 95% of exactly Gaussian columns, not all: compare a share with
``gaussian_reference`` and ``sphere_reference`` of the same n and d.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from spherelab import arguments
from spherelab.estimators.arrays import rows
from spherelab.estimators.runner import over_rows
from spherelab.sphere import uniform_sample

Array = NDArray[np.float64]

#: The 5% point of A^2*, mean and standard deviation estimated (Stephens 1986, Table 4.7, case 3).
ANDERSON_DARLING_CRITICAL = 0.752
#: The level of D'Agostino and Pearson's test.
LEVEL = 0.05
#: Fewer rows have no test of skewness: the null variance of its transform ceases to exist.
LEAST_ROWS = 8

_HELD = 1 << 20  # numbers of a block of columns


@dataclass(frozen=True, eq=False)
class CoordinateNormality:
    """What the two tests say of each of d columns of n numbers.

    Attributes
    ----------
    n : int
        Rows; every share depends on it.
    anderson_darling : ndarray, shape (d,)
        A^2*; NaN for degenerate columns.
    dagostino_p : ndarray, shape (d,)
        p-value in [0, 1]; NaN for degenerate columns.
    degenerate : tuple of int
        The columns that are constant (within four units in the last place of their type), whatever
        the constant. They are in no mean and no share below; all of these are NaN if every column
        is degenerate.
    """

    n: int
    anderson_darling: Array
    dagostino_p: Array
    degenerate: tuple[int, ...]

    @property
    def d(self) -> int:
        """The number of columns, degenerate ones included."""
        return self.anderson_darling.size

    @property
    def mean_anderson_darling(self) -> float:
        """Mean A^2*; about 0.385 for Gaussian columns, at every n."""
        return self._mean(self.anderson_darling)

    @property
    def mean_dagostino_p(self) -> float:
        """Mean p; about 0.50 for Gaussian columns."""
        return self._mean(self.dagostino_p)

    @property
    def anderson_darling_share(self) -> float:
        """The share of columns with A^2* < 0.752."""
        return self._mean(self.anderson_darling < ANDERSON_DARLING_CRITICAL)

    @property
    def dagostino_share(self) -> float:
        """The share of columns with p > 0.05."""
        return self._mean(self.dagostino_p > LEVEL)

    def _mean(self, values: NDArray[Any]) -> float:
        tested = np.delete(values, self.degenerate)
        return float(tested.mean()) if tested.size else float("nan")


def coordinates(x: Any) -> CoordinateNormality:
    """Anderson-Darling and D'Agostino-Pearson tests of each column.

    Parameters
    ----------
    x : array, shape (n, d)
        Finite floats, n >= 8, d >= 2; rows as they are. Blocks of about a million numbers are
        worked on at a time; 5000 rows of 768 take about 0.3 s on one core. On Gaussian columns both
        tests reject between 4.8 and 6.2% at every n. A memory-mapped array is read once a block.

    Returns
    -------
    CoordinateNormality
        The same for every affine map of a column, to rounding: 1e-10 relative in A^2* + n and in
        K^2. The p-value is that of ``scipy.stats.normaltest``.

    Raises
    ------
    ArgumentError
        For an array that is not such, with the row and column at fault.

    References
    ----------
    Stephens, in D'Agostino and Stephens (1986), Goodness-of-Fit Techniques, section 4.8.
    D'Agostino and Pearson (1973), Biometrika 60, 613.
    """
    x = rows(x, "x", LEAST_ROWS, unit=False)
    n, d = x.shape
    found = list(over_rows(_tested, (x.T,), max(1, min(d, _HELD // n))))
    statistic, p, constant = (np.concatenate(parts) for parts in zip(*found, strict=True))
    degenerate = tuple(int(k) for k in np.flatnonzero(constant))
    return CoordinateNormality(n, statistic, p, degenerate)


def random_projection_normality(
    x: Any, count: int, rng: np.random.Generator
) -> CoordinateNormality:
    """The tests of ``coordinates`` along directions drawn uniformly on the sphere.

    Parameters
    ----------
    x : array, shape (n, d)
        As for ``coordinates``.
    count : int
        How many directions, >= 2; n * count numbers are held.
    rng : numpy.random.Generator
        For the directions.

    Returns
    -------
    CoordinateNormality
        Its columns are the directions. The references hold for them too: ``gaussian_reference(n,
        count)``, and ``sphere_reference(n, d)`` but for its ``scatter``. In many dimensions most
        projections of most laws are near Gaussian (Diaconis and Freedman 1984), so that passing
        says less than for coordinates.
    """
    x = rows(x, "x", LEAST_ROWS, unit=False)
    count = arguments.dimension(count, 2, "count")
    directions = uniform_sample(count, x.shape[1], arguments.generator(rng))
    return coordinates(x.astype(np.float64, copy=False) @ directions.T)


def _tested(arrays: tuple[Any, ...], columns: slice) -> tuple[Array, Array, NDArray[np.bool_]]:
    return tests(arrays[0][columns])


def tests(columns: Any) -> tuple[Array, Array, NDArray[np.bool_]]:
    """A^2*, p and whether it is constant, for each column; a column is a row of ``columns``."""
    epsilon = np.finfo(columns.dtype).eps
    # halved, which is exact, so that differences cannot overflow
    w = np.sort(0.5 * columns.astype(np.float64), axis=1)
    largest = np.maximum(np.abs(w[:, 0]), np.abs(w[:, -1]))
    constant = w[:, -1] - w[:, 0] <= 4 * epsilon * largest
    w, n = w[~constant], w.shape[1]
    w -= w[:, n // 2, None].copy()  # before the mean, which would round at the size of an offset
    w /= np.maximum(-w[:, 0], w[:, -1])[:, None]
    w -= w.mean(axis=1, keepdims=True)
    w /= np.sqrt(np.einsum("ij,ij->i", w, w) / (n - 1))[:, None]
    statistic, p = (np.full(constant.size, np.nan) for _ in range(2))
    statistic[~constant], p[~constant] = _anderson_darling(w), _dagostino_pearson(w)
    return statistic, p, constant


def _anderson_darling(w: Array) -> Array:
    n = w.shape[1]
    weights, correction = _weights(n)
    logs: Array = special.log_ndtr(w) @ weights + special.log_ndtr(-w) @ weights[::-1]
    return correction * (-n - logs / n)


@functools.lru_cache(maxsize=4)
def _weights(n: int) -> tuple[Array, float]:
    return np.arange(1.0, 2 * n, 2), 1 + 0.75 / n + 2.25 / (n * n)


def _dagostino_pearson(w: Array) -> Array:
    """p = e^{-K^2/2}: skewness and kurtosis, each mapped to a normal score."""
    n = float(w.shape[1])
    squares = w * w
    second = squares.mean(axis=1)
    skewness = np.einsum("ij,ij->i", squares, w) / n / second**1.5
    kurtosis = np.einsum("ij,ij->i", squares, squares) / n / second**2
    score = _skewness_score(skewness, n) ** 2 + _kurtosis_score(kurtosis, n) ** 2
    result: Array = np.exp(-0.5 * score)
    return result


def _skewness_score(skewness: Array, n: float) -> Array:
    """D'Agostino (1970): Johnson's unbounded curve."""
    y = skewness * np.sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    kurtosis = (
        3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
    )
    square = np.sqrt(2 * (kurtosis - 1)) - 1
    result: Array = np.arcsinh(y / np.sqrt(2 / (square - 1))) / np.sqrt(0.5 * np.log(square))
    return result


def _kurtosis_score(kurtosis: Array, n: float) -> Array:
    """Anscombe and Glynn (1983): Wilson and Hilferty's cube root."""
    mean = 3 * (n - 1) / (n + 1)
    variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    skewness = (
        6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9))
        * np.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    )  # fmt: skip
    a = 6 + 8 / skewness * (2 / skewness + np.sqrt(1 + 4 / skewness**2))
    with np.errstate(divide="ignore"):  # a pole on the side of small kurtosis: p = 0 there
        ratio = (1 - 2 / a) / (1 + (kurtosis - mean) / np.sqrt(variance) * np.sqrt(2 / (a - 4)))
    result: Array = (1 - 2 / (9 * a) - np.cbrt(ratio)) / np.sqrt(2 / (9 * a))
    return result
