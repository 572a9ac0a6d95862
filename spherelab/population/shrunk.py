"""The spectrum of the lift on shrunken averages: mu_l(Delta) and its slope, at many Delta at once.

Views that disagree shorten their average: |M|^2 = r^2 = 1 - Delta, and each degree l >= 1 of the
Shared Gaussianization loss falls as Delta grows. With W_l = E x (w1 + w2) under the integrand of
mu_l (``lift``), integration by parts as in ``lift.log_mu_and_gain_ratio`` but at radius r gives

    -d mu_l/d Delta = mu_l(Delta) [l - r^2 + r^2 W_l] / (r^2 (1 + 2 r^2)),

a sum of positive terms: the slope keeps its digits where differences of mu_l lose them (for l = 1
it is about mu_1/(3d) at Delta = 0).

mu_l(Delta) = r^(2l) F_l(Delta), and log F_l and W_l are analytic but for the branch point where
1 + 2 r^2 = 0, Delta = 3/2: their Chebyshev series on [0, 1] fall like 3.7^-k, and 26 points hold
all digits. Minimising over Delta, and sums over Delta, cost one evaluation of ``lift`` this way.
"""

from __future__ import annotations

import functools
import itertools

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlog1py

from spherelab import extended, lift
from spherelab.arguments import degrees as check_degrees
from spherelab.arguments import dimension, reals

Array = NDArray[np.float64]

_NODES = 26
# Degrees that are interpolated together; one block is evaluated as a whole when it is first met.
_EDGES = (1, 5, 17, 33, 65, 129, 257, 385)
#: 1/J_0''(0): the Delta for each unit of slope. J_0'' = 3 (3-2D)^(-5/2) - (3/2) (3-D)^(-5/2).
FIRST_ORDER = 6 * 3**0.5
#: Error of a logarithm, relative to its size and absolute: rounding of the Chebyshev sums.
LOG_ERROR = 4e-15


def log_mu_and_slope(d: int, degrees: ArrayLike, deltas: ArrayLike) -> tuple[Array, Array]:
    """log mu_l(Delta) and log(-d mu_l/d Delta).

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    degrees : array_like of int, shape (L,)
        Degrees l from 1 to 384.
    deltas : array_like, shape (m,)
        Misalignments in [0, 1].

    Returns
    -------
    log_mu, log_slope : ndarray, shape (L, m)
        Error ``LOG_ERROR`` times 1 + |log mu_l|. At Delta = 1 all are -inf but the slope of l = 1.
    """
    d, degrees = dimension(d), check_degrees(degrees)
    deltas = reals(deltas, "deltas", 0.0, 1.0)
    log_factor = np.empty((degrees.size, deltas.size))
    load = np.empty_like(log_factor)  # W_l
    # cos(k arccos(2 Delta - 1)), arccos through the half angle: accurate at both ends
    angles = 2 * np.arccos(np.sqrt(deltas))
    waves = np.cos(np.arange(_NODES)[:, None] * angles)  # (nodes, m)
    for low, high in itertools.pairwise(_EDGES):
        inside = np.flatnonzero((degrees >= low) & (degrees < high))
        if inside.size:
            of_log, of_load = _coefficients(d, low, high)
            log_factor[inside] = of_log[degrees[inside] - low] @ waves
            load[inside] = of_load[degrees[inside] - low] @ waves
    l = degrees[:, None].astype(float)  # noqa: E741
    square = 1.0 - deltas
    log_mu = log_factor + xlog1py(l, -deltas)
    positive = (l - 1) + deltas + square * load  # l - r^2 + r^2 W
    log_slope = log_factor + xlog1py(l - 1, -deltas) + np.log(positive / (1 + 2 * square))
    return log_mu, log_slope


def extremal_slope(deltas: ArrayLike) -> Array:
    """J_0'(Delta) = (3 - 2 Delta)^(-3/2) - (3 - Delta)^(-3/2), the slope of the radial part.

    With b, c = sqrt(3 - Delta), sqrt(3 - 2 Delta) it is Delta (b^2 + bc + c^2) / ((b + c) (bc)^3),
    which does not cancel; relative error a few eps on [0, 1].
    """
    deltas = reals(deltas, "deltas", 0.0, 1.0)
    b, c = np.sqrt(3 - deltas), np.sqrt(3 - 2 * deltas)
    result: Array = deltas / (b + c) * (b * b + b * c + c * c) / (b * c) ** 3
    return result


@functools.lru_cache(maxsize=256)
def _coefficients(d: int, low: int, high: int) -> tuple[Array, Array]:
    """Chebyshev coefficients in 2 Delta - 1 of log F_l and of W_l, shape (degrees, nodes)."""
    degrees = np.arange(low, high)
    k = np.arange(_NODES)
    angles = np.pi * (k + 0.5) / _NODES
    squares = np.sin(0.5 * angles) ** 2  # 1 - Delta at Delta = (1 + cos)/2
    rows = np.repeat(degrees, _NODES).astype(float)
    # One row of the rule for each pair (degree, radius).
    rule = lift._Rule.build(d, rows, (np.tile(squares, degrees.size),))  # type: ignore[arg-type]
    integral, load = rule.evaluate()
    log_factor, rest = extended.add(integral, lift._log_prefactor(rows))
    values = np.stack((log_factor + rest, load)).reshape(2, degrees.size, _NODES)
    transform = 2 / _NODES * np.cos(k[:, None] * angles)  # (coefficients, nodes)
    transform[0] /= 2
    of_log, of_load = values @ transform.T
    of_log.setflags(write=False)
    of_load.setflags(write=False)
    return of_log, of_load
