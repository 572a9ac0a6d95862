"""How embeddings are spread: their norms, the rank of their covariance, and whitening."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab import arguments
from spherelab.arguments import ArgumentError
from spherelab.estimators.arrays import rows
from spherelab.estimators.blocks import from_influence
from spherelab.estimators.estimate import Estimate

Array = NDArray[np.float64]

_KINDS = ("zca", "pca", "cholesky")
_ROWS = 1 << 14
_EPSILON = float(np.finfo(float).eps)


def norm_cv(x: Any) -> Estimate:
    """CV = std|x| / mean|x|, the coefficient of variation of the norms of rows.

    Parameters
    ----------
    x : array, shape (n, d)
        Finite floats, n >= 2, d >= 2, not all rows zero.

    Returns
    -------
    Estimate
        Without unit, >= 0; about 1/sqrt(2d) for N(0, I_d), and 0 on a sphere. The standard
        deviation is the plug-in (divided by n). Standard error by the delta method.

    Raises
    ------
    ArgumentError
        For an array that is not such.
    """
    x = rows(x, "x", unit=False)
    n = x.shape[0]
    norms = np.empty(n)
    for start in range(0, n, _ROWS):
        block = x[start : start + _ROWS]
        norms[start : start + _ROWS] = np.sqrt(np.einsum("ij,ij->i", block, block, dtype=float))
    mean, spread = float(norms.mean()), float(norms.std())
    if mean == 0:
        raise ArgumentError("x must have a row that is not zero, got zeros only")
    influence = np.zeros(n)
    if spread > 0:
        gap = norms - mean
        influence = gap * gap / (2 * spread * mean) - spread * gap / mean**2
    return from_influence(spread / mean, influence, n, "plug-in, delta method")


def effective_rank(eigenvalues: ArrayLike) -> float:
    """exp of the entropy of the spectrum divided by its sum: how many directions carry variance.

    Parameters
    ----------
    eigenvalues : array_like, shape (d,)
        Of a covariance: finite, >= 0, not all 0. Negative ones down to -1e-8 of the largest are
        rounding, and count as 0.

    Returns
    -------
    float
        In [1, d]; d for equal eigenvalues. To d eps relative.

    Raises
    ------
    ArgumentError
        For an array that is not such.

    References
    ----------
    Roy and Vetterli (2007), The effective rank, EUSIPCO.
    """
    values = arguments.reals(eigenvalues, "eigenvalues")
    if values.ndim != 1 or not values.size or values.max() <= 0:
        raise ArgumentError(
            "eigenvalues must be an array of shape (d,) with one that is > 0, got "
            + (f"shape {values.shape}" if values.ndim != 1 else "none")
        )
    if values.min() < -1e-8 * values.max():
        raise ArgumentError(f"eigenvalues must be >= 0, got {values.min():g}")
    shares = np.maximum(values, 0.0) / values.max()
    shares = shares[shares > 0] / shares.sum()
    return math.exp(-float(shares @ np.log(shares)))


@dataclass(frozen=True, eq=False)
class Whitening:
    """An affine map that gives embeddings mean zero and covariance one.

    Attributes
    ----------
    whitened : ndarray, shape (n, d)
        (x - mean) @ matrix.T, in float64.
    mean : ndarray, shape (d,)
    matrix : ndarray, shape (d, d)
    """

    whitened: Array
    mean: Array
    matrix: Array

    def __call__(self, x: ArrayLike) -> Array:
        """The same map of other rows."""
        result: Array = (arguments.reals(x, "x") - self.mean) @ self.matrix.T
        return result


def whiten(x: Any, kind: str = "zca") -> Whitening:
    """Rows mapped to sample mean 0 and sample covariance (divided by n - 1) the identity.

    Parameters
    ----------
    x : array, shape (n, d)
        Finite floats, n > d >= 2, with a covariance of full rank.
    kind : str
        With S the covariance, S = Q diag(e) Q^T, e falling: ``"zca"``: S^{-1/2}, the whitened rows
        nearest to x in mean square; ``"pca"``: diag(e)^{-1/2} Q^T, principal components in order,
        the largest entry of each direction positive; ``"cholesky"``: L^{-1} with S = L L^T lower
        triangular, so that coordinate k of the result depends on the first k of x.

    Returns
    -------
    Whitening
        The covariance of ``whitened`` is the identity to about d eps times the condition number
        of S.

    Raises
    ------
    ArgumentError
        For an array that is not such; where directions have no variance (below 10 d eps of the
        largest, or within the rounding of x), how many and the columns in which they mostly lie.

    References
    ----------
    Kessy, Lewin and Strimmer (2018), The American Statistician 72, 309.
    """
    x = rows(x, "x", unit=False)
    kind = arguments.choice(kind, "kind", _KINDS)
    n, d = x.shape
    if n <= d:
        raise ArgumentError(f"x must have more rows than columns, got shape {(n, d)}")
    rounding = 4 * float(np.finfo(x.dtype).eps) * float(np.abs(x).max())
    x = x.astype(np.float64, copy=False)
    mean: Array = x.mean(axis=0)
    centred = x - mean
    covariance = centred.T @ centred / (n - 1)
    values, vectors = np.linalg.eigh(covariance)
    values, vectors = values[::-1], vectors[:, ::-1]
    _refuse_degenerate(values, vectors, max(rounding**2, 10 * d * _EPSILON * float(values[0])))
    roots = np.sqrt(values)
    if kind == "zca":
        matrix = (vectors / roots) @ vectors.T
    elif kind == "pca":
        largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(d)]
        matrix = (vectors * np.sign(largest) / roots).T
    else:
        from scipy.linalg import solve_triangular

        matrix = solve_triangular(np.linalg.cholesky(covariance), np.eye(d), lower=True)
    return Whitening(centred @ matrix.T, mean, matrix)


def _refuse_degenerate(values: Array, vectors: Array, floor: float) -> None:
    """Names the directions of no variance by the columns in which they lie."""
    empty = values <= floor
    if empty.any():
        count, d = int(empty.sum()), values.size
        share = np.sum(vectors[:, empty] ** 2, axis=1)  # of each column's axis
        most = [int(k) for k in np.sort(np.argsort(-share, kind="stable")[:5]) if share[k] > 0.01]
        raise ArgumentError(
            f"x must have a covariance of full rank, got rank {d - count} of {d}: "
            f"no variance in {count} direction{'s' * (count > 1)}, mostly in columns {most}"
        )
