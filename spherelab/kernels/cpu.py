"""Numba loops for the CPU. No fastmath: results do not depend on the compiler's reordering."""

from __future__ import annotations

import math

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


# --- characteristic functions along slices --------------------------------------------------------

_SAMPLES = 256  # of a slice at a time: their sines and cosines stay in the first cache


@numba.njit(parallel=True, cache=True)
def _slice_sums(projections, step, cosines, sines):  # type: ignore[no-untyped-def]
    """cosines[k, j] = sum_i cos(j step p_ki), sines likewise: one sine and cosine a sample."""
    slices, samples = projections.shape
    nodes = cosines.shape[1]
    for k in numba.prange(slices):
        c1 = np.empty(_SAMPLES)
        s1 = np.empty(_SAMPLES)
        c = np.empty(_SAMPLES)
        s = np.empty(_SAMPLES)
        for j in range(nodes):
            cosines[k, j] = 0.0
            sines[k, j] = 0.0
        for start in range(0, samples, _SAMPLES):
            count = min(_SAMPLES, samples - start)
            for i in range(count):
                angle = step * projections[k, start + i]
                c1[i] = math.cos(angle)
                s1[i] = math.sin(angle)
                c[i] = 1.0
                s[i] = 0.0
            for j in range(nodes):
                total_c = 0.0
                total_s = 0.0
                for i in range(count):
                    total_c += c[i]
                    total_s += s[i]
                cosines[k, j] += total_c
                sines[k, j] += total_s
                for i in range(count):
                    turned = c[i] * c1[i] - s[i] * s1[i]
                    s[i] = s[i] * c1[i] + c[i] * s1[i]
                    c[i] = turned


@numba.njit(parallel=True, cache=True)
def _slice_combination(projections, step, even, odd, result):  # type: ignore[no-untyped-def]
    """result[i] = sum_kj even[k, j] cos(j step p_ki) + odd[k, j] sin(j step p_ki)."""
    slices, samples = projections.shape
    nodes = even.shape[1]
    whole = (samples + _SAMPLES - 1) // _SAMPLES
    for block in numba.prange(whole):
        start = block * _SAMPLES
        count = min(_SAMPLES, samples - start)
        total = np.zeros(_SAMPLES)
        for k in range(slices):
            for i in range(count):
                angle = step * projections[k, start + i]
                c1 = math.cos(angle)
                s1 = math.sin(angle)
                # Clenshaw downwards: sum_j e_j cos(j x) + o_j sin(j x) from two terms
                twice = 2.0 * c1
                e1 = e2 = o1 = o2 = 0.0
                for j in range(nodes - 1, 0, -1):
                    e0 = even[k, j] + twice * e1 - e2
                    o0 = odd[k, j] + twice * o1 - o2
                    e2, e1 = e1, e0
                    o2, o1 = o1, o0
                total[i] += even[k, 0] + c1 * e1 - e2 + s1 * o1
        for i in range(count):
            result[start + i] = total[i]


def slice_sums(projections: Array, step: float, nodes: int) -> tuple[Array, Array]:
    """sum_i cos(j step p_ki) and sum_i sin(j step p_ki), j = 0..nodes-1.

    Parameters
    ----------
    projections : ndarray, shape (K, n)
        The samples along each slice.
    step : float
        Between neighbouring frequencies.
    nodes : int
        How many frequencies, from 0 on.

    Returns
    -------
    cosines, sines : ndarray, shape (K, nodes)
        One sine and cosine a sample and slice, the others by turning: error about nodes eps n.
    """
    projections = np.ascontiguousarray(projections, dtype=np.float64)
    shape = projections.shape[0], nodes
    cosines, sines = np.empty(shape), np.empty(shape)
    _slice_sums(projections, float(step), cosines, sines)
    return cosines, sines


def slice_combination(projections: Array, step: float, even: Array, odd: Array) -> Array:
    """sum_kj even_kj cos(j step p_ki) + odd_kj sin(j step p_ki), shape (n,); arguments as above.

    ``even`` and ``odd`` have shape (K, nodes). Clenshaw's sum: error about nodes^2 eps where
    cos(step p) is within 1/nodes^2 of +-1, nodes eps elsewhere.
    """
    projections = np.ascontiguousarray(projections, dtype=np.float64)
    result = np.empty(projections.shape[1])
    _slice_combination(
        projections, float(step), np.ascontiguousarray(even), np.ascontiguousarray(odd), result
    )
    return result
