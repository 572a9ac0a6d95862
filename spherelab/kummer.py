"""One positive integral behind every special function here: the Laplace transform of a Beta law.

    T(a, c; x) = int_0^1 v^(a-1) (1-v)^(c-1) e^(-x v) dv = B(a, c) 1F1(a; a+c; -x),   a, c > 0.

Bessel functions, the eigenvalues of e^(beta u.v) and the profile psi_l of the Shared
Gaussianization lift are all values of T, and mu_l is an integral of T^2 (``lift``).

Method. In y = log(v/(1-v)) the integrand v^a (1-v)^c e^(-x v) is analytic in the strip |Im y| < pi,
has one maximum, at a root of a quadratic, and falls at least exponentially on both sides: the
trapezoid rule converges geometrically (Trefethen & Weideman, SIAM Review 56, 2014). All terms are
positive, so nothing cancels, at any parameter; there are no regimes and no seams. Only the height
of the maximum can be large in the log; it is summed in double-double arithmetic and rounded once.

Accuracy, against ball arithmetic for a and c from 1/16 to 1e6 and |x| to 1e7: the error of a
logarithm is below the largest of one ulp of it, 2e-14, and 2e-16 sqrt(a + c). Larger parameters, to
1e10, and larger |x|, to 1e150, work alike; beyond, and for a or c below 1/16, where the tails in y
become too long, an error is raised.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma

from spherelab import extended
from spherelab.arguments import broadcast, finite, reals, rule_level

Array = NDArray[np.float64]

DROP = 44.0  # the rule ends where the integrand is e^-44 = 8e-20 of its maximum
_LEAST = 1.0 / 16.0
_LARGEST = 1e10  # the centre is cut to 24 bits, which must stay well inside 1/sqrt(a)
_LARGEST_TILT = 1e150
_FARTHEST = 704.0  # DROP / _LEAST; e^704 does not overflow


class Centre(NamedTuple):
    """The maximum of the integrand: v and 1 - v, exact complements of each other."""

    v: Array
    w: Array


def centre(a: Array, c: Array, x: Array) -> Centre:
    """Where v^a (1-v)^c e^(-x v) is largest: x v^2 - (a+c+x) v + a = 0.

    The discriminant is written (a+c-x)^2 + 4 c x for x >= 0 and (a+c+x)^2 - 4 a x for x < 0, sums
    of positive terms. The smaller of v, 1-v is cut to 24 bits, so that the other is exact: any
    point near the maximum serves as the origin of the rule.
    """
    root = np.sqrt(np.where(x >= 0, (a + c - x) ** 2 + 4 * c * x, (a + c + x) ** 2 - 4 * a * x))
    right, left = a + c + x, a + c - x
    # Vieta: of the two forms of each root take the one that adds. A zero x has left = right = root.
    v = np.where(right >= 0, 2 * a / (np.abs(right) + root), 0.0)
    w = np.where(left >= 0, 2 * c / (np.abs(left) + root), 0.0)
    v = np.where(right >= 0, v, 1 - w)
    w = np.where(left >= 0, w, 1 - v)
    lower = v <= w
    small = np.where(lower, v, w).astype(np.float32).astype(float)
    small = np.where(small > 0, small, np.where(lower, v, w))
    return Centre(np.where(lower, small, 1 - small), np.where(lower, 1 - small, small))


def log_height(a: Array, c: Array, x: Array, at: Centre) -> extended.Pair:
    """a log v + c log(1-v) - x v at the centre, as a double-double.

    Only the smaller of v and 1-v is used: below 2^-29 the other one is no longer exact.
    """
    lower = at.v <= at.w
    small = np.where(lower, at.v, at.w)
    log_small, log_large = extended.log(small), extended.log_complement(small)
    return extended.total(
        extended.scale(np.where(lower, a, c), log_small),
        extended.scale(np.where(lower, c, a), log_large),
        extended.exact(np.where(lower, 0.0, -x)),
        extended.two_product(np.where(lower, -x, x), small),
    )


class Offsets(NamedTuple):
    """The point at distance y from the centre (in logits), relative to the centre."""

    log_v: Array  # log(v / v0)
    log_w: Array  # log(w / w0)
    shift: Array  # v - v0


def offsets(at: Centre, y: Array) -> Offsets:
    """v/v0, (1-v)/(1-v0) and v - v0 at logit distance y, each to full relative accuracy.

    v = v0 e^y/(w0 + v0 e^y): log(v/v0) = -log1p(w0 (e^-y - 1)), log(w/w0) = -log1p(v0 (e^y - 1)).
    Where one bracket cancels to below 1/2, it comes from the other: the two logs differ by y.
    """
    rise, fall = np.expm1(y), np.expm1(-y)
    shift = at.v * at.w * np.where(y > 0, -fall, rise)
    shift = shift / np.where(y > 0, 1 + at.w * fall, 1 + at.v * rise)
    in_v, in_w = at.w * fall, at.v * rise
    log_v, log_w = -np.log1p(in_v), -np.log1p(in_w)
    log_v, log_w = np.where(in_v < -0.5, log_w + y, log_v), np.where(in_w < -0.5, log_v - y, log_w)
    return Offsets(log_v, log_w, shift)


def curvature(a: Array, c: Array, x: Array, at: Centre) -> Array:
    """Minus the second derivative of the log integrand in the logit, at the centre; > 0."""
    bend = at.v * at.w * (a + c + x * (at.w - at.v))
    return np.maximum(bend, np.minimum(a, c) / 4)  # only rounding can bring it below


def step(curvature: Array, floor: float = 64.0) -> Array:
    """Trapezoid step in a logarithmic variable that leaves an error below 1e-16.

    2 pi / h must be where the integrand's Fourier transform has fallen by that much. Around its
    maximum the integrand behaves between a Gaussian and e^(k y - k e^y), k = curvature, with the
    transform |Gamma(k + i tau)|: 1/h^2 = 20 + 2.6 k is enough for all k >= 1/16. But where the
    factors (1-v)^c and e^(-x v) nearly cancel in first order, x = -c, what is left is e^(a y - c
    e^(2y) / 2), half as wide a strip: there, at small a, it takes 1/h^2 = 60 (by a scan of a, c
    and x, where 20 leaves 1e-10 and 40 leaves 1e-13).
    """
    return 1.0 / np.sqrt(floor + 2.6 * curvature)


def reach(a: Array, c: Array, x: Array, at: Centre, side: float | Array, scale: Array) -> Array:
    """Logit distance, on the side +1 or -1, at which the tilted Beta has fallen by e^-DROP.

    The fall is counted from the maximum for this x, which need not be ``at``. Bracketed by
    doubling from ``scale``, then halved three times: on the safe side, by under a seventh.
    """
    top = centre(a, c, x)
    way = np.log(top.v / top.w) - np.log(at.v / at.w)
    own = offsets(at, way)
    height = a * own.log_v + c * own.log_w - x * own.shift

    def above(distance: Array) -> NDArray[np.bool_]:
        point = offsets(at, side * distance)
        return a * point.log_v + c * point.log_w - x * point.shift > height - DROP

    inner = np.maximum(side * way, 0.0)  # past the maximum, if it lies on this side
    outer = np.minimum(inner + scale, _FARTHEST)
    for _ in range(60):
        short = above(outer) & (outer < _FARTHEST)
        if not np.any(short):
            break
        inner = np.where(short, outer, inner)
        outer = np.where(short, np.minimum(2 * outer, _FARTHEST), outer)
    for _ in range(3):
        middle = 0.5 * (inner + outer)
        short = above(middle)
        inner, outer = np.where(short, middle, inner), np.where(short, outer, middle)
    return outer


def grid(left: Array, right: Array, spacing: Array) -> Array:
    """Offsets k * spacing from -left to right, in a last axis common to all rows.

    The count is that of the longest row; shorter rows stay at their own reach, where the integrand
    is negligible, so that no node is met at which it could overflow.
    """
    below = int(np.max(np.ceil(left / spacing)))
    above = int(np.max(np.ceil(right / spacing)))
    nodes = spacing[..., None] * np.arange(-below, above + 1)
    return np.clip(nodes, -left[..., None], right[..., None])


def _prepare(a: ArrayLike, c: ArrayLike, x: ArrayLike, second: str) -> tuple[Array, Array, Array]:
    """The parameters, checked and of one shape; ``second`` is the caller's name for c."""
    parameters = {
        "a": reals(a, "a", _LEAST, _LARGEST),
        second: reals(c, second, _LEAST, _LARGEST),
        "x": reals(x, "x", -_LARGEST_TILT, _LARGEST_TILT),
    }
    first, other, tilt = broadcast(**parameters)
    return first, other, tilt


def _nodes(a: Array, c: Array, x: Array, level: int) -> tuple[Centre, Array, Array]:
    """Centre, spacing and grid of the trapezoid rule for T(a, c; x)."""
    at = centre(a, c, x)
    bend = curvature(a, c, x, at)
    spacing = step(bend)
    start = 4.0 / np.sqrt(bend)
    sides = np.array([[1.0], [-1.0]])
    twice = [np.stack((part, part)) for part in (a, c, x, at.v, at.w, start)]
    right, left = reach(twice[0], twice[1], twice[2], Centre(*twice[3:5]), sides, twice[5])
    spacing = spacing * 0.5**level
    return at, spacing, grid(left, right, spacing)


def _blocks(least: Array) -> list[NDArray[np.int64]]:
    """Indices in blocks of similar ``least`` = min(a, c): few nodes of a common grid are wasted."""
    order = np.argsort(least, kind="stable")
    if least.size <= 256:
        return [order]
    cuts = np.flatnonzero(np.diff(np.floor(0.5 * np.log2(least[order])))) + 1
    parts = np.split(order, cuts)
    return [piece for part in parts for piece in np.array_split(part, -(-part.size // 4096))]


def log_beta_laplace(
    a: ArrayLike, c: ArrayLike, x: ArrayLike, a_low: ArrayLike = 0.0, c_low: ArrayLike = 0.0
) -> extended.Pair:
    """log T(a + a_low, c + c_low; x) as a double-double (its sum is good to a double, 1e-15).

    ``a_low`` and ``c_low`` are what a and c lost by rounding: at 1e5 an ulp of c moves log T by
    1e-10, which 1F1(a; b; x), for b as given, must not.
    """
    a, c, x = _prepare(a, c, x, "c")
    shape = a.shape
    lost_a, lost_c = (np.broadcast_to(low, shape).ravel() for low in (a_low, c_low))
    a, c, x = a.ravel(), c.ravel(), x.ravel()
    high, low = np.empty(a.size), np.empty(a.size)
    if a.size == 0:
        return high.reshape(shape), low.reshape(shape)
    for block in _blocks(np.minimum(a, c)):
        at, spacing, y = _nodes(a[block], c[block], x[block], 0)
        point = offsets(Centre(at.v[:, None], at.w[:, None]), y)
        exponent = a[block, None] * point.log_v + c[block, None] * point.log_w
        exponent -= x[block, None] * point.shift
        if np.any(lost_a[block]):
            exponent += lost_a[block, None] * (np.log(at.v)[:, None] + point.log_v)
        if np.any(lost_c[block]):
            exponent += lost_c[block, None] * (np.log(at.w)[:, None] + point.log_w)
        area = np.log(spacing * np.exp(exponent).sum(axis=1))
        height = log_height(a[block], c[block], x[block], at)
        high[block], low[block] = extended.add(height, extended.exact(area))
    return high.reshape(shape), low.reshape(shape)


def log_kummer(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Array:
    """log 1F1(a; b; x), Kummer's confluent hypergeometric function (DLMF 13.2.2).

    By 1F1(a; b; x) = T(a, b-a; -x) / B(a, b-a), DLMF 13.4.1, for every real x.

    Parameters
    ----------
    a, b : array_like
        a and b - a in [1/16, 1e10].
    x : array_like
        In [-1e150, 1e150].

    Returns
    -------
    ndarray
        The logarithm: never overflows. Absolute error below the largest of one ulp of the
        result, 2e-14, and 2e-16 sqrt(b).
    """
    a, b, x = broadcast(a=reals(a, "a"), b=reals(b, "b"), x=reals(x, "x"))
    c, c_low = extended.two_sum(b, -a)
    a, c, x = _prepare(a, c, x, "b - a")
    top = log_beta_laplace(a, c, -x, c_low=c_low)
    negated = [extended.scale(-1.0, extended.log_gamma(value)) for value in (a, c)]
    lost = extended.exact(-c_low * digamma(c))
    result = extended.total(top, *negated, lost, extended.log_gamma(b))
    return np.where(x == 0, 0.0, result[0] + result[1])


def tilted_beta_rule(a: float, b: float, x: float, level: int = 0) -> tuple[Array, Array, Array]:
    """Quadrature for the law on (0, 1) with density proportional to v^(a-1) (1-v)^(b-1) e^(-x v).

    Parameters
    ----------
    a, b : float
        Exponents, >= 1/16.
    x : float
        Tilt, any finite real number.
    level : int
        The step of the trapezoid rule is halved ``level`` times: for functions that vary faster
        than the density does.

    Returns
    -------
    v, complement, weights : ndarray
        Nodes in increasing order, 1 - v to full relative accuracy, and positive weights of sum 1.
        The expectation of f(v) is exact to about 1e-15 times sup |f| for f analytic and slowly
        varying on the scale of the density.
    """
    a, b, x = finite(a, "a"), finite(b, "b"), finite(x, "x")
    level = rule_level(level)
    v, complement, weights = _tilted_beta_rule(a, b, x, level)
    return v.copy(), complement.copy(), weights.copy()


@functools.lru_cache(maxsize=512)
def _tilted_beta_rule(a: float, b: float, x: float, level: int) -> tuple[Array, Array, Array]:
    parameters = [np.reshape(value, 1) for value in _prepare(a, b, x, "b")]
    at, _, y = _nodes(parameters[0], parameters[1], parameters[2], level)
    point = offsets(Centre(at.v[:, None], at.w[:, None]), y)
    exponent = a * point.log_v + b * point.log_w - x * point.shift
    weights = np.exp(exponent[0])
    kept = weights > 0
    v = (at.v * np.exp(point.log_v[0]))[kept]
    complement = (at.w * np.exp(point.log_w[0]))[kept]
    lower = v < complement  # the smaller one has its digits
    v, complement = np.where(lower, v, 1 - complement), np.where(lower, 1 - v, complement)
    weights = weights[kept]
    return v, complement, weights / weights.sum()


class TiltedMeans(NamedTuple):
    """Means under the law with density proportional to v^(a-1) (1-v)^(c-1) e^(-x v)."""

    complement: Array  # E(1 - v)
    product: Array  # E v(1 - v)


def tilted_means(a: ArrayLike, c: ArrayLike, x: ArrayLike) -> TiltedMeans:
    """E(1-v) and E v(1-v) under the tilted Beta law, each a quotient of positive sums.

    Relative accuracy 2e-15, also where the law crowds against 0 or 1.
    """
    a, c, x = _prepare(a, c, x, "c")
    result = np.empty((2, a.size))
    for i, parameters in enumerate(zip(a.ravel(), c.ravel(), x.ravel(), strict=True)):
        v, w, weights = tilted_beta_rule(*parameters)
        result[:, i] = weights @ w, weights @ (v * w)
    return TiltedMeans(*result.reshape((2, *a.shape)))
