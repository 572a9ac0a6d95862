"""The Gaussian test on a slice, averaged over all slices: one function of one variable.

E_a e^{-x (a.e)^2} = 1F1(1/2; d/2; -x) for a uniform on S^(d-1) and a unit vector e: the kernel of a
pair at distance |z - z'|^2 = 2x, when a point is tested along every direction at once.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.polynomial.chebyshev import chebval
from numpy.typing import NDArray

from spherelab.kummer import log_kummer

Array = NDArray[np.float64]


def slice_kernel(d: int, x: Array) -> Array:
    """1F1(1/2; d/2; -x) for x >= 0 and d >= 1, an array of any shape; relative error 1e-12.

    Its log is nearly linear in y = log(1 + 2x/d) (exactly so for d -> inf): a Chebyshev series in
    y holds it to 1e-12.
    """
    if d == 1:
        return np.exp(-x)
    y = np.log1p(2 * x / d)
    top = 2.0 ** math.ceil(math.log2(max(float(np.max(y, initial=0.0)), 1.0)))
    return np.exp(chebval(2 / top * y - 1, _log_kernel(d, top)))


@functools.lru_cache(maxsize=64)
def _log_kernel(d: int, top: float) -> Array:
    nodes = 64 if top <= 4 else 128
    k = np.arange(nodes)
    angles = math.pi * (k + 0.5) / nodes
    x = 0.5 * d * np.expm1(0.5 * top * (1 + np.cos(angles)))
    return chebyshev_coefficients(log_kummer(0.5, 0.5 * d, -x), angles)


def chebyshev_coefficients(values: Array, angles: Array) -> Array:
    """Coefficients of the interpolant of values at cos(angles), less the last, negligible ones."""
    count = angles.size
    coefficients: Array = 2 / count * np.cos(np.arange(count)[:, None] * angles) @ values
    coefficients[0] /= 2
    sizes = np.abs(coefficients)
    last = int(np.flatnonzero(sizes > 1e-14 * sizes.max())[-1])
    return coefficients[: last + 1]
