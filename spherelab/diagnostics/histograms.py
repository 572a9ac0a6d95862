"""Histograms of cosines: of paired views (alignment), and of independent pairs (uniformity)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from spherelab import arguments
from spherelab.arguments import ArgumentError
from spherelab.estimators.arrays import rows, views

Array = NDArray[np.float64]

_ROWS = 1 << 13


@dataclass(frozen=True, eq=False)
class CosineHistogram:
    """Densities of cosines over bins, with respect to dt on [-1, 1].

    Attributes
    ----------
    edges : ndarray, shape (bins + 1,)
    matched : ndarray, shape (bins,), or None
        Of u_i . v_i; None without v. |u_i - v_i|^2 = 2 - 2t.
    independent : ndarray, shape (bins,)
        Of u_i . u_j for drawn pairs, i != j.
    uniform : ndarray, shape (bins,)
        Of u . u' under the uniform law, averaged over each bin: exact, to 1e-12 relative.
    n : int
        Matched pairs; cosines outside the edges count in the total.
    pairs : int
        Independent pairs. The standard error of a density p over a width w is
        sqrt(p (1 - p w)/(pairs w)).
    """

    edges: Array
    matched: Array | None
    independent: Array
    uniform: Array
    n: int
    pairs: int


def cosine_histogram(
    u: Any,
    v: Any | None,
    rng: np.random.Generator,
    bins: int | ArrayLike = 64,
    pairs: int = 100_000,
) -> CosineHistogram:
    """How the cosines of paired views, of independent pairs and of the uniform law are spread.

    Parameters
    ----------
    u, v : array, shape (n, d)
        Unit rows, n >= 2: two views of each example; v may be None.
    rng : numpy.random.Generator
        For the independent pairs.
    bins : int or array_like
        How many equal bins between the least and the greatest cosine seen; or their edges, rising
        within [-1, 1].
    pairs : int
        How many independent pairs to draw, >= 1.

    Returns
    -------
    CosineHistogram

    Raises
    ------
    ArgumentError
        For arguments that are not such.
    """
    u = rows(u, "u")
    if v is not None:
        u, v = views(u, v)
    rng = arguments.generator(rng)
    pairs = arguments.dimension(pairs, 1, "pairs")
    n, d = u.shape
    first = rng.integers(n, size=pairs)
    second = (first + rng.integers(1, n, size=pairs)) % n
    apart = _cosines(u, u, first, second)
    together = None if v is None else _cosines(u, v, np.arange(n), np.arange(n))
    edges = _edges(bins, apart if together is None else np.concatenate([apart, together]))
    return CosineHistogram(
        edges,
        None if together is None else _density(together, edges),
        _density(apart, edges),
        _uniform_mass(d, edges) / np.diff(edges),
        n,
        pairs,
    )


def _cosines(u: Any, v: Any, first: NDArray[np.int64], second: NDArray[np.int64]) -> Array:
    found = np.empty(first.size)
    for start in range(0, first.size, _ROWS):
        some = slice(start, start + _ROWS)
        a, b = (np.asarray(x, dtype=float) for x in (u[first[some]], v[second[some]]))
        sizes = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
        found[some] = np.einsum("ij,ij->i", a, b) / sizes
    return np.clip(found, -1.0, 1.0)


def _edges(bins: int | ArrayLike, seen: Array) -> Array:
    if np.ndim(bins) == 0:
        count = arguments.dimension(bins, 1, "bins")
        low, high = float(seen.min()), float(seen.max())
        if high - low < 1e-6:  # all the same
            low, high = max(low - 1e-3, -1.0), min(high + 1e-3, 1.0)
        return np.linspace(low, high, count + 1)
    edges = arguments.reals(bins, "bins", -1.0, 1.0)
    if edges.ndim != 1 or edges.size < 2 or not np.all(np.diff(edges) > 0):
        raise ArgumentError(f"bins must be a number, or edges that rise, got {bins!r:.60}")
    return edges


def _density(values: Array, edges: Array) -> Array:
    counts = np.histogram(values, edges)[0]
    result: Array = counts / (values.size * np.diff(edges))
    return result


def _uniform_mass(d: int, edges: Array) -> Array:
    """P(low <= u.u' <= high): (1 + u.u')/2 is Beta((d-1)/2, (d-1)/2)."""
    low, high = edges[:-1], edges[1:]
    # the law is even: bins on the right are taken on the left, where the distribution function is
    # small and its differences keep their digits
    right = low > 0
    low, high = np.where(right, -high, low), np.where(right, -low, high)
    shape = 0.5 * (d - 1)
    result: Array = special.betainc(shape, shape, 0.5 * (1 + high)) - special.betainc(
        shape, shape, 0.5 * (1 + low)
    )
    return result
