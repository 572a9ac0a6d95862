"""Isotropic nuisance channels: the gain, the optimal misalignment, the critical weights.

A channel adds to a code X, of any law on S^(d-1), a nuisance of its own to each view:

    U = sqrt(1-D') X + sqrt(D') Y1,  V = sqrt(1-D') X + sqrt(D') Y2,  Y1.Y2 = c surely,

Y1 and Y2 uniform in the orthogonal complement of X (``spherelab.pairs.NuisanceChannel``). With
Delta = D'(1-c)/2 the averages have |M|^2 = 1 - Delta, at an angle to X whose cosine t has
t^2 = (1 - 2 Delta/(1-c))/(1 - Delta), and degree by degree

    J(Delta) = J_0(Delta) + sum_{l>=1} mu_l(Delta) P_l(t)^2 |q_l|^2,
    dJ/dDelta = J_0'(Delta) - sum_l |q_l|^2 [ -mu_l' P_l^2 + f mu_l P_l P_l'/(t (1-Delta)^2) ],

f = (1+c)/(1-c). At Delta = 0 the slope is minus the gain g (SG paper, Theorem 3): a code that is
not uniform is covered up by nuisance. Slopes are sums of positive terms at Delta = 0, and never
differences of J.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spherelab.arguments import ArgumentError, choice, dimension, nonnegative, positive
from spherelab.gegenbauer import gegenbauer_all
from spherelab.laws import Law, Uniform
from spherelab.laws.base import gram_error
from spherelab.limits import right_derivative
from spherelab.pairs import NuisanceChannel
from spherelab.population.constants import leading_constant
from spherelab.population.excess import uniformity_excess
from spherelab.population.loss import SGLoss, sg_loss
from spherelab.population.potential import coherent_log_mean, law_axes
from spherelab.population.radial import extremal_loss
from spherelab.population.shrunk import FIRST_ORDER, LOG_ERROR, extremal_slope, log_mu_and_slope
from spherelab.sphere import log_multiplicity
from spherelab.value import Value
from spherelab.zonal import SGLift

Array = NDArray[np.float64]

_EPS = float(np.finfo(float).eps)
_RELATIVE = 3e-13  # of |q_l|^2 mu_l times the gain ratio: as stated by laws and lift
_DEGREES = 384  # see ``loss``: N_l mu_l falls at least like (2/3)^l
_BLOCK = 64
_NEGLIGIBLE = 1e-20  # of the largest term: degrees below are dropped
_LEAST_COSINE = 1e-5  # P_l(t) P_l'(t)/t is taken there for smaller t, an error of order l^2 t^2


def channel_loss(law: Law, delta: float, correlation: float = -1.0) -> SGLoss:
    """J on the channel: ``sg_loss(NuisanceChannel(law, delta, correlation))``.

    Parameters
    ----------
    law : Law
        Law of the code X.
    delta : float
        Misalignment Delta, in [0, (1-c)/2].
    correlation : float
        c = Y1.Y2 in [-1, 1): -1 antithetic nuisances, 0 orthogonal ones. Only -1 for d = 2.
    """
    return sg_loss(NuisanceChannel(law, delta, correlation))


def gain(law: Law, correlation: float = -1.0) -> Value:
    """Gain of the channel, g = -dJ/dDelta at Delta = 0; > 0 unless the code is uniform.

        g = sum_{l>=1} |q_l|^2 mu_l [gain_l/mu_l + ((1+c)/(1-c)) L_l/(d-1)],  L_l = l(l+d-2).

    Parameters
    ----------
    law : Law
        Law of the code X, on S^(d-1).
    correlation : float
        c = Y1.Y2 in [-1, 1). The SG paper does not fix it; independent isotropic nuisances, whose
        c is random of mean 0, have the gain of c = 0. Only -1 for d = 2.

    Returns
    -------
    Value
        Relative error below 1e-12 for a law zonal about one axis; for several axes in d >= 3 the
        double sum over them can cancel, and ``error`` says how far.

    Raises
    ------
    ArgumentError
        For arguments that are no law and no correlation of it.

    Notes
    -----
    SG paper, Theorem 3. This is the gain of SG's own test, of the law of R (U+V)/2. Where another
    test or law is weighed (in LeJEPA: the law of the views themselves), g is the gain of that one.
    """
    factor = _nuisance_factor(_channel(law, 0.0, correlation))
    return _gain(law, factor)


@functools.lru_cache(maxsize=4096)
def _gain(law: Law, factor: float) -> Value:
    code = _code(law)
    per_mu = code.gain_ratios + factor * _laplacian(law.dimension, code.degrees)
    terms = np.exp(code.log_energy + code.log_mu) * per_mu
    error = float(code.doubt @ terms) + code.tail * (1 + factor)
    return Value(math.fsum(terms), error, "harmonic series")


def channel_slope(law: Law, delta: float, correlation: float = -1.0, alpha: float = 0.0) -> Value:
    """dJ_alpha/dDelta on the channel, J_alpha = J + alpha Delta; alpha - g at Delta = 0.

    Parameters
    ----------
    law, delta, correlation
        As for ``channel_loss``.
    alpha : float
        Alignment weight, finite and >= 0.

    Returns
    -------
    Value
        Error below 1e-12 times the sum of its terms' sizes; 1e-9 of it where t < 1e-5, that is at
        the far end Delta = (1-c)/2 for c > -1.
    """
    alpha = nonnegative(alpha, "alpha")
    pair = _channel(law, delta, correlation)
    if pair.delta == 0:
        g = _gain(law, _nuisance_factor(pair))
        return Value(alpha - g, g.error + _EPS * alpha, g.method)
    slopes, errors = _slopes(_code(law), pair, np.array([pair.delta]), alpha)
    return Value(slopes[0], errors[0], "harmonic series")


def optimal_misalignment(law: Law, correlation: float = -1.0, alpha: float = 0.0) -> Value:
    """The Delta in [0, (1-c)/2] at which J_alpha = J + alpha Delta is least on the channel.

    Parameters
    ----------
    law : Law
        Law of the code X.
    correlation : float
        c = Y1.Y2 in [-1, 1); only -1 for d = 2.
    alpha : float
        Alignment weight, finite and >= 0.

    Returns
    -------
    Value
        The global minimiser (the least one, if there are several); relative error 1e-12 while
        alpha is not close to g: ``error`` is that of the slope over the curvature.

    Notes
    -----
    SG paper, Theorem 3: 6 sqrt 3 (g - alpha) to first order, 0 for alpha >= g, for codes of small
    non-uniformity. For alpha >= g the point 0 is a local minimum, but not always the global one:
    J can be concave in Delta for concentrated codes, and the minimiser then jumps [ours].

    Every change of sign of the slope is looked for on a grid: geometric in Delta from below the
    first-order value, and uniform in the angle between M and X, 8 points to each oscillation of
    the highest degree that counts. Brent's method finds each root to the last digits.
    """
    alpha = nonnegative(alpha, "alpha")
    pair = _channel(law, 0.0, correlation)
    return _optimum(law, pair.correlation, alpha)


@functools.lru_cache(maxsize=4096)
def _optimum(law: Law, correlation: float, alpha: float) -> Value:
    from scipy.optimize import brentq

    pair, code = NuisanceChannel(law, 0.0, correlation), _code(law)
    g = _gain(law, _nuisance_factor(pair))
    if code.degrees.size == 0:
        return Value(0.0, FIRST_ORDER * g.error, "uniform code")

    def slope(delta: float) -> float:
        return float(_slopes(code, pair, np.array([delta]), alpha)[0][0])

    largest = _largest(pair)
    surplus = g - alpha
    first = largest * 1e-6
    if surplus > 0:
        first = min(0.1 * FIRST_ORDER * surplus, 0.1 * largest)
        while slope(first) > 0 and first > 1e-290:  # a code of high degree is covered up sooner
            first /= 16
    grid = _grid(first, largest, correlation, code)
    slopes = _slopes(code, pair, grid, alpha)[0]
    found = [] if slopes[0] < 0 < surplus else [0.0]
    for i in np.flatnonzero((slopes[:-1] < 0) & (slopes[1:] >= 0)):
        found.append(brentq(slope, grid[i], grid[i + 1], xtol=_EPS * grid[i], rtol=4 * _EPS))
    if slopes[-1] < 0:
        found.append(largest)
    values = _rise(code, pair, np.array(found), alpha)
    best = float(found[int(np.argmin(values))])
    if best == 0:
        return Value(0.0, FIRST_ORDER * max(0.0, g.error + surplus), "end of the channel")
    if best == largest:
        return Value(best, 0.0, "end of the channel")
    around = best * np.array([0.97, 1.0, 1.03])
    around[2] = min(around[2], largest)
    near, errors = _slopes(code, pair, around, alpha)
    curvature = (near[2] - near[0]) / (around[2] - around[0])
    error = 2 * errors[1] / curvature if curvature > 0 else math.inf
    return Value(best, error + 4 * _EPS * best, "root of the slope")


def rho(d: int, degree: int, correlation: float = -1.0) -> Value:
    """rho_l = 6 sqrt 3 [gain_l/mu_l + ((1+c)/(1-c)) L_l/(d-1)]: Delta* ~ rho_l J_unif, degree l.

    6 sqrt 3 = k_0^2/2 is the reciprocal curvature of J_0 at 0, from ``leading_constant``.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    degree : int
        l >= 1.
    correlation : float
        c in [-1, 1); only -1 for d = 2.

    Returns
    -------
    Value
        Relative error 1e-12. SG paper, Theorem 3 and the formula after it.
    """
    d = dimension(d)
    degree = dimension(degree, 1, "degree")
    factor = _nuisance_factor(_channel(Uniform(d), 0.0, correlation))
    ratio = float(SGLift().gain_ratios(d, degree))
    value = leading_constant() ** 2 / 8 * (ratio + factor * _laplacian(d, np.array(degree)))
    return Value(float(value), 1e-12 * float(value), "positive integral")


def critical_sigreg_weight(
    gain: float, batch_size: int, dim: int | None = None, convention: str = "paper"
) -> float:
    """LeJEPA's critical weight lambda_c: above it, nuisance in the views lowers the loss.

    paper: (1-lambda) Delta + lambda B J, so that Delta = 0 is a strict local minimum if and only
    if (1-lambda)/lambda > B g, and lambda_c = 1/(1 + B g). reference: the prediction term averaged
    over the d coordinates, and the statistic B sqrt(2 pi) J, as the public implementation scales
    them: lambda_c = 1/(1 + d B sqrt(2 pi) g) [ours].

    Parameters
    ----------
    gain : float
        g >= 0 of the test that is weighed: for LeJEPA that of the law of the views themselves.
    batch_size : int
        B >= 1.
    dim : int, optional
        Ambient dimension d >= 2; ``reference`` needs it, ``paper`` is free of it.
    convention : str
        ``"paper"`` or ``"reference"``.

    Returns
    -------
    float
        In (0, 1], falling in B; a few eps; 0 where B g is past the doubles. SG paper, abstract
        and Figure 3b.
    """
    gain = nonnegative(gain, "gain")
    batch_size = dimension(batch_size, 1, "batch_size")
    convention = choice(convention, "convention", ("paper", "reference"))
    d = None if dim is None else dimension(dim, name="dim")
    weight = batch_size * gain
    if convention == "reference":
        if d is None:
            raise ArgumentError('dim must be given for convention "reference", got None')
        weight *= d * math.sqrt(2 * math.pi)
    return 1 / (1 + weight)


def infonce_slope(law: Law, beta: float, correlation: float = -1.0) -> Value:
    """d(InfoNCE excess)/dDelta at Delta = 0 on the channel.

    From values of ``uniformity_excess`` at Delta >= 0. For a code of small non-uniformity it
    is 2 beta - (2/(1-c)) sum_l r_l (1 - r_l/2) (L_l/(d-1)) |q_l|^2 to second order in q. It is at
    least -2 beta c/(1-c), which a point mass attains: never negative for c <= 0 [ours].

    Parameters
    ----------
    law : Law
        Law of the code X.
    beta : float
        Inverse temperature, finite and > 0.
    correlation : float
        c in [-1, 1); only -1 for d = 2.

    Returns
    -------
    Value
        ``error`` estimates what the interpolant of U_beta misses, and its rounding.
    """
    beta = positive(beta, "beta")
    size = 0.1 * _largest(_channel(law, 0.0, correlation)) / (1 + beta)

    def uniformity(delta: float) -> Value:
        return uniformity_excess(NuisanceChannel(law, delta, correlation), beta)

    fall = right_derivative(uniformity, size)
    return Value(2 * beta + fall, fall.error + 4 * _EPS * beta, fall.method)


# --- the parts of J and its slope -----------------------------------------------------------------


@dataclass(frozen=True)
class _Code:
    """The degrees of a code that count, (L,) each.

    Attributes
    ----------
    degrees : increasing, >= 1.
    log_energy, log_mu, gain_ratios : log |q_l|^2, log mu_l, gain_l/mu_l.
    doubt : relative error of |q_l|^2 mu_l and of its gain.
    tail : what the degrees left out can add to the gain, for (1+c)/(1-c) <= 1 and in its units.
    """

    degrees: NDArray[np.int64]
    log_energy: Array
    log_mu: Array
    gain_ratios: Array
    doubt: Array
    tail: float


@functools.lru_cache(maxsize=1024)
def _code(law: Law) -> _Code:
    """By blocks of degrees until the rest is negligible, as in ``loss``."""
    d = law.dimension
    if isinstance(law, Uniform):
        none = np.empty(0)
        return _Code(np.empty(0, dtype=np.int64), none, none, none, none, 0.0)
    several = d > 2 and law_axes(law) > 1
    blocks: list[tuple[NDArray[np.int64], Array, Array, Array, Array, Array]] = []
    total = tail = 0.0
    for start in range(1, _DEGREES, _BLOCK):
        degrees = np.arange(start, start + _BLOCK)
        log_mu, ratios = _spectrum(d, start)
        log_n, log_q = log_multiplicity(d, degrees), law.log_harmonic_energy(degrees)
        per_mu = ratios + _laplacian(d, degrees)
        sizes = np.exp(log_q + log_mu) * per_mu
        errors = _RELATIVE * sizes
        if several:  # the double sum over the axes can cancel
            coherent = np.exp(log_mu + log_n + 2 * coherent_log_mean(law, degrees))
            errors += coherent * per_mu * gram_error(d, len(law.components()), degrees)
        blocks.append((degrees, log_q, log_mu, ratios, sizes, errors))
        total += float(np.sum(sizes))
        envelope = min(float(np.max(log_q[_BLOCK // 2 :] - log_n[_BLOCK // 2 :])), 0.0)
        tail = 4 * float(np.exp(log_mu[-1] + log_n[-1] + envelope) * per_mu[-1])
        # A code without low degrees (a polygon) may have high ones: on until there is something.
        if total > 0 and tail <= 1e-18 * total:
            break
    degrees, log_q, log_mu, ratios, sizes, errors = (
        np.concatenate([block[i] for block in blocks]) for i in range(6)
    )
    kept = sizes > _NEGLIGIBLE * np.max(sizes)
    doubt = errors[kept] / sizes[kept]
    tail += float(np.sum(sizes[~kept] + errors[~kept]))
    return _Code(degrees[kept], log_q[kept], log_mu[kept], ratios[kept], doubt, tail)


@functools.lru_cache(maxsize=256)
def _spectrum(d: int, start: int) -> tuple[Array, Array]:
    """log mu_l and gain_l/mu_l for a block of degrees."""
    degrees = np.arange(start, start + _BLOCK)
    lift = SGLift()
    return lift.log_eigenvalues(d, degrees), lift.gain_ratios(d, degrees)


def _laplacian(d: int, degrees: NDArray[np.int64]) -> Array:
    """L_l/(d-1) = P_l'(1)."""
    result: Array = degrees * (degrees + d - 2.0) / (d - 1.0)
    return result


def _channel(law: Law, delta: float, correlation: float) -> NuisanceChannel:
    """The channel, whose constructor checks the arguments."""
    return NuisanceChannel(law, delta, correlation)


def _nuisance_factor(pair: NuisanceChannel) -> float:
    """(1+c)/(1-c)."""
    return (1 + pair.correlation) / (1 - pair.correlation)


def _largest(pair: NuisanceChannel) -> float:
    """The far end of the channel: Delta = (1-c)/2, where D' = 1."""
    return 0.5 * (1 - pair.correlation)


def _squared_cosines(pair: NuisanceChannel, deltas: Array) -> Array:
    """t^2 = (1 - 2 Delta/(1-c))/(1 - Delta), written as 1 - f Delta/(1 - Delta): 1 for c = -1."""
    factor = _nuisance_factor(pair)
    if factor == 0:
        return np.ones_like(deltas)
    return np.clip(1 - factor * deltas / (1 - deltas), 0.0, 1.0)


def _slopes(code: _Code, pair: NuisanceChannel, deltas: Array, alpha: float) -> tuple[Array, Array]:
    """dJ_alpha/dDelta and its error at each Delta, (m,)."""
    d, factor = pair.dimension, _nuisance_factor(pair)
    radial = extremal_slope(deltas)
    log_mu, log_slope = log_mu_and_slope(d, code.degrees, deltas)
    log_q = code.log_energy[:, None]
    falls = np.exp(log_q + log_slope)  # (L, m)
    sizes = falls
    if factor > 0:
        t = np.maximum(np.sqrt(_squared_cosines(pair, deltas)), _LEAST_COSINE)
        top = int(np.max(code.degrees, initial=1))
        legendre = gegenbauer_all(d, top, t)[code.degrees]
        # P_l' = P_l'(1) times the normalised P_{l-1} two dimensions up (DLMF 18.9.19)
        slope = (
            _laplacian(d, code.degrees)[:, None]
            * gegenbauer_all(d + 2, top - 1, t)[code.degrees - 1]
        )
        turns = np.exp(log_q + log_mu) * factor / (1 - deltas) ** 2
        sizes = falls * legendre**2 + np.abs(turns * legendre * slope / t)
        falls = falls * legendre**2 + turns * legendre * slope / t
    doubt = code.doubt[:, None] + LOG_ERROR * (2 + np.abs(log_mu + log_q))
    doubt = np.where(np.isfinite(doubt), doubt, 0.0)  # Delta = 1, where the term itself is 0
    rounding = 8 * _EPS * (radial + alpha)
    errors = np.sum(doubt * sizes, axis=0) + code.tail * (1 + factor) + rounding
    return radial + alpha - np.sum(falls, axis=0), errors


def _rise(code: _Code, pair: NuisanceChannel, deltas: Array, alpha: float) -> Array:
    """J_alpha(Delta) - J_alpha(0), to compare minima."""
    d = pair.dimension
    log_mu, _ = log_mu_and_slope(d, code.degrees, deltas)
    parts = np.exp(code.log_energy[:, None] + log_mu)
    if _nuisance_factor(pair) > 0:
        t = np.sqrt(_squared_cosines(pair, deltas))
        parts = (
            parts * gegenbauer_all(d, int(np.max(code.degrees, initial=1)), t)[code.degrees] ** 2
        )
    before = math.fsum(np.exp(code.log_energy + code.log_mu))
    radial = np.array([extremal_loss(delta) for delta in deltas])
    return radial + alpha * deltas + np.sum(parts, axis=0) - before


def _grid(first: float, largest: float, correlation: float, code: _Code) -> Array:
    """Where to look for a change of sign of the slope: see ``optimal_misalignment``."""
    count = 2 + math.ceil(math.log(largest / first) / math.log(1.1))
    points = np.geomspace(first, largest, count)
    if correlation > -1:
        angles = np.linspace(0.0, 0.5 * math.pi, 8 * int(code.degrees[-1]) + 16)
        factor = (1 + correlation) / (1 - correlation)
        tangent = np.sin(angles) ** 2 / factor  # Delta/(1 - Delta), from t = cos(angle)
        inner = tangent / (1 + tangent)
        points = np.concatenate((points, inner[(inner > first) & (inner < largest)]))
    points = np.unique(np.clip(points, first, largest))
    points[-1] = largest
    return points
