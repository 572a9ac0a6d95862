"""Numba loops for the CPU. No fastmath: results do not depend on the compiler's reordering."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_BLOCK_ENTRIES = 1 << 20  # inner products held at a time: 8 MiB


@numba.njit(cache=True)
def _inner(x, y, count):  # type: ignore[no-untyped-def]  # numba compiles it by type
    """sum_j x[j] y[j] in four partial sums, which the processor can overlap; a fixed order."""
    a = b = c = d = 0.0
    whole = count - count % 4
    for j in range(0, whole, 4):
        a += x[j] * y[j]
        b += x[j + 1] * y[j + 1]
        c += x[j + 2] * y[j + 2]
        d += x[j + 3] * y[j + 3]
    for j in range(whole, count):
        a += x[j] * y[j]
    return (a + b) + (c + d)


@numba.njit(cache=True)
def _add_block(d, products, weights, start, sums):  # type: ignore[no-untyped-def]
    """Rows start, start+1, ... of the Gram matrix, each against the points before it.

    sums[l] += 2 w_i sum_{j<i} w_j P_l(t_ij), by (k+d-2) P_{k+1} = (2k+d-2) t P_k - k P_{k-1}
    from P_0 = 1, P_1 = t (for d = 2 too). One row of weights means the same for every l.
    """
    lower = np.empty(products.shape[1])
    upper = np.empty(products.shape[1])
    single = weights.shape[0] == 1
    for i in range(products.shape[0]):
        row = start + i
        t = products[i]
        for j in range(row):
            lower[j] = 1.0
            upper[j] = t[j]
        for degree in range(sums.size):
            w = weights[0 if single else degree]
            sums[degree] += 2.0 * w[row] * _inner(w, lower, row)
            rise = (2.0 * degree + d) / (degree + d - 1.0)
            fall = (degree + 1.0) / (degree + d - 1.0)
            for j in range(row):
                lower[j] = rise * t[j] * upper[j] - fall * lower[j]
            lower, upper = upper, lower


def gram_legendre_sums(points: Array, weights: Array, max_degree: int) -> Array:
    """sum_ij w_i w_j P_l(x_i . x_j) for l = 0..max_degree, P_l normalised by P_l(1) = 1.

    Parameters
    ----------
    points : ndarray, shape (n, d)
        Unit rows, d >= 2.
    weights : ndarray, shape (n,) or (n, max_degree + 1)
        One weight a point, or one for each point and degree; any sign.
    max_degree : int
        Largest degree, >= 0.

    Returns
    -------
    ndarray, shape (max_degree + 1,)
        The diagonal is exact (P_l(1) = 1); the rest is summed row by row over i > j. Time
        O(n^2 (d + max_degree)), memory O(n) beside one block of inner products.

    Notes
    -----
    Absolute error, in units of 2^-53 (sum_i |w_i|)^2: at most 2n for the two nested sums, and
    for the recurrence and the rounding of x_i . x_j what ``laws.base.gram_error`` states.
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    count, d = points.shape
    table = np.asarray(weights, dtype=np.float64).reshape(count, -1)
    table = np.ascontiguousarray(table.T)  # (1 or L+1, n)
    sums = np.zeros(max_degree + 1)
    height = max(1, _BLOCK_ENTRIES // count)
    for start in range(0, count, height):
        stop = min(start + height, count)
        products = points[start:stop] @ points[:stop].T  # (rows, stop)
        np.clip(products, -1.0, 1.0, out=products)
        _add_block(float(d), products, table, start, sums)
    result: Array = sums + np.einsum("li,li->l", table, table)  # the diagonal
    return result
