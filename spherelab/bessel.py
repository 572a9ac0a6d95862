"""Modified Bessel functions of the first kind, as the sphere needs them: in logs and in ratios.

Everything rests on the Poisson integral (DLMF 10.32.2) with v = (1+t)/2,

    I_nu(x) = (2x)^nu e^-x / (sqrt(pi) Gamma(nu + 1/2)) T(nu + 1/2, nu + 1/2; -2x),

where T is the positive integral of ``kummer``: no power series, continued fraction or asymptotic
expansion, hence no regimes. nu >= 0 real; x >= 0. The one seam is in ``log_lambda0``.

Accuracy (against ball arithmetic, nu to 1e5, x from 1e-8 to 1e6): log I_nu to 1e-14 absolute or one
ulp of the result, whichever is larger, the logs of lambda_l and r_l to 4e-14 or one ulp; ratios and
their complements to 2e-15 relative. nu to 5e9 and x to 1e100 are accepted.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.polynomial.chebyshev import chebval
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma

from spherelab import extended
from spherelab.arguments import ArgumentError, broadcast, dimension, in_range, reals, unit_interval
from spherelab.arguments import degrees as check_degrees
from spherelab.kummer import log_beta_laplace, tilted_means

Array = NDArray[np.float64]

_LARGEST_ORDER = 5e9
_LARGEST_ARGUMENT = 1e100
_LEAST_COMPLEMENT = 1e-80


def _order(nu: ArrayLike) -> Array:
    return reals(nu, "nu", 0.0, _LARGEST_ORDER)


def _argument(x: ArrayLike) -> Array:
    return reals(x, "x", 0.0, _LARGEST_ARGUMENT)


def _poisson(a: Array, x: Array, low: Array | float = 0.0) -> extended.Pair:
    """log of e^-x T(a, a; -2x) / Gamma(a): the part of Poisson's integral that depends on x.

    ``low`` is what a lost by rounding.
    """
    return extended.total(
        log_beta_laplace(a, a, -2 * x, low, low),
        extended.scale(-1.0, extended.log_gamma(a)),
        extended.exact(-low * digamma(a)),
        extended.exact(-x),
    )


def log_iv(nu: ArrayLike, x: ArrayLike) -> Array:
    """log I_nu(x), the modified Bessel function of the first kind (DLMF 10.25.2).

    Parameters
    ----------
    nu, x : array_like
        Order nu >= 0 and argument x >= 0; broadcast. I_0(0) = 1, I_nu(0) = 0 (log -inf).

    Returns
    -------
    ndarray
        Absolute error 1e-14, or one ulp of the result where that is larger.
    """
    nu, x = broadcast(nu=_order(nu), x=_argument(x))
    positive = np.where(x > 0, x, 1.0)
    rounded, lost = extended.two_sum(nu, 0.5)
    result = extended.total(
        _poisson(rounded, positive, lost),
        extended.scale(nu, extended.log(2 * positive)),
        extended.scale(-0.5, extended.LOG_PI),
    )
    at_zero = np.where(nu == 0, 0.0, -np.inf)
    return np.where(x > 0, result[0] + result[1], at_zero)


def iv_ratio(nu: ArrayLike, x: ArrayLike) -> Array:
    """I_{nu+1}(x) / I_nu(x) = A_d(x), d = 2 nu + 2: the mean resultant of a von Mises-Fisher law.

    Integrating Poisson's integral by parts gives E t = x E(1 - t^2)/(2 nu + 1), positive
    throughout, where E t itself cancels for small x. Relative accuracy 2e-15.
    """
    nu, x = broadcast(nu=_order(nu), x=_argument(x))
    means = tilted_means(nu + 0.5, nu + 0.5, -2 * x)
    return 2 * x / (nu + 0.5) * means.product


def iv_ratio_complement(nu: ArrayLike, x: ArrayLike) -> Array:
    """1 - I_{nu+1}(x) / I_nu(x) = E(1 - t), to 2e-15 relative also where the ratio is nearly 1."""
    nu, x = broadcast(nu=_order(nu), x=_argument(x))
    return 2 * tilted_means(nu + 0.5, nu + 0.5, -2 * x).complement


def iv_ratio_inverse(
    nu: float, ratio: float | None = None, *, complement: float | None = None
) -> float:
    """The x >= 0 at which I_{nu+1}(x) / I_nu(x) equals ``ratio``, or 1 - ``complement``.

    Parameters
    ----------
    nu : float
        Order, >= 0.
    ratio, complement : float
        Give one: ``ratio`` in [0, 1), or ``complement`` = 1 - ratio in [1e-80, 1] where the ratio
        is so near to 1 that it would not hold the digits.

    Returns
    -------
    float
        To 1e-14 relative, times the conditioning of the argument that was given where that
        is above 1.

    Notes
    -----
    Newton's method in log x on log(A / (1 - A)), which is nearly linear in log x at both ends:
    A ~ x/(2 nu + 2) for small x and 1 - A ~ (nu + 1/2)/x for large x. A' = 1 - A^2 - (2nu+1) A/x.
    """
    nu = in_range(nu, "nu", 0.0, _LARGEST_ORDER)
    if (ratio is None) == (complement is None):
        raise ArgumentError("give exactly one of ratio and complement")
    if ratio is not None:
        ratio = unit_interval(ratio, "ratio")
        if ratio == 1:
            raise ArgumentError("ratio must be in [0, 1), got 1.0")
        if ratio == 0:
            return 0.0
        odds = np.log(ratio) - np.log1p(-ratio)
        r = ratio
        rest = 1 - ratio
    else:
        assert complement is not None
        complement = in_range(complement, "complement", _LEAST_COMPLEMENT, 1.0)
        if complement == 1:
            return 0.0
        odds = np.log1p(-complement) - np.log(complement)
        r = 1 - complement
        rest = complement
    d = 2 * nu + 2
    x = r * (d - r * r) / (rest * (1 + r))  # Banerjee et al. (2005); right at both ends
    for _ in range(50):
        means = tilted_means(nu + 0.5, nu + 0.5, -2 * x)
        b = float(2 * means.complement)
        a = float(2 * x / (nu + 0.5) * means.product)
        slope = _ratio_slope(nu, x, a, b)
        change = (np.log(a) - np.log(b) - odds) * a * b / (slope * x)
        change = float(np.clip(change, -2.0, 2.0))
        x *= float(np.exp(-change))
        if abs(change) < 1e-14:
            break
    return float(x)


def _ratio_slope(nu: float, x: float, a: float, b: float) -> float:
    """dA/dx = 1 - A^2 - (2 nu + 1) A / x = Var t > 0; the plain form cancels, so bounded below.

    Only Newton's speed depends on it: A' lies between A(1-A)/x-like bounds, and any value of the
    right size converges to the same root.
    """
    slope = b * (1 + a) - (2 * nu + 1) * a / x
    return max(slope, 1e-3 * a * b / x)


def log_lambda0(d: int, x: ArrayLike) -> Array:
    """log 0F1(; d/2; x^2/4) = log[Gamma(d/2) (2/x)^nu I_nu(x)], the mean of e^{x t} on the sphere.

    lambda_0(x) = E_v e^{x u.v} for v uniform on S^(d-1); even, 1 at x = 0.

    Regimes: x^2 < d, log1p of the power series (terms below 2^-k/k!, so the result keeps its
    relative accuracy down to x^2/(2d)); above, the leading term of Debye's expansion plus a
    Chebyshev interpolant of the rest (from Poisson's integral) on each octave [2^k, 2^(k+1)), kept,
    since quadratures ask for thousands of values at one d.
    Relative accuracy 2e-14 in both; at the seams the values differ by as much.
    """
    x, near, series, rest = _log_lambda0(d, x)
    return np.where(near, series, _debye(d, x)[0] + rest)


def log_lambda0_scaled(d: int, x: ArrayLike) -> Array:
    """log lambda_0(x) - |x| <= 0, which for large |x| does not cancel: about -(d-1)/2 log |x|."""
    x, near, series, rest = _log_lambda0(d, x)
    return np.where(near, series - x, _debye(d, x)[1] + rest)


def _log_lambda0(d: int, x: ArrayLike) -> tuple[Array, NDArray[np.bool_], Array, Array]:
    """|x|, where x^2 < d, log lambda_0 there, and log lambda_0 less Debye's term elsewhere."""
    d = dimension(d)
    x = np.abs(reals(x, "x", -_LARGEST_ARGUMENT, _LARGEST_ARGUMENT))
    near = x * x < d
    quarter = np.where(near, 0.25 * x * x, 0.0)
    term = np.ones_like(x)
    series = np.zeros_like(x)
    for k in range(18):
        term = term * quarter / ((k + 1) * (0.5 * d + k))
        series = series + term
    rest = np.zeros_like(x)
    mantissa, exponent = np.frexp(x)
    for k in np.unique(exponent[~near]):
        here = ~near & (exponent == k)
        # x = m 2^k with m in [1/2, 1): 4m - 3 runs over [-1, 1)
        rest[here] = chebval(4 * mantissa[here] - 3, _octave(d, int(k)))
    return x, near, np.log1p(series), rest


def _debye(d: int, x: Array) -> tuple[Array, Array]:
    """E = nu (eta(x/nu) - eta(0)), the leading term of log lambda_0 (DLMF 10.41.3), and E - x.

    With R = sqrt(nu^2 + x^2) and q = R - nu = x^2/(R + nu): E = q - nu log(1 + q/(2 nu)) and
    E - x = -nu (q + x)/(R + x) - nu log(1 + q/(2 nu)). What is left of log lambda_0 is a logarithm
    of R, so that the rounding of an interpolant does not count.
    """
    nu = 0.5 * d - 1
    if nu == 0:
        return x, np.zeros_like(x)
    root = np.hypot(nu, x)
    q = x * (x / (nu + root))
    fall = nu * np.log1p(q / (2 * nu))
    return q - fall, -nu * ((q + x) / (root + x)) - fall


@functools.lru_cache(maxsize=4096)
def _octave(d: int, exponent: int) -> Array:
    """Chebyshev coefficients of log lambda_0 less Debye's term on [2^(exponent-1), 2^exponent].

    The singularities, the zeros of I_nu and +-i nu, lie on the imaginary axis, outside the
    Bernstein ellipse of parameter 3 + sqrt 8: 26 nodes leave 5.8^-26 = 1e-20.
    """
    angles = (np.arange(_NODES) + 0.5) * np.pi / _NODES
    nodes = np.ldexp((np.cos(angles) + 3) / 4, exponent)
    zero = np.zeros(_NODES, dtype=int)
    plain, scaled = _debye(d, nodes)
    # E and E - x round differently: take the smaller one off, whose ulp neither result notices.
    if np.ldexp(1.0, exponent) <= d:
        values = log_eigenvalues(d, zero, nodes, offset=-plain)
    else:
        values = log_eigenvalues(d, zero, nodes, offset=-nodes) - scaled
    coefficients = 2 / _NODES * np.cos(np.outer(np.arange(_NODES), angles)) @ values
    coefficients[0] /= 2
    return coefficients


_NODES = 26


def _log_eigenvalue_pair(d: int, degrees: Array, x: Array) -> extended.Pair:
    """log lambda_l(x) = log[Gamma(d/2) (2/x)^nu I_{l+nu}(x)] as a double-double; x > 0."""
    degrees, x = np.broadcast_arrays(degrees, x)
    a = degrees + 0.5 * (d - 1)
    return extended.total(
        _poisson(a, x),
        extended.scale(degrees, extended.log(2 * x)),
        extended.scale(d - 2.0, extended.LOG_2),
        extended.log_gamma(0.5 * d),
        extended.scale(-0.5, extended.LOG_PI),
    )


def log_eigenvalues(d: int, degrees: ArrayLike, x: ArrayLike, offset: ArrayLike = 0.0) -> Array:
    """log lambda_l(x) + offset: eigenvalues of e^{x u.v} on S^(d-1), by Funk-Hecke.

    lambda_l(x) = Gamma(d/2) (2/x)^nu I_{l+nu}(x), nu = d/2 - 1; x > 0. The offset is added before
    the one rounding: with offset = -x it gives the eigenvalues of e^{-x |u-v|^2/2} for large x.
    """
    d, degrees, x = dimension(d), check_degrees(degrees).astype(float), _argument(x)
    if np.any(x == 0):
        raise ArgumentError("x must be > 0, got 0.0")
    broadcast(degrees=degrees, x=x)
    result = extended.add(_log_eigenvalue_pair(d, degrees, x), extended.exact(offset))
    return result[0] + result[1]


def log_iv_quotient(d: int, degrees: ArrayLike, x: ArrayLike) -> Array:
    """log of I_{nu+l}(x) / I_nu(x), nu = d/2 - 1: log r_l(x), and log A_l(kappa) at x = kappa.

    x >= 0 (at x = 0: 0 for l = 0, else -inf). Absolute error 4e-14 or one ulp of the result.
    Low degrees at one x are kept from call to call: spectra of one law are asked for many times.
    """
    d, degrees, x = dimension(d), check_degrees(degrees), _argument(x)
    broadcast(degrees=degrees, x=x)
    if x.ndim == 0 and degrees.size and degrees.max() < _KEPT_DEGREES:
        wanted = set((degrees.ravel() // _BLOCK).tolist())
        blocks = {k: _quotient_block(d, k, float(x)) for k in wanted}
        if len(blocks) == 1:
            return next(iter(blocks.values()))[degrees % _BLOCK]
        table = np.full((max(blocks) + 1, _BLOCK), np.nan)
        for k, block in blocks.items():
            table[k] = block
        return table.ravel()[degrees]
    degrees, x = np.broadcast_arrays(degrees, x)
    return _quotient(d, degrees.astype(float), x)


_BLOCK = 64
_KEPT_DEGREES = 1024


@functools.lru_cache(maxsize=1024)
def _quotient_block(d: int, block: int, x: float) -> Array:
    degrees = np.arange(block * _BLOCK, (block + 1) * _BLOCK, dtype=float)
    result = _quotient(d, degrees, np.full(_BLOCK, x))
    result.setflags(write=False)
    return result


def _quotient(d: int, degrees: Array, x: Array) -> Array:
    positive = np.where(x > 0, x, 1.0)
    bottom_x, place = np.unique(positive, return_inverse=True)
    bottom = _log_eigenvalue_pair(d, np.zeros_like(bottom_x), bottom_x)
    place = place.reshape(positive.shape)
    top = _log_eigenvalue_pair(d, degrees, positive)
    result = extended.add(top, (-bottom[0][place], -bottom[1][place]))
    return np.where(degrees == 0, 0.0, np.where(x > 0, result[0] + result[1], -np.inf))
