"""The sphere S^(d-1) in R^d: multiplicities, area, and the law of one coordinate.

Said once for the whole library: d >= 2 is the ambient dimension, the sphere is S^(d-1) = {|x| = 1},
sigma its uniform law, nu = d/2 - 1. Points are rows, arrays (n, d).
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab import extended
from spherelab.arguments import cosines, dimension, generator
from spherelab.arguments import degrees as check_degrees
from spherelab.gegenbauer import gauss_rule

Array = NDArray[np.float64]


def log_multiplicity(d: int, degrees: ArrayLike) -> Array:
    """log N_l, the number of spherical harmonics of degree l.

    N_l = (2l+d-2) Gamma(l+d-2) / (Gamma(l+1) Gamma(d-1)).

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2. For d = 2: N_0 = 1, N_l = 2.
    degrees : array_like of int
        Degrees l >= 0, any shape.

    Returns
    -------
    ndarray
        One ulp: the three log-gammas, which nearly cancel for large d, are subtracted in
        double-double. DLMF 14.30 (count of the Y_l).
    """
    d, degrees = dimension(d), check_degrees(degrees)
    if degrees.size and degrees.max() < _KEPT:
        return _kept_log_multiplicities(d)[degrees]
    return _log_multiplicity(d, degrees)


_KEPT = 512


@functools.lru_cache(maxsize=256)
def _kept_log_multiplicities(d: int) -> Array:
    """Low degrees, which every sum over a spectrum asks for."""
    result = _log_multiplicity(d, np.arange(_KEPT))
    result.setflags(write=False)
    return result


def _log_multiplicity(d: int, degrees: NDArray[np.int64]) -> Array:
    if d == 2:
        return np.where(degrees == 0, 0.0, np.log(2.0))
    degree = degrees.astype(float)
    high, low = extended.total(
        extended.log(2 * degree + (d - 2)),
        extended.log_gamma(degree + (d - 2)),
        extended.scale(-1.0, extended.log_gamma(degree + 1)),
        extended.scale(-1.0, extended.log_gamma(d - 1.0)),
    )
    return np.where(degrees == 0, 0.0, high + low)


def multiplicity(d: int, degrees: ArrayLike) -> Array:
    """N_l as a float: see ``log_multiplicity``. inf where it exceeds 1.8e308."""
    with np.errstate(over="ignore"):  # the documented inf
        return np.exp(log_multiplicity(d, degrees))


def log_area(d: int) -> float:
    """log of the surface area of S^(d-1), 2 pi^{d/2} / Gamma(d/2); one ulp."""
    d = dimension(d)
    high, low = extended.total(
        extended.LOG_2,
        extended.scale(0.5 * d, extended.LOG_PI),
        extended.scale(-1.0, extended.log_gamma(0.5 * d)),
    )
    return float(high + low)


def log_coordinate_density(d: int, t: ArrayLike) -> Array:
    """Log density of t = <x, u>, x uniform, u a fixed unit vector, at t in [-1, 1].

    (1-t^2)^{(d-3)/2} / B(1/2, (d-1)/2) with respect to dt. At t = +-1 it is +inf for d = 2, -log 2
    for d = 3 and -inf above. One ulp, or 1e-17 where it crosses 0: summed in double-double, since
    (d-3)/2 multiplies the rounding of log(1-t^2).

    Raises
    ------
    ArgumentError
        Where |t| > 1 or t is NaN.
    """
    d, t = dimension(d), cosines(t)
    constant = extended.total(
        extended.log_gamma(0.5 * d),
        extended.scale(-1.0, extended.log_gamma(0.5 * (d - 1))),
        extended.scale(-0.5, extended.LOG_PI),
    )
    if d == 3:
        return np.full(t.shape, constant[0] + constant[1])
    inside = np.abs(t) < 1
    s = np.where(inside, t, 0.0)
    square, square_low = extended.two_product(s, s)
    rest, rest_low = extended.two_sum(1.0, -square)
    log_rest = extended.add(extended.log(rest), extended.exact((rest_low - square_low) / rest))
    high, low = extended.add(constant, extended.scale(0.5 * (d - 3), log_rest))
    edge = np.inf if d == 2 else -np.inf
    return np.where(inside, high + low, edge)


def coordinate_rule(d: int, n: int) -> tuple[Array, Array]:
    """Gauss rule for the law of one coordinate of a uniform point: nodes, and weights of sum 1.

    Exact for polynomials of degree 2n-1. d = 1 is S^0 = {-1, 1}: nodes -1 and 1 for every n.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 1.
    n : int
        Number of nodes, >= 1.
    """
    n = dimension(n, minimum=1, name="n")
    if dimension(d, minimum=1) == 1:
        return np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    return gauss_rule(d, n)


def uniform_sample(n: int, d: int, rng: np.random.Generator) -> Array:
    """n independent uniform points on S^(d-1), shape (n, d): normalised Gaussian rows.

    A row of norm zero, which has probability zero but not in every precision, is drawn again.
    """
    n, d, rng = dimension(n, minimum=0, name="n"), dimension(d), generator(rng)
    rows = rng.standard_normal((n, d))
    norms = np.linalg.norm(rows, axis=1)
    while np.any(norms == 0):
        empty = np.flatnonzero(norms == 0)
        rows[empty] = rng.standard_normal((empty.size, d))
        norms = np.linalg.norm(rows, axis=1)
    result: Array = rows / norms[:, None]
    return result
