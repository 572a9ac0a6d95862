"""What embeddings tell of a target, and whether two encoders' embeddings agree.

    R^2 = 1 - mean (y - prediction)^2 / var y   on rows that were not fitted;
    CKA = H(X,Y)/sqrt(H(X,X) H(Y,Y)),

H the unbiased estimator of the Hilbert-Schmidt independence criterion under linear kernels.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab import arguments
from spherelab.arguments import ArgumentError
from spherelab.estimators.arrays import rows
from spherelab.estimators.blocks import from_influence
from spherelab.estimators.estimate import Estimate
from spherelab.estimators.runner import total_over_rows

Array = NDArray[np.float64]
Predictor = Callable[[Array, Array, Array], Array]

_HEIGHT = 1 << 13
_GROUPS = 20
_EPSILON = float(np.finfo(float).eps)


def linear_probe(
    features: Any, target: ArrayLike, rng: np.random.Generator, train: int = 3000, test: int = 3000
) -> Estimate:
    """R^2 of least squares with an intercept, on rows that were not fitted.

    Parameters
    ----------
    features : array, shape (n, d)
        Finite floats, n >= train + test.
    target : array_like, shape (n,) or (n, k)
        Finite; no column constant on the test rows. R^2 is the mean of the columns'.
    rng : numpy.random.Generator
        Draws the rows to fit and those to test.
    train, test : int
        How many rows; train > d + 1, test >= 2.

    Returns
    -------
    Estimate
        At most 1; about -(d + 1)/train where the target is independent of the features. The
        standard error (delta method) is that of the test rows, for the fit as it is.

    Raises
    ------
    ArgumentError
        For arguments that are not such.
    """
    x = rows(features, "features", unit=False)
    if train <= x.shape[1] + 1:
        raise ArgumentError(f"train must be an integer > d + 1 = {x.shape[1] + 1}, got {train}")
    return _probe(x, target, rng, train, test, _least_squares, "least squares")


def kernel_ridge_probe(
    features: Any,
    target: ArrayLike,
    rng: np.random.Generator,
    train: int = 3000,
    test: int = 3000,
    ridge: float = 1.0,
) -> Estimate:
    """R^2 of kernel ridge regression with a Gaussian kernel, on rows that were not fitted.

    The kernel is e^{-|x-y|^2/m}, m the median squared distance of the rows fitted; the features
    are taken as they are, and the target less its mean.

    Parameters
    ----------
    features, target, rng
        As for ``linear_probe``.
    train, test : int
        How many rows, >= 2; time O(train^3), memory 8 train^2 bytes twice.
    ridge : float
        > 0, added to the diagonal of the kernel matrix.

    Returns
    -------
    Estimate
        As for ``linear_probe``; where the target is independent of the features it is below 0:
        about -0.024 for 3000 uniform rows on S^7, ridge 1. The SG paper counts R^2 > 0.02 as
        detected.

    Raises
    ------
    ArgumentError
        For arguments that are not such; for features of which more than half the pairs are equal.
    """
    ridge = arguments.positive(ridge, "ridge")
    x = rows(features, "features", unit=False)
    predictor = functools.partial(_kernel_ridge, ridge)
    return _probe(x, target, rng, train, test, predictor, f"kernel ridge, ridge {ridge:g}")


def _probe(
    x: Any,
    target: ArrayLike,
    rng: np.random.Generator,
    train: int,
    test: int,
    predictor: Predictor,
    method: str,
) -> Estimate:
    rng = arguments.generator(rng)
    train, test = (
        arguments.dimension(k, 2, name) for k, name in ((train, "train"), (test, "test"))
    )
    y, n = arguments.reals(target, "target"), x.shape[0]
    if y.ndim not in (1, 2) or y.shape[0] != n or y.size == 0:
        raise ArgumentError(f"target must have shape ({n},) or ({n}, k), got {y.shape}")
    if n < train + test:
        raise ArgumentError(
            f"features must have at least train + test = {train + test} rows, got {n}"
        )
    y = y.reshape(n, -1)
    drawn = rng.permutation(n)[: train + test]
    fitted, held = drawn[:train], drawn[train:]
    prediction = predictor(x[fitted].astype(float), y[fitted], x[held].astype(float))
    errors = (y[held] - prediction) ** 2
    deviations = (y[held] - y[held].mean(axis=0)) ** 2
    error, variance = errors.mean(axis=0), deviations.mean(axis=0)
    if not np.all(variance > 0):
        column = int(np.argmin(variance > 0))
        raise ArgumentError(f"target must vary on the rows tested, column {column} is constant")
    ratio = error / variance
    influence = ((ratio * deviations - errors) / variance).mean(axis=1)
    method = f"{method}, {train} rows fitted"
    return from_influence(1 - float(ratio.mean()), influence, test, method)


def _least_squares(x: Array, y: Array, new: Array) -> Array:
    centre, level = x.mean(axis=0), y.mean(axis=0)
    solution = np.linalg.lstsq(x - centre, y - level, rcond=None)[0]
    result: Array = (new - centre) @ solution + level
    return result


def _kernel_ridge(ridge: float, x: Array, y: Array, new: Array) -> Array:
    from scipy.linalg import cho_factor, cho_solve

    level, distances = y.mean(axis=0), _squared_distances(x, x)
    median = float(np.median(distances[np.triu_indices(len(x), 1)]))
    if median <= 0:
        raise ArgumentError("features must differ from row to row, the median distance is 0")
    kernel = np.exp(-distances / median)
    kernel.flat[:: len(x) + 1] += ridge
    solution = cho_solve(cho_factor(kernel, lower=True, overwrite_a=True), y - level)
    result: Array = np.exp(-_squared_distances(new, x) / median) @ solution + level
    return result


def _squared_distances(a: Array, b: Array) -> Array:
    sizes = np.einsum("ij,ij->i", a, a)[:, None] + np.einsum("ij,ij->i", b, b)
    result: Array = np.maximum(sizes - 2 * a @ b.T, 0.0)
    return result


def debiased_cka(x: Any, y: Any) -> Estimate:
    """Debiased linear centred kernel alignment of two encoders' embeddings of the same examples.

    Parameters
    ----------
    x, y : array, shapes (n, d) and (n, e)
        Finite floats, n >= 8; row i of both is the same example.

    Returns
    -------
    Estimate
        1 for y = c x Q + b, Q orthogonal; scatters about 0, negative values included, where x and y
        are independent, also for d > n (the plug-in tends to 1 there). Time O(n (d+e)^2), memory
        that of d by e matrices. Standard error by the jackknife over 20 groups of rows. To 1e-12
        where n >= 20.

    Raises
    ------
    ArgumentError
        For arrays that are not such; where the unbiased H of one with itself is not positive, as
        for rows that are all the same, or all equally far from each other.

    References
    ----------
    Song et al. (2012), JMLR 13, 1393, equation 5 (the unbiased H); Kornblith et al. (2019), ICML.
    """
    x, y = rows(x, "x", 8, unit=False), rows(y, "y", 8, unit=False)
    if x.shape[0] != y.shape[0]:
        raise ArgumentError(f"x and y must have as many rows, got {x.shape[0]} and {y.shape[0]}")
    n = x.shape[0]
    # H is free of shifts; without the means less is lost to rounding
    centres = tuple(z.mean(axis=0, dtype=np.float64) for z in (x, y))
    whole = _sums(x, y, centres)
    value = _alignment(whole)
    groups = min(_GROUPS, n)
    without = [
        _alignment(
            [
                tuple(a - b for a, b in zip(all_rows, some, strict=True))
                for all_rows, some in zip(
                    whole, _sums(x[k::groups], y[k::groups], centres), strict=True
                )
            ]
        )
        for k in range(groups)
    ]
    error = math.sqrt(groups - 1) * float(np.std(without))
    return Estimate(value, error, n, "unbiased HSIC, grouped jackknife")


def _sums(x: Any, y: Any, centres: tuple[Array, ...]) -> list[tuple[Any, ...]]:
    """For (x, y), (x, x) and (y, y): the sums over rows of which H is a function."""
    a, b = centres
    return [
        total_over_rows(functools.partial(_row_sums, first, second), pair, _HEIGHT)
        for first, second, pair in ((a, b, (x, y)), (a, a, (x, x)), (b, b, (y, y)))
    ]


def _row_sums(a: Array, b: Array, arrays: tuple[Any, ...], some: slice) -> tuple[Any, ...]:
    x, y = arrays[0][some] - a, arrays[1][some] - b
    p, q = np.einsum("ij,ij->i", x, x), np.einsum("ij,ij->i", y, y)
    return len(x), x.T @ y, x.sum(axis=0), y.sum(axis=0), p.sum(), q.sum(), q @ x, p @ y, p @ q


def _alignment(sums: list[tuple[Any, ...]]) -> float:
    both, first, second = (_hsic(*some) for some in sums)
    for name, own, (n, _, _, _, size, *_) in (("x", first, sums[1]), ("y", second, sums[2])):
        if not own > 16 * _EPSILON * (size / n) ** 2:
            raise ArgumentError(
                f"{name} must have rows that differ, some pairs more than others: "
                f"its own HSIC is {own:.3g}"
            )
    return both / math.sqrt(first * second)


def _hsic(
    n: int, xy: Array, x: Array, y: Array, p: float, q: float, qx: Array, py: Array, pq: float
) -> float:
    """Song's unbiased estimator from K = X X^T and L = Y Y^T without their diagonals p and q:
    (tr KL + 1'K1 1'L1/((n-1)(n-2)) - 2 1'KL1/(n-2)) / (n(n-3)).
    """
    trace = float(np.sum(xy * xy)) - pq
    totals = (float(x @ x) - p) * (float(y @ y) - q)
    crossed = float(x @ xy @ y) - float(x @ qx) - float(y @ py) + pq
    return (trace + totals / ((n - 1) * (n - 2)) - 2 * crossed / (n - 2)) / (n * (n - 3))
