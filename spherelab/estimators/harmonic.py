"""Non-uniformity by degrees of harmonics, and squared MMDs to the uniform law, without bias."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab.arguments import ArgumentError
from spherelab.arguments import degrees as check_degrees
from spherelab.estimators.arrays import namespace, rows
from spherelab.estimators.blocks import blocks, from_influence, row_sums
from spherelab.estimators.estimate import Estimate
from spherelab.gegenbauer import clenshaw
from spherelab.sliced import chebyshev_coefficients
from spherelab.sphere import log_multiplicity, multiplicity
from spherelab.zonal import ZonalKernel

Array = NDArray[np.float64]

_MOST_DEGREES = 1 << 12


def harmonic_energy(u: Any, degrees: ArrayLike) -> list[Estimate]:
    """|q_l|^2 = N_l E P_l(X.X') for each degree, unbiased: the diagonal is left out.

    Parameters
    ----------
    u : array, shape (n, d)
        Unit rows, n >= 2. NumPy or CuPy, float32 or float64.
    degrees : array_like of int, shape (k,)
        Degrees l >= 1, at most 4096.

    Returns
    -------
    list of Estimate
        One for each degree. Near the uniform law they scatter about 0, negative values included.

    Raises
    ------
    ArgumentError
        For an array that is not such, or a degree below 1 or above 4096.
    """
    u = rows(u, "u")
    wanted = np.atleast_1d(check_degrees(degrees)).astype(np.int64)
    if wanted.ndim != 1 or wanted.size == 0 or wanted.min() < 1 or wanted.max() > _MOST_DEGREES:
        raise ArgumentError(f"degrees must be in [1, {_MOST_DEGREES}], shape (k,), got {degrees!r}")
    xp, (n, d) = namespace(u), u.shape
    sums = {int(degree): xp.zeros(n) for degree in wanted}
    for block in blocks(u):
        t = xp.clip(block.products, -1.0, 1.0)
        lower, upper = xp.ones_like(t), t.copy()
        for degree in range(1, int(wanted.max()) + 1):
            if degree in sums:
                row_sums(block, upper.copy(), sums[degree])
            # (k+d-2) P_{k+1} = (2k+d-2) t P_k - k P_{k-1}
            rise, fall = (2 * degree + d - 2) / (degree + d - 2), degree / (degree + d - 2)
            lower, upper = upper, rise * t * upper - fall * lower
    found = []
    for degree in wanted:
        means = sums[int(degree)] / (n - 1) * float(multiplicity(d, int(degree)))
        found.append(from_influence(float(means.mean()), 2 * means, n, "U-statistic"))
    return found


def squared_mmd(u: Any, kernel: ZonalKernel) -> Estimate:
    """sum_{l>=1} k_l |q_l|^2, the squared distance of mean embeddings to the uniform law; unbiased.

    Parameters
    ----------
    u : array, shape (n, d)
        Unit rows, n >= 2.
    kernel : ZonalKernel
        A kernel of ``spherelab.zonal``.

    Returns
    -------
    Estimate
        The kernel less its mean is a polynomial in u.v to 1e-13 of its largest value.

    Raises
    ------
    ArgumentError
        For an array that is not such, no zonal kernel, or one that needs more than 4096 degrees.
    """
    u = rows(u, "u")
    if not isinstance(kernel, ZonalKernel):
        raise ArgumentError(f"kernel must be a ZonalKernel, got {type(kernel).__name__}")
    xp, (n, d) = namespace(u), u.shape
    coefficients = xp.asarray(_centred(kernel, d))
    sums = xp.zeros(n)
    for block in blocks(u):
        t = xp.clip(block.products, -1.0, 1.0)
        row_sums(block, xp.polynomial.chebyshev.chebval(t, coefficients), sums)
    means = sums / (n - 1)
    return from_influence(float(means.mean()), 2 * means, n, "U-statistic")


@functools.lru_cache(maxsize=64)
def _centred(kernel: ZonalKernel, d: int) -> Array:
    """Chebyshev coefficients in t of sum_{l>=1} k_l N_l P_l(t)."""
    count = 64
    while True:
        degrees = np.arange(1, count)
        terms = np.exp(kernel.log_eigenvalues(d, degrees) + log_multiplicity(d, degrees))
        if terms[-1] <= 1e-17 * math.fsum(terms):
            break
        if count > _MOST_DEGREES:
            raise ArgumentError(f"kernel must need at most {_MOST_DEGREES} degrees, got {kernel!r}")
        count *= 2
    angles = math.pi * (np.arange(count) + 0.5) / count
    values = clenshaw(d, np.concatenate(([0.0], terms)), np.cos(angles))
    return chebyshev_coefficients(values, angles)
